"""Envelopes are found in headers, where nobody hands them over."""

from __future__ import annotations

import pytest

from pbem.incoming.ways import envelopes

DOMAIN = "play.example"
ONE, TWO = f"r1-abc@{DOMAIN}", f"r2-def@{DOMAIN}"


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (f"To: {ONE}", [ONE]),
        (f"To: pbem <{ONE.upper()}>", [ONE]),
        (f"To: bob@example.org,\r\n\t{ONE}, <{TWO}>", [ONE, TWO]),
        (f"Delivered-To: {ONE}\r\nTo: {ONE}\r\nCc: {TWO}", [ONE, TWO]),
        (f"X-Original-To: {ONE}", [ONE]),
        (f"Envelope-To: {ONE}", [ONE]),
        (f"References: <x.{ONE}>\r\nSubject: {ONE}\r\nTo: ann@example.org", []),
        (f"Subject: x\r\n\r\nTo: {ONE}", []),
        (f"To: {ONE}.evil.example", []),
        ("To:", []),
        ("", []),
    ],
)
def test_recipients_of_our_domain(head: str, found: list[str]) -> None:
    assert envelopes.recipients(f"{head}\r\n\r\nhello".encode(), DOMAIN) == found
    assert envelopes.recipients(f"{head}\n\nhello".replace("\r", "").encode(), DOMAIN) == found


def test_nobody_looks_at_a_thousand() -> None:
    many = ", ".join(f"r{n}-x@{DOMAIN}" for n in range(1_000))

    assert len(envelopes.recipients(f"To: {many}\r\n\r\n".encode(), DOMAIN)) == envelopes.MOST


@pytest.mark.parametrize(
    ("head", "sender"),
    [
        ("Return-Path: <bob@example.org>\r\nFrom: B <b@x.example>", "bob@example.org"),
        ("Return-Path: <>\r\nFrom: MAILER-DAEMON@x.example", ""),
        ("From: B <b@x.example>", "b@x.example"),
        ("Subject: nobody", ""),
        ("\udcff: \udcff", ""),
    ],
)
def test_the_sender(head: str, sender: str) -> None:
    raw = f"{head}\r\n\r\nReturn-Path: <eve@example.org>".encode(errors="surrogateescape")

    assert envelopes.sender(raw) == sender
