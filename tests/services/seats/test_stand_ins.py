"""Stand-ins: seats lent, given up, opened; volunteers; who may take what; dead links; letters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.registry import GAMES
from pbem.db import store
from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Missing, Refused, Stale, TooOften
from pbem.services.match import drafts, joining, matches, messages, turns
from pbem.services.match.joining import Joining
from pbem.services.players import accounts
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import seat_history, stand_ins, volunteers
from pbem.services.seats.loans import Loan, find_loan, pending
from pbem.services.seats.seat_history import Held
from pbem.services.time import absences, alarms, clocks, pauses
from tests.kit.quartet import SEATS, Quartet
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, compose, id_of, turn_of, wanted
from tests.services.waiting import Days, again, agree, armed, hand_over, newest_letter, open_turn

LIMIT = 3 * DAY
DAN = "dan@example.org"


def known(address: str, stands_in: bool = False) -> int:
    """Somebody who has confirmed an address, and perhaps volunteers."""
    with writing():
        player = accounts.known_or_new(address, NOW)
        accounts.confirm(player.id, NOW)
        if stands_in:
            stand_ins.volunteer(player.id, True, NOW)
    return player.id


@pytest.fixture
def eve(sitting: Sitting) -> int:
    return known(EVE, stands_in=True)


class Four(NamedTuple):
    match: str
    players: list[int]


@pytest.fixture
def four(stored: str, monkeypatch: pytest.MonkeyPatch) -> Four:
    """A match of four, waiting for the first."""
    monkeypatch.setitem(GAMES, "quartet", Quartet())
    addresses = [ANN, BOB, "cid@example.org", DAN]
    match = matches.create(
        wanted(game="quartet", addresses=dict(zip(SEATS, addresses, strict=True)), creator=None),
        NOW,
    )
    for number, address in enumerate(addresses):
        says = Joining(address[:3].title(), "en", "UTC", "")
        joining.accept(match, number, id_of(address), says, NOW)
    return Four(match, [id_of(address) for address in addresses])


def seat(match: str, number: int = 1) -> Any:
    return get_match(match).seat(number)


def loan_of(number: int) -> Loan:
    found = find_loan(number)
    assert found is not None
    return found


class Told(NamedTuple):
    kind: str
    player: int
    what: str = ""


def told(after: int) -> list[Told]:
    """Letters owed since then: kind, player, and what it is about."""
    found = rows("SELECT kind, player_id, about FROM outbox WHERE id > ? ORDER BY id", after)
    return [
        Told(kind, player, msgspec.json.decode(about).get("what", ""))
        for kind, player, about in found
    ]


def taken(match: str, player: int, now: int, number: int = 1) -> Loan:
    """A seat that was given up and taken."""
    loan = stand_ins.give_up(match, number, None, now)
    stand_ins.accept(loan, player, now)
    return loan_of(loan)


# --- giving up -----------------------------------------------------------------------------------


def test_giving_up_asks_the_volunteers_and_leaves_the_seat_until_then(
    sitting: Sitting, eve: int
) -> None:
    before, old = newest_letter(), seat(sitting.match)
    loan = stand_ins.give_up(sitting.match, 1, None, NOW)

    assert told(before) == [Told("stand_in", eve, "asked")]
    assert seat(sitting.match) == old
    assert loan_of(loan) == (
        *(loan, sitting.match, 1, sitting.bob, None, NOW, None, "offered", NOW),
    )
    found = rows("SELECT dedupe, stream, epoch, about FROM outbox WHERE kind = 'stand_in'")
    epoch, about = get_player(eve).epoch, f'{{"loan":{loan},"what":"asked"}}'
    assert found == [(f"stand_in:{loan}:{eve}:{epoch}", f"player/{eve}", epoch, about)]


def test_who_takes_the_seat_has_it_at_once(sitting: Sitting, eve: int) -> None:
    matches.offer_draw(sitting.match, 1, NOW)
    pauses.want_pause(sitting.match, 1, NOW)
    execute("UPDATE seat SET missed = 1 WHERE number = 1")
    old, before = seat(sitting.match), newest_letter()
    loan = taken(sitting.match, eve, NOW + 9)
    new = seat(sitting.match)

    assert (new.player, new.status, new.epoch > old.epoch) == (eve, "joined", True)
    assert (new.missed, new.draw_offered, new.pause_wanted) == (0, False, False)
    assert new.phrase == "from bob", "the shuffle was made from it"
    assert (loan.state, loan.start, loan.end) == ("running", NOW + 9, None)
    assert told(before) == [
        Told("stand_in", eve, "asked"),
        Told("briefing", eve),
        Told("away", sitting.ann, "changed_hands"),
        Told("turn", eve),
        Told("stand_in", sitting.bob, "taken"),
    ]
    keys = [key for (key,) in rows("SELECT dedupe FROM outbox WHERE player_id = ?", eve)]
    assert f"briefing:{sitting.match}:1:{eve}:{loan.id}:{new.epoch}" in keys
    assert f"turn:{sitting.match}:1:{eve}:{turn_of(sitting.match).id}:{new.epoch}" in keys


def test_a_seat_that_is_not_asked_gets_no_turn_letter(sitting: Sitting, eve: int) -> None:
    before = newest_letter()
    taken(sitting.match, eve, NOW, number=0)

    assert "turn" not in [letter.kind for letter in told(before)]


def test_messages_and_standing_orders_stay_with_the_seat(sitting: Sitting, eve: int) -> None:
    messages.say(sitting.match, 1, "I have to go", NOW)
    turns.give_any_time(sitting.match, 1, "standing all never", NOW)
    compose(turn_of(sitting.match).id, ["first usa"], NOW)
    taken(sitting.match, eve, NOW)

    assert [said.text for said in messages.of_match(sitting.match, 1)] == ["I have to go"]
    assert get_match(sitting.match).head_seq == 1
    assert drafts.draft_of(turn_of(sitting.match).id) == (), "thoughts of somebody else"
    assert turns.submit(turn_of(sitting.match).id, ["first usa"], NOW).waiting_on == ("usa",)


def test_the_newcomer_has_all_of_the_time_from_the_own_letter_on(
    sitting: Sitting, eve: int
) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    taken(sitting.match, eve, NOW + 2 * DAY)
    waiting = again(turn)
    assert (waiting.started_at, waiting.since, str(turn.id) in armed()) == (None, None, False)
    hand_over(NOW + 2 * DAY + HOUR)

    assert again(turn).deadline_at == NOW + 2 * DAY + HOUR + LIMIT


def test_absence_before_a_change_of_hands_stays_charged(sitting: Sitting, eve: int) -> None:
    hand_over(NOW)
    absences.book(sitting.bob, NOW + DAY, NOW + 9 * DAY, NOW)
    taken(sitting.match, eve, NOW + 3 * DAY)
    hand_over(NOW + 3 * DAY)

    assert turn_of(sitting.match).absent == 0
    match = get_match(sitting.match)
    assert clocks.pause_left(match, NOW) == match.clock.most_pause - 2 * DAY


def test_passing_a_seat_to_and_fro_does_not_stop_the_clock(sitting: Sitting, eve: int) -> None:
    turn = open_turn(sitting.match)
    hand_over(NOW)
    taken(sitting.match, eve, NOW + DAY)
    hand_over(NOW + DAY)
    stand_ins.volunteer(sitting.bob, True, NOW)
    taken(sitting.match, sitting.bob, NOW + 2 * DAY)
    hand_over(NOW + 2 * DAY)

    assert again(turn).deadline_at == NOW + DAY + LIMIT
    assert armed()[str(turn.id)] > NOW + 2 * DAY
    turns.submit(turn.id, ["first ussr"], NOW + 2 * DAY)
    assert seat(sitting.match).player == sitting.bob


# --- asking by name ------------------------------------------------------------------------------


def test_somebody_can_be_asked_by_name(sitting: Sitting, eve: int) -> None:
    before = newest_letter()
    loan = stand_ins.give_up(sitting.match, 1, DAN, NOW)
    dan = id_of(DAN)

    assert told(before) == [Told("stand_in", dan, "asked")]
    assert loan_of(loan).stand_in == dan
    assert get_player(dan).language == "de", "as Bob, who asks"
    with pytest.raises(Stale, match="no longer free"):
        stand_ins.accept(loan, eve, NOW)
    stand_ins.accept(loan, dan, NOW)
    assert seat(sitting.match).player == dan
    assert get_player(dan).confirmed_at == NOW, "the letter has reached somebody"


def test_nobody_is_asked_to_stand_in_for_oneself(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="your own address"):
        stand_ins.give_up(sitting.match, 1, BOB, NOW)


def test_the_address_of_an_opponent_cannot_be_found_out(sitting: Sitting) -> None:
    """Whoever guesses it sees what anybody sees who asks somebody."""
    before = newest_letter()
    loan = stand_ins.give_up(sitting.match, 1, ANN, NOW)

    assert told(before) == []
    assert loan_of(loan).state == "offered"
    with pytest.raises(Stale):
        stand_ins.accept(loan, sitting.ann, NOW)


def test_without_volunteers_somebody_must_be_named(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="name someone"):
        stand_ins.give_up(sitting.match, 1, None, NOW)
    assert rows("SELECT COUNT(*) FROM loan") == [(0,)]


def test_a_seat_is_offered_once_at_a_time_and_not_too_often(sitting: Sitting, eve: int) -> None:
    for number in range(5):
        loan = stand_ins.give_up(sitting.match, 1, f"dan{number}@example.org", NOW)
        with pytest.raises(Stale, match="already on offer or lent"):
            stand_ins.lend(sitting.match, 1, NOW, NOW + DAY, None, NOW)
        stand_ins.withdraw(loan, NOW)
    with pytest.raises(TooOften, match="try again in 16 hours"):
        stand_ins.give_up(sitting.match, 1, DAN, NOW)
    stand_ins.give_up(sitting.match, 1, DAN, NOW + DAY)


def test_who_declines_is_believed_and_the_owner_told(sitting: Sitting) -> None:
    loan = stand_ins.give_up(sitting.match, 1, DAN, NOW)
    before = newest_letter()
    for _ in range(2):
        stand_ins.decline(loan, id_of(DAN), NOW)

    assert told(before) == [Told("stand_in", sitting.bob, "declined")]
    assert loan_of(loan).state == "withdrawn"
    with pytest.raises(Stale):
        stand_ins.accept(loan, id_of(DAN), NOW)


def test_a_volunteer_who_declines_leaves_the_seat_to_others(sitting: Sitting, eve: int) -> None:
    dan = known(DAN, stands_in=True)
    loan = stand_ins.give_up(sitting.match, 1, None, NOW)
    stand_ins.decline(loan, eve, NOW)
    stand_ins.accept(loan, dan, NOW)

    assert seat(sitting.match).player == dan


# --- volunteers ----------------------------------------------------------------------------------


def test_twenty_volunteers_are_asked_and_others_the_next_time(sitting: Sitting) -> None:
    pool = [known(f"v{number}@example.org", stands_in=True) for number in range(25)]
    first = stand_ins.give_up(sitting.match, 1, None, NOW)
    stand_ins.withdraw(first, NOW)
    before = newest_letter()
    stand_ins.give_up(sitting.match, 1, None, NOW + 1)

    asked = [letter.player for letter in told(before)]
    assert len(asked) == volunteers.MOST_ASKED
    assert set(pool[20:]) <= set(asked)


def test_only_fit_volunteers_are_asked(sitting: Sitting, eve: int) -> None:
    absences.book(known("away@example.org", stands_in=True), NOW, NOW + DAY, NOW)
    known("quiet@example.org")
    with writing():
        unconfirmed = accounts.known_or_new("new@example.org", NOW)
        execute("UPDATE player SET stands_in = ? WHERE id = ?", True, unconfirmed.id)
    stand_ins.volunteer(sitting.ann, True, NOW)
    stand_ins.volunteer(sitting.bob, True, NOW)
    before = newest_letter()
    stand_ins.give_up(sitting.match, 1, None, NOW)

    assert told(before) == [Told("stand_in", eve, "asked")]


def test_who_volunteers_later_is_asked_about_what_is_open(sitting: Sitting, eve: int) -> None:
    stand_ins.give_up(sitting.match, 1, None, NOW)
    before = newest_letter()
    dan = known(DAN)
    for _ in range(2):
        stand_ins.volunteer(dan, True, NOW)
    stand_ins.volunteer(dan, False, NOW)

    assert told(before) == [Told("stand_in", dan, "asked")]
    assert not get_player(dan).stands_in


def test_of_two_who_accept_at_once_one_has_the_seat(sitting: Sitting) -> None:
    pool = [known(f"v{number}@example.org", stands_in=True) for number in range(8)]
    loan = stand_ins.give_up(sitting.match, 1, None, NOW)

    def accept(player: int) -> str:
        with store.connected():
            try:
                stand_ins.accept(loan, player, NOW)
            except Stale:
                return "stale"
        return "taken"

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(accept, pool * 4))

    holder = seat(sitting.match).player
    assert [r for r, player in zip(results, pool * 4, strict=True) if player == holder] == [
        "taken"
    ] * 4
    assert results.count("taken") == 4
    assert [
        player for (player,) in rows("SELECT player_id FROM outbox WHERE kind = 'briefing'")
    ] == [holder]


def test_nobody_takes_a_seat_of_a_match_whose_other_seat_they_know(four: Four) -> None:
    """Ann gives up north; she has seen what north has seen, so she cannot sit elsewhere."""
    eve = known(EVE, stands_in=True)
    taken(four.match, eve, NOW, number=0)
    ann = four.players[0]
    stand_ins.volunteer(ann, True, NOW)
    before = newest_letter()
    with pytest.raises(Refused, match="name someone"):
        stand_ins.give_up(four.match, 1, None, NOW)
    loan = stand_ins.give_up(four.match, 1, ANN, NOW)
    assert told(before) == []
    for player in (ann, eve, four.players[2]):
        with pytest.raises(Stale):
            stand_ins.accept(loan, player, NOW)


def test_who_has_agreed_to_one_seat_cannot_take_another(four: Four) -> None:
    eve = known(EVE)
    first = stand_ins.lend(four.match, 0, NOW + DAY, NOW + 2 * DAY, EVE, NOW)
    stand_ins.accept(first, eve, NOW)
    second = stand_ins.give_up(four.match, 1, EVE, NOW)
    with pytest.raises(Stale):
        stand_ins.accept(second, eve, NOW)


# --- lending -------------------------------------------------------------------------------------


@pytest.fixture
def lent(sitting: Sitting, eve: int) -> Loan:
    """Bob's seat, lent to Eve from the day after tomorrow for four days."""
    loan = stand_ins.lend(sitting.match, 1, NOW + 2 * DAY, NOW + 6 * DAY, None, NOW)
    stand_ins.accept(loan, eve, NOW + DAY)
    return loan_of(loan)


