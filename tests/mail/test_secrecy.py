"""No letter to a seat names a card that is hidden from it: every card is a canary."""

from __future__ import annotations

import base64
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from functools import partial
from importlib import resources
from random import Random
from typing import Any

import pytest

from engine.chance import QuickDice
from engine.core import Json, Seat
from pbem.db import store
from pbem.deadlines import DAY
from pbem.mail.parcels import Parcel
from pbem.services.letters import composing, outbox, reader_context
from pbem.services.letters.claims import LEASE, claim
from pbem.services.letters.kinds import registry
from pbem.services.match import match_log, matches, messages, turns
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, MatchRecord, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from pbem.services.time import clocks, reminders
from tests.mail.posting import WORKER, Bag, files_of, html_of, office_with, opened, text_of
from tests.services.people import ANN, BOB, EVE, NOW, an_order, id_of, sit_down, turn_of
from tests.services.waiting import agree

SEATS: dict[str, Seat | None] = {ANN: Seat("usa"), BOB: Seat("ussr"), EVE: None}
"""Eve is asked to stand in, and has not answered."""
TOKEN = re.compile(r"/(?:t|o|seat|you|mute|stand)/([\w-]+)\.")
ABOUT_TIME = {"reminder", "late", "claim", "away", "stand_in", "briefing"}


@pytest.fixture(autouse=True)
def _stored(store_url: str) -> Iterator[None]:
    store.open_database(store_url)
    with store.connected():
        yield


def canary_deck(seed: int) -> dict[str, Json]:
    """The usual deck, with ids, names and texts that occur nowhere else."""
    dice = Random(seed)
    text = (resources.files("engine.iron_curtain") / "cards.toml").read_text("utf-8")
    deck = tomllib.loads(text)
    new_ids = {card["id"]: f"q{dice.randbytes(6).hex()}" for card in deck["cards"]}
    for card in deck["cards"]:
        word = new_ids[card["id"]]
        card["name"] = {"en": f"N{word}", "de": f"N{word}", "fr": f"N{word}"}
        card["text"] = {"en": f"Text of {word}.", "de": f"Text {word}.", "fr": f"Texte {word}."}
    renamed: dict[str, Json] = _renamed(deck, new_ids)
    return renamed


def _renamed(value: Any, names: dict[str, str]) -> Any:
    match value:
        case dict():
            return {key: _renamed(inner, names) for key, inner in value.items()}
        case list():
            return [_renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def hidden_from(match: MatchRecord, seat: Seat | None) -> set[str]:
    """The cards that a seat may not know of now."""
    view = match.game.view(match_log.current(match), seat)
    known = {*view.hand, *view.aftermath, *(country.card for country in view.table)}
    return set(view.deck.order) - known - {view.aside}


def everything_in(letter: EmailMessage) -> str:
    """Headers, both parts, files, and what the links carry when somebody reads them."""
    text, html, files = text_of(letter), html_of(letter), files_of(letter).values()
    carried = [
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode("latin-1")
        for payload in TOKEN.findall(text + html)
    ]
    return "\n".join([str(letter.items()), text, html, *files, *carried])


def leaks(match: MatchRecord, parcels: list[Parcel]) -> list[str]:
    found = []
    for parcel in parcels:
        letter = opened(parcel.mime)
        words = everything_in(letter)
        hidden = hidden_from(match, SEATS[parcel.recipient])
        found += [f"{letter['X-PBEM-Kind']}: {card}" for card in hidden if card in words]
    return found


@pytest.mark.whole
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_hidden_card_is_named_in_any_letter(seed: int) -> None:
    sitting = sit_down(NOW, {"deck": canary_deck(seed)})
    bag, choice, checked = Bag(), QuickDice(bytes([seed])), 0
    office, orders = office_with(bag), 0
    while True:
        outbox.drain(office, WORKER, NOW + orders)
        match = get_match(sitting.match)
        assert leaks(match, bag.parcels[checked:]) == []
        checked = len(bag.parcels)
        if match.status != LIVE:
            break
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + orders)
        orders += 1
        if orders % 10 == 0:
            messages.say(sitting.match, orders % 2, "Hello", NOW + orders)

    kinds = {str(opened(parcel.mime)["X-PBEM-Kind"]) for parcel in bag.parcels}
    assert {"started", "turn", "receipt", "message", "finished"} <= kinds
    assert checked > 30


