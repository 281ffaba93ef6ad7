"""Acts of moderators: what each does, what players are told, what the log keeps, who may not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.audit import audit as check_file
from engine.chance import QuickDice
from engine.iron_curtain.game import IronCurtain
from pbem.db.store import execute, rows
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused, Stale
from pbem.links import ActLink
from pbem.services.agreements import exposure
from pbem.services.letters.kinds import registry
from pbem.services.match import match_log, matches, turns
from pbem.services.moderation import match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS
from pbem.services.players import accounts
from pbem.services.records import announcements, audit_log
from pbem.services.records.match_rows import CANCELLED, LIVE, OVER, VACANT, get_match, open_turns
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.seats import loans, stand_ins
from pbem.services.time import absences, clocks
from tests.mail.posting import Bag, office_with, queued
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, an_order, id_of, play_to_the_end
from tests.services.waiting import again, hand_over, kinds, newest_letter, open_turn

MO = ModeratorRecord(1, "mo@example.org", "Mo", "moderator", NOW, None, "", "", 0, None, 0)
WHY = "Bob asked for it"
LATER = NOW + HOUR


class Case(NamedTuple):
    """An act with what it needs, and which letters it owes besides those that tell of it."""

    act: str
    params: Params
    letters: list[str]


CASES = [
    Case("pause", Params(), ["away", "away"]),
    Case("extend", Params(seat=1, hours=48), []),
    Case("deadline", Params(seat=1, deadline=NOW + 2 * DAY), []),
    Case("remind", Params(seat=1), ["reminder"]),
    Case("resend", Params(seat=1), ["turn"]),
    Case("revoke", Params(seat=1), ["turn", "you"]),
    Case("replace", Params(seat=1, address=EVE), ["stand_in", "away"]),
    Case("open_seat", Params(seat=1), ["stand_in", "away"]),
    Case("default", Params(seat=1), ["turn", "receipt"]),
    Case("adjudicate", Params(result="usa"), ["finished", "finished"]),
    Case("rewind", Params(entry=0), ["turn", "moved"]),
    Case("new_rules", Params(), ["turn"]),
    Case("cancel", Params(), ["cancelled", "cancelled"]),
]
each_act = pytest.mark.parametrize("case", CASES, ids=lambda case: case.act)


@pytest.fixture
def match(sitting: Sitting) -> str:
    """Dealt; one order was given and the letters are out, so that Bob's clock runs."""
    hand_over(NOW)
    return sitting.match


def ready(match: str, case: Case) -> None:
    """A rewind needs something to take back, and new rules a match that waits for them."""
    if case.act == "new_rules":
        execute("UPDATE match SET adopted_version = 99")
    if case.act == "rewind":
        turns.submit(open_turn(match).id, ["first usa"], NOW)
        hand_over(NOW)


def perform(match: str, act: str, params: Params | None = None, now: int = LATER) -> int:
    return match_acts.perform(MO, match, ACTS[act], params or Params(), WHY, now)


def told(after: int) -> list[dict[str, Any]]:
    """What the letters of an act tell, in order of seats."""
    found = rows(
        "SELECT about, seat, player_id FROM outbox WHERE kind = 'moderated' AND id > ? ORDER BY id",
        after,
    )
    return [msgspec.json.decode(about) | {"seat": seat, "player": p} for about, seat, p in found]


# --- every act ------------------------------------------------------------------------------------


def test_every_act_is_tried_here() -> None:
    assert {case.act for case in CASES} == ACTS.keys() - {"resume"}


@each_act
def test_an_act_is_entered_once_and_told_to_all_in_the_words_read_before(
    match: str, case: Case
) -> None:
    ready(match, case)
    before, entries = newest_letter(), audit_log.head().seq
    foreseen = match_acts.foresee(get_match(match), ACTS[case.act], case.params, LATER)

    number = perform(match, case.act, case.params)

    (entry,) = audit_log.newest(10, subject=f"match {match}")
    assert (entry.seq, entry.actor, entry.act) == (number, MO.address, case.act)
    assert entry.seq == entries + 1
    assert entry.reason == WHY
    assert audit_log.verify() is None
    letters = told(before)
    assert [(one["seat"], one["reason"]) for one in letters] == [(0, WHY), (1, WHY)]
    assert {one["player"] for one in letters} == {id_of(ANN), id_of(BOB)}
    for one in letters:
        assert announcements.unpacked(one["words"]) == foreseen
    assert sorted(kinds(before)) == sorted([*case.letters, "moderated", "moderated"])


