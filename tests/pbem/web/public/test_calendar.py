"""A player's calendar: strictly written, under stable ids, without anything that others own."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient
from ical.calendar_stream import IcsCalendarStream
from ical.event import Event
from ical.exceptions import CalendarParseError

from pbem.db import store
from pbem.deadlines import DAY, HOUR, Clock
from pbem.links import Links, YouLink
from pbem.services.match import joining, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.players import accounts
from pbem.services.records import epochs
from pbem.services.records.match_rows import TurnRecord
from pbem.services.time import absences, clocks, pauses
from pbem.web.public import feeds
from tests.pbem.table import Table, canary_deck, tampered
from tests.pbem.visiting import Clock as Wall
from tests.pbem.visiting import everything
from tests.services.people import ANN, BOB, NOW, id_of, sit_down, turn_of, wanted

LONGEST_LINE = 75
NEEDED = {"VCALENDAR": {"VERSION", "PRODID"}, "VEVENT": {"UID", "DTSTAMP", "DTSTART", "SUMMARY"}}


class Reader:
    """A calendar program that follows one player's address, and takes nothing but the standard."""

    def __init__(self, client: FlaskClient, links: Links, player: int, epoch: int = NOW) -> None:
        self.client = client
        self.path = f"/calendar/{links.sign('calendar', YouLink(player, epoch))}.ics"

    def read(self) -> dict[str, Event]:
        """The events by their ids."""
        answer = self.client.get(self.path)
        assert answer.status_code == 200
        assert answer.content_type == "text/calendar; charset=utf-8"
        check_lines(answer.data)
        events = IcsCalendarStream.calendar_from_ics(answer.text).events
        found = {str(event.uid): event for event in events}
        assert len(found) == len(events)
        return found


def check_lines(document: bytes) -> None:
    """What the parser would overlook: ends of lines, their length, what must be there once."""
    assert document.endswith(b"\r\n")
    lines = document.split(b"\r\n")[:-1]
    assert all(b"\n" not in line and b"\r" not in line for line in lines)
    assert max(len(line) for line in lines) <= LONGEST_LINE
    unfolded = document.decode().replace("\r\n ", "")
    for block, needed in NEEDED.items():
        for part in re.findall(f"BEGIN:{block}\r\n(.*?)\r\n(?:BEGIN|END):", unfolded, re.DOTALL):
            names = Counter(re.split("[:;]", line)[0] for line in part.split("\r\n"))
            assert needed <= names.keys(), part
            assert {names[name] for name in needed} == {1}


def at(event: Event) -> int:
    assert isinstance(event.dtstart, datetime) and event.dtstart.tzinfo is UTC
    return int(event.dtstart.timestamp())


def running(match: str, now: int = NOW) -> TurnRecord:
    with store.connected():
        clocks.start(turn_of(match).id, now)
        return turn_of(match)


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    """Bob is asked, and his clock runs."""
    table = Table(client, links)
    running(table.id)
    return table


@pytest.fixture
def bob(table: Table, links: Links) -> Reader:
    player = table.match.seat(1).player
    assert player is not None
    return Reader(table.client, links, player)


# --- what is in it -------------------------------------------------------------------------------


def test_a_turn_has_its_deadline_and_the_end_of_its_grace(table: Table, bob: Reader) -> None:
    found = bob.read()
    turn = table.turn

    assert {uid: at(event) for uid, event in found.items()} == {
        f"turn-{turn.id}@127.0.0.1": turn.deadline_at,
        f"grace-{turn.id}@127.0.0.1": turn.deadline_at + DAY,
    }
    for event in found.values():
        assert event.dtend is None and event.duration is None, "an instant, not a time"
        assert str(event.url) == f"http://127.0.0.1:8000/match/{table.id}"
        assert event.sequence == 0
        assert event.dtstamp == datetime.fromtimestamp(NOW, UTC)
        assert event.last_modified == datetime.fromtimestamp(NOW, UTC)


def test_it_speaks_the_language_of_the_player(table: Table, bob: Reader, links: Links) -> None:
    titles = {event.summary for event in bob.read().values()}
    assert all(title and "Eiserner Vorhang" in title and "UdSSR" in title for title in titles)

    with store.connected():
        accounts.change(id_of(BOB), language="en")
    assert {event.summary for event in bob.read().values()} == {
        "Iron Curtain: your turn as USSR ends",
        "Iron Curtain: the grace period for your turn as USSR ends",
    }


