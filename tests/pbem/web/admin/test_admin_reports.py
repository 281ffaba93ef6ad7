"""Reports on the moderators' pages: found, read, answered and closed; shut to who has a part."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from pbem.db import store
from pbem.links import Links, ReportLink
from pbem.services.match import messages
from pbem.services.moderation import report_answers
from pbem.services.records import audit_log
from pbem.services.self_service import reports
from pbem.services.self_service.reports import CLOSED, OPEN
from tests.pbem.moderating import Visitor, acts, way
from tests.pbem.table import HOSTILE, Table
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.moderator_kit import OPAL, Staff, with_password
from tests.services.people import ANN, BOB, id_of

WORDS = "He <b>dawdles</b>.\nAlways."


@pytest.fixture
def report(app: Flask, links: Links) -> int:
    """Ann has reported what Bob wrote to her."""
    table = Table(app.test_client(), links)
    with store.connected():
        messages.say(table.id, 1, "You <i>shoe</i>!", NOW)
        link = ReportLink(id_of(ANN), "message", NOW, table.id, 0)
        (said,) = [target for target in reports.targets(link) if target.about == "message"]
        return reports.make(link, said.key, WORDS, NOW).id


def log_in(app: Flask, clock: Clock, address: str) -> Visitor:
    visitor = Visitor(app)
    with store.connected():
        staff = with_password(address)
    assert visitor.log_in(staff, clock.now).status_code == 303
    return visitor


def state(report: int) -> str:
    with store.connected():
        return reports.get(report).state


def last(report: int) -> str:
    with store.connected():
        return str(reports.lines(report)[-1].id)


def letters() -> int:
    with store.connected():
        ((number,),) = store.rows("SELECT COUNT(*) FROM outbox WHERE kind = 'answer'")
    return int(number)


# --- reading and answering ------------------------------------------------------------------------


def test_a_report_from_list_to_letter_and_log(inside: Visitor, report: int) -> None:
    page, path = inside.get("/admin/reports"), f"/admin/reports/{report}"
    assert "1 report is waiting for a moderator." in page.text
    assert f'href="{path}"' in page.text
    assert 'href="/admin/reports"' in inside.get("/admin/").text
    before, done = everything(), acts()
    page = inside.get(path)
    for shown in ("You &lt;i&gt;shoe&lt;/i&gt;!", "He &lt;b&gt;dawdles&lt;/b&gt;.", ANN, BOB):
        assert shown in page.text
    assert re.search(r'href="/admin/matches/table\d"', page.text)
    assert everything() == before
    (form,) = [form for form in forms(page.text) if "text" in form.fields]

    sent = inside.post(path, data={**form.fields, "text": "We look.", "do": "answer"})

    assert way(sent) == path
    assert acts() == [*done, "answer_report"]
    assert (letters(), state(report)) == (1, OPEN)
    assert "We look." in inside.get(path).text
    assert way(inside.send(path, text="Done.", do="close", after=last(report))) == path
    assert acts() == [*done, "answer_report", "close_report"]
    assert (letters(), state(report)) == (2, CLOSED)
    page = inside.get("/admin/reports")
    assert "No report is waiting for a moderator." in page.text
    with store.connected():
        assert audit_log.verify() is None


def test_the_words_of_a_report_are_not_in_the_log(inside: Visitor, report: int) -> None:
    inside.send(f"/admin/reports/{report}", text="Secret words", do="close", after=last(report))
    page = inside.get("/admin/audit").text
    assert f"report {report}" in page
    assert "Secret words" not in page
    assert "dawdles" not in page


def test_a_button_pressed_twice_answers_once(inside: Visitor, report: int) -> None:
    fields = {"text": "We look.", "do": "answer", "after": last(report)}
    assert inside.send(f"/admin/reports/{report}", **fields).status_code == 303
    done = acts()
    again = inside.send(f"/admin/reports/{report}", **fields)

    assert again.status_code == 400
    assert "someone has written in the meantime" in again.text
    assert (acts(), letters()) == (done, 1)


def test_hostile_answers_are_escaped_or_refused(inside: Visitor, report: int) -> None:
    for text in HOSTILE.values():
        typed = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        answer = inside.send(f"/admin/reports/{report}", text=typed, do=typed, after=last(report))
        assert answer.status_code in (303, 400, 413)
        assert inside.send(f"/admin/reports/{report}", text="x", after=typed).status_code == 400
        assert "<script>" not in answer.text + inside.get(f"/admin/reports/{report}").text


def test_without_words_nothing_happens(inside: Visitor, report: int) -> None:
    before, path = everything(), f"/admin/reports/{report}"
    for text in ("", "  ", "x" * (reports.LONGEST + 1), "x" * 30_000):
        for do in ("answer", "close"):
            answer = inside.send(path, text=text, do=do, after=last(report))
            assert answer.status_code in (400, 413)
    assert everything() == before


def test_there_are_no_other_reports(inside: Visitor, report: int) -> None:
    for number in ("0", "99", "x", "-1", "9" * 40, "1.5", "%00"):
        assert inside.get(f"/admin/reports/{number}").status_code == 404
        assert inside.send(f"/admin/reports/{number}", text="x").status_code == 404
    for key in ("nonsense", "open.", "open.x", "shut.3", "open." + "9" * 30):
        page = inside.get(f"/admin/reports?after={key}")
        assert f'href="/admin/reports/{report}"' in page.text


# --- who may not ----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", [ANN, BOB, "bob+mod@example.org"])
def test_who_has_a_part_reads_nothing_of_it(
    app: Flask, clock: Clock, report: int, address: str
) -> None:
    seated, path = log_in(app, clock, address), f"/admin/reports/{report}"
    listed = seated.get("/admin/reports").text
    before = everything()
    answers = [
        seated.get(path),
        seated.send(path, text="Nonsense.", do="close", after=last(report)),
    ]

    assert "You are involved" in listed
    assert f'href="{path}"' not in listed
    assert "table0" not in listed
    for answer in answers:
        assert answer.status_code == 403
        assert "you are involved in this report" in answer.text
        assert not re.search("shoe|dawdles|@example.org</span>, ", answer.text)
    assert everything() == before


def test_another_moderator_and_an_operator_may(app: Flask, clock: Clock, report: int) -> None:
    opal = log_in(app, clock, OPAL)
    path = f"/admin/reports/{report}"
    assert opal.get(path).status_code == 200
    assert opal.send(path, text="Yes.", do="answer", after=last(report)).status_code == 303


def test_strangers_are_sent_to_the_door(app: Flask, visitor: Visitor, mo: Staff) -> None:
    for path in ("/admin/reports", "/admin/reports/1", "/admin/matches/x/glass"):
        assert way(visitor.get(path)).startswith("/admin/login?next=")


# --- lists ----------------------------------------------------------------------------------------


def test_pages_follow_one_another_without_gaps(
    inside: Visitor, report: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_answers, "A_PAGE", 3)
    monkeypatch.setattr(reports, "MOST_OPEN", 99)
    with store.connected():
        link = ReportLink(id_of(BOB), "you", NOW)
        made = [report] + [reports.make(link, "other", f"{n}.", NOW).id for n in range(6)]
    for number in made[1:3]:
        inside.send(f"/admin/reports/{number}", text="Done.", do="close", after=last(number))
    seen, path = list[str](), "/admin/reports"
    for _ in range(4):
        page = inside.get(path).text
        seen += re.findall(r'<td><a href="/admin/reports/(\d+)">', page)
        more = re.search(r'href="([^"]+)" rel="next"', page)
        if more is None:
            break
        path = more[1].replace("&amp;", "&")

    expected = [*made[:2:-1], made[0], *made[2:0:-1]]
    assert [int(number) for number in seen] == expected