def test_a_loan_begins_and_ends_on_its_days(sitting: Sitting, eve: int, lent: Loan) -> None:
    assert lent.state == "agreed"
    assert seat(sitting.match).player == sitting.bob
    assert armed("loan") == {str(lent.id): NOW + 2 * DAY}
    epochs, before = [seat(sitting.match).epoch], newest_letter()
    stand_ins.change_over(lent.id, NOW + 2 * DAY + 7)
    assert seat(sitting.match).player == eve
    assert armed("loan") == {str(lent.id): NOW + 6 * DAY}
    epochs.append(seat(sitting.match).epoch)
    stand_ins.change_over(lent.id, NOW + 6 * DAY + 7)
    epochs.append(seat(sitting.match).epoch)

    assert seat(sitting.match).player == sitting.bob
    assert epochs == sorted(set(epochs)), "each time all old links die"
    assert loan_of(lent.id).state == "over"
    assert armed("loan") == {}
    assert told(before) == [
        Told("briefing", eve),
        Told("away", sitting.ann, "changed_hands"),
        Told("turn", eve),
        Told("stand_in", sitting.bob, "taken"),
        Told("briefing", sitting.bob),
        Told("away", sitting.ann, "changed_hands"),
        Told("turn", sitting.bob),
        Told("stand_in", eve, "over"),
    ]
    abouts = rows("SELECT about FROM outbox WHERE kind = 'briefing' ORDER BY id")
    assert [msgspec.json.decode(about)["back"] for (about,) in abouts] == [False, True]


