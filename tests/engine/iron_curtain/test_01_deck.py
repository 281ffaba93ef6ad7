"""Chapter 1 of RULES.md: the deck, what is reconstructed, and deck files."""

import gc
import json
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from engine.chance import QuickDice, ScriptedDice
from engine.core import BadSetup, Name
from engine.iron_curtain import deck as deck_module
from engine.iron_curtain.deck import (
    USA,
    USSR,
    Command,
    Deck,
    deck_from,
    editions,
    fold,
    read_deck,
    remembered,
    standard_deck,
)
from engine.iron_curtain.grid import cell_named
from engine.terminal.rehearsal import random_order
from tests.engine.iron_curtain.tables import (
    GAME,
    card_in,
    deck_document,
    lines,
    play,
    random_match,
    state,
    step,
    told,
    waiting,
)
from tests.engine.refusals import exactly

PRINTED_ORDER = """
    poland italy france west_germany east_germany iran egypt pakistan japan vietnam
    south_africa algeria zaire nigeria panama cuba brazil chile
"""


def test_1_1_nineteen_cards_in_the_order_of_their_numbers() -> None:
    deck = standard_deck()
    assert list(deck.order) == PRINTED_ORDER.split()
    assert list(deck.cards) == ["europe", *PRINTED_ORDER.split()]
    assert deck.name == "reconstructed"


def test_1_1_the_starter_has_no_flag_no_command_and_no_event() -> None:
    starter = standard_deck().starter
    assert (starter.id, starter.region) == ("europe", "europe")
    assert (starter.flag, starter.command, starter.event) == (None, 0, ())


@pytest.mark.parametrize(
    ("region", "size", "bonus", "members"),
    [
        ("europe", 6, 3, "europe poland italy france west_germany east_germany"),
        ("middle_east", 2, 2, "iran egypt"),
        ("asia", 3, 2, "pakistan japan vietnam"),
        ("africa", 4, 1, "south_africa algeria zaire nigeria"),
        ("south_america", 2, 1, "brazil chile"),
        ("central_america", 2, 2, "panama cuba"),
    ],
)
def test_1_2_every_region_has_its_cards_and_its_bonus(
    region: str, size: int, bonus: int, members: str
) -> None:
    deck = standard_deck()
    assert (deck.regions[region].size, deck.regions[region].bonus) == (size, bonus)
    assert [c.id for c in deck.cards.values() if c.region == region] == members.split()


def test_1_4_ten_cards_bear_the_us_flag_and_eight_the_ussr_flag() -> None:
    cards = standard_deck().document.cards
    usa = "poland france west_germany egypt pakistan japan south_africa nigeria panama chile"
    ussr = "italy east_germany iran vietnam algeria zaire cuba brazil"
    assert [c.id for c in cards if c.flag == USA] == usa.split()
    assert [c.id for c in cards if c.flag == USSR] == ussr.split()


def test_1_5_command_values() -> None:
    cards = standard_deck().document.cards
    values = "3 1 1 3 2 3 2 2 2 4 3 3 2 2 2 3 2 2"
    assert [card.command for card in cards] == list(map(int, values.split()))
    assert sum(card.command for card in cards if card.flag == USA) == 22
    assert sum(card.command for card in cards if card.flag == USSR) == 20


def test_1_5_an_event_that_commands_is_stronger_than_the_printed_command() -> None:
    for card in standard_deck().document.cards:
        for effect in card.event:
            if isinstance(effect, Command):
                assert effect.cubes > card.command, card.id


def test_1_6_36_of_126_fields_are_reconstructed() -> None:
    cards = standard_deck().document.cards
    marked = [field for card in cards for field in card.reconstructed]
    counts = {field: marked.count(field) for field in ("name", "flag", "command", "event")}
    assert counts == {"name": 5, "flag": 7, "command": 17, "event": 7}
    assert len(marked) == 36
    assert len(cards) * 7 == 126


def test_1_6_only_vietnam_is_known_in_full() -> None:
    cards = standard_deck().document.cards
    assert [card.id for card in cards if not card.reconstructed] == ["vietnam"]
    guessed = [card.id for card in cards if "name" in card.reconstructed]
    assert guessed == ["france", "west_germany", "east_germany", "egypt", "chile"]


def test_1_6_no_card_and_no_effect_lacks_words_in_any_language() -> None:
    for card in standard_deck().document.cards:
        for language in ("en", "de", "fr"):
            assert getattr(card.name, language)
            assert getattr(card.text, language)


