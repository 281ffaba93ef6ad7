"""Rule 6.6 of RULES.md: what a side says in advance about its events."""

import pytest
from msgspec.structs import replace

from engine.chance import QuickDice, SealedDice
from engine.core import IllegalAction, NotYourTurn, Seat, Step
from engine.iron_curtain.board import Answer, CommandCard, Commanding
from engine.iron_curtain.deck import USA, USSR, deck_from
from engine.iron_curtain.standing_orders import Rule, StandingOrders
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import (
    GAME,
    asked,
    card_in,
    deck_document,
    new_match,
    news,
    play,
    state,
    step,
    told,
)
from tests.engine.refusals import exactly

EVE = Seat("eve")
NOTHING = StandingOrders()

each_side = pytest.mark.parametrize("side", [USA, USSR])


def give(position: State, seat: Seat, line: str) -> Step[State]:
    """A standing order, whether the seat is asked or not."""
    done = GAME.apply(position, seat, GAME.parse(f"standing {line}"), SealedDice())
    assert GAME.check(done.state) == []
    assert GAME.load(GAME.dump(done.state)) == done.state
    return done


def given(position: State, seat: Seat, *lines: str) -> State:
    for line in lines:
        position = give(position, seat, line).state
    return position


def orders(position: State, seat: Seat) -> StandingOrders:
    return GAME.view(position, seat).standing


def refuses(position: State, seat: Seat, line: str, message: str) -> None:
    with pytest.raises(IllegalAction, match=exactly(message)) as caught:
        give(position, seat, line)
    assert type(caught.value) is IllegalAction


def any_time(position: State, seat: Seat, *prefix: str) -> dict[str, str]:
    """The words that are offered, with their labels."""
    return {o.word: GAME.say(o.label) for o in GAME.any_time(position, seat, prefix)}


def us_plays(card: str, *countries: str, track: int = 0) -> State:
    return state(*(countries or ("europe s19 1/1",)), mover=USA, usa=card, track=track)


def ussr_plays(card: str, *countries: str, track: int = 0) -> State:
    return state(*(countries or ("europe s19 2/1",)), mover=USSR, ussr=card, track=track)


# --- what becomes of the event --------------------------------------------------------------------


def test_6_6_an_event_without_a_choice_is_used_by_standing_order() -> None:
    done = step(given(us_plays("italy"), USSR, "italy use"), "play italy t19")
    assert told(done) == [
        "USA plays Italy on t19.",
        "USSR uses the event of Italy by auto-answer.",
        "USSR gains 1 point from Italy. Track: USSR ahead by 1.",
        "USA commands up to 1 cube with Italy.",
    ]
    assert done.state.stack == (Commanding(USA, "italy", 1, ("europe", "italy")),)
    assert GAME.waiting_on(done.state) == {USA}
    assert news(done.state) == told(done)
    assert done.final


def test_6_6_the_us_gives_standing_orders_as_well() -> None:
    done = step(given(ussr_plays("poland"), USA, "poland use"), "play poland t19")
    assert told(done)[1:3] == [
        "USA uses the event of Poland by auto-answer.",
        "USA gains 1 point from Poland. Track: USA ahead by 1.",
    ]
    assert asked(done.state) == Commanding(USSR, "poland", 3, ("europe", "poland"))


def test_6_6_an_event_is_left_unused_by_standing_order() -> None:
    done = step(given(us_plays("vietnam"), USSR, "vietnam never"), "play vietnam t19")
    assert told(done) == [
        "USA plays Vietnam on t19.",
        "USSR declines the event of Vietnam by auto-answer.",
        "USA commands up to 4 cubes with Vietnam.",
    ]
    assert asked(done.state) == Commanding(USA, "vietnam", 4, ("europe", "vietnam"))
    assert done.final


def test_6_6_the_messages_are_told_in_german_and_french() -> None:
    used = step(given(us_plays("italy"), USSR, "italy use"), "play italy t19")
    left = step(given(us_plays("italy"), USSR, "all never"), "play italy t19")
    assert told(used, None, "de")[1] == (
        "UdSSR nutzt das Ereignis von Italien durch Vorab-Antwort."
    )
    assert told(left, None, "fr")[1] == (
        "Le camp URSS refuse l'événement Italie, par réponse automatique."
    )


