"""14.2: standing orders for every decision that falls in somebody else's turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import NATO, POWER_NAMES, USSR, are_friends
from engine.east_and_west.execution import Course
from engine.east_and_west.report import space_name
from engine.east_and_west.standing import (
    CARRIER_FIRST,
    DAMAGE,
    GENERAL,
    Consent,
    Standing,
    Target,
    with_orders,
)
from engine.east_and_west.state import State
from engine.east_and_west.verbs import futile
from engine.east_and_west.verbs.plans import branch, diving, order_of_losses

Topic = Literal[
    "losses",
    "strike-losses",
    "aa",
    "subs",
    "carrier",
    "share",
    "refuge",
    "chinese",
    "complications",
    "ask",
]
TOPICS: tuple[Topic, ...] = get_args(Topic)
TARGETS: tuple[Target, ...] = ("aircraft", "armor", "number", "value")
CONSENTS: tuple[Consent, ...] = ("always", "never", "ask")
DEFAULT = "default"
V = TypeVar("V")


class StandingOrder(Struct, frozen=True, omit_defaults=True):
    """What is said on a topic: in general, or for a space, a power or an alliance."""

    topic: Topic
    where: str = ""
    values: tuple[str, ...] = ()
    """Canonical words; none: the default applies again."""


class StandingVerb:
    word = "standing"
    action = StandingOrder

    # --- reading and writing ----------------------------------------------------------------------

    def parse(self, words: Words) -> StandingOrder:
        said = words.word(*TOPICS, "strike", "guns")
        topic: Topic = next(t for t in TOPICS if t == _SHORT.get(said, said))
        where = self._where(topic, words)
        if words.next_is(DEFAULT):
            words.skip()
            return StandingOrder(topic, where)
        return StandingOrder(topic, where, self._values(topic, words))

    def _where(self, topic: Topic, words: Words) -> str:
        if topic == "share":
            return words.power()
        if topic == "refuge":
            return words.alliance()
        if topic == "ask":
            return words.space()
        if topic in ("chinese", "complications") or words.next_is(*_NO_SPACES):
            return GENERAL
        is_kind = topic in ("losses", "strike-losses") and words.fits_kind()
        return words.space() if words.fits_space() and not is_kind else GENERAL

    def _values(self, topic: Topic, words: Words) -> tuple[str, ...]:
        if topic in ("losses", "strike-losses"):
            return order_of_losses(words)
        if topic == "subs":
            return tuple(diving(words).in_words().split())
        if topic == "carrier":
            return self._places(words)
        if topic == "refuge":
            return (words.space(),)
        return (words.word(*_CHOICES[topic]),)

    def _places(self, words: Words) -> tuple[str, ...]:
        """Islands, and `carrier` for any carrier, the best first."""
        found: list[str] = []
        while not found or not words.is_over:
            if words.next_is(CARRIER_FIRST):
                words.skip()
                found.append(CARRIER_FIRST)
            else:
                found.append(words.space())
        return tuple(dict.fromkeys(found))

    def notate(self, action: StandingOrder) -> str:
        parts = [action.topic, action.where, *(action.values or (DEFAULT,))]
        return " ".join(part for part in parts if part)

    # --- offering ---------------------------------------------------------------------------------

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        """Single words of each; longer lists are typed."""
        if not prefix:
            return tuple(
                Option(topic, TOPIC_LABELS[topic])
                for topic in _topics(seat)
                if self.offer(state, seat, (topic,))
            )
        topic = next((topic for topic in _topics(seat) if topic == prefix[0]), None)
        if topic is None:
            return ()
        offered = [*self._offered(state.board, seat, topic), *self._dropped(state, seat, topic)]
        return branch(prefix, [(self.notate(a).split(), label, a) for a, label in offered])

    def _offered(self, board: Board, seat: Seat, topic: Topic) -> list[tuple[StandingOrder, Text]]:
        if topic in ("losses", "strike-losses"):
            return [
                (StandingOrder(topic, values=(key,)), Text("{kind}", {"kind": kind.names}))
                for key, kind in kinds().items()
                if kind.fights
            ]
        wheres = _wheres(board, seat, topic)
        values: tuple[tuple[str, ...], ...]
        if topic == "subs":
            values = (("stay",), ("submerge-after", "1"), ("submerge-alone",))
        elif topic == "carrier":
            values = ((CARRIER_FIRST,),)
        elif topic == "refuge":
            return [
                (StandingOrder(topic, alliance, (land,)), _named(land))
                for alliance in board.influence
                for land in borders(board, seat, alliance)
            ]
        else:
            values = tuple((choice,) for choice in _CHOICES[topic])
        return [
            (StandingOrder(topic, where, value), Text("{word}", {"word": value[-1]}))
            for where in wheres
            for value in values
        ]

    def _dropped(self, state: State, seat: Seat, topic: Topic) -> list[tuple[StandingOrder, Text]]:
        said = _said(state.orders(seat), topic)
        if topic in ("chinese", "complications", "ask"):
            return []
        return [(StandingOrder(topic, where), Text("back to the default")) for where in said]

    # --- doing ------------------------------------------------------------------------------------

    def do(self, course: Course, seat: Seat, action: StandingOrder) -> None:
        self._require(seat, action)
        orders = changed(course.orders(seat), action)
        standing = with_orders(course.state.standing, seat, orders)
        course.state = replace(course.state, standing=standing)

    def _require(self, seat: Seat, action: StandingOrder) -> None:
        if action.topic not in _topics(seat):
            raise IllegalAction(
                "{topic} is no matter of {power}", topic=action.topic, power=POWER_NAMES[seat]
            )
        if action.topic == "share" and (
            action.where == seat or not are_friends(action.where, seat)
        ):
            raise IllegalAction(
                "{power} is no ally of yours", power=POWER_NAMES[Seat(action.where)]
            )
        if action.topic in ("subs", "carrier") and action.where and atlas().is_land(action.where):
            raise IllegalAction("{space} is no sea zone", space=space_name(action.where))
        if action.topic == "aa" and action.where and not atlas().is_land(action.where):
            raise IllegalAction("{space} is no land", space=space_name(action.where))
        if refusal := _why_never(action):
            raise refusal


def _why_never(action: StandingOrder) -> IllegalAction | None:
    """Why an order could never have an effect."""
    where, values = action.where, action.values
    found: Iterable[IllegalAction | None] = ()
    if action.topic in ("losses", "strike-losses") and where:
        found = (futile.why_no_losses(where, values),)
    elif action.topic == "subs" and values:
        found = (futile.why_no_dive(where, diving(Words(" ".join(values)))),)
    elif action.topic == "carrier":
        found = (futile.why_no_haven(where, place) for place in values if place != CARRIER_FIRST)
    elif action.topic == "refuge":
        found = (futile.why_no_refuge(where, land) for land in values)
    return next((refusal for refusal in found if refusal), None)


_SHORT = {"strike": "strike-losses", "guns": "aa"}
_NO_SPACES = (DEFAULT, DAMAGE, CARRIER_FIRST, *TARGETS, "stay", "submerge", "retreat")
_NO_SPACES += ("submerge-after", "submerge-alone")
_CHOICES: dict[Topic, tuple[str, ...]] = {
    "aa": TARGETS,
    "share": CONSENTS,
    "chinese": ("first", "last"),
    "complications": ("ignore", "heed"),
    "ask": ("on", "off"),
}
TOPIC_LABELS: dict[Topic, Text] = {
    "losses": Text("which kinds are lost first in a battle"),
    "strike-losses": Text("which kinds are lost first under an atomic bomb"),
    "aa": Text("what guns that can also hit armor shoot at"),
    "subs": Text("what attacked submarines do"),
    "carrier": Text("where fighters land whose carrier is sunk"),
    "share": Text("whether an ally gets half a step of a technology"),
    "refuge": Text("where units go that have to leave an alliance"),
    "chinese": Text("whether Chinese infantry is lost first or last"),
    "complications": Text("whether complications are ignored"),
    "ask": Text("in which spaces you want to be asked"),
}


def _topics(seat: Seat) -> tuple[Topic, ...]:
    """Sharing is for allies; Chinese troops and ignoring are Soviet matters."""
    soviet, allied = ("chinese", "complications"), ("share",)
    return tuple(t for t in TOPICS if t not in (allied if seat == USSR else soviet))


def _wheres(board: Board, seat: Seat, topic: Topic) -> list[str]:
    """For what a word is offered: in general, and where it matters now."""
    if topic == "share":
        return [power for power in NATO if power != seat]
    if topic != "ask":
        return [GENERAL]
    return sorted(
        space
        for space, groups in board.units.items()
        if any(group.owner == seat and kinds()[group.kind].fights for group in groups)
    )


def borders(board: Board, seat: Seat, alliance: str) -> list[str]:
    """Own lands beside an alliance."""
    return sorted(
        {
            near
            for land in atlas().members(alliance)
            for near in atlas().neighbours[land]
            if board.owners.get(near) == seat
        }
    )


def _named(space: str) -> Text:
    return Text("{space}", {"space": space_name(space)})


# --- the data -------------------------------------------------------------------------------------


def changed(orders: Standing, action: StandingOrder) -> Standing:
    """The orders after one more of them."""
    where, values = action.where, action.values
    first = values[0] if values else ""
    match action.topic:
        case "losses":
            return replace(orders, losses=_with(orders.losses, where, values))
        case "strike-losses":
            return replace(orders, strike_losses=_with(orders.strike_losses, where, values))
        case "carrier":
            return replace(orders, havens=_with(orders.havens, where, values))
        case "aa":
            target = next((t for t in TARGETS if t == first), None)
            return replace(orders, guns=_with(orders.guns, where, target))
        case "subs":
            order = diving(Words(" ".join(values))) if values else None
            return replace(orders, submarines=_with(orders.submarines, where, order))
        case "share":
            consent = next((c for c in CONSENTS if c == first), None)
            return replace(orders, share=_with(orders.share, Seat(where), consent))
        case "refuge":
            return replace(orders, refuge=_with(orders.refuge, where, first))
        case "chinese":
            return replace(orders, spares_chinese=first == "last")
        case "complications":
            return replace(orders, heeds_protests=first == "heed")
        case "ask":
            others = {space for space in orders.asks if space != where}
            asks = others | {where} if first == "on" else others
            return replace(orders, asks=tuple(sorted(asks)))


K = TypeVar("K", bound=str)


def _with(said: Mapping[K, V], where: K, value: V | None) -> dict[K, V]:
    """With something said for a place, or nothing any more; written down in one order."""
    found = {key: old for key, old in said.items() if key != where}
    if value:
        found[where] = value
    return dict(sorted(found.items()))


def _said(orders: Standing, topic: Topic) -> list[str]:
    """For what something was said on a topic."""
    by_topic: dict[str, Mapping[Any, Any]] = {
        "losses": orders.losses,
        "strike-losses": orders.strike_losses,
        "aa": orders.guns,
        "subs": orders.submarines,
        "carrier": orders.havens,
        "share": orders.share,
        "refuge": orders.refuge,
    }
    return list(by_topic.get(topic, {}))


VERBS = (StandingVerb(),)
