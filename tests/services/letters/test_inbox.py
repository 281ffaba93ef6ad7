"""What comes to an inbox: one first letter, no receipt of what was seen, quick answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.db import store
from pbem.errors import Stale, TransportError
from pbem.services.letters import outbox
from pbem.services.match import api_orders, matches, turns
from pbem.services.records.match_rows import LIVE, OVER, get_match
from tests.mail.posting import WORKER, Bag, files_of, office_with, text_of
from tests.services.people import ANN, BOB, NOW, Sitting, sit_down, turn_of


@pytest.fixture(autouse=True)
def _stored(stored: str) -> Iterator[None]:
    yield


@pytest.fixture
def sitting() -> Sitting:
    return sit_down(NOW)


@pytest.fixture
def bag() -> Bag:
    return Bag()


def sent(bag: Bag, now: int = NOW) -> list[tuple[str, str]]:
    """Letters that leave now: kind and address."""
    before = len(bag.parcels)
    outbox.drain(office_with(bag), WORKER, now)
    return [(str(one["X-PBEM-Kind"]), str(one["To"])) for one in bag.letters[before:]]


# --- the first letter -----------------------------------------------------------------------------


def test_a_match_begins_with_one_letter_for_each(sitting: Sitting, bag: Bag) -> None:
    assert sorted(sent(bag)) == [("started", ANN), ("turn", BOB)]
    first = {str(one["X-PBEM-Kind"]): one for one in bag.letters}
    for kind in ("started", "turn"):
        assert list(files_of(first[kind])) == [f"pbem-{sitting.match}-proofs.txt"]
        assert get_match(sitting.match).commitment in text_of(first[kind])
    assert sent(bag, NOW + 600) == []


def test_who_plays_before_the_first_letter_left_still_gets_its_proofs(
    sitting: Sitting, bag: Bag
) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)

    assert ("started", BOB) in sent(bag)
    (letter,) = [
        one for one in bag.letters if one["X-PBEM-Kind"] == "started" and str(one["To"]) == BOB
    ]
    assert files_of(letter)
    assert "/o/" not in text_of(letter)


def test_a_first_letter_that_has_to_be_tried_again_is_not_followed_by_another(
    sitting: Sitting, bag: Bag
) -> None:
    bag.trouble = lambda parcel: TransportError("451 later") if parcel.recipient == BOB else None
    sent(bag)
    bag.trouble = lambda parcel: None
    later = [*sent(bag, NOW + 100), *sent(bag, NOW + 1_000)]

    assert later.count(("turn", BOB)) == 1
    assert ("started", BOB) not in later


# --- receipts -------------------------------------------------------------------------------------


def receipts(bag: Bag, now: int) -> list[str]:
    return [to for kind, to in sent(bag, now) if kind == "receipt"]


@pytest.mark.parametrize(
    ("is_shown", "wants", "comes"),
    [
        (True, False, False),
        (True, True, True),
        (False, False, True),
    ],
)
def test_a_receipt_comes_where_no_page_has_shown_the_result(
    sitting: Sitting, bag: Bag, is_shown: bool, wants: bool, comes: bool
) -> None:
    sent(bag)
    store.execute("UPDATE player SET receipts = ? WHERE id = ?", wants, sitting.bob)
    with store.writing():
        match, turn = turns.held(turn_of(sitting.match).id)
        turns.send(match, turn, ["first usa"], NOW + 60, is_shown=is_shown)

    assert receipts(bag, NOW + 60) == ([BOB] if comes else [])


def test_a_move_by_a_program_has_its_receipt(sitting: Sitting, bag: Bag) -> None:
    sent(bag)
    with store.writing():
        match, turn = turns.held(turn_of(sitting.match).id)
        sending = api_orders.Sending(("first usa",))
        api_orders.play_once(match, turn, sending, NOW + 60, is_newest=True)

    assert receipts(bag, NOW + 60) == [BOB]


# --- draws ----------------------------------------------------------------------------------------


def test_a_draw_is_declined_and_who_offered_it_hears_so(sitting: Sitting, bag: Bag) -> None:
    matches.offer_draw(sitting.match, 0, NOW)
    sent(bag)
    matches.decline_draw(sitting.match, 1, NOW + 1)

    assert sent(bag, NOW + 1) == [("message", ANN)]
    assert str(bag.letters[-1]["Subject"]) == "Draw declined by Bob: Iron Curtain"
    assert not any(seat.draw_offered for seat in get_match(sitting.match).seats)
    with pytest.raises(Stale):
        matches.decline_draw(sitting.match, 1, NOW + 2)


def test_an_offer_that_was_declined_before_its_letter_left_is_not_told(
    sitting: Sitting, bag: Bag
) -> None:
    matches.offer_draw(sitting.match, 0, NOW)
    matches.decline_draw(sitting.match, 1, NOW)

    assert ("message", BOB) not in sent(bag)


def test_who_accepts_what_is_not_offered_any_more_offers_nothing(sitting: Sitting) -> None:
    with pytest.raises(Stale):
        matches.accept_draw(sitting.match, 1, NOW)
    assert not get_match(sitting.match).seat(1).draw_offered
    assert get_match(sitting.match).status == LIVE


def test_a_draw_is_accepted(sitting: Sitting) -> None:
    matches.offer_draw(sitting.match, 0, NOW)

    assert matches.accept_draw(sitting.match, 1, NOW)
    assert (get_match(sitting.match).status, get_match(sitting.match).result) == (OVER, "draw")