@pytest.mark.whole
def test_the_worker_changes_seats_over(sitting: Sitting, eve: int, lent: Loan) -> None:
    agree(sitting.match, per_move=30 * DAY)
    hand_over(NOW)
    days, held = Days(NOW + DAY), []
    for _ in range(7):
        days.passes(DAY, step=590)
        held.append(seat(sitting.match).player)

    assert held == [eve] * 4 + [sitting.bob] * 3


def test_an_owner_learns_who_has_agreed(sitting: Sitting, eve: int, lent: Loan) -> None:
    assert Told("stand_in", sitting.bob, "agreed") in told(0)


def test_a_loan_can_be_accepted_when_its_time_has_begun(sitting: Sitting, eve: int) -> None:
    loan = stand_ins.lend(sitting.match, 1, NOW + DAY, NOW + 6 * DAY, None, NOW)
    stand_ins.change_over(loan, NOW + DAY)
    assert told(0)[-1] == Told("stand_in", sitting.bob, "nobody")
    assert armed("loan") == {str(loan): NOW + 6 * DAY}
    stand_ins.accept(loan, eve, NOW + 2 * DAY)

    assert seat(sitting.match).player == eve
    assert armed("loan") == {str(loan): NOW + 6 * DAY}


def test_an_offer_for_dates_ends_with_them(sitting: Sitting, eve: int) -> None:
    loan = stand_ins.lend(sitting.match, 1, NOW, NOW + 2 * DAY, None, NOW)
    assert armed("loan") == {str(loan): NOW + 2 * DAY}
    with pytest.raises(Stale, match="no longer free"):
        stand_ins.accept(loan, eve, NOW + 2 * DAY)
    stand_ins.change_over(loan, NOW + 2 * DAY)

    assert loan_of(loan).state == "withdrawn"
    assert armed("loan") == {}


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (NOW + DAY, NOW + DAY, "must end after it starts"),
        (NOW - 1, NOW + DAY, "in the past"),
        (NOW, NOW + 367 * DAY, "one year ahead"),
    ],
)
def test_wrong_dates_are_refused(
    sitting: Sitting, eve: int, start: int, end: int, words: str
) -> None:
    with pytest.raises(Refused, match=words):
        stand_ins.lend(sitting.match, 1, start, end, None, NOW)
    assert pending(sitting.match, 1) is None


