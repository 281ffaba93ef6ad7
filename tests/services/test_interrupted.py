"""Whatever is done is done as a whole: an error in any statement of it leaves what was before.

Each act is begun again and again, and comes one statement further before it is interrupted, until
it has been committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.links import order_code
from pbem.services.agreements import rematches, takebacks
from pbem.services.letters import claims, recording
from pbem.services.letters.verdicts import Batch, Verdict
from pbem.services.match import joining, link_orders, match_log, matches, messages, timeouts, turns
from pbem.services.match.joining import Joining
from pbem.services.moderation import match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.records.letter_queue import SENT
from pbem.services.records.match_rows import get_match
from pbem.services.seats import loans, stand_ins
from pbem.services.self_service import revocation
from pbem.services.time import absences, pauses
from tests.pbem.visiting import everything
from tests.services.people import (
    BOB,
    NOW,
    Sitting,
    an_order,
    compose,
    id_of,
    play_to_the_end,
    turn_of,
    undo,
    wanted,
)
from tests.services.waiting import Days, agree, hand_over

MOST_STATEMENTS = 400
LATER, LATE = NOW + HOUR, NOW + 3 * HOUR


class Interruption(BaseException):
    """Nothing that goes on after errors goes on after this."""


class Interrupter:
    """Lets some statements come through, and not the next; knows whether one was a commit.

    Ends of transactions come through: whoever cannot say those has lost the connection.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.left, self.is_committed = 0, False
        opened = store.database.obj
        patch.setattr(opened, "execute_sql", self._counted(opened.execute_sql))
        if store.has_row_locks():
            patch.setattr(opened, "commit", self._noted(opened.commit))
        else:
            patch.setattr(store, "_ask", self._counted(store._ask))

    def _counted(self, whole: Callable[..., Any]) -> Callable[..., Any]:
        def run(sql: str, *args: Any) -> Any:
            if sql == "COMMIT":
                return self._noted(whole)(sql, *args)
            if sql == "ROLLBACK":
                return whole(sql, *args)
            self.left -= 1
            if self.left == 0:
                raise Interruption
            return whole(sql, *args)

        return run

    def _noted(self, commit: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            answer = commit(*args)
            self.is_committed = True
            return answer

        return run

    @contextmanager
    def before(self, statement: int) -> Iterator[None]:
        self.left, self.is_committed = statement, False
        try:
            yield
        except Interruption:
            return
        finally:
            self.left = 0


# --- what is done ---------------------------------------------------------------------------------

Act = Callable[[Sitting], object]
CHOICE = b"interrupted"


def sends(sitting: Sitting) -> None:
    turn, order = an_order(sitting.match, QuickDice(CHOICE))
    turns.submit(turn.id, [order], LATER)


def presses(sitting: Sitting) -> None:
    turn, order = an_order(sitting.match, QuickDice(CHOICE))
    code = order_code(get_match(sitting.match).secret, turn.id, order)
    with store.writing():
        link_orders.play_coded(*turns.held(turn.id), code, LATER)


def composes(sitting: Sitting) -> None:
    turn, order = an_order(sitting.match, QuickDice(CHOICE))
    compose(turn.id, [order], LATER)


def undoes(sitting: Sitting) -> None:
    undo(turn_of(sitting.match).id, LATER)


def mover(sitting: Sitting) -> int:
    return 1 - turn_of(sitting.match).seat


def asks_back(sitting: Sitting) -> None:
    takebacks.ask(sitting.match, mover(sitting), LATER)


def agrees_back(sitting: Sitting) -> None:
    match = get_match(sitting.match)
    takebacks.agree(match.id, 1 - mover(sitting), match_log.public_head(match), LATER)


def takes_letters(sitting: Sitting) -> None:
    claimed = [number for (number,) in store.rows("SELECT id FROM outbox WHERE lease_by = 'me'")]
    recording.record(
        "me", Batch([Verdict(one, SENT, 1, LATER) for one in claimed], [], True), LATER
    )


def lends(sitting: Sitting) -> None:
    stand_ins.lend(sitting.match, 0, LATER, LATER + DAY, "sam@example.org", LATER)


def stands_in(sitting: Sitting) -> None:
    loan = loans.pending(sitting.match, 0)
    assert loan is not None
    stand_ins.accept(loan.id, id_of("sam@example.org"), LATER)


def moderates(name: str, **params: Any) -> Act:
    def act(sitting: Sitting) -> None:
        found = match_acts.ACTS[name]
        match_acts.perform(None, sitting.match, found, Params(**params), "a test", LATER)

    return act


def joins(sitting: Sitting) -> None:
    ((match,),) = store.rows("SELECT id FROM match WHERE status = 'forming'")
    joining.accept(match, 1, sitting.bob, Joining("Bob", "en", "UTC", "snow"), LATER)


# --- what was before ------------------------------------------------------------------------------


def as_it_is(sitting: Sitting) -> None:
    hand_over(NOW)


def moved(sitting: Sitting) -> None:
    as_it_is(sitting)
    seat = turn_of(sitting.match).seat
    while turn_of(sitting.match).seat == seat:
        turn, order = an_order(sitting.match, QuickDice(CHOICE))
        turns.submit(turn.id, [order], NOW)


def asked_back(sitting: Sitting) -> None:
    moved(sitting)
    takebacks.ask(sitting.match, mover(sitting), NOW)


def composed(sitting: Sitting) -> None:
    as_it_is(sitting)
    composes(sitting)


def offered(sitting: Sitting) -> None:
    as_it_is(sitting)
    matches.offer_draw(sitting.match, 0, NOW)


def over(sitting: Sitting) -> None:
    play_to_the_end(sitting.match, NOW)


def asked_again(sitting: Sitting) -> None:
    over(sitting)
    rematches.ask(sitting.match, 0, "", NOW)


def claimed(sitting: Sitting) -> None:
    assert claims.claim("me", NOW)


def lent(sitting: Sitting) -> None:
    as_it_is(sitting)
    stand_ins.lend(sitting.match, 0, LATER, LATER + DAY, "sam@example.org", NOW)


def invited(sitting: Sitting) -> None:
    matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW)


