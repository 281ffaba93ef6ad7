"""What somebody has written anew, out of replies of many programs in three languages."""

from __future__ import annotations

import time

import pytest

from pbem.incoming import own_words as cutting
from pbem.incoming.own_words import MARKERS, own_words
from pbem.incoming.reading import read
from tests.kit.mail_programs import CLIENTS, LANGUAGES
from tests.kit.replies_corpus import SHAPES, written
from tests.pbem.incoming.letters import READER, our_letter

SHORT = ("2",)
LONG = (
    "move 3 infantry, 2 armor, 1 fighter, 4 heavy armor from East Germany to West Germany, Poland",
    "SAY Schöne Grüße, à bientôt: what now?",
)


def words_of(raw: bytes) -> tuple[str, ...]:
    return read(raw, READER, "").own_words


def test_there_are_enough_shapes() -> None:
    assert len(set(SHAPES)) >= 150
    assert {shape.language for shape in SHAPES} == set(LANGUAGES)
    assert {shape.style for shape in SHAPES} == {"top", "bottom", "inline", "alone"}
    assert {shape.body for shape in SHAPES} == {"plain", "flowed", "html", "both"}
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize("client", CLIENTS)
def test_own_words_are_found_in_every_shape(client: str) -> None:
    shapes = [shape for shape in SHAPES if shape.client == client]
    for shape in shapes:
        for letter, words in ((our_letter(), LONG), (our_letter(shape.language), SHORT)):
            raw = written(shape, letter, words)
            has_letter = b"4f809bb78c5560ad" in raw.replace(b"=\n", b"")
            assert has_letter == (shape.style != "alone"), shape
            assert words_of(raw) == words, shape


def test_markers_are_no_signature_and_differ() -> None:
    assert set(MARKERS) == set(LANGUAGES)
    assert len(set(MARKERS.values())) == len(MARKERS)
    assert all(marker.strip() != "--" for marker in MARKERS.values())


@pytest.mark.parametrize("marker", MARKERS.values())
@pytest.mark.parametrize("form", ["{}", "{}\n\n", "  {}", "*{}*", "—{}—"])
def test_all_below_a_marker_is_old(marker: str, form: str) -> None:
    for said in (form.format(marker), form.format(marker).upper()):
        assert own_words(f"1\n\n{said}\n2\nresign") == ("1",)


def test_a_head_in_an_unknown_language_above_the_marker_goes() -> None:
    head = "El mié, 3 mar 2027 a las 11:00, pbem (<r1-abc@play.example>) escribió:"
    assert own_words(f"1\n\n{head}\n\n{MARKERS['en']}\n2") == ("1",)


ADDRESS = "r48213.abcdef-abcdefghijklmnopqrstuvwxyz@play.example"


@pytest.mark.parametrize(
    "head",
    [
        f"El mié, 3 mar 2027 a las 11:00, pbem (<{ADDRESS}>) escribió:",
        f"El mié, 3 mar 2027 a las 11:00, pbem\n(<{ADDRESS}>) escribió:",
        f"W dniu 3.03.2027 o 11:00, pbem <{ADDRESS.upper()}> pisze:",
        f"Em qua., 3 de mar. de 2027 às 11:00, pbem\n<{ADDRESS}> escreveu:",
        f"De: pbem <{ADDRESS}>\nEnviado: 3 de marzo\nPara: ann\nAsunto: turno",
        "-----Messaggio originale-----",
    ],
)
def test_heads_in_languages_of_nobody_here(head: str) -> None:
    assert own_words(f"coup iran\n\n{head}\n\nresign\n") == ("coup iran",)
    assert own_words(f"coup iran\n\n{head}\n\n> resign\n")[:1] == ("coup iran",)


def test_no_words_go_with_such_a_head() -> None:
    head = f"El mié, 3 mar 2027, pbem (<{ADDRESS}>)\nescribió:"
    assert own_words(f"1\n2\nEl mié, 3 mar, pbem\n(<{ADDRESS}>) escribió:\n\nx") == ("1", "2")
    assert own_words(f"1\n\n2\n{head}\n\nresign") == ("1", "", "2")


def test_heads_of_other_languages_are_left_to_the_library() -> None:
    dutch = "1\n\nOp wo 3 mrt 2027 om 11:00 pbem schreef:\n\nHet is jouw beurt"
    italian = "1\n\nIl giorno mer 3 mar 2027 alle ore 11:00 pbem ha scritto:\n\nTocca a te"
    assert own_words(italian) == ("1",)
    assert own_words(dutch) == ("1",)


@pytest.mark.parametrize(
    "line",
    [
        "On 3 March, say hello",
        "say Ann wrote a book on 3 March",
        "say From: here to: there",
        "SAY On Monday I wrote: nothing. Le 3 mars il a écrit.",
        "Am 3. schrieb niemand etwas",
        "a - b",
        "-- a",
        "move a b -> c",
        "from berlin to bonn",
        "sent 3 armor to sweden",
    ],
)
def test_what_only_resembles_a_head_stays(line: str) -> None:
    assert own_words(f"1\n{line}\n2") == ("1", line, "2")


def test_a_head_with_nothing_quoted_below_ends_the_reply() -> None:
    """Below it nobody can tell old words from new."""
    assert own_words("1\n\nOn 3 Mar 2027, at 11:00, pbem wrote:\n\nresign") == ("1",)


def test_words_above_below_and_between_are_all_found() -> None:
    text = "1\n\nOn 3/3/27 11:00, pbem wrote:\n> a\n2\n> b\n> > c\n\n3\n-- \nAnn\n4"
    assert own_words(text) == ("1", "2", "3")


def test_a_signature_ends_where_something_is_quoted() -> None:
    assert own_words("1\n-- \nAnn\n\n> old\n2") == ("1", "2")


def test_what_cannot_be_seen_is_gone() -> None:
    assert own_words("\ufeffmove\u00a0a\u200b  b\u202e\x07\r\n\u00ad\n") == ("move a b",)


def test_lines_are_not_too_long() -> None:
    assert own_words("x" * 5_000) == ("x" * cutting.LONGEST_LINE,)


@pytest.mark.whole
@pytest.mark.parametrize(
    "text",
    [
        "On " * 33_000 + "wrote:",
        "On 1 \n" * 16_000,
        "Am 1 schrieb am " * 6_000 + ":",
        "1:\n" * 33_000,
        "From: a\n\n" * 11_000,
        "On 1 wrote:\n> " * 6_000,
        "-" * 100_000,
        ("-" * 1_990 + "a---\n") * 50,
        ("---" + "a- " * 600 + "---\n") * 50,
        "a\u0327\u0301" * 33_000,
        "sent with " * 10_000,
        "r1-" * 30_000 + "@:",
        ("r1." + "a" * 380 + ":\n") * 260,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_hostile_text_takes_little_time(text: str) -> None:
    begun = time.process_time()
    own_words(text)
    assert time.process_time() - begun < 1.5
