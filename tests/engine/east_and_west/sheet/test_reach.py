"""Every kind of order that a player may give is behind some form."""

from __future__ import annotations

import pytest

from engine.core import Seat
from engine.east_and_west.board import Variant
from engine.east_and_west.orders.registry import VERBS
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, play, state
from tests.engine.east_and_west.sheet.presses import form, posted, without_dice

FLEET = ("karelia ussr 3 infantry", "barents-sea ussr 2 transport", "norway we 1 infantry")
BOMB = ("karelia ussr 1 atomic-bomb 2 bomber", "norway we 3 infantry", "finland ussr 1 infantry")
WISE = {"ussr": {"nuclear": 2, "infantry": 4, "aircraft": 6}}


def at_war() -> State:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    return play(position, "ussr", "move poland west-germany 3 infantry")


def asked(about: str) -> State:
    """A match that rests with a question of this kind to the USSR."""
    match about:
        case "retreat":
            return play(at_war(), "ussr", "plan west-germany retreat ask", "done", faces=[6] * 4)
        case "losses":
            position = state(
                "poland we 3 infantry",
                "east-germany ussr 2 infantry 1 armor",
                power="we",
                owners={"poland": "we"},
                standing={"ussr": Standing(asks=("east-germany",))},
            )
            return play(
                position, "we", "move poland east-germany 3 infantry", "done", faces=[1, 6, 6]
            )
        case "submarines":
            position = state(
                "barents-sea ussr 2 submarine",
                "north-sea we 1 cruiser",
                "iceland-sea-zone we 1 cruiser",
                power="we",
                standing={"ussr": Standing(asks=("barents-sea",))},
            )
            return play(
                position, "we", "move north-sea barents-sea 1 cruiser", "done", faces=[6] * 3
            )
        case "target":
            position = state(
                "poland we 2 armor 1 fighter",
                "east-germany ussr 1 aa-gun 1 infantry",
                power="we",
                owners={"poland": "we"},
                techs={"ussr": {"armor": 4}},
                standing={"ussr": Standing(asks=("east-germany",))},
            )
            return play(
                position, "we", "move poland east-germany 2 armor 1 fighter", "done", faces=[]
            )
    raise AssertionError(about)


def sharing() -> State:
    return state(
        stop="intelligence",
        power="uk",
        techs={"usa": {"ship": 2}},
        firsts={"ship 1": Seat("usa")},
        standing={"usa": Standing(share={Seat("uk"): "ask"})},
    )


