"""What servers say of letters that come back; no failure for now counts as one for good."""

from __future__ import annotations

import pytest

from pbem.incoming.delivery_reports import judged
from pbem.incoming.reading import read
from tests.pbem.incoming.bounces_corpus import ADDRESS, BOUNCES, UNKNOWN, Bounce, postfix
from tests.pbem.incoming.letters import READER


def failure_of(bounce: Bounce) -> str | None:
    report = read(bounce.raw, "", "").report
    return report.failure if report else None


def test_nearly_all_are_classed_right_and_none_too_hard() -> None:
    assert len(BOUNCES) >= 60
    found = {bounce: failure_of(bounce) for bounce in BOUNCES}
    wrong = {bounce.name: failure for bounce, failure in found.items() if failure != bounce.failure}
    assert len(wrong) <= 0.05 * len(BOUNCES), wrong
    assert [name for name, failure in wrong.items() if failure == "hard"] == []


@pytest.mark.parametrize("bounce", BOUNCES, ids=lambda bounce: bounce.name)
def test_each_is_classed_right_and_names_the_address(bounce: Bounce) -> None:
    mail = read(bounce.raw, "", "")
    assert mail.automatic
    assert mail.own_words == ()
    assert (mail.report.failure if mail.report else None) == bounce.failure
    if mail.report:
        assert mail.report.recipients == (ADDRESS,)


def test_the_status_is_kept() -> None:
    report = read(postfix(UNKNOWN), "", "").report
    assert report is not None
    assert report.status == "5.1.1"


def test_of_several_recipients_the_worst_counts() -> None:
    raw = postfix(UNKNOWN._replace(status="4.2.2")).replace(
        b"Reporting-MTA: dns; mx.post.example\n",
        b"Reporting-MTA: dns; mx.post.example\n\nAction: failed\nStatus: 5.1.1\n"
        b"Final-Recipient: rfc822; Bob@post.example\n",
    )
    report = read(raw, "", "").report
    assert report is not None
    assert (report.failure, report.recipients) == ("hard", ("bob@post.example", ADDRESS))


def test_a_person_reports_nothing() -> None:
    raw = f"From: {READER}\r\n\r\n".encode() + b"The following addresses had\n<ann@post.example>\n"
    assert read(raw, READER, "").report is None


def test_an_absence_is_no_failure() -> None:
    raw = b"Auto-Submitted: auto-replied\nFrom: ann@post.example\nSubject: Away\n\nI am away.\n"
    assert read(raw, "", "").report is None


@pytest.mark.parametrize(
    ("status", "reason", "failure"),
    [
        ("5.1.1", "450 4.1.1 try later", "soft"),
        ("5.0.0", "550 5.1.1 unknown user", "hard"),
        ("5.0.0", "", "soft"),
        ("", "550 no such user", "hard"),
        ("", "450 no such user", "soft"),
        ("5.2.2", "user unknown", "soft"),
        ("4.1.1", "user unknown", "soft"),
        ("5.7.1", "user unknown", "hard"),
        ("5.7.1", "rejected by policy: user unknown", "soft"),
    ],
)
def test_only_a_missing_address_is_for_good(status: str, reason: str, failure: str) -> None:
    assert judged(status, reason) == failure
