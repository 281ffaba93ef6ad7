"""Orders said to people: names instead of keys, in each language."""

from __future__ import annotations

import pytest

from engine.chance import QuickDice
from engine.core import Language
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.game import EastAndWest

GAME = EastAndWest()


@pytest.mark.parametrize(
    ("order", "language", "words"),
    [
        ("buy 8 infantry 1 fighter", "en", "Buy units: 8 infantry 1 fighter"),
        ("buy 2 fighter", "de", "Einheiten kaufen: 2 Jäger"),
        (
            "plan west-germany retreat odds 30",
            "en",
            "Plan a battle: West Germany: retreat when the odds fall below 30 percent",
        ),
        (
            "plan greece retreat below 3",
            "de",
            "Einen Kampf planen: Griechenland: Rückzug bei weniger als 3 Einheiten",
        ),
        ("plan greece keep ground", "en", "Plan a battle: Greece: lose a ground unit last"),
        ("plan greece first", "en", "Plan a battle: Greece: this battle is fought first"),
        ("plan greece never", "en", "Plan a battle: Greece: fight on"),
        ("plan greece none", "en", "Plan a battle: Greece: drop the plan"),
        (
            "standing losses armor infantry",
            "fr",
            "Consignes en cas d'attaque\N{NO-BREAK SPACE}: losses blindé infanterie",
        ),
        ("done", "en", "End the mobilisation"),
        ("lose infantry 5 armor 1", "en", "Choose losses: 5 infantry, 1 armor"),
        ("lose damage 1", "de", "Verluste wählen: Schaden an einem Schlachtschiff"),
    ],
)
def test_an_order_is_said_with_the_names_of_what_it_is_about(
    order: str, language: Language, words: str
) -> None:
    state = GAME.new_game({}, QuickDice(b"wording")).state

    assert GAME.say(GAME.in_words(state, USSR, order), language) == words
