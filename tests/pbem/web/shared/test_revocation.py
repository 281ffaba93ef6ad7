"""Which links die by what: every kind of link against everything that shuts one.

Bob's letters are read by somebody else. The table says of each event what his links still do; a
link that is dead changes nothing, and no page it leads to holds another link.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import get_args

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.db import store
from pbem.db.models import Incoming
from pbem.db.reading import value
from pbem.links import (
    PATHS,
    BoardLink,
    ConfirmLink,
    KeepLink,
    Links,
    Purpose,
    ReplyLink,
    ReportLink,
    StandLink,
    ThreadLink,
    YouLink,
)
from pbem.services.letters import outbox
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import joining, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.moderation import act_targets, match_acts, merging
from pbem.services.operations.restoring import new_timeline
from pbem.services.players import accounts
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.records.player_rows import get_player
from pbem.services.seats import leaving, live_links, loans, stand_ins
from pbem.services.self_service import (
    address_changes,
    free_seats,
    guests,
    personal_data,
    reports,
    revocation,
)
from pbem.services.self_service.guests import Trial
from pbem.services.staff import moderators
from pbem.web.api import routes
from pbem.web.shared import link_access
from tests.mail.posting import WORKER, Bag, text_of
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, everything, forms
from tests.services.inbox.replying import reply
from tests.services.judging import MO
from tests.services.people import ANN, ASKER, BOB, DAY, EVE, id_of, wanted
from tests.services.waiting import confirm_address

DAN, NEW = "dan@example.org", "bob.new@example.org"
FIRST, SECOND = 0, 1
TOKEN = re.compile(
    "("
    + "|".join(map(re.escape, sorted((*PATHS.values(), "/api/v1/turn/"), key=len, reverse=True)))
    + r")([\w-]{8,}\.[\w-]{43})"
)

Kind = str
"""A purpose of links, or one of two that share a purpose."""


class World:
    """Bob is asked in one match, invited to another, and to stand in at a third."""

    def __init__(self, client: FlaskClient, links: Links) -> None:
        self.table, self.client, self.links = Table(client, links), client, links
        self.match = self.table.id
        with store.connected():
            with store.writing():
                store.execute("UPDATE player SET language = 'en', zone = 'UTC'")
                for address in (EVE, DAN):
                    accounts.confirm(accounts.known_or_new(address, NOW).id, NOW)
                stand_ins.volunteer(id_of(EVE), True, NOW)
            self.bob = id_of(BOB)
            self.elsewhere = self._third_match()
            self.invited = matches.create(wanted(creator=None), NOW)
            self.tried = guests.start(Trial("iron_curtain", {}, "usa"), ASKER, NOW)
            self.forming = self._forming_match()
            self.paths = self._paths()

    def _third_match(self) -> int:
        """Where Ann plays Eve, who wants Bob to take her seat."""
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW)
        joining.confirmed(id_of(ANN), NOW, match)
        joining.accept(match, SECOND, id_of(EVE), Joining("Eve", "en", "UTC", ""), NOW)
        return stand_ins.give_up(match, SECOND, BOB, NOW)

    def _forming_match(self) -> str:
        """Where Ann and Bob sit, and the computer might take the free seats."""
        seats = {"ussr": ANN, "we": BOB, "uk": None, "usa": None}
        match = matches.create(wanted(game="east_and_west", addresses=seats), NOW)
        joining.confirmed(id_of(ANN), NOW, match)
        joining.accept(match, SECOND, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
        free_seats.want(match, FIRST, NOW)
        return match

    def _paths(self) -> dict[Kind, str]:
        bob, match = get_player(self.bob), get_match(self.match)
        seat, (turn,) = match.seat(SECOND), open_turns(self.match)
        invited, tried = get_match(self.invited), get_match(self.tried)
        forming = get_match(self.forming)
        report = ReportLink(bob.id, "message", NOW, match.id, SECOND, bob.epoch)
        thread = reports.make(report, "letter", "Look at this.", NOW).id
        with store.writing():
            change = address_changes.ask(bob, "bob.other@example.org", "asked by letter", NOW)
        leaving.ask(match.id, SECOND, NOW + DAY, NOW + 3 * DAY, EVE, NOW)
        setup = moderators.add("sue@example.org", moderators.MODERATOR, "Sue", NOW)
        url = self.links.url
        found = {
            "turn": url("turn", live_links.to_turn(match, turn)),
            "act": url("act", live_links.to_seat(match, seat)),
            "you": url("you", live_links.to_own_page(bob)),
            "you of a turn": url("you", live_links.from_turn(bob, match, turn)),
            "join": url("join", live_links.to_invitation(match, seat, bob)),
            "invitation": url("join", live_links.to_invitation(invited, invited.seat(SECOND), bob)),
            "confirm": url("confirm", ConfirmLink(bob.id, bob.epoch, match.id)),
            "stand": url("stand", StandLink(self.elsewhere, bob.id, bob.epoch)),
            "calendar": url("calendar", YouLink(bob.id, bob.epoch)) + ".ics",
            "mute": url("mute", YouLink(bob.id, bob.epoch)),
            "hush": url("hush", YouLink(bob.id, bob.epoch)),
            "report": url("report", report),
            "thread": url("thread", ThreadLink(thread, bob.id, bob.epoch)),
            "keep": url("keep", KeepLink(change, bob.id, bob.epoch)),
            "moderator": url("moderator", setup),
            "guest": url("guest", live_links.to_guest(tried, tried.seat(FIRST))),
            "kept": url("kept", live_links.to_invitation(tried, tried.seat(FIRST), bob)),
            "boards": url("boards", BoardLink(bob.id, bob.epoch, "plain", 60)),
            "computer": url("computer", live_links.to_seat(forming, forming.seat(SECOND))),
        }
        found = {kind: path.removeprefix(self.links.base_url) for kind, path in found.items()}
        found["order"] = self.table.order_path("first usa")
        found["leave"] = self.table.word_path(SECOND)
        found["reply"] = self._reply_path()
        return found

    def _reply_path(self) -> str:
        """Where Bob is asked whether a reply was his own."""
        reply(self.match, "first ussr", sender=EVE, now=NOW)
        mail = value(Incoming.select(Incoming.id).order_by(Incoming.id.desc()).limit(1))
        seat = get_match(self.match).seat(SECOND)
        return f"/reply/{self.links.sign('reply', ReplyLink(mail, self.match, SECOND, seat.epoch))}"

    # --- what can be done with a link

    def state_of(self, kind: Kind) -> str:
        """alive, shown (a turn that is over: nothing can be pressed) or dead."""
        answer = self.client.get(self.paths[kind])
        if answer.status_code in (403, 404, 410):
            return "dead"
        if kind in ("turn", "order", "reply") and not forms(answer.text):
            return "shown"
        assert answer.status_code == 200, (kind, answer.status_code)
        return "alive"

    def press(self, kind: Kind) -> list[TestResponse]:
        """Every button that a page of this kind may have."""
        path, post = self.paths[kind], self.client.post
        if kind == "act":
            acts = ("resign", "draw", "pause", "revoke", "claim", "wait", "lend", "give_up")
            days = {"first": "2027-01-16", "last": "2027-01-20", "address": DAN}
            standing = post(f"{path}/standing", data={"order": "standing all never"})
            said = post(path, data={"text": "It was me."})
            return [standing, said, *(post(f"{path}/{act}", data=days) for act in acts)]
        if kind == "turn":
            api = path.replace("/t/", "/api/v1/turn/")
            return [
                *(post(path, data={"do": do, "orders": "first ussr"}) for do in ("orders", "add")),
                post(api, json={"orders": ["first ussr"]}),
                self.client.get(api),
                self.client.get(f"{path}/preview?order=first+usa"),
            ]
        if kind.startswith("you"):
            pressed = ("settings", "renew", "send", "book", "keep_address")
            found = [post(path, data={"do": do, "name": "Mallory"}) for do in pressed]
            return [*found, self.client.get(f"{path}/data"), post(f"{path}/delete")]
        data = {"stand": {"do": "accept"}, "thread": {"text": "More."}}
        return [post(path, data=data.get(kind, {}))]

    def other_links(self, kind: Kind, *answers: TestResponse) -> set[str]:
        """Links in answers, and where they lead on to, but for the one that was used."""
        said = "\n".join(one.text + one.headers.get("Location", "") for one in answers)
        found = {path + token for path, token in TOKEN.findall(said)}
        own = self.paths[kind].removesuffix(".ics")
        return found - {own, own.replace("/t/", "/api/v1/turn/")}


@pytest.fixture
def world(client: FlaskClient, links: Links) -> World:
    return World(client, links)


# --- the table ------------------------------------------------------------------------------------

SEAT = {"turn", "order", "act", "you of a turn", "join", "leave", "reply"}
"""What the letters to a seat carry."""
PERSON = {"you", "invitation", "confirm", "stand", "calendar", "thread", "keep"}
PERSON |= {"kept", "computer", "boards"}
"""What letters to a person carry, or pages that those open."""
ANY_AGE = {"mute", "hush", "report"}
"""They only ever make fewer letters, or tell moderators something; they lead to nothing."""
STAFF = {"moderator"}
GUEST = {"guest"}
"""Whoever has it has the seat, until somebody keeps the match; nobody's letters carry it."""
KINDS = SEAT | PERSON | ANY_AGE | STAFF | GUEST


