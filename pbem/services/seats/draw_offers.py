"""Draws that are on offer: who has agreed, and who has not."""

from __future__ import annotations

from typing import NamedTuple

from pbem.services.records.match_rows import JOINED, MatchRecord, SeatRecord


class DrawOffer(NamedTuple):
    """Who has agreed to a draw and who has not, each person by one seat.

    All people have to agree; a machine or an empty seat is not asked.
    """

    agreed: tuple[SeatRecord, ...]
    missing: tuple[SeatRecord, ...]

    def agreed_but(self, player: int | None) -> list[SeatRecord]:
        return [seat for seat in self.agreed if seat.player != player]

    def missing_but(self, player: int | None) -> list[SeatRecord]:
        return [seat for seat in self.missing if seat.player != player]


def draw_offer(match: MatchRecord) -> DrawOffer:
    held = [seat for seat in match.seats if seat.player is not None and seat.status == JOINED]
    willing = {seat.player for seat in held if seat.draw_offered}
    people = dict[int | None, SeatRecord]()
    for seat in sorted(held, key=lambda seat: (not seat.draw_offered, seat.number)):
        people.setdefault(seat.player, seat)
    in_order = sorted(people.values(), key=lambda seat: seat.number)
    return DrawOffer(
        tuple(seat for seat in in_order if seat.player in willing),
        tuple(seat for seat in in_order if seat.player not in willing),
    )
