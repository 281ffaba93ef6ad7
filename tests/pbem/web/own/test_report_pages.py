"""Reporting by the link of a letter: the form, the page of the report, and what neither shows."""

from __future__ import annotations

import base64
import re
from html import unescape
from random import Random
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice
from pbem.db import store
from pbem.links import Links, ReportLink, ThreadLink
from pbem.services.letters import outbox
from pbem.services.match import joining, matches, messages, turns
from pbem.services.moderation import report_answers
from pbem.services.moderation.report_answers import Answer
from pbem.services.players import accounts
from pbem.services.records import epochs
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import personal_data, reports
from pbem.services.self_service.reports import OPEN
from pbem.services.staff.moderators import MODERATOR
from pbem.web.shared.headers import policy
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.pbem.table import HOSTILE, Table, canary_deck, tampered
from tests.pbem.visiting import KEYS, NOW, Clock, everything, forms
from tests.services.people import ANN, BOB, EVE, an_order, id_of, wanted

MO = ModeratorRecord(1, "mo@example.org", "Mo", MODERATOR, NOW, None, "", "", 0, None, 0)


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    """Ann (USA) and Bob (USSR, who reads German), and what Ann wrote to him."""
    table = Table(client, links)
    with store.connected():
        messages.say(table.id, 0, "You <b>shoe</b>!\nReally.", NOW)
    return table


def link_to(table: Table, address: str, letter: str = "message", **change: Any) -> ReportLink:
    seat = 0 if address == ANN else 1
    with store.connected():
        player = get_player(id_of(address))
        values = {"player": player.id, "match": table.id, "seat": seat, "at": NOW, **change}
        values = {"epoch": player.epoch, **values}
    return ReportLink(letter=letter, **values)


def form_path(table: Table, address: str, letter: str = "message", **change: Any) -> str:
    return f"/report/{table.links.sign('report', link_to(table, address, letter, **change))}"


def kept() -> list[reports.Report]:
    with store.connected():
        return [listed.report for listed in report_answers.page(None).reports]


def send(table: Table, path: str, about: str, text: str = "Read this.") -> TestResponse:
    return table.client.post(path, data={"about": about, "text": text})


def answer(report: int, text: str, closes: bool = False) -> None:
    with store.connected():
        after = reports.lines(report)[-1].id
        report_answers.answer(MO, report, Answer(text, after, closes), NOW + 5)


# --- the form -------------------------------------------------------------------------------------


def test_a_report_from_letter_to_page(table: Table) -> None:
    path = form_path(table, ANN, "turn")
    with store.connected():
        messages.say(table.id, 1, "You dawdle.", NOW)
    before = everything()
    page = table.client.get(path)
    assert page.status_code == 200
    assert everything() == before
    (form,) = forms(page.text)
    assert (form.action, form.method) == (path, "post")
    (key,) = re.findall(r'value="(message:\d+)"', page.text)

    sent = send(table, path, key, "I do not like <i>this</i>.\nAt all.")
    assert sent.status_code == 303
    thread = table.client.get(sent.headers["Location"])
    assert thread.status_code == 200
    assert "The moderators have your report." in thread.text
    assert "I do not like &lt;i&gt;this&lt;/i&gt;.\nAt all." in thread.text
    assert "You dawdle." in thread.text
    (report,) = kept()
    assert (report.state, report.about, report.words) == (OPEN, "message", "You dawdle.")
    assert report.subject == number_of(BOB)


def number_of(address: str) -> int:
    with store.connected():
        return id_of(address)


def test_the_form_offers_the_letter_the_message_the_name_and_conduct(table: Table) -> None:
    page = table.client.get(form_path(table, BOB), headers={"Accept-Language": "fr"}).text
    offered = re.findall(r'<input type="radio"[^>]* value="([\w:]+)"', page)

    assert '<html lang="de">' in page
    assert [key.partition(":")[0] for key in offered] == [
        *("letter", "message", "conduct", "name", "other"),
    ]
    assert "You &lt;b&gt;shoe&lt;/b&gt;!" in page
    assert "Ann" in page


