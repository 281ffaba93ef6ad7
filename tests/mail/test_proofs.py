"""Proofs of chance: what the first letter of a match holds, and the last one opens."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest

from engine.chance import Opening, opening_fits
from tests.mail.posting import files_of, text_of
from tests.mail.reading import Golden

pytestmark = pytest.mark.whole


def test_the_first_letter_holds_what_the_last_one_opens(named: dict[str, EmailMessage]) -> None:
    invitation, first, finished = (
        text_of(named[name]) for name in ("invitation", "turn_first", "finished")
    )
    (commitment,) = re.findall(r"(?m)^[0-9a-f]{64}$", invitation)
    started = proofs_in(named["turn_first"])
    roots = re.findall(r"(?m)^[0-9a-f]{64}$", started)

    assert re.findall(r"(?m)^[0-9a-f]{64}$", first) == [commitment]
    assert roots[0] == commitment
    assert set(roots) <= set(re.findall(r"(?m)^[0-9a-f]{64}$", finished))
    assert bytes(range(32)).hex() in finished
    assert bytes(range(32)).hex() not in invitation + first + started


def proofs_in(letter: EmailMessage) -> str:
    """What is attached to the first letter of a match."""
    ((name, proofs),) = files_of(letter).items()
    assert name == f"pbem-{letter['X-PBEM-Match']}-proofs.txt"
    return proofs


def test_only_the_first_letter_of_a_match_has_something_attached(book: list[Golden]) -> None:
    for one in book:
        first = (
            "turn_first",
            "started",
            "turn_word",
            "one_subject_started",
            "turn_campaign_told",
            "turn_to_reply_to",
        )
        of_campaign = ("campaign_started", "campaign_turn_mobilisation")
        is_first = one.name.startswith(first) or one.name in of_campaign
        assert bool(files_of(one.letter)) == is_first, one.name


def test_openings_lead_to_the_root(named: dict[str, EmailMessage]) -> None:
    text = proofs_in(named["turn_first"])
    _, root = re.findall(r"(?m)^([0-9a-f]{64})$", text)
    found = re.findall(
        r"(?m)^place (\d+): (\w+)\n  salt (\w{32})\n  path ((?:\s*[0-9a-f]{64}\n)+)", text
    )

    assert len(found) == 5
    for place, card, salt, path in found:
        assert opening_fits(Opening(int(place), card, salt, tuple(path.split())), root, 18)


def test_the_level_of_fairness_is_said(named: dict[str, EmailMessage]) -> None:
    started, without = proofs_in(named["started"]), proofs_in(named["started_without_phrases"])

    assert "Fairness level F1" in started
    assert "Bób O'Neil (USSR) added: it rains in Berlin" in started
    assert "Fairness level F0" in without
