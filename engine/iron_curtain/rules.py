"""The course of a match: setup, turns, events and commands, rounds, the end. See RULES.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from engine.core import (
    Dice,
    Event,
    IllegalAction,
    Name,
    NotYourTurn,
    Outcome,
    Param,
    Seat,
    Step,
    Text,
)
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import (
    CUBES,
    FIRST_DEAL,
    ROUNDS,
    SECOND_DEAL,
    TURNS_IN_ROUND,
    Answer,
    ChooseFirst,
    CommandCard,
    Commanding,
    Country,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    Resolve,
    UseCard,
    Variant,
    opponent,
)
from engine.iron_curtain.deck import (
    SIDE_NAMES,
    SIDES,
    USA,
    USSR,
    Clear,
    Gain,
    GainEach,
)
from engine.iron_curtain.events import (
    Stepwise,
    can_do_something,
    cube_sources,
    has_step,
    needs_no_choice,
    points_for_each,
    question,
)
from engine.iron_curtain.grid import Cell, cell_name
from engine.iron_curtain.scoring import (
    at_flag,
    chooser_of_second_round,
    is_complete,
    moved,
    score_aftermath,
    score_region,
)
from engine.iron_curtain.standing_orders import (
    ALL,
    IN_WORDS,
    Rule,
    of_side,
    with_rule,
    without_card,
)
from engine.iron_curtain.state import State
from engine.iron_curtain.table import (
    accessible,
    cells_to_move_to,
    cost,
    may_place,
    open_cells,
    places,
    sources,
    still_to_come,
)

DECK_NUMBER = "1"


class Telling:
    """What a step tells: its events so far, and whether a secret came out."""

    __slots__ = ("events", "final")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.final = False

    def everybody(self, msgid: str, **params: Param) -> None:
        self.events.append(Event(Text(msgid, params)))

    def only(self, seat: Seat, msgid: str, **params: Param) -> None:
        self.events.append(Event(Text(msgid, params), (seat,)))


# --- setup ---------------------------------------------------------------------------------------


def new_game(variant: Variant, dice: Dice) -> Step[State]:
    """2.1-2.5: the starter with a cube of each side, five cards each, the USSR chooses."""
    order = dice.shuffle(variant.deck.order, DECK_NUMBER)
    starter = Country(variant.deck.starter.id, (0, 0), 1, 1)
    hands = order[:FIRST_DEAL], order[FIRST_DEAL : 2 * FIRST_DEAL]
    told = Telling()
    state = State(
        variant=variant,
        order=order,
        hands=hands,
        reserve=order[2 * FIRST_DEAL :],
        aftermath=(),
        table=(starter,),
        supplies=(CUBES - 1, CUBES - 1),
        track=0,
        round=1,
        turn=0,
        first=None,
        scored=(),
        stack=(ChooseFirst(USSR),),
        news=(),
    )
    told.everybody("Each side is dealt five cards.")
    _tell_hands(state, told)
    return Step(replace(state, news=tuple(told.events)), tuple(told.events), final=True)


def _tell_hands(state: State, told: Telling) -> None:
    for side in (USA, USSR):
        names = tuple([_card(state, card) for card in state.hand(side)])
        told.only(side, "You are dealt {cards}.", cards=names)


# --- one action ----------------------------------------------------------------------------------


def apply(state: State, seat: Seat, action: act.Action) -> Step[State]:
    if type(action) is act.Standing:
        return _say_in_advance(state, seat, action)
    frame = asked(state, seat)
    told = Telling()
    carry_out = _HANDLERS[type(action)]
    before = state.news
    state = _settle(carry_out(state, frame, action, told), told)
    events = tuple(told.events)
    if type(action) is act.Play:
        standing = without_card(state.standing, state.table[-1].card)
        return Step(replace(state, news=events, standing=standing), events, told.final)
    return Step(replace(state, news=before + events), events, told.final)


def asked(state: State, seat: Seat) -> Frame:
    """The question before a seat, or NotYourTurn."""
    if state.result is not None:
        raise NotYourTurn("the match is over")
    frame = state.stack[-1]
    if frame.seat != seat:
        raise NotYourTurn("the match waits for {side}, not for you", side=SIDE_NAMES[frame.seat])
    return frame


def _choose_first(state: State, frame: Frame, action: act.First, told: Telling) -> State:
    if not isinstance(frame, ChooseFirst):
        _refuse(frame, action)
    told.everybody(
        "{side} decides: {first} goes first in round {round}.",
        side=SIDE_NAMES[frame.seat],
        first=SIDE_NAMES[action.side],
        round=state.round,
    )
    return replace(state, first=action.side, stack=())


def _play(state: State, frame: Frame, action: act.Play, told: Telling) -> State:
    """4.1, 4.2, 5.1: place the card, then see whether its region is complete."""
    if not isinstance(frame, PlayCard):
        _refuse(frame, action)
    side, hand = frame.seat, state.hand(frame.seat)
    card = state.deck.card_called(action.card) if action.card not in hand else action.card
    if card not in hand or card is None:
        held = ", ".join(hand)
        raise IllegalAction("you do not hold {card}; you hold {held}", card=action.card, held=held)
    region = state.deck.region_of[card]
    if not may_place(state.table, state.deck, region, action.cell):
        cells = open_cells(state.table, state.deck, region)
        raise IllegalAction(
            "{card} cannot go to {cell}; it can go to {cells}",
            card=card,
            cell=cell_name(action.cell),
            cells=_names(cells),
        )
    told.everybody(
        "{side} plays {card} on {cell}.",
        side=SIDE_NAMES[side],
        card=_card(state, card),
        cell=cell_name(action.cell),
    )
    rest = tuple(held for held in hand if held != card)
    state = replace(
        state,
        hands=(rest, state.hands[1]) if side == USA else (state.hands[0], rest),
        table=(*state.table, Country(card, action.cell)),
        turn=state.turn + 1,
    )
    state = _score_if_complete(state, region, told)
    return state if state.result else replace(state, stack=_after_placing(state, side, card))


def _after_placing(state: State, side: Seat, card: str) -> tuple[Frame, ...]:
    """6.1, 6.2: one's own card is used; on the other's card he answers before the command."""
    if state.deck.cards[card].flag == side:
        return (UseCard(side, card, can_do_something(state, side, card)),)
    return CommandCard(side, card), Answer(opponent(side), card)


def _score_if_complete(state: State, region: str, told: Telling) -> State:
    if not is_complete(state.table, state.deck, region):
        return state
    state = replace(state, scored=(*state.scored, region))
    return _score(state, region, "{region} is complete and scores", told)


def _use_event(state: State, frame: Frame, action: act.UseEvent, told: Telling) -> State:
    if not isinstance(frame, UseCard | Answer):
        _refuse(frame, action)
    if isinstance(frame, UseCard) and not frame.has_event:
        raise IllegalAction(
            "the event of {card} can do nothing now; write: command", card=frame.card
        )
    told.everybody(
        "{side} uses the event of {card}.",
        side=SIDE_NAMES[frame.seat],
        card=_card(state, frame.card),
    )
    return _swap(state, Resolve(frame.seat, frame.card, 0))


def _use_command(state: State, frame: Frame, action: act.UseCommand, told: Telling) -> State:
    if not isinstance(frame, UseCard):
        _refuse(frame, action)
    return _swap(state, CommandCard(frame.seat, frame.card))


def _decline(state: State, frame: Frame, action: act.Decline, told: Telling) -> State:
    if not isinstance(frame, Answer):
        _refuse(frame, action)
    told.everybody(
        "{side} declines the event of {card}.",
        side=SIDE_NAMES[frame.seat],
        card=_card(state, frame.card),
    )
    return _pop(state)


def _place_cube(state: State, frame: Frame, action: act.Cube, told: Telling) -> State:
    if not isinstance(frame, Commanding | Infiltrating):
        _refuse(frame, action)
    side = frame.seat
    country = _target(state, frame, action.card)
    if state.supply(side) < 1:
        raise IllegalAction(
            "your supply is empty; write: shift CARD {card}, with a card from: {cards}",
            card=country.card,
            cards=_listed(sources(state, side, country.card)),
        )
    told.everybody(
        _cube_words(frame, country), side=SIDE_NAMES[side], card=_card(state, country.card)
    )
    table = _with_cubes(state.table, country.card, side, 1)
    return replace(
        state,
        table=table,
        supplies=_supplies(state, side, -1),
        stack=_spent(state, frame, country),
    )


def _target(state: State, frame: Commanding | Infiltrating, card: str) -> Country:
    """7.1-7.3: the card that takes the cube, if it was in reach and the points suffice."""
    country = state.country(card if card in frame.targets else _called(state, card))
    if country is None or country.card not in frame.targets:
        raise IllegalAction(
            "no cube can go to {card}; cubes can go to {cards}",
            card=card,
            cards=", ".join(sorted(set(frame.targets))),
        )
    if isinstance(frame, Commanding) and cost(country, frame.seat) > frame.points:
        raise IllegalAction(
            "{card} costs 2 points, because the opponent leads there by two; you have {points}",
            card=country.card,
            points=frame.points,
        )
    return country


def _cube_words(frame: Commanding | Infiltrating, country: Country) -> str:
    if isinstance(frame, Commanding) and cost(country, frame.seat) == 2:
        return "{side} puts a cube on {card} for two points."
    return "{side} puts a cube on {card}."


_SHIFTED = "{side} moves a cube of {owner} from {source} to {target}."


def _shift_words(frame: Commanding | Infiltrating, target: Country) -> str:
    if isinstance(frame, Commanding) and cost(target, frame.seat) == 2:
        return "{side} moves a cube of {owner} from {source} to {target} for two points."
    return _SHIFTED


def _spent(state: State, frame: Commanding | Infiltrating, country: Country) -> tuple[Frame, ...]:
    """The stack after a cube went to a card: fewer points, or one cube less for that card."""
    below = state.stack[:-1]
    if isinstance(frame, Commanding):
        points = frame.points - cost(country, frame.seat)
        return *below, Commanding(frame.seat, frame.card, points, frame.targets)
    left = list(frame.targets)
    left.remove(country.card)
    return *below, Infiltrating(frame.seat, frame.card, frame.left - 1, tuple(left))


def _shift(state: State, frame: Frame, action: act.Shift, told: Telling) -> State:
    """7.6: a cube of one's own from elsewhere; 8.5: cubes that an event gathers."""
    if isinstance(frame, Commanding | Infiltrating):
        target = _target(state, frame, action.target)
        source = _called(state, action.source)
        if state.supply(frame.seat) > 0:
            raise IllegalAction("your supply is not empty; write: cube {card}", card=target.card)
        allowed = sources(state, frame.seat, target.card)
        stack, words = _spent(state, frame, target), _shift_words(frame, target)
        owner, card = frame.seat, target.card
    elif isinstance(frame, Gathering):
        source, card = _called(state, action.source), _called(state, action.target)
        if card != frame.card:
            raise IllegalAction(
                "cubes move onto {card}, not onto {target}", card=frame.card, target=action.target
            )
        allowed, owner, words = cube_sources(state, frame), frame.owner, _SHIFTED
        stack = (*state.stack[:-1], replace(frame, left=frame.left - 1))
    else:
        _refuse(frame, action)
    if source not in allowed:
        raise _cannot_leave(action.source, allowed)
    told.everybody(
        words,
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[owner],
        source=_card(state, source),
        target=_card(state, card),
    )
    table = _with_cubes(_with_cubes(state.table, source, owner, -1), card, owner, 1)
    return replace(state, table=table, stack=stack)