@pytest.mark.parametrize(
    ("letter", "chosen"),
    [("invitation", "letter"), ("stand_in", "letter"), ("message", "message"), ("turn", None)],
)
def test_what_is_likely_is_chosen_already(table: Table, letter: str, chosen: str | None) -> None:
    page = table.client.get(form_path(table, BOB, letter)).text
    found = re.findall(r'value="([a-z]+)(?::\d+)?" required checked', page)
    assert found == ([chosen] if chosen else [])


@pytest.mark.parametrize("letter", ["confirm", "invitation"])
def test_somebody_who_was_never_here_can_report(
    client: FlaskClient, links: Links, letter: str
) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
        if letter == "invitation":
            joining.confirmed(id_of(ANN), NOW)
        who = id_of(ANN if letter == "confirm" else BOB)
        epoch = get_player(who).epoch
    seat = -1 if letter == "confirm" else 1
    path = f"/report/{links.sign('report', ReportLink(who, letter, NOW, match, seat, epoch))}"
    page = client.get(path)
    assert page.status_code == 200
    sent = client.post(path, data={"about": "letter", "text": "Who gave you my address?"})

    assert sent.status_code == 303
    (report,) = kept()
    assert (report.about, report.letter, report.match) == ("letter", letter, match)


def test_what_was_typed_stays_when_something_is_missing(table: Table) -> None:
    path, before = form_path(table, ANN), everything()
    for about, text in [("", "Read <this>."), ("name:9", "Read <this>."), ("letter", " ")]:
        answer = send(table, path, about, text)
        assert answer.status_code == 400
        assert "This did not work" in answer.text
        (form,) = forms(answer.text)
        assert form.fields["text"] == text or text in unescape(answer.text)
    assert everything() == before


def test_hostile_words_are_escaped_or_refused(table: Table) -> None:
    for number, text in enumerate(HOSTILE.values()):
        typed = text.encode("utf-8", "surrogatepass")
        for usual, field in [({"text": b"Read this."}, "about"), ({"about": b"letter"}, "text")]:
            path = form_path(table, ANN, at=NOW + number)
            answer = table.client.post(path, data={**usual, field: typed})
            assert answer.status_code in (303, 400, 413)
            pages = [answer.text, table.client.get(path).text]
            if answer.status_code == 303:
                pages.append(table.client.get(answer.headers["Location"]).text)
            for page in pages:
                assert "<script>" not in page
                outside = re.sub(r"(?s)<textarea.*?</textarea>", "", page)  # there, only the typist
                assert "\u202e" not in outside


def test_huge_forms_are_refused_and_leave_nothing(table: Table) -> None:
    path, before = form_path(table, ANN), everything()
    for length in (reports.LONGEST + 1, 20_000, 100_000):
        assert send(table, path, "letter", "x" * length).status_code in (400, 413)
    assert send(table, path, "x" * 20_000, "Read this.").status_code in (400, 413)
    assert everything() == before


def test_the_sixth_open_report_is_refused_in_words(table: Table) -> None:
    path = form_path(table, ANN)
    for number in range(reports.MOST_OPEN):
        assert send(table, path, "other", f"Number {number}").status_code == 303
    refused = send(table, path, "other", "One more")
    assert refused.status_code == 400
    assert "5 of your reports are waiting for an answer" in refused.text
    assert len(kept()) == reports.MOST_OPEN


def test_a_button_pressed_twice_reports_once(table: Table) -> None:
    path = form_path(table, ANN)
    ways = {send(table, path, "letter").headers["Location"] for _ in range(2)}
    assert len(ways) == 1
    assert len(kept()) == 1


# --- links ----------------------------------------------------------------------------------------


def test_a_link_outlives_revoked_links_and_seats(table: Table) -> None:
    path = form_path(table, ANN)
    with store.connected():
        matches.revoke_links(table.id, 0, NOW + 1)
        epochs.raise_player(id_of(ANN), NOW + 1)
    assert table.client.get(path).status_code == 200
    made = send(table, path, "letter")
    assert (made.status_code, len(kept())) == (200, 1)
    assert "Location" not in made.headers
    assert "/thread/" not in made.text, "the answer comes to the mailbox"


