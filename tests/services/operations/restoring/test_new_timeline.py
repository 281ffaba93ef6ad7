"""A new timeline: nothing of the lost future counts, all that was owed comes once, nobody pays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pbem
from engine.audit import audit
from engine.chance import QuickDice, commitment
from engine.replay import AuditError, read_match, write_match
from pbem import return_addresses, server_timeline
from pbem.db.store import execute, row, rows
from pbem.errors import LostLink, Refused
from pbem.links import Links, YouLink
from pbem.services.agreements import takebacks
from pbem.services.inbox import arrivals
from pbem.services.letters import outbox
from pbem.services.match import joining, match_log, matches, move_rows, new_rules, turns
from pbem.services.operations import replay_check
from pbem.services.operations.restoring import new_timeline
from pbem.services.operations.ticking import Ticker
from pbem.services.players import staff_alerts
from pbem.services.players.process_settings import settings
from pbem.services.records import audit_log, restorations
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from pbem.services.staff import logins, moderators
from pbem.services.time import heartbeat
from tests.mail.posting import BASE_URL, KEYS, WORKER, Bag, office_with
from tests.services.moderator_kit import MO, stranger, with_password
from tests.services.people import (
    ANN,
    BOB,
    DAY,
    NOW,
    Sitting,
    an_order,
    compose,
    id_of,
    letters,
    play_to_the_end,
    turn_of,
    wanted,
)
from tests.services.powers import four_people

VERIFIER = Path(pbem.__file__).parent / "static" / "verify_match.py"
LATER = NOW + 5 * DAY


def play(match: str, number: int, seed: bytes = b"play", at: int = NOW) -> None:
    choice = QuickDice(seed)
    for step in range(number):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], at + step)


def begin(now: int = LATER) -> new_timeline.Begun:
    return new_timeline.begin({"file": "copy"}, now)


def posted(bag: Bag, now: int) -> None:
    outbox.drain(office_with(bag), WORKER, now, stopwatch=lambda: 0.0)


# --- the match ------------------------------------------------------------------------------------


def test_a_match_goes_on_with_another_secret_and_fresh_turns(sitting: Sitting) -> None:
    play(sitting.match, 12)
    before, old = get_match(sitting.match), turn_of(sitting.match)
    begin()
    after, turn = get_match(sitting.match), turn_of(sitting.match)
    (entry,) = match_log.entries(sitting.match, 13)

    assert (entry.kind, entry.actor) == ("restore", "moderator")
    assert entry.text == commitment(after.id, bytes.fromhex(after.secret))
    assert after.secret != before.secret and after.commitment == before.commitment
    assert after.secret_at(12) == before.secret and after.secret_at(13) == after.secret
    assert after.timeline == before.timeline + 1
    assert match_log.current(after) == match_log.state_at(before, 12)
    assert turn.seat == old.seat and turn.started_at is None and turn.budget == old.budget


@pytest.mark.parametrize("game", ["iron_curtain", "east_and_west"])
@pytest.mark.whole
def test_the_file_of_a_restored_match_verifies_to_its_end(
    stored: str, game: str, tmp_path: Path
) -> None:
    match = two_of(game)
    play(match, 6)
    begin()
    play(match, 4, at=LATER)
    turns.rewind(match, 3, "moderator", LATER)
    begin(LATER + DAY)
    play(match, 4, at=LATER + DAY)
    matches.resign(match, 0, LATER + DAY)
    file = match_log.export(get_match(match))
    data = write_match(file)
    (tmp_path / "match.json").write_bytes(data)
    command = [sys.executable, str(VERIFIER), str(tmp_path / "match.json")]
    done = subprocess.run(command, capture_output=True, text=True)

    assert len(file.later_secrets) == 2
    assert audit(read_match(data))[-1].timeline == 3
    assert done.returncode == 0 and done.stdout.count("restored, timeline") == 2, done.stdout
    assert replay_check.is_same(get_match(match))


def two_of(game: str) -> str:
    """A match of a game that has begun; some of its dice or cards come from chance."""
    if game == "east_and_west":
        return four_people(NOW)
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(match, 1, id_of(BOB), joining.Joining("Bob", "en", "UTC", ""), NOW)
    return match


@pytest.mark.parametrize("forgery", ["none", "wrong", "swapped", "too many", "commitment"])
def test_a_file_with_a_forged_later_secret_does_not_verify(
    sitting: Sitting, tmp_path: Path, forgery: str
) -> None:
    begin()
    begin(LATER + 60)
    matches.resign(sitting.match, 0, LATER + 90)
    file = write_match(match_log.export(get_match(sitting.match))).decode()
    first, second = match_log.export(get_match(sitting.match)).later_secrets
    (entry,) = match_log.entries(sitting.match, 1, 1)
    forged = {
        "none": file.replace(f'"{first}",', ""),
        "wrong": file.replace(first, "00" * 32),
        "swapped": file.replace(first, "x").replace(second, first).replace('"x"', f'"{second}"'),
        "too many": file.replace(f'"{first}",', f'"{first}", "{first}",'),
        "commitment": file.replace(entry.text, "00" * 32),
    }[forgery]
    assert forged != file
    (tmp_path / "match.json").write_text(forged)
    command = [sys.executable, str(VERIFIER), str(tmp_path / "match.json")]

    with pytest.raises(AuditError):
        audit(read_match(forged.encode()))
    assert subprocess.run(command, capture_output=True).returncode == 1


@pytest.mark.whole
def test_dice_of_the_lost_future_do_not_come_again(stored: str) -> None:
    """Even for who knows the secret, as when the match was over in the lost future."""
    match = four_people(NOW)
    lost = match_log.LiveDice(get_match(match), 7).roll(6, 40, "battle")
    first = begin()
    seen = {lost, match_log.LiveDice(get_match(match), 7).roll(6, 40, "battle")}
    second = begin(LATER)
    seen.add(match_log.LiveDice(get_match(match), 7).roll(6, 40, "battle"))

    assert len(seen) == 3
    assert first.mark != second.mark


def test_a_match_that_waits_for_players_is_dealt_otherwise(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    before = get_match(match)
    begin()
    after = get_match(match)

    assert after.secret != before.secret
    assert after.commitment == commitment(match, bytes.fromhex(after.secret))
    assert after.earlier_secrets == ()
    assert letters(match)[-2:] == [("restored", id_of(ANN), 0), ("invitation", id_of(BOB), 1)]


def test_numbers_of_turns_never_come_again(sitting: Sitting) -> None:
    play(sitting.match, 5)
    begin()
    first = turn_of(sitting.match).id
    play(sitting.match, 5, at=LATER)
    numbers = [number for (number,) in rows("SELECT id FROM turn WHERE id > 100 ORDER BY id")]
    begin(LATER + 60)

    assert first == numbers[0] == LATER + 1
    assert numbers == list(range(first, first + len(numbers)))
    assert turn_of(sitting.match).id == LATER + 61


def test_nothing_is_taken_back_from_before_it(sitting: Sitting) -> None:
    """Nor does anybody fail to look: the seat page asks for it."""
    seat = turn_of(sitting.match).seat
    while turn_of(sitting.match).seat == seat:
        play(sitting.match, 1)
    assert takebacks.target(get_match(sitting.match), seat) is not None
    begin()
    for number in (0, 1):
        assert takebacks.target(get_match(sitting.match), number) is None
    seat, since = turn_of(sitting.match).seat, get_match(sitting.match).head_seq
    while turn_of(sitting.match).seat == seat:
        play(sitting.match, 1, at=LATER)
    assert takebacks.target(get_match(sitting.match), seat) == since


def test_what_was_composed_is_not_lost(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    compose(turn.id, ["first usa"], NOW)
    begin()
    new = turn_of(sitting.match)

    assert new.id != turn.id and new.has_draft
    assert move_rows.draft_of(new.id) == ("first usa",)


def test_a_match_whose_rules_have_changed_waits_as_before(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = get_match(sitting.match).game
    monkeypatch.setattr(type(game), "rules_version", game.rules_version + 1)
    new_rules.hold_waiting(NOW)
    old = turn_of(sitting.match).id
    begin()
    assert turn_of(sitting.match).id == old
    new_rules.go_on(get_match(sitting.match), LATER)

    assert turn_of(sitting.match).id != old
    assert [entry.kind for entry in match_log.entries(sitting.match, 1)] == ["restore", "rules"]


def test_a_match_that_is_over_stays_as_it_is(sitting: Sitting) -> None:
    play_to_the_end(sitting.match, NOW)
    before = get_match(sitting.match)
    owed = len(letters(sitting.match))
    assert begin().matches == 0
    assert match_log.export(get_match(sitting.match)).head == before.head
    assert len(letters(sitting.match)) == owed


# --- links, addresses, doors ----------------------------------------------------------------------


def test_links_and_addresses_of_any_other_timeline_are_dead(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "mail_domain", "play.example")
    links, link = Links(KEYS, BASE_URL), YouLink(1, NOW)
    turn, seat = turn_of(sitting.match), get_match(sitting.match).seat(1)
    sent, known = [links.sign("you", link)], list[str]()
    for now in (LATER, LATER, LATER + 60):
        bounce, reply = (
            return_addresses.of_letter(1),
            return_addresses.of_turn(turn.id, sitting.match, 1, seat.epoch),
        )
        known += [f"{bounce}@play.example", f"{reply}@play.example"]
        assert links.read("you", sent[-1]) == link
        assert arrivals.is_known(known[-1]) and arrivals.is_known(known[-2])
        begin(now)
        for token in sent:
            with pytest.raises(LostLink, match="restored from a backup"):
                links.read("you", token)
        assert not any(map(arrivals.is_known, known))
        sent.append(links.sign("you", link))
        turn, seat = turn_of(sitting.match), get_match(sitting.match).seat(1)
    assert len(set(sent)) == 4


def test_a_forged_mark_makes_no_link_of_ours(sitting: Sitting) -> None:
    """What nobody has signed is no link at all, restored or not."""
    begin()
    links = Links(KEYS, BASE_URL)
    stranger_links = Links(("x" * 40,), BASE_URL)
    assert links.read("you", stranger_links.sign("you", YouLink(1, NOW))) is None


def test_moderators_log_in_anew_and_no_code_is_good_twice(stored: str) -> None:
    mo = with_password()
    code = mo.typed(LATER)
    assert logins.by_password(stranger(), MO, code, LATER)
    execute("UPDATE moderator SET totp_step = 0")  # as the backup has it
    begin(LATER)

    assert row("SELECT COUNT(*) FROM admin_session") == (0,)
    with pytest.raises(Refused, match="login failed"):
        logins.by_password(stranger(), MO, mo.typed(LATER), LATER)
    assert logins.by_password(stranger(), MO, mo.typed(LATER + 90), LATER + 90)


def test_who_has_not_set_up_gets_another_link(stored: str) -> None:
    old = moderators.add("sue@example.org", moderators.MODERATOR, "Sue", NOW)
    begin()
    assert moderators.to_set_up(old, LATER) is None
    owed = rows("SELECT kind FROM outbox WHERE dedupe LIKE '%setup%'")
    assert owed == [("moderator",), ("moderator",)]


# --- letters --------------------------------------------------------------------------------------


def test_every_seat_is_told_once_however_often_the_server_goes_back(sitting: Sitting) -> None:
    bag = Bag()
    play(sitting.match, 3)
    posted(bag, NOW + 60)
    begin()
    begin(LATER + 10)
    start = len(bag.parcels)
    for now in (LATER + 20, LATER + 3_600):
        posted(bag, now)
    kinds = sorted((str(one["To"]), str(one["X-PBEM-Kind"])) for one in bag.letters[start:])

    asked = {0: ANN, 1: BOB}[turn_of(sitting.match).seat]
    assert kinds == sorted([(ANN, "restored"), (BOB, "restored"), (asked, "turn")])


def test_a_letter_on_its_way_is_written_anew_under_another_number(sitting: Sitting) -> None:
    lost, bag = Bag(), Bag()
    matches.resign(sitting.match, 0, NOW)
    execute("UPDATE outbox SET state = 'leased', lease_by = 'gone', lease_until = ?", NOW + 60)
    execute("UPDATE outbox SET message_id = '<o.0.1.x@play.example>', mime = ?", b"bytes")
    (owed,) = row("SELECT COUNT(*) FROM outbox") or (0,)
    assert begin().letters == owed
    posted(bag, LATER)

    numbers = [str(one["Message-ID"]) for one in bag.letters]
    assert {str(one["X-PBEM-Kind"]) for one in bag.letters} >= {"finished"}
    assert len(set(numbers)) == len(numbers) > 0
    assert all(f".{server_timeline.current.mark}." in number for number in numbers)
    assert lost.parcels == []


def test_moderators_are_told_and_the_log_says_it(stored: str) -> None:
    with_password()
    begun = begin()
    newest = audit_log.newest(1)[0]
    assert (newest.actor, newest.act) == ("command line", "restore")
    assert begun.mark in newest.detail and '"file":"copy"' in newest.detail
    assert rows("SELECT kind FROM outbox WHERE dedupe LIKE '%restored%'") == [("moderator",)]


# --- time -----------------------------------------------------------------------------------------


def test_nobody_pays_for_the_gap(sitting: Sitting) -> None:
    bag = Bag()
    posted(bag, NOW)
    budget = turn_of(sitting.match).budget
    Ticker().tick(NOW, 0.0)
    begin(LATER)
    posted(bag, LATER + 60)
    Ticker().tick(LATER + 80, 80.0)
    turn = turn_of(sitting.match)

    assert turn.started_at == LATER + 60
    assert turn.deadline_at >= LATER + 60 + budget
    assert get_match(sitting.match).status == LIVE
    assert [kind for kind, *_ in letters()].count("reminder") == 0


def test_the_server_knows_until_when_all_is_as_it_was(sitting: Sitting) -> None:
    Ticker().tick(NOW + 777, 0.0)
    begun = begin()
    assert begun.back_to == NOW + 777
    found = restorations.newest()
    assert found == (begun.mark, LATER, NOW + 777)
    beat = heartbeat.heartbeat()
    assert beat is not None and beat.ticked_at == LATER


def test_all_of_it_or_nothing(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (get_match(sitting.match), open_turns(sitting.match), letters())

    def fail(*_: object) -> None:
        raise RuntimeError("the power is gone")

    monkeypatch.setattr(staff_alerts, "tell_of_restore", fail)
    with pytest.raises(RuntimeError):
        begin()
    assert (get_match(sitting.match), open_turns(sitting.match), letters()) == before
    assert restorations.newest() is None
