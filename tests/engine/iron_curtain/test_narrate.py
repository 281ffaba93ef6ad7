"""The view in sentences: everything a listener needs, and nothing that is hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.core import LANGUAGES, Event, Json, Language, Seat, Text
from engine.iron_curtain import board
from engine.iron_curtain.deck import SIDE_NAMES, USA, USSR, standard_deck
from engine.iron_curtain.draw.narrate import asked_for, question, round_and_turn, turn_now
from engine.iron_curtain.game import catalogue
from engine.iron_curtain.state import State
from engine.iron_curtain.view import View
from engine.text import plain
from tests.engine.iron_curtain.tables import GAME, deck_document, random_match, state

VIEWERS: tuple[Seat | None, ...] = (USA, USSR, None)


def narrated(position: State, seat: Seat | None = USA, language: Language = "en") -> list[str]:
    return GAME.narrate(GAME.view(position, seat), language).splitlines()


def marked_deck() -> dict[str, Json]:
    """A deck in which every name and every text can be told from all others."""
    document = deck_document()
    for number, card in enumerate(document["cards"]):
        card["name"] = {language: f"Land{number:02}{language}" for language in LANGUAGES}
        card["text"] = {language: f"Text{number:02}{language}." for language in LANGUAGES}
    return document


def hidden_words(view: View) -> Iterator[str]:
    """Words of the cards that are neither on the table nor this seat's own."""
    shown = {country.card for country in view.table}
    shown |= {*view.hand, *view.aftermath, view.aside or ""}
    for card in view.deck.order:
        if card not in shown:
            for language in LANGUAGES:
                yield view.deck.cards[card].name.in_(language)
                yield view.deck.cards[card].text.in_(language)


def test_the_first_lines_say_score_turn_and_task() -> None:
    position = state("poland s18", mover=USA, track=-2)
    assert narrated(position)[:3] == [
        "Score: USSR ahead by 2.",
        "Round 1, turn 2 of 8.",
        "Your move: play a card.",
    ]
    assert narrated(position, None)[2] == "USA to move: play a card."


def test_a_card_is_told_with_cell_cubes_lead_and_neighbours() -> None:
    position = state("europe s19 1/1", "poland s18 2/1", "italy t18 0/2", "japan s20")
    told = narrated(position)
    assert "Europe, bonus 3, cards on the table: 3 of 6." in told
    assert "Europe on s19: USA 1, USSR 1, level." in told
    assert "Poland on s18: USA 2, USSR 1, USA dominates." in told
    assert "Italy on t18: USA 0, USSR 2, USSR controls." in told
    assert "Japan on s20: no cubes." in told
    assert "Poland is next to Italy, Europe." in told


def test_a_card_that_was_left_alone_has_no_neighbour() -> None:
    assert "Japan has no neighbour." in narrated(state("poland s18", "japan u22"))


def test_a_region_that_was_completed_is_told_as_scored() -> None:
    told = narrated(state("panama s18", "cuba s17"))
    assert "Central America, bonus 2: all cards on the table, scored." in told


def test_the_own_hand_is_told_with_its_texts() -> None:
    told = narrated(state(usa="vietnam france"))
    assert "In your hand: Vietnam, Asia, flag USSR, command 4." in told
    assert "In your hand: France, Europe, flag USA, command 1." in told
    assert "Event of France: The US infiltrates up to 2 cubes onto France." in told


def test_the_other_hand_and_the_reserve_are_numbers() -> None:
    told = narrated(state(usa="vietnam france"))
    assert "Hand of USSR: 5." in told
    assert "Reserve: 8." in told
    assert "Supply: USA 23 cubes, USSR 23 cubes." in told


def test_the_aftermath_is_told_as_far_as_the_seat_knows_it() -> None:
    cards = ("italy", "france", "iran", "egypt", "japan", "vietnam", "zaire", "nigeria")
    laid = [f"{card} {'abcdefgh'[i]}1" for i, card in enumerate(cards)]
    position = state(*laid, aside="poland cuba")
    assert "Aftermath: two cards face down, yours: Poland." in narrated(position, USA)
    assert "Aftermath: two cards face down, yours: Cuba." in narrated(position, USSR)
    assert "Aftermath: two cards face down." in narrated(position, None)


def test_news_that_repeat_themselves_are_told_once() -> None:
    once = Event(Text("{side} stops here.", {"side": "USA"}))
    position = replace(state(), news=(once, once, once))
    assert narrated(position)[-2:] == ["What happened last:", "USA stops here. (3 times)"]


def test_a_finished_match_tells_winner_and_aftermath() -> None:
    *_, last = random_match(b"finished")
    result = last.state.result
    assert result is not None
    told = narrated(last.state, None)
    assert told[2].startswith("The match is over. ")
    assert told[2].endswith(f"{GAME.seat_name(result.winners[0]).en} wins.")
    assert asked_for(GAME.view(last.state, None)) == Text("the match is over")
    first, second = (last.state.deck.cards[card].name.en for card in last.state.aftermath)
    assert f"Aftermath: {first} and {second}." in told


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The match is over."),
        ("de", "Die Partie ist beendet."),
        ("fr", "La partie est terminée."),
    ],
)
def test_a_match_that_people_ended_asks_nobody(language: Language, words: str) -> None:
    position = state("poland s18", mover=USA)
    asked, closed = (
        [
            GAME.narrate(view, language),
            GAME.render(view, 72, language),
            GAME.markup(view, language),
            GAME.draw(view, language),
        ]
        for view in (GAME.view(position, USA), GAME.closed(GAME.view(position, USA)))
    )
    task = GAME.say(question(GAME.view(position, USA)), language)
    assert all(plain(task) in plain(shown) for shown in asked)
    assert not any(plain(task) in plain(shown) for shown in closed)
    assert all(plain(words) in plain(shown) for shown in closed)
    assert GAME.say(round_and_turn(GAME.closed(GAME.view(position, USA)))).endswith("turn 2 of 8")