# --- 1.7: deck files ------------------------------------------------------------------------------


def test_1_7_the_standard_deck_written_as_a_deck_file_is_the_same_deck() -> None:
    assert deck_from(deck_document()) == standard_deck()


def test_1_7_decks_differ_when_a_value_differs() -> None:
    assert _changed(_more_command) != standard_deck()


def test_1_7_a_match_with_a_changed_deck_uses_its_values() -> None:
    deck = _changed(_more_command)
    position = state("poland t19", mover=USSR, ussr="italy", deck=deck)
    done = step(play(position, "play italy r19"), "command")
    assert told(done) == ["USSR commands up to 4 cubes with Italy."]


@pytest.mark.parametrize("seed", [b"a", b"b", b"c"])
def test_1_7_a_match_with_a_changed_deck_plays_to_its_end(seed: bytes) -> None:
    document = deck_document()
    _more_command(document)
    card_in(document, "iran")["event"] = [{"do": "remove", "cubes": 1, "where": ["elsewhere"]}]
    card_in(document, "cuba")["event"] = [{"do": "gain", "points": 2}, {"do": "relocate"}]
    *_, last = random_match(seed, {"deck": document})
    assert last.state.result is not None
    assert last.state.deck.cards["italy"].command == 4
    assert told(last)[-1].endswith(" wins.")


def test_1_7_a_state_with_a_deck_of_its_own_survives_being_stored() -> None:
    document = deck_document()
    _more_command(document)
    start = GAME.new_game({"deck": document}, ScriptedDice(decks=[()])).state
    stored = GAME.dump(start)
    assert json.loads(stored)["variant"]["deck"]["cards"][1]["command"] == 4
    assert GAME.load(stored) == start
    assert GAME.load(stored).deck.cards["italy"].command == 4


def test_1_7_a_stored_state_is_the_same_after_many_other_decks() -> None:
    """Matches with more decks than a process remembers must still load as they were stored."""
    document = deck_document()
    document["name"] = "first"
    start = GAME.new_game({"deck": document}, ScriptedDice(decks=[()])).state
    for number in range(100):
        deck_from({**document, "name": f"deck {number}"})
    assert GAME.load(GAME.dump(start)) == start


def test_1_7_a_deck_is_forgotten_when_no_match_is_played_with_it() -> None:
    """Neither what can be ordered nor how good it looks keeps a deck that is not used any more."""
    document = deck_document()
    document["name"] = "soon forgotten"
    dice = QuickDice(b"forgotten")
    now = GAME.new_game({"deck": document}, dice).state
    while seats := GAME.waiting_on(now):
        (seat,) = seats
        order = random_order(GAME, now, seat, dice)
        now = GAME.apply(now, seat, GAME.parse(order), dice).state
        GAME.prospect(now, seat)
    deck = weakref.ref(now.deck)
    del now
    gc.collect()

    assert deck() is None


def test_1_7_what_is_remembered_of_a_deck_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deck_module, "MOST_REMEMBERED", 3)
    deck = deck_from({**deck_document(), "name": "bounded"})
    asked: list[int] = []

    @remembered
    def double(_: Deck, number: int) -> int:
        asked.append(number)
        return 2 * number

    assert [double(deck, number) for number in (1, 2, 1, 3, 4, 5, 6, 7)] == [
        *(2, 4, 2, 6, 8, 10, 12, 14)
    ]
    assert asked == [1, 2, 3, 4, 5, 6, 7]
    assert len(deck.memory) <= 3


def test_1_7_the_standard_deck_is_stored_by_its_name() -> None:
    start = GAME.new_game({}, ScriptedDice(decks=[()])).state
    assert json.loads(GAME.dump(start))["variant"]["deck"] == "standard"
    assert GAME.load(GAME.dump(start)).deck is standard_deck()


@pytest.mark.parametrize(
    ("word", "card"),
    [
        ("vietnam", "vietnam"),
        ("Südafrika", "south_africa"),
        ("suedafrika", "south_africa"),
        ("Afrique du Sud", "south_africa"),
        ("Allemagne de l'Est", "east_germany"),
        ("allemagne de l’ouest", "west_germany"),
        ("West-Germany", "west_germany"),
        ("Égypte", "egypt"),
        ("Ägypten", "egypt"),
        ("Zaïre", "zaire"),
        ("Europa", "europe"),
        ("atlantis", None),
    ],
)
def test_1_3_a_card_is_known_by_its_id_and_its_name_in_three_languages(
    word: str, card: str | None
) -> None:
    assert standard_deck().card_called(word) == card


