"""A move taken back by asking: who decides, what they are told, what the log keeps."""

from __future__ import annotations

import pytest

from engine.audit import audit
from engine.chance import QuickDice
from engine.replay import read_match, write_match
from pbem.db.store import rows
from pbem.errors import Refused, Stale, TooOften
from pbem.i18n import speaking
from pbem.services.agreements import takebacks
from pbem.services.agreements.takebacks import Cost
from pbem.services.match import joining, link_orders, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import get_match, open_turns
from tests.services.people import (
    ANN,
    NOW,
    Sitting,
    an_order,
    id_of,
    letters,
    play_to_the_end,
    turn_of,
    wanted,
)
from tests.services.powers import four_people

LATER = NOW + 100


@pytest.fixture
def moved(sitting: Sitting) -> Sitting:
    """Whoever was asked first has played until the other was asked."""
    play_a_turn(sitting.match)
    return sitting


def play_a_turn(match: str, seed: bytes = b"a turn") -> int:
    """Orders of one seat until another one is asked; the seat."""
    choice, seat = QuickDice(seed), turn_of(match).seat
    while (turn := turn_of(match)).seat == seat:
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + 10)
    return seat


def mover(match: str) -> int:
    """Who has moved last, when there are two."""
    return 1 - turn_of(match).seat


def head(match: str) -> str:
    return match_log.public_head(get_match(match))


