"""Acts of moderators on matches of two, three and four: what all are told, and that it goes on.

What each act does stands in test_match_acts; here it is done where seats are more than two, one
person holds several powers, and questions and alliances count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from unittest.mock import patch

import msgspec
import pytest

from pbem.db.store import execute, rows
from pbem.deadlines import DAY, HOUR
from pbem.services.agreements import exposure
from pbem.services.letters import briefed
from pbem.services.letters.kinds import registry
from pbem.services.match import link_orders, matches, turns
from pbem.services.moderation import break_glass, match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS
from pbem.services.operations import machine_players
from pbem.services.records import alliances, audit_log
from pbem.services.records.match_rows import (
    CANCELLED,
    LIVE,
    OVER,
    VACANT,
    get_match,
    open_turns,
)
from pbem.services.records.moderator_rows import ModeratorRecord
from tests.mail.posting import Bag, office_with, queued
from tests.services.people import NOW, turn_of
from tests.services.powers import UK, USSR, WE, four_people, people_at_powers
from tests.services.waiting import hand_over, newest_letter

MO = ModeratorRecord(1, "mo@example.org", "Mo", "moderator", NOW, None, "", "", 0, None, 0)
WHY = "Bob asked for it"
LATER = NOW + HOUR
ATTACK = "move east-germany west-germany 4 infantry 2 armor"
LANGUAGES = ("en", "de", "fr", "en")
WINNERS = {
    2: ("NATO", "NATO", "OTAN"),
    3: (
        "Western Europe and United Kingdom and USA",
        "Westeuropa und Großbritannien und USA",
        "Europe de l'Ouest et Royaume-Uni et États-Unis",
    ),
    4: (
        "Western Europe, United Kingdom, and USA",
        "Westeuropa, Großbritannien und USA",
        "Europe de l'Ouest, Royaume-Uni et États-Unis",
    ),
}
"""NATO as three languages name those who win together, by the number of people."""


class Case(NamedTuple):
    """An act on the USSR, whose turn it is, and the words that tell of it in three languages."""

    act: str
    params: Params
    words: tuple[str, str, str]


CASES = [
    Case("pause", Params(), ("is paused", "macht Pause", "en pause")),
    Case("extend", Params(seat=0, hours=48), ("USSR gets 48 more hours", "UdSSR", "URSS")),
    Case("deadline", Params(seat=0, deadline=NOW + 2 * DAY), ("turn of USSR", "UdSSR", "URSS")),
    Case("remind", Params(seat=0), ("USSR gets a reminder", "UdSSR", "URSS")),
    Case("resend", Params(seat=0), ("USSR gets the links", "UdSSR", "URSS")),
    Case("revoke", Params(seat=0), ("player of USSR", "UdSSR", "URSS")),
    Case("replace", Params(seat=0, address="eve@example.org"), ("player of USSR", "UdSSR", "URSS")),
    Case("open_seat", Params(seat=0), ("The USSR seat is open", "UdSSR", "URSS")),
    Case("default", Params(seat=0), ("move is played for USSR", "UdSSR", "URSS")),
    Case("adjudicate", Params(result="ussr"), ("victory for USSR", "Sieg für UdSSR", "URSS")),
    Case("rewind", Params(entry=0), ("turn of USSR", "UdSSR", "URSS")),
    Case("new_rules", Params(), ("turn of USSR", "UdSSR", "URSS")),
    Case("cancel", Params(), ("is called off", "abgesagt", "annulée")),
]
each_act = pytest.mark.parametrize("case", CASES, ids=lambda case: case.act)


@pytest.fixture(autouse=True)
def no_pictures() -> Iterator[None]:
    """Letters are read here, not looked at."""
    with patch.object(briefed, "picture", lambda *_: None):
        yield


@pytest.fixture(params=[2, 3, 4])
def match(stored: str, request: pytest.FixtureRequest) -> str:
    """So many people, each with another language; the clock of the USSR runs."""
    made = people_at_powers(request.param, languages=LANGUAGES)
    hand_over(NOW)
    return made


def ready(match: str, act: str) -> None:
    if act == "new_rules":
        execute("UPDATE match SET adopted_version = 99")
    if act == "rewind":
        turns.submit(turn_of(match).id, ["done"], NOW)
        hand_over(NOW)


def perform(match: str, act: str, params: Params | None = None, now: int = LATER) -> int:
    return match_acts.perform(MO, match, ACTS[act], params or Params(), WHY, now)


class Letter(NamedTuple):
    kind: str
    seat: int | None
    text: str


def letters(after: int) -> list[Letter]:
    """All letters owed since, as their readers read them."""
    found = rows(
        "SELECT kind, player_id, match_id, seat, turn, about FROM outbox WHERE id > ? ORDER BY id",
        after,
    )
    links = office_with(Bag()).links
    return [
        Letter(
            kind,
            seat,
            " ".join(
                registry.compose(
                    queued(kind, player, of, seat, turn, msgspec.json.decode(about)), links, LATER
                ).text.split()
            ),
        )
        for kind, player, of, seat, turn, about in found
    ]


def goes_on(match: str) -> None:
    """Whoever is asked plays, by hand or as a machine, until somebody else is."""
    seat = turn_of(match).seat
    for _ in range(20):
        turn = turn_of(match)
        if turn.seat != seat:
            return
        turns.advance(get_match(match), turn.seat, ["done"], LATER)
    raise AssertionError("the same seat is asked for ever")


def test_every_act_is_tried_here() -> None:
    assert {case.act for case in CASES} == ACTS.keys() - {"resume"}


@each_act
def test_all_are_told_in_their_language_and_the_match_goes_on(match: str, case: Case) -> None:
    ready(match, case.act)
    before = newest_letter()

    number = perform(match, case.act, case.params)

    assert audit_log.newest(1)[0].seq == number
    owed = letters(before)
    record = get_match(match)
    told = [one for one in owed if one.kind == "moderated"]
    assert [one.seat for one in told] == [seat.number for seat in record.seats]
    for one, language in zip(told, LANGUAGES, strict=False):
        assert case.words[("en", "de", "fr").index(language)] in one.text
        assert WHY in one.text
    if case.act in ("cancel", "adjudicate"):
        assert record.status == {"cancel": CANCELLED, "adjudicate": OVER}[case.act]
        assert open_turns(match) == []
        return
    if case.act == "pause":
        perform(match, "resume", now=LATER + HOUR)
    goes_on(match)


def test_allies_win_together(match: str) -> None:
    record = get_match(match)
    before = newest_letter()
    perform(match, "adjudicate", Params(result=record.seats[-1].name))
    west = [seat.name for seat in record.seats[1:]]
    assert get_match(match).result == " ".join(west)
    winners = WINNERS[len(record.seats)]
    owed = letters(before)
    for one, language in zip([o for o in owed if o.kind == "moderated"], LANGUAGES, strict=False):
        named = winners[("en", "de", "fr").index(language)]
        assert re.search(rf"(victory for|Sieg für|victoire pour) {named}\.", one.text)
    ends = [one for one in owed if one.kind == "finished"]
    assert "The match is over: Bob (" in ends[0].text and " won." in ends[0].text
    assert alliances.parties(record) == [("ussr",), tuple(west)]


def test_what_a_rewind_cannot_undo_is_said_for_every_seat(match: str) -> None:
    for orders in (["done"], ["done"]):
        turns.submit(turn_of(match).id, orders, NOW)
    report = exposure.of_rewind(get_match(match), 0, LATER)
    assert [learnt.seat for learnt in report.learnt] == [s.name for s in get_match(match).seats]
    assert report.open_cards is None
    assert [one.seat for one in report.begins] == ["ussr"]


def test_dice_of_a_battle_are_among_what_is_thrown_again(stored: str) -> None:
    match = four_people()
    for orders in (
        ["done"],
        ["done"],
        ["move east-germany west-germany 4 infantry 2 armor", "done"],
    ):
        turns.submit(turn_of(match).id, orders, NOW)
    report = exposure.of_rewind(get_match(match), 0, LATER)
    assert any(one.size == 6 and one.times > 0 for one in report.thrown)
    perform(match, "rewind", Params(entry=0))
    assert turn_of(match).seat == USSR
    goes_on(match)


def test_a_question_can_be_taken_back_and_given_time(stored: str) -> None:
    """Western Europe is asked in the turn of the USSR: its clock can be moved like any other."""
    with (
        patch("secrets.token_bytes", lambda size: bytes(size)),
        patch.object(matches, "new_id", lambda: "asking"),
    ):
        match = four_people()
    link_orders.say_in_advance(match, WE, "standing ask west-germany on", NOW)
    for orders in (
        ["done"],
        ["done"],
        ["move east-germany west-germany 4 infantry 2 armor", "done"],
    ):
        turns.submit(turn_of(match).id, orders, NOW)
    hand_over(NOW)
    turn = turn_of(match)
    assert (turn.seat, turn.is_inquiry) == (WE, True)
    perform(match, "extend", Params(seat=WE, hours=24))
    assert turn_of(match).deadline_at == turn.deadline_at + DAY
    perform(match, "default", Params(seat=WE))
    assert turn_of(match).seat == USSR
    perform(match, "rewind", Params(entry=1))
    assert (turn_of(match).seat, turn_of(match).is_inquiry) == (USSR, False)


def test_the_glass_shows_every_seat_and_all_are_told(match: str) -> None:
    before = newest_letter()
    opened = break_glass.look(MO, match, WHY, LATER)
    seats = get_match(match).seats
    assert [hand.seat for hand in opened.hands] == [seat.name for seat in seats]
    assert opened.deck == ()
    assert len([one for one in letters(before) if one.kind == "moderated"]) == len(seats)
    goes_on(match)


def test_a_replaced_player_of_four_leaves_the_seat_to_who_was_asked(stored: str) -> None:
    match = four_people(languages=LANGUAGES)
    hand_over(NOW)
    perform(match, "replace", Params(seat=UK, address="eve@example.org"))
    assert (get_match(match).status, get_match(match).seat(UK).status) == (LIVE, VACANT)
    goes_on(match)
    goes_on(match)
    assert turn_of(match).seat == UK
    assert machine_players.play_all(lambda: LATER) == 0, "nobody has agreed that a machine plays"
