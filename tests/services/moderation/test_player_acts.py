"""Acts on players: what each does, what the player is told, what the log keeps, who may not."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from pbem.db.store import execute, rows, writing
from pbem.deadlines import HOUR
from pbem.errors import Refused, Stale
from pbem.links import ActLink, TurnLink
from pbem.services.letters import outbox as office
from pbem.services.match import joining, matches, messages
from pbem.services.moderation import player_acts
from pbem.services.moderation.player_acts import ACTS, Params, foresee
from pbem.services.players import bans, devices
from pbem.services.records import announcements, audit_log
from pbem.services.records.match_rows import FORMING, get_match, open_turns
from pbem.services.records.player_rows import find_player, get_player, player_at
from pbem.services.seats import stand_ins
from pbem.services.self_service import address_changes, personal_data
from pbem.services.self_service.address_changes import WAITS
from tests.mail.posting import WORKER, Bag, html_of, office_with, outbox, text_of
from tests.services.judging import MO, WHY, perform, told
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of, letters, wanted
from tests.services.waiting import Days, confirm_address, hand_over, kinds, newest_letter

NEW = "bob@new.example"
LATER = NOW + HOUR


class Case(NamedTuple):
    """An act on Bob, and which letters it owes besides those that tell of it."""

    act: str
    params: Params
    letters: list[str]
    tells: int = 1


CASES = [
    Case("ban", Params(), []),
    Case("allow", Params(), []),
    Case("change_address", Params(address=NEW), ["address"]),
    Case("keep_address", Params(), []),
    Case("merge", Params(other=-1), [], tells=2),
    Case("keep_apart", Params(), [], tells=2),
    Case("export", Params(), []),
    Case("delete", Params(), [], tells=0),
]
each_act = pytest.mark.parametrize("case", CASES, ids=lambda case: case.act)


def ready(sitting: Sitting, case: Case) -> Params:
    """What an act needs to be possible; its parameters."""
    hand_over(NOW)
    if case.act == "allow":
        perform(sitting.bob, "ban")
    if case.act == "keep_address":
        perform(sitting.bob, "change_address", Params(address=NEW))
    if case.act == "delete":
        matches.resign(sitting.match, 1, NOW)
    if case.act in ("merge", "keep_apart"):
        match = matches.create(wanted(creator=EVE, addresses={"usa": EVE, "ussr": None}), NOW)
        joining.confirmed(id_of(EVE), NOW, match)
        hand_over(NOW)
        if case.act == "keep_apart":
            perform(id_of(EVE), "merge", Params(other=sitting.bob))
            hand_over(NOW)
            return case.params
        return Params(other=id_of(EVE))
    hand_over(NOW)
    return case.params


# --- every act ------------------------------------------------------------------------------------


def test_every_act_is_tried_here() -> None:
    assert {case.act for case in CASES} == ACTS.keys()


@each_act
def test_an_act_is_entered_once_and_told_in_the_words_read_before(
    sitting: Sitting, case: Case
) -> None:
    params = ready(sitting, case)
    before, entries = newest_letter(), audit_log.head().seq
    foreseen = player_acts.foresee(get_player(sitting.bob), ACTS[case.act], params, LATER)

    number = perform(sitting.bob, case.act, params, LATER)

    entry = audit_log.newest(1, subject=f"player {sitting.bob}")[0]
    assert (entry.seq, entry.actor, entry.act, entry.reason) == (number, MO.address, case.act, WHY)
    assert entry.seq == entries + 1
    assert NEW not in entry.detail + entry.words
    assert audit_log.verify() is None
    read = told(before)
    assert len(read) == case.tells
    other = id_of(EVE) if case.act == "keep_apart" else params.other
    for one in read:
        assert announcements.unpacked(one["words"]) == foreseen
        assert one["reason"] == WHY
        assert one["player"] in (sitting.bob, other)
    if case.act != "delete":
        assert sorted(kinds(before)) == sorted([*case.letters, *["account"] * case.tells])


def test_an_act_needs_a_reason_that_can_be_read(sitting: Sitting) -> None:
    for reason in ("", "  no ", "x" * 501, "be\u202etrayed"):
        for act in ACTS.values():
            with pytest.raises(Refused, match="reason|say why"):
                perform(sitting.bob, act.name, Params(NEW, sitting.ann), reason=reason)
    assert audit_log.head().seq == 0


def test_nobody_acts_on_oneself_or_on_an_opponent(sitting: Sitting) -> None:
    before = newest_letter()
    for act in ACTS:
        for address, why in [
            (BOB, "this is you"),
            ("bob+x@Example.org", "this is you"),
            (ANN, "you and this player are both involved in match"),
        ]:
            seated = MO._replace(address=address)
            with pytest.raises(Refused, match=why):
                perform(sitting.bob, act, Params(NEW), by=seated)

    assert (newest_letter(), audit_log.head().seq) == (before, 0)


def test_nobody_merges_a_player_with_oneself_or_with_an_opponent(sitting: Sitting) -> None:
    matches.create(wanted(creator=EVE, addresses={"usa": EVE, "ussr": None}), NOW)
    for address in (EVE, ANN):
        with pytest.raises(Refused, match="this is you|are both involved"):
            perform(sitting.bob, "merge", Params(other=id_of(EVE)), by=MO._replace(address=address))
    assert audit_log.head().seq == 0


@each_act
def test_what_fails_half_way_leaves_nothing(
    sitting: Sitting, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("the log is full")

    def seen() -> list[Any]:
        tables = ("player", "seat", "outbox", "address_change", "absence", "match")
        return [sorted(rows(f"SELECT * FROM {table}"), key=repr) for table in tables]

    params = ready(sitting, case)
    before = seen()
    monkeypatch.setattr(audit_log, "record", fail)
    with pytest.raises(RuntimeError):
        perform(sitting.bob, case.act, params)

    assert seen() == before


def test_an_act_without_what_it_needs_is_refused(sitting: Sitting) -> None:
    for act in ACTS.values():
        for name in act.takes:
            with pytest.raises(Refused, match=name):
                perform(sitting.bob, act.name)


def test_nothing_is_done_to_who_was_deleted(sitting: Sitting) -> None:
    matches.resign(sitting.match, 1, NOW)
    personal_data.delete(sitting.bob, NOW)
    for act in ACTS:
        with pytest.raises(Refused, match="deleted"):
            perform(sitting.bob, act, Params(NEW, sitting.ann))


def test_what_is_so_already_is_refused(sitting: Sitting) -> None:
    for act in ("allow", "keep_address", "keep_apart"):
        with pytest.raises(Stale):
            perform(sitting.bob, act)
    perform(sitting.bob, "ban")
    with pytest.raises(Stale):
        perform(sitting.bob, "ban")


@pytest.mark.parametrize(
    ("act", "params"),
    [
        ("change_address", Params(address=NEW)),
        ("merge", Params(other=1)),
        ("delete", Params()),
    ],
)
def test_the_address_of_a_moderator_is_left_alone(
    sitting: Sitting, act: str, params: Params
) -> None:
    matches.resign(sitting.match, 1, NOW)
    execute(
        "INSERT INTO moderator (address, name, role, created_at, password_hash, totp_secret,"
        " totp_step, failures, setup_epoch) VALUES (?, '', 'moderator', ?, '', '', 0, 0, 0)",
        BOB,
        NOW,
    )
    with pytest.raises(Refused, match="a moderator's address"):
        perform(sitting.bob, act, params)
    with pytest.raises(Refused, match="a moderator's address"):
        perform(sitting.ann, "change_address", Params(address=BOB))


# --- another address ------------------------------------------------------------------------------


def ask(sitting: Sitting, address: str = NEW) -> int:
    perform(sitting.bob, "change_address", Params(address=address), LATER)
    change = address_changes.waiting(sitting.bob, LATER)
    assert change is not None
    return change.id


def delivered(now: int) -> dict[str, list[Any]]:
    """The letters that leave now, by address."""
    bag, found = Bag(), dict[str, list[Any]]()
    office.drain(office_with(bag), WORKER, now, stopwatch=lambda: 0.0)
    for letter in bag.letters:
        found.setdefault(str(letter["To"]), []).append(letter)
    return found


def of_kind(letters: list[Any], kind: str) -> Any:
    (letter,) = [letter for letter in letters if letter["X-PBEM-Kind"] == kind]
    return letter


def test_nothing_changes_before_the_new_address_is_confirmed(sitting: Sitting) -> None:
    hand_over(NOW)
    before = get_player(sitting.bob), get_match(sitting.match)
    ask(sitting)
    left = delivered(LATER)

    assert (get_player(sitting.bob), get_match(sitting.match)) == before
    assert sorted(left) == [BOB, NEW]
    told_old, asked_new = of_kind(left[BOB], "account"), of_kind(left[NEW], "address")
    assert "/confirm/" in text_of(asked_new)
    for text in (text_of(asked_new), html_of(asked_new), str(asked_new)):
        assert BOB not in text
        assert "Bob" not in text
    assert NEW not in str(told_old)
    assert "/keep/" in text_of(told_old)
    assert "/keep/" in html_of(told_old)
    assert "https://play.example/you\n" in text_of(told_old)
    assert "/you/" not in text_of(told_old)
    assert WHY in text_of(told_old)


def test_the_old_address_has_three_days_from_its_letter(sitting: Sitting) -> None:
    """Not from when a moderator pressed: the mail may stand still."""
    hand_over(NOW)
    days = Days(LATER)
    change = ask(sitting)
    address_changes.confirm(change, LATER)
    address_changes.confirm(change, LATER)
    assert audit_log.newest(1)[0].act == "address_confirmed"
    assert get_player(sitting.bob).address == BOB
    for _ in range(5):
        days.leap()
    assert get_player(sitting.bob).address == BOB, "its letter has not left yet"
    told_at = days.now
    hand_over(told_at)
    while get_player(sitting.bob).address == BOB and days.now < told_at + 2 * WAITS:
        days.leap()
    assert days.now == told_at + WAITS
    assert get_player(sitting.bob).address == NEW
    assert [entry.act for entry in audit_log.newest(2)] == ["address_changed", "address_confirmed"]


def test_within_three_days_the_old_address_stops_a_confirmed_change(sitting: Sitting) -> None:
    hand_over(NOW)
    change = ask(sitting)
    delivered(LATER)
    address_changes.confirm(change, LATER + HOUR)
    address_changes.object_to(sitting.bob, LATER + WAITS - 1)
    address_changes.come_into_force(change, LATER + WAITS)
    with pytest.raises(Stale):
        address_changes.confirm(change, LATER + WAITS)
    assert get_player(sitting.bob).address == BOB
    assert rows("SELECT * FROM due WHERE kind = 'address'") == []


def test_an_address_that_refuses_letters_is_not_waited_for(sitting: Sitting) -> None:
    """What the player is told says so beforehand, and the log afterwards."""
    refused = (
        "UPDATE outbox SET state = 'dead', message_id = 'x', last_error = '550 no such user'"
        " WHERE player_id = ? AND state <> 'superseded'"
    )
    execute(refused, sitting.bob)
    words = foresee(get_player(sitting.bob), ACTS["change_address"], Params(address=NEW), LATER)
    assert "refuses them" in words.message
    change = ask(sitting)
    address_changes.confirm(change, LATER)
    assert get_player(sitting.bob).address == NEW
    assert "refuses emails" in audit_log.newest(1)[0].detail


def test_a_letter_of_ours_that_failed_is_no_refusal(sitting: Sitting) -> None:
    execute("UPDATE outbox SET state = 'dead', last_error = 'no such turn in _turn:12'")
    change = ask(sitting)
    address_changes.confirm(change, LATER)
    assert get_player(sitting.bob).address == BOB


def test_an_address_that_comes_into_use_in_the_three_days_is_not_taken(sitting: Sitting) -> None:
    hand_over(NOW)
    change = ask(sitting)
    delivered(LATER)
    address_changes.confirm(change, LATER)
    matches.create(wanted(addresses={"usa": ANN, "ussr": NEW}), LATER)
    with writing():
        address_changes.come_into_force(change, LATER + WAITS)
    assert get_player(sitting.bob).address == BOB
    assert audit_log.newest(1)[0].act == "address_dropped"
    assert address_changes.waiting(sitting.bob, LATER + WAITS) is None


def test_a_confirmed_address_takes_everything_over(sitting: Sitting) -> None:
    hand_over(NOW)
    match = matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW, match)
    before, record = get_player(sitting.bob), get_match(sitting.match)
    hand_over(NOW)
    change = ask(sitting)
    delivered(LATER)
    messages.say(sitting.match, 0, "On its way", LATER)
    execute("UPDATE outbox SET mime = ? WHERE kind = 'message'", b"To: bob")
    newest = newest_letter()

    confirm_address(change, LATER + 1)

    after = get_player(sitting.bob)
    assert after.address == NEW
    assert after.epoch > before.epoch
    assert id_of(NEW) == sitting.bob
    old = player_at(BOB)
    assert old is not None
    assert (old.confirmed_at, old.name) == (None, "")
    seat = get_match(sitting.match).seat(1)
    assert seat.player == sitting.bob
    assert seat.epoch > record.seat(1).epoch
    assert get_match(sitting.match).seat(0) == record.seat(0)
    assert outbox("state, mime", "kind = 'message'") == [("superseded", None)]
    assert sorted(kinds(newest)) == ["account", "account", "invitation", "turn", "you"]
    left = delivered(LATER + 1)
    assert sorted(left) == [BOB, NEW]
    assert {str(one["X-PBEM-Kind"]) for one in left[NEW]} == {
        *("turn", "invitation", "account", "you")
    }
    notice = of_kind(left[BOB], "account")
    assert "/report/" in text_of(notice)
    assert WHY in text_of(notice)
    for hidden in (NEW, "/you/", "/t/", "/seat/"):
        assert hidden not in str(notice)
        assert hidden not in text_of(notice)
    entry = audit_log.newest(1)[0]
    assert (entry.actor, entry.act) == (f"player {sitting.bob}", "address_changed")


def test_old_links_die_with_the_old_address(sitting: Sitting) -> None:
    hand_over(NOW)
    (turn,) = open_turns(sitting.match)
    seat = get_match(sitting.match).seat(1)
    old = TurnLink(sitting.match, 1, turn.id, seat.epoch), ActLink(sitting.match, 1, seat.epoch)
    confirm_address(ask(sitting), LATER)
    now = get_match(sitting.match).seat(1)

    assert all(link.epoch != now.epoch for link in old)


def test_a_change_is_confirmed_once_and_within_a_week(sitting: Sitting) -> None:
    change = ask(sitting)
    with pytest.raises(Stale):
        address_changes.confirm(change, LATER + address_changes.LASTS)
    delivered(LATER)
    address_changes.confirm(change, LATER + address_changes.LASTS - 1)
    assert get_player(sitting.bob).address == NEW
    before = newest_letter()
    with pytest.raises(Stale):
        address_changes.confirm(change, LATER + address_changes.LASTS - 1)
    assert newest_letter() == before


def test_a_newer_request_replaces_an_older_one(sitting: Sitting) -> None:
    first = ask(sitting)
    second = ask(sitting, "bob@newer.example")
    with pytest.raises(Stale):
        address_changes.confirm(first, LATER)
    assert NEW not in delivered(LATER)
    confirm_address(second, LATER)
    assert get_player(sitting.bob).address == "bob@newer.example"


@pytest.mark.parametrize("by", ["moderator", "player"])
def test_a_change_can_be_called_off(sitting: Sitting, by: str) -> None:
    change = ask(sitting)
    if by == "moderator":
        perform(sitting.bob, "keep_address", now=LATER)
    else:
        address_changes.object_to(sitting.bob, LATER)
        assert audit_log.newest(1)[0].act == "address_objected"
        entries = audit_log.head()
        address_changes.object_to(sitting.bob, LATER)
        assert audit_log.head() == entries
    with pytest.raises(Stale):
        address_changes.confirm(change, LATER)
    assert get_player(sitting.bob).address == BOB
    assert NEW not in delivered(LATER)


def test_an_address_in_use_is_refused_and_points_to_merging(sitting: Sitting) -> None:
    with pytest.raises(Refused, match=f"player {sitting.ann}; merge the two instead"):
        perform(sitting.bob, "change_address", Params(address=ANN))
    with pytest.raises(Refused, match="already"):
        perform(sitting.bob, "change_address", Params(address=BOB))


def test_an_address_that_comes_into_use_meanwhile_is_not_taken(sitting: Sitting) -> None:
    change = ask(sitting)
    matches.create(wanted(addresses={"usa": ANN, "ussr": NEW}), LATER)
    with pytest.raises(Refused, match="someone already plays with this address"):
        address_changes.confirm(change, LATER)
    assert get_player(sitting.bob).address == BOB


def test_an_address_can_go_back(sitting: Sitting) -> None:
    confirm_address(ask(sitting), LATER)
    confirm_address(ask(sitting, BOB), LATER)
    assert get_player(sitting.bob).address == BOB
    assert address_changes.others_of(sitting.bob) == [id_of(NEW)]


def test_what_waits_for_a_word_waits_on_at_the_new_address(sitting: Sitting) -> None:
    """A match of one's own that is not confirmed yet, and a question to a stand-in."""
    own = matches.create(wanted(creator=BOB, addresses={"usa": BOB, "ussr": None}), NOW)
    other = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW)
    joining.confirmed(sitting.ann, NOW, other)
    hello = joining.Joining("Eve", "en", "UTC", "")
    joining.accept(other, 1, id_of(EVE), hello, NOW)
    stand_ins.lend(other, 1, NOW, NOW + DAY, BOB, NOW)
    hand_over(NOW)
    confirm_address(ask(sitting), LATER)

    to_bob = {kind for kind, player, _ in letters() if player == sitting.bob}
    assert {"confirm", "stand_in"} <= to_bob
    left = delivered(LATER)[NEW]
    assert {"confirm", "stand_in"} <= {str(one["X-PBEM-Kind"]) for one in left}
    assert get_match(own).status == FORMING


