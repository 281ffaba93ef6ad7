"""The report of what has changed: theatres by importance, within 72 columns in every language."""

from __future__ import annotations

import re

import pytest

from engine.core import LANGUAGES, Language, Seat
from engine.east_and_west.briefing import report
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.view import View
from tests.engine.east_and_west.kit import GAME, new_match, order, state

WE = Seat("we")


def views() -> tuple[View, View]:
    """Western Europe before and after an attack on Turkey and a small move in Asia."""
    before = state(
        "georgia ussr 4 infantry 2 armor",
        "turkey we 1 infantry",
        "kamchatka ussr 1 infantry",
        "japan usa 2 infantry",
    )
    moved = order(before, "ussr", "move georgia turkey 4 infantry 2 armor").state
    after = order(moved, "ussr", "done", faces=[1, 1, 6, 6, 6, 6, 6]).state
    return GAME.view(before, WE), GAME.view(after, WE)


def test_the_theatre_with_the_greatest_change_comes_first() -> None:
    before, after = views()
    first, *others = GAME.changed(after, before)
    assert "turkey" in first
    assert len({atlas().spaces[space].theatre for space in first}) == 1
    assert first.union(*others) == {"turkey", "georgia"}


def test_nothing_has_changed_in_what_is_the_same() -> None:
    before, _ = views()
    assert GAME.changed(before, before) == ()


def test_what_has_changed_is_marked_and_other_theatres_are_left_out() -> None:
    before, after = views()
    text = GAME.report(after, before)
    assert "S+Turkey " in text
    assert "+ changed" in text
    assert "Japan" not in text
    page = GAME.report_markup(after, before)
    assert "Turkey, <i>changed</i>" in page
    assert "Japan" not in page


def test_without_an_earlier_view_it_is_about_the_reader_and_marks_nothing() -> None:
    text = GAME.report(GAME.view(new_match(), WE), None)
    assert "E France" in text
    assert "changed" not in text and "+" not in text
    assert "You have units also in: " in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_short_and_narrow_in_every_language(language: Language) -> None:
    lines = GAME.report(GAME.view(new_match(), WE), None, 72, language).splitlines()
    assert max(map(len, lines)) <= 72
    assert len(lines) < len(GAME.render(GAME.view(new_match(), WE), 72, language).splitlines()) / 2


def test_there_is_always_room_for_one_theatre() -> None:
    board = new_match().board
    everything = frozenset(atlas().theatre("europe"))
    assert len(everything) > report.ROOM / 2
    assert report.fitting(board, [everything] * 3) == 1


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_fits_narrow_paper_and_breaks_no_word(width: int, language: Language) -> None:
    text = GAME.report(GAME.view(new_match(), WE), None, width, language)
    assert max(map(len, text.splitlines())) <= width
    wide = GAME.report(GAME.view(new_match(), WE), None, 200, language)
    assert set(re.split(r"[\s,-]+", text)) <= set(re.split(r"[\s,-]+", wide))


def test_in_sentences_what_has_changed_comes_first_and_nothing_is_drawn() -> None:
    before, after = views()
    lines = GAME.report_told(after, before).splitlines()
    assert all(line.endswith((".", ":")) for line in lines)
    theatre = next(number for number, line in enumerate(lines) if line.endswith(":"))
    assert lines[theatre + 1].startswith(("Turkey", "Georgia"))
    assert "Japan" not in " ".join(lines)
    assert "Türkei" in GAME.report_told(after, before, "de")
