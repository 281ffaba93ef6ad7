"""What became of letters, written into their rows; and when what was written of them is wiped."""

from __future__ import annotations

from pbem.db.models import Outbox
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.services.letters.claims import hold_readers, mark_sent
from pbem.services.letters.leases import give_back, ours
from pbem.services.letters.verdicts import GIVE_UP, Batch, Verdict
from pbem.services.records.letter_queue import DEAD, QUEUED, SENT, SUPERSEDED
from pbem.services.seats import unreachable
from pbem.services.time import clocks, stalled_turns

KEEP_DEAD = 7 * DAY


def record(worker: str, batch: Batch, now: int) -> None:
    """Write down what happened, in one short transaction; untried letters are given back."""
    sent = [verdict.id for verdict in batch.verdicts if verdict.state == SENT]
    rest = [verdict for verdict in batch.verdicts if verdict.state != SENT]
    with writing():
        _hold([verdict.id for verdict in batch.verdicts])
        if sent:
            mark_sent(sent, now)
            clocks.start_of_letters(sent, now)
            unreachable.note_taken(sent, now)
        give_back(worker, batch.untried)
        for verdict in rest:
            _set_aside(worker, verdict)
        held = [verdict.id for verdict in rest if verdict.stream]
        if held:  # whoever sleeps loses no time to others, and gains none
            clocks.start_of_letters(held, now)
        unreachable.note_refused([one.id for one in rest if one.is_unreachable], now)
        stalled_turns.after_letters([one.id for one in rest if one.state != QUEUED], now)


def _hold(letters: list[int]) -> None:
    """Clocks of matches may start, and readers be reached again or not."""
    clocks.hold_waiting_matches(letters)
    hold_readers(letters)


def _set_aside(worker: str, verdict: Verdict) -> None:
    wiped = {"mime": None} if verdict.state == SUPERSEDED else {}
    moved = {"stream": verdict.stream} if verdict.stream else {}
    Outbox.update(
        state=verdict.state,
        attempts=verdict.attempts,
        refusals=verdict.refusals,
        next_at=verdict.next_at,
        last_error=verdict.error[:200],
        **wiped,
        **moved,
    ).where(Outbox.id == verdict.id, ours(worker)).execute()


def prune(now: int) -> int:
    """Wipe the bytes of letters that were given up a while ago; how many."""
    with writing():
        wiped: int = (
            Outbox.update(mime=None)
            .where(
                Outbox.mime.is_null(False),
                Outbox.state == DEAD,
                Outbox.created_at <= now - KEEP_DEAD - GIVE_UP,
            )
            .execute()
        )
        return wiped
