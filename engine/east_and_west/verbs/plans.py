"""14.1: battle plans: how an attack of the own turn is to be fought, one clause an order."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import SUBMARINE, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.queries import own_units
from engine.east_and_west.report import space_name
from engine.east_and_west.standing import NO_PLAN, Diving, Plan, with_orders
from engine.east_and_west.state import State
from engine.east_and_west.verbs import futile
from engine.east_and_west.verbs.losses import loss_word

Clause = Literal[
    "losses",
    "after",
    "below-units",
    "below-power",
    "odds",
    "strafe",
    "never",
    "ask",
    "to",
    "keep",
    "subs",
    "no-bombardment",
    "air-leaves",
    "first",
    "none",
]
_WORDS: dict[Clause, str] = {
    "after": "retreat after",
    "below-units": "retreat below",
    "below-power": "retreat below",
    "odds": "retreat odds",
    "strafe": "retreat strafe",
    "never": "retreat never",
    "ask": "retreat ask",
    "keep": "keep ground",
    "no-bombardment": "no bombardment",
    "air-leaves": "air leaves",
}
_RETREATS = ("after", "below", "odds", "strafe", "never", "ask")
_CLAUSES: tuple[str, ...] = ("losses", "retreat", "strafe", "never", "ask", "keep", "subs", "no")
_CLAUSES += ("air", "first", "none")
"""`to SPACE` has no word of its own: `to` may be left out anywhere."""
MOST_ODDS = 100


class PlanOrder(Struct, frozen=True, omit_defaults=True):
    """One clause of the plan for a space."""

    space: str
    clause: Clause
    number: int = 0
    losses: tuple[str, ...] = ()
    target: str = ""
    diving: Diving | None = None


class PlanVerb:
    word = "plan"
    action = PlanOrder

    # --- reading and writing ----------------------------------------------------------------------

    def parse(self, words: Words) -> PlanOrder:
        space = words.space()
        if not words.next_is(*_CLAUSES) and words.fits_space():
            return PlanOrder(space, "to", target=words.space())
        what = words.word(*_CLAUSES)
        if what in ("strafe", "never", "ask"):
            return self._retreat(words, space, what)
        if what == "retreat":
            if not words.next_is(*_RETREATS) and words.fits_space():
                return PlanOrder(space, "to", target=words.space())
            chosen = words.word(*_RETREATS)
            return self._retreat(words, space, chosen)
        if what == "losses":
            return PlanOrder(space, "losses", losses=order_of_losses(words))
        if what == "subs":
            return PlanOrder(space, "subs", diving=diving(words))
        return self._short(words, space, what)

    def _short(self, words: Words, space: str, what: str) -> PlanOrder:
        if what == "keep":
            words.word("ground")
            return PlanOrder(space, "keep")
        if what == "no":
            words.word("bombardment")
            return PlanOrder(space, "no-bombardment")
        if what == "air":
            words.word("leaves")
            return PlanOrder(space, "air-leaves")
        if what == "first":
            return PlanOrder(space, "first")
        return PlanOrder(space, "none")

    def _retreat(self, words: Words, space: str, what: str) -> PlanOrder:
        if what == "after":
            return PlanOrder(space, "after", number=words.number())
        if what == "odds":
            return PlanOrder(space, "odds", number=percent(words))
        if what == "strafe":
            return PlanOrder(space, "strafe", number=words.number())
        if what == "never":
            return PlanOrder(space, "never")
        if what == "ask":
            return PlanOrder(space, "ask")
        number = words.number()
        is_power = not words.is_over and words.word("units", "power") == "power"
        return PlanOrder(space, "below-power" if is_power else "below-units", number=number)

    def notate(self, action: PlanOrder) -> str:
        said = _WORDS.get(action.clause, action.clause)
        if action.clause in ("after", "odds", "strafe"):
            said = f"{said} {action.number}"
        elif action.clause in ("below-units", "below-power"):
            said = f"{said} {action.number} {action.clause.removeprefix('below-')}"
        elif action.clause == "losses":
            said = " ".join([said, *action.losses])
        elif action.clause == "to":
            said = f"{said} {action.target}"
        elif action.diving is not None:
            said = f"{said} {action.diving.in_words()}"
        return f"{action.space} {said}"

    # --- offering ---------------------------------------------------------------------------------

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        spaces = list(dict.fromkeys(attack.space for attack in state.board.turn.attacks))
        if not prefix:
            return tuple(Option(key, Text("{space}", {"space": space_name(key)})) for key in spaces)
        if prefix[0] not in spaces:
            return ()
        offered = self._clauses(state, seat, prefix[0])
        return branch(prefix[1:], [(self.notate(a).split()[1:], label, a) for a, label in offered])

    def _clauses(self, state: State, seat: Seat, space: str) -> list[tuple[PlanOrder, Text]]:
        """A few of each; all others can be typed."""
        found = [
            (PlanOrder(space, "never"), Text("never retreat")),
            (PlanOrder(space, "ask"), Text("ask after each round")),
            *(
                (PlanOrder(space, "after", n), Text("retreat after round {number}", {"number": n}))
                for n in (1, 2, 3)
            ),
            *(
                (
                    PlanOrder(space, "odds", n),
                    Text("retreat when the odds fall below {number} percent", {"number": n}),
                )
                for n in (25, 50, 75)
            ),
            *(
                (
                    PlanOrder(space, "strafe", n),
                    Text(
                        "retreat when the defender has {number:# unit|# units} left", {"number": n}
                    ),
                )
                for n in (1, 2)
            ),
            *(
                (
                    PlanOrder(space, "to", target=entry),
                    Text("retreat to {space}", {"space": space_name(entry)}),
                )
                for entry in _entries(state, space)
            ),
        ]
        found += [
            (PlanOrder(space, "keep"), Text("lose a ground unit last")),
            (PlanOrder(space, "no-bombardment"), Text("ships hold their fire")),
            (PlanOrder(space, "subs", diving=Diving("stay")), Text("submarines stay")),
            (
                PlanOrder(space, "subs", diving=Diving("submerge-after")),
                Text("submarines submerge after the first round"),
            ),
        ]
        if _lands(state, space):
            found.append((PlanOrder(space, "air-leaves"), Text("aircraft break off alone")))
        if len(state.board.turn.attacks) > 1:
            found.append((PlanOrder(space, "first"), Text("this battle is fought first")))
        if space in state.orders(seat).plans:
            found.append((PlanOrder(space, "none"), Text("drop the plan")))
        return [(order, label) for order, label in found if not why_never(state, seat, order)]

    # --- doing ------------------------------------------------------------------------------------

    def do(self, course: Course, seat: Seat, action: PlanOrder) -> None:
        orders = course.orders(seat)
        if action.clause == "none":
            plans = {key: plan for key, plan in orders.plans.items() if key != action.space}
        else:
            self._require(course, seat, action)
            plan = orders.plans.get(action.space, NO_PLAN)
            if action.clause == "first":
                last = max((other.first for other in orders.plans.values()), default=0)
                action = replace(action, number=plan.first or last + 1)
            plans = {**orders.plans, action.space: with_clause(plan, action)}
        standing = with_orders(course.state.standing, seat, replace(orders, plans=plans))
        course.state = replace(course.state, standing=standing)

    def _require(self, course: Course, seat: Seat, action: PlanOrder) -> None:
        if not any(attack.space == action.space for attack in course.turn.attacks):
            raise IllegalAction(
                "a plan is for a battle that you have declared; in {space} there is none",
                space=space_name(action.space),
            )
        if action.clause == "to" and action.target not in _entries(course.state, action.space):
            raise IllegalAction(
                "nobody entered {space} from {target}; a retreat leads where somebody came from",
                space=space_name(action.space),
                target=space_name(action.target),
            )
        if refusal := why_never(course.state, seat, action):
            raise refusal


def why_never(state: State, seat: Seat, action: PlanOrder) -> IllegalAction | None:
    """Why a clause could never have an effect in a battle, as far as it has been declared."""
    space, names = action.space, {"space": space_name(action.space)}
    attack = next(attack for attack in state.board.turn.attacks if attack.space == space)
    match action.clause:
        case "losses":
            return futile.why_no_losses(space, action.losses)
        case "after" | "odds" | "below-units" | "below-power" | "strafe" | "ask":
            number = futile.why_no_number(action.clause, action.number)
            return number or futile.why_no_retreat(state, seat, attack)
        case "to":
            return futile.why_not_to(state, seat, space, action.target)
        case "keep" if atlas().is_water(space):
            return IllegalAction("{space} is at sea; ground units fight on land", **names)
        case "no-bombardment" if not attack.landings:
            return IllegalAction(
                "nobody comes ashore in {space}; ships fire only in a landing", **names
            )
        case "air-leaves" if not any(map(_flies, own_units(state.board, seat, space))):
            return IllegalAction("you have no aircraft in the battle of {space}", **names)
        case "subs":
            assert action.diving is not None
            return futile.why_no_dive(space, action.diving) or _no_submarine(state, seat, space)
        case _:
            return None


def _flies(group: Group) -> bool:
    return kinds()[group.kind].is_air


def _no_submarine(state: State, seat: Seat, space: str) -> IllegalAction | None:
    if any(group.kind == SUBMARINE for group in own_units(state.board, seat, space)):
        return None
    return IllegalAction("you have no submarine in the battle of {space}", space=space_name(space))


def _entries(state: State, space: str) -> tuple[str, ...]:
    attacks = [attack for attack in state.board.turn.attacks if attack.space == space]
    return tuple(dict.fromkeys(entry for attack in attacks for entry in attack.entries))


def _lands(state: State, space: str) -> bool:
    return any(a.space == space and a.landings for a in state.board.turn.attacks)


def with_clause(plan: Plan, action: PlanOrder) -> Plan:
    """A plan with one clause more; `retreat never` drops all rules of retreat."""
    match action.clause:
        case "losses":
            return replace(plan, losses=action.losses)
        case "after":
            return replace(plan, after=action.number)
        case "below-units":
            return replace(plan, below_units=action.number)
        case "below-power":
            return replace(plan, below_power=action.number)
        case "odds":
            return replace(plan, odds=action.number)
        case "strafe":
            return replace(plan, strafe=action.number)
        case "ask":
            return replace(plan, asks=True)
        case "to":
            return replace(plan, to=action.target)
        case "keep":
            return replace(plan, keeps_ground=True)
        case "subs":
            return replace(plan, submarines=action.diving)
        case "no-bombardment":
            return replace(plan, holds_fire=True)
        case "air-leaves":
            return replace(plan, air_leaves=True)
        case "first":
            return replace(plan, first=action.number)
        case _:
            return replace(
                plan, after=0, below_units=0, below_power=0, odds=0, strafe=None, asks=False
            )


# --- words that standing orders share -------------------------------------------------------------


def order_of_losses(words: Words) -> tuple[str, ...]:
    """Kinds, each once, at least one."""
    found = [loss_word(words)]
    while not words.is_over:
        found.append(loss_word(words))
    return tuple(dict.fromkeys(found))


def percent(words: Words) -> int:
    """`60`, also written `60%`."""
    if words.peek().endswith("%") and words.peek()[:-1].isascii() and words.peek()[:-1].isdigit():
        number = int(words.peek()[:-1][:4])
        words.skip()
    else:
        number = words.number()
    if number > MOST_ODDS:
        raise words.misfit(str(number), "0-100")
    return number


def diving(words: Words) -> Diving:
    """`stay`, `submerge-after 2`, `submerge-alone`, `retreat ZONE`; `submerge 2` is short."""
    chosen = words.word("stay", "submerge", "submerge-after", "submerge-alone", "retreat")
    if chosen == "retreat":
        return Diving("retreat", zone=words.space())
    if chosen == "stay":
        return Diving("stay")
    if chosen == "submerge-alone":
        return Diving("submerge-alone")
    return Diving("submerge-after", max(1, words.number()) if words.next_is_number() else 1)


def branch(
    prefix: tuple[str, ...], leaves: list[tuple[list[str], Text, Any]]
) -> tuple[Option[Any], ...]:
    """The next words of a set of orders; the label of a branch is that of its word."""
    found: dict[str, Option[Any]] = {}
    for said, label, action in leaves:
        if tuple(said[: len(prefix)]) != prefix or len(said) == len(prefix):
            continue
        word = said[len(prefix)]
        if len(said) == len(prefix) + 1:
            found.setdefault(word, Option(word, label, action))
        else:
            found.setdefault(word, Option(word, Text("{word}", {"word": word})))
    return tuple(found.values())


VERBS = (PlanVerb(),)