def by_the_page_of_the_seat(world: World) -> None:
    world.client.post(f"{world.paths['act']}/revoke")


def by_the_own_page(world: World) -> None:
    world.client.post(world.paths["you"], data={"do": "renew"})


def by_the_own_page_of_a_turn(world: World) -> None:
    world.client.post(world.paths["you of a turn"], data={"do": "renew"})


def by_a_moderator(world: World) -> None:
    params = act_targets.Params(seat=SECOND)
    revoke = match_acts.ACTS["revoke"]
    match_acts.perform(MO, world.match, revoke, params, "asked by letter", NOW)


def new_address(world: World) -> None:
    with store.writing():
        change = address_changes.ask(get_player(world.bob), NEW, "asked by letter", NOW)
    confirm_address(change, NOW)


def merged(world: World) -> None:
    merging.merge(get_player(id_of(DAN)), get_player(world.bob), "one person", NOW)


def given_up(world: World) -> None:
    loan = stand_ins.give_up(world.match, SECOND, DAN, NOW)
    stand_ins.accept(loan, id_of(DAN), NOW)


def lent(world: World) -> None:
    loan = stand_ins.lend(world.match, SECOND, NOW, NOW + DAY, DAN, NOW)
    stand_ins.accept(loan, id_of(DAN), NOW)