@each_act
def test_who_has_a_part_in_the_match_does_nothing_to_it(match: str, case: Case) -> None:
    ready(match, case)
    before, entries = newest_letter(), audit_log.head()
    for address in (ANN, "BOB@example.org", "bob+moderator@example.org"):
        seated = MO._replace(address=address)
        with pytest.raises(Refused, match="you are involved in this match"):
            match_acts.perform(seated, match, ACTS[case.act], case.params, WHY, LATER)

    assert newest_letter() == before
    assert audit_log.head() == entries


@each_act
def test_an_act_needs_a_reason_that_can_be_read(match: str, case: Case) -> None:
    ready(match, case)
    for reason in ("", "  no ", "x" * 501, "be\u202etrayed"):
        with pytest.raises(Refused):
            match_acts.perform(MO, match, ACTS[case.act], case.params, reason, LATER)
        assert audit_log.head().seq == 0, reason


@each_act
def test_an_act_without_what_it_needs_is_refused(match: str, case: Case) -> None:
    ready(match, case)
    for name in ACTS[case.act].takes:
        with pytest.raises(Refused, match=name):
            perform(match, case.act, case.params._replace(**{name: None}))
    if "seat" in ACTS[case.act].takes:
        for seat in (-1, 2, 99):
            with pytest.raises(Refused):
                perform(match, case.act, case.params._replace(seat=seat))
    assert audit_log.head().seq == 0


@each_act
def test_a_match_that_is_over_stays_so(match: str, case: Case) -> None:
    matches.resign(match, 0, NOW)
    with pytest.raises(Refused):
        perform(match, case.act, case.params)
    assert get_match(match).status == OVER