def test_no_altered_link_opens_anything(table: Table) -> None:
    chance = Random(2027)
    made = send(table, form_path(table, ANN), "letter").headers["Location"]
    before, bodies = everything(), set()
    for path in (form_path(table, ANN), made):
        head, _, token = path.rpartition("/")
        for _ in range(40):
            odd = f"{head}/{tampered(token, chance.randrange)}"
            for call in (table.client.get, table.client.post):
                answer = call(odd)
                assert answer.status_code in (404, 405), odd
                if answer.status_code == 404:
                    bodies.add(re.sub(r"<link rel=.canonical.*?>", "", answer.text))
    assert len(bodies) == 1
    assert everything() == before


def test_links_of_other_purposes_open_no_report(table: Table, links: Links) -> None:
    report, thread = link_to(table, ANN), ThreadLink(1, 1, NOW)
    send(table, form_path(table, ANN), "letter")
    for path in (
        f"/report/{links.sign('thread', thread)}",
        f"/thread/{links.sign('report', report)}",
        f"/report/{table.seat_path(0).rpartition('/')[2]}",
        f"/thread/{table.seat_path(0).rpartition('/')[2]}",
        f"/seat/{links.sign('report', report)}",
        f"/you/{links.sign('report', report)}",
        f"/you/{links.sign('thread', thread)}",
        f"/t/{links.sign('report', report)}",
    ):
        assert table.client.get(path).status_code == 404, path


def test_the_link_of_one_player_opens_no_report_of_another(table: Table, links: Links) -> None:
    send(table, form_path(table, ANN), "letter", "Words of Ann")
    (report,) = kept()
    with store.connected():
        bob = get_player(id_of(BOB))
    path = f"/thread/{links.sign('thread', ThreadLink(report.id, bob.id, bob.epoch))}"
    before = everything()

    assert table.client.get(path).status_code == 404
    assert table.client.post(path, data={"text": "Mine."}).status_code in (400, 404)
    assert everything() == before


def test_renewed_links_shut_the_page_of_a_report(table: Table) -> None:
    path = send(table, form_path(table, ANN), "letter", "Words of Ann").headers["Location"]
    with store.connected():
        epochs.raise_player(id_of(ANN), NOW + 1)
    for answer in (table.client.get(path), table.client.post(path, data={"text": "More."})):
        assert answer.status_code == 410
        assert "Words of Ann" not in answer.text
    assert send(table, form_path(table, ANN), "other", "Again.").status_code == 303


def test_who_has_left_has_no_links_any_more(table: Table) -> None:
    form = form_path(table, ANN)
    thread = send(table, form, "letter").headers["Location"]
    with store.connected():
        matches.resign(table.id, 0, NOW)
        personal_data.delete(id_of(ANN), NOW)
    for path in (form, thread):
        assert table.client.get(path).status_code == 404
        assert table.client.post(path, data={"about": "letter", "text": "x"}).status_code == 404


def test_tokens_say_nothing_that_the_letter_does_not(table: Table) -> None:
    token = form_path(table, ANN).rpartition("/")[2].partition(".")[0]
    said = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
    assert said == f'[{number_of(ANN)},"message",{NOW},"{table.id}",0,{NOW}]'


def test_another_site_cannot_report(table: Table) -> None:
    path, before = form_path(table, ANN), everything()
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test"}):
        data = {"about": "letter", "text": "Forged."}
        assert table.client.post(path, data=data, headers=headers).status_code == 403
    assert everything() == before


def test_pages_are_private_and_kept_nowhere(table: Table) -> None:
    form = form_path(table, ANN)
    for path in (form, send(table, form, "letter").headers["Location"]):
        page = table.client.get(path)
        assert page.headers["Cache-Control"] == "no-store"
        assert page.headers["X-Robots-Tag"] == "noindex"
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["Content-Security-Policy"] == policy()
        assert 'rel="canonical"' not in page.text
        assert BOB not in page.text


