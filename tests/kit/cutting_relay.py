"""A wire to a mail server that is cut where it is told: at any word of an SMTP conversation.

with CuttingRelay(sink.port) as wire:
    wire.cut(At("RCPT", "unanswered"))      # the next connection; all others pass
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from contextlib import suppress
from typing import BinaryIO, Literal, NamedTuple

LOOPBACK = "127.0.0.1"
PATIENCE = 30

Word = Literal["greeting", "EHLO", "MAIL", "RCPT", "DATA", "half", "dot"]
When = Literal["unsaid", "unanswered", "answered"]


class At(NamedTuple):
    """A moment of a conversation.

    A word that is unsaid does not reach the server; an answer that is given to what is unanswered
    does not come back. Half is the middle of a letter.
    """

    word: Word
    when: When


STAGES = (
    *(At("greeting", when) for when in ("unanswered", "answered")),
    *(
        At(word, when)
        for word in ("EHLO", "MAIL", "RCPT", "DATA", "dot")
        for when in ("unsaid", "unanswered", "answered")
    ),
    At("half", "unsaid"),
)
"""Every moment at which a wire can be cut."""


class _Cut(Exception):
    """Now."""


class CuttingRelay:
    def __init__(self, port: int) -> None:
        self._to = port
        self._door = socket.create_server((LOOPBACK, 0))
        self._plan = deque[At]()
        self.cuts = 0
        """How often a wire was cut."""

    @property
    def url(self) -> str:
        """The address as PBEM_SMTP_URL takes it."""
        return f"smtp://{LOOPBACK}:{self._door.getsockname()[1]}"

    def cut(self, *moments: At) -> None:
        """What happens to the next connections, one moment each."""
        self._plan.extend(moments)

    def __enter__(self) -> CuttingRelay:
        threading.Thread(target=self._let_in, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def _let_in(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            at = self._plan.popleft() if self._plan else None
            threading.Thread(target=self._converse, args=(client, at), daemon=True).start()

    def _converse(self, client: socket.socket, at: At | None) -> None:
        client.settimeout(PATIENCE)
        with (
            client,
            suppress(OSError, EOFError),
            socket.create_connection((LOOPBACK, self._to), timeout=PATIENCE) as server,
            client.makefile("rb") as said,
            server.makefile("rb") as answered,
        ):
            try:
                _Conversation(client, server, said, answered, at).go_on()
            except _Cut:
                self.cuts += 1
                for end in (client, server):
                    end.shutdown(socket.SHUT_RDWR)


class _Conversation:
    def __init__(
        self,
        client: socket.socket,
        server: socket.socket,
        said: BinaryIO,
        answered: BinaryIO,
        at: At | None,
    ) -> None:
        self._client, self._server, self._at = client, server, at
        self._said, self._answered = said, answered

    def go_on(self) -> None:
        self._answer("greeting")
        while line := self._said.readline():
            word = line[:4].decode("ascii", "replace").upper()
            self._say(word, line)
            if self._answer(word).startswith(b"354"):
                self._letter()

    def _say(self, word: str, line: bytes) -> None:
        self._cut_if(word, "unsaid")
        self._server.sendall(line)

    def _answer(self, word: str) -> bytes:
        """The last line of an answer, passed on."""
        lines = [self._reply_line()]
        while lines[-1][3:4] == b"-":
            lines.append(self._reply_line())
        self._cut_if(word, "unanswered")
        self._client.sendall(b"".join(lines))
        self._cut_if(word, "answered")
        return lines[-1]

    def _reply_line(self) -> bytes:
        line = self._answered.readline()
        if not line:
            raise EOFError("the server hung up")
        return line

    def _letter(self) -> None:
        lines = list[bytes]()
        while (line := self._said.readline()) != b".\r\n":
            if not line:
                raise EOFError("the client hung up")
            lines.append(line)
        if self._at == At("half", "unsaid"):
            self._server.sendall(b"".join(lines)[: sum(map(len, lines)) // 2])
            raise _Cut
        self._server.sendall(b"".join(lines))
        self._say("dot", b".\r\n")
        self._answer("dot")

    def _cut_if(self, word: str, when: When) -> None:
        if self._at is not None and (self._at.word, self._at.when) == (word, when):
            raise _Cut