def test_asked_and_agreed_the_match_stands_where_it_stood(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    to = takebacks.target(get_match(match), seat)
    assert to is not None
    takebacks.ask(match, seat, LATER)
    kind, _, reader = letters(match)[-1]
    assert (kind, reader) == ("takeback", 1 - seat)
    takebacks.agree(match, 1 - seat, head(match), LATER)
    record = get_match(match)
    (entry,) = match_log.entries(match, record.head_seq, record.head_seq)
    assert (entry.kind, entry.actor, entry.text) == ("rewind", record.seat(seat).name, str(to))
    assert match_log.current(record) == match_log.state_at(record, to)
    assert [turn.seat for turn in open_turns(match)] == [seat]
    assert record.timeline == 1
    assert ("turn", record.seat(seat).player, seat) in letters(match)[-2:]


def test_a_match_with_a_takeback_passes_the_audit(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    takebacks.agree(match, 1 - seat, head(match), LATER)
    play_to_the_end(match, LATER)
    audit(read_match(write_match(match_log.export(get_match(match)))))


def test_declined_it_stays_and_is_not_asked_for_again(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    before = get_match(match)
    takebacks.ask(match, seat, LATER)
    takebacks.decline(match, 1 - seat, LATER)
    assert get_match(match) == before
    assert letters(match)[-1] == ("takeback", before.seat(seat).player, seat)
    with pytest.raises(Refused, match="declined"):
        takebacks.ask(match, seat, LATER)
    for act in (takebacks.decline, takebacks.withdraw):
        with pytest.raises(Stale):
            act(match, 1 - seat, LATER)


def test_after_another_move_it_can_be_asked_for_again(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    takebacks.decline(match, 1 - seat, LATER)
    play_a_turn(match)
    if turn_of(match).seat == seat:
        play_a_turn(match)
    takebacks.ask(match, seat, LATER)
    assert takebacks.waiting(get_match(match)) is not None


def test_who_plays_on_has_declined(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    seen = head(match)
    play_a_turn(match)
    assert takebacks.waiting(get_match(match)) is None
    with pytest.raises(Stale):
        takebacks.agree(match, 1 - seat, seen, LATER)
    assert get_match(match).timeline == 0


def test_what_is_said_in_advance_meanwhile_is_not_noticed(moved: Sitting) -> None:
    """Otherwise an answer that fails would tell that something was said."""
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    seen, before = head(match), takebacks.waiting(get_match(match))
    for number in (0, 1):
        link_orders.say_in_advance(match, number, "standing all never", LATER)
    assert (head(match), takebacks.waiting(get_match(match))) == (seen, before)
    takebacks.agree(match, 1 - seat, seen, LATER)
    assert get_match(match).timeline == 1


def test_asking_twice_asks_once_and_can_be_withdrawn(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    count = len(letters(match))
    takebacks.ask(match, seat, LATER + 1)
    assert len(letters(match)) == count
    takebacks.withdraw(match, seat, LATER + 2)
    with pytest.raises(Stale):
        takebacks.agree(match, 1 - seat, head(match), LATER + 3)
    takebacks.ask(match, seat, LATER + 4)
    assert takebacks.waiting(get_match(match)) is not None


def test_withdrawing_and_asking_has_an_end(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    for _ in range(3):
        takebacks.ask(match, seat, LATER)
        takebacks.withdraw(match, seat, LATER)
    with pytest.raises(TooOften):
        takebacks.ask(match, seat, LATER)


def test_there_must_be_a_move_and_a_match_that_goes_on(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="no move of yours"):
        takebacks.ask(sitting.match, 0, LATER)
    matches.resign(sitting.match, 0, LATER)
    with pytest.raises(Stale, match="not in progress"):
        takebacks.ask(sitting.match, 0, LATER)


def test_nobody_answers_for_others_or_after_the_end(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    with pytest.raises(Stale, match="nobody is asking"):
        takebacks.agree(match, seat, head(match), LATER)
    matches.resign(match, seat, LATER)
    with pytest.raises(Stale):
        takebacks.agree(match, 1 - seat, head(match), LATER)
    assert get_match(match).timeline == 0


def test_who_looked_before_more_happened_looks_again(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    with pytest.raises(Stale, match="look again"):
        takebacks.agree(match, 1 - seat, "0123456789abcdef", LATER)
    assert takebacks.waiting(get_match(match)) is not None


def test_after_a_takeback_only_what_was_played_since_can_go_back(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    takebacks.ask(match, seat, LATER)
    takebacks.agree(match, 1 - seat, head(match), LATER)
    assert takebacks.target(get_match(match), seat) is None
    back = get_match(match).head_seq
    play_a_turn(match, b"otherwise")
    assert takebacks.target(get_match(match), seat) == back


def test_the_cost_is_counted_and_said(moved: Sitting) -> None:
    match, seat = moved.match, mover(moved.match)
    play_a_turn(match)
    record = get_match(match)
    to = takebacks.target(record, seat)
    assert to is not None
    found = takebacks.cost_of(record, seat, to, LATER)
    assert found.turns >= 1
    fell = [draw for entry in match_log.entries(match, to + 1) for draw in entry.draws]
    assert (found.dice + found.shuffles > 0) == bool(fell)
    with speaking("en"):
        assert takebacks.in_words(record, Cost(0, 0, 0, 0)) == [
            "No dice have been rolled and no cards revealed since then",
            "Standing orders given since would be undone too",
        ]
        assert takebacks.in_words(record, Cost(1, 0, 2, 1))[:-1] == [
            "1 die has been rolled since",
            "2 cards have been revealed since and cannot be unseen",
            "1 turn of another side would be undone too",
        ]
    assert rows("SELECT COUNT(*) FROM takeback") == [(0,)], "counting asks for nothing"


def give_one_order(match: str) -> int:
    """The seat that is asked gives one order of its turn."""
    turn, order = an_order(match, QuickDice(b"one order"))
    turns.submit(turn.id, [order], NOW + 10)
    return turn.seat


def test_of_four_people_all_others_must_agree(stored: str) -> None:
    match = four_people()
    seat = give_one_order(match)
    takebacks.ask(match, seat, LATER)
    others = [number for number in range(4) if number != seat]
    assert {reader for kind, _, reader in letters(match) if kind == "takeback"} == set(others)
    for number in others[:-1]:
        takebacks.agree(match, number, head(match), LATER)
        takebacks.agree(match, number, head(match), LATER)
        assert get_match(match).timeline == 0
    with pytest.raises(Refused, match="another player's takeback"):
        takebacks.ask(match, others[0], LATER)
    takebacks.agree(match, others[-1], head(match), LATER)
    assert get_match(match).timeline == 1


def test_one_of_four_can_stop_it(stored: str) -> None:
    match = four_people()
    seat = give_one_order(match)
    takebacks.ask(match, seat, LATER)
    others = [number for number in range(4) if number != seat]
    takebacks.agree(match, others[0], head(match), LATER)
    takebacks.decline(match, others[1], LATER)
    with pytest.raises(Stale):
        takebacks.agree(match, others[2], head(match), LATER)
    assert get_match(match).timeline == 0


def test_computers_agree_when_nothing_has_come_out(stored: str) -> None:
    plan = wanted(
        game="east_and_west",
        addresses={"ussr": ANN},
        machines=frozenset(("we", "uk", "usa")),
        creator=None,
        name="",
        phrase="",
    )
    match = matches.create(plan, NOW)
    joining.accept(match, 0, id_of(ANN), Joining("Ann", "en", "UTC", ""), NOW)
    assert give_one_order(match) == 0
    assert takebacks.cost_of(get_match(match), 0, 0, LATER) == Cost(0, 0, 0, 0)
    takebacks.ask(match, 0, LATER)
    assert get_match(match).timeline == 1