# --- data -----------------------------------------------------------------------------------------


def test_an_export_for_a_moderator_has_nothing_of_a_match_being_played(sitting: Sitting) -> None:
    over = matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW, over)
    joining.accept(over, 1, sitting.bob, joining.Joining("Bob", "de", "UTC", "rain"), NOW)
    for match in (sitting.match, over):
        messages.say(match, 1, f"secret of {match}", NOW)
    matches.resign(over, 1, NOW)
    devices.note(sitting.bob, "t" * 43, NOW)
    full, seen = (
        personal_data.export(sitting.bob),
        personal_data.export(sitting.bob, for_moderator=True),
    )

    (live,) = [seat for seat in seen["seats"] if seat["match"] == sitting.match]
    assert not {"orders", "messages", "drafts", "phrase"} & live.keys()
    assert f"secret of {sitting.match}" in str(full)
    assert f"secret of {sitting.match}" not in str(seen)
    assert f"secret of {over}" in str(seen)
    assert seen["devices"] == [{"first_at": NOW, "last_at": NOW}]
    assert seen["player"]["address"] == BOB


def test_deleting_takes_other_addresses_browsers_and_bans_along(sitting: Sitting) -> None:
    change = ask(sitting)
    assert personal_data.export(sitting.bob)["other_addresses"] == []
    confirm_address(change, LATER)
    devices.note(sitting.bob, "t" * 43, LATER)
    perform(sitting.bob, "ban", now=LATER)
    matches.resign(sitting.match, 1, LATER)
    assert personal_data.export(sitting.bob)["other_addresses"] == [BOB]
    perform(sitting.bob, "delete", now=LATER)

    everything = str([rows(f"SELECT * FROM {table}") for table in ("player", "outbox", "device")])
    for gone in (BOB, NEW, "new.example"):
        assert gone not in everything
    assert rows("SELECT * FROM address_change") == []
    assert rows("SELECT * FROM device") == []
    assert find_player(sitting.bob) is not None
    assert audit_log.verify() is None