def _take_off(state: State, frame: Frame, action: act.TakeOff, told: Telling) -> State:
    if not isinstance(frame, Removing):
        _refuse(frame, action)
    owner, card = opponent(frame.seat), _called(state, action.card)
    allowed = cube_sources(state, frame)
    if card not in allowed:
        raise _cannot_leave(action.card, allowed)
    told.everybody(
        "{side} removes a cube of {owner} from {card}.",
        side=SIDE_NAMES[frame.seat],
        owner=SIDE_NAMES[owner],
        card=_card(state, card),
    )
    return replace(
        state,
        table=_with_cubes(state.table, card, owner, -1),
        supplies=_supplies(state, owner, 1),
        stack=(*state.stack[:-1], replace(frame, left=frame.left - 1)),
    )


def _move_card(state: State, frame: Frame, action: act.MoveCard, told: Telling) -> State:
    """8.6: the card moves with its cubes; nothing scores."""
    if not isinstance(frame, Relocating):
        _refuse(frame, action)
    card = _called(state, action.card)
    country = state.country(card)
    if country is None:
        raise IllegalAction("{card} is not on the table", card=action.card)
    cells = cells_to_move_to(state, card)
    if action.cell not in cells:
        raise IllegalAction(
            "{card} cannot move to {cell}; it can move to {cells}",
            card=card,
            cell=cell_name(action.cell),
            cells=_names(cells),
        )
    told.everybody(
        "{side} moves {card} from {cell} to {target}.",
        side=SIDE_NAMES[frame.seat],
        card=_card(state, card),
        cell=cell_name(country.cell),
        target=cell_name(action.cell),
    )
    table = tuple(replace(c, cell=action.cell) if c.card == card else c for c in state.table)
    return _pop(replace(state, table=table))


