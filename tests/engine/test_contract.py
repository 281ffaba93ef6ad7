"""What every game promises (engine/rules.py, engine/drawing.py), by random play.

What only some games promise (engine/abilities/) is asked of those alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.abilities import DeckProofs, Rehearsals, StandingOrders
from engine.chance import QuickDice, RecordedDice, SealedDice, SeededDice, match_key
from engine.core import (
    LANGUAGES,
    BadNotation,
    Choice,
    Dice,
    NotYourTurn,
    Option,
    Seat,
    Setup,
    Step,
)
from engine.east_and_west.data.seating import SEATINGS
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.state import State
from engine.game import Game
from engine.registry import GAMES, AnyGame
from tests.engine.messages import reworded
from tests.games.stones.game import Stones


class Obedient(AnyGame, StandingOrders[Any, Any]):
    """A game with orders that may be given at any time."""


class Rehearsed(AnyGame, Rehearsals[Any, Any]):
    """A game whose orders can be tried without a word."""


class Carded(AnyGame, DeckProofs[Any]):
    """A game with a deck."""


Tree = Callable[[Any, Seat, tuple[str, ...]], tuple[Option[Any], ...]]
"""`options` or `any_time` of a game."""
LONGEST = 2_000
SELDOM = 6
"""One of so many decisions is preceded by an order that nobody asked for."""
NOT_ASKED = "|".join(
    (
        "^it is for .* to decide now$",
        "^the match waits for .*, not for you$",
        "^you have hidden your stones$",
    )
)
NO_PLAYER = "^nothing is asked of nobody$|^auto-answers are for the players, "
"""What the games say to a seat out of turn and to a stranger."""
KEY = match_key("contract", b"secret" * 6, ["", ""])


class Pace(NamedTuple):
    """How much of a game a run can afford; what is promised is the same for all."""

    examples: int = 25
    """Matches for each test."""
    setup: Mapping[str, str] = {}
    """What is always agreed, so that a match ends in time."""
    haste: int = 0
    """One of so many decisions is what the clock would play; 0: none."""
    leaves: int = 0
    """Of each first word of an order, so many leaves are drawn; 0: all."""
    looks: int = 1
    """One of so many decisions is looked at in tests that try much at each."""


USUAL = Pace()
PACES = {
    "east_and_west": Pace(examples=4, setup={"rounds": "2"}, haste=5, leaves=2, looks=5),
}


class Seated(EastAndWest):
    """A match in which somebody plays several powers."""

    def __init__(self, seating: str) -> None:
        self.agreed = {"nato": seating}
        self.is_joint = "+" in seating

    def choices(self) -> tuple[Choice, ...]:
        return tuple(choice for choice in super().choices() if choice.name not in self.agreed)

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return super().seats({**setup, **self.agreed})

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        return super().new_game({**setup, **self.agreed}, dice)


CONTRACTED: dict[str, AnyGame] = {
    **GAMES,
    **{f"east_and_west {seating}": Seated(seating) for seating in SEATINGS},
    "stones": Stones(),
}
"""The hosted games, those of many seatings with each, and the example of engine/README.md."""
del CONTRACTED["east_and_west"]


def games_with(ability: type) -> pytest.MarkDecorator:
    """Run a test for every game of that type."""
    able = {name: game for name, game in CONTRACTED.items() if isinstance(game, ability)}
    return pytest.mark.parametrize("game", able.values(), ids=list(able))


every_game = games_with(Game)


def pace(game: AnyGame) -> Pace:
    found = PACES.get(game.name, USUAL)
    return found._replace(examples=1) if isinstance(game, Seated) and game.is_joint else found


Test = Callable[[Any, int], None]


def over_matches_with(ability: type) -> Callable[[Test], Callable[[AnyGame], None]]:
    """Run a test for every game of that type, over as many matches as its pace allows."""

    def for_games(test: Test) -> Callable[[AnyGame], None]:
        def run(game: AnyGame) -> None:
            @settings(
                deadline=None,
                max_examples=pace(game).examples,
                suppress_health_check=[HealthCheck.too_slow],
            )
            @given(seed=st.integers(0, 10**6))
            def matches(seed: int) -> None:
                test(game, seed)

            matches()

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        marked: Callable[[AnyGame], None] = games_with(ability)(run)
        return marked

    return for_games


over_matches = over_matches_with(Game)


class Moved(NamedTuple):
    """One decision of a random match, with what came before and after."""

    before: Any
    seat: Seat
    option: Option[Any]
    words: tuple[str, ...]
    step: Step[Any]
    dice: SeededDice
    choice: QuickDice


def random_setup(game: AnyGame, choice: QuickDice) -> dict[str, str]:
    drawn = {c.name: c.values[choice.below(len(c.values))][0] for c in game.choices()}
    return {**drawn, **pace(game).setup}


def random_play(game: AnyGame, seed: int) -> Iterator[Moved]:
    """The decisions of a match; between them, any seat may give an order of `any_time`."""
    choice = QuickDice(b"contract %d" % seed)
    dice = SeededDice(KEY, f"m{seed}", 0, 0)
    state = game.new_game(random_setup(game, choice), dice).state
    for ply in range(1, LONGEST):
        waiting = game.waiting_on(state)
        if not waiting:
            return
        if choice.below(SELDOM) == 0:
            state = random_order_at_any_time(game, state, choice)
        seat = sorted(waiting)[choice.below(len(waiting))]
        words, option = random_decision(game, state, seat, choice)
        dice = SeededDice(KEY, f"m{seed}", 0, ply)
        step = game.apply(state, seat, option.action, dice)
        yield Moved(state, seat, option, words, step, dice, choice)
        state = step.state
    pytest.fail(f"{game.name} with seed {seed} is not over after {LONGEST} orders")


def random_decision(
    game: AnyGame, state: Any, seat: Seat, choice: QuickDice
) -> tuple[tuple[str, ...], Option[Any]]:
    """A leaf, or in a hurry what the clock would play."""
    haste = pace(game).haste
    if haste and choice.below(haste) == 0:
        words = tuple(game.notate(game.default_action(state, seat)).split())
        for option in game.options(state, seat, words[:-1]):
            if option.word == words[-1] and option.action is not None:
                return words, option
    return random_leaf(game.options, state, seat, choice)


def random_order_at_any_time(game: AnyGame, state: Any, choice: QuickDice) -> Any:
    seats = game.seats({})
    seat = seats[choice.below(len(seats))]
    if not isinstance(game, StandingOrders) or not game.any_time(state, seat):
        return state
    _, option = random_leaf(game.any_time, state, seat, choice)
    return game.apply(state, seat, option.action, SealedDice()).state


def random_leaf(
    tree: Tree, state: Any, seat: Seat, choice: QuickDice, words: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], Option[Any]]:
    while True:
        offered = tree(state, seat, words)
        assert offered, f"{seat} is asked and has no choice after {words}"
        option = offered[choice.below(len(offered))]
        words = (*words, option.word)
        if option.action is not None:
            return words, option


def leaves(
    tree: Tree, state: Any, seat: Seat, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    for option in tree(state, seat, words):
        path = (*words, option.word)
        if option.action is None:
            yield from leaves(tree, state, seat, path)
        else:
            yield path, option.action


def some_leaves(
    game: AnyGame, tree: Tree, state: Any, seat: Seat, choice: QuickDice | None = None
) -> list[tuple[tuple[str, ...], Any]]:
    """All leaves, or of a large tree some below each first word; the same for the same tree."""
    number = pace(game).leaves
    if not number:
        return list(leaves(tree, state, seat))
    choice = choice or QuickDice(b"some leaves")
    found: dict[tuple[str, ...], Any] = {}
    for first in tree(state, seat, ()):
        if first.action is not None:
            found[(first.word,)] = first.action
            continue
        for _ in range(number):
            words, option = random_leaf(tree, state, seat, choice, (first.word,))
            found[words] = option.action
    return list(found.items())


def looked_at(game: AnyGame, seed: int, every: int = 1) -> Iterator[Moved]:
    """Some of the decisions of a match: one of `every`, and fewer where looks are dear."""
    every *= pace(game).looks
    for number, moved in enumerate(random_play(game, seed)):
        if number % every == seed % every:
            yield moved


@over_matches
def test_somebody_is_asked_until_the_match_is_over_and_then_nobody(
    game: AnyGame, seed: int
) -> None:
    state = None
    for moved in random_play(game, seed):
        assert game.outcome(moved.before) is None
        state = moved.step.state
    outcome = game.outcome(state)
    assert outcome is not None
    assert set(outcome.winners) <= set(game.seats({}))
    assert game.say(outcome.reason)
    assert all(not game.options(state, seat) for seat in game.seats({}))


@over_matches
def test_a_seat_that_is_not_asked_has_no_options_and_may_not_act(game: AnyGame, seed: int) -> None:
    for moved in random_play(game, seed):
        for seat in set(game.seats({})) - game.waiting_on(moved.before):
            assert game.options(moved.before, seat) == ()
            assert game.default_action(moved.before, seat) is None
            with pytest.raises(NotYourTurn, match=NOT_ASKED):
                game.apply(moved.before, seat, moved.option.action, SealedDice())
    with pytest.raises(NotYourTurn, match="^the match is over$"):
        game.apply(moved.step.state, moved.seat, moved.option.action, SealedDice())


@over_matches
def test_every_leaf_is_accepted_and_its_words_are_its_notation(game: AnyGame, seed: int) -> None:
    for moved in looked_at(game, seed, every=7):
        for words, action in some_leaves(
            game, game.options, moved.before, moved.seat, moved.choice
        ):
            assert game.notate(action) == " ".join(words)
            assert game.parse(game.notate(action)) == action
            step = game.apply(moved.before, moved.seat, action, QuickDice(b"leaf"))
            assert game.check(step.state) == []


@pytest.mark.whole
@over_matches
def test_a_step_leaves_the_state_before_it_unchanged_and_sound(game: AnyGame, seed: int) -> None:
    for moved in random_play(game, seed):
        written = game.dump(moved.before)
        game.apply(moved.before, moved.seat, moved.option.action, QuickDice(b"again"))
        assert game.dump(moved.before) == written
        assert game.check(moved.before) == []
        assert game.check(moved.step.state) == []


@pytest.mark.whole
@over_matches
def test_a_state_survives_json(game: AnyGame, seed: int) -> None:
    for moved in random_play(game, seed):
        written = game.dump(moved.step.state)
        assert game.load(json.dumps(json.loads(written))) == moved.step.state


@pytest.mark.whole
@over_matches
def test_the_essence_of_a_state_is_its_position_without_any_words(game: AnyGame, seed: int) -> None:
    """An order that says again what was said leaves it as it is, and with it every question."""
    has_words, changes = False, 0
    for moved in random_play(game, seed):
        written = game.dump(moved.step.state)
        otherwise = reworded(written)
        essence = game.essence(moved.step.state)
        assert game.essence(game.load(written)) == essence
        assert game.essence(game.load(otherwise)) == essence
        if game.essence(moved.before) == essence:
            assert questions(game, moved.before) == questions(game, moved.step.state)
        else:
            changes += 1
        has_words = has_words or otherwise != written
    assert has_words
    assert changes


def questions(game: AnyGame, state: Any) -> dict[Seat, list[str]]:
    """Who is asked, and the first words of what each can say."""
    asked = game.waiting_on(state)
    return {seat: [option.word for option in game.options(state, seat)] for seat in asked}


@over_matches
def test_recorded_dice_give_the_same_states_and_seeded_dice_the_same_draws(
    game: AnyGame, seed: int
) -> None:
    for moved in random_play(game, seed):
        recorded = RecordedDice(moved.dice.draws)
        again = game.apply(moved.before, moved.seat, moved.option.action, recorded)
        recorded.finish()
        assert again == moved.step
        dice = SeededDice(KEY, moved.dice.match, 0, moved.dice.ply)
        game.apply(moved.before, moved.seat, moved.option.action, dice)
        assert dice.draws == moved.dice.draws


@pytest.mark.whole
@over_matches
def test_what_a_seat_sees_and_may_do_does_not_depend_on_what_is_hidden(
    game: AnyGame, seed: int
) -> None:
    for moved in looked_at(game, seed):
        for seat in (*game.seats({}), None):
            other = game.resample_hidden(moved.before, seat, moved.choice)
            assert game.check(other) == []
            assert game.view(other, seat) == game.view(moved.before, seat)
            if seat is not None:
                assert game.options(other, seat) == game.options(moved.before, seat)
                assert game.default_action(other, seat) == game.default_action(moved.before, seat)


@pytest.mark.whole
@over_matches_with(StandingOrders)
def test_what_a_seat_may_say_in_advance_does_not_depend_on_what_is_hidden(
    game: Obedient, seed: int
) -> None:
    for moved in looked_at(game, seed):
        for seat in game.seats({}):
            other = game.resample_hidden(moved.before, seat, moved.choice)
            assert any_time_tree(game, other, seat) == any_time_tree(game, moved.before, seat)


@over_matches
def test_a_step_that_is_not_final_throws_nothing_and_teaches_the_actor_nothing(
    game: AnyGame, seed: int
) -> None:
    """Nor does whether a step is final: else that it can be undone would tell something."""
    for moved in random_play(game, seed):
        other = game.resample_hidden(moved.before, moved.seat, moved.choice)
        dice = QuickDice(b"final") if moved.step.final else SealedDice()
        step = game.apply(other, moved.seat, moved.option.action, dice)
        assert step.final == moved.step.final
        if step.final:
            continue
        assert moved.dice.draws == []
        assert game.view(step.state, moved.seat) == game.view(moved.step.state, moved.seat)


def any_time_tree(
    game: Obedient, state: Any, seat: Seat, words: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], Option[Any]]]:
    """Every word, with labels and actions; of a large tree, those on the way to some leaves."""
    found = []
    if pace(game).leaves and not words:
        paths = [path for path, _ in some_leaves(game, game.any_time, state, seat)]
        prefixes = sorted({path[:length] for path in paths for length in range(len(path))})
        return [(way, option) for way in prefixes for option in game.any_time(state, seat, way)]
    for option in game.any_time(state, seat, words):
        found.append((words, option))
        if option.action is None:
            found += any_time_tree(game, state, seat, (*words, option.word))
    return found


class Sight(NamedTuple):
    """What must be the same before and after an order that one seat gave unasked."""

    waiting: frozenset[Seat]
    orders: list[tuple[tuple[str, ...], Any]]
    defaults: list[Any]
    views: list[Any]


def sight_without(game: AnyGame, state: Any, giver: Seat) -> Sight:
    seats = game.seats({})
    return Sight(
        game.waiting_on(state),
        [leaf for seat in seats for leaf in some_leaves(game, game.options, state, seat)],
        [game.default_action(state, seat) for seat in seats],
        [game.view(state, seat) for seat in (*seats, None) if seat != giver],
    )


@pytest.mark.whole
@over_matches_with(StandingOrders)
def test_an_order_at_any_time_is_accepted_from_its_seat_and_hidden_from_the_others(
    game: Obedient, seed: int
) -> None:
    for moved in looked_at(game, seed, every=23):
        for seat in game.seats({}):
            before = sight_without(game, moved.before, seat)
            for words, action in some_leaves(game, game.any_time, moved.before, seat):
                assert game.notate(action) == " ".join(words)
                assert game.parse(game.notate(action)) == action
                step = game.apply(moved.before, seat, action, SealedDice())
                assert not step.final
                assert all(event.audience == (seat,) for event in step.events)
                assert sight_without(game, step.state, seat) == before
                assert game.check(step.state) == []
                assert game.load(game.dump(step.state)) == step.state


@pytest.mark.whole
@over_matches_with(StandingOrders)
def test_an_order_at_any_time_teaches_its_seat_nothing(game: Obedient, seed: int) -> None:
    for moved in random_play(game, seed):
        seat = game.seats({})[moved.choice.below(len(game.seats({})))]
        if not game.any_time(moved.before, seat):
            continue
        _, option = random_leaf(game.any_time, moved.before, seat, moved.choice)
        other = game.resample_hidden(moved.before, seat, moved.choice)
        one = game.apply(moved.before, seat, option.action, SealedDice())
        two = game.apply(other, seat, option.action, SealedDice())
        assert one.events == two.events
        assert game.view(one.state, seat) == game.view(two.state, seat)


@pytest.mark.whole
@over_matches_with(StandingOrders)
def test_orders_at_any_time_are_for_the_seats_and_end_with_the_match(
    game: Obedient, seed: int
) -> None:
    stranger, given = Seat("nobody"), []
    for moved in random_play(game, seed):
        assert game.any_time(moved.before, stranger) == ()
        given = [
            leaf
            for seat in game.seats({})
            for leaf in some_leaves(game, game.any_time, moved.before, seat)
        ]
        for _, action in given[:1]:
            with pytest.raises(NotYourTurn, match=NO_PLAYER):
                game.apply(moved.before, stranger, action, SealedDice())
    over = moved.step.state
    for seat in game.seats({}):
        assert game.any_time(over, seat) == ()
        for _, action in given:
            with pytest.raises(NotYourTurn, match="^the match is over$"):
                game.apply(over, seat, action, SealedDice())


@every_game
@given(text=st.one_of(st.text(), st.text("playcubeshiftdonevntum s19_äéİß\n\t", max_size=40)))
def test_any_text_is_an_order_or_bad_notation(game: AnyGame, text: str) -> None:
    try:
        action = game.parse(text)
    except BadNotation as error:
        assert str(error)
    else:
        assert game.parse(game.notate(action)) == action


@pytest.mark.whole
@over_matches
def test_the_board_has_72_columns_for_every_reader_and_is_english_in_ascii(
    game: AnyGame, seed: int
) -> None:
    for moved in looked_at(game, seed, every=5):
        for seat in (*game.seats({}), None):
            for language in LANGUAGES:
                board = game.render(game.view(moved.step.state, seat), 72, language)
                assert board.isascii() or language != "en"
                assert all(line.isprintable() for line in board.splitlines())
                assert all(len(line) <= 72 and line == line.rstrip() for line in board.split("\n"))


@pytest.mark.whole
@over_matches
def test_a_view_is_drawn_and_told_to_every_reader_in_every_language(
    game: AnyGame, seed: int
) -> None:
    for moved in looked_at(game, seed, every=31):
        for seat in (*game.seats({}), None):
            view = game.view(moved.step.state, seat)
            for language in LANGUAGES:
                picture = ElementTree.fromstring(game.draw(view, language))
                assert picture.tag == "{http://www.w3.org/2000/svg}svg"
                styles = [found.text for found in picture.iter("{http://www.w3.org/2000/svg}style")]
                assert styles == [game.style]
                assert game.markup(view, language).startswith("<")
                assert all(line.strip() for line in game.narrate(view, language).splitlines())
            assert_tells_how_far_it_is(game, moved.step.state, view)


def assert_tells_how_far_it_is(game: AnyGame, state: Any, view: Any) -> None:
    """It stands in subjects: short, and the same for all, since anybody may read it there."""
    found = game.stands_at(view)
    assert found == game.stands_at(game.view(state, None))
    assert found is None or all(len(game.say(found, language)) <= 20 for language in LANGUAGES)


@every_game
def test_a_game_can_be_read_about(game: AnyGame) -> None:
    assert game.rules_text().startswith("# ")
    for language in LANGUAGES:
        assert all(game.say(sentence, language) for sentence in game.about())
        leaflet = game.leaflet(language)
        if leaflet is not None:
            assert leaflet.length and len(leaflet.sentences) == 2 and all(leaflet.sentences)
            assert f"<style>{game.style}</style>" in leaflet.svg
        for table in game.reference(language):
            assert all(len(row) == len(table.heads) for row in table.rows)


@over_matches
def test_the_clock_always_has_something_to_play(game: AnyGame, seed: int) -> None:
    """A match in which nobody ever answers comes to its end."""
    state = game.new_game({}, QuickDice(b"absent %d" % seed)).state
    for _ in range(LONGEST):
        waiting = game.waiting_on(state)
        if not waiting:
            return
        action = game.default_action(state, min(waiting))
        assert action is not None
        state = game.apply(state, min(waiting), action, QuickDice(b"clock")).state
    pytest.fail("the clock plays for ever")


@over_matches_with(Rehearsals)
def test_a_rehearsal_knows_the_orders_of_the_options_and_where_they_lead(
    game: Rehearsed, seed: int
) -> None:
    for moved in random_play(game, seed):
        before, seat = moved.before, moved.seat
        found = list(game.orders(before, seat))
        assert found == [action for _, action in leaves(game.options, before, seat)]
        assert [game.orders(before, other) for other in game.seats({}) if other != seat] == [()]
        after = game.rehearsed(before, seat, moved.option.action)
        assert game.essence(after) == game.essence(moved.step.state)
        other = found[moved.choice.below(len(found))]
        step = game.apply(before, seat, other, QuickDice(b"other"))
        assert game.essence(game.rehearsed(before, seat, other)) == game.essence(step.state)
    assert [*map(len, (game.orders(moved.step.state, seat) for seat in game.seats({})))] == [0, 0]


@every_game
def test_who_shuffles_can_prove_the_deck(game: AnyGame) -> None:
    dice = SeededDice(KEY, "deal", 0, 0)
    state = game.new_game({}, dice).state
    shuffled = [draw.size for draw in dice.draws if draw.kind == "shuffle"]
    assert shuffled == ([len(game.deck(state))] if isinstance(game, DeckProofs) else [])


@pytest.mark.whole
@over_matches_with(DeckProofs)
def test_deck_positions_a_seat_knows_hold_those_cards(game: Carded, seed: int) -> None:
    for moved in random_play(game, seed):
        deck = game.deck(moved.before)
        for seat in (*game.seats({}), None):
            known = game.known_deck(moved.before, seat)
            assert all(deck[position] == card for position, card in known.items())
