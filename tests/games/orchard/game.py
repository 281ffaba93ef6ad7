"""Orchard: two gardeners plant trees in two fields, and a die says what the weather leaves.

A turn: `plant FIELD N` costs N of ten coins; `water FIELD` needs trees that were planted there in
this turn; `done` throws the die. `wish WORDS` may be said at any time, and the other does not learn
of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.abilities import (
    Arrow,
    BattleMark,
    Heard,
    Maps,
    OrderSheets,
    Picture,
    Sheet,
    SheetField,
    SheetForm,
    SheetLink,
    SheetMap,
    SheetPanel,
    SheetStage,
    SheetTrack,
    SheetValue,
    StandingOrders,
    Zoom,
    nothing_heard,
)
from engine.core import (
    BadNotation,
    Dice,
    Event,
    IllegalAction,
    Language,
    Name,
    NotYourTurn,
    Option,
    Outcome,
    Seat,
    Setup,
    Step,
    Text,
)
from engine.game import Game

SEATS = RED, BLUE = Seat("red"), Seat("blue")
FIELDS = ("north", "south")
COINS = 10
LAST = 4
"""Turns after which a match is over."""


class State(Struct, frozen=True):
    played: int = 0
    coins: int = COINS
    trees: Mapping[str, int] = {}
    """Planted in this turn, by field."""
    watered: tuple[str, ...] = ()
    points: tuple[int, int] = (0, 0)
    wishes: Mapping[str, str] = {}
    """By seat; nobody else knows."""


class View(Struct, frozen=True):
    state: State
    seat: Seat | None


class Order(Struct, frozen=True):
    verb: str
    words: tuple[str, ...] = ()


class Orchard(
    Game[State, Order, View], OrderSheets[State], Maps[View], StandingOrders[State, Order]
):
    name = "orchard"
    title = Name("Orchard", "Obstgarten", "Verger")
    rules_version = 1
    style = "rect{fill:#fff}text{fill:#222}"

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return SEATS

    def seat_name(self, seat: Seat) -> Name:
        return {RED: Name("Red", "Rot", "Rouge"), BLUE: Name("Blue", "Blau", "Bleu")}[seat]

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        return Step(State())

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return frozenset({SEATS[state.played % 2]}) if state.played < LAST else frozenset()

    def options(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Order], ...]:
        if seat not in self.waiting_on(state):
            return ()
        match prefix:
            case ():
                done = Option("done", Text("End the turn"), Order("done"))
                return (Option("plant", Text("Plant")), done)
            case ("plant",):
                return tuple(Option(field, Text(field)) for field in FIELDS)
            case ("plant", field):
                one = Order("plant", (field, "1"))
                return (Option("1", Text("one tree"), one),) if state.coins else ()
        return ()

    def any_time(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Order], ...]:
        if not prefix:
            return (Option("wish", Text("Make a wish")),)
        return (Option("rain", Text("Rain"), Order("wish", ("rain",))),)

    def is_any_time(self, action: Order) -> bool:
        return action.verb == "wish"

    def apply(self, state: State, seat: Seat, action: Order, dice: Dice) -> Step[State]:
        if action.verb == "wish":
            wishes = {**state.wishes, seat: " ".join(action.words)}
            told = Event(Text("You wish for {what}.", {"what": wishes[seat]}), (seat,))
            return Step(replace(state, wishes=wishes), (told,))
        if seat not in self.waiting_on(state):
            raise NotYourTurn("it is not your turn")
        match action.verb:
            case "plant":
                return self._plant(state, *action.words)
            case "water":
                return self._water(state, *action.words)
        (die,) = dice.roll(6, 1, "weather")
        grown = sum(state.trees.values()) + len(state.watered) - die
        points = list(state.points)
        points[SEATS.index(seat)] += max(0, grown)
        told = Event(
            Text("The weather is {die}: {grown} trees grow.", {"die": die, "grown": grown})
        )
        after = State(state.played + 1, points=(points[0], points[1]), wishes=state.wishes)
        return Step(after, (told,), final=True)

    def _plant(self, state: State, field: str, number: str) -> Step[State]:
        count = int(number)
        if count > state.coins:
            raise IllegalAction("{n} trees cost more than {coins}", n=count, coins=state.coins)
        trees = {**state.trees, field: state.trees.get(field, 0) + count}
        told = Event(Text("{n} trees stand in the {field}.", {"n": trees[field], "field": field}))
        return Step(replace(state, coins=state.coins - count, trees=trees), (told,))

    def _water(self, state: State, field: str) -> Step[State]:
        if not state.trees.get(field):
            raise IllegalAction("nothing was planted in the {field}", field=field)
        return Step(replace(state, watered=(*state.watered, field)))

    def default_action(self, state: State, seat: Seat) -> Order | None:
        return Order("done")

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(SEATS, Text("Both have an orchard.")) if state.played >= LAST else None

    def view(self, state: State, seat: Seat | None) -> View:
        own = {seat: state.wishes[seat]} if seat and seat in state.wishes else {}
        return View(replace(state, wishes=own), seat)

    def closed(self, view: View) -> View:
        return view

    def imagine(self, view: View, dice: Dice) -> State:
        return view.state

    # --- written down -----------------------------------------------------------------------------

    def notate(self, action: Order) -> str:
        return " ".join((action.verb, *action.words))

    def parse(self, text: str) -> Order:
        match text.lower().split():
            case ["plant", ("north" | "south") as field, number] if number in _NUMBERS:
                return Order("plant", (field, number))
            case ["water", ("north" | "south") as field]:
                return Order("water", (field,))
            case ["wish", *words] if words:
                return Order("wish", tuple(words))
            case ["done"]:
                return Order("done")
        raise BadNotation("'{order}' is no order; write: plant north 2", order=text)

    def dump(self, state: State) -> str:
        return msgspec.json.encode(state).decode()

    def load(self, text: str) -> State:
        return msgspec.json.decode(text, type=State)

    # --- the sheet --------------------------------------------------------------------------------

    def sheet(
        self,
        state: State,
        seat: Seat,
        asks: Mapping[str, str] = {},
        heard: Heard = nothing_heard,
    ) -> Sheet:
        shown = "wishes" if asks.get("stage") == "wishes" else "trees"
        at, to = (asks.get(name, "") for name in ("at", "to"))
        panels = (_wishing(state, seat),) if shown == "wishes" else _planting(state, asks)
        return Sheet(
            Text("Turn {n}", {"n": state.played + 1}),
            (
                SheetStage("tools", Text("Tools"), "done"),
                SheetStage(
                    "trees",
                    Text("Trees"),
                    "now",
                    Text("{n} of 10 coins spent", {"n": COINS - state.coins}),
                    shown == "trees",
                ),
                SheetStage("wishes", Text("Wishes"), "any", None, shown == "wishes"),
            ),
            panels,
            SheetMap(
                at if at in FIELDS else "",
                frozenset(FIELDS),
                frozenset(f for f in FIELDS if at in FIELDS and f not in (at, to)),
                tuple(Arrow("barn", field, number) for number, field in enumerate(state.trees, 1)),
                tuple(BattleMark(field, 50) for field in state.trees),
            ),
            finish=SheetForm("end", Text("The turn"), Text("End the turn"), hidden=_GOES_ON),
        )

    def compose(
        self,
        state: State,
        seat: Seat,
        fields: Mapping[str, str],
        heard: Heard = nothing_heard,
    ) -> tuple[str, ...]:
        match fields.get("what"):
            case "end":
                return ("done",)
            case "wish":
                return (f"wish {fields.get('wish', '')}",)
            case "plant":
                return _composed(state, fields)
        raise BadNotation("what: there is no such form")

    def in_words(self, state: State, seat: Seat, order: str) -> Text:
        return Text("End the turn" if order == "done" else "Order: {order}", {"order": order})

    def pasted(self, text: str) -> tuple[tuple[int, str], ...]:
        lines = [line.partition("#")[0].strip() for line in text.splitlines()]
        return tuple((number, line) for number, line in enumerate(lines, 1) if line)

    # --- looks ------------------------------------------------------------------------------------

    def render(
        self, view: View, width: int = 72, language: Language = "en", news: bool = True
    ) -> str:
        return self.narrate(view, language)

    def narrate(self, view: View, language: Language = "en", news: bool = True) -> str:
        return "\n".join(f"{n} trees in the {f}." for f, n in view.state.trees.items())

    def draw(self, view: View, language: Language = "en") -> str:
        return self.draw_map(view, Picture(), language)

    def zooms(self, language: Language = "en") -> tuple[Zoom, ...]:
        return (Zoom("", "All fields"), Zoom("up", "Northern half"))

    def zoom_on(self, spaces: frozenset[str]) -> str:
        return "up" if spaces <= {"north"} else ""

    def picture(self, view: View, earlier: View | None = None) -> Picture:
        return Picture()

    def draw_map(self, view: View, picture: Picture, language: Language = "en") -> str:
        spaces = "".join(_space(field, picture, n) for n, field in enumerate(FIELDS))
        arrows = " ".join(f"{arrow.start}-{arrow.target}" for arrow in picture.arrows)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 160" role="img"'
            f' aria-label="{picture.zoom or "all"}" data-arrows="{arrows}">'
            f"<style>{self.style}</style>{spaces}</svg>"
        )

    def say(self, text: Text, language: Language = "en") -> str:
        return text.in_(language)

    def rules_text(self, language: Language = "en") -> str:
        return "# Orchard\n"


_NUMBERS = tuple(str(n) for n in range(1, COINS + 1))
_GOES_ON = (("what", "end"), ("stage", "trees"))


def _planting(state: State, asks: Mapping[str, str]) -> tuple[SheetPanel, ...]:
    chosen = asks.get("at", "") if asks.get("at") in FIELDS else FIELDS[0]
    count = asks.get("count", "") if asks.get("count") in _NUMBERS else ""
    looked = Text("{n} coins would be left", {"n": state.coins - int(count or 0)})
    form = SheetForm(
        "plant",
        Text("Plant trees"),
        Text("Plant them"),
        (
            SheetField(
                "count",
                Text("Trees"),
                "number",
                count or "0",
                state.coins,
                (SheetValue(str(state.coins), Text("all")),),
                Text("one coin each"),
            ),
            SheetField(
                "field",
                Text("Where"),
                "choice",
                chosen,
                values=tuple(SheetValue(f, Text(f), Text("a field")) for f in FIELDS),
            ),
            SheetField("water", Text("Water them, too"), "flag"),
        ),
        hidden=(("what", "plant"), ("stage", "trees")),
        look=Text("Count"),
        notes=(looked,) if count else (),
        warning=Text("that is a lot") if count == str(state.coins) else None,
    )
    links = tuple(
        SheetLink(Text(f), (("stage", "trees"), ("at", f)), Text("a field"), f, f == asks.get("at"))
        for f in FIELDS
    )
    grown = SheetTrack(Text("Growth"), (Text("bush"), Text("tree"), Text("wood")), 1, True)
    return (
        SheetPanel("trees", Text("Trees"), (Text("Plant some."),), (grown,), links, (form,)),
        SheetPanel("more", Text("More"), (Text("Nothing more."),), is_folded=True),
    )


def _wishing(state: State, seat: Seat) -> SheetPanel:
    said = state.wishes.get(seat, "")
    form = SheetForm(
        "wish",
        Text("Your wish"),
        Text("Wish it"),
        (SheetField("wish", Text("Wish"), "text", said),),
        hidden=(("what", "wish"), ("stage", "wishes")),
        is_folded=True,
    )
    return SheetPanel("wishes", Text("Wishes"), forms=(form,))


def _composed(state: State, fields: Mapping[str, str]) -> tuple[str, ...]:
    count, field, water = (fields.get(name, "") for name in ("count", "field", "water"))
    if count not in _NUMBERS:
        raise BadNotation("Trees: '{n}' is not a number from 1 to 10", n=count[:40])
    if field not in FIELDS:
        raise BadNotation("Where: '{field}' is not north or south", field=field[:40])
    if water not in ("", "on"):
        raise BadNotation("Water them, too: '{water}' is neither on nor empty", water=water[:40])
    return (f"plant {field} {count}", *((f"water {field}",) if water else ()))


def _space(field: str, picture: Picture, number: int) -> str:
    link = picture.target_link if field in picture.targets else picture.link
    address = (link or picture.link).replace("{space}", field).replace("&", "&amp;")
    kind = "target" if field in picture.targets else "space"
    return (
        f'<a href="{address}" id="{field}" class="{kind}" aria-label="{field}">'
        f'<rect y="{80 * number}" width="300" height="78"/>'
        f'<text x="9" y="{80 * number + 40}">{field}</text></a>'
    )