def late(sitting: Sitting) -> None:
    agree(sitting.match, per_move=HOUR, grace=HOUR, policy="claim", most_pause=0)
    as_it_is(sitting)
    days = Days(NOW)
    days.tick()
    days.passes(2 * HOUR + 600)


ACTS: dict[str, tuple[Callable[[Sitting], None], Act]] = {
    "orders sent": (as_it_is, sends),
    "a link pressed": (as_it_is, presses),
    "an order composed": (as_it_is, composes),
    "a draft undone": (composed, undoes),
    "a draw offered": (as_it_is, lambda one: matches.offer_draw(one.match, 0, LATER)),
    "a draw agreed": (offered, lambda one: matches.offer_draw(one.match, 1, LATER)),
    "resigned": (as_it_is, lambda one: matches.resign(one.match, 0, LATER)),
    "a takeback asked for": (moved, asks_back),
    "a takeback agreed": (asked_back, agrees_back),
    "a pause": (as_it_is, lambda one: pauses.pause(one.match, LATER)),
    "an absence": (
        as_it_is,
        lambda one: absences.book(one.bob, LATER + DAY, LATER + 2 * DAY, LATER),
    ),
    "links renewed": (as_it_is, lambda one: revocation.by_player(one.bob, LATER)),
    "a message": (as_it_is, lambda one: messages.say(one.match, 0, "well played", LATER)),
    "a seat lent": (as_it_is, lends),
    "a loan taken": (lent, stands_in),
    "a match made": (as_it_is, lambda one: matches.create(wanted(creator=BOB, name="Bob"), LATER)),
    "a match begun": (invited, joins),
    "a rematch asked for": (over, lambda one: rematches.ask(one.match, 0, "", LATER)),
    "a rematch begun": (asked_again, lambda one: rematches.ask(one.match, 1, "", LATER)),
    "letters taken": (claimed, takes_letters),
    "a win claimed": (late, lambda one: timeouts.claim_win(one.match, mover(one), LATE)),
    "paused by a moderator": (as_it_is, moderates("pause")),
    "rewound by a moderator": (moved, moderates("rewind", entry=0)),
    "extended by a moderator": (as_it_is, moderates("extend", seat=1, hours=2)),
    "a seat opened by a moderator": (as_it_is, moderates("open_seat", seat=1)),
    "links revoked by a moderator": (as_it_is, moderates("revoke", seat=1)),
}


@pytest.mark.whole
@pytest.mark.parametrize("name", ACTS)
def test_an_error_in_any_statement_leaves_what_was_before(
    sitting: Sitting, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, act = ACTS[name]
    prepare(sitting)
    before = everything()
    interrupter = Interrupter(monkeypatch)
    for statement in range(1, MOST_STATEMENTS):
        with interrupter.before(statement):
            act(sitting)
        now = everything()
        if interrupter.is_committed:
            break
        assert now == before, f"interrupted before statement {statement}"
    assert statement > 3, "nothing was interrupted"
    assert now != before, "nothing was done in the end"