def _stop(state: State, frame: Frame, action: act.Done, told: Telling) -> State:
    if not isinstance(frame, Commanding | Infiltrating | Removing | Gathering | Relocating):
        _refuse(frame, action)
    told.everybody("{side} stops here.", side=SIDE_NAMES[frame.seat])
    return _pop(state)


def _say_in_advance(state: State, seat: Seat, action: act.Standing) -> Step[State]:
    """6.6: nobody else hears of it, so it is no part of the news."""
    if state.result is not None:
        raise NotYourTurn("the match is over")
    if seat not in SIDES:
        raise NotYourTurn("auto-answers are for the players, USA and USSR")
    told = Telling()
    if action.card == ALL:
        card = ALL
        told.only(seat, "Default auto-answer: {rule}.", rule=IN_WORDS[action.rule])
    else:
        card = _own_card_to_come(state, seat, action.card)
        told.only(
            seat,
            "Auto-answer for {card}: {rule}.",
            card=_card(state, card),
            rule=IN_WORDS[action.rule],
        )
    orders = with_rule(of_side(state.standing, seat), state.deck, card, action.rule)
    usa, ussr = state.standing
    standing = (orders, ussr) if seat == USA else (usa, orders)
    return Step(replace(state, standing=standing), tuple(told.events))


