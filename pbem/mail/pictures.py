"""A drawing of a game as a PNG that is small enough for a letter."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from io import BytesIO
from pathlib import Path

from PIL import Image

log = logging.getLogger(__name__)

MOST = 60_000
"""Bytes of a picture."""
WIDE = 640
"""Pixels: as wide as letters are."""
TRIES = ((1.0, (48, 24)), (0.8, (24,)), (0.6, (16,)))
"""How wide, by what was asked for, and in how many colours; until it is small enough."""
COMPRESSION = 6
"""With 9 a picture is smaller by a twentieth, and takes seven times as long."""
CANDIDATES, ALIKE = 800, 24
"""Colours that are looked at, and from which distance on two are not the same."""
FAMILY = "Source Sans Pro"
FACES = ("Regular", "It", "Bold", "BoldIt")


@lru_cache(maxsize=16)
def png(svg: str, width: int = WIDE, most: int = MOST) -> bytes | None:
    """The drawing in its light colours; None if it cannot be drawn or is too large however drawn.

    Drawn once for all letters that show it. What went wrong is logged without what was to be seen.
    """
    try:
        whole = Image.open(BytesIO(_rastered(svg, width))).convert("RGB")
        for share, some_colours in TRIES:
            picture = _narrowed(whole, share)
            for colours in some_colours:
                drawn = _with_few_colours(picture, colours)
                if len(drawn) <= most:
                    return drawn
        log.warning("picture too large bytes=%d", len(drawn))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the renderer is no Exception
        log.warning("picture not drawn error=%s", type(error).__name__)
    return None


def _rastered(svg: str, width: int) -> bytes:
    """With letters from a package, the same on every machine.

    Imported here: where no such library is, letters go without pictures.
    """
    import resvg_py

    return resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=list(_fonts()),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )


def _fonts() -> Iterator[str]:
    folder = resources.files("font_source_sans_pro") / "files"
    for face in FACES:
        yield str(Path(str(folder)) / f"{FAMILY.replace(' ', '')}-{face}.ttf")


def _narrowed(picture: Image.Image, share: float) -> Image.Image:
    """To be drawn anew would take fifty times as long, and is no clearer."""
    if share == 1:
        return picture
    size = round(picture.width * share), round(picture.height * share)
    return picture.resize(size, Image.Resampling.HAMMING)


def _with_few_colours(picture: Image.Image, most: int) -> bytes:
    """Frequent colours that differ stay as they are; all others become the nearest of them."""
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in _main_colours(picture, most) for part in colour])
    reduced = picture.quantize(palette=palette, dither=Image.Dither.NONE)
    out = BytesIO()
    reduced.save(out, "PNG", compress_level=COMPRESSION)
    return out.getvalue()


def _main_colours(picture: Image.Image, most: int) -> list[tuple[int, ...]]:
    counted = picture.getcolors(maxcolors=picture.width * picture.height) or []
    kept: list[tuple[int, ...]] = []
    for _, colour in sorted(counted, key=lambda found: -found[0])[:CANDIDATES]:
        assert isinstance(colour, tuple)
        if all(_distance(colour, other) >= ALIKE for other in kept):
            kept.append(colour)
        if len(kept) == most:
            break
    return kept


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
