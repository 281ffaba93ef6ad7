"""Rehearsals: every match replayed in slices, faults named without what is hidden."""

from __future__ import annotations

import itertools

import pytest

from engine.chance import QuickDice
from pbem.db.store import execute, row, rows
from pbem.errors import Stale
from pbem.services.match import matches, turns
from pbem.services.operations import replay_check
from pbem.services.records import audit_log
from pbem.services.records.audit_log import COMMAND_LINE
from pbem.services.records.match_rows import get_match
from tests.engine.messages import reworded
from tests.services.people import NOW, Sitting, an_order, play_to_the_end, sit_down

OPAL = "opal@example.org"


def now() -> int:
    return NOW


def play(match: str, orders: int) -> None:
    choice = QuickDice(b"rehearsed")
    for _ in range(orders):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW)


def newest_snapshot() -> tuple[int, str]:
    newest = row("SELECT seq, state FROM snapshot ORDER BY seq DESC LIMIT 1")
    assert newest is not None
    return newest[0], newest[1]


def keep(seq: int, state: str) -> None:
    """Instead of the snapshot after that entry."""
    execute("UPDATE snapshot SET state = ? WHERE seq = ?", state, seq)


def rehearsed() -> replay_check.Rehearsal:
    return replay_check.go_on(replay_check.begin(COMMAND_LINE, NOW), now)


def test_matches_that_fit_are_counted(sitting: Sitting) -> None:
    play(sitting.match, 8)
    rehearsal_ = rehearsed()

    entries = get_match(sitting.match).head_seq + 1
    assert rehearsal_[3:] == (NOW, replay_check.version(), sitting.match, 1, 1, entries, 0, ())
    assert "iron_curtain 1" in replay_check.version()


def test_an_order_that_is_not_allowed_any_more_is_named_by_number(sitting: Sitting) -> None:
    play(sitting.match, 8)
    execute("UPDATE entry SET text = 'zzsecret' WHERE seq = 3")
    done = rehearsed()

    assert done.found == ((sitting.match, 3, "refused"),)
    assert str(done.found[0]) == f"match {sitting.match}: entry 3 is not allowed by these rules"
    assert "zzsecret" not in repr(rows("SELECT * FROM rehearsal"))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET at = at + 1 WHERE seq = 3",
        "UPDATE entry SET result = 'usa' WHERE seq = 3",
        "UPDATE entry SET hash = '' WHERE seq = 3",
    ],
)
def test_an_entry_that_was_changed_in_the_store_is_named(sitting: Sitting, change: str) -> None:
    play(sitting.match, 8)
    execute(change)
    assert rehearsed().found == ((sitting.match, 3, "changed"),)


def test_a_setup_or_a_head_that_was_changed_in_the_store_is_named(sitting: Sitting) -> None:
    play(sitting.match, 3)
    execute("UPDATE match SET head = ''")
    assert rehearsed().found == ((sitting.match, get_match(sitting.match).head_seq, "changed"),)
    execute("UPDATE match SET setup = ?", '{"edition":"en"}')
    assert rehearsed().found == ((sitting.match, 0, "changed"),)


def test_a_state_that_is_not_the_kept_one_is_noticed(sitting: Sitting) -> None:
    play(sitting.match, 8)
    seq, state = newest_snapshot()
    changed = state.replace('"round":1', '"round":2')
    assert changed != state
    keep(seq, changed)
    assert rehearsed().found == ((sitting.match, seq, "differs"),)
    keep(seq, reworded(changed))
    assert rehearsed().found == ((sitting.match, seq, "differs"),)
    keep(seq, "{}")
    assert rehearsed().found == ((sitting.match, seq, "differs"),), "it cannot be read"


def test_a_state_kept_in_other_words_is_the_same(sitting: Sitting) -> None:
    play(sitting.match, 8)
    seq, state = newest_snapshot()
    assert reworded(state) != state
    keep(seq, reworded(state))
    assert rehearsed().found == ()


@pytest.mark.parametrize("given_up", [True, False])
def test_one_that_is_over_is_the_same_in_other_words(sitting: Sitting, given_up: bool) -> None:
    if given_up:
        matches.resign(sitting.match, 0, NOW)
    else:
        play_to_the_end(sitting.match, NOW)
    seq, state = newest_snapshot()
    keep(seq, reworded(state))
    assert rehearsed().found == ()


def test_a_changed_version_and_broken_rules_are_told_apart(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sit_down(NOW).match, sit_down(NOW).match
    execute("UPDATE match SET rules_version = 99 WHERE id = ?", first)
    play(second, 1)
    game = type(get_match(second).game)

    def fail(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr(game, "apply", fail)

    assert set(rehearsed().found) == {(first, 0, "changed"), (second, 1, "broken")}


def test_it_goes_on_in_slices_and_ends(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sat_down = sorted(sit_down(NOW).match for _ in range(5))
    monkeypatch.setattr(replay_check, "AT_ONCE", 2)
    number = replay_check.wish(OPAL, NOW)
    seen = []
    for _ in range(3):
        replay_check.go_on(number, now, patience=0, stopwatch=itertools.count().__next__)
        seen.append(replay_check.get(number))

    assert [one.matches for one in seen] == [2, 4, 5]
    assert [one.upto for one in seen] == [sat_down[1], sat_down[3], sat_down[4]]
    assert [one.ended_at for one in seen] == [None, None, NOW]
    assert replay_check.wished() is None


def test_two_workers_at_once_count_each_match_once(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit_down(NOW), sit_down(NOW)
    number = replay_check.wish(OPAL, NOW)
    before = replay_check.get(number)
    replay_check.go_on(number, now)

    assert replay_check._slice(before, now) is False, "somebody else was faster"
    assert replay_check.get(number).matches == 2


def test_after_an_upgrade_it_begins_anew(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sit_down(NOW), sit_down(NOW)
    monkeypatch.setattr(replay_check, "AT_ONCE", 1)
    number = replay_check.wish(OPAL, NOW)
    replay_check.go_on(number, now, patience=0, stopwatch=itertools.count().__next__)
    monkeypatch.setattr(replay_check, "version", lambda: "pbem 9")
    done = replay_check.go_on(number, now)

    assert (done.version, done.matches, done.ended_at) == ("pbem 9", 2, NOW)


def test_a_wish_is_entered_and_there_is_one_at_a_time(stored: str) -> None:
    replay_check.begin(COMMAND_LINE, NOW)  # the command looks after its own
    replay_check.work_on_wishes(now)
    assert replay_check.newest(1)[0].ended_at is None
    replay_check.wish(OPAL, NOW)
    with pytest.raises(Stale, match="already running"):
        replay_check.wish(OPAL, NOW)
    replay_check.work_on_wishes(now)

    assert replay_check.newest(1)[0].ended_at == NOW
    assert [entry.act for entry in audit_log.newest(5)] == ["rehearse"]


def test_only_the_first_faults_are_kept(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        sit_down(NOW)
    for (match,) in rows("SELECT id FROM match"):
        execute("UPDATE match SET rules_version = 99 WHERE id = ?", match)
    monkeypatch.setattr(replay_check, "MOST_FOUND", 2)
    done = rehearsed()

    assert (done.faults, len(done.found)) == (3, 2)