def test_what_was_agreed_can_be_withdrawn(sitting: Sitting, eve: int, lent: Loan) -> None:
    before = newest_letter()
    for _ in range(2):
        stand_ins.withdraw(lent.id, NOW + DAY)

    assert told(before) == [Told("stand_in", eve, "withdrawn")]
    assert (loan_of(lent.id).state, armed("loan")) == ("withdrawn", {})
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    assert seat(sitting.match).player == sitting.bob


def test_who_has_agreed_can_step_back(sitting: Sitting, eve: int, lent: Loan) -> None:
    stand_ins.decline(lent.id, eve, NOW + DAY)

    assert (loan_of(lent.id).state, armed("loan")) == ("withdrawn", {})
    assert told(0)[-1] == Told("stand_in", sitting.bob, "declined")


def test_an_owner_can_come_back_earlier(sitting: Sitting, eve: int, lent: Loan) -> None:
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    for _ in range(2):
        stand_ins.withdraw(lent.id, NOW + 3 * DAY)

    assert seat(sitting.match).player == sitting.bob
    assert (loan_of(lent.id).state, loan_of(lent.id).end) == ("over", NOW + 3 * DAY)
    assert armed("loan") == {}


def test_a_stand_in_can_give_the_seat_back(sitting: Sitting, eve: int, lent: Loan) -> None:
    with pytest.raises(Stale, match="not lent"):
        stand_ins.give_back(sitting.match, 1, NOW + DAY)
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    with pytest.raises(Stale, match="already on offer or lent"):
        stand_ins.give_up(sitting.match, 1, DAN, NOW + 3 * DAY)
    stand_ins.give_back(sitting.match, 1, NOW + 3 * DAY)

    assert seat(sitting.match).player == sitting.bob