@each_act
def test_what_fails_half_way_leaves_nothing(
    match: str, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the log is full")

    ready(match, case)
    before, record, turn = newest_letter(), get_match(match), open_turn(match)
    monkeypatch.setattr(audit_log, "record", fail)
    with pytest.raises(RuntimeError):
        perform(match, case.act, case.params)

    assert (newest_letter(), get_match(match), open_turn(match)) == (before, record, turn)


def test_each_player_reads_it_in_the_own_language_and_by_the_own_clock(match: str) -> None:
    perform(match, "extend", Params(seat=1, hours=48))
    found = rows(
        "SELECT kind, player_id, match_id, seat, turn, about FROM outbox WHERE kind = 'moderated'"
    )
    links = office_with(Bag()).links
    read = {}
    for kind, player, of, seat, turn, about in found:
        letter = queued(kind, player, of, seat, turn, msgspec.json.decode(about))
        read[player] = " ".join(registry.compose(letter, links, LATER).text.split())

    assert re.search(rf"USSR gets 48 more hours for this turn\..* UTC\. .*{WHY}", read[id_of(ANN)])
    assert re.search(rf"UdSSR .*Europe/Berlin.* {WHY}", read[id_of(BOB)])


# --- clocks ---------------------------------------------------------------------------------------


def test_a_pause_stops_the_clocks_and_its_end_starts_them(match: str) -> None:
    perform(match, "pause")
    assert get_match(match).paused_at == LATER
    assert open_turn(match).since is None
    with pytest.raises(Refused):
        perform(match, "pause")

    before = newest_letter()
    perform(match, "resume", now=LATER + DAY)
    assert get_match(match).paused_at is None
    assert open_turn(match).since == LATER + DAY
    assert len(told(before)) == 2
    assert [entry.act for entry in audit_log.newest(5)] == ["resume", "pause"]
    with pytest.raises(Refused):
        perform(match, "resume", now=LATER + DAY)


def test_a_turn_is_extended_to_the_instant_that_was_said(match: str) -> None:
    turn, record = open_turn(match), get_match(match)
    for now, hours in [(LATER, 5), (turn.deadline_at + 9 * HOUR, 24)]:
        params = Params(seat=1, hours=hours)
        words = match_acts.foresee(record, ACTS["extend"], params, now)
        perform(match, "extend", params, now)
        assert words.params["end"] == announcements.When(again(turn).deadline_at)
    assert again(turn).deadline_at == turn.deadline_at + 33 * HOUR


@pytest.mark.parametrize("hours", [0, -1, 721])
def test_hours_have_bounds(match: str, hours: int) -> None:
    with pytest.raises(Refused):
        perform(match, "extend", Params(seat=1, hours=hours))


def test_a_deadline_that_is_set_charges_the_absence_before_it(match: str) -> None:
    turn = open_turn(match)
    absences.book(id_of(BOB), LATER + DAY, LATER + 9 * DAY, LATER)
    perform(match, "deadline", Params(seat=1, deadline=LATER + 3 * DAY))

    assert (again(turn).absent, again(turn).allowed) == (2 * DAY, DAY)


def test_a_deadline_can_be_set_earlier_and_later_but_not_at_once(match: str) -> None:
    turn = open_turn(match)
    for at in (NOW + 2 * DAY, NOW + 20 * DAY):
        perform(match, "deadline", Params(seat=1, deadline=at))
        assert again(turn).deadline_at == at
        clocks.rereckon_player(id_of(BOB), LATER)
        assert again(turn).deadline_at == at
    for at in (0, NOW, LATER + DAY - 1, NOW + 400 * DAY):
        with pytest.raises(Refused):
            perform(match, "deadline", Params(seat=1, deadline=at))


def test_a_clock_that_stands_still_is_left_alone(sitting: Sitting) -> None:
    for act, params in [
        ("extend", Params(seat=1, hours=2)),
        ("deadline", Params(seat=1, deadline=NOW + 2 * DAY)),
        ("remind", Params(seat=1)),
        ("extend", Params(seat=0, hours=2)),
    ]:
        with pytest.raises(Refused):
            perform(sitting.match, act, params)


# --- links and seats ------------------------------------------------------------------------------


def test_links_that_are_sent_once_more_leave_the_old_ones_alive(match: str) -> None:
    epoch = get_match(match).seat(1).epoch
    perform(match, "resend", Params(seat=1))
    perform(match, "resend", Params(seat=0), LATER + 1)
    assert get_match(match).seat(1).epoch == epoch
    assert rows("SELECT COUNT(*) FROM outbox WHERE kind = 'turn' AND state = 'queued'") == [(1,)]


def test_links_that_are_revoked_are_dead(match: str) -> None:
    epoch = get_match(match).seat(1).epoch
    perform(match, "revoke", Params(seat=1))
    assert get_match(match).seat(1).epoch > epoch
    assert ActLink(match, 1, epoch).epoch != get_match(match).seat(1).epoch


def test_a_replaced_player_has_no_seat_and_the_next_has_to_agree(match: str) -> None:
    epoch = get_match(match).seat(1).epoch
    perform(match, "replace", Params(seat=1, address=EVE))
    seat = get_match(match).seat(1)
    assert (seat.player, seat.status) == (None, VACANT)
    assert seat.epoch > epoch
    loan = loans.pending(match, 1)
    assert loan is not None
    assert (loan.owner, loan.stand_in) == (id_of(BOB), id_of(EVE))

    stand_ins.accept(loan.id, id_of(EVE), LATER + 1)
    assert get_match(match).seat(1).player == id_of(EVE)


def test_who_declines_leaves_the_seat_to_another(match: str) -> None:
    perform(match, "replace", Params(seat=1, address=EVE))
    loan = loans.pending(match, 1)
    assert loan is not None
    before = newest_letter()
    stand_ins.decline(loan.id, id_of(EVE), LATER)
    assert newest_letter() == before

    perform(match, "replace", Params(seat=1, address="dan@example.org"))
    perform(match, "replace", Params(seat=1, address=BOB))
    loan = loans.pending(match, 1)
    assert loan is not None
    stand_ins.accept(loan.id, id_of(BOB), LATER)
    assert get_match(match).seat(1).player == id_of(BOB)


def test_a_lent_seat_can_be_given_to_somebody_else(match: str) -> None:
    loan = stand_ins.lend(match, 1, NOW, NOW + 9 * DAY, EVE, NOW)
    stand_ins.accept(loan, id_of(EVE), NOW)
    perform(match, "replace", Params(seat=1, address="dan@example.org"))
    found = loans.pending(match, 1)
    assert found is not None
    assert (found.owner, found.stand_in) == (id_of(BOB), id_of("dan@example.org"))


def test_nobody_plays_both_sides(match: str) -> None:
    for address in (ANN, BOB):
        with pytest.raises(Refused):
            perform(match, "replace", Params(seat=1, address=address))
    assert get_match(match).seat(1).player == id_of(BOB)


def test_a_seat_is_opened_to_volunteers(match: str) -> None:
    player = accounts.known_or_new(EVE, NOW).id
    accounts.confirm(player, NOW)
    stand_ins.volunteer(player, True, NOW)
    perform(match, "open_seat", Params(seat=1))
    assert get_match(match).seat(1).status == VACANT
    asked = rows("SELECT player_id FROM outbox WHERE kind = 'stand_in'")
    assert {one for (one,) in asked} == {player, id_of(BOB)}
    with pytest.raises(Refused):
        perform(match, "open_seat", Params(seat=1))


# --- the course of the match ----------------------------------------------------------------------


def test_what_is_usual_is_played(match: str) -> None:
    head = get_match(match).head_seq
    perform(match, "default", Params(seat=1))
    log = match_log.entries(match, head + 1)
    assert {entry.kind for entry in log} == {"timeout"}
    assert 1 not in [turn.seat for turn in open_turns(match) if turn.opened_seq <= head]
    assert get_match(match).seat(1).missed == 1


def test_a_match_is_called_off(match: str) -> None:
    perform(match, "cancel")
    assert get_match(match).status == CANCELLED
    assert open_turns(match) == []


@pytest.mark.parametrize("result", ["usa", "ussr", "draw"])
def test_a_result_that_was_decided_ends_a_match_whose_file_can_be_checked(
    match: str, result: str
) -> None:
    choice = QuickDice(b"decided")
    for step in range(6):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + step)
    perform(match, "adjudicate", Params(result=result))
    record = get_match(match)
    assert (record.status, record.result) == (OVER, result)
    assert open_turns(match) == []
    file = match_log.export(record)
    assert file.result == result
    assert check_file(file)[-1].entry.text == f"result {result}"


