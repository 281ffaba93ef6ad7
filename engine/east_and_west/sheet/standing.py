"""14.2: standing orders in words, with a form for each topic; and what allies agree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.abilities import SheetField, SheetForm, SheetValue
from engine.core import BadNotation, Param, Seat, Text
from engine.east_and_west.course.surrender import FightOn, Surrender
from engine.east_and_west.data.arsenal import CARRIERS, SUBMARINE, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, POWER_NAMES, USSR
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.queries import own_units
from engine.east_and_west.sheet.battles import (
    dive_fields,
    diving_text,
    loss_fields,
    losses_text,
    read_dive,
    read_losses,
)
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import of_standing
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    Values,
    choice,
    flag,
    nothing,
    space_text,
    spaces,
)
from engine.east_and_west.standing import CARRIER_FIRST, DAMAGE, Standing
from engine.east_and_west.verbs.hosting import Host
from engine.east_and_west.verbs.standing import TOPIC_LABELS, StandingOrder, Topic, borders

EVERYWHERE = "everywhere"
"""Posted for a standing order that is for every space."""
AIMS = {
    "value": Text("what is worth more"),
    "number": Text("what is more in number"),
    "aircraft": Text("the aircraft"),
    "armor": Text("the armor"),
}
CONSENTS = {"always": Text("always"), "never": Text("never"), "ask": Text("ask me")}


def parts(desk: Desk) -> Iterator[Part]:
    said = list(_said(desk.orders))
    lines = [*(line for _, line in said), *_in_the_last_battle(desk)]
    yield Part(
        "standing",
        Text("Standing orders, for the turns of others"),
        tuple(lines) or (Text("Nothing is ordered; the usual is done."),),
        offers=(*_dropping(said), *_forms(desk)),
    )


def _in_the_last_battle(desk: Desk) -> Iterator[Text]:
    """What an order of losses would have done where this power was attacked."""
    last = desk.last_defence if desk.orders.losses else None
    if last is not None:
        yield from of_standing(desk.board, last, desk.power, desk.orders)


# --- in words -------------------------------------------------------------------------------------


def _said(orders: Standing) -> Iterator[tuple[StandingOrder, Text]]:
    """Each standing order in words, with the order that drops it."""
    lists: tuple[tuple[Topic, Mapping[str, tuple[str, ...]]], ...] = (
        ("losses", orders.losses),
        ("strike-losses", orders.strike_losses),
    )
    for topic, by_place in lists:
        for where, losses in by_place.items():
            about = {"where": _where(where), "kinds": losses_text(losses)}
            yield (
                StandingOrder(topic, where),
                Text("losses, {where}: first {kinds}", about)
                if topic == "losses"
                else Text("losses under a bomb, {where}: first {kinds}", about),
            )
    for where, aim in orders.guns.items():
        about = {"where": _where(where), "aim": AIMS[aim]}
        yield StandingOrder("aa", where), Text("guns, {where}: {aim}", about)
    for where, diving in orders.submarines.items():
        about = {"where": _where(where), "what": diving_text(diving)}
        yield StandingOrder("subs", where), Text("{where}: {what}", about)
    for where, havens in orders.havens.items():
        about = {"where": _where(where), "places": _havens(havens)}
        yield StandingOrder("carrier", where), Text("fighters at sea, {where}: {places}", about)
    for power, consent in orders.share.items():
        told: dict[str, Param] = {"power": POWER_NAMES[power], "consent": CONSENTS[consent]}
        yield StandingOrder("share", power), Text("half a step for {power}: {consent}", told)
    for alliance, land in orders.refuge.items():
        named: dict[str, Param] = {
            "alliance": atlas().alliances[alliance].names,
            "land": space_text(land),
        }
        yield StandingOrder("refuge", alliance), Text("out of {alliance}: to {land}", named)
    if orders.spares_chinese:
        yield StandingOrder("chinese", values=("first",)), Text("Chinese infantry is lost last")
    if orders.heeds_protests:
        heed = StandingOrder("complications", values=("ignore",))
        yield heed, Text("complications are heeded")
    for space in orders.asks:
        off = StandingOrder("ask", space, ("off",))
        yield off, Text("you are asked in {space}", {"space": space_text(space)})


def _where(space: str) -> Text:
    return space_text(space) if space else Text("everywhere")


def _havens(places: tuple[str, ...]) -> Text:
    said = [Text("a carrier") if place == CARRIER_FIRST else space_text(place) for place in places]
    whole = said[-1]
    for earlier in reversed(said[:-1]):
        whole = Text("{first}, {rest}", {"first": earlier, "rest": whole})
    return whole


def _dropping(said: list[tuple[StandingOrder, Text]]) -> Iterator[Offer]:
    if not said:
        return
    values = [SheetValue(str(at), line) for at, (_, line) in enumerate(said)]
    form = SheetForm(
        "drop-standing",
        Text("Drop a standing order"),
        Text("Drop it"),
        (choice("which", Text("Which one"), values),),
    )
    yield Offer(form, lambda chosen: [said[int(chosen.chosen("which"))][0]])


# --- forms ----------------------------------------------------------------------------------------


def _forms(desk: Desk) -> Iterator[Offer]:
    fighting = [kind for kind, unit in kinds().items() if unit.fights]
    held = desk.own_spaces
    yield _asking(desk, held)
    for topic in LOSSES:
        yield _losing(desk, topic, [DAMAGE, *fighting], held)
    yield _aiming([land for land in held if atlas().is_land(land)])
    zones = [space for space in held if atlas().is_water(space)]
    yield _diving(desk, [zone for zone in zones if _has(desk, zone, SUBMARINE)])
    yield _havening(desk, [zone for zone in zones if _has(desk, zone, *CARRIERS)])
    yield from _refuges(desk)
    if desk.power == USSR:
        yield _soviet(desk)
    else:
        yield _sharing(desk)


LOSSES: tuple[Topic, ...] = ("losses", "strike-losses")


def _has(desk: Desk, space: str, *wanted: str) -> bool:
    return any(group.kind in wanted for group in own_units(desk.board, desk.power, space))


def _form(name: str, title: Text, fields: list[SheetField]) -> SheetForm:
    return SheetForm(name, title, Text("Order it"), tuple(fields), is_folded=True)


def _place(label: Text, held: list[str], chosen: str = "") -> SheetField:
    values = [SheetValue(EVERYWHERE, Text("everywhere")), *spaces(held)]
    return choice("where", label, values, chosen)


def _read_place(values: Values) -> str:
    where = values.chosen("where")
    return "" if where == EVERYWHERE else where


def _asking(desk: Desk, held: list[str]) -> Offer:
    fields = [
        choice("where", Text("Where"), spaces(held or [*atlas().spaces][:1]), desk.at),
        flag("ask", Text("Ask me there"), is_set=True),
    ]
    form = _form("ask", TOPIC_LABELS["ask"], fields)
    return Offer(
        form,
        lambda values: [
            StandingOrder("ask", values.chosen("where"), ("on" if values.is_set("ask") else "off",))
        ],
    )


def _losing(desk: Desk, topic: Topic, wanted: list[str], held: list[str]) -> Offer:
    form = _form(
        topic, TOPIC_LABELS[topic], [_place(Text("Where"), held, desk.at), *loss_fields(wanted)]
    )

    def orders(values: Values) -> list[Any]:
        losses = read_losses(values)
        if not losses:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a kind of unit"))
        return [StandingOrder(topic, _read_place(values), losses)]

    return Offer(form, orders)


def _aiming(lands: list[str]) -> Offer:
    aims = [SheetValue(aim, label) for aim, label in AIMS.items()]
    fields = [_place(Text("Where"), lands), choice("aim", Text("Fire at"), aims)]
    form = _form("aa", TOPIC_LABELS["aa"], fields)
    return Offer(
        form, lambda values: [StandingOrder("aa", _read_place(values), (values.chosen("aim"),))]
    )


def _diving(desk: Desk, zones: list[str]) -> Offer:
    near = sorted({near for zone in zones for near in atlas().neighbours[zone]})
    form = _form(
        "subs",
        TOPIC_LABELS["subs"],
        [_place(Text("Where"), zones, desk.at), *dive_fields(near)],
    )

    def orders(values: Values) -> list[Any]:
        diving = read_dive(values)
        if diving is None:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("what they do"))
        return [StandingOrder("subs", _read_place(values), tuple(diving.in_words().split()))]

    return Offer(form, orders)


def _havening(desk: Desk, zones: list[str]) -> Offer:
    islands = sorted({land for land in atlas().lands if atlas().is_island(land)})
    places = [SheetValue(CARRIER_FIRST, Text("a carrier")), *spaces(islands)]
    fields = [
        _place(Text("Where"), zones, desk.at),
        choice("haven-1", Text("First"), places),
        choice("haven-2", Text("then"), [nothing(Text("nowhere else")), *places]),
    ]
    form = _form("carrier", TOPIC_LABELS["carrier"], fields)

    def orders(values: Values) -> list[Any]:
        chosen = (values.chosen("haven-1"), values.chosen("haven-2"))
        places = tuple(dict.fromkeys(filter(None, chosen)))
        if not _read_place(values) and places[0] != CARRIER_FIRST:
            raise BadNotation("an island lies in one zone; choose the zone besides")
        return [StandingOrder("carrier", _read_place(values), places)]

    return Offer(form, orders)


def _refuges(desk: Desk) -> Iterator[Offer]:
    """13.8"""
    values = [
        SheetValue(
            f"{alliance} {land}",
            Text(
                "out of {alliance}: to {land}",
                {"alliance": atlas().alliances[alliance].names, "land": space_text(land)},
            ),
        )
        for alliance in desk.board.influence
        for land in borders(desk.board, desk.power, alliance)
    ]
    if not values:
        return
    form = _form(
        "refuge",
        TOPIC_LABELS["refuge"],
        [choice("way", Text("Units"), values)],
    )

    def orders(chosen: Values) -> list[Any]:
        alliance, land = chosen.chosen("way").split()
        return [StandingOrder("refuge", alliance, (land,))]

    yield Offer(form, orders)


def _soviet(desk: Desk) -> Offer:
    fields = [
        flag("chinese", Text("Lose Chinese infantry last"), desk.orders.spares_chinese),
        flag("heed", Text("Heed complications"), desk.orders.heeds_protests),
    ]
    form = _form("soviet", Text("Chinese infantry and complications"), fields)

    def orders(values: Values) -> list[Any]:
        return [
            StandingOrder("chinese", values=("last" if values.is_set("chinese") else "first",)),
            StandingOrder("complications", values=("heed" if values.is_set("heed") else "ignore",)),
        ]

    return Offer(form, orders)


def _sharing(desk: Desk) -> Offer:
    fields = [
        choice(
            "power",
            Text("Ally"),
            [SheetValue(power, _power_text(power)) for power in NATO if power != desk.power],
        ),
        choice(
            "consent",
            Text("Half a step"),
            [SheetValue(consent, label) for consent, label in CONSENTS.items()],
        ),
    ]
    form = _form("share", TOPIC_LABELS["share"], fields)
    return Offer(
        form,
        lambda values: [
            StandingOrder("share", values.chosen("power"), (values.chosen("consent"),))
        ],
    )


def _power_text(power: Seat) -> Text:
    return Text("{power}", {"power": POWER_NAMES[power]})


# --- in the own turn ------------------------------------------------------------------------------


def allies(desk: Desk) -> Iterator[Part]:
    """14.2 no. 8, 10: what everybody may know, said at a stop of the own turn."""
    offers = [*_hosting(desk), _surrendering(desk)]
    yield Part("allies", Text("Allies and surrender"), offers=tuple(offers), is_folded=True)


def _hosting(desk: Desk) -> Iterator[Offer]:
    guests = [power for power in NATO if desk.power in NATO and power != desk.power]
    if not guests:
        return
    welcome = [SheetValue("always", Text("always")), SheetValue("never", Text("never"))]
    form = SheetForm(
        "host",
        HEADINGS["host"],
        Text("Say so"),
        (
            choice("power", Text("Ally"), [SheetValue(p, _power_text(p)) for p in guests]),
            choice("welcome", Text("On board"), welcome),
        ),
        notes=(Text("Everybody can see this."),),
        is_folded=True,
    )
    yield Offer(
        form,
        lambda values: [Host(Seat(values.chosen("power")), values.chosen("welcome") == "always")],
    )


def _surrendering(desk: Desk) -> Offer:
    if desk.power in desk.board.surrendering:
        form = SheetForm("fight-on", Text("Surrender"), Text("Do not surrender after all"))
        return Offer(form, lambda values: [FightOn()])
    form = SheetForm(
        "surrender",
        Text("Surrender"),
        HEADINGS["surrender"],
        (flag("sure", Text("I am sure")),),
        is_folded=True,
    )

    def orders(values: Values) -> list[Any]:
        if not values.is_set("sure"):
            raise BadNotation("tick the box if you are sure that you want to surrender")
        return [Surrender()]

    return Offer(form, orders)