@pytest.mark.parametrize("rule", ["vietnam use", "vietnam ask", "all use", "all ask", "italy use"])
def test_6_6_an_event_with_a_choice_is_asked_for_unless_never(rule: str) -> None:
    done = step(given(us_plays("vietnam"), USSR, rule), "play vietnam t19")
    assert told(done) == ["USA plays Vietnam on t19."]
    assert done.state.stack == (CommandCard(USA, "vietnam"), Answer(USSR, "vietnam"))
    assert step(done.state, "event").state.stack[-1].seat == USSR


def test_6_6_clearing_needs_no_choice_but_infiltrating_after_it_does() -> None:
    position = given(us_plays("brazil", "europe s19 1/1", "cuba t19 1/0"), USSR, "brazil use")
    assert asked(play(position, "play brazil u19")) == Answer(USSR, "brazil")
    document = deck_document()
    card_in(document, "brazil")["event"] = [{"do": "clear", "where": ["cuba"]}]
    deck = deck_from(document)
    position = state("cuba t19 1/0", mover=USA, usa="brazil", deck=deck)
    done = step(given(position, USSR, "brazil use"), "play brazil u19")
    assert told(done)[1:3] == [
        "USSR uses the event of Brazil by auto-answer.",
        "1 cube of USA leaves Cuba.",
    ]


def test_6_6_an_event_that_can_do_nothing_is_skipped_and_can_be_taken_back() -> None:
    done = step(given(us_plays("brazil"), USSR, "all never"), "play brazil t19")
    assert told(done)[1] == "The event of Brazil would have no effect and is skipped."
    assert not done.final


def test_6_6_an_event_used_by_standing_order_may_end_the_match() -> None:
    """T14 without waiting: the US plays Italy at -7."""
    done = step(given(us_plays("italy", track=-7), USSR, "all use"), "play italy t19")
    assert told(done)[1:] == [
        "USSR uses the event of Italy by auto-answer.",
        "USSR gains 1 point from Italy. Track: USSR ahead by 8.",
        "The marker has reached the flag of USSR. USSR wins.",
    ]
    assert done.state.stack == ()
    assert done.state.result is not None
    assert done.state.result.winners == (USSR,)
    assert done.final


@each_side
def test_6_6_a_side_that_plays_its_own_card_is_asked_as_ever(side: Seat) -> None:
    position = us_plays("poland", "europe s19 2/1") if side == USA else ussr_plays("italy")
    card = position.hand(side)[0]
    done = step(given(position, side, "all never", f"{card} never"), f"play {card} t19")
    assert {o.word for o in GAME.options(done.state, side)} == {"event", "command"}
    assert orders(done.state, side) == StandingOrders("never")
    assert not done.final


def test_6_6_the_orders_of_one_side_do_not_speak_for_the_other() -> None:
    done = step(given(us_plays("italy"), USA, "all never"), "play italy t19")
    assert asked(done.state) == Answer(USSR, "italy")


@pytest.mark.parametrize(
    ("lines", "used"),
    [
        (("all never", "italy use"), True),
        (("italy use", "all never"), True),
        (("all use", "italy never"), False),
        (("all use", "italy ask"), None),
        (("italy ask", "all use"), True),
        (("italy use", "italy ask"), None),
        (("italy never", "all use"), False),
        (("all use", "all ask"), None),
        (("all use",), True),
        (("all never",), False),
        ((), None),
    ],
)
def test_6_6_a_rule_for_a_card_beats_the_general_one(
    lines: tuple[str, ...], used: bool | None
) -> None:
    after = play(given(us_plays("italy"), USSR, *lines), "play italy t19")
    assert (asked(after) == Answer(USSR, "italy")) == (used is None)
    assert after.track == (-1 if used else 0)


def test_6_6_what_is_being_asked_stays_asked() -> None:
    position = play(us_plays("italy"), "play italy t19")
    after = given(position, USSR, "all use")
    assert after.stack == position.stack
    assert play(after, "decline").track == 0


# --- how they are kept ----------------------------------------------------------------------------


@each_side
def test_6_6_orders_may_be_given_at_any_time_by_either_side(side: Seat) -> None:
    positions = [new_match().state, us_plays("italy"), ussr_plays("poland")]
    positions.append(play(us_plays("vietnam"), "play vietnam t19"))
    positions.append(play(positions[-1], "event"))
    for position in positions:
        done = give(position, side, "all never")
        assert orders(done.state, side) == StandingOrders("never")
        assert replace(done.state, standing=position.standing) == position
        assert not done.final


