"""The golden letters of East & West: four people play three rounds, their orders from a file.

The file has a paragraph for each time somebody orders: who it is, then the orders. When the rules
have changed so that it cannot be played any more, it is recorded anew with the stand-in player:

python -m tests.mail.campaign     # write tests/mail/campaign.txt anew; then the golden letters
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from engine.core import Seat
from engine.east_and_west.bot.stand_in import orders
from pbem.db import store
from pbem.services.match import joining, link_orders, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import LIVE, TurnRecord, get_match, open_turns
from tests.services.people import NOW, id_of, wanted

RECORD = Path(__file__).parent / "campaign.txt"
PLAYERS = {"ussr": "Ann", "we": "Bob", "uk": "Cy", "usa": "Dee"}
ROUNDS = 3
MATCH = "campaign"
Orders = Callable[[TurnRecord, Seat], Sequence[str]]


def address(seat: str) -> str:
    return f"{PLAYERS[seat].lower()}@campaign.example"


def begin(now: int, rounds: int = ROUNDS) -> None:
    addresses: dict[str, str | None] = {seat: address(seat) for seat in PLAYERS}
    with (
        patch.object(matches, "new_id", lambda: MATCH),
        patch("secrets.token_bytes", lambda size: bytes(range(size))),
    ):
        plan = wanted(game="east_and_west", addresses=addresses, creator=None, name="", phrase="")
        matches.create(plan._replace(setup={"rounds": str(rounds)}), now)
    for number, seat in enumerate(PLAYERS):
        says = Joining(PLAYERS[seat], "en", "Europe/Berlin", f"from {PLAYERS[seat].lower()}")
        joining.accept(MATCH, number, id_of(address(seat)), says, now)


def played(given: Orders, clock: Callable[[], int]) -> Iterator[tuple[Seat, int, str]]:
    """Order by order until it is over; before each the seat, the round and what is asked.

    Western Europe wants to be asked about its losses in West Germany.
    """
    link_orders.say_in_advance(MATCH, 1, "standing ask west-germany on", clock())
    while (match := get_match(MATCH)).status == LIVE:
        (turn,) = open_turns(MATCH)
        seat, board = match.seat(turn.seat).name, match_log.current(match).board
        yield seat, board.round, "question" if turn.is_inquiry else board.turn.stop
        turns.submit(turn.id, given(turn, seat), clock())


# --- the file -------------------------------------------------------------------------------------


def from_file() -> Orders:
    """The orders that were recorded, each of whom they were recorded for."""
    paragraphs = iter(RECORD.read_text("utf-8").strip().split("\n\n"))

    def given(turn: TurnRecord, seat: Seat) -> Sequence[str]:
        who, *lines = next(paragraphs).splitlines()
        assert who == seat, f"{who} was asked when this was recorded, not {seat}: record it anew"
        return lines

    return given


def by_the_stand_in(turn: TurnRecord, seat: Seat) -> list[str]:
    match = get_match(MATCH)
    view = match.game.view(match_log.current(match), seat)
    return [match.game.notate(action) for action in orders(view, seat)]


def record() -> None:
    said: list[str] = []

    def given(turn: TurnRecord, seat: Seat) -> list[str]:
        lines = by_the_stand_in(turn, seat)
        said.append("\n".join([seat, *lines]))
        return lines

    with tempfile.TemporaryDirectory() as folder:
        store.open_database(f"sqlite:///{folder}/campaign.db")
        store.migrate()
        begin(NOW)
        for seat, round, asked in played(given, lambda: NOW):
            print(round, seat, asked)
        store.database.close()
    RECORD.write_text("\n\n".join(said) + "\n", "utf-8")


if __name__ == "__main__":
    record()
