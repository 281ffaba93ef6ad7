"""A view in plain sentences, one fact a line, for whoever listens instead of looking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.core import Language, Name, Param, Seat, Text
from engine.iron_curtain.board import (
    Answer,
    ChooseFirst,
    Commanding,
    Country,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    UseCard,
)
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card
from engine.iron_curtain.grid import Cell, cell_name, neighbours
from engine.iron_curtain.view import View
from engine.text import repeated, words_of

Say = Callable[[Text, Language], str]
Params = dict[str, Param]


def narrate(view: View, language: Language, say: Say, news: bool = True) -> str:
    facts = (*summary(view), *_regions(view), *stores(view), *_hand(view))
    lines = [sentence(fact, language, say) for fact in facts]
    return "\n".join([*lines, *(_news(view, language, say) if news else ())]) + "\n"


def in_short(told: Text, count: int) -> Text | None:
    """Cubes that come, go and leave, so many at once; None for what happens only once."""
    params: Params = {**told.params, "count": count}
    match told.msgid:
        case "{side} puts a cube on {card}.":
            return Text("{count:# cube|# cubes} on {card}", params)
        case "{side} puts a cube on {card} for two points.":
            return Text(
                "{count:# cube for two points|# cubes for two points each} on {card}", params
            )
        case "{side} moves a cube of {owner} from {source} to {target}.":
            return Text("{count:# cube|# cubes} of {owner} from {source} to {target}", params)
        case "{side} removes a cube of {owner} from {card}.":
            return Text("{count:# cube|# cubes} of {owner} off {card}", params)
    return None


def sentence(fact: Text, language: Language, say: Say) -> str:
    """A fact on one line with a full stop, whatever blanks a deck file has put into its names."""
    line = " ".join(words_of(say(fact, language)))
    return line if line.endswith(".") else line + "."


# --- where the match stands ----------------------------------------------------------------------


def summary(view: View) -> tuple[Text, ...]:
    """The score, how far the match is, and what is asked: the view in three sentences."""
    score = Text("Score: {standing}.", {"standing": standing(view)})
    return score, round_and_turn(view), question(view)


def standing(view: View) -> Text:
    """The score in words."""
    if view.track == 0:
        return Text("level")
    side = USA if view.track > 0 else USSR
    return Text("{side} ahead by {points}", {"side": SIDE_NAMES[side], "points": abs(view.track)})


def round_and_turn(view: View) -> Text:
    params: Params = {"round": view.round, "turn": turn_now(view)}
    return Text("Round {round}, turn {turn} of 8", params)


def round_only(view: View) -> Text:
    return Text("round {round}", {"round": view.round})


def turn_now(view: View) -> int:
    """The turn being taken, which before its card is played is one more than the cards played."""
    return view.turn + 1 if isinstance(view.asked, ChooseFirst | PlayCard) else view.turn


def question(view: View) -> Text:
    """Who is asked and what for, or how the match ended, as a whole sentence."""
    if view.result is not None:
        params: Params = {"reason": view.result.reason, "side": SIDE_NAMES[view.result.winners[0]]}
        return Text("The match is over. {reason} {side} wins.", params)
    if view.is_closed:
        return Text("The match is over.")
    assert view.asked is not None, "a match that is not over asks somebody"
    if view.asked.seat == view.seat:
        return Text("Your move: {what}.", {"what": asked_for(view)})
    asked: Params = {"side": SIDE_NAMES[view.asked.seat], "what": asked_for(view)}
    return Text("{side} to move: {what}.", asked)


def asked_for(view: View) -> Text:
    """What the seat in question has to do, to follow `You are asked`."""
    cards = view.deck.cards
    match view.asked:
        case None:
            return Text("the match is over")
        case ChooseFirst():
            return Text("choose who goes first")
        case PlayCard():
            return Text("play a card")
        case UseCard(card=card, has_event=True):
            return Text("use the event or the command of {card}", {"card": cards[card].name})
        case UseCard(card=card):
            return Text("use the command of {card}", {"card": cards[card].name})
        case Answer(card=card):
            return Text("use or decline the event of {card}", {"card": cards[card].name})
        case Relocating():
            return Text("move a card")
    return _cubes_asked_for(view)


def _cubes_asked_for(view: View) -> Text:
    match view.asked:
        case Commanding(points=points):
            return Text("place cubes ({points:# point|# points} left)", {"points": points})
        case Infiltrating(left=left):
            return Text("place up to {count:# cube|# cubes}", {"count": left})
        case Removing(left=left):
            return Text("remove up to {count:# cube|# cubes}", {"count": left})
        case Gathering(card=card, left=left):
            onto: Params = {"card": view.deck.cards[card].name, "count": left}
            return Text("move up to {count:# cube|# cubes} onto {card}", onto)
    raise AssertionError(f"{view.asked} asks nothing")


# --- the table, region by region -----------------------------------------------------------------


def _regions(view: View) -> Iterator[Text]:
    names = {c.cell: view.deck.cards[c.card].name for c in view.table}
    for key in view.deck.regions:
        there = [c for c in view.table if view.deck.cards[c.card].region == key]
        yield _region(view, key, len(there))
        for country in there:
            yield _country(view, country)
            yield _surroundings(names, country)


def _region(view: View, key: str, count: int) -> Text:
    region = view.deck.regions[key]
    params: Params = {"region": region.name, "size": region.size, "bonus": region.bonus}
    if key in view.scored:
        return Text("{region}, bonus {bonus}: all cards on the table, scored.", params)
    params["count"] = count
    return Text("{region}, bonus {bonus}, cards on the table: {count} of {size}.", params)


def _country(view: View, country: Country) -> Text:
    params: Params = {
        "card": view.deck.cards[country.card].name,
        "cell": cell_name(country.cell),
        "usa": country.usa,
        "ussr": country.ussr,
        "lead": lead(country),
    }
    if not country.usa and not country.ussr:
        return Text("{card} on {cell}: no cubes.", params)
    return Text("{card} on {cell}: USA {usa}, USSR {ussr}, {lead}.", params)


def leader(country: Country) -> Seat | None:
    """The side with more cubes on a card."""
    return next((side for side in SIDES if country.lead(side) > 0), None)


def lead(country: Country) -> Text:
    """Who dominates or controls a card, in the words of the rulebooks."""
    side = leader(country)
    if side is None:
        return Text("level")
    if country.lead(side) == 1:
        return Text("{side} dominates", {"side": SIDE_NAMES[side]})
    return Text("{side} controls", {"side": SIDE_NAMES[side]})


def _surroundings(names: Mapping[Cell, Name], country: Country) -> Text:
    beside = tuple(names[cell] for cell in neighbours(country.cell) if cell in names)
    params: Params = {"card": names[country.cell], "cards": beside}
    return Text("{card} is next to {cards}." if beside else "{card} has no neighbour.", params)


# --- what lies beside the table ------------------------------------------------------------------


def stores(view: View) -> Iterator[Text]:
    """Supplies, hidden cards by their number, and the aftermath as far as it is known."""
    usa, ussr = view.supplies
    yield Text(
        "Supply: USA {usa:# cube|# cubes}, USSR {ussr:# cube|# cubes}.", {"usa": usa, "ussr": ussr}
    )
    for side in SIDES:
        if side != view.seat:
            yield hand_size(view, side)
    if view.reserve_size:
        yield Text("Reserve: {count}", {"count": view.reserve_size})
    yield from aftermath(view)


def hand_size(view: View, side: Seat) -> Text:
    params: Params = {"side": SIDE_NAMES[side], "count": view.hand_sizes[SIDES.index(side)]}
    return Text("Hand of {side}: {count}", params)


def aftermath(view: View) -> Iterator[Text]:
    """The two cards laid aside: open at the end, in round 2 one's own at most."""
    cards = view.deck.cards
    if view.aftermath:
        first, second = (cards[card].name for card in view.aftermath)
        yield Text("Aftermath: {first} and {second}.", {"first": first, "second": second})
    elif view.aside is not None:
        own = Text("yours: {card}", {"card": cards[view.aside].name})
        yield Text("Aftermath: {what}, {own}.", {"what": Text("two cards face down"), "own": own})
    elif view.round > 1:
        yield Text("Aftermath: {what}.", {"what": Text("two cards face down")})


def _hand(view: View) -> Iterator[Text]:
    if view.seat is None:
        return
    if not view.hand:
        yield Text("Your hand is empty.")
    for card in (view.deck.cards[held] for held in view.hand):
        params: Params = {
            "card": card.name,
            "region": view.deck.regions[card.region].name,
            "flag": flag_name(card),
            "command": card.command,
        }
        yield Text("In your hand: {card}, {region}, flag {flag}, command {command}.", params)
        told: Params = {"card": card.name, "text": card.text}
        yield Text("Event of {card}: {text}", told)


def flag_name(card: Card) -> Name | Text:
    return Text("no flag") if card.flag is None else SIDE_NAMES[card.flag]


def _news(view: View, language: Language, say: Say) -> Iterator[str]:
    """What happened last, a line that repeats itself said once with its number."""
    if view.news:
        yield say(Text("What happened last:"), language)
    for line, count in repeated(sentence(text, language, say) for text in view.news):
        params: Params = {"line": line, "count": count}
        yield say(Text("{line} ({count} times)", params), language) if count > 1 else line
