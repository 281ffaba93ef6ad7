"""No letter to a seat names a card that is hidden from it: every card is a canary."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Iterator
from email.message import EmailMessage
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.chance import QuickDice
from engine.core import Json, Seat
from pbem import store
from pbem.mail.transport import Parcel
from pbem.services import history, matches, outbox, turns
from pbem.services.records import LIVE, MatchRecord, get_match
from tests.mail.posting import WORKER, Bag, html_of, office_with, opened, text_of
from tests.services.people import ANN, NOW, an_order, sit_down

SEATS = {ANN: Seat("usa")}
TOKEN = re.compile(r"/(?:t|o|seat|you|mute)/([\w-]+)\.")


@pytest.fixture(autouse=True)
def _stored(tmp_path: Path) -> Iterator[None]:
    store.open_database(f"sqlite:///{tmp_path / 'pbem.db'}")
    with store.connected():
        store.migrate()
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


def hidden_from(match: MatchRecord, seat: Seat) -> set[str]:
    """The cards that a seat may not know of now."""
    view = match.game.view(history.current(match), seat)
    known = {*view.hand, *view.aftermath, *(country.card for country in view.table)}
    return set(view.deck.order) - known - {view.aside}


def everything_in(letter: EmailMessage) -> str:
    """Headers, both parts, and what the links carry when somebody reads them."""
    text, html = text_of(letter), html_of(letter)
    carried = [
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode("latin-1")
        for payload in TOKEN.findall(text + html)
    ]
    return "\n".join([str(letter.items()), text, html, *carried])


def leaks(match: MatchRecord, parcels: list[Parcel]) -> list[str]:
    found = []
    for parcel in parcels:
        letter = opened(parcel.mime)
        words = everything_in(letter)
        hidden = hidden_from(match, SEATS.get(parcel.recipient, Seat("ussr")))
        found += [f"{letter['X-PBEM-Kind']}: {card}" for card in hidden if card in words]
    return found


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
            matches.say(sitting.match, orders % 2, "Hello", NOW + orders)

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


def test_a_resigned_match_opens_the_secret_and_no_hand() -> None:
    sitting = sit_down(NOW, {"deck": canary_deck(5)})
    bag = Bag()
    matches.resign(sitting.match, 0, NOW + 1)
    outbox.drain(office_with(bag), WORKER, NOW + 1)

    assert leaks(get_match(sitting.match), bag.parcels) == []


def test_worlds_that_a_seat_cannot_tell_apart_give_it_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reliability 51, for letters: the hidden cards are dealt anew, the letter stays the same."""
    sitting = sit_down(NOW)
    office, dice, compared = office_with(Bag()), QuickDice(b"worlds"), 0
    for step in range(60):
        match = get_match(sitting.match)
        if match.status != LIVE:
            break
        state = history.current(match)
        for letter in outbox.claim(WORKER, NOW + step * outbox.LEASE):
            if letter.kind not in ("turn", "receipt") or outbox.is_stale(letter):
                continue
            assert letter.seat is not None
            real = outbox.build(office, letter, NOW)
            seat = match.seat(letter.seat).name
            other = match.game.resample_hidden(state, seat, dice)
            with monkeypatch.context() as world:
                world.setattr(history, "state_at", lambda match, seq, it=other: it)
                assert outbox.build(office, letter, NOW) == real
            compared += 1
        store.execute("UPDATE outbox SET state = 'sent'")
        turn, order = an_order(sitting.match, dice)
        turns.submit(turn.id, [order], NOW + step)

    assert compared > 30