def test_only_the_owner_of_a_lent_seat_ends_the_match(
    sitting: Sitting, eve: int, lent: Loan
) -> None:
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    for end in (matches.resign, matches.offer_draw):
        with pytest.raises(Refused, match="cannot end the match; only the seat's owner can"):
            end(sitting.match, 1, NOW + 3 * DAY)
    stand_ins.change_over(lent.id, NOW + 6 * DAY)
    matches.resign(sitting.match, 1, NOW + 7 * DAY)

    assert get_match(sitting.match).result == "usa"


def test_what_was_given_up_does_not_come_back(sitting: Sitting, eve: int) -> None:
    loan = taken(sitting.match, eve, NOW)
    stand_ins.withdraw(loan.id, NOW)
    stand_ins.change_over(loan.id, NOW + 99 * DAY)

    assert seat(sitting.match).player == eve


def test_a_match_that_is_over_changes_no_hands(sitting: Sitting, eve: int, lent: Loan) -> None:
    matches.resign(sitting.match, 0, NOW + DAY)
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    assert (loan_of(lent.id).state, seat(sitting.match).player) == ("withdrawn", sitting.bob)
    assert armed("loan") == {}
    with pytest.raises(Stale, match="not in progress"):
        stand_ins.give_up(sitting.match, 1, None, NOW)


