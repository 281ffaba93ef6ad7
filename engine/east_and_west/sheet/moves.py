"""8: moves by origin, units and target, into battles or to where units are needed; ships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from engine.abilities import SheetField, SheetForm, SheetLink, SheetValue
from engine.core import Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.forces import count
from engine.east_and_west.movement.moving import can_move, most
from engine.east_and_west.movement.stranded import find_stranded
from engine.east_and_west.orders.registry import VERBS
from engine.east_and_west.reach.landing import landing_lands
from engine.east_and_west.reach.routes import by_air, distances
from engine.east_and_west.report import listed
from engine.east_and_west.sheet import battles, crossings
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import (
    Outlook,
    before_dice,
    chances,
    defended,
    outlook,
    tried,
)
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    Values,
    amount,
    choice,
    kind_text,
    must_choose,
    nothing,
    space_text,
    spaces,
    typed,
    units,
)
from engine.east_and_west.verbs.moves import Declare, Move

FEW = 6
"""Targets whose odds are shown before one is chosen: those that can be taken or sunk."""
SMALL = 200
"""Pairs of units; the odds of larger battles are shown when their target is chosen."""
SHOWN_PLACES = 6
Outlooks = Mapping[str, Outlook]
"""By target."""
Able = Mapping[str, Mapping[str, int]]
"""By target and kind: how many can go there."""


def parts(desk: Desk) -> Iterator[Part]:
    yield from _not_landed(desk)
    if desk.is_shown:
        yield _from_where(desk)
    if desk.at:
        yield _from(desk, desk.at)
    if desk.context.is_combat:
        yield from _in_place(desk)
        yield from battles.planned(desk)


def _from_where(desk: Desk) -> Part:
    title = Text("Attack from") if desk.context.is_combat else Text("Move from")
    return Part("origins", title, links=tuple(_link(desk, space) for space in _origins(desk)))


def _origins(desk: Desk) -> list[str]:
    """Spaces from which something can go, go on board or come ashore."""
    shipped = {
        option.word
        for verb in ("load", "land")
        for option in VERBS[verb].offer(desk.state, desk.power, ())
    }
    return [
        space
        for space in sorted({*desk.own_spaces, *shipped})
        if space in shipped or can_move(desk.context, space) or crossings.can_act(desk, space)
    ]


def _link(desk: Desk, space: str) -> SheetLink:
    groups = list(desk.context.movable(space))
    note = Text("{units}", {"units": listed(groups)}) if groups else None
    return SheetLink(space_text(space), desk.link(at=space), note, space, space == desk.at)


def _from(desk: Desk, start: str) -> Part:
    able = most(desk.context, start)
    seen = _outlooks(desk, start, able)
    offers = [
        *_moving(desk, start, able, seen),
        *crossings.sea_offers(desk, start),
        *crossings.air_offers(desk, start),
    ]
    own = queries.own_units(desk.board, desk.power, start)
    here = Text("here: {units}", {"units": listed(own)}) if own else Text("nothing of yours here")
    lines = (here, *_cargo(desk.board, desk.power, start))
    links = tuple(_target_link(desk, space, seen.get(space)) for space in sorted(able))
    return Part("from", space_text(start), lines, links=links, offers=tuple(offers))


def _target_link(desk: Desk, space: str, seen: Outlook | None) -> SheetLink:
    return SheetLink(
        Text("to {space}", {"space": space_text(space)}),
        desk.link(at=desk.at, to=space),
        _about(desk, space, seen),
        space,
        space == desk.to,
    )


def _cargo(board: Board, power: Seat, zone: str) -> Iterator[Text]:
    """Ships and their load are one thing."""
    for group in queries.own_units(board, power, zone):
        if group.kind in TRANSPORTS and group.cargo:
            aboard = listed(Group(load.owner, load.kind, load.count) for load in group.cargo)
            yield Text(
                "{ships} with {units} on board each",
                {"ships": listed([replace(group, cargo=())]), "units": aboard},
            )


# --- the move -------------------------------------------------------------------------------------


def _moving(desk: Desk, start: str, able: Able, seen: Outlooks) -> Iterator[Offer]:
    if not able:
        return
    target = desk.to if desk.to in able else ""
    possible = able[target] if target else _any_target(able)
    filled = desk.filled(possible) or (dict(possible) if target else {})
    fields = units(possible, filled)
    form = SheetForm(
        "move",
        _title(desk, start, target),
        Text("Attack") if desk.context.is_combat else Text("Move"),
        (*fields, _target_field(desk, able, target, seen)),
        look=Text("Show the odds") if desk.context.is_combat else None,
        notes=(
            *(chances(seen[target]) if target in seen else ()),
            *_after_flight(desk, start, target, filled),
        ),
        warning=seen[target].warning if target in seen else None,
    )
    yield Offer(form, lambda values: [_order(start, values, possible)])
    yield _by_a_way(start, form, possible)


def _title(desk: Desk, start: str, target: str) -> Text:
    if not target:
        return Text("Units from {start}", {"start": space_text(start)})
    return Text("{start} to {target}", {"start": space_text(start), "target": space_text(target)})


def _any_target(able: Able) -> dict[str, int]:
    found: dict[str, int] = {}
    for by_kind in able.values():
        for kind, number in by_kind.items():
            found[kind] = max(number, found.get(kind, 0))
    return found


def _target_field(desk: Desk, able: Able, target: str, seen: Outlooks) -> SheetField:
    values = [
        SheetValue(space, space_text(space), _about(desk, space, seen.get(space)))
        for space in sorted(able)
    ]
    return must_choose("to", Text("To"), values, target)


def _about(desk: Desk, space: str, seen: Outlook | None) -> Text | None:
    if not desk.context.is_combat:
        return None
    held = defended(desk.board, desk.power, space)
    if seen is None:
        return held
    return Text("{defender}: won in {percent} %", {"defender": held, "percent": seen.percent})


def _outlooks(desk: Desk, start: str, able: Able) -> Outlooks:
    """For what is filled in, or for all that can go, with what is planned there already."""
    if not desk.context.is_combat or not desk.is_shown:
        return {}
    near = [space for space, by_kind in able.items() if not all(map(_flies, by_kind))]
    found: dict[str, Outlook] = {}
    is_chosen = desk.to in able
    for space in [desk.to] if is_chosen else near[:FEW]:
        going = desk.filled(able[space]) or able[space]
        move = Move(start, space, tuple((kind, n) for kind, n in going.items() if n))
        after = tried(desk.state, desk.power, [move]) if move.units else None
        if after is None:
            continue
        seen = outlook(before_dice(after), desk.power, space, None if is_chosen else SMALL)
        if seen is not None:
            found[space] = seen
    return found


def _flies(kind: str) -> bool:
    return kinds()[kind].is_air


def _order(start: str, values: Values, possible: Mapping[str, int]) -> Move:
    return Move(start, values.chosen("to"), values.units(possible))


def _by_a_way(start: str, form: SheetForm, possible: Mapping[str, int]) -> Offer:
    """The same by a way of one's own, or with some of the ships only."""
    only = [
        nothing(Text("any")),
        SheetValue("empty", Text("ships without cargo")),
        SheetValue("damaged", Text("damaged ships")),
    ]
    longer = replace(
        form,
        name="move-via",
        title=Text("By another way, or only some ships"),
        fields=(
            *form.fields,
            typed("via", Text("By way of"), note=Text("spaces, divided by commas")),
            choice("only", Text("Which ships"), only),
        ),
        look=None,
        warning=None,
        notes=(),
        is_folded=True,
    )

    def orders(values: Values) -> list[Any]:
        only = values.chosen("only")
        chosen: Any = only if only in ("empty", "damaged") else ""
        via = values.read_as("via", _ways)
        return [replace(_order(start, values, possible), via=via, only=chosen)]

    return Offer(longer, orders)


