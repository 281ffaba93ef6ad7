"""Stars for reconstructed values: in the detail of a card, and nowhere else in a match."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.core import LANGUAGES, HeldCard, Language
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, random_match, state, waiting


def in_detail(card: str, language: Language = "en") -> HeldCard:
    hand = GAME.held(GAME.view(state(usa=card), USA), language)
    return next(held for held in hand if held.word == card)


def shown(position: State, language: Language) -> Iterator[str]:
    """Boards, hands and choices, as everybody sees them."""
    for seat in (USA, USSR, None):
        view = GAME.view(position, seat)
        yield GAME.render(view, language=language)
        yield GAME.narrate(view, language)
        yield GAME.markup(view, language)
        yield GAME.draw(view, language)
        yield GAME.draw_table(view, language)
        for card in GAME.held(view, language):
            yield from (card.face, card.title, card.text)
    if position.result is None:
        yield from offered(position, language)


def offered(position: State, language: Language, prefix: tuple[str, ...] = ()) -> Iterator[str]:
    for option in GAME.options(position, waiting(position), prefix):
        yield GAME.say(option.label, language)
        if option.action is None:
            yield from offered(position, language, (*prefix, option.word))


@pytest.mark.whole
@pytest.mark.parametrize("language", LANGUAGES)
def test_boards_hands_and_choices_have_no_star(language: Language) -> None:
    for step in random_match(b"no stars"):
        assert [words for words in shown(step.state, language) if "*" in words] == []


def test_the_detail_of_a_card_marks_and_explains_what_is_reconstructed() -> None:
    assert in_detail("france").note == (
        "France*, Europe, flag USA*, command 1*, event*. * Our reconstruction: no source we know"
        " gives this value. Tell us what the printed card says."
    )
    assert in_detail("italy").note.startswith("Italy, Europe, flag USSR, command 1*, event. * Our")


def test_the_detail_of_a_card_that_is_known_in_full_has_no_note() -> None:
    assert in_detail("vietnam").note == ""


@pytest.mark.parametrize(
    ("language", "begun"),
    [
        ("de", "Frankreich*, Europa, Flagge USA*, Befehl 1*, Ereignis*. * Von uns rekonstruiert"),
        ("fr", "France*, Europe, drapeau USA*, ordre 1*, événement*. * Valeur reconstituée"),
    ],
)
def test_the_detail_speaks_german_and_french(language: Language, begun: str) -> None:
    assert in_detail("france", language).note.startswith(begun)