def _own_card_to_come(state: State, side: Seat, word: str) -> str:
    card, cards = _called(state, word), still_to_come(state, side)
    if card in cards:
        return card
    raise IllegalAction(
        "{card} lies on the table already; auto-answers are for {cards}"
        if state.country(card)
        else "{card} is no card of your flag; auto-answers are for {cards}",
        card=word,
        cards=", ".join([*cards, ALL]),
    )


_HANDLERS: dict[type[Struct], Callable[[State, Frame, Any, Telling], State]] = {
    act.First: _choose_first,
    act.Play: _play,
    act.UseEvent: _use_event,
    act.UseCommand: _use_command,
    act.Decline: _decline,
    act.Cube: _place_cube,
    act.Shift: _shift,
    act.TakeOff: _take_off,
    act.MoveCard: _move_card,
    act.Done: _stop,
}

_ASKED_FOR: dict[type[Struct], Text] = {
    ChooseFirst: Text("first usa or first ussr"),
    PlayCard: Text("play CARD CELL"),
    UseCard: Text("event or command"),
    Answer: Text("event or decline"),
    Commanding: Text("cube CARD or done"),
    Infiltrating: Text("cube CARD or done"),
    Removing: Text("remove CARD or done"),
    Gathering: Text("shift CARD CARD or done"),
    Relocating: Text("relocate CARD CELL or done"),
}


def _refuse(frame: Frame, action: act.Action) -> NoReturn:
    raise IllegalAction(
        "'{order}' is not asked now; write: {form}",
        order=act.notate(action),
        form=_ASKED_FOR[type(frame)],
    )


def _cannot_leave(card: str, allowed: Sequence[str]) -> IllegalAction:
    return IllegalAction(
        "no cube can leave {card}; cubes can leave {cards}", card=card, cards=_listed(allowed)
    )


def _listed(cards: Sequence[str]) -> Param:
    return ", ".join(cards) or Text("no card")


# --- what follows by itself ----------------------------------------------------------------------


def _settle(state: State, told: Telling) -> State:
    """Carry on until somebody has to decide or the match is over."""
    while state.result is None:
        if not state.stack:
            state = _next_turn(state, told)
            continue
        frame = state.stack[-1]
        go_on = _GO_ON.get(type(frame))
        if go_on is None:
            return state
        after = go_on(state, frame, told)
        if after is state:
            return state
        state = after
    return state


def _unless_stuck(state: State, frame: Stepwise, told: Telling) -> State:
    """A side is asked for cubes or cards while it has a step left."""
    return state if has_step(state, frame) else _pop(state)