def test_nobody_is_deleted_while_playing(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="has a match in progress"):
        perform(sitting.bob, "delete")


# --- the list -------------------------------------------------------------------------------------


def test_rules_are_entered_and_nobody_is_told(stored: str) -> None:
    number = player_acts.put_on_list(MO, "@example.com", False, WHY, NOW)
    ((rule,),) = rows("SELECT id FROM address_rule")
    struck = player_acts.strike(MO, rule, WHY, NOW)

    entries = audit_log.newest(5)
    assert [(one.seq, one.act, one.subject) for one in entries] == [
        (struck, "list_struck", "address @example.com"),
        (number, "list_banned", "address @example.com"),
    ]
    assert kinds() == []
    assert audit_log.verify() is None


def test_nobody_makes_a_rule_about_oneself(stored: str) -> None:
    with pytest.raises(Refused, match="this is you"):
        player_acts.put_on_list(MO, "mo@example.org", True, WHY, NOW)
    assert rows("SELECT * FROM address_rule") == []
    assert audit_log.head().seq == 0


@pytest.mark.parametrize("by_an_exception", [False, True])
def test_letters_that_wait_for_who_is_kept_out_do_not_leave(
    stored: str, by_an_exception: bool
) -> None:
    """By a new rule, or because an exception from a wider one is struck off."""
    if by_an_exception:
        player_acts.put_on_list(MO, "eve@example.org", True, WHY, NOW)
        player_acts.put_on_list(MO, "@example.org", False, WHY, NOW)
        player_acts.put_on_list(MO, BOB, True, WHY, NOW)
    match = matches.create(wanted(creator=None, addresses={"usa": EVE, "ussr": BOB}), NOW)
    execute("UPDATE outbox SET mime = ? WHERE player_id = ?", b"letter", id_of(EVE))
    if by_an_exception:
        (rule,) = [rule for rule in bans.rules() if rule.pattern == EVE]
        player_acts.strike(MO, rule.id, WHY, NOW)
    else:
        player_acts.put_on_list(MO, EVE, False, WHY, NOW)

    assert outbox("kind, state, mime", "player_id = ?", id_of(EVE)) == [
        ("invitation", "superseded", None)
    ]
    assert outbox("state", "player_id = ?", id_of(BOB)) == ["queued"]
    assert get_match(match).status == FORMING