def test_1_3_folding_leaves_lower_case_words_without_accents() -> None:
    assert fold("Größe è-é l'île’ï Ö") == "groesse_e_e_l_île_i_oe"


# --- 1.8: what a deck file must hold --------------------------------------------------------------


def _changed(change: Callable[[dict[str, Any]], None]) -> Deck:
    document = deck_document()
    change(document)
    return deck_from(document)


def _more_command(document: dict[str, Any]) -> None:
    card_in(document, "italy")["command"] = 4


def _set(card: str, **values: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: card_in(document, card).update(values)


def _event(card: str, **effect: object) -> Callable[[dict[str, Any]], None]:
    return _set(card, event=[effect])


def _region(region: str, **values: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        document["regions"][region].update(values)

    return change


def _drop(card: str) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["cards"].remove(card_in(document, card))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_set("italy", id="poland"), "card 'poland' appears 2 times"),
        (_set("italy", id="Italy"), "'Italy' is no id; use lower-case letters, digits and _"),
        (_set("italy", id="i taly"), "'i taly' is no id; use lower-case letters, digits and _"),
        (_set("italy", id="itäly"), "'itäly' is no id; use lower-case letters, digits and _"),
        (_set("italy", id=""), "'' is no id; use lower-case letters, digits and _"),
        (_set("italy", id="here"), "'here' is no id for a card, it has another meaning"),
        (
            _set("italy", id="neighbours"),
            "'neighbours' is no id for a card, it has another meaning",
        ),
        (_set("italy", id="elsewhere"), "'elsewhere' is no id for a card, it has another meaning"),
        (_set("italy", id="all"), "'all' is no id for a card, it has another meaning"),
        (_set("italy", id="to"), "'to' is no id for a card, it has another meaning"),
        (_set("italy", id="asia"), "'asia' is no id for a card, it has another meaning"),
        (
            _set("italy", flag="usa"),
            "11 cards with the flag 'usa', there must be 10; "
            "7 cards with the flag 'ussr', there must be 8",
        ),
        (
            _set("italy", flag="france"),
            "7 cards with the flag 'ussr', there must be 8; "
            "card 'italy' has the flag 'france', use 'usa' or 'ussr'",
        ),
        (
            _set("italy", flag=None),
            "7 cards with the flag 'ussr', there must be 8; "
            "card 'italy' has the flag None, use 'usa' or 'ussr'",
        ),
        (
            _drop("chile"),
            "17 strategy cards, there must be 18; 9 cards with the flag 'usa', there must be 10; "
            "region 'south_america' has size 2 but 1 card",
        ),
        (
            _set("italy", region="atlantis"),
            "card 'italy' is in 'atlantis', which is no region; "
            "region 'europe' has size 6 but 5 cards",
        ),
        (_region("asia", size=4), "region 'asia' has size 4 but 3 cards"),
        (
            _region("asia", bonus=-1),
            "region 'asia' has the bonus -1, from 0 to 24 is possible",
        ),
        (
            _region("asia", bonus=10**20),
            "region 'asia' has the bonus 100000000000000000000, from 0 to 24 is possible",
        ),
        (
            lambda document: document["regions"].pop("asia"),
            "regions are ['africa', 'central_america', 'europe', 'middle_east', 'south_america'], "
            "there must be ['africa', 'asia', 'central_america', 'europe', 'middle_east', "
            "'south_america']; card 'panama' points to 'asia', which is no place",
        ),
        (_set("italy", command=0), "card 'italy' commands 0 cubes, from 1 to 4 is possible"),
        (_set("italy", command=5), "card 'italy' commands 5 cubes, from 1 to 4 is possible"),
        (_set("italy", event=[]), "card 'italy' has no event"),
        (
            _event("italy", do="clear", where=["mars"]),
            "card 'italy' points to 'mars', which is no place",
        ),
        (
            _event("italy", do="gain", points=0),
            "card 'italy': amounts in its event go from 1 to 24",
        ),
        (
            _event("italy", do="command", cubes=-1, where=["asia"]),
            "card 'italy': amounts in its event go from 1 to 24",
        ),
        (
            _event("italy", do="infiltrate", where=["asia"], each=0),
            "card 'italy': amounts in its event go from 1 to 24",
        ),
        (
            _event("italy", do="infiltrate", where=["asia"], each=1, total=0),
            "card 'italy': amounts in its event go from 1 to 24",
        ),
    ],
)
def test_1_8_a_deck_that_breaks_the_rules_is_refused_with_the_reason(
    change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    with pytest.raises(BadSetup, match=exactly(f"deck 'reconstructed': {fault}")):
        _changed(change)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_set("italy", colour="red"), "unknown field `colour` - at `$.cards[1]`"),
        (_set("italy", command="many"), "Expected `int`, got `str` - at `$.cards[1].command`"),
        (_set("italy", name={"en": "Italy", "de": "Italien"}), "required field `fr`"),
        (_set("italy", reconstructed=["size"]), "Invalid enum value 'size'"),
        (_event("italy", do="dance"), "Invalid value 'dance' - at `$.cards[1].event[0].do`"),
        (_event("italy", do="gain", points=1, cubes=1), "unknown field `cubes`"),
        (_event("italy", do="gather", whose="my", cubes=1, where=["here"]), "Invalid enum value"),
        (_region("asia", colour="red"), "unknown field `colour` - at `$.regions[...]`"),
        (lambda document: document.pop("cards"), "Expected `array`, got `null` - at `$.cards`"),
        (lambda document: document.pop("name"), "missing required field `name`"),
        (lambda document: document.update(price=20), "unknown field `price`"),
    ],
)
def test_1_8_a_deck_of_another_shape_is_refused_with_the_place(
    change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    with pytest.raises(BadSetup, match=f"^the deck file does not fit: .*{re.escape(fault)}"):
        _changed(change)


def test_1_8_a_file_that_is_no_toml_is_refused() -> None:
    for heavy in ("a = " + "[" * 50_000, "a = " + "9" * 5_000):
        with pytest.raises(BadSetup, match="^the deck file is not TOML: "):
            read_deck(heavy)
    with pytest.raises(BadSetup, match="^the deck file is not TOML: .*line 1"):
        read_deck("cards: none")


def test_1_8_a_deck_that_is_no_table_is_refused() -> None:
    with pytest.raises(BadSetup, match="^the deck file does not fit: Expected `object`"):
        deck_from(["poland"])


def test_1_8_all_faults_are_named_at_once() -> None:
    def change(document: dict[str, Any]) -> None:
        card_in(document, "italy")["command"] = 9
        card_in(document, "chile")["event"] = []

    with pytest.raises(BadSetup, match="commands 9 cubes.*; card 'chile' has no event$"):
        _changed(change)


def test_1_8_thousands_of_faults_are_named_too() -> None:
    def change(document: dict[str, Any]) -> None:
        card_in(document, "italy")["event"] = [
            {"do": "clear", "where": [f"nowhere{number}" for number in range(5_000)]}
        ]

    first = "^deck 'reconstructed': card 'italy' points to 'nowhere0', which is no place; "
    with pytest.raises(BadSetup, match=first) as caught:
        _changed(change)
    assert str(caught.value).count(";") == 4_999
    assert "„nowhere4999“" in GAME.say(caught.value.text, "de")


def test_1_8_a_fault_is_said_in_the_language_of_the_player() -> None:
    with pytest.raises(BadSetup, match="card 'italy' commands 9 cubes") as caught:
        _changed(_set("italy", command=9, flag="france\x1b"))
    assert GAME.say(caught.value.text, "de").startswith("Kartensatz „reconstructed“: ")
    assert "die Karte „italy“ befehligt 9 Marker, möglich ist 1 bis 4" in GAME.say(
        caught.value.text, "de"
    )
    assert "la carte «\u00a0italy\u00a0» commande 9 cubes" in GAME.say(caught.value.text, "fr")
    assert "\x1b" not in str(caught.value)


def test_1_8_a_no_break_space_is_a_space() -> None:
    text = {"en": "Airlift: yes.", "de": "Luftbrücke: ja.", "fr": "Pont aérien\u00a0: oui."}
    assert _changed(_set("italy", text=text)).cards["italy"].text.fr == text["fr"]
    deck = _changed(_set("italy", name={"en": "Old\u00a0Italy", "de": "I", "fr": "I"}))
    assert deck.card_called("old_italy") == "italy"


def test_1_8_the_fewest_and_the_most_a_deck_may_hold_are_accepted() -> None:
    def change(document: dict[str, Any]) -> None:
        document["regions"]["asia"]["bonus"] = 0
        card_in(document, "italy").update(id="rome_1", command=4)
        card_in(document, "vietnam")["command"] = 1
        card_in(document, "brazil")["event"][0]["where"] = ["rome_1", "here", "elsewhere"]

    deck = _changed(change)
    assert deck.regions["asia"].bonus == 0
    assert deck.card_called("Italien") == "rome_1"


def test_1_8_an_id_the_notation_cannot_say_is_refused() -> None:
    """An order `play 4france s18` is no order, so such a card could never be played."""
    with pytest.raises(BadSetup, match="'4france' is no id"):
        _changed(_set("france", id="4france"))


def test_1_8_an_event_of_absurd_size_is_refused() -> None:
    """Each cube a card may take is written into the question, so the number must be bounded."""

    def event(each: int) -> Callable[[dict[str, Any]], None]:
        return _event("france", do="infiltrate", where=["here"], each=each)

    assert _changed(event(24)).cards["france"].event[0].each == 24  # type: ignore[union-attr]
    with pytest.raises(BadSetup, match="card 'france': amounts in its event go from 1 to 24$"):
        _changed(event(25))


def test_1_8_a_region_without_a_strategy_card_is_refused() -> None:
    """It would be complete from the start and never score; `check` would find every state wrong."""

    def change(document: dict[str, Any]) -> None:
        for card in ("brazil", "chile"):
            card_in(document, card)["region"] = "africa"
        document["regions"]["africa"]["size"] = 6
        document["regions"]["south_america"]["size"] = 0

    with pytest.raises(BadSetup, match="'reconstructed': region 'south_america' has no strategy"):
        _changed(change)


@pytest.mark.parametrize("words", ["two\nlines", "", "  ", "P" * 301])
@pytest.mark.parametrize(("field", "longest"), [("name", 30), ("text", 300)])
def test_1_8_words_that_no_letter_could_show_are_refused(
    field: str, longest: int, words: str
) -> None:
    change = {field: {"en": words, "de": "Polen", "fr": "Pologne"}}
    message = (
        "deck 'reconstructed': "
        f"'poland': a name or text must be one line of 1 to {longest} characters"
    )
    with pytest.raises(BadSetup, match=exactly(message)):
        _changed(_set("poland", **change))


def test_1_8_the_longest_names_are_accepted() -> None:
    name = {"en": "P" * 30, "de": "P" * 30, "fr": "P" * 30}
    assert _changed(_set("poland", name=name)).cards["poland"].name.en == "P" * 30
    with pytest.raises(BadSetup, match="'poland': .* of 1 to 30 characters$"):
        _changed(_set("poland", name={**name, "de": "P" * 31}))
    short = {"en": "EUR", "de": "EUR", "fr": "EURO"}
    with pytest.raises(BadSetup, match="'europe': .* of 1 to 3 characters$"):
        _changed(_region("europe", short=short))


def test_1_8_a_deck_full_of_moving_cards_is_refused_or_plays_to_its_end() -> None:
    """Each move may carry the table one cell further; cells have names from a1 on only."""
    document = deck_document()
    for card in document["cards"]:
        card["event"] = [{"do": "relocate"}] * 3
    try:
        position = GAME.new_game({"deck": document}, QuickDice(b"z")).state
    except BadSetup:
        return
    while GAME.waiting_on(position):
        position = play(position, min(lines(position, waiting(position)), key=_westward))


def _westward(line: str) -> int:
    cell = cell_named(line.split()[-1])
    return cell[0] if cell else (-99 if line == "event" else 99)


def test_1_8_the_starter_of_a_deck_bears_no_flag_and_no_event() -> None:
    def change(document: dict[str, Any]) -> None:
        document["starter"].update(flag="usa", command=3)

    with pytest.raises(BadSetup, match="the starter has neither flag nor command nor event$"):
        _changed(change)


def test_10_1_the_three_editions_are_read_from_their_table() -> None:
    assert list(editions()) == ["en", "de", "fr"]
    assert {edition: rules.aftermath_cap for edition, rules in editions().items()} == {
        "en": 3,
        "de": None,
        "fr": 3,
    }


def test_1_3_side_names() -> None:
    assert GAME.seat_name(USA) == Name("USA", "USA", "USA")
    assert GAME.seat_name(USSR) == Name("USSR", "UdSSR", "URSS")
