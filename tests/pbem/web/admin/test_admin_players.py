"""Players on the moderators' pages, from search to letter and log; what visitors do not learn."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.db import store
from pbem.links import ConfirmLink, JoinLink, KeepLink, StandLink, YouLink
from pbem.services.match import joining, matches, messages
from pbem.services.moderation.player_acts import ACTS
from pbem.services.players import accounts, bans, devices
from pbem.services.records import audit_log, epochs
from pbem.services.records.match_rows import LIVE, get_match
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.seats import stand_ins
from pbem.services.self_service import address_changes, requests
from tests.pbem.moderating import BASE, Visitor, acts, way
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.moderator_kit import with_password
from tests.services.people import ANN, BOB, EVE, Sitting, id_of, sit_down, wanted
from tests.services.waiting import confirm_address, hand_over, kinds, let_merge, long_told

pytestmark = pytest.mark.whole

WHY = "asked for by letter"
NEW = "bob@new.example"
DEVICE = "__Host-pbem-device"
FIELDS: dict[str, dict[str, str]] = {
    "ban": {},
    "change_address": {"address": NEW},
    "merge": {"other": EVE},
    "export": {},
    "delete": {},
}
each_act = pytest.mark.parametrize("name", FIELDS)


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    """Ann and Bob play; Eve has a match of her own that waits for somebody."""
    with store.connected():
        found = sit_down(NOW)
        match = matches.create(
            wanted(creator=EVE, name="Eve", addresses={"usa": EVE, "ussr": None}), NOW
        )
        joining.confirmed(id_of(EVE), NOW, match)
        hand_over(NOW)
        return found


def ready(sitting: Sitting, name: str) -> None:
    if name == "delete":
        with store.connected():
            matches.resign(sitting.match, 1, NOW)


def told(player: int) -> int:
    with store.connected():
        found = store.rows("SELECT 1 FROM outbox WHERE kind = 'account' AND player_id = ?", player)
    return len(found)


# --- acts -----------------------------------------------------------------------------------------


def test_every_act_is_pressed_here() -> None:
    assert FIELDS.keys() == ACTS.keys() - {"allow", "keep_address", "keep_apart"}


@each_act
def test_an_act_from_page_to_log(stepped_up: Visitor, sitting: Sitting, name: str) -> None:
    ready(sitting, name)
    path, done = f"/admin/players/{sitting.bob}/{name}", acts()
    assert f'href="{path}"' in stepped_up.get(f"/admin/players/{sitting.bob}").text
    before = everything()
    page = stepped_up.get(path, query_string=FIELDS[name])
    assert page.status_code == 200
    assert everything() == before
    (form,) = [form for form in forms(page.text) if "reason" in form.fields]
    assert (form.action, form.method) == (path, "post")

    answer = stepped_up.post(path, data={**form.fields, "reason": WHY})

    if name == "export":
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.json is not None
        assert answer.json["player"]["address"] == BOB
    else:
        assert way(answer) == f"/admin/players/{sitting.bob}"
    assert acts() == [*done, name]
    assert told(sitting.bob) == (0 if name == "delete" else 1)
    with store.connected():
        (entry,) = audit_log.newest(1)
    assert (entry.reason, entry.subject) == (WHY, f"player {sitting.bob}")
    for words in re.split(r"[0-9-]{10} [0-9:]{5} UTC", entry.words):  # the page writes Jan 18
        assert words in re.sub(r"\s+", " ", page.text)
    assert WHY in stepped_up.get(f"/admin/players/{sitting.bob}").text


@each_act
def test_without_mark_or_reason_nothing_happens(
    stepped_up: Visitor, sitting: Sitting, name: str
) -> None:
    ready(sitting, name)
    before, path = everything(), f"/admin/players/{sitting.bob}/{name}"
    for mark in ({}, {"csrf": ""}, {"csrf": "x" * 64}):
        data = {**FIELDS[name], **mark, "reason": WHY}
        assert stepped_up.post(path, data=data).status_code == 400
    for reason in ("", "no"):
        answer = stepped_up.send(path, **FIELDS[name], reason=reason)
        assert answer.status_code == 400
        assert "give a reason" in answer.text
    assert everything() == before


def test_what_could_do_harm_asks_first_who_it_is(inside: Visitor, sitting: Sitting) -> None:
    dangerous = {name for name, act in ACTS.items() if act.needs_step_up}
    assert dangerous == {"change_address", "merge", "export", "delete"}
    before = everything()
    for name in dangerous:
        path = f"/admin/players/{sitting.bob}/{name}"
        assert way(inside.get(path)).startswith("/admin/step-up?next=")
        answer = inside.send(path, **FIELDS[name], reason=WHY)
        assert way(answer).startswith("/admin/step-up?next=")
    assert everything() == before


@each_act
def test_an_opponent_who_is_a_moderator_is_refused(
    app: Flask, clock: Clock, sitting: Sitting, name: str
) -> None:
    with store.connected():
        ann = with_password(ANN)
    seated = Visitor(app)
    assert seated.log_in(ann, NOW).status_code == 303
    clock.now += 30
    assert seated.send("/admin/step-up", code=ann.code(clock.now)).status_code == 303
    before, path = everything(), f"/admin/players/{sitting.bob}/{name}"

    page = seated.get(path, query_string=FIELDS[name])
    assert "you and this player are both involved in match" in page.text
    assert not [form for form in forms(page.text) if "reason" in form.fields]
    assert seated.send(path, **FIELDS[name], reason=WHY).status_code == 400
    assert everything() == before
    assert f'href="{path}"' not in seated.get(f"/admin/players/{sitting.bob}").text


def test_a_ban_is_shown_and_lifted(inside: Visitor, sitting: Sitting) -> None:
    path = f"/admin/players/{sitting.bob}"
    inside.send(f"{path}/ban", reason=WHY)
    page = inside.get(path).text
    assert "Banned since" in page
    assert f'href="{path}/allow"' in page
    assert f'href="{path}/ban"' not in page
    assert "<strong>banned</strong>" in inside.get("/admin/players").text
    assert inside.send(f"{path}/ban", reason=WHY).status_code == 400
    assert way(inside.send(f"{path}/allow", reason=WHY)) == path
    assert "Banned since" not in inside.get(path).text
    assert acts()[-2:] == ["ban", "allow"]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("change_address", {"address": "nobody"}),
        ("change_address", {"address": ANN}),
        ("change_address", {"address": BOB}),
        ("change_address", {}),
        ("merge", {"other": ANN}),
        ("merge", {"other": "999999"}),
        ("merge", {"other": "9" * 40}),
        ("merge", {"other": "stranger@example.org"}),
        ("merge", {}),
        ("delete", {}),
        ("keep_address", {}),
        ("keep_apart", {}),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    stepped_up: Visitor, sitting: Sitting, name: str, fields: dict[str, str]
) -> None:
    before, path = everything(), f"/admin/players/{sitting.bob}/{name}"
    assert stepped_up.get(path, query_string=fields).status_code == 200
    answer = stepped_up.send(path, **fields, reason=WHY)
    assert answer.status_code == 400
    assert "This did not work" in answer.text
    assert everything() == before


def test_there_are_no_other_acts_and_no_other_players(inside: Visitor, sitting: Sitting) -> None:
    for path in ("999", "x", "9" * 30, "-1", "1/win", f"{sitting.bob}/win"):
        assert inside.get(f"/admin/players/{path}").status_code == 404


def test_an_export_names_nothing_of_a_match_being_played(
    stepped_up: Visitor, sitting: Sitting
) -> None:
    with store.connected():
        messages.say(sitting.match, 1, "a secret plan", NOW)
    answer = stepped_up.send(f"/admin/players/{sitting.bob}/export", reason=WHY)
    assert sitting.match in answer.text
    assert "a secret plan" not in answer.text
    assert "from bob" not in answer.text


# --- pages ----------------------------------------------------------------------------------------


def shown(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'<td><a href="/admin/players/(\d+)">', page)]


def test_players_are_found_and_sorted(inside: Visitor, sitting: Sitting) -> None:
    with store.connected():
        eve = id_of(EVE)
        mo = id_of("mo@example.org")
    for query, expected in {
        "q=ann": [sitting.ann],
        "q=EXAMPLE.ORG&sort=name": [sitting.ann, sitting.bob, eve, mo],
        "q=bob%40": [sitting.bob],
        "q=nobody": [],
        "q=%25": [],
        "q=%00bob": [sitting.bob],
        "q=ann&after=x": [sitting.ann],
    }.items():
        found = shown(inside.get(f"/admin/players?{query}").text)
        assert (found if "sort" in query else sorted(found)) == expected, query


def test_a_page_tells_what_is_known(inside: Visitor, sitting: Sitting) -> None:
    with store.connected():
        store.execute(
            "UPDATE outbox SET state = 'dead', message_id = 'm' || id, attempts = 4,"
            " last_error = '550 no such user' WHERE player_id = ?",
            sitting.bob,
        )
        for player in (sitting.ann, sitting.bob):
            devices.note(player, "d" * 43, NOW)
    page = inside.get(f"/admin/players/{sitting.bob}").text
    for word in (
        *("Bob", BOB, "Europe/Berlin", "refuses emails", "550 no such user"),
        *(f"/admin/matches/{sitting.match}", "the same browser", "A hint, not proof"),
        *("too few turns to tell", f"/admin/players/{sitting.ann}"),
    ):
        assert word in page, word
    match = inside.get(f"/admin/matches/{sitting.match}").text
    assert "Does one person hold two seats?" in match
    assert "A hint, not proof" in match
    assert f'href="/admin/players/{sitting.bob}"' in match


def test_a_match_of_two_strangers_has_no_hint(inside: Visitor, sitting: Sitting) -> None:
    page = inside.get(f"/admin/matches/{sitting.match}").text
    assert "Does one person hold two seats?" not in page


def test_an_old_address_leads_to_its_player(stepped_up: Visitor, sitting: Sitting) -> None:
    path = f"/admin/players/{sitting.bob}"
    stepped_up.send(f"{path}/change_address", address=NEW, reason=WHY)
    assert "waiting to be confirmed" in stepped_up.get(path).text
    with store.connected():
        change = address_changes.waiting(sitting.bob, NOW + 60)
        assert change is not None
        confirm_address(change.id, NOW + 60)
    page = stepped_up.get(path).text
    assert NEW in page
    assert BOB in page
    assert f'href="{path}"' in stepped_up.get(f"/admin/players/{change.other}").text


# --- the list of addresses ------------------------------------------------------------------------


def test_a_rule_from_page_to_log_and_off_again(inside: Visitor, sitting: Sitting) -> None:
    before = everything()
    page = inside.get("/admin/lists?pattern=@Example.org&verdict=banned")
    assert "Players we know with such an address: 4" in page.text
    assert everything() == before
    (form,) = [
        form for form in forms(page.text) if form.fields.get("pattern") and "csrf" in form.fields
    ]
    assert way(inside.post(form.action, data={**form.fields, "reason": WHY})) == "/admin/lists"
    assert acts()[-1] == "list_banned"
    with store.connected():
        assert bans.is_listed(EVE)
    page = inside.get("/admin/lists")
    assert "@example.org" in page.text
    assert WHY in page.text
    (form,) = [form for form in forms(page.text) if form.fields.get("rule")]
    assert inside.post(form.action, data={**form.fields, "reason": ""}).status_code == 400
    assert way(inside.post(form.action, data={**form.fields, "reason": WHY})) == "/admin/lists"
    assert acts()[-1] == "list_struck"
    with store.connected():
        assert bans.rules() == []


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/admin/lists", {"pattern": "nonsense", "reason": WHY}),
        ("/admin/lists", {"pattern": "@example.org", "reason": ""}),
        ("/admin/lists", {"pattern": "mo@example.org", "verdict": "allowed", "reason": WHY}),
        ("/admin/lists", {"reason": WHY}),
        ("/admin/lists/remove", {"rule": "7", "reason": WHY}),
        ("/admin/lists/remove", {"rule": "9" * 40, "reason": WHY}),
        ("/admin/lists/remove", {"rule": "x", "reason": WHY}),
    ],
)
def test_what_is_no_rule_is_refused(inside: Visitor, path: str, fields: dict[str, str]) -> None:
    before = everything()
    answer = inside.send(path, **fields)
    assert answer.status_code == 400
    assert "This did not work" in answer.text
    assert everything() == before


# --- what visitors see ----------------------------------------------------------------------------


def start(client: FlaskClient, own: str, opponent: str) -> TestResponse:
    fields = {"game": "iron_curtain", "address": own, "opponent": opponent, "seat": "usa"}
    return client.post("/start", data=fields, base_url=BASE)


def test_pages_do_not_tell_who_is_kept_out(app: Flask, client: FlaskClient) -> None:
    with store.connected(), store.writing():
        bans.put("cy@example.org", False, WHY, NOW)
        bans.ban(accounts.known_or_new("dee@example.org", NOW), NOW)
    answers = {}
    for own in ("eve@example.org", "cy@example.org", "dee@example.org"):
        answer = start(client, own, "ann@example.org")
        answers[own] = (answer.status_code, answer.text.replace(own, "(own)"))
    for other in ("eve@example.org", "cy@example.org", "dee@example.org"):
        answer = start(client, "bob@example.org", other)
        answers[f"to {other}"] = (answer.status_code, answer.text.replace(other, "(other)"))

    values = list(answers.values())
    assert values[:3] == [values[0]] * 3
    assert values[3:] == [values[3]] * 3
    assert values[0][0] == values[3][0] == 200
    with store.connected():
        written = store.rows("SELECT p.address FROM outbox o JOIN player p ON p.id = o.player_id")
    assert {mail for (mail,) in written} == {"eve@example.org", "bob@example.org"}


def test_asking_for_an_open_seat_looks_the_same(app: Flask, client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(id_of(ANN), NOW)
        with store.writing():
            bans.put("eve@example.org", False, WHY, NOW)
        before = len(kinds())
    pages = [
        client.post(f"/open/{match}", data={"address": mail}, base_url=BASE).text
        for mail in (EVE, BOB)
    ]
    assert pages[0] == pages[1]
    with store.connected():
        requests.answer_all(NOW)
        assert kinds()[before:] == ["invitation"]
        assert player_at(EVE) is None


def test_who_is_kept_out_is_told_at_the_own_link(app: Flask, client: FlaskClient) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        bob = get_player(id_of(BOB))
        with store.writing():
            bans.ban(bob, NOW)
    link = app.extensions["pbem"].links.sign("join", JoinLink(match, 1, bob.id, NOW))
    answer = client.post(f"/join/{link}", data={"do": "accept"}, base_url=BASE)
    assert answer.status_code == 400
    assert "by a moderator&#39;s decision" in answer.text
    assert "Set-Cookie" not in answer.headers
    with store.connected():
        assert get_match(match).status == "forming"


# --- a new address --------------------------------------------------------------------------------


@pytest.fixture
def asked(stepped_up: Visitor, sitting: Sitting, app: Flask) -> str:
    """The way of the link in the letter to Bob's new address."""
    stepped_up.send(f"/admin/players/{sitting.bob}/change_address", address=NEW, reason=WHY)
    with store.connected():
        other = player_at(NEW)
        assert other is not None
    link = ConfirmLink(other.id, other.epoch)
    return f"/confirm/{app.extensions['pbem'].links.sign('confirm', link)}"


