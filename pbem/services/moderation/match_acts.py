"""What moderators may do to a match, as data: in which words, with what, and how.

An act is foreseen first: the words that say what will happen are also all its checks. It is
performed in one transaction that does it, owes every player a letter with the same words and the
reason, and enters it into the log once. A moderator who has a part in a match does nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.core import Seat
from engine.log import VERDICT
from pbem.db.store import writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Missing, Refused, Stale
from pbem.plural import Counted
from pbem.services.match import match_log, matches, new_rules, timeouts, turns
from pbem.services.match.turns import MODERATOR
from pbem.services.moderation.act_records import checked_reason, for_the_log, subject_of
from pbem.services.moderation.act_targets import (
    DRAW,
    Params,
    check_live,
    held_seat,
    open_turn,
    running_turn,
    seat_of,
)
from pbem.services.moderation.impartiality import check_apart
from pbem.services.records import alliances, announcements, audit_log, letter_queue
from pbem.services.records.announcements import Sides, When, Words, side
from pbem.services.records.match_rows import (
    FORMING,
    LIVE,
    MatchRecord,
    TurnRecord,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins
from pbem.services.self_service import revocation
from pbem.services.time import clocks, pauses, reminders

MOST_HOURS = 30 * 24
SOONEST, LATEST = DAY, 366 * DAY
"""How far ahead a deadline can be set; nobody is to learn of it when it is over."""
KIND = "moderated"


class Act(NamedTuple):
    name: str
    title: Words
    takes: tuple[str, ...]
    """Which fields of `Params` it needs."""
    words: Callable[[MatchRecord, Params, int], Words]
    """What will happen, or Refused if it cannot."""
    do: Callable[[MatchRecord, Params, int], None]
    needs_step_up: bool = False
    is_for_all_matches: bool = False
    """Whether it changes all matches of the player of a seat."""


def foresee(match: MatchRecord, act: Act, params: Params, now: int) -> Words:
    """What an act will do, in words; Refused says why it cannot be done."""
    for name in act.takes:
        if getattr(params, name) is None:
            raise Refused("one thing is missing: %(what)s", what=name)
    return act.words(match, params, now)


def perform(
    by: ModeratorRecord | None, match_id: str, act: Act, params: Params, reason: str, now: int
) -> int:
    """Do it, tell the players, enter it: all or nothing. The number of the entry.

    It is done `by` a moderator, or from the command line.
    """
    why = checked_reason(reason)
    with writing():
        _hold_player(match_id, act, params)
        match = lock_match(match_id)
        if by is not None:
            check_apart(by, match)
        words = foresee(match, act, params, now)
        act.do(match, params, now)
        detail = {name: getattr(params, name) for name in act.takes}
        actor = audit_log.COMMAND_LINE if by is None else by.address
        subject, said = subject_of(match.id), for_the_log(words, match)
        number = audit_log.record(actor, act.name, subject, why, said, detail, now)
        letter_queue.queue(_letters(match, words, why, number), now)
        return number


def _hold_player(match_id: str, act: Act, params: Params) -> None:
    """All matches of a player are held before the one in which a moderator acts."""
    seats = get_match(match_id).seats
    if act.is_for_all_matches and params.seat is not None and params.seat < len(seats):
        player = seats[params.seat].player
        if player is not None:
            revocation.hold(player)


def _letters(
    match: MatchRecord, words: Words, reason: str, number: int
) -> list[letter_queue.QueuedLetter]:
    """To everybody who sat there before the act, also to who lost the seat by it."""
    about = {"words": announcements.packed(words), "reason": reason}
    return letter_queue.to_all_seats(match, KIND, str(number), **about)


# --- clocks ---------------------------------------------------------------------------------------


def _pause_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    if match.paused_at is not None:
        raise Stale("the match is already paused")
    left = clocks.pause_left(match, now)
    if left <= 0:
        raise Refused("this match has used up its agreed time for pauses; it goes on")
    return Words(
        "The match is paused: all its clocks are stopped. The pause ends automatically on %(end)s.",
        {"end": When(now + left)},
    )


def _pause(match: MatchRecord, params: Params, now: int) -> None:
    pauses.pause(match.id, now)


def _resume_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    if match.paused_at is None:
        raise Stale("the match is not paused")
    return Words("The pause is over: all clocks are running again, each with the time it had left.")


def _resume(match: MatchRecord, params: Params, now: int) -> None:
    pauses.resume(match.id, now)


def _extend_words(match: MatchRecord, params: Params, now: int) -> Words:
    turn, hours = running_turn(match, params), params.hours or 0
    if not 1 <= hours <= MOST_HOURS:
        raise Refused("a turn can be extended by 1 to %(most)s hours", most=MOST_HOURS)
    return Words(
        Counted(
            "%(side)s gets %(num)s more hour for this turn. It ends on %(end)s.",
            "%(side)s gets %(num)s more hours for this turn. It ends on %(end)s.",
        ),
        {
            "side": side(match.seat(turn.seat).name),
            "num": hours,
            "end": When(_extended(match, turn, hours * HOUR, now)),
        },
    )


def _extended(match: MatchRecord, turn: TurnRecord, seconds: int, now: int) -> int:
    """When a turn ends that gets more time, as `clocks.give_time` gives it."""
    assert turn.since is not None, "its clock runs"
    late = turn.deadline_at <= now
    start, budget = (now, seconds) if late else (turn.since, turn.allowed + seconds)
    return max(turn.deadline_at, clocks.reckon(match, turn, start, budget).at)


def _extend(match: MatchRecord, params: Params, now: int) -> None:
    clocks.give_time(running_turn(match, params).id, (params.hours or 0) * HOUR, now)


def _deadline_words(match: MatchRecord, params: Params, now: int) -> Words:
    turn, at = running_turn(match, params), params.deadline or 0
    if not now + SOONEST <= at <= now + LATEST:
        raise Refused("a deadline must be one day to one year ahead")
    return Words(
        "The turn of %(side)s now ends on %(end)s; before, it was %(before)s.",
        {
            "side": side(match.seat(turn.seat).name),
            "end": When(at),
            "before": When(turn.deadline_at),
        },
    )


def _deadline(match: MatchRecord, params: Params, now: int) -> None:
    clocks.end_at(running_turn(match, params), params.deadline or 0, now)


def _remind_words(match: MatchRecord, params: Params, now: int) -> Words:
    turn = running_turn(match, params)
    seat = held_seat(match, params)
    return Words(
        "%(side)s gets a reminder email now. The turn ends on %(end)s.",
        {"side": side(seat.name), "end": When(turn.deadline_at)},
    )


def _remind(match: MatchRecord, params: Params, now: int) -> None:
    player = get_player(held_seat(match, params).player)
    reminders.remind(player, [running_turn(match, params)], now)


# --- links and seats ------------------------------------------------------------------------------


def _resend_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    return Words(
        "%(side)s gets the links to the seat and to any open turn again by email. "
        "Links in earlier emails still work.",
        {"side": side(held_seat(match, params).name)},
    )


def _resend(match: MatchRecord, params: Params, now: int) -> None:
    """The letter that tells of this act has the link to the seat."""
    seat = held_seat(match, params)
    for turn in open_turns(match.id):
        if turn.seat == seat.number:
            about = {"from": turn.opened_seq, "seq": match.head_seq}
            key = f"{turn.id}:again:{now}"
            letter_queue.queue(
                [letter_queue.to_seat(match, seat, "turn", key, turn.id, **about)], now
            )


def _revoke_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    return Words(
        "No link in earlier emails to the player of %(side)s works any more. New "
        "ones come by email.",
        {"side": side(held_seat(match, params).name)},
    )


def _revoke(match: MatchRecord, params: Params, now: int) -> None:
    player = held_seat(match, params).player
    assert player is not None, "a seat that is held has a player"
    revocation.renew(player, now)


def _replace_words(match: MatchRecord, params: Params, now: int) -> Words:
    """The address stays between the moderator and its owner."""
    check_live(match)
    seat = seat_of(match, params)
    stand_ins.check_can_be_asked(match, seat.number, params.address or "")
    return Words(
        "The player of %(side)s loses the seat, and its links no longer work. We "
        "email someone else and ask them to take over; until then the default move "
        "is played.",
        {"side": side(seat.name)},
    )


def _replace(match: MatchRecord, params: Params, now: int) -> None:
    stand_ins.ask_instead(match.id, seat_of(match, params).number, params.address or "", now)


def _open_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    seat = held_seat(match, params)
    loan = loans.pending(match.id, seat.number)
    if loan is not None and loan.state == loans.RUNNING:
        return Words(
            "The %(side)s seat goes back from the stand-in to its owner. Old links no longer work.",
            {"side": side(seat.name)},
        )
    return Words(
        "The %(side)s seat is open, and its links no longer work: the first "
        "volunteer to take it becomes the stand-in. Until then the default move is "
        "played.",
        {"side": side(seat.name)},
    )


def _open(match: MatchRecord, params: Params, now: int) -> None:
    stand_ins.open_seat(match.id, held_seat(match, params).number, now)


# --- the course of the match ----------------------------------------------------------------------


def _default_words(match: MatchRecord, params: Params, now: int) -> Words:
    seat = match.seat(open_turn(match, params).seat)
    if match.game.default_action(match_log.current(match), seat.name) is None:
        raise Refused("there is no default move in this position; someone has to decide")
    return Words(
        "The default move is played for %(side)s, as if time had run out for this turn.",
        {"side": side(seat.name)},
    )


def _default(match: MatchRecord, params: Params, now: int) -> None:
    timeouts.play_default(match, open_turn(match, params), now)


def _cancel_words(match: MatchRecord, params: Params, now: int) -> Words:
    if match.status not in (FORMING, LIVE):
        raise Refused("only a match that is not over can be called off")
    return Words("The match is called off. Nobody has won or lost, and nobody has to do anything.")


def _cancel(match: MatchRecord, params: Params, now: int) -> None:
    matches.cancel(match.id, MODERATOR, now)


def _result_words(match: MatchRecord, params: Params, now: int) -> Words:
    check_live(match)
    if params.result == DRAW:
        return Words("The match is over by a moderator's decision: a draw.")
    return Words(
        "The match is over by a moderator's decision: victory for %(sides)s.",
        {"sides": Sides(_winners(match, params))},
    )


def _winners(match: MatchRecord, params: Params) -> tuple[Seat, ...]:
    """The seat that is to win, and all that stand together with it."""
    winner = match.seat_named(params.result or "")
    if winner is None:
        raise Missing("there is no such seat")
    return alliances.together(match, winner.name)


def _adjudicate(match: MatchRecord, params: Params, now: int) -> None:
    """An entry that changes no position, so that the file of the match can be checked as ever."""
    result = DRAW if params.result == DRAW else " ".join(_winners(match, params))
    turns.end(match, "note", MODERATOR, f"{VERDICT}{result}", now)


def _rewind_words(match: MatchRecord, params: Params, now: int) -> Words:
    plan = turns.plan_rewind(match, -1 if params.entry is None else params.entry)
    return Words(
        "The match goes back to the position after entry %(entry)s, on %(at)s. "
        "Everything played since no longer counts, and dice thrown since are thrown "
        "again. It is now the turn of %(sides)s, with the time of a whole turn.",
        {
            "entry": plan.entry.seq,
            "at": When(int(plan.entry.at)),
            "sides": Sides(tuple(seat.name for seat in match.seats if seat.name in plan.asked)),
        },
    )


def _rewind(match: MatchRecord, params: Params, now: int) -> None:
    assert params.entry is not None, "it was foreseen"
    turns.rewind(match.id, params.entry, MODERATOR, now)


def _new_rules_words(match: MatchRecord, params: Params, now: int) -> Words:
    asked = match.game.waiting_on(new_rules.position(match))
    return Words(
        "The match goes on from its present position under version %(version)s of the rules. Now it"
        " is the turn of %(sides)s, with the whole time of a turn.",
        {
            "version": match.game.rules_version,
            "sides": Sides(tuple(seat.name for seat in match.seats if seat.name in asked)),
        },
    )


def _go_on(match: MatchRecord, params: Params, now: int) -> None:
    new_rules.go_on(match, now, is_told=True)


# --- all of them ----------------------------------------------------------------------------------

ACTS = {
    act.name: act
    for act in (
        Act("pause", Words("Pause the match"), (), _pause_words, _pause),
        Act("resume", Words("End the pause"), (), _resume_words, _resume),
        Act("extend", Words("Extend a turn"), ("seat", "hours"), _extend_words, _extend),
        Act("deadline", Words("Set a deadline"), ("seat", "deadline"), _deadline_words, _deadline),
        Act("remind", Words("Send a reminder now"), ("seat",), _remind_words, _remind),
        Act("resend", Words("Send the links again"), ("seat",), _resend_words, _resend),
        Act(
            "revoke",
            Words("Switch off old links"),
            ("seat",),
            _revoke_words,
            _revoke,
            is_for_all_matches=True,
        ),
        Act(
            "replace",
            Words("Replace a player"),
            ("seat", "address"),
            _replace_words,
            _replace,
            needs_step_up=True,
        ),
        Act("open_seat", Words("Open a seat to stand-ins"), ("seat",), _open_words, _open),
        Act("default", Words("Play the default move"), ("seat",), _default_words, _default),
        Act(
            "adjudicate",
            Words("Decide the result"),
            ("result",),
            _result_words,
            _adjudicate,
            needs_step_up=True,
        ),
        Act(
            "rewind",
            Words("Take the match back"),
            ("entry",),
            _rewind_words,
            _rewind,
            needs_step_up=True,
        ),
        Act(
            "new_rules",
            Words("Go on under the new rules"),
            (),
            _new_rules_words,
            _go_on,
            needs_step_up=True,
        ),
        Act("cancel", Words("Call the match off"), (), _cancel_words, _cancel, needs_step_up=True),
    )
}
