"""A name server on loopback that knows what it is told, and nothing else.

with DnsZone({("play.example", "MX"): ["10 mail.play.example."]}) as zone:
    zone.resolver().resolve("play.example", "MX")
"""

from __future__ import annotations

import socket
import threading
from types import TracebackType

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
from dns.resolver import Resolver

LOOPBACK = "127.0.0.1"


class DnsZone:
    """The server; leaving the `with` block stops it."""

    def __init__(self, records: dict[tuple[str, str], list[str]]) -> None:
        self.records = records
        self.is_silent = False
        self.asked: list[tuple[str, str]] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._thread = threading.Thread(target=self._serve)

    def resolver(self) -> Resolver:
        resolver = Resolver(configure=False)
        resolver.nameservers, resolver.port = [LOOPBACK], self._socket.getsockname()[1]
        return resolver

    def __enter__(self) -> DnsZone:
        self._socket.bind((LOOPBACK, 0))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self._socket.getsockname())
        self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            asked, whence = self._socket.recvfrom(4096)
            if not asked:
                return
            if not self.is_silent:
                self._socket.sendto(self._answer(asked), whence)

    def _answer(self, asked: bytes) -> bytes:
        query = dns.message.from_wire(asked)
        (question,) = query.question
        name = question.name.to_text(omit_final_dot=True)
        kind = dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind))
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        found = self.records.get((name, kind), [])
        if found:
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        elif not any(known == name for known, _ in self.records):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer.to_wire()
