"""Points told: the track, regions and the aftermath scored, and the victory that may follow."""

from __future__ import annotations

from msgspec.structs import replace

from engine.core import Outcome, Seat, Text
from engine.iron_curtain.changes import Telling, card_name
from engine.iron_curtain.deck import SIDE_NAMES, USA, USSR
from engine.iron_curtain.scoring import at_flag, moved, score_aftermath, score_region
from engine.iron_curtain.state import State


def gain(state: State, side: Seat, card: str, points: int, told: Telling) -> State:
    state = replace(state, track=moved(state.track, points if side == USA else -points))
    told.everybody(
        "{side} gains {points:# point|# points} from {card}. Track: {track}.",
        side=SIDE_NAMES[side],
        points=points,
        card=card_name(state, card),
        track=standing(state.track),
    )
    return check_flags(state, told)


def count_region(state: State, region: str, opening: str, told: Telling) -> State:
    score = score_region(state.table, region)
    state = replace(state, track=moved(state.track, score.net))
    told.everybody(
        opening + ": USA {usa}, USSR {ussr}. Track: {track}.",
        region=state.deck.regions[region].name,
        usa=score.usa,
        ussr=score.ussr,
        track=standing(state.track),
    )
    return check_flags(state, told)


def count_aftermath(state: State, told: Telling) -> State:
    score = score_aftermath(state.aftermath, state.deck, state.variant.rules.aftermath_cap)
    state = replace(state, track=moved(state.track, score.net))
    told.everybody(
        "Aftermath: {first} and {second} are turned up. USA {usa:# cube|# cubes},"
        " USSR {ussr:# cube|# cubes}. Track: {track}.",
        first=card_name(state, state.aftermath[0]),
        second=card_name(state, state.aftermath[1]),
        usa=score.usa_cubes,
        ussr=score.ussr_cubes,
        track=standing(state.track),
    )
    return check_flags(state, told)


def check_flags(state: State, told: Telling) -> State:
    winner = at_flag(state.track)
    if winner is None:
        return state
    return win(state, winner, Text("The marker has reached the flag of {side}."), told)


def win(state: State, side: Seat, reason: Text, told: Telling) -> State:
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