def test_a_new_address_is_confirmed_by_its_owner(
    app: Flask, client: FlaskClient, sitting: Sitting, asked: str
) -> None:
    before = everything()
    page = client.get(asked, base_url=BASE)
    assert everything() == before
    assert NEW in page.text
    for hidden in (BOB, "Bob", ANN, sitting.match, "/you/"):
        assert hidden not in page.text
    assert "Set-Cookie" not in page.headers
    assert "drei Tage lang widersprechen" in page.text
    early = client.post(asked, base_url=BASE)
    assert "wenn die alte Adresse nicht vorher widerspricht" in early.text
    assert forms(early.text) == []
    with store.connected():
        assert get_player(sitting.bob).address == BOB
        change = address_changes.waiting(sitting.bob, NOW)
        assert change is not None
        store.execute("UPDATE address_change SET confirmed_at = NULL")
        long_told(change.id, NOW)
    done = client.post(asked, base_url=BASE)
    assert done.status_code == 200
    assert NEW in done.text
    assert (len(forms(page.text)), forms(done.text)) == (1, [])
    for hidden in (BOB, "/you/", "/t/"):
        assert hidden not in done.text
    with store.connected():
        assert get_player(sitting.bob).address == NEW
        assert get_match(sitting.match).status == LIVE
    after = everything()
    for method in (client.get, client.post):
        assert method(asked, base_url=BASE).status_code == 410
    assert everything() == after


