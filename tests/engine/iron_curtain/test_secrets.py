"""Rule 3.6 of RULES.md: what each side, and a spectator, may know; what is imagined from it."""

import pytest

from engine.chance import QuickDice
from engine.core import LANGUAGES, Seat
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, lines, new_match, news, play, random_match, state

EVE = Seat("eve")


def round_two() -> State:
    """Seven cards lie on the table, the US lays Chile aside, the USSR Iran."""
    laid = (
        "poland t19",
        "italy r19",
        "south_africa t20",
        "algeria t21",
        "brazil t18",
        "japan s18",
        "zaire u20",
    )
    position = state(*laid, mover=USA, usa="panama chile", ussr="iran")
    return play(position, "play panama u19", "command", "done")


def test_3_6_a_seat_sees_its_own_hand_and_how_many_cards_the_other_holds() -> None:
    position = state("poland t19", mover=USSR)
    usa, ussr = GAME.view(position, USA), GAME.view(position, USSR)
    assert (usa.hand, ussr.hand) == position.hands
    assert usa.hand_sizes == ussr.hand_sizes == (4, 5)
    assert usa.reserve_size == 8
    assert (usa.seat, ussr.seat) == (USA, USSR)
    assert usa.deck is position.deck
    assert usa.asked == position.stack[-1]


@pytest.mark.parametrize("seat", [USA, USSR, None])
def test_3_6_what_was_drawn_for_others_before_changes_no_drawing(seat: Seat | None) -> None:
    """Parts of drawings are kept with the deck: they are the same whoever was shown them first."""
    position = round_two()
    view = GAME.view(position, seat)
    position.deck.memory.clear()
    alone = GAME.render(view), GAME.markup(view), GAME.draw(view), GAME.narrate(view)
    position.deck.memory.clear()
    for other in (USA, USSR, None):
        for language in LANGUAGES:
            shown = GAME.view(position, other)
            GAME.render(shown, 72, language)
            GAME.markup(shown, language)
            GAME.draw(shown, language)

    assert (GAME.render(view), GAME.markup(view), GAME.draw(view), GAME.narrate(view)) == alone


@pytest.mark.parametrize("seat", [None, EVE])
def test_3_6_a_spectator_sees_no_hand(seat: Seat | None) -> None:
    view = GAME.view(round_two(), seat)
    assert view.seat is None
    assert view.hand == ()
    assert view.aside is None
    assert view.aftermath == ()
    assert view.hand_sizes == (4, 4)


def test_3_6_everything_public_is_the_same_for_everybody() -> None:
    position = round_two()
    for seat in (USA, USSR, None):
        view = GAME.view(position, seat)
        assert view.variant == position.variant
        assert view.table == position.table
        assert view.supplies == position.supplies
        assert (view.track, view.round, view.turn, view.first) == (0, 2, 0, None)
        assert view.scored == ()
        assert view.stack == position.stack
        assert view.result is None


def test_3_6_each_side_knows_the_card_it_laid_aside() -> None:
    position = round_two()
    assert GAME.view(position, USA).aside == "chile"
    assert GAME.view(position, USSR).aside == "iran"
    assert GAME.view(position, USA).aftermath == ()
    assert GAME.view(state("poland t19", mover=USSR), USA).aside is None


def test_3_6_private_news_reach_one_side_only() -> None:
    position = round_two()
    usa, ussr, eve = news(position, USA), news(position, USSR), news(position, EVE)
    assert eve == news(position, None)
    assert [line for line in usa if line not in eve] == [
        "You lay Chile aside.",
        "You are dealt France, West Germany, East Germany, Egypt.",
    ]
    assert [line for line in ussr if line not in eve] == [
        "You lay Iran aside.",
        "You are dealt Pakistan, Vietnam, Nigeria, Cuba.",
    ]
    assert not any(line.startswith("You") for line in eve)


def test_3_6_a_seat_may_open_the_cards_dealt_to_it_and_those_on_the_table() -> None:
    start = new_match().state
    assert list(GAME.known_deck(start, USA)) == [0, 1, 2, 3, 4]
    assert list(GAME.known_deck(start, USSR)) == [5, 6, 7, 8, 9]
    assert GAME.known_deck(start, None) == GAME.known_deck(start, EVE) == {}
    card = start.hands[0][2]
    position = play(start, "first usa")
    line = next(line for line in lines(position, USA) if line.startswith(f"play {card} "))
    played = play(position, line)
    assert GAME.known_deck(played, None) == {2: card}
    assert list(GAME.known_deck(played, USSR)) == [2, 5, 6, 7, 8, 9]


def test_3_6_the_second_deal_opens_four_more_cards() -> None:
    position = round_two()
    known_usa, known_ussr = GAME.known_deck(position, USA), GAME.known_deck(position, USSR)
    assert {10, 11, 12, 13} <= set(known_usa)
    assert not {14, 15, 16, 17} & set(known_usa)
    assert {14, 15, 16, 17} <= set(known_ussr)
    assert not {10, 11, 12, 13} & set(known_ussr)
    assert all(position.order[i] == card for i, card in known_usa.items())


@pytest.mark.parametrize("seed", [bytes([50 + n]) for n in range(8)])
def test_3_6_what_is_imagined_looks_the_same_and_is_sound(seed: bytes) -> None:
    dice = QuickDice(seed)
    for done in random_match(seed):
        for seat in (USA, USSR, None):
            view = GAME.view(done.state, seat)
            imagined = GAME.imagine(view, dice)
            assert GAME.check(imagined) == []
            assert GAME.view(imagined, seat) == view
            other = GAME.resample_hidden(done.state, seat, dice)
            assert GAME.view(other, seat) == view
            if seat is not None:
                assert list(lines(other, seat)) == list(lines(done.state, seat))


def test_3_6_hidden_cards_are_dealt_anew() -> None:
    position, dice = round_two(), QuickDice(b"seed")
    hands = {GAME.resample_hidden(position, USA, dice).hands[1] for _ in range(20)}
    asides = {GAME.resample_hidden(position, USA, dice).aftermath for _ in range(40)}
    assert len(hands) > 10
    assert {mine for mine, _ in asides} == {"chile"}
    assert {theirs for _, theirs in asides} == {"iran", "pakistan", "vietnam", "nigeria", "cuba"}


def test_3_6_a_match_won_early_turns_everything_up() -> None:
    position = state("europe s19 2/1", mover=USA, usa="poland", track=7)
    over = play(position, "play poland t19", "event")
    assert GAME.known_deck(over, None) == dict(enumerate(over.order))
    assert GAME.view(over, None).aftermath == ()
    assert GAME.imagine(GAME.view(over, USSR), QuickDice(b"x")).hands == over.hands