CASES: dict[str, tuple[State, str, dict[str, str], str, dict[str, str], str]] = {
    # verb: position, seat, address, form, what is filled in, order
    "spy": (
        state(stop="intelligence", spies={"ussr": 1}),
        "ussr",
        {"stage": "spies"},
        "spies",
        {"spy-1": "diplomacy china"},
        "spy diplomacy china",
    ),
    "research": (
        state(stop="intelligence"),
        "ussr",
        {"stage": "research"},
        "research",
        {"ship": "paid"},
        "research ship",
    ),
    "accept": (
        sharing(),
        "uk",
        {"stage": "research"},
        "research",
        {"accept-ship": "on"},
        "accept ship",
    ),
    "buy": (state(), "ussr", {"stage": "purchases"}, "buy", {"armor": "2"}, "buy 2 armor"),
    "repair": (
        state("barents-sea ussr 1 battleship!damaged", factories=["karelia"]),
        "ussr",
        {"stage": "purchases"},
        "repair",
        {"zone": "barents-sea"},
        "repair barents-sea",
    ),
    "load": (
        state(*FLEET),
        "ussr",
        {"stage": "attack", "at": "karelia"},
        "load",
        {"infantry": "2", "zone": "barents-sea"},
        "load karelia barents-sea 2 infantry",
    ),
    "land": (
        state("barents-sea ussr 1 transport[2 infantry]", "norway we 1 infantry"),
        "ussr",
        {"stage": "attack", "at": "barents-sea"},
        "unload",
        {"shore": "norway"},
        "land barents-sea norway 2 infantry",
    ),
    "drop": (
        state("karelia ussr 1 infantry 1 bomber", "norway we 1 infantry", techs=WISE),
        "ussr",
        {"stage": "attack", "at": "karelia"},
        "drop-bomber",
        {"to": "norway"},
        "drop karelia norway 1",
    ),
    "raid": (
        state("karelia ussr 1 bomber", factories=["karelia", "west-germany"]),
        "ussr",
        {"stage": "attack", "at": "karelia"},
        "raid",
        {"to": "west-germany"},
        "raid karelia west-germany 1",
    ),
    "attack": (
        state("barents-sea ussr 1 cruiser we 1 transport"),
        "ussr",
        {"stage": "attack"},
        "attack",
        {"space": "barents-sea"},
        "attack barents-sea",
    ),
    "strike": (
        state(*BOMB, techs=WISE),
        "ussr",
        {"stage": "attack", "at": "karelia"},
        "strike",
        {"means": "atomic-bomb", "to": "norway"},
        "strike karelia norway atomic-bomb",
    ),
    "fly-bomb": (
        state(*BOMB, techs=WISE, stop="logistics"),
        "ussr",
        {"stage": "moves", "at": "karelia"},
        "fly-bomb",
        {"bomb": "atomic-bomb", "to": "russia"},
        "fly-bomb karelia russia atomic-bomb",
    ),
    "move": (
        state("east-germany ussr 2 armor", "france we 1 infantry"),
        "ussr",
        {"stage": "attack", "at": "east-germany"},
        "move-via",
        {"armor": "1", "to": "france", "via": "west germany"},
        "move east-germany france 1 armor via west-germany",
    ),
    "plan": (
        at_war(),
        "ussr",
        {"stage": "battles"},
        "plan-losses-west-germany",
        {"keep": "on"},
        "plan west-germany keep ground",
    ),
    "place": (
        state(stop="logistics", hand={"ussr": {"infantry": 1}}),
        "ussr",
        {"stage": "placement", "at": "russia"},
        "place",
        {},
        "place russia 1 infantry",
    ),
    "reinforce": (
        state("manchuria china 4 infantry", stop="logistics"),
        "ussr",
        {"stage": "placement"},
        "reinforce",
        {"count": "2"},
        "reinforce 2",
    ),
    "host": (
        state(power="uk"),
        "uk",
        {"stage": "standing"},
        "host",
        {"power": "usa", "welcome": "never"},
        "host usa never",
    ),
    "surrender": (
        state(),
        "ussr",
        {"stage": "standing"},
        "surrender",
        {"sure": "on"},
        "surrender",
    ),
    "fight-on": (
        state(surrendering=(Seat("uk"),), power="uk"),
        "uk",
        {"stage": "standing"},
        "fight-on",
        {},
        "fight-on",
    ),
    "lose": (asked("losses"), "ussr", {}, "lose", {"infantry": "0", "armor": "1"}, "lose armor 1"),
    "stay": (asked("submarines"), "ussr", {}, "answer-stay", {}, "stay"),
    "submerge": (asked("submarines"), "ussr", {}, "answer-submerge-2", {}, "submerge 2"),
    "retreat": (
        asked("retreat"),
        "ussr",
        {},
        "answer-retreat-poland",
        {},
        "retreat poland",
    ),
    "fight": (asked("retreat"), "ussr", {}, "answer-fight", {}, "fight"),
    "target": (asked("target"), "ussr", {}, "answer-target-armor", {}, "target armor"),
    "share": (
        play(sharing(), "uk", "accept ship", "done", faces=[]),
        "usa",
        {},
        "answer-share-no",
        {},
        "share no",
    ),
    "standing": (
        state("poland ussr 1 infantry", power="we"),
        "ussr",
        {"stage": "standing"},
        "losses",
        {"where": "poland", "lose-1": "armor"},
        "standing losses poland armor",
    ),
    "then": (
        state(stop="intelligence"),
        "ussr",
        {"stage": "later"},
        "then",
        {"order": "buy 2 inf", "condition": "cash >= 20"},
        "then if cash >= 20 buy 2 infantry",
    ),
    "forget": (
        play(state(stop="intelligence"), "ussr", "then buy 1 infantry"),
        "ussr",
        {"stage": "later"},
        "forget",
        {"number": "0"},
        "forget all",
    ),
    "for": (
        state("france usa 1 infantry", power="uk", variant=Variant(nato="we+uk+usa")),
        "nato",
        {"stage": "standing", "for": "usa"},
        "ask",
        {"where": "france"},
        "for usa standing ask france on",
    ),
    "done": (state(), "ussr", {}, "finish", {}, "done"),
}