def test_who_plays_a_match_to_its_end_keeps_the_seat(
    sitting: Sitting, eve: int, lent: Loan
) -> None:
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    matches.resign(sitting.match, 0, NOW + 3 * DAY)
    stand_ins.change_over(lent.id, NOW + 6 * DAY)

    assert (loan_of(lent.id).state, seat(sitting.match).player) == ("over", eve)


def test_an_alarm_of_a_loan_that_is_gone_is_forgotten(sitting: Sitting) -> None:
    with writing():
        alarms.arm(alarms.LOAN, 77, NOW)
    stand_ins.change_over(77, NOW)

    assert armed("loan") == {}
    with pytest.raises(Missing, match="no such offer"):
        stand_ins.accept(77, sitting.ann, NOW)


# --- seats that the clock opens ------------------------------------------------------------------


def test_an_opened_seat_is_nobodys_and_volunteers_are_asked(four: Four) -> None:
    eve = known(EVE, stands_in=True)
    before, old = newest_letter(), seat(four.match, 0)
    for _ in range(2):
        stand_ins.open_seat(four.match, 0, NOW + 1)
    opened = seat(four.match, 0)

    assert (opened.player, opened.status, opened.epoch > old.epoch) == (None, "vacant", True)
    ann, *others = four.players
    assert told(before) == [
        Told("stand_in", eve, "asked"),
        Told("stand_in", ann, "asked"),
        *(Told("away", player, "vacant") for player in others),
    ]


def test_an_opened_seat_goes_to_whoever_takes_it(four: Four) -> None:
    eve = known(EVE, stands_in=True)
    stand_ins.open_seat(four.match, 0, NOW + 1)
    loan = pending(four.match, 0)
    assert loan is not None
    stand_ins.withdraw(loan.id, NOW + 2)
    stand_ins.accept(loan.id, eve, NOW + 2)

    assert (seat(four.match, 0).player, seat(four.match, 0).status) == (eve, "joined")
    assert told(0)[-1] == Told("stand_in", four.players[0], "taken")