def _ways(said: str) -> tuple[str, ...]:
    """Spaces in their order; nothing but marks is no space."""
    words = Words(said)
    found = [words.space()] if said else []
    while not words.is_over:
        found.append(words.space())
    return tuple(found)


# --- aircraft -------------------------------------------------------------------------------------


def _after_flight(desk: Desk, start: str, target: str, filled: Mapping[str, int]) -> Iterator[Text]:
    """8.7: where those that fly there could land afterwards."""
    if not target or not desk.context.is_combat:
        return
    for group in desk.context.movable(start):
        if not (kinds()[group.kind].is_air and filled.get(group.kind)):
            continue
        terms = by_air(desk.context, False)
        out = distances(start, desk.context.points(group), by_air(desk.context, True))
        left = desk.context.points(group) - out.get(target, 0)
        lands = landing_lands(desk.context, group.kind)
        near = sorted(
            (far, space) for space, far in distances(target, left, terms).items() if space in lands
        )
        names = tuple(atlas().spaces[space].names for _, space in near[:SHOWN_PLACES])
        kind = {"kind": kinds()[group.kind].names}
        if names:
            yield Text("{kind}: can land in {lands}", {**kind, "lands": names})
        else:
            yield Text("{kind}: can land on a carrier only", kind)


def _not_landed(desk: Desk) -> Iterator[Part]:
    """8.7: who would be lost at the end of the turn comes first."""
    if desk.context.is_combat:
        return
    waiting: dict[tuple[str, str], int] = {}
    for one in find_stranded(desk.context):
        key = one.space, one.group.kind
        waiting[key] = waiting.get(key, 0) + one.group.count
    if not waiting:
        return
    offers = [
        offer
        for (space, kind), number in waiting.items()
        for offer in _landing(desk, space, kind, number)
    ]
    yield Part(
        "in-the-air",
        Text("Aircraft that have not landed"),
        tuple(
            Text(
                "{space}: {units}",
                {
                    "space": space_text(space),
                    "units": listed([Group(desk.power, kind, number)]),
                },
            )
            for (space, kind), number in waiting.items()
        ),
        offers=tuple(offers),
        warning=Text("They are lost at the end of the turn where they cannot stay."),
    )