def test_only_a_seat_can_win(match: str) -> None:
    for result in ("", "nobody", "usa ussr"):
        with pytest.raises(Refused):
            perform(match, "adjudicate", Params(result=result))


def test_a_match_that_was_taken_back_goes_on_and_can_be_checked(match: str) -> None:
    choice = QuickDice(b"taken back")
    for step in range(8):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + step)
    record = get_match(match)
    then = match_log.state_at(record, 3)
    perform(match, "rewind", Params(entry=3))
    record = get_match(match)
    assert match_log.current(record) == then
    assert record.timeline == 1
    play_to_the_end(match, LATER)
    assert check_file(match_log.export(get_match(match)))


def test_only_entries_that_are_there_can_be_gone_back_to(match: str) -> None:
    turns.submit(open_turn(match).id, ["first usa"], NOW)
    for entry in (-1, 1, 2, 99):
        with pytest.raises(Refused):
            perform(match, "rewind", Params(entry=entry))
    assert get_match(match).status == LIVE


def test_a_match_whose_secret_is_open_is_not_taken_back(match: str) -> None:
    play_to_the_end(match, NOW)
    with pytest.raises(Refused):
        perform(match, "rewind", Params(entry=3))


WAYS_BACK: dict[str, Callable[[str, int], object]] = {
    "foreseen": lambda match, to: match_acts.foresee(
        get_match(match), ACTS["rewind"], Params(entry=to), NOW
    ),
    "exposed": lambda match, to: exposure.of_rewind(get_match(match), to, NOW),
    "performed": lambda match, to: perform(match, "rewind", Params(entry=to)),
    "done": lambda match, to: turns.rewind(match, to, turns.MODERATOR, NOW),
}


@pytest.mark.parametrize("way", WAYS_BACK)
def test_one_rule_says_whether_a_match_can_be_taken_back(match: str, way: str) -> None:
    for entry in (-1, get_match(match).head_seq):
        with pytest.raises(Refused, match=f"there is no entry {entry} to go back to"):
            WAYS_BACK[way](match, entry)
    matches.cancel(match, turns.MODERATOR, NOW)
    with pytest.raises(Stale, match="only a match in progress can be taken back"):
        WAYS_BACK[way](match, 0)


@pytest.mark.parametrize("way", WAYS_BACK)
def test_no_way_leads_back_once_the_secret_is_open(match: str, way: str) -> None:
    turns.submit(open_turn(match).id, ["first usa"], NOW)
    perform(match, "adjudicate", Params(result="draw"))
    with pytest.raises(Stale, match="its secret is published"):
        WAYS_BACK[way](match, 0)


# --- what a rewind leaves behind ------------------------------------------------------------------


def test_exposure_counts_what_was_learnt_and_names_nothing(match: str) -> None:
    choice, record = QuickDice(b"exposed"), get_match(match)
    turns.give_any_time(match, 0, "standing poland use", NOW)
    while get_match(match).head_seq < 25:
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW)
    found = exposure.of_rewind(get_match(match), 0, NOW)

    told_to = {one.seat: one for one in found.learnt}
    told_alone = told_to[record.seat(0).name].told
    assert "Auto-answer for {card}: {rule}." in [one.text.msgid for one in told_alone]
    assert {value for one in told_alone for value in one.text.params.values()} == {"…"}
    assert found.open_cards
    assert "poland" not in repr(found).lower()
    assert [one.seat for one in found.ends] == [record.seat(open_turn(match).seat).name]
    assert [one.seat for one in found.begins] == ["ussr"]


def test_a_rewind_of_nothing_that_was_hidden_exposes_nothing(match: str) -> None:
    turns.submit(open_turn(match).id, ["first usa"], NOW)
    found = exposure.of_rewind(get_match(match), 0, NOW)
    assert [(one.cards, one.told) for one in found.learnt] == [(0, ()), (0, ())]
    assert found.thrown == ()


def test_dice_that_fell_are_counted(match: str) -> None:
    record = get_match(match)
    whole = match_log.entries(record.id)
    assert exposure.thrown_in(whole) == (
        exposure.Thrown(True, len(IronCurtain().deck(match_log.state_at(record, 0))), 1),
    )
