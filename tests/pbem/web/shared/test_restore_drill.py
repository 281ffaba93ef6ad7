"""The drill: a server goes back from ply 20 to its backup of ply 12, and obeys nothing in between.

Every kind of link, reply address, return address and session of the lost future is tried at the
pages and at the door of the inbox of the restored server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.audit import audit
from engine.chance import QuickDice
from engine.replay import read_match
from pbem import return_addresses, server_timeline
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.mail import pictures
from pbem.services.inbox import arrivals
from pbem.services.letters import outbox
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import joining, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.operations import backups
from pbem.services.operations.restoring import restoring
from pbem.services.players import accounts
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import OVER, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes
from pbem.services.staff import moderators
from tests.mail.posting import WORKER, Bag
from tests.pbem.visiting import NOW, Clock, everything
from tests.pbem.web.shared.test_revocation import KINDS, TOKEN, World
from tests.services.people import (
    BOB,
    DAY,
    an_order,
    id_of,
    play_to_the_end,
    sit_down,
    turn_of,
    wanted,
)
from tests.services.powers import four_people
from tests.services.waiting import confirm_address

LATER, NEW, FAY = NOW + 2 * DAY, "bob.new@example.org", "fay@example.org"
NO_FORM = {400, 405}
"""What is said to forms that are not of our own pages, at the door of moderators and elsewhere."""
WENT_BACK = "The server went back in time"


class Drill:
    """A server before, in and after a future that is lost."""

    def __init__(self, config: Config, clock: Clock, client: FlaskClient, folder: Path) -> None:
        self.config, self.clock, self.client = config, clock, client
        self.links = Links(config.secret_keys, config.base_url)
        self.backup, self.bag = folder / "backup", Bag()
        settings.mail_domain, settings.takes_mail = "play.example", True

    def post(self, now: int) -> list[EmailMessage]:
        """The letters that leave now."""
        start = len(self.bag.letters)
        office = MailSettings(
            self.links, "pbem@play.example", "play.example", b"key", self.bag, lambda: 0.5
        )
        with store.connected(), patch.object(pictures, "png", lambda *_, **__: None):
            outbox.drain(office, WORKER, now, stopwatch=lambda: 0.0)
        return self.bag.letters[start:]

    def back_up(self) -> None:
        with store.connected():
            backups.make(self.config.database_url, self.backup, NOW + 12)

    def restore(self) -> FlaskClient:
        url = self.config.database_url
        store.database.close()
        restoring.put_back(self.backup, True, url, LATER, lambda done, total: None)
        self.clock.now = LATER
        app = create_app(self.config, now=self.clock)
        settings.mail_domain, settings.takes_mail = "play.example", True
        return app.test_client()


@pytest.fixture
def postgres_store(idle_postgres_store: str) -> str:
    """Of a server that is stopped when it is restored."""
    return idle_postgres_store


@pytest.fixture
def drill(config: Config, clock: Clock, app: Flask, tmp_path: Path) -> Iterator[Drill]:
    before = settings.mail_domain, settings.takes_mail
    yield Drill(config, clock, app.test_client(), tmp_path)
    settings.mail_domain, settings.takes_mail = before
    server_timeline.current.mark = ""
    if not store.database.is_closed():
        store.database.close()


def play(match: str, number: int, choice: QuickDice, at: int) -> None:
    for step in range(number):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], at + step)


def local_parts(letters: list[EmailMessage], bag: Bag) -> set[str]:
    """All addresses of ours that letters come back to."""
    replies = {str(one["Reply-To"]) for one in letters if one["Reply-To"]}
    return replies | {parcel.sender for parcel in bag.parcels}


@pytest.mark.whole
def test_a_restored_server_obeys_nothing_of_the_lost_future(drill: Drill) -> None:
    choice = QuickDice(b"drill")
    with store.connected():
        match, campaign = sit_down(NOW).match, four_people(NOW)
        play(match, 12, choice, NOW)
        play(campaign, 4, choice, NOW)
    early = drill.post(NOW + 11)
    drill.back_up()
    with store.connected():
        play(match, 8, choice, NOW + 20)
        play(campaign, 6, choice, NOW + 20)
        lost_secrets = {get_match(match).secret, get_match(campaign).secret}
        lost_turns = {turn for (turn,) in store.rows("SELECT id FROM turn")}
        lost_head = get_match(match).head
    world = World(drill.client, drill.links)  # with links of every kind
    late = drill.post(NOW + 60)
    client = drill.restore()
    world.client = client

    before = everything()
    for kind in KINDS:
        answers = [client.get(world.paths[kind]), *world.press(kind)]
        assert {answer.status_code for answer in answers} - NO_FORM == {410}, kind
        assert not world.other_links(kind, *answers), kind
        assert any(WENT_BACK in answer.text for answer in answers), kind
    tokens = {path + token for one in [*early, *late] for path, token in TOKEN.findall(str(one))}
    assert len(tokens) > 20
    for way in tokens:
        assert client.get(way).status_code == 410, way
        pressed = client.post(way, data={"List-Unsubscribe": "One-Click"})
        assert pressed.status_code in {410, *NO_FORM}, way
    with store.connected():
        known = local_parts([*early, *late], drill.bag)
        assert len(known) > 10 and {one[0] for one in known} == {"r", "b"}
        assert [one for one in known if arrivals.is_known(one)] == []
    assert everything() == before

    new = drill.post(LATER + 60)
    fresh_ways = {path + token for one in new for path, token in TOKEN.findall(str(one))}
    assert {way: client.get(way).status_code for way in fresh_ways} == dict.fromkeys(
        fresh_ways, 200
    )
    assert {"/t/", "/seat/", "/mute/"} <= {way[: way.index("/", 1) + 1] for way in fresh_ways}
    check_letters(drill, [*early, *late], new, match, campaign)
    with store.connected():
        fresh = {turn for (turn,) in store.rows("SELECT id FROM turn WHERE closed_seq IS NULL")}
        assert not fresh & lost_turns
        check_it_goes_on(client, new, match, lost_head)
        assert not lost_secrets & {get_match(match).secret, get_match(campaign).secret}
        play(campaign, 6, QuickDice(b"other"), LATER + 60)
        matches.resign(campaign, 0, LATER + 70)
        check_file(client, campaign)


def check_letters(
    drill: Drill, old: list[EmailMessage], new: list[EmailMessage], *played: str
) -> None:
    """Each live seat is told once, nothing has a number that was seen, nothing comes again."""
    numbers = [str(one["Message-ID"]) for one in [*old, *new]]
    assert len(numbers) == len(set(numbers))
    for match in played:
        told = [
            str(one["X-PBEM-Seat"])
            for one in new
            if (one["X-PBEM-Kind"], one["X-PBEM-Match"]) == ("restored", match)
        ]
        with store.connected():
            assert sorted(told) == sorted(seat.name for seat in get_match(match).seats)
    assert drill.post(LATER + 120) == []


def check_it_goes_on(
    client: FlaskClient, new: list[EmailMessage], match: str, lost_head: str
) -> None:
    """The links of the new letters work, clocks begin with them, and the file verifies."""
    (letter,) = [one for one in new if (one["X-PBEM-Kind"], one["X-PBEM-Match"]) == ("turn", match)]
    turn = turn_of(match)
    (way,) = {path + token for path, token in TOKEN.findall(str(letter)) if path == "/t/"}
    assert client.get(way).status_code == 200
    assert arrivals.is_known(str(letter["Reply-To"]))
    assert turn.started_at == LATER + 60 and turn.deadline_at >= LATER + 60 + turn.budget
    play_to_the_end(match, LATER + 100)
    assert lost_head not in [entry.hash for entry in match_log.entries(match)]
    check_file(client, match)


def check_file(client: FlaskClient, match: str) -> None:
    """What everybody can download verifies, here and without us."""
    data = client.get(f"/match/{match}/download").data
    assert len(audit(read_match(data))) == get_match(match).head_seq + 1
    assert json.loads(data)["later_secrets"] == [get_match(match).secret]


# --- what else may have happened ------------------------------------------------------------------


def test_who_joined_moved_or_finished_in_the_lost_future(drill: Drill) -> None:
    """A match is over in it, another begins, an address changes, a moderator comes."""
    world = World(drill.client, drill.links)
    drill.back_up()
    with store.connected():
        play_to_the_end(world.match, NOW + 20)
        published = match_log.export(get_match(world.match)).secret
        gone = matches.create(wanted(addresses={"usa": FAY, "ussr": BOB}, creator=None), NOW + 30)
        fay = id_of(FAY)
        joining.accept(gone, 0, fay, Joining("Fay", "en", "UTC", ""), NOW + 30)
        joining.accept(gone, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW + 30)
        with store.writing():
            change = address_changes.ask(get_player(world.bob), NEW, "asked", NOW + 40)
        confirm_address(change, NOW + 40)
        moderators.add("mia@example.org", moderators.OPERATOR, "Mia", NOW + 50)
    late = drill.post(NOW + 60)
    client = drill.restore()
    to_fay = [one for one in late if FAY in str(one["To"])]
    ways = {path + token for one in late for path, token in TOKEN.findall(str(one))}
    assert to_fay and all(client.get(way).status_code == 410 for way in ways)

    with store.connected():
        match = get_match(world.match)
        assert match.status != OVER and match.secret != published
        other = accounts.known_or_new("gus@example.org", LATER)
        for way in ways:  # her number may be another's now
            assert client.post(way).status_code in {410, *NO_FORM}, way
        assert get_player(other.id).news
    new = drill.post(LATER + 60)
    assert {str(one["To"]) for one in new if one["X-PBEM-Match"] == world.match} >= {BOB}
    assert NEW not in {str(one["To"]) for one in new}


def test_the_page_says_what_happened_and_keeps_what_was_typed(
    drill: Drill, client: FlaskClient
) -> None:
    world = World(client, drill.links)
    drill.back_up()
    restored = drill.restore()
    page = restored.post(world.paths["turn"], data={"do": "orders", "orders": "first usa"})
    assert page.status_code == 410
    assert re.search(r"went back to 2027-01-15 08:00 UTC", page.text)
    assert "<pre>first usa</pre>" in page.text
    program = restored.post(
        world.paths["turn"].replace("/t/", "/api/v1/turn/"), json={"orders": ["first usa"]}
    )
    assert program.status_code == 410
    assert program.get_json()["error"]["code"] == "link_replaced"
    assert "restored from a backup" in program.get_json()["error"]["message"]


def test_return_addresses_stay_short_after_a_restore(drill: Drill) -> None:
    server_timeline.current.mark = "0123456789"
    assert len(return_addresses.of_turn(2_000_000_000, "m" * 16, 3, NOW, "abcdef")) <= 64
