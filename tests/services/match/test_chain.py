"""The entries of a match are chained by hash, and what is hidden does not show in the head."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from playhouse.migrations import Runner

from engine.audit import audit
from engine.log import chained, short
from engine.replay import AuditError, read_match, write_match
from pbem.db import store
from pbem.services.match import joining, match_log, matches, timeouts, turns
from pbem.services.match.matches import Wanted
from pbem.services.moderation import act_targets, match_acts
from pbem.services.records.match_rows import get_match, locked
from tests.services.people import ANN, BOB, NOW, Sitting, play_to_the_end, turn_of


def exported(match: str) -> list[str]:
    """The hashes of a finished match, after its file was found right."""
    file = read_match(write_match(match_log.export(get_match(match))))
    audit(file)
    return [entry.hash for entry in file.entries]


def a_chequered_match(sitting: Sitting) -> None:
    """Played to the end, taken back, with something said in advance, and given up.

    Earlier versions took a finished match back; such logs, in which that end does not call itself
    one, are still to be read.
    """
    play_to_the_end(sitting.match, NOW)
    store.execute("UPDATE match SET status = 'live', ended_at = NULL, result = NULL")
    turns.rewind(sitting.match, 6, turns.MODERATOR, NOW + 500)
    Runner(store.database.obj, str(store.MIGRATIONS)).down("0009_chain")
    store.migrate()
    turns.give_any_time(sitting.match, 0, "standing all never", NOW + 501)
    matches.resign(sitting.match, 1, NOW + 502)


def test_every_entry_is_bound_to_the_one_before_it(sitting: Sitting) -> None:
    a_chequered_match(sitting)
    hashes = exported(sitting.match)

    assert len(set(hashes)) == len(hashes)
    assert get_match(sitting.match).head == hashes[-1]


def test_entries_from_before_the_chain_are_chained_as_they_would_have_been(
    sitting: Sitting,
) -> None:
    a_chequered_match(sitting)
    other = matches.create(Wanted("iron_curtain", {}, 86_400, {"usa": ANN, "ussr": BOB}), NOW)
    joining.accept(other, 0, sitting.ann, joining.Joining("Ann", "en", "UTC", ""), NOW)
    hashes, heads = exported(sitting.match), store.rows("SELECT id, head FROM match ORDER BY id")
    results = store.rows("SELECT seq, result FROM entry WHERE result <> '' ORDER BY seq")

    Runner(store.database.obj, str(store.MIGRATIONS)).down("0009_chain")
    assert "0009_chain" in store.migrate()

    assert store.rows("SELECT id, head FROM match WHERE head = ''") == [(other, "")]
    kept = store.rows("SELECT seq, result FROM entry WHERE result <> '' ORDER BY seq")
    assert kept == results[-1:], "an end that was taken back is no longer known"
    assert len(exported(sitting.match)) == len(hashes)
    assert len(heads) == 2


def test_old_entries_get_the_very_same_hashes(sitting: Sitting) -> None:
    play_to_the_end(sitting.match, NOW)
    hashes = exported(sitting.match)

    Runner(store.database.obj, str(store.MIGRATIONS)).down("0009_chain")
    store.migrate()

    assert exported(sitting.match) == hashes


def test_a_finished_match_can_still_be_looked_at_where_it_was_taken_back(
    sitting: Sitting,
) -> None:
    a_chequered_match(sitting)
    match = get_match(sitting.match)
    (back,) = [entry.seq for entry in match_log.entries(match.id) if entry.kind == "rewind"]
    store.execute("DELETE FROM snapshot")

    assert match_log.state_at(match, back) == match_log.state_at(match, 6)


def test_a_changed_entry_in_the_store_is_named_by_the_audit(sitting: Sitting) -> None:
    play_to_the_end(sitting.match, NOW)
    store.execute("UPDATE entry SET at = at + 1 WHERE seq = 4")

    with pytest.raises(AuditError, match="entry 4: its hash does not fit what it says"):
        exported(sitting.match)


def test_a_move_asks_the_store_nothing_more_for_its_hash(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, asked, ask = turn_of(sitting.match).id, list[str](), store._ask

    def noted(sql: str, params: tuple[Any, ...]) -> Any:
        asked.append(sql)
        return ask(sql, params)

    monkeypatch.setattr(store, "_ask", noted)
    turns.submit(turn, ["first usa"], NOW)

    assert len([sql for sql in asked if sql.startswith("UPDATE match")]) == 1
    assert not [sql for sql in asked if sql.startswith("SELECT") and " entry" in sql]


@pytest.mark.parametrize("reason", ["resignation", "agreement", "time", "moderator"])
def test_each_way_to_end_a_match_is_in_its_file(sitting: Sitting, reason: str) -> None:
    match = sitting.match
    if reason == "resignation":
        matches.resign(match, 0, NOW)
    elif reason == "agreement":
        matches.offer_draw(match, 0, NOW)
        matches.offer_draw(match, 1, NOW)
    elif reason == "time":
        with locked(match):
            timeouts.forfeit(get_match(match), turn_of(match), NOW)
    else:
        act = match_acts.ACTS["adjudicate"]
        with store.writing():
            act.do(get_match(match), act_targets.Params(result="usa"), NOW)
    file = match_log.export(get_match(match))

    assert audit(file)
    assert file.reason == reason
    assert file.result == {"agreement": "draw", "time": "usa", "moderator": "usa"}.get(
        reason, "ussr"
    )


# --- the head that everybody may see -------------------------------------------------------------


def test_what_is_said_in_advance_does_not_move_the_public_head(sitting: Sitting) -> None:
    match = sitting.match
    before = match_log.public_head(get_match(match))
    turns.give_any_time(match, 0, "standing all never", NOW + 1)
    held = get_match(match)

    assert short(held.head) != before
    assert match_log.public_head(held) == match_log.public_head(held, held.head_seq) == before
    turns.submit(turn_of(match).id, ["first usa"], NOW + 2)
    after = get_match(match)
    assert match_log.public_head(after) == short(after.head), "now it covers what was said"


def test_nobody_without_the_secret_can_try_which_order_a_hash_stands_for(
    sitting: Sitting,
) -> None:
    """A standing order is one of few; its hash must not tell which."""
    match = sitting.match
    turns.give_any_time(match, 0, "standing all never", NOW + 1)
    record = get_match(match)
    deal, order = match_log.entries(match)

    assert chained(match_log.key_of(record), match, deal.hash, [order]) == (order,)
    guessed = match_log.key_of(replace(record, secret="00" * 32))
    assert chained(guessed, match, deal.hash, [order]) != (order,)
