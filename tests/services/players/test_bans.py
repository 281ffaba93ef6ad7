"""Who is kept out of new matches: players and addresses; what goes on, and what nobody learns."""

from __future__ import annotations

import time

import pytest

from pbem.db.store import writing
from pbem.errors import Missing, Refused, Stale
from pbem.services.match import joining, matches, messages
from pbem.services.match.joining import Joining
from pbem.services.match.turns import submit
from pbem.services.players import accounts, bans
from pbem.services.records.match_rows import CANCELLED, FORMING, JOINED, LIVE, get_match, open_turns
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins, volunteers
from pbem.services.self_service import sign_up
from tests.services.judging import perform
from tests.services.people import (
    ANN,
    ASKER,
    BOB,
    DAY,
    EVE,
    NOW,
    Sitting,
    id_of,
    letters,
    wanted,
)
from tests.services.waiting import hand_over, kinds, newest_letter

HELLO = Joining("Eve", "en", "UTC", "")


def put(pattern: str, is_allowed: bool = False) -> None:
    with writing():
        bans.put(bans.checked_pattern(pattern), is_allowed, "spam", NOW)


# --- the list -------------------------------------------------------------------------------------


def test_a_rule_keeps_out_what_fits_it(stored: str) -> None:
    for pattern, inside, outside in [
        ("Eve@Example.org", ["eve@example.org", "eve+2@example.org"], ["ann@example.org"]),
        ("@example.net", ["eve@example.net", "x@mail.example.net"], ["eve@badexample.net"]),
        ("e.v.e@googlemail.com", ["eve@gmail.com", "EVE+x@gmail.com"], ["ann@gmail.com"]),
        ("@mail.example.com", ["eve@mail.example.com"], ["eve@example.com"]),
    ]:
        put(pattern)
        assert [mail for mail in inside + outside if bans.is_listed(mail)] == inside, pattern


def test_the_narrowest_rule_counts(stored: str) -> None:
    put("@example.org")
    put("@good.example.org", is_allowed=True)
    put("ann@example.org", is_allowed=True)
    put("eve@good.example.org")

    assert bans.is_listed("bob@example.org")
    assert not bans.is_listed("ann@example.org")
    assert not bans.is_listed("bob@good.example.org")
    assert bans.is_listed("eve@good.example.org")


