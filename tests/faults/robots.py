"""Players with a mailbox: each letter is read when it comes, and answered by link, page or reply.

A robot knows what its letters and the pages behind them say, and nothing else. Whoever gets no
answer tries again, as people and mail servers do; what was acknowledged goes into the ledger.
"""

from __future__ import annotations

import base64
import email
import heapq
import json
import smtplib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection
from contextlib import suppress
from email.message import Message
from http.client import HTTPConnection, HTTPException
from itertools import count
from random import Random
from typing import NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from tests.e2e.reader import Form, Page, links_in
from tests.faults.deployment import AUTHSERV_ID, BASE, HOST, LOOPBACK
from tests.faults.ledger import Ledger
from tests.kit.smtp_sink import Letter

PATIENCE = 20.0
"""Seconds that a robot waits for an answer."""
AGAIN = 0.5
"""Seconds before it tries again."""
MOST_STEPS = 120
"""Presses after which a turn counts as endless."""
LEFT_ALONE = 8.0
"""Seconds after which a robot opens the page of a turn that it has replied to."""
END_OF_STOP = "done"
"""The order of East & West that ends a stop."""


class NoAnswer(Exception):
    """Nobody answered, or the answer was to come again later."""


class Answer(NamedTuple):
    status: int
    location: str
    text: str


class Told(NamedTuple):
    """What a letter of a turn has for a robot."""

    kind: str
    match: str
    seat: str
    turn: int
    reader: str
    reply_to: str
    message_id: str
    page: str
    """The address of the turn."""
    orders: tuple[str, ...]
    """The addresses of single orders."""


def told_by(letter: Letter) -> Told | None:
    """None for letters that ask for no move."""
    message = email.message_from_bytes(letter.data)
    turn, reply_to = message["X-PBEM-Turn"], str(message["Reply-To"] or "")
    words = _plain(message)
    pages = [url for url in links_in(words, "/t/") if "?" not in url]
    if turn is None or not pages:
        return None
    return Told(
        str(message["X-PBEM-Kind"]),
        str(message["X-PBEM-Match"]),
        str(message["X-PBEM-Seat"]),
        int(turn),
        letter.recipients[0],
        reply_to.rpartition("<")[2].strip("<> "),
        str(message["Message-ID"]),
        pages[0],
        tuple(links_in(words, "/o/")),
    )


def _plain(message: Message) -> str:
    for part in message.walk():
        if part.get_content_type() == "text/plain":
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            return data.decode().replace("\r\n", "\n")
    return ""


def turn_in(url: str) -> tuple[int, str]:
    """Which turn a link names, and which order; that is no secret."""
    payload = urlsplit(url).path.rpartition("/")[2].partition(".")[0]
    _, _, turn, _, *code = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return int(turn), code[0] if code else ""


