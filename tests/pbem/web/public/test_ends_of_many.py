"""A match of two, three or four, however it ends: its page, feed, JSON, file and both checks.

While it is played: the calendar, absences, a seat lent, the replay check and new rules adopted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import feedparser
import pytest
from flask.testing import FlaskClient

from engine.audit import audit
from engine.replay import AuditError, read_match
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused
from pbem.links import Links
from pbem.services.match import matches, timeouts, turns
from pbem.services.moderation import match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS
from pbem.services.operations import adoption, replay_check
from pbem.services.records.match_rows import LIVE, OVER, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from pbem.services.time import absences
from tests.pbem.visiting import NOW
from tests.pbem.web.public.test_calendar import Reader
from tests.pbem.web.public.test_forgeries import rehashed
from tests.pbem.web.public.test_verify_match import RIGHT, run
from tests.services.people import id_of, turn_of
from tests.services.powers import UK, USA, USSR, WE, address_of, four_people, people_at_powers
from tests.services.waiting import hand_over, kinds, newest_letter

WEST = {2: "nato", 3: "we-uk usa", 4: "we uk usa"}
"""The seats of NATO, by the number of people."""


def surrender(match: str) -> None:
    turns.submit(turn_of(match).id, ["surrender"], NOW)


def draw(match: str) -> None:
    for seat in get_match(match).seats:
        matches.offer_draw(match, seat.number, NOW)


def resign(match: str) -> None:
    matches.resign(match, USSR, NOW)


def resign_all(match: str) -> None:
    """Every power of NATO gives up in turn; each time an ally goes on, as long as there is one."""
    while get_match(match).status == LIVE:
        last = get_match(match).seats[-1]
        own = [s.number for s in get_match(match).seats[1:] if s.player != last.player]
        matches.resign(match, own[0] if own else last.number, NOW)


def decide(match: str) -> None:
    params = Params(result=get_match(match).seats[-1].name)
    match_acts.perform(None, match, ACTS["adjudicate"], params, "the USSR asked for it", NOW)


def decide_draw(match: str) -> None:
    match_acts.perform(None, match, ACTS["adjudicate"], Params(result="draw"), "as all wish", NOW)


class End(NamedTuple):
    how: Callable[[str], None]
    wins: str
    """west, ussr or nobody."""
    reason: str


ENDS = {
    "victory": End(surrender, "west", "rules"),
    "draw": End(draw, "nobody", "agreement"),
    "resignation": End(resign, "west", "resignation"),
    "resignation of all allies": End(resign_all, "ussr", "resignation"),
    "decision": End(decide, "west", "moderator"),
    "decided draw": End(decide_draw, "nobody", "moderator"),
}


def begun(count: int) -> str:
    """Some orders were given, so that there is something to check."""
    match = people_at_powers(count, phrases=("red", "blue", "", "white"))
    turns.submit(turn_of(match).id, ["done"], NOW)
    return match


def forfeit(match: str) -> None:
    """Of two, who lets time run out has lost it."""
    with store.writing():
        timeouts.forfeit(get_match(match), turn_of(match), NOW)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("end", ENDS.values(), ids=list(ENDS))
def test_an_end_is_shown_and_can_be_checked(
    client: FlaskClient, tmp_path: Path, count: int, end: End
) -> None:
    with store.connected():
        match = begun(count)
        end.how(match)
    check_end(client, tmp_path, match, end, count)


def test_time_that_ran_out_is_shown_and_can_be_checked(client: FlaskClient, tmp_path: Path) -> None:
    with store.connected():
        match = begun(2)
        forfeit(match)
    check_end(client, tmp_path, match, End(forfeit, "west", "time"), 2)


def check_end(client: FlaskClient, tmp_path: Path, match: str, end: End, count: int) -> None:
    result = {"west": WEST[count], "ussr": "ussr", "nobody": "draw"}[end.wins]
    with store.connected():
        record = get_match(match)
        assert (record.status, record.result) == (OVER, result)
        assert replay_check.replayed(record).fault is None
    page = client.get(f"/match/{match}").text
    assert ("a draw" if end.wins == "nobody" else " won.") in page
    found = feedparser.parse(client.get(f"/match/{match}/feed.atom").data)
    assert not found.bozo
    shown = client.get(f"/api/v1/match/{match}").json
    assert shown is not None
    assert (shown["status"], shown["result"]) == (OVER, result)
    file = client.get(f"/match/{match}/download").data
    assert (read_match(file).result, read_match(file).reason) == (result, end.reason)
    assert audit(read_match(file))
    assert RIGHT in verified(file, tmp_path)


def verified(file: bytes, folder: Path) -> str:
    """What the program says that players download."""
    (folder / "match.json").write_bytes(file)
    done = run(folder / "match.json", folder)
    return done.stdout + done.stderr


@pytest.mark.parametrize("verdict", ["we we", "we  uk", "we france", "draw we"])
def test_a_forged_decision_is_seen_by_both(
    client: FlaskClient, tmp_path: Path, verdict: str
) -> None:
    with store.connected():
        match = begun(4)
        decide(match)
    document = json.loads(client.get(f"/match/{match}/download").data)
    document["entries"][-1] |= {"text": f"result {verdict}", "result": verdict}
    forged = json.dumps(rehashed({**document, "result": verdict})).encode()
    with pytest.raises(AuditError, match="is no result"):
        audit(read_match(forged))
    assert "is no result" in verified(forged, tmp_path)


# --- while it is played ---------------------------------------------------------------------------


@pytest.fixture
def four(client: FlaskClient) -> str:
    with store.connected():
        match = four_people()
        hand_over(NOW)
    return match


def person(power: str) -> int:
    return id_of(address_of(power))


def test_a_calendar_has_the_turn_of_its_reader_and_of_nobody_else(
    client: FlaskClient, links: Links, four: str
) -> None:
    with store.connected():
        readers = {
            power: Reader(client, links, person(power), get_player(person(power)).epoch)
            for power in ("ussr", "we")
        }
    assert [event.summary for event in readers["ussr"].read().values()] == [
        "East & West: your turn as USSR ends",
        "East & West: the grace period for your turn as USSR ends",
    ]
    assert readers["we"].read() == {}


def test_an_absence_stops_the_clock_of_one_and_is_told_to_the_other_three(four: str) -> None:
    with store.connected():
        before = turn_of(four).deadline_at
        last = newest_letter()
        absences.book(person("ussr"), NOW + DAY, NOW + 6 * DAY, NOW)
        assert turn_of(four).deadline_at == before + 5 * DAY
        assert kinds(last) == ["away"] * 3
        absences.book(person("we"), NOW + DAY, NOW + 6 * DAY, NOW)
        assert turn_of(four).deadline_at == before + 5 * DAY


def test_a_power_is_lent_and_comes_back(four: str) -> None:
    with store.connected():
        loan = stand_ins.lend(four, USSR, NOW + HOUR, NOW + 3 * DAY, "eve@example.org", NOW)
        stand_ins.accept(loan, id_of("eve@example.org"), NOW)
        stand_ins.change_over(loan, NOW + HOUR)
        assert get_match(four).seat(USSR).player == id_of("eve@example.org")
        with pytest.raises(Refused, match="only the seat's owner can"):
            matches.resign(four, USSR, NOW + HOUR)
        turns.submit(turn_of(four).id, ["done"], NOW + HOUR)
        stand_ins.change_over(loan, NOW + 3 * DAY)
        assert get_match(four).seat(USSR).player == person("ussr")
        assert [get_match(four).seat(n).player for n in (WE, UK, USA)] == [
            person(power) for power in ("we", "uk", "usa")
        ]


def test_nobody_stands_in_for_the_other_side(four: str) -> None:
    """An ally, or the enemy, who is named gets no letter, and nobody is told why."""
    with store.connected():
        last = newest_letter()
        stand_ins.lend(four, USSR, NOW + HOUR, NOW + DAY, address_of("we"), NOW)
        assert kinds(last) == []


@pytest.mark.parametrize("how", ["go-on", "pause"])
def test_new_rules_are_adopted_for_a_match_of_many(four: str, how: adoption.How) -> None:
    with store.connected():
        turns.submit(turn_of(four).id, ["done"], NOW)
        store.execute("UPDATE match SET adopted_version = 99")
        assert adoption.adopt_all(how, NOW).total() == 1
        record = get_match(four)
        assert not record.is_outdated
        assert replay_check.replayed(record).fault is None
        if record.paused_at is None:
            turns.submit(turn_of(four).id, ["done"], NOW)


def test_the_page_the_feed_and_the_json_show_four_sides(client: FlaskClient, four: str) -> None:
    shown = client.get(f"/api/v1/match/{four}").json
    assert shown is not None
    assert [seat["seat"] for seat in shown["seats"]] == ["ussr", "we", "uk", "usa"]
    page = client.get(f"/match/{four}").text
    for name in ("Ann", "Bob", "Cy", "Dee"):
        assert name in page
    assert not feedparser.parse(client.get(f"/match/{four}/feed.atom").data).bozo
