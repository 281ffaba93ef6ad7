"""Operations: what operators see and do to the machinery, and what stays hidden from them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask

from pbem import sealing
from pbem.db import store
from pbem.errors import TransportError
from pbem.key_ring import fingerprint
from pbem.links import Links, YouLink
from pbem.services.inbox import arrivals
from pbem.services.letters import outbox
from pbem.services.letters.claims import PURPOSE
from pbem.services.operations import maintenance, replay_check
from pbem.services.records import audit_log
from pbem.services.staff.one_time_codes import STEP
from pbem.services.time import heartbeat
from tests.mail.posting import Bag, office_with, opened
from tests.pbem.moderating import BASE, Visitor, acts, routes, way
from tests.pbem.table import canary_deck
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.inbox.bouncing import come_back, newest
from tests.services.inbox.mailing import raw_mail, reply_address
from tests.services.moderator_kit import OPAL, Staff, with_password
from tests.services.people import ANN, Sitting, sit_down, turn_of
from tests.services.waiting import Days, hand_over

HOME = "/admin/operations"
CANARY = re.compile(r"zq\w*canary", re.I)


@pytest.fixture
def opal(app: Flask) -> Staff:
    with store.connected():
        return with_password(OPAL, "operator")


@pytest.fixture
def operator(app: Flask, opal: Staff, clock: Clock) -> Visitor:
    """Opal has logged in, and shown again who she is."""
    visitor = Visitor(app)
    assert visitor.log_in(opal, NOW).status_code == 303
    clock.now += STEP
    assert visitor.send("/admin/step-up", code=opal.code(clock.now)).status_code == 303
    return visitor


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    """A match of cards that stand nowhere else, its letters written."""
    with store.connected():
        found = sit_down(NOW, {"deck": canary_deck()})
        outbox.drain(office_with(Bag()), "w", NOW)
    return found


def put_off(which: str) -> None:
    """These letters are written, and wait for a second try."""
    bag = Bag()
    bag.trouble = lambda parcel: TransportError("451 4.3.0 later")
    with store.connected():
        store.execute(f"UPDATE outbox SET state = 'queued', stream = 'row/' || id WHERE {which}")
        outbox.drain(office_with(bag), "w", NOW)


def test_of_a_letter_that_has_left_only_the_fact_is_kept(
    operator: Visitor, sitting: Sitting
) -> None:
    page = operator.get(f"{HOME}/letters/{letters()['turn']}").text

    assert "It was sent, and its text is deleted." in page
    assert "X-PBEM-Kind" not in page


def letters() -> dict[str, int]:
    with store.connected():
        return dict(store.rows("SELECT kind, MAX(id) FROM outbox GROUP BY kind"))


def ours(app: Flask) -> list[str]:
    return [route.path for route in routes(app, "1") if route.path.startswith(HOME)]


# --- who may --------------------------------------------------------------------------------------


def test_mails_that_were_set_aside_are_listed_without_their_words(
    operator: Visitor, sitting: Sitting
) -> None:
    assert "None." in operator.get(HOME).text
    words = "a word that nobody else may read"
    with store.connected():
        to = reply_address(turn_of(sitting.match))
        arrivals.keep(ANN, [to], raw_mail(to, words, sender=ANN), NOW)
        store.execute("UPDATE incoming SET state = 'quarantined', reason = 'KeyError in take:9'")
    page = operator.get(HOME).text

    assert "a reply" in page
    assert "KeyError in take:9" in page
    assert "pbem mail quarantine retry" in page
    assert not any(hidden in page for hidden in (words, to, ANN))


def test_moderators_are_kept_out_of_every_page(app: Flask, stepped_up: Visitor) -> None:
    before = everything()
    assert len(ours(app)) >= 9
    for route in routes(app, "1"):
        if route.path.startswith(HOME):
            if "GET" in route.methods:
                assert stepped_up.get(route.path).status_code == 403, route.path
            if "POST" in route.methods:
                assert stepped_up.send(route.path, reason="let me").status_code == 403, route.path
    changed = {name for name, found in everything().items() if found != before[name]}
    assert changed <= {"admin_session"}


@pytest.mark.parametrize("page", ["maintenance", "clock", "keys", "letters/1/abort"])
def test_what_is_dangerous_asks_again_who_it_is(
    app: Flask, opal: Staff, sitting: Sitting, page: str
) -> None:
    visitor = Visitor(app)
    visitor.log_in(opal, NOW)
    for answer in (
        visitor.get(f"{HOME}/{page}"),
        visitor.send(f"{HOME}/{page}", reason="because", do="begin"),
    ):
        assert way(answer) == f"/admin/step-up?next={HOME}/{page}"
    assert acts()[-1] == "login"


def test_the_menu_leads_operators_there_only(operator: Visitor, inside: Visitor) -> None:
    assert f'href="{HOME}"' in operator.get("/admin/").text
    assert f'href="{HOME}"' not in inside.get("/admin/").text


def test_every_form_carries_the_mark(operator: Visitor, sitting: Sitting, app: Flask) -> None:
    number = str(letters()["turn"])
    with store.connected():
        store.execute("UPDATE outbox SET state = 'dead'")
    seen = 0
    for route in routes(app, number):
        if route.path.startswith(HOME) and "GET" in route.methods:
            answer = operator.get(route.path)
            assert answer.status_code == 200, route.path
            assert " style=" not in answer.text and "<script>" not in answer.text
            for form in forms(answer.text):
                assert form.method == "post" and form.fields["csrf"]
                seen += 1
    assert seen >= 10


# --- maintenance and the clock --------------------------------------------------------------------


def test_maintenance_is_switched_on_and_off(
    operator: Visitor, sitting: Sitting, clock: Clock
) -> None:
    page = operator.get(f"{HOME}/maintenance").text
    assert "no turn runs out" in page
    assert operator.send(f"{HOME}/maintenance", do="begin", reason="x").status_code == 400
    assert way(operator.send(f"{HOME}/maintenance", do="begin", reason="a new disk")) == HOME
    with store.connected():
        assert maintenance.current() == (clock.now, "a new disk")
    assert "End the maintenance" in operator.get(HOME).text
    refused = operator.send(f"{HOME}/maintenance", do="begin", reason="again")
    assert (refused.status_code, "already stopped" in refused.text) == (400, True)
    assert way(operator.send(f"{HOME}/maintenance", do="end")) == HOME

    assert acts()[-2:] == ["maintenance_on", "maintenance_off"]
    assert "All clocks are running." in operator.get(HOME).text


def test_a_doubted_clock_is_confirmed(operator: Visitor, sitting: Sitting, clock: Clock) -> None:
    with store.connected():
        hand_over(NOW)
        days = Days(NOW)
        days.tick()
        days.jumps(4_000)
        days.tick()
    page = operator.get(f"{HOME}/clock").text
    assert "the clock has jumped by +4000 s" in page
    assert "Confirm that the clock is right" in operator.get(HOME).text
    assert way(operator.send(f"{HOME}/clock")) == HOME

    with store.connected():
        beat = heartbeat.heartbeat()
    assert beat is not None and beat.suspect_since is None
    assert acts()[-1] == "confirm_clock"


# --- keys -----------------------------------------------------------------------------------------


def test_a_new_key_signs_and_old_links_stay_good(
    operator: Visitor, keys_file: Path, clock: Clock
) -> None:
    elsewhere = Links(("k" * 64,), BASE, keys_file)
    before = elsewhere.sign("you", YouLink(1, NOW, 0))
    assert way(operator.send(f"{HOME}/keys")) == f"{HOME}/keys"
    after = elsewhere.sign("you", YouLink(1, NOW, 0))
    page = operator.get(f"{HOME}/keys").text

    assert len(keys_file.read_text().split()) == 2
    for token in (before, after):
        assert elsewhere.read("you", token) == YouLink(1, NOW, 0)
    old, new = keys_file.read_text().split()
    assert fingerprint(new) in page and fingerprint(old) in page
    assert new not in page and old not in page
    assert re.search(rf"{fingerprint(new)}</code></td>\s*<td>signs and verifies", page)
    with store.connected():
        entry = audit_log.newest(1)[0]
    assert entry.act == "rotate_keys" and new not in entry.detail


def test_keys_of_the_setting_itself_are_explained(operator: Visitor) -> None:
    page = operator.get(f"{HOME}/keys").text
    refused = operator.send(f"{HOME}/keys")

    assert "pbem keys rotate" in page
    assert "Create a new key" not in page
    assert refused.status_code == 400
    assert acts()[-1] == "step_up"


def test_a_file_that_is_gone_or_broken_is_told(operator: Visitor, keys_file: Path) -> None:
    keys_file.write_text("short")
    refused = operator.send(f"{HOME}/keys")
    assert (refused.status_code, "under 32 characters" in refused.text) == (400, True)
    keys_file.unlink()
    assert operator.send(f"{HOME}/keys").status_code == 400
    assert acts()[-1] == "step_up"


# --- rehearsals -----------------------------------------------------------------------------------


def test_a_wish_is_fulfilled_by_the_worker_and_its_result_shown(
    operator: Visitor, sitting: Sitting
) -> None:
    assert way(operator.send(f"{HOME}/rehearsal")) == f"{HOME}#rehearsal"
    assert "matches replayed: 0 of 1." in operator.get(HOME).text
    assert operator.send(f"{HOME}/rehearsal").status_code == 400
    with store.connected():
        replay_check.work_on_wishes(lambda: NOW)
    assert "All of them fit." in operator.get(HOME).text

    with store.connected():
        store.execute("UPDATE entry SET text = 'zzhidden' WHERE seq = 0")
        store.execute("UPDATE match SET rules_version = 99")
    operator.send(f"{HOME}/rehearsal")
    with store.connected():
        replay_check.work_on_wishes(lambda: NOW)
    page = operator.get(HOME).text
    assert "1 does not fit." in page
    assert "someone has changed the log" in page
    assert "zzhidden" not in page


# --- letters --------------------------------------------------------------------------------------


def test_letters_are_listed_by_state(operator: Visitor, sitting: Sitting) -> None:
    with store.connected():
        store.execute("UPDATE outbox SET last_error = '550 (address) <b>' WHERE state = 'sent'")
    sent = operator.get(f"{HOME}/letters?state=sent").text

    assert f'href="{HOME}/letters/{letters()["turn"]}"' in sent
    assert "550 (address) &lt;b&gt;" in sent
    assert "There is no such email." in operator.get(f"{HOME}/letters").text
    for odd in ("state=x", "after=x", "state=sent&after=9.9.9", "after=1.1"):
        assert operator.get(f"{HOME}/letters?{odd}").status_code == 200


def test_a_letter_that_came_back_is_shown_like_a_refused_one(
    operator: Visitor, sitting: Sitting
) -> None:
    with store.connected():
        letter = newest(sitting.bob)
        come_back(letter, "hard", NOW + 60)
    listed = operator.get(f"{HOME}/letters?state=returned").text
    assert f"{HOME}/letters/{letter}" in listed and "5.1.1 came back" in listed
    page = operator.get(f"{HOME}/letters/{letter}").text
    assert "Came back for good" in page and "Try again now" not in page

    player = operator.get(f"/admin/players/{sitting.bob}").text
    assert "refuses emails" in player and "5.1.1 came back" in player
    assert "1 address refuses emails." in operator.get("/admin/").text


def test_letters_are_paged(operator: Visitor, sitting: Sitting) -> None:
    with store.connected(), store.writing():
        for number in range(120):
            store.execute(
                "INSERT INTO outbox (dedupe, stream, kind, player_id, about, epoch, state,"
                " attempts, next_at, lease_by, lease_until, last_error, created_at)"
                " VALUES (?, 's', 'you', 1, '{}', 0, 'dead', 3, ?, '', 0, '', ?)",
                f"k{number}",
                NOW + number // 3,
                NOW,
            )
    seen, path = list[str](), f"{HOME}/letters?state=dead"
    while path:
        page = operator.get(path).text
        seen += re.findall(rf'href="{HOME}/letters/(\d+)"', page)
        more = re.search(r'href="([^"]+)" rel="next"', page)
        path = more[1].replace("&amp;", "&") if more else ""

    assert len(seen) == len(set(seen)) == 120


@pytest.mark.parametrize("odd", ["0", "x", "-1", "9" * 30, "%00", "1.5"])
def test_a_letter_that_is_not_there(operator: Visitor, odd: str) -> None:
    for path in (f"{HOME}/letters/{odd}", f"{HOME}/letters/{odd}/abort"):
        assert operator.get(path).status_code == 404
    assert operator.send(f"{HOME}/letters/{odd}/retry").status_code == 404


def test_no_letter_shows_a_card_or_a_link(operator: Visitor, sitting: Sitting) -> None:
    token = re.compile(r"[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{43}")
    put_off("kind IN ('turn', 'started')")
    with store.connected():
        numbers = [n for (n,) in store.rows("SELECT id FROM outbox")]
        ((turn_letter, raw),) = store.rows("SELECT id, mime FROM outbox WHERE kind = 'turn'")
    written = sealing.opened(PURPOSE, turn_letter, bytes(raw))
    assert written is not None
    part = opened(written).get_body(("plain",))
    assert part is not None and CANARY.search(part.get_content()), "it tells of cards"
    for number in numbers:
        page = operator.get(f"{HOME}/letters/{number}")
        assert page.status_code == 200
        assert not CANARY.search(page.text)
        assert not token.search(page.text)
    turn = operator.get(f"{HOME}/letters/{letters()['turn']}").text
    assert "The content of such emails is not shown" in turn
    assert "X-PBEM-Kind" in turn


def test_a_harmless_letter_is_shown_without_its_links(operator: Visitor, sitting: Sitting) -> None:
    with store.connected():
        store.execute("UPDATE match SET status = 'forming'")
        store.execute("UPDATE seat SET status = 'invited'")
    put_off("kind = 'invitation'")
    page = operator.get(f"{HOME}/letters/{letters()['invitation']}").text

    assert "/join/(hidden)" in page
    assert "The content of such emails is not shown" not in page


def test_a_letter_is_tried_again_and_given_up(operator: Visitor, sitting: Sitting) -> None:
    number = letters()["turn"]
    one = f"{HOME}/letters/{number}"
    assert "Try again now" not in operator.get(one).text, "it has left"
    assert operator.send(f"{one}/retry").status_code == 400
    with store.connected():
        store.execute("UPDATE outbox SET state = 'dead' WHERE id = ?", number)
    assert way(operator.send(f"{one}/retry")) == one
    assert "waiting" in operator.get(one).text
    assert "the clock of that turn does not start" in operator.get(f"{one}/abort").text
    assert operator.send(f"{one}/abort", reason="").status_code == 400
    assert way(operator.send(f"{one}/abort", reason="the address is wrong")) == one

    page = operator.get(one).text
    assert "given up by an operator: the address is wrong" in page
    assert acts()[-2:] == ["retry_letter", "abort_letter"]


def test_an_operator_who_plays_leaves_letters_of_the_match_alone(
    app: Flask, sitting: Sitting, clock: Clock
) -> None:
    with store.connected():
        ann = with_password(ANN, "operator")
        store.execute("UPDATE outbox SET state = 'dead'")
    visitor = Visitor(app)
    visitor.log_in(ann, NOW)
    clock.now += STEP
    visitor.send("/admin/step-up", code=ann.code(clock.now))
    one = f"{HOME}/letters/{letters()['turn']}"

    assert "You are involved in this match" in visitor.get(one).text
    assert "Try again now" not in visitor.get(one).text
    for act in ("retry", "abort"):
        refused = visitor.send(f"{one}/{act}", reason="I would win")
        assert (refused.status_code, "you are involved" in refused.text) == (400, True)
    assert acts()[-1] == "step_up"