# --- going on -------------------------------------------------------------------------------------


def test_the_exchange_goes_on_by_letter_and_link(table: Table, clock: Clock) -> None:
    send(table, form_path(table, ANN), "conduct:1", "He dawdles.")
    (report,) = kept()
    answer(report.id, "We look <here>.", closes=True)
    bag = Bag()
    with store.connected():
        outbox.drain(office_with(bag)._replace(links=Links(KEYS, "")), WORKER, NOW + 6)
    (letter,) = [one for one in bag.letters if one["X-PBEM-Kind"] == "answer"]
    assert str(letter["To"]) == ANN
    assert "| We look <here>." in text_of(letter)
    assert "mo@example.org" not in letter.as_string() + text_of(letter) + html_of(letter)
    (path,) = re.findall(r"(?m)^(/thread/\S+)$", text_of(letter))

    page = table.client.get(path)
    assert "We look &lt;here&gt;." in page.text
    assert "A moderator, " in page.text
    assert "This report is closed." in page.text
    assert "mo@example.org" not in page.text
    again = table.client.post(path, data={"text": "He dawdles still."})
    assert (again.status_code, again.headers["Location"]) == (303, path)
    assert kept()[0].state == OPEN
    refused = table.client.post(path, data={"text": " "})
    assert refused.status_code == 400
    assert "He dawdles still." in refused.text


def test_the_reported_side_learns_nothing_of_it(table: Table) -> None:
    bag = Bag()
    with store.connected():
        outbox.drain(office_with(bag), WORKER, NOW + 5)
    before = {path: table.client.get(path).text for path in _pages_of_bob(table)}
    send(table, form_path(table, ANN), "conduct:1", "Zq dawdles.")
    answer(kept()[0].id, "Zq we look.")
    with store.connected():
        outbox.drain(office_with(bag), WORKER, NOW + 6)

    assert {path: table.client.get(path).text for path in _pages_of_bob(table)} == before
    to_bob = [one for one in bag.letters if str(one["To"]) == BOB]
    assert to_bob
    assert not [one for one in to_bob if "Zq" in text_of(one) + html_of(one)]


def _pages_of_bob(table: Table) -> list[str]:
    return [table.seat_path(1), table.turn_path(), f"/match/{table.id}", form_path(table, BOB)]


# --- hidden things --------------------------------------------------------------------------------


def test_no_page_or_letter_of_a_report_names_a_hidden_card(app: Flask, links: Links) -> None:
    table, choice = Table(app.test_client(), links, {"deck": canary_deck()}), QuickDice(b"zq")
    with store.connected():
        messages.say(table.id, 0, "Hello.", NOW)
        turns.give_any_time(table.id, 0, "standing all never", NOW)
        for _ in range(9):
            turn, order = an_order(table.id, choice)
            turns.submit(turn.id, [order], NOW)
    texts, bag = list[str](), Bag()
    for address in (ANN, BOB):
        for letter in ("turn", "message", "invitation", "moderated", "stand_in"):
            form = form_path(table, address, letter)
            texts.append(table.client.get(form).text)
        for about in ("letter", "conduct:0", "conduct:1", "name:0", "name:1"):
            sent = send(table, form, about)
            texts.append(sent.text)
            if sent.status_code == 303:
                texts.append(table.client.get(sent.headers["Location"]).text)
    for report in kept():
        answer(report.id, "We look.")
    with store.connected():
        outbox.drain(office_with(bag), WORKER, NOW + 6)
    answers = [one for one in bag.letters if one["X-PBEM-Kind"] == "answer"]
    texts += [text_of(one) + html_of(one) for one in answers]

    assert len(answers) == 6
    assert not [text for text in texts if "canary" in text.lower()]


def test_who_was_only_invited_reads_no_messages(table: Table, links: Links) -> None:
    with store.connected():
        eve = accounts.known_or_new(EVE, NOW).id
    for letter in ("stand_in", "invitation"):
        link = ReportLink(eve, letter, NOW, table.id, 1)
        assert "shoe" not in table.client.get(f"/report/{links.sign('report', link)}").text
