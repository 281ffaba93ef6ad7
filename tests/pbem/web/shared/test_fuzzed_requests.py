"""Requests that no page of ours makes: whatever is in them, nothing of ours breaks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote_from_bytes

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.db import store
from pbem.links import (
    PATHS,
    BoardLink,
    ConfirmLink,
    JoinLink,
    KeepLink,
    LeaveLink,
    Links,
    ModeratorLink,
    Purpose,
    ReplyLink,
    ReportLink,
    StandLink,
    ThreadLink,
    TurnLink,
    YouLink,
)
from pbem.services.moderation import match_acts, player_acts
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.seats import live_links
from pbem.services.self_service import guests
from pbem.services.self_service.guests import Trial
from pbem.services.staff import admin_sessions
from pbem.services.staff.moderators import OPERATOR
from tests.pbem.moderating import BASE, Visitor
from tests.services.moderator_kit import Staff, with_password
from tests.services.people import ANN, ASKER, NOW, id_of, sit_down

pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file <tempfile.Spooled:ResourceWarning")
"""Werkzeug leaves a part of a broken form to the garbage collector."""
TEMPLATES = Path(__file__).parents[4] / "templates" / "web"
FIELDS = sorted(
    {
        *re.findall(r'name="(\w+)"', "".join(p.read_text() for p in TEMPLATES.rglob("*.html"))),
        *("option_edition", "option_deck", "clock_pace", "clock_bank", "clock_hour", "clock_zone"),
        *("prefix", "order", "page", "after", "before", "q", "credential", "off_sat", "path"),
    }
)
VALUES: list[bytes] = [
    *(
        b"",
        b"\0",
        b"a\0b",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"%",
        b"%(x)s",
        b"{0}",
    ),
    *(b"9" * 5_000, b"-1", b"0", b"1", b"1e400", b"NaN", b"99999999999999999999", b"0x1f", b"1_0"),
    *("１２".encode(), "²".encode(), "٣".encode(), "\u202e".encode(), "a\u0301".encode() * 50),
    *(b"2026-02-30", b"2026-11-18", b"9999-12-31", b"0000-00-00", b"24:00", b"P1D", b"99999d"),
    *(b"x" * 9_000, b"[" * 3_000, b"{" * 3_000, b"[]", b"{}", b"null", b'{"a":1}', b"\r\nBcc: a@b"),
    *(b"ann@example.org", b"a@b", b"@", b"a" * 300 + b"@example.org", b"UTC", b"../../etc/passwd"),
    *(
        b"usa",
        b"ussr",
        b"iron_curtain",
        b"accept",
        b"decline",
        b"send",
        b"add",
        b"en",
        b"de",
        b"zz",
    ),
    *(b"play", b"first usa", b"standing all use", b"<b>", b"'", b'"', b"\\", b"on", b"confirm"),
]
BODIES: list[bytes] = [
    *(b"", b"null", b"[]", b"{}", b'"x"', b"1", b"\xff", b"\0", b"{" * 9_000, b"[" * 9_000, b"NaN"),
    *(b'{"orders": null}', b'{"orders": [1]}', b'{"orders": []}', b'{"orders": [""]}'),
    *(b'{"orders": ["\\ud800"]}', b'{"orders": ["\\u0000"]}', b'{"orders": ["first usa\\u0000"]}'),
    *(b'{"orders": ' + b"9" * 5_000 + b"}", b'{"orders": ["a"], "orders": 1}', b'{"a": 1e999}'),
    b'{"orders": ' + b"[" * 9_000 + b"]" * 9_000 + b"}",
    b'{"orders": [' + b'"first usa",' * 900 + b'"done"]}',
]
KINDS = [
    *("application/x-www-form-urlencoded", "application/json", "multipart/form-data", "text/plain"),
    *("multipart/form-data; boundary=", "multipart/form-data; boundary=\xff", "", "x", "a/b; c=d"),
    *("application/x-www-form-urlencoded; charset=utf-7", "application/json; charset=latin-9"),
]
HEAD = [
    *("Accept-Language", "Cookie", "Origin", "Sec-Fetch-Site", "X-Forwarded-For", "If-None-Match"),
    *("Range", "Content-Encoding", "If-Modified-Since", "Authorization", "User-Agent", "Accept"),
]


PLAUSIBLE = {
    **{"game": b"iron_curtain", "address": b"eve@example.org", "seat": b"usa", "opponent": b""},
    **{
        "name": b"Eve",
        "language": b"fr",
        "zone": b"Europe/Paris",
        "phrase": b"hello",
        "pace": b"3d",
    },
    **{"text": b"a message", "order": b"standing all use", "orders": b"first usa", "do": b"send"},
    **{
        "reason": b"a good reason",
        "days": b"3",
        "until": b"2027-02-01",
        "entry": b"0",
        "hours": b"5",
    },
    **{
        "pattern": b"*@spam.test",
        "number": b"1",
        "sent": b"0",
        "kind": b"other",
        "about": b"letter",
    },
    **{"website": b"", "deck": b"", "option_edition": b"de", "clock_bank": b"72h", "leads": b"24"},
}
"""What a person would type."""
ACTS = [*match_acts.ACTS, *player_acts.ACTS, "no-act"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


class Fuzz:
    """A browser of somebody who means no good, with links that are all in order."""

    def __init__(self, app: Flask, visitor: Visitor, links: Links, seed: int) -> None:
        self.app, self.visitor, self.links = app, visitor, links
        self.chance = random.Random(seed)
        with store.connected():
            sitting = sit_down(NOW)
            self.ann, self.match = id_of(ANN), sitting.match
            self.tried = guests.start(Trial("iron_curtain", {}, "usa"), ASKER, NOW)
            (self.turn,) = open_turns(self.match)

    def link(self, purpose: Purpose) -> str:
        """A token that is in order now, whatever was revoked before."""
        with store.connected():
            match, tried = get_match(self.match), get_match(self.tried)
            seat = match.seat(self.turn.seat)
            ((epoch,),) = store.rows("SELECT epoch FROM player WHERE id = ?", self.ann)
            act = live_links.to_seat(match, seat)
        turn = TurnLink(match.id, seat.number, self.turn.id, seat.epoch)
        found: dict[Purpose, Any] = {
            "turn": turn,
            "order": turn,
            "join": JoinLink(match.id, 0, self.ann, match.seat(0).epoch),
            "confirm": ConfirmLink(self.ann, epoch, match.id),
            "you": YouLink(self.ann, epoch, 0),
            "calendar": YouLink(self.ann, epoch),
            "mute": YouLink(self.ann, epoch),
            "hush": YouLink(self.ann, epoch),
            "guest": live_links.to_guest(tried, tried.seat(0)),
            "kept": JoinLink(tried.id, 0, self.ann, tried.seat(0).epoch),
            "computer": act,
            "boards": BoardLink(self.ann, epoch),
            "act": act,
            "leave": LeaveLink(match.id, seat.number, seat.epoch, NOW, NOW, None, self.ann),
            "reply": ReplyLink(1, match.id, seat.number, seat.epoch),
            "stand": StandLink(1, self.ann, epoch),
            "keep": KeepLink(1, self.ann, epoch),
            "moderator": ModeratorLink(1, NOW),
            "report": ReportLink(self.ann, "turn", NOW, match.id),
            "thread": ThreadLink(1, self.ann, epoch),
        }
        return self.links.sign(purpose, found[purpose])

    def path(self, rule: str) -> str:
        first = rule.partition("<")[0]
        fitting: list[Purpose] = [one for one in PURPOSES if PATHS[one] == first]
        purpose: Purpose = fitting[0] if fitting else "turn"
        odd = ["1", "1", "1", "2", "0", "-1", "9" * 40, "a%00b", "%FF", "x" * 300, "२"]
        filled = rule.replace("<token>", self.link(purpose)) if "<token>" in rule else rule
        filled = filled.replace("<match_id>", self.chance.choice([self.match] * 12 + odd))
        filled = filled.replace("<name>", self.chance.choice(ACTS))
        return re.sub(r"<(?:\w+:)?\w+>", lambda _: self.chance.choice(odd), filled)

    def form(self, fewest: int = 0) -> bytes:
        names = self.chance.sample(FIELDS, self.chance.randint(fewest, 14))
        typed = {name: self.chance.choice(VALUES) for name in names}
        if self.chance.random() < 0.7:  # almost in order: one or two things are odd
            odd = self.chance.sample(sorted(PLAUSIBLE), 2)
            typed = PLAUSIBLE | {name: self.chance.choice(VALUES) for name in odd}
        pairs = [f"{name}={quote_from_bytes(value)}" for name, value in typed.items()]
        if self.chance.random() < 0.1:
            pairs += pairs[:3]  # fields that come twice
        return "&".join(pairs).encode()

    def send(self, rule: str, method: str) -> TestResponse:
        client: FlaskClient = self.visitor.client
        chance, base = self.chance, BASE
        path, body, kind = self.path(rule), b"", ""
        if method == "POST":
            kind = chance.choices([KINDS[0], chance.choice(KINDS)], [3, 1])[0]
            body = self.form(4) if kind == KINDS[0] else chance.choice([*BODIES, self.form()])
            if "multipart" in kind:
                body = self.multipart()
                kind = chance.choice([kind, "multipart/form-data; boundary=x"])
            if rule.startswith("/admin") and kind == KINDS[0]:
                body += f"&csrf={admin_sessions.csrf_of(self.visitor.token)}".encode()
        elif chance.random() < 0.8:
            path += "?" + self.form().decode()
        headers = {}
        if chance.random() < 0.1:
            value = chance.choice(VALUES).decode("latin-1").replace("\r", "").replace("\n", "")
            headers[chance.choice(HEAD)] = value[:4_000]
        return client.open(
            path, method=method, base_url=base, data=body, content_type=kind, headers=headers
        )

    def multipart(self) -> bytes:
        names = [*self.chance.sample(FIELDS, 3), "file", "deck_file"]
        parts = [
            b'--x\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            % (
                name.encode(),
                self.chance.choice([b"", b'; filename="f"', b'; filename="\xff"', b"; filename="]),
                self.chance.choice([*VALUES, *BODIES]),
            )
            for name in names
        ]
        return b"".join(parts) + self.chance.choice([b"--x--\r\n", b"--x", b""])


@pytest.fixture
def base_url() -> str:
    return BASE


@pytest.fixture
def mo(app: Flask) -> Staff:
    """An operator, who may try everything."""
    with store.connected():
        return with_password(role=OPERATOR)


@pytest.fixture
def fuzz(app: Flask, stepped_up: Visitor, links: Links) -> Iterator[Fuzz]:
    yield Fuzz(app, stepped_up, links, seed=12)


LAST = ("/admin/logout", "/admin/sessions/revoke", "/you/<token>/delete", "/seat/<token>/resign")
"""After these most doors are shut, and nothing behind them would be tried."""


def run(fuzz: Fuzz, times: int) -> list[str]:
    """What broke."""
    rules = [
        (rule.rule, method)
        for rule in fuzz.app.url_map.iter_rules()
        for method in ("POST", "GET")
        if method in (rule.methods or ()) and rule.endpoint != "static" and rule.rule not in LAST
    ]
    asked = [rules[number % len(rules)] for number in range(times)]
    broken = []
    for rule, method in [*asked, *((rule, "POST") for rule in LAST)]:
        with fuzz.send(rule, method) as answer:
            answer.get_data()
            if answer.status_code >= 500 and rule != "/healthz":
                broken.append(f"{method} {rule}: {answer.status_code}")
    return broken


@pytest.mark.whole
def test_no_fuzzed_request_breaks_a_page(fuzz: Fuzz) -> None:
    assert run(fuzz, 220) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_fuzzed_request_of_many_breaks_a_page(fuzz: Fuzz, seed: int) -> None:
    fuzz.chance = random.Random(seed)

    assert run(fuzz, 5_000) == []