def test_a_player_may_come_back_to_the_own_seat_while_nobody_else_has_it(four: Four) -> None:
    ann = four.players[0]
    stand_ins.open_seat(four.match, 0, NOW + 1)
    loan = pending(four.match, 0)
    assert loan is not None
    stand_ins.accept(loan.id, ann, NOW + 2)

    assert seat(four.match, 0).player == ann
    assert Told("stand_in", ann, "taken") not in told(0)


def test_what_was_offered_before_is_off_when_the_clock_opens_a_seat(four: Four) -> None:
    eve = known(EVE)
    loan = stand_ins.lend(four.match, 0, NOW + DAY, NOW + 2 * DAY, EVE, NOW)
    stand_ins.accept(loan, eve, NOW)
    stand_ins.open_seat(four.match, 0, NOW + 1)

    assert loan_of(loan).state == "withdrawn"
    assert armed("loan") == {}
    assert Told("stand_in", eve, "withdrawn") in told(0)


def test_a_lent_seat_goes_back_before_it_is_opened(four: Four) -> None:
    eve, ann = known(EVE), four.players[0]
    loan = stand_ins.lend(four.match, 0, NOW, NOW + 9 * DAY, EVE, NOW)
    stand_ins.accept(loan, eve, NOW)
    stand_ins.open_seat(four.match, 0, NOW + DAY)

    assert (seat(four.match, 0).player, seat(four.match, 0).status) == (ann, "joined")


def test_an_ally_can_get_a_seat_beside_the_own(four: Four) -> None:
    ann, _, cid, _ = four.players
    before = newest_letter()
    stand_ins.hand_over(four.match, 0, cid, NOW + 1)

    assert [s.player for s in get_match(four.match).seats] == [cid, *four.players[1:]]
    letters = told(before)
    assert letters[0] == Told("briefing", cid)
    assert [one.player for one in letters if one.what == "changed_hands"] == [
        four.players[1],
        four.players[3],
    ]
    assert letters[-1] == Told("stand_in", ann, "taken")


def test_a_match_of_two_is_not_drawn_with_an_empty_seat(sitting: Sitting, eve: int) -> None:
    stand_ins.open_seat(sitting.match, 1, NOW)

    assert not matches.offer_draw(sitting.match, 0, NOW)
    assert get_match(sitting.match).status == "live"


def test_an_empty_seat_does_not_keep_the_others_from_a_draw(four: Four) -> None:
    stand_ins.open_seat(four.match, 3, NOW)
    for number in (0, 1):
        assert not matches.offer_draw(four.match, number, NOW)

    assert matches.offer_draw(four.match, 2, NOW)


# --- who held a seat when ------------------------------------------------------------------------


def held(player: int) -> list[tuple[int, int, int | None]]:
    return [(one.seat, one.start, one.end) for one in seat_history.held_by(player)]


def test_who_held_a_seat_is_known_afterwards(sitting: Sitting, eve: int, lent: Loan) -> None:
    dan = known(DAN)
    stand_ins.change_over(lent.id, NOW + 2 * DAY)
    stand_ins.change_over(lent.id, NOW + 6 * DAY)
    last = stand_ins.give_up(sitting.match, 1, DAN, NOW + 7 * DAY)
    stand_ins.accept(last, dan, NOW + 8 * DAY)

    assert held(sitting.ann) == [(0, 0, None)]
    assert held(eve) == [(1, NOW + 2 * DAY, NOW + 6 * DAY)]
    assert held(sitting.bob) == [(1, 0, NOW + 2 * DAY), (1, NOW + 6 * DAY, NOW + 8 * DAY)]
    assert held(dan) == [(1, NOW + 8 * DAY, None)]


def test_an_opened_seat_counts_as_its_last_players(four: Four) -> None:
    stand_ins.open_seat(four.match, 0, NOW + 1)

    assert held(four.players[0]) == [(0, 0, None)]


def test_a_time_holds_its_beginning_and_not_its_end() -> None:
    time = Held("m", 0, 10, 20)
    assert [time.holds(at) for at in (9, 10, 19, 20)] == [False, True, True, False]
    assert Held("m", 0, 10, None).holds(10**10)
