"""Battles: planned ones as cards, with odds and plans in words; questions in the middle of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from engine.abilities import BattleMark, SheetField, SheetForm, SheetLink, SheetValue
from engine.core import BadNotation, Text
from engine.east_and_west.board import Attack
from engine.east_and_west.combat import lineup
from engine.east_and_west.data.arsenal import BATTLESHIP
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.draw import narrate
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.registry import ANSWERS, notate
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import (
    Outlook,
    before_dice,
    chances,
    of_plan,
    outlook,
    sides,
    won,
)
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    Values,
    amount,
    choice,
    count_of,
    flag,
    kind_text,
    nothing,
    read,
    space_text,
    spaces,
)
from engine.east_and_west.standing import DAMAGE, NO_PLAN, Diving, Plan
from engine.east_and_west.verbs.answers import default_answer
from engine.east_and_west.verbs.losses import (
    Lose,
    hits_by_kind,
    hits_of,
    loss_label,
    possible_losses,
)
from engine.east_and_west.verbs.plans import (
    MOST_ODDS,
    Clause,
    PlanOrder,
    why_never,
    with_clause,
)
from engine.east_and_west.verbs.questions import look

RANKS = (
    ("lose-1", Text("Lose first")),
    ("lose-2", Text("then")),
    ("lose-3", Text("after that")),
)
"""The first kinds of a list of losses; longer lists can be typed."""
WITH_NUMBER: dict[Clause, Text] = {
    "after": Text("after round ..."),
    "below-units": Text("when fewer units than ... are left"),
    "below-power": Text("when their numbers add up to less than ..."),
    "odds": Text("when the chance to win is below ... %"),
    "strafe": Text("when the defender has ... units or fewer"),
}
WITHOUT_NUMBER: dict[Clause, Text] = {
    "never": Text("never"),
    "ask": Text("ask after each round"),
}
STAY, SUBMERGE, RETREAT = "stay", "submerge-after", "retreat"


def parts(desk: Desk) -> Iterator[Part]:
    turn = desk.board.turn
    if not (turn.attacks or turn.raids or turn.strikes):
        yield Part("battles", Text("Battles"), (Text("No battle is planned yet."),))
    ready = before_dice(desk.state)
    for attack in turn.attacks:
        seen = outlook(ready, desk.power, attack.space) if desk.is_shown else None
        yield _card(desk, attack, seen)
    yield from _others(desk)


def marks(desk: Desk) -> tuple[BattleMark, ...]:
    """The battles for the map."""
    return tuple(
        BattleMark(space, seen.percent if seen else None) for space, seen in _declared(desk)
    )


def _declared(desk: Desk) -> Iterator[tuple[str, Outlook | None]]:
    ready = before_dice(desk.state) if desk.board.turn.attacks else desk.state
    for attack in desk.board.turn.attacks:
        yield attack.space, outlook(ready, desk.power, attack.space)


def reminders(desk: Desk) -> Iterator[Text]:
    """How the battles that are declared stand, before the dice are thrown."""
    for space, seen in _declared(desk):
        if seen is not None:
            stands = {"space": space_text(space), "stands": seen.warning or won(seen)}
            yield Text("{space}: {stands}", stands)


def planned(desk: Desk) -> Iterator[Part]:
    """In short, for the stage at which battles are declared."""
    links = [
        SheetLink(space_text(space), (("stage", "battles"),), won(seen) if seen else None)
        for space, seen in (_declared(desk) if desk.is_shown else ())
    ]
    if links:
        yield Part("planned", Text("Battles"), links=tuple(links))


def _others(desk: Desk) -> Iterator[Part]:
    """Raids and bombs, about which there is nothing to be planned."""
    turn = desk.board.turn
    lines = [Text("raid on the factory in {space}", {"space": space_text(s)}) for s in turn.raids]
    lines += [
        Text(
            "{bomb}: {start} to {target}",
            {
                "bomb": kind_text(strike.bomb),
                "start": space_text(strike.start),
                "target": space_text(strike.target),
            },
        )
        for strike in turn.strikes
    ]
    if lines:
        yield Part("raids", Text("Raids and bombs"), tuple(lines))


def _card(desk: Desk, attack: Attack, seen: Outlook | None) -> Part:
    plan = desk.orders.plans.get(attack.space, NO_PLAN)
    lines = [*sides(desk.board, desk.power, seen), *chances(seen)] if seen else []
    return Part(
        f"battle-{attack.space}",
        space_text(attack.space),
        (
            *lines,
            *(Text("plan: {clause}", {"clause": clause}) for clause in plan_words(plan)),
            *_in_the_last_battle(desk, plan),
        ),
        offers=tuple(_forms(desk, attack, plan)),
        warning=seen.warning if seen else None,
    )


def _in_the_last_battle(desk: Desk, plan: Plan) -> Iterator[Text]:
    """What a plan would have done there."""
    last = desk.last_attack if plan != NO_PLAN else None
    if last is not None:
        yield from of_plan(desk.board, last, plan)


def plan_words(plan: Plan) -> Iterator[Text]:
    """A plan as a person would say it."""
    if plan == NO_PLAN:
        yield Text("fight on")
    if plan.after:
        yield Text("retreat after round {number}", {"number": plan.after})
    if plan.below_units:
        yield Text("retreat below {count:# unit|# units}", {"count": plan.below_units})
    if plan.below_power:
        yield Text("retreat below a strength of {number}", {"number": plan.below_power})
    if plan.odds:
        yield Text("retreat when the odds fall below {number} percent", {"number": plan.odds})
    if plan.strafe is not None:
        yield Text(
            "retreat when the defender has {number:# unit|# units} left", {"number": plan.strafe}
        )
    if plan.asks:
        yield Text("ask after each round")
    if plan.to:
        yield Text("retreat to {space}", {"space": space_text(plan.to)})
    if plan.losses:
        yield Text("lose first: {kinds}", {"kinds": losses_text(plan.losses)})
    if plan.keeps_ground:
        yield Text("lose a ground unit last")
    if plan.holds_fire:
        yield Text("ships hold their fire")
    if plan.air_leaves:
        yield Text("aircraft break off alone")
    if plan.submarines is not None:
        yield diving_text(plan.submarines)
    if plan.first:
        yield Text("this battle is fought first")


def losses_text(losses: tuple[str, ...]) -> Text:
    """A list of kinds, the first to be lost first."""
    said = [loss_label(loss) for loss in losses]
    whole = said[-1]
    for earlier in reversed(said[:-1]):
        whole = Text("{first}, {rest}", {"first": earlier, "rest": whole})
    return whole


def diving_text(diving: Diving) -> Text:
    match diving.order:
        case "stay":
            return Text("submarines stay")
        case "submerge-after":
            return Text("submarines submerge after round {number}", {"number": diving.rounds})
        case "submerge-alone":
            return Text("submarines submerge when they are alone")
    return Text("submarines retreat to {space}", {"space": space_text(diving.zone)})


# --- forms ----------------------------------------------------------------------------------------


def _forms(desk: Desk, attack: Attack, plan: Plan) -> Iterator[Offer]:
    for offer in (*_retreating(desk, attack, plan), *_losing(desk, attack, plan)):
        yield _to_be_tried(desk, plan, offer)
    yield from _particulars(desk, attack, plan)
    if plan != NO_PLAN:
        form = _form("plan-none", attack, Text("Without a plan"), Text("drop the plan"), [])
        yield Offer(form, lambda values: [PlanOrder(attack.space, "none")])


def _to_be_tried(desk: Desk, plan: Plan, offer: Offer) -> Offer:
    """With a button that shows what the plan would have done in the last battle."""
    if desk.last_attack is None:
        return offer
    form = replace(offer.form, look=Text("Try it on your last battle"))
    if desk.asks.get("form") == form.name:
        with suppress(BadNotation):
            for order in offer.orders(read(form, desk.asks)):
                plan = with_clause(plan, order)
            form = replace(form, notes=tuple(_in_the_last_battle(desk, plan)))
    return Offer(form, offer.orders)


def _form(
    name: str, attack: Attack, title: Text, button: Text, fields: list[SheetField]
) -> SheetForm:
    """No two forms of a sheet have one name."""
    return SheetForm(f"{name}-{attack.space}", title, button, tuple(fields), is_folded=True)


def _may(desk: Desk, order: PlanOrder) -> bool:
    return why_never(desk.state, desk.power, order) is None


def _retreating(desk: Desk, attack: Attack, plan: Plan) -> Iterator[Offer]:
    space = attack.space
    if not _may(desk, PlanOrder(space, "ask")):
        return
    rules = [nothing(Text("as it is")), *_values(WITHOUT_NUMBER), *_values(WITH_NUMBER)]
    places = [to for to in attack.entries if _may(desk, PlanOrder(space, "to", target=to))]
    fields = [
        choice("when", Text("Retreat"), rules),
        count_of("number", Text("Number"), MOST_ODDS),
        choice("to", Text("Retreat to"), [nothing(Text("as it is")), *spaces(places)], plan.to),
    ]
    form = _form("plan-retreat", attack, Text("When to retreat"), Text("Plan it so"), fields)

    def orders(values: Values) -> list[Any]:
        found = [
            PlanOrder(space, clause, values.number("number") if clause in WITH_NUMBER else 0)
            for clause in (*WITHOUT_NUMBER, *WITH_NUMBER)
            if clause == values.chosen("when")
        ]
        if values.chosen("to"):
            found.append(PlanOrder(space, "to", target=values.chosen("to")))
        return _some(found)

    yield Offer(form, orders)


def _values(clauses: dict[Clause, Text]) -> list[SheetValue]:
    return [SheetValue(clause, label) for clause, label in clauses.items()]


def _some(orders: list[PlanOrder]) -> list[Any]:
    if not orders:
        raise BadNotation("nothing is chosen; choose {what}", what=Text("a part of the plan"))
    return list(orders)


def _losing(desk: Desk, attack: Attack, plan: Plan) -> Iterator[Offer]:
    space = attack.space
    there = {group.kind: None for group in lineup.attackers(desk.board, desk.power, space)}
    kinds = [DAMAGE, *there] if BATTLESHIP in there else list(there)
    fields = loss_fields(kinds, plan.losses) if len(kinds) > 1 else []
    if _may(desk, PlanOrder(space, "keep")):
        fields.append(flag("keep", Text("lose a ground unit last"), plan.keeps_ground))
    if not fields:
        return
    form = _form("plan-losses", attack, Text("What to lose first"), Text("Plan it so"), fields)

    def orders(values: Values) -> list[Any]:
        found = []
        if losses := read_losses(values):
            found.append(PlanOrder(space, "losses", losses=losses))
        if values.is_set("keep"):
            found.append(PlanOrder(space, "keep"))
        return _some(found)

    yield Offer(form, orders)


def loss_fields(kinds: list[str], filled: tuple[str, ...] = ()) -> list[SheetField]:
    """Choices of which kind goes first, second and third."""
    values = [nothing(Text("as usual")), *(SheetValue(kind, loss_label(kind)) for kind in kinds)]
    return [
        choice(name, label, values, filled[at] if at < len(filled) else "")
        for at, (name, label) in enumerate(RANKS)
    ]


def read_losses(values: Values) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (values.chosen(name) for name, _ in RANKS))))


def _particulars(desk: Desk, attack: Attack, plan: Plan) -> Iterator[Offer]:
    """What matters in some battles only."""
    space = attack.space
    flags: dict[Clause, tuple[Text, bool]] = {
        "no-bombardment": (Text("ships hold their fire"), plan.holds_fire),
        "air-leaves": (Text("aircraft break off alone"), plan.air_leaves),
        "first": (Text("this battle is fought first"), bool(plan.first)),
    }
    offered = {
        clause: said
        for clause, said in flags.items()
        if _may(desk, PlanOrder(space, clause))
        and (clause != "first" or len(desk.board.turn.attacks) > 1)
    }
    fields = [flag(clause, *said) for clause, said in offered.items()]
    dives = _may(desk, PlanOrder(space, "subs", diving=Diving("stay")))
    if dives:
        fields += dive_fields(list(atlas().neighbours[space]))
    if not fields:
        return
    form = _form("plan-more", attack, Text("More about this battle"), Text("Plan it so"), fields)

    def orders(values: Values) -> list[Any]:
        found = [PlanOrder(space, clause) for clause in offered if values.is_set(clause)]
        if dives and (diving := read_dive(values)):
            found.append(PlanOrder(space, "subs", diving=diving))
        return _some(found)

    yield Offer(form, orders)


def dive_fields(near: list[str]) -> list[SheetField]:
    """What submarines do: stay, dive, or leave for a zone."""
    ways = [
        nothing(Text("as it is")),
        SheetValue(STAY, Text("stay")),
        SheetValue(SUBMERGE, Text("submerge after round ...")),
        SheetValue("submerge-alone", Text("submerge when alone")),
        SheetValue(RETREAT, Text("retreat to ...")),
    ]
    zones = [zone for zone in near if atlas().spaces[zone].kind == "sea"]
    return [
        choice("subs", Text("Submarines"), ways),
        count_of("dive-round", Text("after round"), 99, 1),
        choice("dive-zone", Text("to"), [nothing(Text("no zone")), *spaces(sorted(zones))]),
    ]


def read_dive(values: Values) -> Diving | None:
    match values.chosen("subs"):
        case "stay":
            return Diving("stay")
        case "submerge-after":
            return Diving("submerge-after", max(1, values.number("dive-round")))
        case "submerge-alone":
            return Diving("submerge-alone")
        case "retreat":
            if not values.chosen("dive-zone"):
                raise BadNotation("nothing is chosen; choose {what}", what=Text("a sea zone"))
            return Diving("retreat", zone=values.chosen("dive-zone"))
    return None


# --- 14.5: questions in the middle of somebody's turn --------------------------------------------


def question(desk: Desk) -> Text:
    return narrate.asked_for(desk.board)


def answers(desk: Desk) -> Iterator[Part]:
    asked = desk.board.questions[-1]
    is_about_losses = asked.kind in ("losses", "blast")
    offers = [_losing_units(desk)] if is_about_losses else list(_leaves(desk))
    yield Part("answer", Text("Your answer"), offers=tuple(offers))


def _leaves(desk: Desk) -> Iterator[Offer]:
    """Every answer that is possible, the usual one first."""
    usual = notate(default_answer(desk.state))
    found = [
        (option.action, HEADINGS[verb.word], option.label)
        for verb in ANSWERS
        for option in verb.offer(desk.state, desk.power, ())
        if option.action is not None
    ]
    for action, heading, said in sorted(found, key=lambda one: notate(one[0]) != usual):
        yield _button(action, heading, said)


def _button(action: Any, heading: Text, said: Text) -> Offer:
    form = SheetForm("-".join(["answer", *notate(action).split()]), heading, said)
    return Offer(form, lambda values: [action])


def _losing_units(desk: Desk) -> Offer:
    """How many of each kind; the usual losses stand there already."""
    asked = desk.board.questions[-1]
    able = hits_by_kind(possible_losses(look(desk.state), asked))
    usual = dict(default_answer(desk.state).units)
    form = SheetForm(
        "lose",
        Text("Choose losses"),
        Text("Lose these"),
        tuple(
            amount(word, loss_label(word), most, usual.get(word, 0)) for word, most in able.items()
        ),
        notes=(Text("{hits:one hit has|# hits have} to be taken", {"hits": hits_of(asked)}),),
    )

    def orders(values: Values) -> list[Any]:
        lost = values.numbers(able)
        if not lost:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return [Lose(lost)]

    return Offer(form, orders)
