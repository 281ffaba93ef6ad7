"""What is taken out of a line, and what is left in it."""

from __future__ import annotations

import pytest

from pbem.logs.hiding import hide, hide_in_path
from tests.kit.nginx import DEPLOY

TOKEN = "eyJtIjoiTS04NDIxMyJ9.aBcDeFgHiJkLmNoPqRsTuVwXyZ0"


@pytest.mark.parametrize(
    "line",
    [
        f"Exception on /t/{TOKEN} [GET]",
        f"Exception on /o/{TOKEN}?word=abcde [POST]",
        f"GET http://127.0.0.1:8000/join/{TOKEN} failed",
        f"//t/{TOKEN}",
        f"/%74/{TOKEN}",
        f"token {TOKEN}",
        f"/nowhere?token={TOKEN}",
        "550 5.1.1 <ann@example.org>: Recipient address rejected",
        "why=ann@example.org",
        "RCPT TO:<ann%40example.org>",
        "r1-mfrggzdfmztwq2lknnwg23tpobyxe43u@play.example.org is unknown",
        "secret 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "Cookie: __Host-admin=kHf3mZ0p9Xw4tB7yQ2sVnA",
        "postgresql://pbem:hunter2@db.example.org/pbem is away",
    ],
)
def test_secrets_are_taken_out(line: str) -> None:
    hidden = hide(line)
    for secret in (TOKEN, TOKEN.split(".")[0], "example.org", "9f86d0", "kHf3mZ0p", "hunter2"):
        assert secret not in hidden


@pytest.mark.parametrize(
    "line",
    [
        "unsent letter=41 kind=turn why=SMTPServerDisconnected in deliver:120",
        "a turn waited for nothing match=M-84213 turn=17",
        "Exception on /rules/iron_curtain [GET]",
        "Exception on /match/M-84213/replay [GET]",
        "nobody has ticked for 900 s; every running clock gets them back",
        "Listening at: http://127.0.0.1:8000 (4711)",
        "pbem.services.operations.monitoring.exposition has failed",
    ],
)
def test_what_operators_need_stays(line: str) -> None:
    assert hide(line) == line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/", "/"),
        ("/watch", "/watch"),
        ("/match/M-84213/replay", "/match/M-84213/replay"),
        (f"/t/{TOKEN}", "/t/..."),
        (f"//t/{TOKEN}", "/t/..."),
        ("/t/my secret words", "/t/..."),
        (f"/rules/../t/{TOKEN}", "/rules/..."),
        (f"/{TOKEN}", "/......."),
        ("/ann@example.org", "..."),
        ("/a b\nc", "/a_b_c"),
        ("/rules/\x1b[2J\x00x", "/rules/_[2J_x"),
    ],
)
def test_of_a_path_with_a_token_its_first_word_is_told(path: str, shown: str) -> None:
    assert hide_in_path(path) == shown


def test_nginx_and_gunicorn_tell_the_same_paths_whole() -> None:
    assert '"~^/(rules|match|static)/"   $uri;' in (DEPLOY / "nginx.conf").read_text()
