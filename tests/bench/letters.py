"""Letters: building one beside its bare rendering, draining a queue beside bare smtplib.

python -m tests.bench.letters     # both tables alone
"""

from __future__ import annotations

import asyncio
import re
import smtplib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

from aiosmtpd.smtp import SMTP, Envelope, Session

from engine.chance import QuickDice
from pbem import i18n, sealing
from pbem.db import store
from pbem.key_ring import ring
from pbem.links import Links
from pbem.mail import mime, rendering
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import composing, outbox
from pbem.services.letters.claims import PURPOSE, claim
from pbem.services.letters.kinds import registry
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import turns
from pbem.services.players import accounts
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from tests.bench.measuring import ROUNDS, Ratio, compare, report
from tests.services.people import NOW, an_order, sit_down, turn_of

LETTERS = 200
QUEUE = 300
MOVES = 25
HOUR = 3_600
BASE_URL = "https://play.example"


# --- building -------------------------------------------------------------------------------------


def building() -> list[Ratio]:
    """A turn letter in the middle of a match: both parts and MIME beside its bare templates."""
    with _store():
        claimed, office = _turn_letter()
        with patch("pbem.mail.play_letters.compose", wraps=rendering.compose) as composed:
            registry.compose(claimed._replace(about={"from": 1}), office.links, NOW)
        (kind, reader), values = composed.call_args
        shown = {"reader": reader, **values, "sealed": [values["table"]]}
        headers = [("From", "pbem <pbem@play.example>"), ("To", "bob@example.org")]
        headers += [("Message-ID", "<o.0.1.0@play.example>"), *composing.headers(office, claimed)]
        texts, pages = rendering._environments(rendering.WIDTH)
        subject, text, page = (
            texts.get_template("turn/subject.txt"),
            texts.get_template("turn/body.txt"),
            pages.get_template("turn/body.html"),
        )

        with i18n.speaking(reader.language):
            shown["preview"] = rendering.preview(text.render(shown))

        def ours() -> int:
            for _ in range(LETTERS):
                letter = rendering.compose(kind, reader, **values)
                mime.build([("Subject", letter.subject), *headers], letter.text, letter.html)
            return LETTERS

        def bare() -> int:
            with i18n.speaking(reader.language):
                for _ in range(LETTERS):
                    subject.render(shown)
                    text.render(shown)
                    page.render(shown, subject="")
            return LETTERS

        def from_the_log() -> int:
            for _ in range(LETTERS):
                composing.build(office, claimed, NOW)
            return LETTERS

        return [
            compare("a turn letter as bytes / its bare Jinja rendering", ours, bare, ">= 0.5"),
            compare("a turn letter from the log / the same", from_the_log, bare, "none"),
        ]


def _turn_letter() -> tuple[QueuedLetter, MailSettings]:
    """The newest turn letter of a match that has been going on for a while."""
    ring.use(lambda: ("k" * 40,))
    sitting, choice = sit_down(NOW), QuickDice(b"letters")
    for number in range(MOVES):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + number)
    turn = turn_of(sitting.match)
    store.execute("UPDATE outbox SET state = 'sent' WHERE turn IS NULL OR turn <> ?", turn.id)
    (claimed,) = claim("bench", NOW + MOVES)
    office = MailSettings(
        Links(("k" * 40,), BASE_URL), "pbem@play.example", "play.example", b"k", _Never()
    )
    return claimed, office


class _Never:
    """A transport that is not used."""

    def deliver(self, parcels: Any) -> Iterator[None]:
        raise AssertionError("nothing is sent here")

    def close(self) -> None:
        pass


# --- draining -------------------------------------------------------------------------------------


def draining() -> list[Ratio]:
    """A queue of ready letters over one connection beside bare smtplib with the same bytes."""
    return [
        _draining("draining / bare smtplib, a server without pipelining", False, ">= 0.85"),
        _draining("draining / bare smtplib, a server with pipelining", True, ">= 0.85, aim > 1"),
    ]


def _draining(what: str, pipelining: bool, aim: str) -> Ratio:
    with _store(), _server(pipelining) as port:
        body = _queue(QUEUE * ROUNDS)
        transport = SmtpTransport(f"smtp://127.0.0.1:{port}", "play.example")
        office = MailSettings(
            Links(("k" * 40,), BASE_URL), "pbem@play.example", "play.example", b"k", transport
        )
        rounds, link = (
            count(NOW, HOUR),
            smtplib.SMTP("127.0.0.1", port, local_hostname="play.example"),
        )

        def ours() -> int:
            return outbox.drain(office, "bench", next(rounds)).sent

        def bare() -> int:
            for number in range(QUEUE):
                link.sendmail("pbem@play.example", [f"p{number}@example.org"], body)
            return QUEUE

        try:
            return compare(what, ours, bare, aim)
        finally:
            link.close()
            office.close()


def _queue(size: int) -> bytes:
    """Ready letters as a refusal leaves them, each in a stream of its own; one body.

    A round's worth of them is due each hour.
    """
    body = _turn_body()
    with store.writing():
        for number in range(size):
            mail = f"p{number}@example.org"
            player = accounts.known_or_new(mail, NOW)
            letter = letter_queue.to_player(player.id, player.epoch, "you", str(number))
            letter_queue.queue([letter], NOW + number // QUEUE * HOUR)
            raw = re.sub(rb"\r\nTo: [^\r]+", f"\r\nTo: {mail}".encode(), body, count=1)
            ((row,),) = store.rows("SELECT id FROM outbox WHERE player_id = ?", player.id)
            store.execute(
                "UPDATE outbox SET mime = ?, message_id = ?, lease_by = 'bench', lease_until = ?,"
                " refusals = 1 WHERE id = ?",
                sealing.seal(PURPOSE, row, raw),
                f"<{number}>",
                NOW,
                row,
            )
    return body


def _turn_body() -> bytes:
    """The bytes of a real letter, of the usual size."""
    claimed, office = _turn_letter()
    body = composing.build(office, claimed, NOW)
    store.execute("UPDATE outbox SET state = 'sent'")
    return body


@contextmanager
def _store() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        store.open_database(f"sqlite:///{folder}/bench.db")
        with store.connected():
            store.migrate()
            yield


# --- the mail server, in a process of its own -----------------------------------------------------


@contextmanager
def _server(pipelining: bool) -> Iterator[int]:
    command = [sys.executable, "-m", "tests.bench.letters", "pipelining" if pipelining else "plain"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


class _Taking:
    """Takes every letter and keeps none."""

    def __init__(self, pipelining: bool) -> None:
        self.offers = ["250-PIPELINING"] if pipelining else []

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, host: str, replies: list[str]
    ) -> list[str]:
        session.host_name = host
        return [replies[0], *self.offers, *replies[1:]]

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return "250 2.0.0 OK"


def serve(pipelining: bool) -> None:
    """Listen on a port of its own choosing, and say which."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(_Taking(pipelining)), "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(run())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1] == "pipelining")
    else:
        print(report([*building(), *draining()]))
