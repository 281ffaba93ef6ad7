"""Leaving a seat: asked on its page, said again by the link of a letter."""

from __future__ import annotations

import msgspec
import pytest

from pbem.db.store import rows
from pbem.errors import Refused, Stale, TooOften
from pbem.links import LeaveLink
from pbem.services.players import accounts
from pbem.services.records import epochs
from pbem.services.records.match_rows import get_match
from pbem.services.seats import leaving, loans, stand_ins
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of

SEAT = 1


def ask(sitting: Sitting, start: int, end: int | None, now: int = NOW) -> LeaveLink:
    leaving.ask(sitting.match, SEAT, start, end, EVE, now)
    match, (*_, about) = get_match(sitting.match), asked()
    return leaving.link_of(match, match.seat(SEAT), about)


def asked() -> list[dict[str, int | None]]:
    found = rows("SELECT about FROM outbox WHERE kind = ? ORDER BY id", leaving.LETTER)
    return [msgspec.json.decode(about) for (about,) in found]


def test_nothing_is_offered_before_the_word_is_given(sitting: Sitting) -> None:
    link = ask(sitting, NOW + DAY, NOW + 3 * DAY)
    assert loans.pending(sitting.match, SEAT) is None
    assert rows("SELECT COUNT(*) FROM outbox WHERE kind = 'stand_in'") == [(0,)]
    (to,) = rows("SELECT player_id FROM outbox WHERE kind = ?", leaving.LETTER)
    assert to == (sitting.bob,)

    leaving.confirm(link, NOW + 60)
    made = loans.pending(sitting.match, SEAT)
    assert made is not None
    assert (made.start, made.end, made.stand_in) == (NOW + DAY, NOW + 3 * DAY, id_of(EVE))
    with pytest.raises(Stale):
        leaving.confirm(link, NOW + 61)


def test_a_loan_that_should_have_begun_begins_with_the_word(sitting: Sitting) -> None:
    link = ask(sitting, NOW, NOW + 3 * DAY)
    leaving.confirm(link, NOW + DAY)

    made = loans.pending(sitting.match, SEAT)
    assert made is not None
    assert (made.start, made.end) == (NOW + DAY, NOW + 3 * DAY)


@pytest.mark.parametrize(("end", "late"), [(None, 2 * DAY), (NOW + DAY, DAY)])
def test_the_word_can_be_given_for_two_days(sitting: Sitting, end: int | None, late: int) -> None:
    link = ask(sitting, NOW, end)
    with pytest.raises(Stale, match="no longer good"):
        leaving.confirm(link, NOW + late)
    leaving.confirm(link, NOW + late - 1)


def test_the_word_dies_with_the_links_of_the_seat(sitting: Sitting) -> None:
    link = ask(sitting, NOW, None)
    epochs.raise_seat(sitting.match, SEAT, NOW)
    with pytest.raises(Stale, match="no longer good"):
        leaving.confirm(link, NOW)
    assert loans.pending(sitting.match, SEAT) is None


def test_whoever_asks_again_and_again_fills_no_mailbox(sitting: Sitting) -> None:
    for _ in range(2):
        leaving.ask(sitting.match, SEAT, NOW, None, EVE, NOW)
    assert len(asked()) == 1
    for days in (2, 3, 4):
        leaving.ask(sitting.match, SEAT, NOW, NOW + days * DAY, EVE, NOW)
    with pytest.raises(TooOften):
        leaving.ask(sitting.match, SEAT, NOW, NOW + 30 * DAY, EVE, NOW)
    assert len(asked()) == 4
    leaving.ask(sitting.match, SEAT, NOW + DAY, None, EVE, NOW + DAY)


def test_a_word_that_was_not_given_in_time_can_be_asked_for_again(sitting: Sitting) -> None:
    """Dates that lie ahead are the same ones days later; the letter is another."""
    first = ask(sitting, NOW + 9 * DAY, NOW + 12 * DAY)
    later = NOW + 2 * DAY
    assert not leaving.is_open(first, get_match(sitting.match), later)
    second = ask(sitting, NOW + 9 * DAY, NOW + 12 * DAY, later)
    assert len(asked()) == 2
    leaving.confirm(second, later + 60)


def test_a_word_is_good_for_one_offer(sitting: Sitting) -> None:
    """Who has taken the offer back meant it; the letter is pressed again by others."""
    link = ask(sitting, NOW + DAY, NOW + 3 * DAY)
    leaving.confirm(link, NOW + 60)
    made = loans.pending(sitting.match, SEAT)
    assert made is not None
    stand_ins.withdraw(made.id, NOW + 120)

    assert not leaving.is_open(link, get_match(sitting.match), NOW + 180)
    with pytest.raises(Stale, match="no longer good"):
        leaving.confirm(link, NOW + 180)
    assert loans.pending(sitting.match, SEAT) is None
    leaving.confirm(ask(sitting, NOW + DAY, NOW + 3 * DAY, NOW + 240), NOW + 300)


def test_what_cannot_be_offered_is_refused_at_once(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="your own address"):
        leaving.ask(sitting.match, SEAT, NOW, None, BOB, NOW)
    with pytest.raises(Refused, match="name somebody"):
        leaving.ask(sitting.match, SEAT, NOW, None, None, NOW)
    with pytest.raises(Refused, match="until after that begins"):
        leaving.ask(sitting.match, SEAT, NOW + DAY, NOW, EVE, NOW)
    stand_ins.give_up(sitting.match, SEAT, EVE, NOW)
    with pytest.raises(Stale):
        leaving.ask(sitting.match, SEAT, NOW, None, EVE, NOW)
    assert asked() == []


def test_who_holds_the_other_seat_is_not_told_apart(sitting: Sitting) -> None:
    """An address that plays here answers as any other, so that nobody learns whose it is."""
    leaving.ask(sitting.match, SEAT, NOW, None, ANN, NOW)
    accounts.known_or_new(EVE, NOW)
    leaving.ask(sitting.match, SEAT, NOW, None, EVE, NOW)
    assert len(asked()) == 2