def _landing(desk: Desk, space: str, kind: str, waiting: int) -> Iterator[Offer]:
    places = {to: able[kind] for to, able in most(desk.context, space).items() if kind in able}
    if not places:
        return
    there = count(queries.own_units(desk.board, desk.power, space), kind)
    form = SheetForm(
        f"land-{kind}-{space}",
        Text("From {start}: {kind}", {"start": space_text(space), "kind": kind_text(kind)}),
        Text("Land them"),
        (
            amount(kind, kind_text(kind), there, waiting),
            must_choose("to", Text("To"), spaces(sorted(places))),
        ),
    )
    yield Offer(form, lambda values: [_order(space, values, {kind: there})])


# --- in place -------------------------------------------------------------------------------------


def _in_place(desk: Desk) -> Iterator[Part]:
    """7.1, 13.4: attacks where units are already, and on neutrals that let them pass."""
    offered = tuple(VERBS["attack"].offer(desk.state, desk.power, ()))
    if not offered:
        return
    here = desk.at if desk.at in {option.word for option in offered} else ""
    able = _fighters(desk, here) if here else {}
    values = [SheetValue(option.word, option.label) for option in offered]
    form = SheetForm(
        "attack",
        Text("Attack where you already have units"),
        Text("Attack there"),
        (must_choose("space", Text("Where"), values, here), *units(able)),
        notes=(Text("Without numbers all that can attack there do."),),
    )

    def orders(values: Values) -> list[Any]:
        return [Declare(values.chosen("space"), values.numbers(able))]

    yield Part(
        "in-place", Text("Attack where you already have units"), offers=(Offer(form, orders),)
    )


def _fighters(desk: Desk, space: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for group in queries.own_units(desk.board, desk.power, space):
        if kinds()[group.kind].fights:
            found[group.kind] = found.get(group.kind, 0) + group.count
    return found