def test_who_is_late_reads_so(table: Table, bob: Reader, clock: Wall) -> None:
    with store.connected():
        accounts.change(id_of(BOB), language="en")
    clock.now = table.turn.deadline_at
    found = bob.read()

    assert found[f"turn-{table.turn.id}@127.0.0.1"].summary == (
        "Iron Curtain: your turn as USSR is overdue"
    )


def test_who_is_not_asked_has_nothing(table: Table, links: Links) -> None:
    assert Reader(table.client, links, id_of(ANN)).read() == {}


def test_a_clock_that_does_not_run_has_no_deadline(
    client: FlaskClient, links: Links, clock: Wall
) -> None:
    table = Table(client, links)
    reader = Reader(client, links, id_of(BOB))
    assert reader.read() == {}, "its letter has not left"

    running(table.id)
    assert len(reader.read()) == 2
    with store.connected():
        pauses.pause(table.id, NOW)
    assert reader.read() == {}, "the match is paused"

    clock.now += DAY
    with store.connected():
        pauses.resume(table.id, clock.now)
    assert at(reader.read()[f"turn-{table.turn.id}@127.0.0.1"]) == NOW + 4 * DAY

    with store.connected():
        matches.resign(table.id, 0, clock.now)
    assert reader.read() == {}, "the match is over"