def _unless_settled(state: State, frame: Answer, told: Telling) -> State:
    """6.3, 6.6: an event that can do nothing is passed over, a standing order is obeyed."""
    if not can_do_something(state, frame.seat, frame.card):
        told.everybody(
            "The event of {card} would have no effect and is skipped.",
            card=_card(state, frame.card),
        )
        return _pop(state)
    told.final = True  # 11.7: whether there is a standing order must not be found out by undoing
    rule = of_side(state.standing, frame.seat).rule(frame.card)
    return state if rule == "ask" else _obey(state, frame, rule, told)


def _obey(state: State, frame: Answer, rule: Rule, told: Telling) -> State:
    side, card = SIDE_NAMES[frame.seat], _card(state, frame.card)
    if rule == "never":
        told.everybody("{side} declines the event of {card} by auto-answer.", side=side, card=card)
        return _pop(state)
    if not needs_no_choice(state.deck.cards[frame.card]):
        return state
    told.everybody("{side} uses the event of {card} by auto-answer.", side=side, card=card)
    return _swap(state, Resolve(frame.seat, frame.card, 0))


def _begin_command(state: State, frame: CommandCard, told: Telling) -> State:
    """7.1: what is in reach is fixed now, after the opponent's event."""
    side, card = frame.seat, frame.card
    points = state.deck.cards[card].command
    told.everybody(
        "{side} commands up to {points:# cube|# cubes} with {card}.",
        side=SIDE_NAMES[side],
        points=points,
        card=_card(state, card),
    )
    commanding = Commanding(side, card, points, accessible(state.table, side))
    if not has_step(state, commanding):
        told.everybody("{side} cannot place any cubes.", side=SIDE_NAMES[side])
    return _swap(state, commanding)


def _begin_effect(state: State, frame: Resolve, told: Telling) -> State:
    side, card, number = frame.seat, frame.card, frame.effect
    effects = state.deck.cards[card].event
    if number == len(effects):
        return _pop(state)
    state = _swap(state, Resolve(side, card, number + 1))
    match effects[number]:
        case Gain(points):
            return _gain(state, side, card, points, told)
        case GainEach(where):
            points = points_for_each(state, side, card, where)
            return _gain(state, side, card, points, told)
        case Clear(where):
            return _clear(state, side, places(state, card, where), told)
        case effect:
            return replace(state, stack=(*state.stack, question(state, side, card, effect)))


_GO_ON: dict[type[Frame], Callable[[State, Any, Telling], State]] = {
    Answer: _unless_settled,
    CommandCard: _begin_command,
    Resolve: _begin_effect,
    Commanding: _unless_stuck,
    Infiltrating: _unless_stuck,
    Removing: _unless_stuck,
    Gathering: _unless_stuck,
    Relocating: _unless_stuck,
}


def _gain(state: State, side: Seat, card: str, points: int, told: Telling) -> State:
    state = replace(state, track=moved(state.track, points if side == USA else -points))
    told.everybody(
        "{side} gains {points:# point|# points} from {card}. Track: {track}.",
        side=SIDE_NAMES[side],
        points=points,
        card=_card(state, card),
        track=standing(state.track),
    )
    return _check_flags(state, told)


def _clear(state: State, side: Seat, cards: tuple[str, ...], told: Telling) -> State:
    owner = opponent(side)
    for card in cards:
        country = state.country(card)
        cubes = country.cubes(owner) if country else 0
        if not cubes:
            continue
        told.everybody(
            "{cubes:# cube|# cubes} of {owner} {cubes:leaves|leave} {card}.",
            owner=SIDE_NAMES[owner],
            card=_card(state, card),
            cubes=cubes,
        )
        state = replace(
            state,
            table=_with_cubes(state.table, card, owner, -cubes),
            supplies=_supplies(state, owner, cubes),
        )
    return state


def _next_turn(state: State, told: Telling) -> State:
    if state.turn == TURNS_IN_ROUND:
        return _second_round(state, told) if state.round < ROUNDS else _final(state, told)
    assert state.first is not None, "a round begins with the choice of the first side"
    side = state.first if state.turn % 2 == 0 else opponent(state.first)
    return replace(state, stack=(PlayCard(side),))


