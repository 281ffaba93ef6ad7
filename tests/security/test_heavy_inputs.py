"""What strangers hand in to keep the server busy; everybody else is answered meanwhile."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.security.production import BASE, Answer, Production, Visitor

pytestmark = [
    pytest.mark.whole,
    pytest.mark.parametrize("server", ["sqlite"], indirect=True),  # refused before any row is read
]

MEGABYTE = 1_000_000
SOON = 0.5
"""Seconds within which others are answered."""
LONGEST = 5
"""Seconds after which even the attacker has an answer."""


def dotted_keys(count: int) -> str:
    """Each with its own table inside a table: quadratic for a reader of TOML."""
    return "".join(f"{'a.' * 10}k{n}=1\n" for n in range(count))[:39_900].rsplit("\n", 1)[0]


DECKS = {
    "dotted keys": dotted_keys(20_000),
    "one long dotted key": "a" + ".a" * 19_000 + "=1",
    "deep brackets": f"a={'[' * 9_000}{']' * 9_000}",
    "deep tables": f"a={'{a=' * 4_000}1{'}' * 4_000}",
    "many digits": f"a={'9' * 5_000}",
    "many digits in a card": f'[[cards]]\nid="x"\nvalue={"9" * 5_000}\n',
    "far exponent": "a=1e999999999",
    "many headers": "".join(f"[t{n}]\n" for n in range(4_000)),
    "no text": "a=\x00",
}
DEEP = 200_000
MATCH_FILES = {
    "deep brackets": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "many digits": b'{"format": ' + b"9" * 5_000 + b"}",
    "not a number": b'{"format": NaN}',
    "half a pair": b'{"format": "\\ud800"}',
    "no text": b"\xff\xfe\x00",
    "many entries": json.dumps(
        {"entries": [{"seq": n, "text": "x" * 20} for n in range(20_000)]}
    ).encode(),
    "one long word": b'{"match": "' + b"a" * 980_000 + b'"}',
}


def hand_in_deck(visitor: Visitor, deck: str) -> Answer:
    form = next(f for f in visitor.page(f"{BASE}/start").forms if "/start" in f.action)
    return visitor.press(form, address="deck@example.org", opponent="", deck=deck)


def hand_in_file(visitor: Visitor, content: bytes) -> Answer:
    edge = "an-edge-that-stands-nowhere-else"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="m.json"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    kind = f"multipart/form-data; boundary={edge}"
    return visitor.ask(
        "POST", "/verify", body, **{"Content-Type": kind, "Sec-Fetch-Site": "same-origin"}
    )


@contextmanager
def others_are_answered(server: Production) -> Iterator[None]:
    """While this lasts, somebody else looks at pages all the time."""
    over, waits = threading.Event(), list[float]()
    visitors = [server.visitor() for _ in range(3)]
    for visitor in visitors * 2:  # what each process does once, when it has just begun
        visitor.ask("GET", "/rules/iron_curtain")

    def look(visitor: Visitor) -> None:
        while not over.is_set():
            for path in ("/rules/iron_curtain", "/healthz"):
                answer = visitor.ask("GET", path)
                assert answer.status in (200, 429)
                waits.append(answer.seconds)
            time.sleep(0.3)

    threads = [threading.Thread(target=look, args=[visitor]) for visitor in visitors]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert len(waits) >= len(visitors)
    assert max(waits) <= SOON, f"somebody waited {max(waits):.2f} s"


@pytest.mark.parametrize("name", DECKS)
def test_a_hostile_deck_is_refused_with_a_sentence(server: Production, name: str) -> None:
    with others_are_answered(server):
        answer = hand_in_deck(server.visitor(), DECKS[name])

    assert answer.status == 400, answer.text
    assert answer.seconds < LONGEST


@pytest.mark.parametrize("name", MATCH_FILES)
def test_a_hostile_match_file_is_refused_with_a_sentence(server: Production, name: str) -> None:
    with others_are_answered(server):
        answer = hand_in_file(server.visitor(), MATCH_FILES[name])

    assert answer.status == 400, answer.text
    assert answer.seconds < LONGEST


@pytest.mark.slow  # a load test: what else runs on the machine shows in its times
def test_many_at_once_neither_fill_the_memory_nor_hold_anybody_up(server: Production) -> None:
    before = server.memory()
    seen, answers = list[int](), list[Answer]()

    def attack(deck: str) -> None:
        answers.append(hand_in_deck(server.visitor(), deck))

    with others_are_answered(server):
        attackers = [threading.Thread(target=attack, args=[deck]) for deck in [*DECKS.values()] * 2]
        for thread in attackers:
            thread.start()
        while any(thread.is_alive() for thread in attackers):
            seen.append(server.memory())
            time.sleep(0.1)

    assert {answer.status for answer in answers} <= {400, 429, 503}
    assert all(answer.headers.get("retry-after") for answer in answers if answer.status == 503)
    assert max(seen, default=0) - before < 400 * MEGABYTE