def test_without_grace_there_is_no_end_of_it(client: FlaskClient, links: Links) -> None:
    with store.connected():
        match = matches.create(wanted(clock=Clock(grace=0)), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    turn = running(match)

    assert list(Reader(client, links, id_of(BOB)).read()) == [f"turn-{turn.id}@127.0.0.1"]


def test_turns_of_the_past_are_gone(table: Table, bob: Reader) -> None:
    before = bob.read()
    with store.connected():
        turns.submit(table.turn.id, ["first usa"], NOW + HOUR)

    assert before
    assert bob.read() == {}


def test_booked_absences_are_in_it_and_others_are_not(
    table: Table, bob: Reader, clock: Wall
) -> None:
    with store.connected():
        absences.book(id_of(BOB), NOW + 20 * DAY, NOW + 25 * DAY, NOW)
        absences.book(id_of(BOB), NOW + 9 * DAY, NOW + 10 * DAY, NOW)
        store.execute(
            "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
            " VALUES (?, ?, ?, ?, ?)",
            id_of(BOB),
            NOW,
            NOW + DAY,
            True,
            NOW,
        )
        ((first,), (second,), _) = store.rows("SELECT id FROM absence ORDER BY id")
    away = {uid: e for uid, e in bob.read().items() if uid.startswith("absence")}

    assert away.keys() == {f"absence-{first}@127.0.0.1", f"absence-{second}@127.0.0.1"}
    longer = away[f"absence-{first}@127.0.0.1"]
    assert longer.dtend == datetime.fromtimestamp(NOW + 25 * DAY, UTC)
    assert at(longer) == NOW + 20 * DAY

    clock.now += 10 * DAY
    assert f"absence-{second}@127.0.0.1" not in bob.read(), "it is over"
    with store.connected():
        absences.cancel(first, id_of(BOB), clock.now)
    assert not [uid for uid in bob.read() if uid.startswith("absence")]


# --- moving --------------------------------------------------------------------------------------


def test_a_moved_deadline_moves_the_events_and_adds_none(table: Table, bob: Reader) -> None:
    before = bob.read()
    sequences = [{e.sequence for e in before.values()}]
    for more in (6 * HOUR, DAY, 90):
        deadline = table.turn.deadline_at
        with store.connected():
            clocks.give_time(table.turn.id, more, NOW)
        assert table.turn.deadline_at == deadline + more
        after = bob.read()
        assert after.keys() == before.keys()
        for uid, event in after.items():
            assert at(event) == at(before[uid]) + more
        before = after
        sequences.append({e.sequence for e in after.values()})

    assert all(len(one) == 1 for one in sequences)
    numbers = [number or 0 for one in sequences for number in one]
    assert numbers == sorted(set(numbers)), "each move outranks the one before"


def test_a_vacation_moves_the_deadline_of_its_time(table: Table, bob: Reader) -> None:
    before = bob.read()
    with store.connected():
        absences.book(id_of(BOB), NOW + DAY, NOW + 3 * DAY, NOW)
    after = bob.read()

    turn = f"turn-{table.turn.id}@127.0.0.1"
    assert at(after[turn]) == at(before[turn]) + 2 * DAY
    assert len(after) == len(before) + 1


# --- whose it is ---------------------------------------------------------------------------------


def test_everybody_sees_only_their_own(client: FlaskClient, links: Links) -> None:
    with store.connected():
        first, second = sit_down(NOW), sit_down(NOW)
        ours, others = running(first.match), running(second.match)
        absences.book(first.ann, NOW + DAY, NOW + 2 * DAY, NOW)
        store.execute(
            "UPDATE seat SET player_id = ? WHERE match_id = ? AND number = 1",
            accounts.known_or_new("eve@example.org", NOW).id,
            second.match,
        )
    ann = Reader(client, links, first.ann).read()
    bob = Reader(client, links, first.bob).read()
    eve = Reader(client, links, id_of("eve@example.org")).read()

    assert [uid.split("-")[0] for uid in ann] == ["absence"]
    assert {uid.split("@")[0] for uid in bob} == {f"turn-{ours.id}", f"grace-{ours.id}"}
    assert {uid.split("@")[0] for uid in eve} == {f"turn-{others.id}", f"grace-{others.id}"}


def test_it_lets_nobody_move_and_names_no_card(client: FlaskClient, links: Links) -> None:
    """A calendar is shown to colleagues."""
    table = Table(client, links, {"deck": canary_deck()})
    running(table.id)
    document = client.get(Reader(client, links, id_of(BOB)).path).text

    assert "canary" not in document.lower()
    assert not re.search("/(t|o|seat|you|calendar)/", document)
    assert BOB not in document
    assert table.match.secret not in document


def test_no_words_break_out_of_their_line(table: Table, bob: Reader) -> None:
    odd = "Zürich, Köln; C:\\n “日本” " * 9 + "\nEND:VEVENT\nBEGIN:VALARM"
    with patch.object(feeds, "gettext", lambda message: odd):
        found = bob.read()

    assert len(found) == 2
    assert {event.summary for event in found.values()} == {odd}


# --- the address ---------------------------------------------------------------------------------


def test_it_is_private(table: Table, bob: Reader) -> None:
    answer = table.client.get(bob.path)

    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"


def test_renewing_the_links_kills_it(table: Table, bob: Reader, links: Links) -> None:
    with store.connected():
        epochs.raise_player(id_of(BOB), NOW)

    assert table.client.get(bob.path).status_code == 410
    assert Reader(table.client, links, id_of(BOB), NOW + 1).read()


def test_no_other_token_opens_it(table: Table, bob: Reader, links: Links) -> None:
    token = bob.path.removeprefix("/calendar/").removesuffix(".ics")
    you = links.sign("you", YouLink(id_of(BOB), NOW, 0))
    nobody = links.sign("calendar", YouLink(999, NOW))
    below = iter(range(10_000)).__next__

    for other in (you, nobody, "x", f"{token}.ics", tampered(token, lambda n: below() % n)):
        assert table.client.get(f"/calendar/{other}.ics").status_code == 404
    assert table.client.get(f"/calendar/{token}").status_code == 404
    assert table.client.get(f"/you/{token}").status_code == 404


def test_looking_changes_nothing(table: Table, bob: Reader) -> None:
    before = everything()
    table.client.get(bob.path)
    table.client.head(bob.path)
    assert table.client.post(bob.path).status_code == 405

    assert everything() == before


# --- the reader itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\r\n", "\n"),
        ("UID:", "X-UID:"),
        ("DTSTAMP:", "X-DTSTAMP:"),
        ("PRODID:", "X-PRODID:"),
        ("SUMMARY:", "SUMMARY:" + "x" * 75),
        ("SUMMARY:", "SUMMARY:\x07"),
        ("SUMMARY:", "SUMMARY"),
        ("DTSTART:", "DTSTART:x"),
        ("END:VEVENT\r\n", ""),
    ],
)
def test_a_breach_is_seen(table: Table, bob: Reader, old: str, new: str) -> None:
    document = table.client.get(bob.path).text.replace(old, new, 1)
    with pytest.raises((AssertionError, CalendarParseError, ValueError)):
        check_lines(document.encode())
        IcsCalendarStream.calendar_from_ics(document)
