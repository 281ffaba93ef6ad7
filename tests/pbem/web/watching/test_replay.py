"""A match played again: which frames there are, with whose eyes, and what stays hidden."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from engine.registry import GAMES
from pbem.db import store
from pbem.links import Links
from pbem.services.match import link_orders, match_log, matches, turns
from pbem.services.records.match_rows import get_match
from pbem.web.public.match_page import public_steps
from pbem.web.watching import differences, frames, replay
from pbem.web.watching.differences import Differences
from tests.pbem.table import Table, canary_deck
from tests.pbem.visiting import NOW, everything
from tests.services.people import an_order, wanted

GAME = GAMES["iron_curtain"]


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    replay.packed_frames.cache_clear()


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


@pytest.fixture
def over(table: Table) -> Table:
    """Ann has given up in the middle of it."""
    play(table, 22)
    with store.connected():
        matches.resign(table.id, 0, NOW)
    return table


def path(table: Table, asks: str = "") -> str:
    return f"/match/{table.id}/replay{asks}"


def page(table: Table, asks: str = "") -> str:
    answer = table.client.get(path(table, asks))
    assert answer.status_code == 200, answer.text
    return answer.text


def reel(text: str) -> dict[str, Any]:
    (found,) = re.findall(r'id="frames">(.*?)</script>', text, re.DOTALL)
    kept: dict[str, Any] = json.loads(found)
    return kept


def stages(text: str) -> list[str]:
    """All boards, as the script puts them together."""
    return drawn(reel(text))


def drawn(kept: dict[str, Any]) -> list[str]:
    known = Differences(kept["first"], kept["edits"])
    return [differences.applied(known, place) for place in range(len(kept["numbers"]))]


def play(table: Table, orders: int) -> None:
    choice = QuickDice(b"some")
    with store.connected():
        for _ in range(orders):
            turn, order = an_order(table.id, choice)
            turns.submit(turn.id, [order], NOW)


# --- frames ---------------------------------------------------------------------------------------


def test_every_step_has_its_frame_with_the_board_as_the_game_draws_it(over: Table) -> None:
    text = page(over)
    kept = reel(text)
    with store.connected():
        match = get_match(over.id)
        played = list(match_log.played(match, -1))
    assert len(played) == 24
    last = match.game.closed(match.game.view(played[-1].state, None))
    assert kept["numbers"] == list(range(len(played)))
    for one, stage, told in zip(played, stages(text), kept["told"], strict=True):
        view = last if one is played[-1] else match.game.view(one.state, None)
        assert match.game.draw_table(view) in stage
        for event in one.events:
            if event.heard_by(None):
                assert match.game.say(event.text) in unescape(told)


def test_turns_are_marked(over: Table) -> None:
    kept = reel(page(over))
    assert kept["turns"] == sorted(kept["turns"])
    assert set(kept["turns"]) == set(range(kept["turns"][-1] + 1))
    assert "Round 1: who goes first" in kept["told"][0]
    second = kept["turns"].index(1)
    assert re.search("Round 1, turn 1: (USA|USSR)", kept["told"][second])


def test_the_page_begins_with_the_step_it_is_asked_for(over: Table) -> None:
    text = page(over, "?step=5")
    shown = re.findall(r'<div id="stage">(.*?)</div>\s*<div class="bar">', text, re.DOTALL)[0]
    assert shown.strip() == stages(text)[5].strip()
    assert 'value="5"' in text
    assert "Step 5 of " in text


@pytest.mark.parametrize("step", ["9999", "-1", "x", "1.5", "9" * 5_000, "٣", "<script>"])
def test_a_step_that_is_not_there_is_answered_with_those_there_are(table: Table, step: str) -> None:
    answer = table.client.get(path(table), query_string={"step": step})
    assert answer.status_code == 404
    assert "steps have numbers from 0 to 0" in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize("turn", ["99", "-1", "x", "9" * 5_000, "<script>"])
def test_a_turn_that_is_not_there_is_answered_with_those_there_are(table: Table, turn: str) -> None:
    answer = table.client.get(path(table), query_string={"turn": turn})
    assert answer.status_code == 404
    assert "turns have numbers from 0 to 0" in answer.text


def test_one_turn_can_be_asked_for(over: Table) -> None:
    whole, one = reel(page(over)), reel(page(over, "?turn=3"))
    of_turn = [n for n, turn in zip(whole["numbers"], whole["turns"], strict=True) if turn == 3]
    assert one["numbers"] == of_turn
    assert "This page shows one turn: Round 1, turn 3:" in page(over, "?turn=3")


def test_of_too_many_steps_the_ends_of_turns_are_shown_and_the_page_says_so(over: Table) -> None:
    whole = reel(page(over))
    replay.packed_frames.cache_clear()
    with patch.object(frames, "MOST_DRAWN", 1):
        text = page(over)
        of_turn = page(over, "?turn=3")
    kept = reel(text)
    assert 3 < len(kept["numbers"]) < 12
    assert (kept["numbers"][0], kept["numbers"][-1]) == (0, whole["numbers"][-1])
    assert len(set(kept["turns"])) >= len(kept["turns"]) - 1, "one for a turn, and the beginning"
    assert f"There are {len(whole['numbers'])} steps, too many for one page" in text
    assert f'href="/match/{over.id}/replay?turn=3"' in text
    assert "too many for one page" not in of_turn


def test_a_part_has_all_of_its_steps_as_a_page_with_room_shows_them(over: Table) -> None:
    whole = page(over)
    with patch.object(frames, "PART", 10):
        parts = [json.loads(page(over, f"/part/{part}")) for part in (0, 1, 2)]
    assert [len(part["numbers"]) for part in parts] == [10, 10, 4]
    assert [told for part in parts for told in part["told"]] == reel(whole)["told"]
    boards = [board for part in parts for board in drawn(part)]
    assert boards == stages(whole)


@pytest.mark.parametrize("part", ["1", "99999999999999999999"])
def test_a_part_that_is_not_there_is_answered_with_those_there_are(over: Table, part: str) -> None:
    answer = over.client.get(path(over, f"/part/{part}"))
    assert answer.status_code == 404
    assert "parts have numbers from 0 to 0" in answer.text


def test_what_was_taken_back_has_no_frame(table: Table) -> None:
    play(table, 6)
    with store.connected():
        turns.rewind(table.id, 2, "moderator", NOW)
    assert reel(page(table))["numbers"] == [0, 1, 2]
    play(table, 1)
    with store.connected():
        newest = len(public_steps_of(table)) - 1
    assert reel(page(table))["numbers"] == [0, 1, 2, newest]


def public_steps_of(table: Table) -> list[Any]:
    with table.client.application.test_request_context():
        return public_steps(get_match(table.id))


def test_steps_that_were_not_kept_are_left_out(over: Table) -> None:
    with store.connected():
        store.execute("UPDATE match SET rules_version = 0 WHERE id = ?", over.id)
        store.execute("UPDATE entry SET rules_version = 0 WHERE match_id = ?", over.id)
        store.execute("DELETE FROM snapshot WHERE match_id = ?", over.id)
    text = page(over)
    assert "The positions of this match were not kept" in text
    assert 'id="frames"' not in text


def test_a_match_that_has_not_begun_has_no_replay(client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    assert client.get(f"/match/{match}/replay").status_code == 404
    assert client.get("/match/nowhere/replay").status_code == 404


def test_looking_changes_nothing(table: Table) -> None:
    before = everything()
    for asks in ("", "?step=0", "?eyes=usa"):
        table.client.get(path(table, asks))
        assert table.client.post(path(table, asks)).status_code == 405
    assert everything() == before


def test_a_page_that_was_drawn_is_kept(over: Table) -> None:
    first = page(over)
    with patch.object(GAME, "draw_table", side_effect=AssertionError):
        assert page(over) == first
        assert page(over, "?step=7") != first
    play_language = over.client.get(path(over), headers={"Accept-Language": "fr"}).text
    assert "Manche 1\N{NO-BREAK SPACE}: qui commence" in unescape(play_language)


# --- eyes -----------------------------------------------------------------------------------------


def held_in(text: str, state: Any, side: int) -> bool:
    """Whether all cards of a hand are named."""
    return all(state.deck.cards[card].name.en in unescape(text) for card in state.hands[side])


def test_after_the_end_every_seat_lends_its_eyes(over: Table) -> None:
    with store.connected():
        states = [one.state for one in match_log.played(get_match(over.id), -1)]
    usa, ussr, both, nobody = (
        stages(page(over, asks)) for asks in ("?eyes=usa", "?eyes=ussr", "?eyes=all", "")
    )
    for place in (0, 5, 15):
        state = states[place]
        assert held_in(usa[place], state, 0) and held_in(ussr[place], state, 1)
        assert held_in(both[place], state, 0) and held_in(both[place], state, 1)
    assert not held_in(usa[0], states[0], 1) and not held_in(ussr[0], states[0], 0)
    assert not held_in(nobody[0], states[0], 0) and not held_in(nobody[0], states[0], 1)
    assert "You are dealt" in reel(page(over, "?eyes=usa"))["told"][0]
    assert "You are dealt" not in reel(page(over, "?eyes=all"))["told"][0]


def test_the_page_offers_whose_eyes_there_are(over: Table) -> None:
    text = page(over, "?eyes=usa")
    links = re.findall(r'<a href="([^"]*)"( aria-current="true")?>([^<]*)</a>', eyes_of(text))
    assert [(title, bool(current)) for _, current, title in links] == [
        ("Spectator", False),
        ("USA", True),
        ("USSR", False),
        ("All sides", False),
    ]
    for address, *_ in links:
        assert over.client.get(unescape(address)).status_code == 200
    assert f'href="/match/{over.id}/step/1?eyes=usa"' in text


def eyes_of(text: str) -> str:
    found = re.findall(r'<nav class="eyes".*?</nav>', text, re.DOTALL)
    return str(found[0]) if found else ""


def test_before_the_end_there_is_no_choice_and_no_other_eyes(table: Table) -> None:
    play(table, 4)
    assert eyes_of(page(table)) == ""
    for place in ("replay", "replay/part/0", "step/1"):
        for eyes in ("usa", "ussr", "all", "x", "USA", "<script>"):
            answer = table.client.get(f"/match/{table.id}/{place}", query_string={"eyes": eyes})
            assert answer.status_code == 400
            assert "Hands are shown once the match is over" in answer.text
            assert "<script>" not in answer.text


def test_a_match_that_was_called_off_opens_no_hand(table: Table) -> None:
    play(table, 2)
    with store.connected():
        matches.cancel(table.id, "moderator", NOW)
    assert table.client.get(path(table, "?eyes=usa")).status_code == 400
    assert eyes_of(page(table)) == ""


@pytest.mark.parametrize("eyes", ["x", "USA", "usa ", "<script>", "\x00", "a" * 5_000])
def test_eyes_that_nobody_has_are_answered_with_those_there_are(over: Table, eyes: str) -> None:
    answer = over.client.get(path(over), query_string={"eyes": eyes})
    assert answer.status_code == 404
    assert "there are: usa, ussr, all" in answer.text
    assert "<script>" not in answer.text


def test_without_script_steps_and_turns_are_links_with_the_same_eyes(over: Table) -> None:
    first = over.client.get(f"/match/{over.id}/step/0?eyes=ussr").text
    assert f'rel="next" href="/match/{over.id}/step/1?eyes=ussr"' in first
    assert f'href="/match/{over.id}/step/2?eyes=ussr">Next turn</a>' in first
    second = over.client.get(f"/match/{over.id}/step/2?eyes=ussr").text
    assert f'href="/match/{over.id}/step/0?eyes=ussr">Previous turn</a>' in second
    assert "Your hand" in first
    everybody = over.client.get(f"/match/{over.id}/step/0?eyes=all").text
    with store.connected():
        (dealt, *_) = match_log.played(get_match(over.id), -1)
    assert held_in(everybody, dealt.state, 0) and held_in(everybody, dealt.state, 1)


# --- secrecy --------------------------------------------------------------------------------------


@pytest.mark.whole
def test_no_hidden_card_is_named_before_the_end_and_all_are_after_it(
    client: FlaskClient, links: Links
) -> None:
    """Every card has a name that stands nowhere else; Eve reads on while it is played."""
    table, below = Table(client, links, {"deck": canary_deck()}), QuickDice(b"eve").below
    looks = 0
    while table.is_live:
        offered = table.offered()
        table.send(offered[below(len(offered))])
        if below(8) == 0 and table.is_live:
            state = table.state
            hidden = {*state.hands[0], *state.hands[1], *state.reserve, *state.aftermath}
            seen = (
                page(table)
                + page(table, "?turn=0")
                + page(table, "/part/0")
                + client.get(f"/match/{table.id}").text
            )
            for asks in ("?eyes=usa", "?eyes=ussr", "?eyes=all"):
                seen += client.get(path(table, asks)).text
                seen += client.get(f"/match/{table.id}/step/0{asks}").text
            assert not [card for card in hidden if card in seen.lower()]
            looks += 1
    assert looks > 3
    with store.connected():
        (dealt, *_) = match_log.played(get_match(table.id), -1)
    for eyes, hands in (("usa", (0,)), ("ussr", (1,)), ("all", (0, 1))):
        shown = stages(page(table, f"?eyes={eyes}"))[0].lower()
        for side in (0, 1):
            found = [card in shown for card in dealt.state.hands[side]]
            assert found == [side in hands] * len(found)


def test_what_is_said_in_advance_changes_no_byte_and_draws_nothing(table: Table) -> None:
    play(table, 5)
    before = page(table)
    with store.connected():
        for rule in ("use", "never"):
            link_orders.say_in_advance(table.id, 0, f"standing all {rule}", NOW)
    with patch.object(GAME, "draw_table", side_effect=AssertionError):
        assert page(table) == before
    replay.packed_frames.cache_clear()
    assert page(table) == before