@pytest.mark.parametrize(
    ("lines", "general", "cards"),
    [
        ("", "ask", ""),
        ("italy ask", "ask", ""),
        ("all ask", "ask", ""),
        ("italy use, italy ask", "ask", ""),
        ("italy use", "ask", "italy use"),
        ("vietnam never, italy use", "ask", "italy use, vietnam never"),
        ("italy use, vietnam never", "ask", "italy use, vietnam never"),
        ("all never, vietnam ask", "never", "vietnam ask"),
        ("all never, vietnam ask, all ask", "ask", ""),
        ("vietnam ask, all never", "never", ""),
        ("all use, italy use", "use", "italy use"),
        ("all use, italy use, all never", "never", "italy use"),
        ("italy use, italy never", "ask", "italy never"),
    ],
)
def test_6_6_equal_settings_are_equal_states(lines: str, general: Rule, cards: str) -> None:
    start = new_match().state
    after = given(start, USSR, *filter(None, lines.split(", ")))
    said = orders(after, USSR)
    assert said.general == general
    assert ", ".join(f"{card} {rule}" for card, rule in said.cards) == cards
    assert (after == start) == (said == NOTHING)


@pytest.mark.parametrize(
    "line", ["East Germany use", "ostdeutschland use", "Allemagne de l'Est use", "east-germany USE"]
)
def test_6_6_cards_are_named_in_three_languages(line: str) -> None:
    after = given(new_match().state, USSR, line)
    assert orders(after, USSR).cards == (("east_germany", "use"),)


@pytest.mark.parametrize("rule", ["italy use", "italy never", "all never, italy ask"])
def test_6_6_a_rule_is_forgotten_when_its_card_lies_on_the_table(rule: str) -> None:
    lines = (*rule.split(", "), "vietnam use")
    position = given(given(us_plays("italy"), USSR, *lines), USA, "poland use")
    after = play(position, "play italy t19")
    assert orders(after, USSR).cards == (("vietnam", "use"),)
    assert orders(after, USA).cards == (("poland", "use"),)


def test_6_6_a_rule_is_forgotten_when_the_match_ends_with_its_card() -> None:
    position = state("egypt t19 1/0", mover=USA, usa="iran", track=7)
    over = play(given(position, USSR, "iran never"), "play iran u19")
    assert over.result is not None
    assert over.standing == (NOTHING, NOTHING)


def test_6_6_a_rule_for_a_card_in_the_aftermath_stays_as_nobody_may_know() -> None:
    laid = "poland t19,italy r19,south_africa t20,algeria t21,brazil t18,japan s18,zaire u20"
    position = state(*laid.split(","), mover=USA, usa="panama iran", ussr="chile")
    after = play(given(position, USSR, "iran never"), "play panama u19", "command", "done")
    assert after.aftermath == ("iran", "chile")
    assert orders(after, USSR).cards == (("iran", "never"),)


# --- what is refused ------------------------------------------------------------------------------

OF_USSR = "italy, east_germany, iran, vietnam, algeria, zaire, cuba, brazil, all"
OF_USA = (
    "poland, france, west_germany, egypt, pakistan, japan, south_africa, nigeria, panama, "
    "chile, all"
)


@pytest.mark.parametrize(
    ("side", "line", "message"),
    [
        (USSR, "Polen use", "polen is no card of your flag; auto-answers are for " + OF_USSR),
        (USA, "italy use", "italy is no card of your flag; auto-answers are for " + OF_USA),
        (
            USA,
            "atlantis ask",
            "atlantis is no card of your flag; auto-answers are for " + OF_USA,
        ),
        (
            USSR,
            "europe never",
            "europe lies on the table already; auto-answers are for " + OF_USSR,
        ),
    ],
)
def test_6_6_standing_orders_are_for_cards_of_the_own_flag(
    side: Seat, line: str, message: str
) -> None:
    refuses(new_match().state, side, line, message)


