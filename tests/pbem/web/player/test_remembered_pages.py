"""Whatever a process remembers of others, a page has the bytes of one that has just come up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from engine.core import NotYourTurn
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.draw import svg as map_drawing
from engine.iron_curtain.draw import cards
from engine.iron_curtain.draw import svg as table_drawing
from engine.terminal.rehearsal import random_order
from pbem.db import store
from pbem.i18n import speaking
from pbem.links import Links, TurnLink
from pbem.services.match import drafts, match_log, turns
from pbem.services.records.match_rows import find_turn, get_match
from pbem.services.records.memory import Memory
from pbem.web.player.accounts import plain_story
from tests.pbem.four_powers import FourPowers
from tests.pbem.table import Table, canary_deck
from tests.services.people import NOW, turns_of
from tests.services.powers import GAME

DRAWN_ONCE = (
    *(cards._printed, cards._edge, cards._at_right, cards._cubes, cards._lead),
    *(table_drawing._marked_track, table_drawing._column, table_drawing._row),
    *(map_drawing.seen, map_drawing.explained),
)


def cold(client: FlaskClient, path: str) -> bytes:
    """A page of a process that remembers nothing; what it remembers is given back to it."""
    app = client.application
    warm = app.extensions["pbem"]
    app.extensions["pbem"] = replace(warm, stories=Memory(1))
    for kept in DRAWN_ONCE:
        kept.cache_clear()
    with (
        patch.object(match_log, "_states", Memory(1)),
        patch.object(drafts, "_lately", Memory(1)),
    ):
        page: bytes = client.get(path).data
    app.extensions["pbem"] = warm
    return page


def turn_paths(table: Table | FourPowers) -> Iterator[str]:
    """The pages of the newest turn of each seat, open or closed."""
    match = table.match
    with store.connected():
        newest = store.rows("SELECT MAX(id) FROM turn WHERE match_id = ? GROUP BY seat", table.id)
        found = [find_turn(turn) for (turn,) in newest]
    for turn in found:
        assert turn is not None
        link = TurnLink(table.id, turn.seat, turn.id, match.seat(turn.seat).epoch)
        yield f"/t/{table.links.sign('turn', link)}"


def test_pages_of_both_sides_in_turn_are_those_of_a_fresh_process(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links, {"deck": canary_deck()})
    choice = QuickDice(b"remembered")
    for _ in range(14):
        seat = table.match.seat(table.turn.seat).name
        table.press("add", order=random_order(table.match.game, table.state, seat, choice))
        warm = {path: client.get(path).data for path in turn_paths(table)}
        assert {path: cold(client, path) for path in warm} == warm
        table.press("clear")
        table.send(random_order(table.match.game, table.state, seat, choice))


def test_maps_of_all_powers_in_turn_are_those_of_a_fresh_process(
    client: FlaskClient, links: Links
) -> None:
    table = FourPowers(client, links)
    for _ in range(5):
        seat = table.match.seat(table.turn.seat).name
        given = [GAME.notate(one) for one in orders(GAME.view(table.state, seat), seat)]
        client.post(table.path, data={"do": "compose", "orders": given[0]})
        shown = [f"{path}{asks}" for path in turn_paths(table) for asks in ("", "?zoom=europe")]
        warm = {path: client.get(path).data for path in shown}
        assert {path: cold(client, path) for path in warm} == warm
        client.post(table.path, data={"do": "clear"})
        table.send(given)


def test_what_one_side_has_tried_is_not_the_other_sides(client: FlaskClient, links: Links) -> None:
    table = Table(client, links)
    with store.connected():
        match, state = table.match, table.state
        assert drafts.preview(match, state, match.seat(1).name, ["first usa"]).tried
        with pytest.raises(NotYourTurn):
            drafts.preview(match, state, match.seat(0).name, ["first usa"])


def test_a_position_is_read_anew_when_another_process_has_played(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links)
    begun = table.state
    remembered = match_log._states
    with patch.object(match_log, "_states", Memory(1)):  # the other process
        table.send("first usa")
        played = table.state
    assert match_log._states is remembered
    assert table.state == played != begun
    with store.connected(), store.writing():
        turns.rewind(table.id, 0, "moderator", NOW)
    assert table.state == begun
    assert table.state is table.state, "and only once"


def test_a_draft_that_was_taken_back_leaves_the_position_before_it(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links)
    table.press("add", order="first usa")
    with store.connected():
        match, state = get_match(table.id), table.state
        seat = match.seat(1).name
        first = drafts.preview(match, state, seat, ["first usa"])
        assert drafts.preview(match, state, seat, []).state is state
        assert drafts.preview(match, state, seat, ["first ussr"]).state != first.state


def test_each_seat_and_each_language_has_a_story_of_its_own(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links, {"deck": canary_deck()})
    table.send("first usa")
    table.send(table.offered()[0])
    with client.application.test_request_context(), store.connected():
        match = table.match
        first, second, *_ = [turn for turn in turns_of(table.id) if turn.closed_seq is not None]
        assert first.seat != second.seat
        told = [plain_story(match, turn) for turn in (first, second)]
        with speaking("fr"):
            told.append(plain_story(match, first))
        again = [plain_story(match, turn) for turn in (first, second)]
    assert len({*told}) == 3
    assert again == told[:2]