def test_the_owner_of_the_old_address_can_stop_it(
    app: Flask, client: FlaskClient, sitting: Sitting, asked: str
) -> None:
    with store.connected():
        bob = get_player(sitting.bob)
    own = f"/you/{app.extensions['pbem'].links.sign('you', YouLink(bob.id, bob.epoch, 0))}"
    page = client.get(own, base_url=BASE)
    assert "keep_address" in page.text
    assert NEW not in page.text
    assert client.post(own, data={"do": "keep_address"}, base_url=BASE).status_code == 200
    assert "keep_address" not in client.get(own, base_url=BASE).text
    assert client.post(asked, base_url=BASE).status_code == 410
    with store.connected():
        assert get_player(sitting.bob).address == BOB
    assert acts()[-1] == "address_objected"


def test_the_link_in_the_letter_to_the_old_address_stops_it(
    app: Flask, client: FlaskClient, sitting: Sitting, asked: str
) -> None:
    client.post(asked, base_url=BASE)
    with store.connected():
        bob, change = get_player(sitting.bob), address_changes.waiting(sitting.bob, NOW)
        assert change is not None
    keep = KeepLink(change.id, bob.id, bob.epoch)
    path = f"/keep/{app.extensions['pbem'].links.sign('keep', keep)}"
    before = everything()
    page = client.get(path, base_url=BASE)
    assert everything() == before
    assert len(forms(page.text)) == 1
    assert NEW not in page.text
    for _ in range(2):
        assert "wie bisher" in client.post(path, base_url=BASE).text
    assert acts().count("address_objected") == 1
    assert client.post(asked, base_url=BASE).status_code == 410
    with store.connected():
        assert get_player(sitting.bob).address == BOB
        epochs.raise_player(bob.id, NOW + 5)
    assert client.get(path, base_url=BASE).status_code == 410