def _second_round(state: State, told: Telling) -> State:
    """3.3, 3.4: the last cards go aside, four more each, the side behind chooses."""
    told.final = True
    told.everybody("Round 1 is over. Each side lays its last card aside for the aftermath.")
    aftermath = state.hands[0] + state.hands[1]
    for side, card in zip((USA, USSR), aftermath, strict=True):
        told.only(side, "You lay {card} aside.", card=_card(state, card))
    told.everybody("Each side is dealt four cards for round 2.")
    state = replace(
        state,
        hands=(state.reserve[:SECOND_DEAL], state.reserve[SECOND_DEAL:]),
        reserve=(),
        aftermath=aftermath,
        round=2,
        turn=0,
        first=None,
        stack=(ChooseFirst(chooser_of_second_round(state.track)),),
    )
    _tell_hands(state, told)
    return state


def _final(state: State, told: Telling) -> State:
    """9.1-9.4: the aftermath, then every region, each of which may end the match."""
    told.final = True
    state = _score_aftermath(state, told)
    for region in state.variant.rules.final_order:
        if state.result is None:
            state = _score(state, region, "Final scoring of {region}", told)
    if state.result is not None:
        return state
    ahead = USA if state.track > 0 else USSR
    if state.track == 0:
        reason = Text("The track is level at the end; the tie goes to {side}.")
        return _win(state, state.variant.rules.tie, reason, told)
    return _win(state, ahead, Text("{side} is ahead after the final scoring."), told)


def _score_aftermath(state: State, told: Telling) -> State:
    score = score_aftermath(state.aftermath, state.deck, state.variant.rules.aftermath_cap)
    state = replace(state, track=moved(state.track, score.net))
    told.everybody(
        "Aftermath: {first} and {second} are turned up. USA {usa:# cube|# cubes},"
        " USSR {ussr:# cube|# cubes}. Track: {track}.",
        first=_card(state, state.aftermath[0]),
        second=_card(state, state.aftermath[1]),
        usa=score.usa_cubes,
        ussr=score.ussr_cubes,
        track=standing(state.track),
    )
    return _check_flags(state, told)


def _score(state: State, region: str, opening: str, told: Telling) -> State:
    score = score_region(state.table, state.deck, region)
    state = replace(state, track=moved(state.track, score.net))
    told.everybody(
        opening + ": USA {usa}, USSR {ussr}. Track: {track}.",
        region=state.deck.regions[region].name,
        usa=score.usa,
        ussr=score.ussr,
        track=standing(state.track),
    )
    return _check_flags(state, told)


def _check_flags(state: State, told: Telling) -> State:
    winner = at_flag(state.track)
    if winner is None:
        return state
    return _win(state, winner, Text("The marker has reached the flag of {side}."), told)


def _win(state: State, side: Seat, reason: Text, told: Telling) -> State:
    """The match is over: nothing stays hidden, so the step is final."""
    told.final = True
    reason = Text(reason.msgid, {"side": SIDE_NAMES[side]})
    told.everybody("{reason} {side} wins.", reason=reason, side=SIDE_NAMES[side])
    return replace(state, result=Outcome((side,), reason), stack=())


def standing(track: int) -> Text:
    """The score in words."""
    if track == 0:
        return Text("level")
    side = USA if track > 0 else USSR
    return Text("{side} ahead by {points}", {"side": SIDE_NAMES[side], "points": abs(track)})


# --- small changes -------------------------------------------------------------------------------


def _pop(state: State) -> State:
    return replace(state, stack=state.stack[:-1])


def _swap(state: State, frame: Frame) -> State:
    return replace(state, stack=(*state.stack[:-1], frame))


def _with_cubes(
    table: tuple[Country, ...], card: str, side: Seat, cubes: int
) -> tuple[Country, ...]:
    return tuple([c.plus(side, cubes) if c.card == card else c for c in table])


def _supplies(state: State, side: Seat, change: int) -> tuple[int, int]:
    usa, ussr = state.supplies
    return (usa + change, ussr) if side == USA else (usa, ussr + change)


def _card(state: State, card: str) -> Name:
    return state.deck.cards[card].name


def _called(state: State, word: str) -> str:
    """A card by id or by any of its names; an unknown word stays as it is."""
    return word if word in state.deck.cards else state.deck.card_called(word) or word


def _names(cells: list[Cell]) -> str:
    return ", ".join(map(cell_name, cells)) or "no cell"