class Robots:
    """Everybody who plays, as threads that share a list of what to do next."""

    def __init__(
        self,
        port: int,
        lmtp_port: int,
        ledger: Ledger,
        seed: int,
        sheets: Collection[str] = (),
        threads: int = 8,
        think: float = 0.0,
        answers: Callable[[Told], bool] = lambda told: True,
    ) -> None:
        """`sheets` are the matches of a game with an order sheet.

        `think` is how many seconds a player needs at most; who does not answer lets time run.
        """
        self._sheets = sheets
        self.port, self.lmtp_port, self.ledger = port, lmtp_port, ledger
        self.moves = 0
        self._think, self._answers = think, answers
        self._chance = Random(seed)
        self._lock = threading.Condition()
        self._todo: list[tuple[float, int, Callable[[], None]]] = []
        self._number, self._mails = count(), count()
        self._is_over = False
        self._busy = 0
        self.faults: list[str] = []
        """What a robot met that no robot should."""
        self._newest: dict[tuple[str, str], int] = {}
        self._seats = defaultdict[tuple[str, str], threading.Lock](threading.Lock)
        """Whoever has one of these sits before the page of that seat."""
        self._threads = [threading.Thread(target=self._live, daemon=True) for _ in range(threads)]

    def __enter__(self) -> Robots:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """No robot begins anything more; what is under way comes to its end."""
        with self._lock:
            self._is_over = True
            self._lock.notify_all()
        for thread in self._threads:
            thread.join(2 * PATIENCE)

    @property
    def is_idle(self) -> bool:
        with self._lock:
            return not self._busy and not self._todo

    def read(self, letter: Letter) -> None:
        """A letter has come; called by the thread of the mail server."""
        told = told_by(letter)
        if told is None or not self._answers(told):
            return
        self._newest[told.match, told.seat] = told.turn
        self._later(
            lambda: self._alone(told, lambda: self._play(told)), self._chance.random() * self._think
        )

    # --- what to do next --------------------------------------------------------------------------

    def _later(self, act: Callable[[], None], seconds: float) -> None:
        with self._lock:
            heapq.heappush(self._todo, (time.monotonic() + seconds, next(self._number), act))
            self._lock.notify()

    def _live(self) -> None:
        while True:
            with self._lock:
                while not self._is_over and not self._is_due():
                    wait = self._todo[0][0] - time.monotonic() if self._todo else None
                    self._lock.wait(wait)
                if self._is_over:
                    return
                _, _, act = heapq.heappop(self._todo)
                self._busy += 1
            try:
                act()
            except NoAnswer as why:
                self.ledger.refuse(str(why))
                self._later(act, AGAIN * (1 + self._chance.random()))
            except Exception as error:  # a fault of the robot or of the server: told at the end
                self.faults.append(f"{type(error).__name__}: {error}"[:2000])
            finally:
                with self._lock:
                    self._busy -= 1

    def _is_due(self) -> bool:
        return bool(self._todo) and self._todo[0][0] <= time.monotonic()

    # --- a turn -----------------------------------------------------------------------------------

    def _alone(self, told: Told, act: Callable[[], None]) -> None:
        """Nobody sits before two pages at once."""
        seat = self._seats[told.match, told.seat]
        if not seat.acquire(blocking=False):
            self._later(lambda: self._alone(told, act), AGAIN)
            return
        try:
            act()
        finally:
            seat.release()

    def _play(self, told: Told) -> None:
        way, is_sheet = self._chance.random(), told.match in self._sheets
        if told.reply_to and way < 0.35:
            self._reply(told, END_OF_STOP if is_sheet else str(self._chance.randint(1, 3)))
        elif told.orders and way < 0.7:
            self._press_link(self._chance.choice(told.orders), is_sheet)
        else:
            self._finish(told.page, is_sheet)

    def _press_link(self, url: str, is_sheet: bool) -> None:
        turn, code = turn_in(url)
        self._ask("GET", url)
        answer = self._ask("POST", url)
        if answer.status == 303:
            self._noted("code", turn, code)
            if "/t/" in answer.location:
                self._finish(answer.location, is_sheet)

    def _finish(self, url: str, is_sheet: bool) -> None:
        """Whatever is still asked of a seat, on the pages of its turns."""
        for _ in range(MOST_STEPS):
            seen = self._ask("GET", url)
            if seen.status != 200:
                return
            page = Page(urljoin(BASE, url), seen.text)
            if not any(form.id == "orders" for form in page.forms):
                return
            url = (self._end_stop if is_sheet else self._step)(page, url.partition("?")[0])
            if self._is_over:
                return
        raise AssertionError("a turn asks for ever")

    def _step(self, page: Page, url: str) -> str:
        """One random press: a choice, a word of one, or sending what is ready; where that leads."""
        ready = [form for form in page.forms if form.value("do") == "submit"]
        if ready:
            return self._send(ready[0], url)
        leaves = [
            (form, button)
            for form in page.forms
            if form.value("do") == "add"
            for button in form.buttons
        ]
        branches = [link for link in page.links if "?prefix=" in link]
        at = self._chance.randrange(len(leaves) + len(branches))
        if at >= len(leaves):
            return branches[at - len(leaves)]
        form, button = leaves[at]
        answer = self._press(form, button)
        if answer.status == 303:
            self._noted("order", turn_in(url)[0], button[1])
        return url

    def _end_stop(self, page: Page, url: str) -> str:
        """A draft that is ready is sent; else the stop of an order sheet is ended."""
        ready = [form for form in page.forms if form.value("do") == "submit"]
        if ready:
            return self._send(ready[0], url)
        form = next(form for form in page.forms if form.id == "orders")
        form.fields = [(k, END_OF_STOP if k == "orders" else v) for k, v in form.fields]
        answer = self._press(form, ("do", "compose"))
        if answer.status == 303:
            self._noted("order", turn_in(url)[0], END_OF_STOP)
        return url

    def _send(self, form: Form, url: str) -> str:
        answer = self._press(form, ("", ""))
        if answer.status != 303:
            return url
        self._noted("sent", turn_in(url)[0])
        return answer.location if "/t/" in answer.location else url

    def _reply(self, told: Told, words: str) -> None:
        """A number of the list, or an order; who hears nothing of it opens the page."""
        name = f"<{next(self._mails)}.{self.lmtp_port}@example.org>"
        domain = told.reader.partition("@")[2]
        head = [
            f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from={domain}",
            f"From: {told.reader}",
            f"To: {told.reply_to}",
            f"Message-ID: {name}",
            f"In-Reply-To: {told.message_id}",
            "Subject: Re: your turn",
        ]
        self._hand_in(told, "\r\n".join([*head, "", words, ""]).encode(), name)

    def _hand_in(self, told: Told, raw: bytes, name: str) -> None:
        """As a mail server does: until somebody has said 250, or never."""
        client = smtplib.LMTP(local_hostname="client")
        try:
            client.connect(LOOPBACK, self.lmtp_port)
            assert client.sock is not None
            client.sock.settimeout(PATIENCE)
            client.sendmail(told.reader, [told.reply_to], raw)
        except smtplib.SMTPRecipientsRefused as refused:
            ((code, _),) = refused.recipients.values()
            if code < 500:
                self._hand_in_later(told, raw, name, str(code))
            return  # for good: the address is revoked or the match over
        except smtplib.SMTPResponseException as refused:
            self._hand_in_later(told, raw, name, str(refused.smtp_code))
            return
        except (OSError, smtplib.SMTPException) as error:
            self._hand_in_later(told, raw, name, f"LMTP {type(error).__name__}")
            return
        finally:
            with suppress(OSError):
                client.close()
        self._noted("mail", told.turn, f"{told.reply_to.lower()} {name}")
        self._later(lambda: self._alone(told, lambda: self._look_after(told)), LEFT_ALONE)

    def _hand_in_later(self, told: Told, raw: bytes, name: str, why: str) -> None:
        """The same mail once more, under the same name."""
        self.ledger.refuse(why)
        self._later(lambda: self._hand_in(told, raw, name), AGAIN)

    def _look_after(self, told: Told) -> None:
        """Go on with a turn that a reply has only begun."""
        if self._newest.get((told.match, told.seat)) == told.turn:
            self._finish(told.page, told.match in self._sheets)

    def _noted(self, what: str, turn: int, words: str = "") -> None:
        assert what in ("order", "code", "sent", "mail")
        self.ledger.note(what, turn, words)  # type: ignore[arg-type]
        self.moves += what in ("code", "sent")

    # --- the network ------------------------------------------------------------------------------

    def _press(self, form: Form, button: tuple[str, str]) -> Answer:
        values = [*form.fields, *([button] if button[0] else [])]
        return self._ask("POST", form.action, urlencode(values))

    def _ask(self, method: str, url: str, body: str = "") -> Answer:
        """An answer that settles something; NoAnswer for all others."""
        parts = urlsplit(url)
        link = HTTPConnection(LOOPBACK, self.port, timeout=PATIENCE)
        headers = {"Host": HOST, "Sec-Fetch-Site": "same-origin"}
        if method == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            link.request(method, path, body or None, headers)
            found = link.getresponse()
            answer = Answer(found.status, found.getheader("Location") or "", found.read().decode())
        except (OSError, HTTPException) as error:
            raise NoAnswer(f"HTTP {type(error).__name__}") from error
        finally:
            link.close()
        if answer.status in (500, 502, 504):
            self.faults.append(f"{answer.status} for {method} {parts.path[:8]}")
        if answer.status >= 500 or answer.status == 429:
            raise NoAnswer(str(answer.status))
        return answer