def test_6_6_there_is_nothing_to_say_about_a_card_on_the_table() -> None:
    position = state("italy t19", "iran u19", mover=USA)
    rest = "east_germany, vietnam, algeria, zaire, cuba, brazil, all"
    message = f"italien lies on the table already; auto-answers are for {rest}"
    refuses(position, USSR, "Italien use", message)


def test_6_6_strangers_and_those_whose_match_is_over_give_no_orders() -> None:
    position = us_plays("italy", track=-7)
    message = "auto-answers are for the players, USA and USSR"
    with pytest.raises(NotYourTurn, match=exactly(message)):
        give(position, EVE, "all use")
    over = play(position, "play italy t19", "event")
    for seat in (USA, USSR, EVE):
        with pytest.raises(NotYourTurn, match=exactly("the match is over")):
            give(over, seat, "all use")
        assert any_time(over, seat) == {}


# --- who knows of them ----------------------------------------------------------------------------


@each_side
def test_6_6_only_the_owner_hears_and_sees_a_standing_order(side: Seat) -> None:
    other = USSR if side == USA else USA
    card = "poland" if side == USA else "italy"
    position = new_match().state
    done = give(position, side, f"{card} use")
    name = card.capitalize()
    assert told(done, side) == [f"Auto-answer for {name}: use it if it needs no choice."]
    assert told(give(position, side, "all never"), side) == ["Default auto-answer: decline it."]
    assert told(give(position, side, "all ask"), side) == ["Default auto-answer: ask me."]
    assert orders(done.state, side) == StandingOrders("ask", ((card, "use"),))
    for seat in (other, None, EVE):
        assert told(done, seat) == []
        assert GAME.view(done.state, seat) == GAME.view(position, seat)
        assert GAME.view(done.state, seat).standing == NOTHING
    assert news(done.state, side) == news(position, side)


@each_side
def test_6_6_what_is_imagined_keeps_the_own_orders_and_knows_no_others(side: Seat) -> None:
    position = given(given(new_match().state, USA, "all use"), USSR, "all never")
    imagined = GAME.resample_hidden(position, side, QuickDice(b"x"))
    own = orders(position, side)
    assert imagined.standing == ((own, NOTHING) if side == USA else (NOTHING, own))
    assert GAME.resample_hidden(position, None, QuickDice(b"x")).standing == (NOTHING, NOTHING)


@pytest.mark.parametrize("line", ["all use", "all never", "all ask", "italy use"])
@pytest.mark.parametrize("card", ["italy", "vietnam", "brazil"])
def test_11_7_undoing_a_card_does_not_show_whether_there_is_a_standing_order(
    card: str, line: str
) -> None:
    order = f"play {card} t19"
    without, having = us_plays(card), given(us_plays(card), USSR, line)
    assert step(having, order).final == step(without, order).final == (card != "brazil")


# --- how they are offered -------------------------------------------------------------------------


def test_6_6_the_words_of_standing_orders_say_what_holds_now() -> None:
    position = state("iran t19", "brazil u19", mover=USA)
    position = given(position, USSR, "all use", "vietnam ask", "cuba never")
    assert any_time(position, USSR) == {"standing": "Auto-answers for your events"}
    assert any_time(position, USSR, "standing") == {
        "all": "Default: use it if it needs no choice",
        "italy": "Italy: default",
        "east_germany": "East Germany: default",
        "vietnam": "Vietnam: ask me",
        "algeria": "Algeria: default",
        "zaire": "Zaire: default",
        "cuba": "Cuba: decline it",
    }
    assert any_time(position, USSR, "standing", "all") == {
        "use": "Use events that need no choice",
        "ask": "Ask me",
        "never": "Decline the event",
    }
    assert any_time(position, USSR, "standing", "italy")["use"] == "Use the event"
    assert any_time(position, USSR, "standing", "cuba")["use"] == (
        "Ask me: the event needs a choice"
    )


def test_6_6_nothing_is_offered_after_other_words_nor_among_the_options() -> None:
    position = state("iran t19", "brazil u19", mover=USA)
    wrong = (("play",), ("standing", "iran"), ("standing", "poland"), ("standing", "italy", "use"))
    for prefix in wrong:
        assert any_time(position, USSR, *prefix) == {}
    assert any_time(position, EVE) == {}
    assert [o.word for o in GAME.options(position, USA)] == ["play"]
    assert GAME.options(position, USA, ("standing",)) == ()
    assert GAME.options(position, USSR) == ()