def test_the_stop_of_an_older_letter_stops_what_waits_now(
    app: Flask, client: FlaskClient, sitting: Sitting, asked: str
) -> None:
    """Asked for twice: whoever reads the old address need not find the newest letter."""
    with store.connected():
        bob, change = get_player(sitting.bob), address_changes.waiting(sitting.bob, NOW)
        assert change is not None
        with store.writing():
            address_changes.ask(bob, "bob.again@example.org", "asked by letter", NOW)
    keep = KeepLink(change.id, bob.id, bob.epoch)
    path = f"/keep/{app.extensions['pbem'].links.sign('keep', keep)}"
    assert len(forms(client.get(path, base_url=BASE).text)) == 1
    assert "wie bisher" in client.post(path, base_url=BASE).text
    with store.connected():
        assert address_changes.waiting(sitting.bob, NOW) is None


def test_a_stop_that_comes_too_late_says_so(
    app: Flask, client: FlaskClient, sitting: Sitting, asked: str
) -> None:
    with store.connected():
        bob, change = get_player(sitting.bob), address_changes.waiting(sitting.bob, NOW)
        assert change is not None
        confirm_address(change.id, NOW)
    keep = KeepLink(change.id, bob.id, bob.epoch)
    path = f"/keep/{app.extensions['pbem'].links.sign('keep', keep)}"
    for method in (client.get, client.post):
        assert method(path, base_url=BASE).status_code == 410