def taken_back(world: World) -> None:
    lent(world)
    loan = loans.pending(world.match, SECOND)
    assert loan is not None
    stand_ins.withdraw(loan.id, NOW)


def given_back(world: World) -> None:
    lent(world)
    stand_ins.give_back(world.match, SECOND, NOW)


def loan_ended(world: World) -> None:
    lent(world)
    loan = loans.pending(world.match, SECOND)
    assert loan is not None
    stand_ins.change_over(loan.id, NOW + DAY)


def replaced(world: World) -> None:
    stand_ins.ask_instead(world.match, SECOND, DAN, NOW)


def opened(world: World) -> None:
    stand_ins.open_seat(world.match, SECOND, NOW)


def handed_to_an_ally(world: World) -> None:
    stand_ins.hand_over(world.match, SECOND, id_of(DAN), NOW)


def played(world: World) -> None:
    world.table.send("first usa")


def next_turn(world: World) -> None:
    played(world)
    while world.table.turn.seat == FIRST:
        world.table.send(world.table.offered()[-1])


def rewound(world: World) -> None:
    played(world)
    turns.rewind(world.match, 0, "moderator", NOW)


def over(world: World) -> None:
    matches.resign(world.match, FIRST, NOW)


def deleted(world: World) -> None:
    over(world)
    personal_data.delete(world.bob, NOW)


def kept(world: World) -> None:
    guests.keep(world.tried, FIRST, id_of(DAN), Joining("Dan", "en", "UTC", ""), NOW + 1)


def deserted(world: World) -> None:
    guests.end_deserted(NOW + guests.PATIENCE)


