"""Letters in the language, the time zone and the typography of their reader."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from engine.chance import QuickDice
from engine.core import LANGUAGES, Language
from engine.text import plain
from pbem.db import store
from pbem.mail import times
from pbem.mail.parts import Reader
from pbem.mail.rendering import fold
from pbem.services.letters import outbox
from pbem.services.match import joining, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import LIVE, get_match
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.mail.reading import LINK
from tests.services.people import ANN, BOB, NOW, an_order, id_of, turn_of, wanted


def reader(language: Language, zone: str) -> Reader:
    return Reader("Ann", language, zone, "", "")


@pytest.mark.parametrize(
    ("language", "zone", "said"),
    [
        ("en", "UTC", "Sunday, 29 March 2026, 00:30 UTC"),
        ("en", "Europe/London", "Sunday, 29 March 2026, 00:30 (UTC+00:00, Europe/London)"),
        ("de", "Europe/Berlin", "Sonntag, 29.\u00a0März 2026, 01:30 (UTC+01:00, Europe/Berlin)"),
        ("fr", "America/Montreal", "samedi 28 mars 2026, 20:30 (UTC-04:00, America/Montreal)"),
        ("en", "Asia/Kolkata", "Sunday, 29 March 2026, 06:00 (UTC+05:30, Asia/Kolkata)"),
    ],
)
def test_a_time_is_told_as_its_reader_tells_it(language: Language, zone: str, said: str) -> None:
    at = int(datetime(2026, 3, 29, 0, 30, tzinfo=UTC).timestamp())

    assert times.moment(at, reader(language, zone)) == said


def test_summer_time_moves_the_clock_and_not_the_deadline() -> None:
    before = int(datetime(2026, 3, 29, 0, 30, tzinfo=UTC).timestamp())
    told = times.deadline(before + 3_600, before, reader("de", "Europe/Berlin"))

    assert told.local == "Sonntag, 29.\u00a0März 2026, 03:30 (UTC+02:00, Europe/Berlin)"
    assert (told.utc, told.days, told.hours, told.minutes) == ("2026-03-29 01:30 UTC", 0, 1, 0)


@pytest.mark.parametrize(
    ("seconds", "parts"), [(0, (0, 0, 0)), (-5, (0, 0, 0)), (187_499, (2, 4, 4)), (59, (0, 0, 0))]
)
def test_how_far_away_a_time_is(seconds: int, parts: tuple[int, int, int]) -> None:
    assert times.span(seconds) == parts


@pytest.mark.whole
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_letter_speaks_the_language_of_its_reader(language: Language, store_url: str) -> None:
    store.open_database(store_url)
    with store.connected():
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", language, "UTC", ""), NOW)
        bag = Bag()
        outbox.drain(office_with(bag), WORKER, NOW)
        turns.submit(turn_of(match).id, ["first ussr"], NOW)
    letter = next(letter for letter in bag.letters if letter["X-PBEM-Kind"] == "turn")
    hand = {"en": "Your hand:", "de": "Deine Handkarten:", "fr": "Votre main"}[language]

    assert hand in text_of(letter)
    assert f'<html lang="{language}">' in html_of(letter)


@pytest.mark.whole
@pytest.mark.parametrize("ending", ["resigned", "agreed"])
@pytest.mark.parametrize(
    ("language", "asked", "over"),
    [
        ("en", "Your move", "The match is over."),
        ("de", "Du bist am Zug", "Die Partie ist beendet."),
        ("fr", "À vous", "La partie est terminée."),
    ],
)
def test_the_last_letter_asks_nothing_however_the_match_ended(
    language: Language, asked: str, over: str, ending: str, store_url: str
) -> None:
    store.open_database(store_url)
    bag = Bag()
    with store.connected():
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", language, "UTC", ""), NOW)
        if ending == "resigned":
            matches.resign(match, 0, NOW)
        else:
            matches.offer_draw(match, 0, NOW)
            matches.offer_draw(match, 1, NOW)
        outbox.drain(office_with(bag), WORKER, NOW)
    (letter,) = [
        letter
        for letter in bag.letters
        if letter["X-PBEM-Kind"] == "finished" and str(letter["To"]) == BOB
    ]

    for part in (plain(text_of(letter)), plain(unescape(html_of(letter)))):
        assert plain(asked) not in part
        assert plain(over) in part


@pytest.mark.whole
def test_french_lines_never_begin_with_punctuation(sqlite_store: str) -> None:
    """Of the texts alone: one kind of store is enough for a whole match."""
    store.open_database(sqlite_store)
    bag, choice = Bag(), QuickDice(b"typography")
    with store.connected():
        match = matches.create(wanted(language="fr", setup={"connected": "on"}), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "fr", "UTC", "il pleut"), NOW)
        while get_match(match).status == LIVE:
            turn, order = an_order(match, choice)
            turns.submit(turn.id, [order], NOW)
            outbox.drain(office_with(bag), WORKER, NOW)
    texts = [text_of(letter) for letter in bag.letters]
    begun = {line.lstrip(" -|")[:1] for text in texts for line in text.splitlines()}
    said = "\n".join(LINK.sub("", text) for text in texts)

    assert len(texts) > 20
    assert not begun & set(":;?!»")
    assert re.search("\u00a0[:;?!]", said)
    assert not re.search(r"(?m)[a-zé)][;?!](\s|$)|^[^:]*[a-zé)]:$", said)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("", [""]),
        ("x" * 70 + " no\u00a0: y", ["x" * 70, "no\u00a0: y"]),
        ("x" * 70 + " 3\u202f000", ["x" * 70, "3\u202f000"]),
        ("one two", ["one two"]),
        ("x" * 100, ["x" * 100]),
        ("a " + "x" * 71, ["a", "x" * 71]),
        ("x" * 35 + " " + "y" * 36, ["x" * 35 + " " + "y" * 36]),
        ("x" * 36 + " " + "y" * 36, ["x" * 36, "y" * 36]),
    ],
)
def test_paragraphs_are_folded_at_72_columns(words: str, lines: list[str]) -> None:
    assert fold(words).split("\n") == lines


def test_a_list_item_hangs() -> None:
    folded = fold("word " * 30, "- ", "  ").split("\n")

    assert [line[:2] for line in folded] == ["- ", "  ", "  "]
    assert max(map(len, folded)) <= 72
