"""Signed links: one purpose, one spelling, keys that rotate, nothing readable in them."""

from __future__ import annotations

import base64
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from pbem.links import (
    PATHS,
    ActLink,
    ConfirmLink,
    JoinLink,
    LeaveLink,
    Links,
    Purpose,
    ReportLink,
    ThreadLink,
    TurnLink,
    YouLink,
    is_canonical,
    order_code,
)

OLD, NEW = "o" * 64, "n" * 64
LINKS = Links((OLD, NEW), "https://play.example")
TURN = TurnLink("abcdefghjk", 1, 77, 1_800_000_000)
EXAMPLES: dict[Purpose, Struct] = {
    "turn": TURN,
    "order": TurnLink("abcdefghjk", 1, 77, 1_800_000_000, "0123456789"),
    "join": JoinLink("abcdefghjk", 0, 55_555, 1_800_000_000, 1_800_000_000),
    "confirm": ConfirmLink(5, 1_800_000_000),
    "you": YouLink(55_555, 1_800_000_000, 777_777, 1_800_000_000),
    "mute": YouLink(5, 1_800_000_000),
    "act": ActLink("abcdefghjk", 0, 1_800_000_000, 777_777),
    "leave": LeaveLink(
        "abcdefghjk", 0, 1_800_000_000, 1_800_000_000, 1_800_000_000, 1_800_000_000, 55_555
    ),
    "report": ReportLink(5, "invitation", 1_800_000_000, "abcdefghjk", 1, 1_800_000_000),
    "thread": ThreadLink(1, 1, 1_800_000_000),
}


@pytest.mark.parametrize("purpose", EXAMPLES)
def test_a_link_is_read_back_for_its_own_purpose_only(purpose: Purpose) -> None:
    token = LINKS.sign(purpose, EXAMPLES[purpose])
    assert LINKS.read(purpose, token) == EXAMPLES[purpose]
    for other in EXAMPLES:
        if other != purpose:
            assert LINKS.read(other, token) is None


def test_every_purpose_has_a_path_and_a_short_address() -> None:
    for purpose, link in EXAMPLES.items():
        url = LINKS.url(purpose, link)
        assert url.startswith(f"https://play.example{PATHS[purpose]}")
        assert len(url) <= 160
    assert len(set(PATHS.values())) == len(PATHS)


def changed(token: str, random: Random) -> str:
    """One of many small ways to alter a token."""
    at = random.randrange(len(token))
    letter = random.choice("ABCxyz019_-=.é \u200b\x00%")
    match random.randrange(8):
        case 0:
            return token[:at] + letter + token[at + 1 :]
        case 1:
            return token[:at] + token[at + 1 :]
        case 2:
            return token[:at] + letter + token[at:]
        case 3:
            return token + letter
        case 4:
            return token[:at].swapcase() + token[at:]
        case 5:
            return token[:at]
        case 6:
            return token + "=" * random.randrange(1, 4)
        case _:
            flipped = chr(ord(token[at]) ^ (1 << random.randrange(7)))
            return token[:at] + flipped + token[at + 1 :]


def test_none_of_ten_thousand_altered_links_is_accepted() -> None:
    random, tokens = Random(2026), [LINKS.sign(p, link) for p, link in EXAMPLES.items()]
    tried = 0
    while tried < 10_000:
        purpose, token = random.choice(list(zip(EXAMPLES, tokens, strict=True)))
        altered = changed(token, random)
        if altered != token:
            assert LINKS.read(purpose, altered) is None, altered
            tried += 1


@given(st.text(max_size=400))
def test_any_text_at_all_is_no_link(text: str) -> None:
    assert all(LINKS.read(purpose, text) is None for purpose in EXAMPLES)


def test_the_spare_bits_of_the_last_letter_do_not_matter_to_base64_but_to_us() -> None:
    token = LINKS.sign("turn", TURN)
    body, signature = token.split(".")
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_":
        other = signature[:-1] + letter
        same = base64.urlsafe_b64decode(other + "=") == base64.urlsafe_b64decode(signature + "=")
        if other != signature and same:
            assert not is_canonical(f"{body}.{other}")


def test_links_of_an_older_key_are_read_and_of_a_retired_key_not() -> None:
    old = Links((OLD,), "").sign("turn", TURN)
    assert LINKS.read("turn", old) == TURN
    assert Links((NEW,), "").read("turn", old) is None
    assert Links((NEW,), "").read("turn", LINKS.sign("turn", TURN)) == TURN


def test_an_order_code_tells_nothing_and_differs_by_turn_order_and_match() -> None:
    secret, other = "ab" * 32, "cd" * 32
    code = order_code(secret, 7, "play vietnam s18")
    assert len(code) == 10
    assert (
        len({code, order_code(secret, 8, "play vietnam s18"), order_code(secret, 7, "event")}) == 3
    )
    assert code != order_code(other, 7, "play vietnam s18")
    token = LINKS.sign("order", TurnLink("abcdefghjk", 1, 7, 1, code))
    assert b"vietnam" not in base64.urlsafe_b64decode(token.split(".")[0] + "==")


def test_a_link_for_the_wrong_purpose_is_never_signed() -> None:
    with pytest.raises(AssertionError, match="turn signs TurnLink"):
        LINKS.sign("turn", ConfirmLink(1, 2))