def begun(world: World) -> None:
    free_seats.want(world.forming, SECOND, NOW)


def key_dropped(world: World) -> None:
    world.client.application.extensions["pbem"].links._use(("another key, long enough as well",))


def restored(world: World) -> None:
    new_timeline.begin({}, NOW)


def moderator_reset(world: World) -> None:
    moderators.reset("sue@example.org", NOW)


def moderator_disabled(world: World) -> None:
    moderators.disable("sue@example.org", NOW)


ALL_OF_BOBS = SEAT | PERSON
CLOSED = {"turn": "shown", "order": "shown", "reply": "shown"}

TABLE: dict[Callable[[World], None], dict[Kind, str]] = {
    by_the_page_of_the_seat: dict.fromkeys(ALL_OF_BOBS, "dead"),
    by_the_own_page: dict.fromkeys(ALL_OF_BOBS, "dead"),
    by_the_own_page_of_a_turn: dict.fromkeys(ALL_OF_BOBS, "dead"),
    by_a_moderator: dict.fromkeys(ALL_OF_BOBS, "dead"),
    new_address: dict.fromkeys(ALL_OF_BOBS, "dead"),
    merged: dict.fromkeys(ALL_OF_BOBS, "dead"),
    given_up: dict.fromkeys(SEAT, "dead"),
    lent: dict.fromkeys(SEAT, "dead"),
    taken_back: dict.fromkeys(SEAT, "dead"),
    given_back: dict.fromkeys(SEAT, "dead"),
    loan_ended: dict.fromkeys(SEAT, "dead"),
    replaced: dict.fromkeys(SEAT, "dead"),
    opened: dict.fromkeys(SEAT, "dead"),
    handed_to_an_ally: dict.fromkeys(SEAT, "dead"),
    played: {**CLOSED, "you of a turn": "dead"},
    next_turn: {**CLOSED, "you of a turn": "dead", "act": "dead"},
    rewound: {**CLOSED, "you of a turn": "dead", "act": "dead"},
    over: {**CLOSED, "you of a turn": "dead", "leave": "dead"},
    deleted: dict.fromkeys(ALL_OF_BOBS | {"report"}, "dead"),
    kept: {"guest": "dead", "kept": "dead"},
    deserted: {"kept": "dead"},
    begun: {"computer": "dead"},
    key_dropped: dict.fromkeys(KINDS, "dead"),
    restored: dict.fromkeys(KINDS, "dead"),
    moderator_reset: {"moderator": "dead"},
    moderator_disabled: {"moderator": "dead"},
}
"""What each event does to which links; those that are not named stay alive."""

events = pytest.mark.parametrize("event", TABLE, ids=lambda event: event.__name__)


def test_every_kind_of_link_is_in_the_table(world: World) -> None:
    assert world.paths.keys() == KINDS
    purposes = {path.partition("/")[2] for path in PATHS.values()}
    assert {re.sub(r"[^/]+$", "", path)[1:] for path in world.paths.values()} == purposes
    assert len(get_args(Purpose)) == len(purposes)


def test_all_links_are_alive_before_anything_happens(world: World) -> None:
    assert {kind: world.state_of(kind) for kind in KINDS} == dict.fromkeys(KINDS, "alive")


@events
def test_what_dies_by_what(world: World, event: Callable[[World], None]) -> None:
    with store.connected():
        event(world)
    expected = {**dict.fromkeys(KINDS, "alive"), **TABLE[event]}

    assert {kind: world.state_of(kind) for kind in KINDS} == expected


@events
def test_what_is_dead_does_nothing_and_leads_nowhere(
    world: World, event: Callable[[World], None]
) -> None:
    with store.connected():
        event(world)
    before = everything()
    for kind in TABLE[event]:
        answers = [world.client.get(world.paths[kind]), *world.press(kind)]
        assert not world.other_links(kind, *answers), kind
    assert everything() == before


@pytest.mark.parametrize("event", [by_the_page_of_the_seat, new_address, given_up])
def test_an_old_invitation_does_not_take_the_seat_over(
    client: FlaskClient, links: Links, event: Callable[[World], None]
) -> None:
    world = World(client, links)
    with store.connected():
        event(world)
    for answer in (client.get(world.paths["join"]), *world.press("join")):
        assert answer.status_code == 410
        assert not TOKEN.search(answer.text)


