"""Guests: a match against the computer without an address, kept by mail or deserted."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from engine.core import Seat
from engine.registry import GAMES
from pbem.db.store import execute, rows, writing
from pbem.errors import Refused, Stale, TooOften
from pbem.links import JoinLink, Links
from pbem.services.letters import outbox
from pbem.services.match import drafts, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.operations import machine_players, sweeping
from pbem.services.players import accounts, punctuality
from pbem.services.players.limits import Asker
from pbem.services.records.match_rows import (
    CANCELLED,
    GUEST,
    JOINED,
    LIVE,
    MACHINE,
    find_match,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import guests, requests
from pbem.services.self_service.guests import PATIENCE, Trial
from pbem.services.time import stalled_turns
from tests.kit.quartet import Quartet
from tests.mail.posting import KEYS, WORKER, Bag, office_with, text_of
from tests.services.people import ANN, ASKER, BOB, NOW, id_of, sit_down
from tests.services.waiting import Days, hand_over, kinds

CARDS = "iron_curtain"
SAYS = Joining("Ann", "en", "UTC", "")


def begun(seat: str = "ussr", strength: str = "easy", game: str = CARDS, now: int = NOW) -> str:
    return guests.start(Trial(game, {}, seat, strength), ASKER, now)


def play(now: int = NOW) -> int:
    return machine_players.play_all(lambda: now)


def move(match: str, now: int = NOW) -> None:
    """The guest lets the usual order be played until the computer is asked."""
    while (turn := guests.open_turn(get_match(match))) is not None:
        record = get_match(match)
        state = match_log.current(record)
        action = record.game.default_action(state, record.seat(turn.seat).name)
        turns.submit(turn.id, [record.game.notate(action)], now)


def left_address(match: str, mail: str = ANN, now: int = NOW) -> None:
    requests.ask_to_keep(match, mail, "en", ASKER, now)
    requests.answer_all(now)


# --- at once --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [CARDS, "east_and_west"])
def test_a_match_begins_at_once_and_nobody_is_written_to(stored: str, game: str) -> None:
    strength = "hard" if game == CARDS else ""
    match = get_match(begun(game=game, strength=strength))
    assert match.status == LIVE
    assert {seat.name: seat.status for seat in match.seats} == {
        seat: GUEST if seat == "ussr" else MACHINE for seat in GAMES[game].seats({})
    }
    assert (match.strength, match.has_remarks, match.listed) == (strength, True, False)
    assert rows("SELECT COUNT(*) FROM player") == [(0,)]
    assert rows("SELECT COUNT(*) FROM outbox") == [(0,)]


def test_a_whole_match_makes_no_letter_and_no_player(stored: str) -> None:
    match = begun()
    while get_match(match).status == LIVE:
        move(match)
        play()
    assert get_match(match).result
    assert rows("SELECT COUNT(*) FROM player") == [(0,)]
    assert rows("SELECT COUNT(*) FROM outbox") == [(0,)]


def test_without_a_word_about_it_the_side_is_drawn(stored: str) -> None:
    with patch("secrets.choice", lambda seats: "usa" if "usa" in seats else seats[0]):
        match = get_match(begun(seat=""))
    seat = guests.seat_of(match)
    assert seat is not None and seat.name == "usa"


def test_no_clock_runs_for_a_guest(stored: str) -> None:
    match = begun()
    (turn,) = open_turns(match)
    drafts.compose(get_match(match), turn, ["first usa"], None, NOW)
    assert stalled_turns.idle() == [] and stalled_turns.mend(NOW) == 0
    (turn,) = open_turns(match)
    assert (turn.started_at, turn.since) == (None, None)
    Days(NOW).passes(6 * 86_400, step=86_400)
    assert get_match(match).status == LIVE
    assert len(open_turns(match)) == 1


def test_the_clock_of_the_computer_runs(stored: str) -> None:
    match = begun(seat="usa")
    (turn,) = open_turns(match)
    assert turn.started_at == NOW


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        (Trial("chess", {}), "there is no game “chess”"),
        (Trial(CARDS, {}, "china"), "there is no seat “china”; choose from usa, ussr"),
        (Trial(CARDS, {}, "usa", "godlike"), "choose from easy, medium, hard"),
        (Trial("quartet", {}), "cannot play this game"),
    ],
)
def test_what_cannot_be_tried(
    stored: str, monkeypatch: pytest.MonkeyPatch, trial: Trial, message: str
) -> None:
    monkeypatch.setitem(GAMES, "quartet", Quartet())
    with pytest.raises(Refused, match=message):
        guests.start(trial, ASKER, NOW)
    assert rows("SELECT COUNT(*) FROM match") == [(0,)]


def test_a_network_starts_so_many_and_others_are_free(stored: str) -> None:
    for _ in range(20):
        begun()
    with pytest.raises(TooOften):
        begun()
    guests.start(Trial(CARDS, {}), Asker("another network", 0), NOW)


def test_there_is_an_end_to_how_many_play_at_once(stored: str) -> None:
    with patch.object(guests, "MOST_AT_ONCE", 1):
        begun()
        with pytest.raises(TooOften, match="too many people"):
            begun()
    assert rows("SELECT COUNT(*) FROM match") == [(1,)]


# --- kept -----------------------------------------------------------------------------------------


def kept(match: str, now: int = NOW) -> int:
    """Ann leaves her address and presses; her id."""
    left_address(match, now=now)
    guests.keep(match, _seat(match), id_of(ANN), SAYS, now)
    return id_of(ANN)


def _seat(match: str) -> int:
    seat = guests.seat_of(get_match(match))
    assert seat is not None
    return seat.number


def test_an_address_gets_a_letter_with_a_link_and_nothing_of_the_seat(stored: str) -> None:
    match = begun()
    left_address(match)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    (letter,) = bag.letters
    assert letter["Subject"] == "Go on with your match of Iron Curtain by email"
    text = text_of(letter)
    (token,) = [word.rpartition("/")[2] for word in text.split() if "/go-on/" in word]
    assert Links(KEYS, "").read("kept", token) == JoinLink(
        match, 1, id_of(ANN), get_match(match).seat(1).epoch, get_player(id_of(ANN)).epoch
    )
    assert "/t/" not in text and "/guest/" not in text and "/seat/" not in text
    hand = GAMES[CARDS].view(match_log.current(get_match(match)), Seat("ussr")).hand
    assert not [card for card in hand if card.replace("_", " ") in text.lower()]


def test_a_kept_match_goes_on_by_mail_like_any_other(stored: str) -> None:
    match = begun()
    (turn,) = open_turns(match)
    drafts.compose(get_match(match), turn, ["first usa"], None, NOW)
    before = get_match(match).seat(1).epoch
    ann = kept(match, NOW + 5)

    seat = get_match(match).seat(1)
    assert (seat.player, seat.status) == (ann, JOINED)
    assert seat.epoch > before, "links of the guest are dead"
    assert drafts.draft_of(turn.id) == ("first usa",)
    assert get_player(ann).confirmed_at == NOW + 5
    assert kinds() == ["keep_match", "turn"]
    hand_over(NOW + 6)
    (turn,) = open_turns(match)
    assert turn.started_at == NOW + 6
    turns.submit(turn.id, ["first usa"], NOW + 7)
    play(NOW + 8)
    assert kinds()[-1] == "turn"
    assert guests.end_deserted(NOW + 3 * PATIENCE) == 0


def test_who_is_kept_out_gets_no_letter(stored: str) -> None:
    match = begun()
    with writing():
        accounts.known_or_new(BOB, NOW)
        execute("UPDATE player SET banned_at = ? WHERE address = ?", NOW, BOB)
    left_address(match, BOB)
    assert kinds() == []


def test_an_address_gets_three_letters_about_a_match_and_no_more(stored: str) -> None:
    match = begun()
    for second in range(5):
        left_address(match, now=NOW + second)
    assert kinds() == ["keep_match"] * 3


def test_a_match_is_kept_once(stored: str) -> None:
    match = begun()
    kept(match)
    left_address(match, BOB)
    assert kinds().count("keep_match") == 1
    with pytest.raises(Stale):
        guests.keep(match, 1, id_of(ANN), SAYS, NOW)


def test_a_guests_turns_say_nothing_about_who_keeps_the_match(stored: str) -> None:
    match = begun()
    for _ in range(4):
        move(match)
        play()
    ann = kept(match)
    assert punctuality.of([ann], NOW) == {}


# --- deserted -------------------------------------------------------------------------------------


def test_a_match_ends_a_week_after_the_last_order(stored: str) -> None:
    match, other = begun(), begun()
    move(other, NOW + 60)
    assert guests.ends_at(get_match(match)) == NOW + PATIENCE
    assert guests.end_deserted(NOW + PATIENCE - 1) == 0
    assert guests.end_deserted(NOW + PATIENCE) == 1
    assert get_match(match).status == CANCELLED
    assert open_turns(match) == []
    assert get_match(other).status == LIVE
    assert guests.end_deserted(NOW + PATIENCE + 60) == 1
    assert kinds() == []
    with pytest.raises(Stale):
        guests.keep(match, 1, 1, SAYS, NOW + PATIENCE)


def test_what_is_deserted_is_dropped_a_month_later_and_nothing_else(stored: str) -> None:
    deserted, played, mine = begun(), begun(), sit_down(NOW).match
    (turn,) = open_turns(deserted)
    drafts.compose(get_match(deserted), turn, ["first usa"], None, NOW)
    left_address(deserted)
    while get_match(played).status == LIVE:
        move(played)
        play()
    guests.end_deserted(NOW + PATIENCE)
    ended = NOW + PATIENCE
    sweeping.sweep(ended + sweeping.KEEP_DESERTED - 1)
    assert find_match(deserted) is not None
    sweeping.sweep(ended + sweeping.KEEP_DESERTED)
    assert find_match(deserted) is None
    assert find_match(played) is not None and find_match(mine) is not None
    for table in ("seat", "entry", "snapshot", "turn", "outbox"):
        assert rows(f"SELECT COUNT(*) FROM {table} WHERE match_id = ?", deserted) == [(0,)]
    assert rows("SELECT COUNT(*) FROM draft") == [(0,)]


def test_one_that_cannot_be_ended_stops_no_other(
    stored: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = sorted([begun(), begun()])
    real = matches.cancel

    def cancel(match: str, *more: Any) -> None:
        if match == bad:
            raise RuntimeError("a secret")
        real(match, *more)

    with patch.object(matches, "cancel", cancel):
        assert guests.end_deserted(NOW + PATIENCE) == 1
    assert (get_match(bad).status, get_match(good).status) == (LIVE, CANCELLED)
    assert bad in caplog.text and "a secret" not in caplog.text


def test_remarks_can_be_stopped(stored: str) -> None:
    match = begun()
    guests.stop_remarks(match)
    assert not get_match(match).has_remarks
