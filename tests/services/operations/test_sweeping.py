"""What strangers begin and never confirm is dropped; whatever somebody has confirmed stays."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.db import models, store
from pbem.db.store import execute, rows
from pbem.links import ReportLink
from pbem.services.match import joining, matches
from pbem.services.operations import health, sweeping
from pbem.services.operations.sweeping import KEEP_MATCHES, KEEP_PLAYERS
from pbem.services.players import accounts
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import player_at
from pbem.services.seats import stand_ins
from pbem.services.self_service import reports, sign_up
from pbem.services.staff import moderators
from tests.services.people import ANN, ASKER, BOB, DAY, EVE, NOW, Sitting, id_of, wanted

LATER = NOW + KEEP_PLAYERS + DAY


def counts() -> dict[str, int]:
    """How many rows each table has; the counts of limits are pruned by themselves."""
    tables = [model._meta.table_name for model in models.TABLES if model is not models.Tally]
    return {name: int(rows(f"SELECT COUNT(*) FROM {name}")[0][0]) for name in tables}


def arrived() -> None:
    """All letters so far have left."""
    execute("UPDATE outbox SET state = 'sent', sent_at = ?", NOW)


def newest_player() -> None:
    """Somebody comes later, so that the rows before are not the newest."""
    accounts.known_or_new("last@example.org", LATER)


def test_what_strangers_began_is_dropped_with_all_that_hangs_on_it(sitting: Sitting) -> None:
    before = counts()
    for number in range(5):
        mail, guest = f"x{number}@example.org", f"guest{number}@example.org"
        assert sign_up.start(
            wanted(creator=mail, addresses={"usa": mail, "ussr": guest}), ASKER, NOW
        )
    assert counts()["match"] == before["match"] + 5
    assert counts()["player"] == before["player"] + 10
    arrived()
    newest_player()

    health.prune(NOW + KEEP_MATCHES - 1)
    assert counts()["match"] == before["match"] + 5
    health.prune(NOW + KEEP_MATCHES)
    assert counts()["match"] == before["match"]
    assert counts()["player"] == before["player"] + 10 + 1, "their links may still be pressed"
    health.prune(LATER)

    assert counts() == {**before, "player": before["player"] + 1}
    health.prune(LATER)
    assert get_match(sitting.match).status == "live"


def test_whoever_asked_for_an_open_seat_is_forgotten_in_time(stored: str) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    sign_up.ask_to_join(match, EVE, "en", NOW + DAY)
    arrived()
    newest_player()

    health.prune(NOW + KEEP_PLAYERS)
    assert player_at(EVE) is not None, "the letter is not that old"
    health.prune(LATER + DAY)
    assert player_at(EVE) is None
    assert get_match(match).status == "forming", "its host has confirmed it"


def test_the_newest_number_is_given_to_nobody_else(stored: str) -> None:
    accounts.known_or_new(EVE, NOW)
    health.prune(LATER)

    assert player_at(EVE) is not None


@pytest.mark.parametrize("what", ["report", "loan", "moderator", "waiting", "banned", "confirmed"])
def test_what_has_a_reason_stays(sitting: Sitting, what: str) -> None:
    eve = accounts.known_or_new(EVE, NOW)
    if what == "report":
        link = ReportLink(eve.id, "invitation", NOW)
        reports.make(link, reports.targets(link)[0].key, "Who is this?", NOW)
    elif what == "loan":
        stand_ins.give_up(sitting.match, 1, EVE, NOW)
    elif what == "moderator":
        moderators.add(EVE, "moderator", "Eve", NOW)
    elif what == "waiting":
        accounts.owe_own_page(eve, NOW)
    elif what == "banned":
        execute("UPDATE player SET banned_at = ? WHERE id = ?", NOW, eve.id)
    else:
        accounts.confirm(eve.id, NOW)
    if what != "waiting":
        arrived()
    newest_player()
    health.prune(LATER)

    assert player_at(EVE) is not None


def test_a_match_that_is_reported_stays(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    link = ReportLink(id_of(ANN), "confirm", NOW, match)
    reports.make(link, reports.targets(link)[0].key, "I did not start this.", NOW)
    arrived()
    newest_player()
    health.prune(LATER)

    assert get_match(match).id == match
    assert player_at(BOB) is not None


def test_many_are_dropped_in_one_go(stored: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.services.operations.sweeping.AT_ONCE", 2)
    for number in range(5):
        accounts.known_or_new(f"x{number}@example.org", NOW)
    newest_player()
    health.prune(LATER)

    assert counts()["player"] == 1


def test_no_letter_is_looked_for_in_all_of_the_outbox(
    sqlite_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That took 40 ms for each match, in one transaction that all others had to wait for."""
    store.open_database(sqlite_store)
    deletes, ask = list[tuple[str, Any]](), store.database.obj.execute_sql

    def noted(sql: str, params: Any = None) -> Any:
        if sql.startswith("DELETE"):
            deletes.append((sql, params))
        return ask(sql, params)

    monkeypatch.setattr(store.database.obj, "execute_sql", noted)
    with store.connected():
        matches.create(wanted(), NOW)
        arrived()
        newest_player()
        sweeping.sweep(LATER)
        plans = [str(rows(f"EXPLAIN QUERY PLAN {sql}", *params)) for sql, params in deletes]

    assert len(deletes) > 6
    assert [plan for plan in plans if "SCAN" in plan] == []