def stand_way(links: Links, now: int) -> str:
    """The link of the newest letter to Bob about a seat that others play."""
    bag = Bag()
    office = MailSettings(links, "pbem@play.example", "play.example", b"key", bag, lambda: 0.5)
    outbox.drain(office, WORKER, now, stopwatch=lambda: 0.0)
    sent = [one for one in bag.letters if (one["To"], one["X-PBEM-Kind"]) == (BOB, "stand_in")]
    found = [f"{path}{token}" for path, token in TOKEN.findall(text_of(sent[-1]))]
    return next(way for way in found if way.startswith("/stand/"))


@pytest.mark.parametrize("event", [lent, opened])
def test_who_does_not_sit_there_now_has_the_way_back_anew(
    client: FlaskClient, links: Links, event: Callable[[World], None]
) -> None:
    world = World(client, links)
    with store.connected():
        event(world)
        loan = loans.pending(world.match, SECOND)
        assert loan is not None
        old = StandLink(loan.id, world.bob, get_player(world.bob).epoch)
        revocation.by_player(world.bob, NOW + 60)
        way = stand_way(links, NOW + 60)
    assert client.get(f"/stand/{links.sign('stand', old)}").status_code == 410
    do = "withdraw" if event is lent else "accept"
    assert client.post(way, data={"do": do}).status_code == 303
    assert world.table.match.seat(SECOND).player == world.bob


def test_a_program_plays_nothing_by_a_link_that_is_shut_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading the link and playing: the form looks again, and so does the interface."""
    path = world.paths["turn"].replace("/t/", "/api/v1/turn/")
    monkeypatch.setattr(routes, "_check_word", lambda *_: revocation.by_player(world.bob, NOW))
    answer = world.client.post(path, json={"orders": ["first usa"]})
    assert answer.status_code == 410
    assert answer.get_json()["error"]["code"] == "link_replaced"
    assert world.table.match.head_seq == 0


@pytest.mark.parametrize(
    "act",
    [
        "",
        "/resign",
        "/draw",
        "/accept-draw",
        "/decline-draw",
        "/standing",
        "/pause",
        "/lend",
        "/give_up",
    ],
)
def test_nothing_is_done_at_a_seat_whose_links_are_shut_meanwhile(
    world: World, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the database behind a revocation comes too late."""
    form = {"text": "It was me.", "order": "standing all never", "address": DAN}
    days = {"first": "2027-01-16", "last": "2027-01-20"}
    renewed = dict[str, object]()

    def renew_first(language: str) -> None:
        revocation.by_player(world.bob, NOW)
        renewed.update(everything())

    monkeypatch.setattr(link_access, "speak", renew_first)
    answer = world.client.post(world.paths["act"] + act, data=form | days)
    assert answer.status_code == 410
    assert everything() == renewed


# --- what leads where -----------------------------------------------------------------------------

LEADS_TO: dict[Kind, set[str]] = {
    "turn": {"/seat/"},
    "act": {"/report/"},
    "you": {"/seat/", "/t/", "/join/", "/calendar/", "/computer/"},
    "you of a turn": {"/seat/", "/t/"},
    "order": set(),
    "join": set(),
    "invitation": set(),
    "confirm": set(),
    "leave": set(),
    "reply": set(),
    "stand": set(),
    "calendar": set(),
    "mute": set(),
    "report": set(),
    "thread": set(),
    "keep": set(),
    "moderator": set(),
    "guest": set(),
    "kept": set(),
    "computer": set(),
    "boards": set(),
}
"""The links on a page that is reached by a living link."""


@pytest.mark.parametrize("kind", LEADS_TO)
def test_a_page_gives_no_more_than_its_link_is_worth(world: World, kind: Kind) -> None:
    found = world.other_links(kind, world.client.get(world.paths[kind]))
    assert {re.sub(r"[^/]+$", "", path) for path in found} == LEADS_TO[kind]


