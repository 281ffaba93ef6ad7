"""Only what our own mail server says about a sender counts."""

from __future__ import annotations

import pytest

from pbem.incoming.reading import read
from tests.pbem.incoming.letters import READER

OURS = "mx.play.example"
PASS = "dmarc=pass (p=none dis=none) header.from=post.example"
BY_US = f"Received: from out.post.example by {OURS} (Postfix) with ESMTPS id 1; x"
BY_THEM = "Received: from phone by out.post.example with ESMTPSA id 2; x"
BY_LOCALHOST = "Received: from localhost by localhost (Postfix) with LMTP id 3; x"
FROM = f"From: Ann <{READER}>"


def results(words: str, by: str = OURS) -> str:
    return f"Authentication-Results: {by}; {words}"


def judged(*headers: str, authserv_id: str = OURS) -> str:
    raw = "\r\n".join([*headers, "", "1", ""]).encode()
    return read(raw, READER, authserv_id).authentication


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (PASS, "pass"),
        ("dmarc=pass header.from=POST.example", "pass"),
        (f"spf=pass smtp.helo=x;\r\n\tdkim=pass header.d=x.example;\r\n\t{PASS}", "pass"),
        ("dmarc=fail (p=reject) header.from=post.example", "fail"),
        ("dmarc=pass header.from=other.example", "fail"),
        ("dmarc=pass header.from=evil-post.example", "fail"),
        ("dmarc=pass header.from=example", "fail"),
        ("dmarc=pass", "fail"),
        ("dmarc=none header.from=post.example", "none"),
        ("dmarc=temperror header.from=post.example", "none"),
        ("dmarc=bestguesspass header.from=post.example", "none"),
        ("dkim=pass header.d=post.example; spf=pass", "none"),
        ("none", "none"),
        (f"x-note=\"; {PASS}", "none"),
        (f"spf=pass (; {PASS}", "none"),
        (f"dmarc=fail header.from=post.example; {PASS}", "none"),
        ("", "none"),
    ],
)  # fmt: skip
def test_what_our_server_says(words: str, verdict: str) -> None:
    assert judged(results(words), BY_US, BY_THEM, FROM) == verdict


def test_comments_are_no_results() -> None:
    hidden = f"dmarc=fail ({PASS}) header.from=post.example"
    assert judged(results(hidden), BY_US, FROM) == "fail"


@pytest.mark.parametrize("version", ["", " 1"])
def test_its_name_may_have_a_version_and_any_case(version: str) -> None:
    assert judged(results(PASS, f"MX.Play.Example{version}"), BY_US, FROM) == "pass"


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param([results(PASS, "mx.evil.example"), BY_US, FROM], id="another name"),
        pytest.param([results(PASS, f"x{OURS}"), BY_US, FROM], id="name that ends so"),
        pytest.param([results(PASS, f"{OURS}.evil.example"), BY_US, FROM], id="name begins so"),
        pytest.param([BY_US, BY_THEM, results(PASS), FROM], id="written before it was handed on"),
        pytest.param([BY_US, BY_THEM, FROM, results(PASS)], id="written by the sender"),
        pytest.param([BY_LOCALHOST, BY_US, BY_THEM, results(PASS), FROM], id="below all hops"),
        pytest.param([f"ARC-{results(PASS)}", BY_US, FROM], id="said by others"),
        pytest.param([f"X-{results(PASS)}", BY_US, FROM], id="another header"),
        pytest.param([BY_US, FROM, "", results(PASS)], id="in the text"),
        pytest.param([BY_US, FROM], id="nothing said"),
    ],
)  # fmt: skip
def test_forged_results_do_not_count(headers: list[str]) -> None:
    assert judged(*headers) == "none"


@pytest.mark.parametrize(
    "name",
    ["=?utf-8?q?mx.play.example?=", '"mx.play.example"', "(x) mx.play.example", "\0mx.play.example",
     "\x1fmx.play.example", "\u00a0mx.play.example", "\u2028mx.play.example",
     "mx.play.example/1", "mx.play.exam\0ple", "mx.play.example(x)"],
)  # fmt: skip
def test_our_name_in_a_disguise_is_not_ours(name: str) -> None:
    """A rule of the mail server takes only those away that it sees."""
    assert judged(results(PASS, name), BY_US, FROM) == "none"


def test_only_the_topmost_counts() -> None:
    said, forged = results("dmarc=fail header.from=post.example"), results(PASS)
    assert judged(said, forged, BY_US, BY_THEM, FROM) == "fail"
    assert judged(said, BY_US, forged, BY_THEM, FROM) == "fail"
    assert judged(results("spf=pass"), forged, BY_US, FROM) == "none"


@pytest.mark.parametrize(
    "headers",
    [
        [results(PASS), BY_US, BY_THEM, FROM],
        [BY_US, results(PASS), BY_THEM, FROM],
        [BY_LOCALHOST, BY_US, results(PASS), BY_THEM, FROM],
        [results(PASS), BY_LOCALHOST, BY_US, BY_THEM, FROM],
        [results("spf=pass", "spf.other.example"), results(PASS), FROM],
    ],
)  # fmt: skip
def test_our_server_may_write_above_its_own_hop_or_below(headers: list[str]) -> None:
    assert judged(*headers) == "pass"


def test_who_has_no_server_that_checks_believes_nobody() -> None:
    assert judged(results(PASS), BY_US, FROM, authserv_id="") == "none"
    assert judged("Authentication-Results: ; " + PASS, FROM, authserv_id="") == "none"


@pytest.mark.parametrize(
    "sender",
    [
        "From: ann@post.example, eve@evil.example",
        f"{FROM}\r\nFrom: eve@evil.example",
        "From: ann@post.example <eve@evil.example>",
        "From: <eve@evil.example> <ann@post.example>",
        "From: <eve@evil.example>, <ann@post.example>",
        'From: "ann@post.example" eve@evil.example',
        "From: ann@post.example@evil.example",
        "From: group: ann@post.example;",
        "From: ann@post.example (", "From: <@evil.example:ann@post.example>", "From: =?utf-8?q?a?=",
        "From: ann@po\u017ft.example", "From: <ann@\u212apost.example>", "From: \0ann@post.example",
        "Sender: ann@post.example", "From: ann", "From: <>", "From:", "From: ann@post.example\\",
        "From: " + "x" * 1_000 + f" <{READER}>",
    ],
)  # fmt: skip
def test_a_sender_that_can_be_read_in_two_ways_is_none(sender: str) -> None:
    mail = read(f"{results(PASS)}\r\n{sender}\r\n\r\n1".encode(), READER, OURS)
    assert mail.sender == ""
    assert mail.authentication == "none"


@pytest.mark.parametrize(
    "sender",
    [
        "From: ann@post.example", "From: <ANN@Post.Example>", "from:Ann <ann@post.example>",
        'From: "Ann (home), <eve@evil.example>" <ann@post.example>', "From: ann@post.example (Ann)",
        "From: =?UTF-8?Q?M=C3=BCller=2C_Ann?= <ann@post.example>", "From: A\r\n <ann@post.example>",
        "From: Ann Müller <ann@post.example>", 'From: "Müller, \\"Ann\\"" <ann@post.example>',
    ],
)  # fmt: skip
def test_senders_as_programs_write_them(sender: str) -> None:
    mail = read(f"{results(PASS)}\r\n{sender}\r\n\r\n1".encode(), READER, OURS)
    assert mail.sender == READER
    assert mail.authentication == "pass"