def test_no_kind_of_order_is_missing() -> None:
    assert set(VERBS) == set(CASES)


@pytest.mark.parametrize("verb", CASES)
def test_an_order_of_each_kind_can_be_pressed(verb: str) -> None:
    position, seat, asks, name, filled, order = CASES[verb]
    sheet = GAME.sheet(position, Seat(seat), asks)
    visible = {key.replace("-", "_"): value for key, value in filled.items()}
    fields = posted(form(sheet, name), **visible)
    assert GAME.compose(position, Seat(seat), fields) == (order,)
    without_dice(position, Seat(seat), (order,))


STANDING: dict[str, tuple[dict[str, str], str]] = {
    "ask": ({"where": "poland"}, "standing ask poland on"),
    "strike-losses": (
        {"lose-1": "armor", "lose-2": "infantry"},
        "standing strike-losses armor infantry",
    ),
    "aa": ({"where": "poland", "aim": "armor"}, "standing aa poland armor"),
    "subs": (
        {"where": "barents-sea", "subs": "submerge-after", "dive-round": "2"},
        "standing subs barents-sea submerge-after 2",
    ),
    "carrier": ({"haven-1": "carrier"}, "standing carrier carrier"),
    "refuge": ({"way": "china eastern-siberia"}, "standing refuge china eastern-siberia"),
}


@pytest.mark.parametrize("topic", STANDING)
def test_every_topic_of_standing_orders_has_a_form(topic: str) -> None:
    position = state("poland ussr 1 infantry 1 aa-gun", "barents-sea ussr 1 submarine")
    filled, order = STANDING[topic]
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "standing"})
    visible = {key.replace("-", "_"): value for key, value in filled.items()}
    fields = posted(form(sheet, topic), **visible)
    assert GAME.compose(position, Seat("ussr"), fields) == (order,)
    after = play(position, "ussr", order)
    (line,) = GAME.sheet(after, Seat("ussr"), {"stage": "standing"}).panels[0].lines
    assert GAME.say(line)
    drop = form(GAME.sheet(after, Seat("ussr"), {"stage": "standing"}), "drop-standing")
    back = GAME.compose(after, Seat("ussr"), posted(drop))
    assert play(after, "ussr", *back) == position


def test_who_holds_several_powers_plays_the_one_that_is_asked() -> None:
    """And says things in advance for the others by their names."""
    position = state(power="uk", variant=Variant(nato="we+uk+usa"))
    sheet = GAME.sheet(position, Seat("nato"), {"stage": "purchases"})
    assert GAME.say(sheet.title).startswith("United Kingdom, round 1")
    bought = GAME.compose(position, Seat("nato"), posted(form(sheet, "buy"), infantry=2))
    assert bought == ("buy 2 infantry",)
    other = GAME.sheet(position, Seat("nato"), {"stage": "purchases", "for": "usa"})
    noted = GAME.compose(position, Seat("nato"), posted(form(other, "buy"), infantry=2))
    assert noted == ("for usa then buy 2 infantry",)
    after = play(position, "nato", *noted)
    assert [later.order for later in after.orders(Seat("usa")).later] == ["buy 2 infantry"]
    assert (
        GAME.sheet(position, Seat("nato"), {"stage": "later", "for": "ussr"}).title == sheet.title
    )