def test_what_the_own_page_of_a_turn_gives_dies_with_the_turn(world: World) -> None:
    path = world.paths["you of a turn"]
    page = world.client.get(path)
    assert world.other_links("you of a turn", page) == {world.paths["turn"], world.paths["act"]}
    for more in ("data", "delete"):
        assert world.client.get(f"{path}/{more}").status_code == 403
    before = everything()
    assert world.client.post(f"{path}/delete").status_code == 403
    assert everything() == before

    with store.connected():
        next_turn(world)
    for link in (path, world.paths["act"]):
        assert world.client.get(link).status_code == 410


def test_letters_of_earlier_versions_do_not_open_the_own_page(world: World) -> None:
    with store.connected():
        bob = get_player(world.bob)
    old = f"/you/{world.links.sign('you', YouLink(bob.id, bob.epoch))}"
    for answer in (world.client.get(old), world.client.get(f"{old}/data")):
        assert answer.status_code == 410
        assert not TOKEN.search(answer.text)


def test_settings_can_be_changed_by_the_letter_of_a_turn(world: World) -> None:
    data = {"do": "settings", "name": "Robert", "language": "en", "zone": "UTC"}
    page = world.client.post(world.paths["you of a turn"], data=data)
    assert page.status_code == 200
    with store.connected():
        assert get_player(world.bob).name == "Robert"


def test_the_whole_own_page_comes_by_letter_to_who_asks_from_a_turn(world: World) -> None:
    page = world.client.post(world.paths["you of a turn"], data={"do": "send"})
    assert page.status_code == 200
    assert not TOKEN.search(page.text)
    with store.connected():
        newest = store.rows("SELECT kind, player_id FROM outbox ORDER BY id DESC LIMIT 1")
    assert newest == [("you", world.bob)]


def test_an_order_leads_on_only_for_who_has_just_played_it(world: World) -> None:
    """Bob goes on himself after it; whoever presses again finds no way into his turn."""
    path = world.table.order_path("first ussr")
    first, again = world.client.post(path), world.client.post(path)

    assert first.headers["Location"] == world.paths["turn"]
    assert again.headers["Location"] == path
    assert not TOKEN.search(world.client.get(path).text)


def test_an_old_report_link_opens_no_exchange_with_the_moderators(world: World) -> None:
    with store.connected():
        revocation.renew(world.bob, NOW)
    data = {"about": "other", "text": "Please change my address."}
    answer = world.client.post(world.paths["report"], data=data)

    assert answer.status_code == 200
    assert not TOKEN.search(answer.text + answer.headers.get("Location", ""))


def test_what_was_written_by_a_link_that_died_meanwhile_is_not_lost(world: World) -> None:
    with store.connected():
        next_turn(world)
    answer = world.client.post(world.paths["act"], data={"text": "A long <b>letter</b>."})

    assert answer.status_code == 410
    assert "A long &lt;b&gt;letter&lt;/b&gt;." in answer.text


# --- after a leak ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event", [by_the_page_of_the_seat, by_the_own_page, by_a_moderator, new_address]
)
def test_fresh_links_go_to_the_registered_address_only(
    client: FlaskClient, links: Links, event: Callable[[World], None]
) -> None:
    world = World(client, links)
    with store.connected():
        ((newest,),) = store.rows("SELECT MAX(id) FROM outbox")
        event(world)
        owed = store.rows("SELECT kind, player_id FROM outbox WHERE id > ?", newest)
    told = {"moderated", "account", "address"}
    to_bob = sorted(kind for kind, player in owed if player == world.bob and kind not in told)

    assert to_bob == ["invitation", "stand_in", "turn", "you"]
    assert {kind for kind, player in owed if player != world.bob} <= told


def test_two_leaks_in_one_second_are_two(app: Flask, world: World) -> None:
    for _ in range(2):
        with store.connected():
            player = get_player(world.bob)
        path = f"/you/{world.links.sign('you', live_links.to_own_page(player))}"
        assert world.client.post(path, data={"do": "renew"}).status_code == 200
        assert world.client.get(path).status_code == 410
    with store.connected():
        ((letters,),) = store.rows("SELECT COUNT(*) FROM outbox WHERE kind = 'you'")
    assert letters == 2