def test_a_match_that_the_rules_ended_keeps_its_end() -> None:
    *_, last = random_match(b"finished")
    view = GAME.view(last.state, USA)
    assert GAME.closed(view) == view


TASKS: list[tuple[board.Frame, str]] = [
    (board.ChooseFirst(USA), "choose who goes first"),
    (board.PlayCard(USA), "play a card"),
    (board.UseCard(USA, "japan", True), "use the event or the command of Japan"),
    (board.UseCard(USA, "japan", False), "use the command of Japan"),
    (board.Answer(USA, "japan"), "use or decline the event of Japan"),
    (board.Commanding(USA, "japan", 2, ()), "place cubes (2 points left)"),
    (board.Commanding(USA, "japan", 1, ()), "place cubes (1 point left)"),
    (board.Infiltrating(USA, "japan", 2, ()), "place up to 2 cubes"),
    (board.Removing(USA, "egypt", 2, ()), "remove up to 2 cubes"),
    (board.Gathering(USA, "japan", 2, USA, ()), "move up to 2 cubes onto Japan"),
    (board.Relocating(USA, "iran"), "move a card"),
]


@pytest.mark.parametrize(("frame", "words"), TASKS)
def test_every_question_has_its_words(frame: board.Frame, words: str) -> None:
    view = GAME.view(replace(state(), stack=(frame,)), USA)
    assert GAME.say(asked_for(view)) == words
    assert GAME.say(question(view)) == f"Your move: {words}."


def test_the_turn_is_counted_from_its_first_question() -> None:
    before = state("poland s18")
    view = GAME.view(before, USA)
    placed = replace(before, turn=2, stack=(board.UseCard(USA, "japan", True),))
    assert turn_now(view) == turn_now(GAME.view(placed, USA)) == 2


@pytest.mark.parametrize("seed", [b"eve 1", b"eve 2", b"eve 3"])
def test_eve_hears_of_no_hidden_card(seed: bytes) -> None:
    for number, step in enumerate(random_match(seed, {"deck": marked_deck()})):
        language = LANGUAGES[number % len(LANGUAGES)]
        for seat in VIEWERS:
            view = GAME.view(step.state, seat)
            told = GAME.narrate(view, language)
            assert [word for word in hidden_words(view) if word in told] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_that_may_be_seen_is_told(language: Language) -> None:
    for step in random_match(b"all told"):
        view = GAME.view(step.state, USSR)
        told = GAME.narrate(view, language)
        for card in (*(country.card for country in view.table), *view.hand):
            assert view.deck.cards[card].name.in_(language) in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_fact_is_one_line_without_columns(language: Language) -> None:
    for step in random_match(b"lines"):
        for line in narrated(step.state, USA, language):
            assert line == line.strip()
            assert line.endswith((".", "*", ":", ")"))
            assert not set(line) & set("|{}") and "  " not in line


def test_german_uses_the_words_of_the_german_rulebook() -> None:
    told = narrated(state("poland s18 2/1", "italy t18 0/2"), USA, "de")
    assert "Polen auf s18: USA 2, UdSSR 1, USA kontrolliert." in told
    assert "Italien auf t18: USA 0, UdSSR 2, UdSSR dominiert." in told


# --- in short -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "language", "said"),
    [
        (1, "en", "1 cube on Vietnam"),
        (3, "en", "3 cubes on Vietnam"),
        (3, "de", "3 Marker auf Vietnam"),
        (3, "fr", "3 cubes sur Vietnam"),
    ],
)
def test_cubes_that_go_to_one_card_are_counted(count: int, language: Language, said: str) -> None:
    vietnam = standard_deck().cards["vietnam"].name
    told = Text("{side} puts a cube on {card}.", {"side": SIDE_NAMES[USA], "card": vietnam})
    short = GAME.in_short(told, count)
    assert short is not None
    assert GAME.say(short, language) == said


def test_what_the_rules_tell_of_cubes_has_a_short_form() -> None:
    messages = catalogue()["de"]
    short = {msgid for msgid in messages if GAME.in_short(Text(msgid), 2) is not None}
    cubes = r"\{side\} (?:(?:puts|removes) a cube|moves a cube .* to \{target\}\.$)"
    assert short == {msgid for msgid in messages if re.match(cubes, msgid)}
    assert len(short) == 4


@pytest.mark.parametrize(
    ("language", "said"), [("en", "round 2"), ("de", "Runde 2"), ("fr", "manche 2")]
)
def test_how_far_a_match_is_in_two_words(language: Language, said: str) -> None:
    found = GAME.stands_at(replace(GAME.view(state(), None), round=2))

    assert GAME.say(found, language) == said
