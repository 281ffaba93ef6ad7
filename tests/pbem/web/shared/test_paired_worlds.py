"""Two worlds that a seat cannot tell apart give it the same bytes, on pages and in the JSON."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import msgspec
import pytest
from flask.testing import FlaskClient

from engine.chance import Draw, QuickDice
from engine.core import Seat
from engine.iron_curtain.deck import standard_deck
from engine.iron_curtain.game import IronCurtain
from engine.terminal.rehearsal import random_order
from pbem.db import store
from pbem.links import Links
from pbem.mail import pictures as letter_pictures
from pbem.services.match import turns
from pbem.services.records.memory import Memory
from pbem.services.records.player_rows import get_player
from pbem.web.public import pictures
from pbem.web.shared.public_log import PublicLogs
from pbem.web.watching import replay, rounds, sharing
from tests.pbem.table import Table
from tests.pbem.visiting import NOW

SEATS = (Seat("usa"), Seat("ussr"))


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(4))
def test_what_is_hidden_changes_no_byte(client: FlaskClient, links: Links, seed: int) -> None:
    table, choice = Table(client, links), QuickDice(b"worlds %d" % seed)
    told_apart = 0
    for number in range(60):
        if not table.is_live:
            break
        turn = table.turn
        if number % 6 == seed:
            own, other = SEATS[turn.seat], SEATS[1 - turn.seat]
            told_apart += compare(table, own, other, choice)
        seat = SEATS[turn.seat]
        table.send(random_order(table.match.game, table.state, seat, choice))
    assert told_apart > 0, "the worlds must really differ, for the other seat"


@pytest.mark.whole
def test_what_the_other_side_says_in_advance_changes_no_byte(
    client: FlaskClient, links: Links
) -> None:
    table, choice, own = Table(client, links), QuickDice(b"in advance"), 0
    for number in range(6):
        own = table.turn.seat
        before = seen_by(table, SEATS[own])
        with store.connected():
            for rule in ("use", "never"):
                turns.give_any_time(table.id, 1 - own, f"standing all {rule}", NOW + number)
        assert seen_by(table, SEATS[own]) == before
        head = client.get(f"/api/v1/match/{table.id}").get_json()["head"]
        table.send(random_order(table.match.game, table.state, SEATS[own], choice))
        if table.turn.seat != own:
            assert client.get(f"/api/v1/match/{table.id}").get_json()["head"] != head


def compare(table: Table, own: Seat, other: Seat, choice: QuickDice) -> int:
    """Everything the asked seat can see, before and after its hidden cards were dealt anew."""
    before, hand = seen_by(table, own), hand_of(table, other)
    draws = deal_anew(table, own, choice)
    assert seen_by(table, own) == before
    differs = hand_of(table, other) != hand
    restore(table, draws)
    return differs


def hand_of(table: Table, seat: Seat) -> tuple[str, ...]:
    hand: tuple[str, ...] = table.match.game.view(table.state, seat).hand
    return hand


def seen_by(table: Table, seat: Seat) -> dict[str, bytes]:
    """What a seat sees of a server that has just come up: nothing is kept from the other world."""
    number, app = SEATS.index(seat), table.client.application
    app.extensions["pbem"] = replace(
        app.extensions["pbem"], public_logs=PublicLogs(), stories=Memory(1)
    )
    for kept in (pictures.position, rounds._played, sharing._drawn, replay.packed_frames):
        kept.cache_clear()
    app.extensions[sharing._PACE] = sharing.Pace()
    paths = [
        "/",
        "/front/board.svg",
        "/watch",
        f"/watch/{table.id}.svg",
        f"/match/{table.id}",
        f"/match/{table.id}/picture.png",
        page_of(table, number),
        f"/match/{table.id}/replay",
        f"/match/{table.id}/replay?turn=1",
        f"/match/{table.id}/replay/part/0",
        f"/match/{table.id}/step/1",
        f"/api/v1/match/{table.id}",
        table.seat_path(number),
        f"{table.seat_path(number)}/standing",
    ]
    if table.turn.seat == number:
        token = table.turn_token()
        paths += [f"/t/{token}", f"/t/{token}?prefix=play", f"/api/v1/turn/{token}"]
    with patch.object(letter_pictures, "png", lambda svg, width, most: svg.encode()):
        return {path: table.client.get(path).data for path in paths}


def page_of(table: Table, number: int) -> str:
    with store.connected():
        player = get_player(table.match.seat(number).player or 0)
    return f"/players/{player.public_id}"


def deal_anew(table: Table, seat: Seat, choice: QuickDice) -> str:
    """Shuffle what the seat cannot know; the log tells the same story with another deck."""
    match, order = table.match, standard_deck().order
    other = match.game.resample_hidden(table.state, seat, choice)
    permutation = tuple(order.index(card) for card in IronCurtain().deck(other))
    draw = Draw("shuffle", "1", len(order), permutation)
    with store.connected():
        row = store.row("SELECT draws FROM entry WHERE match_id = ? AND seq = 0", table.id)
        assert row is not None
        restore_text(table, msgspec.json.encode([draw]).decode())
    return str(row[0])


def restore(table: Table, draws: str) -> None:
    with store.connected():
        restore_text(table, draws)


def restore_text(table: Table, draws: str) -> None:
    store.execute("DELETE FROM snapshot WHERE match_id = ?", table.id)
    store.execute("UPDATE entry SET draws = ? WHERE match_id = ? AND seq = 0", draws, table.id)