def test_a_link_that_waited_too_long_is_outdated(
    client: FlaskClient, clock: Clock, asked: str
) -> None:
    clock.now += address_changes.LASTS
    before = everything()
    for method in (client.get, client.post):
        assert method(asked, base_url=BASE).status_code == 410
    assert everything() == before


# --- mergers that wait ----------------------------------------------------------------------------


@pytest.fixture
def merging_bob(stepped_up: Visitor, sitting: Sitting) -> int:
    """A moderator has Bob, who plays, go into Eve; her number."""
    with store.connected():
        eve = id_of(EVE)
    answer = stepped_up.send(f"/admin/players/{eve}/merge", other=BOB, reason=WHY)
    assert way(answer) == f"/admin/players/{eve}"
    return eve


def keep_link(app: Flask, sitting: Sitting) -> str:
    with store.connected():
        bob, change = get_player(sitting.bob), address_changes.waiting(sitting.bob, NOW)
    assert change is not None
    keep = KeepLink(change.id, bob.id, bob.epoch)
    return f"/keep/{app.extensions['pbem'].links.sign('keep', keep)}"


def held_by(sitting: Sitting) -> int | None:
    with store.connected():
        return get_match(sitting.match).seat(1).player


def test_a_merger_waits_on_both_pages_and_is_called_off(
    stepped_up: Visitor, sitting: Sitting, merging_bob: int
) -> None:
    bob, eve = f"/admin/players/{sitting.bob}", f"/admin/players/{merging_bob}"
    goes, stays = stepped_up.get(bob).text, stepped_up.get(eve).text
    assert "everything of this player goes to" in goes
    assert f'href="{eve}"' in goes
    assert f'href="{bob}/keep_apart"' in goes
    assert f'href="{bob}/keep_address"' not in goes
    assert "this player gets everything of" in stays
    assert f'href="{bob}"' in stays
    assert "keep_apart" not in stays
    assert "Jan 18, 2027" in goes
    assert "Jan 18, 2027" in stays
    assert stepped_up.send(f"{eve}/merge", other=BOB, reason=WHY).status_code == 400
    assert way(stepped_up.send(f"{bob}/keep_apart", reason=WHY)) == bob
    assert "A merger is waiting" not in stepped_up.get(bob).text + stepped_up.get(eve).text
    assert held_by(sitting) == sitting.bob
    assert acts()[-2:] == ["merge", "keep_apart"]


