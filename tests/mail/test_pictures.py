"""Drawings as PNG: small, the same on every machine, and never a reason for a letter to fail."""

from __future__ import annotations

import logging
from io import BytesIO

import pytest
import resvg_py
from PIL import Image

from engine.abilities import Maps, Picture
from engine.chance import SealedDice
from engine.registry import GAMES
from pbem.mail.pictures import MOST, WIDE, png

SECRET = "the plan of the reader"
SQUARE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">'
    '<rect width="100" height="50" fill="#de7048"/><text y="30" font-size="20">{words}</text></svg>'
)


def maps() -> list[str]:
    """The first position of each game with a map, part by part."""
    found = []
    for game in GAMES.values():
        if isinstance(game, Maps):
            start = game.new_game({}, SealedDice()).state
            view = game.view(start, None)
            found += [game.draw_map(view, Picture(zoom=zoom.key), "de") for zoom in game.zooms()]
    return found


def pixels(drawn: bytes | None) -> Image.Image:
    assert drawn is not None
    return Image.open(BytesIO(drawn)).convert("RGB")


@pytest.mark.whole
def test_every_part_of_every_map_is_small_enough() -> None:
    drawn = [png(svg) for svg in maps()]
    assert drawn
    for one in drawn:
        assert one is not None and len(one) <= MOST
        assert pixels(one).width in range(round(WIDE * 0.6), WIDE + 1)


def test_colours_stay_as_they_are() -> None:
    assert pixels(png(SQUARE.format(words=""), 200)).getpixel((5, 5)) == (0xDE, 0x70, 0x48)


def test_words_are_written_without_the_fonts_of_the_machine() -> None:
    blank, written = png(SQUARE.format(words="")), png(SQUARE.format(words="Ä1é"))
    assert blank != written


def test_a_picture_is_drawn_once_however_many_letters_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    svg = SQUARE.format(words="once")
    first = png(svg)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", None)
    assert png(svg) is first is not None


def test_what_cannot_be_drawn_is_left_out_and_logged_without_what_it_shows(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert png(f"<svg>{SECRET}") is None
    assert "picture not drawn error=ValueError" in caplog.text
    assert SECRET not in caplog.text


def test_a_panic_of_the_renderer_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Panic(BaseException):
        """As Rust raises it."""

    def panic(**_: object) -> bytes:
        raise Panic(SECRET)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", panic)
    assert png(SQUARE.format(words="panic")) is None
    assert "error=Panic" in caplog.text and SECRET not in caplog.text


def test_a_picture_that_stays_too_large_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert png(SQUARE.format(words="large"), most=10) is None
    assert "picture too large" in caplog.text