def test_the_search_would_notice_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same test with a game that shows everybody the hand of the USA."""
    sitting = sit_down(NOW, {"deck": canary_deck(4)})
    match, bag = get_match(sitting.match), Bag()
    honest = type(match.game).view
    monkeypatch.setattr(
        type(match.game), "view", lambda self, state, seat: honest(self, state, Seat("usa"))
    )
    outbox.drain(office_with(bag), WORKER, NOW)
    monkeypatch.undo()

    assert len(leaks(match, bag.parcels)) >= 5


def owe_letters_about_time(match: str, loan: int, now: int) -> None:
    """One of each kind, to every seat that can get it, as if all had happened at once."""
    clocks.start(turn_of(match).id, now)
    record, turn = get_match(match), turn_of(match)
    late = {"of": turn.id, "by": turn.seat, "deadline": turn.deadline_at}
    owed = []
    for seat in record.seats:
        owed.append(letter_queue.to_seat(record, seat, "briefing", f"{now}", loan=loan, back=False))
        owed.append(letter_queue.to_seat(record, seat, "late", f"{now}", **late))
        if seat.number != turn.seat:
            owed.append(letter_queue.to_seat(record, seat, "claim", f"{now}", **late))
        for what in ("booked", "floating", "resumed", "changed_hands", "given_time"):
            by, end = 1 - seat.number, now + DAY
            about: dict[str, Any] = {"what": what, "by": by, "start": now, "end": end}
            owed.append(letter_queue.to_seat(record, seat, "away", f"{what}:{now}", **about))
    eve = get_player(id_of(EVE))
    asked = letter_queue.to_player(eve.id, eve.epoch, "stand_in", f"{now}", loan=loan, what="asked")
    owed.append(asked._replace(match=match, seat=1))
    letter_queue.queue(owed, now)
    reminders.remind(get_player(record.seat(turn.seat).player), [turn], now)


@pytest.mark.whole
@pytest.mark.parametrize("seed", [6, 7])
def test_no_hidden_card_is_named_in_letters_about_time(seed: int) -> None:
    sitting = sit_down(NOW, {"deck": canary_deck(seed)})
    bag, choice, checked = Bag(), QuickDice(bytes([seed])), 0
    office, loan = office_with(bag), stand_ins.give_up(sitting.match, 1, EVE, NOW)
    for step in range(36):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + step)
        if step % 7 == 0:
            outbox.drain(office, WORKER, NOW + step)
            owe_letters_about_time(sitting.match, loan, NOW + step)
            outbox.drain(office, WORKER, NOW + step)
            assert leaks(get_match(sitting.match), bag.parcels[checked:]) == []
            checked = len(bag.parcels)

    sent = {(str(opened(one.mime)["X-PBEM-Kind"]), one.recipient) for one in bag.parcels}
    assert {kind for kind, _ in sent} >= ABOUT_TIME
    assert {("briefing", ANN), ("briefing", BOB), ("stand_in", EVE)} <= sent


@pytest.mark.parametrize("fault", ["eyes of the seat", "ears of everybody"])
def test_the_search_would_notice_who_is_told_too_much(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit_down(NOW, {"deck": canary_deck(8)})
    bag = Bag()
    loan = stand_ins.give_up(sitting.match, 1, EVE, NOW)
    outbox.drain(office_with(Bag()), WORKER, NOW)
    if fault == "eyes of the seat":
        monkeypatch.setattr(
            reader_context.SeatContext,
            "public_board",
            lambda context: context.board(match_log.current(context.match)),
        )
    else:
        monkeypatch.setattr("engine.core.Event.heard_by", lambda event, seat: True)
    owe_letters_about_time(sitting.match, loan, NOW)
    outbox.drain(office_with(bag), WORKER, NOW)
    found = leaks(get_match(sitting.match), bag.parcels)
    kind = "stand_in" if fault == "eyes of the seat" else "briefing"

    assert len(found) >= 5
    assert {leak.partition(":")[0] for leak in found} == {kind}


def test_a_resigned_match_opens_the_secret_and_no_hand() -> None:
    sitting = sit_down(NOW, {"deck": canary_deck(5)})
    bag = Bag()
    matches.resign(sitting.match, 0, NOW + 1)
    outbox.drain(office_with(bag), WORKER, NOW + 1)

    assert leaks(get_match(sitting.match), bag.parcels) == []


@pytest.mark.whole
def test_worlds_that_a_seat_cannot_tell_apart_give_it_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reliability 51, for letters: the hidden cards are dealt anew, the letter stays the same."""
    sitting = sit_down(NOW)
    office, dice, compared = office_with(Bag()), QuickDice(b"worlds"), Counter[str]()
    loan = stand_ins.give_up(sitting.match, 1, EVE, NOW)
    agree(sitting.match, policy="default")
    for step in range(60):
        match = get_match(sitting.match)
        if match.status != LIVE:
            break
        now = NOW + step * LEASE
        if step % 7 == 0:
            owe_letters_about_time(sitting.match, loan, now)
        for letter in _all_claimed(now):
            is_read = letter.kind in {"turn", "receipt", *ABOUT_TIME}
            if not is_read or not registry.is_current(letter):
                continue
            real = composing.build(office, letter, NOW)
            other = partial(_dealt_anew, match_log.state_at, SEATS[letter.facts.address], dice)
            with monkeypatch.context() as world:
                world.setattr(match_log, "state_at", other)
                assert _read(composing.build(office, letter, NOW)) == _read(real)
            compared[letter.kind] += 1
        turn, order = an_order(sitting.match, dice)
        turns.submit(turn.id, [order], NOW + step)

    assert compared["turn"] + compared["receipt"] > 30
    assert {kind for kind, count in compared.items() if count > 3} >= ABOUT_TIME


def _dealt_anew(
    state_at: Callable[[MatchRecord, int], Any],
    seat: Seat | None,
    dice: QuickDice,
    match: MatchRecord,
    seq: int,
) -> Any:
    """The state after an entry in another world, which that seat cannot tell from this one."""
    return match.game.resample_hidden(state_at(match, seq), seat, dice)


def _read(mime: bytes) -> bytes | tuple[object, ...]:
    """A letter as its reader sees it; proofs are salted hashes of what is hidden, and differ."""
    letter = opened(mime)
    if not files_of(letter):
        return mime
    return letter.items(), text_of(letter), html_of(letter), list(files_of(letter))


def _all_claimed(now: int) -> Iterator[QueuedLetter]:
    """What waits, one stream after the other, as if each letter were sent when it is claimed."""
    while claimed := claim(WORKER, now):
        yield from claimed
        store.execute("UPDATE outbox SET state = 'sent' WHERE state = 'leased'")