def test_the_link_in_the_letter_to_who_goes_stops_a_merger(
    app: Flask, client: FlaskClient, sitting: Sitting, merging_bob: int
) -> None:
    path, before = keep_link(app, sitting), everything()
    page = client.get(path, base_url=BASE)
    assert everything() == before
    assert "zusammenzulegen" in page.text
    assert len(forms(page.text)) == 1
    assert EVE not in page.text
    for _ in range(2):
        assert "wie bisher" in client.post(path, base_url=BASE).text
    assert acts()[-2:] == ["merge", "merger_objected"]
    with store.connected():
        assert address_changes.waiting(sitting.bob, NOW) is None
    assert held_by(sitting) == sitting.bob


def test_the_own_page_of_who_goes_stops_a_merger(
    app: Flask, client: FlaskClient, sitting: Sitting, merging_bob: int
) -> None:
    with store.connected():
        bob = get_player(sitting.bob)
    own = f"/you/{app.extensions['pbem'].links.sign('you', YouLink(bob.id, bob.epoch, 0))}"
    page = client.get(own, base_url=BASE).text
    assert "zusammenzulegen" in page
    assert EVE not in page
    assert client.post(own, data={"do": "keep_address"}, base_url=BASE).status_code == 200
    assert "keep_address" not in client.get(own, base_url=BASE).text
    assert acts()[-1] == "merger_objected"


def test_who_stays_confirms_nothing_by_an_old_link(
    app: Flask, client: FlaskClient, sitting: Sitting, merging_bob: int
) -> None:
    """A link to confirm one's own address leads to that, not to the merger."""
    with store.connected():
        eve = get_player(merging_bob)
    path = (
        f"/confirm/{app.extensions['pbem'].links.sign('confirm', ConfirmLink(eve.id, eve.epoch))}"
    )
    assert client.post(path, base_url=BASE).status_code == 200
    assert held_by(sitting) == sitting.bob


def test_a_stop_after_the_merger_says_that_it_is_too_late(
    app: Flask, client: FlaskClient, sitting: Sitting, merging_bob: int
) -> None:
    path = keep_link(app, sitting)
    with store.connected():
        let_merge(sitting.bob, NOW + 60)
    assert held_by(sitting) == merging_bob
    for method in (client.get, client.post):
        assert method(path, base_url=BASE).status_code == 410


# --- the cookie -----------------------------------------------------------------------------------


def cookie(answer: TestResponse) -> tuple[str, set[str]]:
    (line,) = answer.headers.getlist("Set-Cookie")
    value, *attributes = [part.strip() for part in line.split(";")]
    return value, {part for part in attributes if not part.startswith("Expires=")}


