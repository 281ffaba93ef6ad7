"""Addresses: their canonical form, and what the outbox tells of whether letters arrive there."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, rows, writing
from pbem.errors import TransportError
from pbem.mail.parcels import LinkLost, Parcel
from pbem.services.letters import outbox, verdicts
from pbem.services.records import addresses
from pbem.services.records.addresses import Refusing
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes
from tests.mail.posting import WORKER, Bag, office_with, owe_you
from tests.services.people import ANN, BOB, NOW, id_of

DAY = 86_400
NEW = "ann@new.example"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann@Example.ORG", "ann@example.org"),
        ("ann+games@example.org", "ann@example.org"),
        (" a.n.n+x@googlemail.com ", "ann@gmail.com"),
        ("A.nn@gmail.com", "ann@gmail.com"),
    ],
)
def test_what_one_person_can_vary_makes_no_other_address(one: str, other: str) -> None:
    assert addresses.canonical_address(one) == addresses.canonical_address(other) == other


def test_dots_make_another_address_elsewhere() -> None:
    assert addresses.canonical_address("a.nn@example.org") == "a.nn@example.org"


class Post:
    """An office whose mail server answers as it is told."""

    def __init__(self) -> None:
        self.bag, self.now = Bag(), NOW
        self.office = office_with(self.bag)

    def tries(self, address: str, error: TransportError | None, letters: int = 1) -> int:
        """Owe an address some letters and try them once; whose it is."""
        player = owe_you(address, letters, self.now)
        execute("UPDATE outbox SET stream = 'row/' || id WHERE player_id = ?", player)
        self.bag.trouble = lambda parcel: error if _is_to(parcel, address) else None
        outbox.drain(self.office, WORKER, self.now, stopwatch=lambda: 0.0)
        return player

    def tries_to_the_end(self) -> None:
        """Five days pass, and the letter is given up."""
        execute("UPDATE outbox SET attempts = ?", verdicts.MOST_TRIES - 1)
        self.now += verdicts.GIVE_UP
        outbox.drain(self.office, WORKER, self.now, stopwatch=lambda: 0.0)
        assert rows("SELECT state FROM outbox") == [("dead",)]


def _is_to(parcel: Parcel, address: str) -> bool:
    return parcel.recipient == address


@pytest.fixture
def post(stored: str) -> Post:
    return Post()


GONE = TransportError("550 5.1.1 no such user", permanent=True)
FULL = TransportError("452 4.2.2 mailbox full")


def test_an_address_is_fine_until_a_server_answers_otherwise(post: Post) -> None:
    ann = post.tries(ANN, None)
    state = addresses.state_of(ann)

    assert (state.arrival, state.trouble, state.arrived_at) == ("fine", (), NOW)
    assert addresses.state_of(999) == addresses.AddressState("fine")
    assert addresses.states_of([]) == {}


def test_a_letter_that_was_put_off_defers_with_what_was_said(post: Post) -> None:
    ann = post.tries(ANN, FULL)
    state = addresses.state_of(ann)

    assert state.arrival == "deferring"
    (trouble,) = state.trouble
    assert (trouble.kind, trouble.state, trouble.attempts) == ("you", "queued", 1)
    assert trouble.error == "452 4.2.2 mailbox full"
    assert addresses.refusing(10) == []


def test_a_refused_letter_bounces_until_one_arrives(post: Post) -> None:
    ann = post.tries(ANN, GONE)
    bob = post.tries(BOB, GONE, letters=2)

    assert addresses.state_of(ann).arrival == "bouncing"
    assert [(one.player, one.address) for one in addresses.refusing(10)] == [(bob, BOB), (ann, ANN)]
    assert addresses.refusing(1) == [Refusing(bob, "", BOB, NOW, "550 5.1.1 no such user")]
    assert len(addresses.state_of(bob).trouble) == 2

    execute("UPDATE outbox SET state = 'dead'")  # tried again often enough
    post.now += DAY
    post.tries(ANN, None)
    assert addresses.state_of(ann).arrival == "fine"
    assert [one.player for one in addresses.refusing(10)] == [bob]


def test_a_letter_that_was_given_up_bounces(post: Post) -> None:
    ann = post.tries(ANN, FULL)
    post.tries_to_the_end()

    assert addresses.state_of(ann).arrival == "bouncing"
    assert [one.player for one in addresses.refusing(10)] == [ann]


@pytest.mark.parametrize(
    "error",
    [
        LinkLost("ConnectionRefusedError: [Errno 111] Connection refused"),
        LinkLost("421 closing"),
        TransportError("535 5.7.8 bad credentials"),
    ],
)
def test_what_is_our_own_fault_says_nothing_about_an_address(
    post: Post, error: TransportError
) -> None:
    ann = post.tries(ANN, error)
    assert addresses.state_of(ann).arrival == "fine"
    post.tries_to_the_end()

    assert addresses.state_of(ann).arrival == "fine"
    assert addresses.refusing(10) == []


def test_a_letter_that_cannot_be_written_says_nothing_about_an_address(post: Post) -> None:
    ann = post.tries(ANN, None)
    execute(
        "UPDATE outbox SET state = 'dead', message_id = NULL, attempts = 3, sent_at = NULL,"
        " last_error = '5 is no number in _turn:12'"
    )
    assert addresses.state_of(ann).arrival == "fine"
    assert addresses.refusing(10) == []


def test_a_new_address_starts_afresh(post: Post) -> None:
    ann = post.tries(ANN, GONE)
    with writing():
        change = address_changes.ask(get_player(ann), NEW, "asked for", NOW + 1)
    address_changes.confirm(change, NOW + 2)

    assert addresses.state_of(ann).arrival == "fine"
    assert addresses.refusing(10) == []
    assert id_of(NEW) == ann