@pytest.mark.parametrize("text", ["", "@", "example.org", "@nothing", "a b@example.org", "@-x.org"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="neither an address nor a domain"):
        bans.checked_pattern(text)


def test_a_pattern_without_end_is_refused_quickly() -> None:
    begun = time.process_time()
    test_what_is_no_pattern_is_refused("a\u0300" * 12_000)

    assert time.process_time() - begun < 0.5


def test_a_rule_can_be_turned_round_and_struck_off(stored: str) -> None:
    put("@example.org")
    with pytest.raises(Stale):
        put("@example.org")
    put("@example.org", is_allowed=True)
    (rule,) = bans.rules()
    assert rule.is_allowed
    assert bans.remove(rule.id).pattern == "@example.org"
    assert bans.rules() == []
    with pytest.raises(Missing):
        bans.remove(rule.id)


def test_players_of_a_pattern_are_counted(sitting: Sitting) -> None:
    assert bans.concerned("@example.org") == 2
    assert bans.concerned("@org") == 2
    assert bans.concerned("ann@example.org") == 1
    assert bans.concerned("@ample.org") == 0
    assert bans.concerned("@ex_mple.org") == 0


# --- what is refused ------------------------------------------------------------------------------


def is_kept_out(by: str) -> None:
    """Eve is kept out: as a player, by address or by domain."""
    if by == "player":
        with writing():
            bans.ban(accounts.known_or_new(EVE, NOW), NOW)
    else:
        put(by)


each_way = pytest.mark.parametrize("by", ["player", "eve@example.org"])


@each_way
def test_who_is_kept_out_starts_nothing_and_gets_no_letter(stored: str, by: str) -> None:
    is_kept_out(by)
    asked = wanted(creator=EVE, addresses={"usa": EVE, "ussr": BOB})

    assert sign_up.start(asked, ASKER, NOW) is None
    assert kinds() == []


@each_way
def test_inviting_who_is_kept_out_looks_like_nobody_answering(stored: str, by: str) -> None:
    is_kept_out(by)
    match = sign_up.start(wanted(addresses={"usa": ANN, "ussr": EVE}), ASKER, NOW)
    assert match is not None
    sign_up.confirm(id_of(ANN), match, "UTC", NOW)

    assert letters() == [("confirm", id_of(ANN), None)]
    record = get_match(match)
    assert (record.status, record.seat(1).status) == (FORMING, "invited")
    with pytest.raises(Refused, match="cannot start or join matches"):
        joining.accept(match, 1, id_of(EVE), HELLO, NOW)
    joining.decline(match, 1, id_of(EVE), NOW)
    assert get_match(match).status == CANCELLED


@each_way
def test_who_is_kept_out_gets_no_letter_about_an_open_seat(stored: str, by: str) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    is_kept_out(by)
    before = newest_letter()
    sign_up.ask_to_join(match, EVE, "en", NOW)

    assert kinds(before) == []


@each_way
def test_a_link_from_before_confirms_nothing(stored: str, by: str) -> None:
    asked = wanted(creator=EVE, addresses={"usa": EVE, "ussr": BOB})
    match = sign_up.start(asked, ASKER, NOW)
    assert match is not None
    is_kept_out(by)
    with pytest.raises(Refused, match="cannot start or join matches"):
        sign_up.confirm(id_of(EVE), match, "UTC", NOW)

    assert get_player(id_of(EVE)).confirmed_at is None
    assert "invitation" not in kinds()


@each_way
def test_an_operator_is_told_who_is_kept_out(stored: str, by: str) -> None:
    is_kept_out(by)
    with pytest.raises(Refused, match="does not allow"):
        matches.create(wanted(creator=None, addresses={"usa": ANN, "ussr": EVE}), NOW)
    assert kinds() == []


@each_way
def test_who_is_kept_out_stands_in_for_nobody(sitting: Sitting, by: str) -> None:
    eve = accounts.known_or_new(EVE, NOW).id
    accounts.confirm(eve, NOW)
    stand_ins.volunteer(eve, True, NOW)
    asked = stand_ins.lend(sitting.match, 1, NOW, NOW + DAY, EVE, NOW)
    is_kept_out(by)
    before = newest_letter()

    assert volunteers.volunteers(get_match(sitting.match), 0, NOW) == []
    with pytest.raises(Stale):
        stand_ins.accept(asked, eve, NOW)
    stand_ins.withdraw(asked, NOW)
    stand_ins.lend(sitting.match, 1, NOW, NOW + DAY, EVE, NOW)
    assert kinds(before) == []
    with pytest.raises(Refused, match="does not allow"):
        stand_ins.check_can_be_asked(get_match(sitting.match), 0, EVE)


def test_a_listed_address_gets_no_letter_with_its_own_page(sitting: Sitting) -> None:
    before = newest_letter()
    put("@example.org")
    accounts.ask_for_own_page(BOB, NOW)
    assert kinds(before) == []


# --- what goes on ---------------------------------------------------------------------------------


def test_a_banned_player_plays_on_and_writes_nothing(sitting: Sitting) -> None:
    hand_over(NOW)
    perform(sitting.bob, "ban")
    (turn,) = open_turns(sitting.match)
    submit(turn.id, ["first usa"], NOW)
    with pytest.raises(Refused, match="you cannot write messages"):
        messages.say(sitting.match, 1, "Hello", NOW)
    messages.say(sitting.match, 0, "Hello", NOW)

    assert get_match(sitting.match).status == LIVE
    assert "message" in kinds()
    accounts.ask_for_own_page(BOB, NOW)
    assert kinds()[-1] == "you"


def test_a_ban_calls_off_what_has_not_begun(sitting: Sitting) -> None:
    own = matches.create(wanted(creator=BOB, addresses={"usa": BOB, "ussr": None}), NOW)
    joining.confirmed(sitting.bob, NOW, own)
    invited = matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW, invited)
    perform(sitting.bob, "ban")

    assert get_match(own).status == CANCELLED
    assert get_match(invited).status == CANCELLED
    assert get_match(invited).seat(1).status == "declined"
    assert matches.open_matches() == []
    assert get_match(sitting.match).status == LIVE


def test_who_was_banned_can_have_the_own_seat_back(sitting: Sitting) -> None:
    perform(sitting.bob, "ban")
    stand_ins.open_seat(sitting.match, 1, NOW)
    ((loan,),) = [(one.id,) for one in loans.concerning(sitting.bob)]
    stand_ins.accept(loan, sitting.bob, NOW)

    assert get_match(sitting.match).seat(1).status == JOINED


def test_what_came_during_a_ban_comes_when_it_is_lifted(sitting: Sitting) -> None:
    perform(sitting.bob, "ban")
    match = matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW, match)
    assert ("invitation", sitting.bob, 1) not in letters(match)
    perform(sitting.bob, "allow")

    assert ("invitation", sitting.bob, 1) in letters(match)
    joining.accept(match, 1, sitting.bob, HELLO, NOW)
    assert get_match(match).status == LIVE


def test_nobody_else_is_told_of_a_ban(sitting: Sitting) -> None:
    before = newest_letter()
    perform(sitting.bob, "ban")

    assert [(kind, player) for kind, player, _ in letters()[before:]] == [("account", sitting.bob)]