def seen() -> list[tuple[int, int, int]]:
    with store.connected():
        return store.rows("SELECT player_id, first_at, last_at FROM device ORDER BY player_id")


@pytest.fixture
def invitation(app: Flask) -> str:
    with store.connected():
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        link = JoinLink(match, 1, id_of(BOB), NOW)
    return f"/join/{app.extensions['pbem'].links.sign('join', link)}"


def test_the_cookie_comes_with_a_press_and_says_nothing(
    client: FlaskClient, invitation: str
) -> None:
    assert "Set-Cookie" not in client.get(invitation, base_url=BASE).headers
    answer = client.post(invitation, data={"do": "accept"}, base_url=BASE)
    value, attributes = cookie(answer)
    name, _, token = value.partition("=")

    assert name == DEVICE
    assert devices.is_token(token)
    assert attributes == {"Secure", "HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=34560000"}
    with store.connected():
        assert seen() == [(id_of(BOB), NOW, NOW)]
        assert token not in str(everything())


def test_one_browser_in_both_seats_is_known_again(
    app: Flask, inside: Visitor, client: FlaskClient, clock: Clock
) -> None:
    links = app.extensions["pbem"].links
    start(client, ANN, BOB)
    with store.connected():
        ann = get_player(id_of(ANN))
        ((match,),) = store.rows("SELECT id FROM match")
    confirm = f"/confirm/{links.sign('confirm', ConfirmLink(ann.id, ann.epoch, match))}"
    assert client.post(confirm, data={"zone": "UTC"}, base_url=BASE).status_code == 200
    clock.now += 100
    with store.connected():
        bob = id_of(BOB)
    join = f"/join/{links.sign('join', JoinLink(match, 1, bob, NOW))}"
    client.post(join, data={"do": "accept"}, base_url=BASE)
    client.post(join, data={"do": "accept"}, base_url=BASE)
    with store.connected():
        digests = store.rows("SELECT DISTINCT digest FROM device")

    assert "Set-Cookie" not in client.get(join, base_url=BASE).headers
    assert seen() == [(ann.id, NOW, NOW), (bob, NOW + 100, NOW + 100)]
    assert len(digests) == 1
    assert "Does one person hold two seats?" in inside.get(f"/admin/matches/{match}").text


def test_confirming_and_standing_in_are_noted_and_a_refusal_is_not(
    app: Flask, sitting: Sitting
) -> None:
    links, client = app.extensions["pbem"].links, app.test_client()
    with store.connected():
        cy = accounts.known_or_new("cy@example.org", NOW)
        loan = stand_ins.lend(sitting.match, 1, NOW, NOW + 86_400, "cy@example.org", NOW)
    confirm = f"/confirm/{links.sign('confirm', ConfirmLink(cy.id, cy.epoch))}"
    own = f"/you/{links.sign('you', YouLink(cy.id, cy.epoch, 0))}"
    stand = f"/stand/{links.sign('stand', StandLink(loan, cy.id, cy.epoch))}"
    for path, fields, status in [
        (stand, {"do": "nonsense"}, 400),
        (stand, {"do": "withdraw"}, 303),
        ("/start", {"game": "iron_curtain", "address": ANN}, 200),
        ("/you", {"address": ANN}, 200),
        (own, {"do": "keep_address"}, 200),
    ]:
        answer = client.post(path, data=fields, base_url=BASE)
        assert (answer.status_code, seen()) == (status, [])
        assert "Set-Cookie" not in answer.headers
    for path, fields in [(confirm, {"zone": "UTC"}), (stand, {"do": "accept"})]:
        assert cookie(client.post(path, data=fields, base_url=BASE))
    assert [player for player, _, _ in seen()] == [cy.id]


def test_a_cookie_that_we_did_not_make_is_replaced(client: FlaskClient, invitation: str) -> None:
    client.set_cookie(DEVICE, "<script>", domain="play.test")
    value, _ = cookie(client.post(invitation, data={"do": "accept"}, base_url=BASE))
    assert devices.is_token(value.partition("=")[2])


def test_pages_say_what_the_cookie_is_for(client: FlaskClient) -> None:
    page = client.get("/", base_url=BASE).text
    assert "no cookies" not in page
    assert "whether one person plays both sides" in page
