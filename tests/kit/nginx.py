"""The site of deploy/ under a real nginx on loopback."""

from __future__ import annotations

import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Site:
    """The site of deploy/, moved to free ports and a temporary folder."""

    def __init__(self, folder: Path, certificate: Path) -> None:
        self.folder, self.certificate = folder, certificate
        self.http, self.https = free_ports(2)
        self.log = folder / "pbem.log"

    def write(self) -> None:
        text = (DEPLOY / "nginx.conf").read_text()
        live = "/etc/letsencrypt/live/play.example.org"
        for old, new in {
            "listen 80;": f"listen 127.0.0.1:{self.http};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.https} ssl",
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            f"{live}/fullchain.pem": str(self.certificate),
            f"{live}/privkey.pem": str(self.certificate),
            "/var/log/nginx": str(self.folder),
            "/run/pbem-web.sock": str(self.folder / "web.sock"),
        }.items():
            assert old in text, f"{old!r} is no longer in nginx.conf"
            text = text.replace(old, new)
        (self.folder / "site.conf").write_text(text)
        temporary = "".join(
            f"{kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log {self.folder}/main.log;\n"
            f"{'user root;' if owner_is_root() else ''} worker_processes 1; events {{}}\n"
            f"http {{ {temporary} include {self.folder}/site.conf; }}\n"
        )

    def command(self, *words: str) -> list[str]:
        assert NGINX is not None
        main = self.folder / "main.log"
        return [NGINX, "-p", str(self.folder), "-e", str(main), "-c", "nginx.conf", *words]

    @contextmanager
    def in_front(self) -> Iterator[None]:
        """nginx itself, whatever is behind it."""
        process = subprocess.Popen(self.command(), stderr=subprocess.DEVNULL)
        try:
            wait_for_port(self.https)
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)

    @contextmanager
    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes = b"",
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> Iterator[HTTPResponse]:
        context = ssl.create_default_context(cafile=str(self.certificate))
        link = HTTPSConnection("127.0.0.1", self.https, timeout=10, context=context)
        try:
            headers = {"Host": "play.example.org", "X-Forwarded-Host": "evil.test", **more}
            link.request(method, path, body or None, headers)
            yield link.getresponse()
        finally:
            link.close()

    def status(self, path: str, method: str = "GET", body: bytes = b"") -> int:
        with self.ask(path, method, body) as answer:
            answer.read()
            return answer.status


def owner_is_root() -> bool:
    return Path("/proc/self").stat().st_uid == 0


def free_ports(count: int) -> list[int]:
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(server.getsockname()[1]) for server in servers]
    for server in servers:
        server.close()
    return ports


def wait_for_port(port: int) -> None:
    patience = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > patience:
                raise
            time.sleep(0.05)


def directives(unit: str) -> dict[str, list[str]]:
    """What a unit of systemd says, by name."""
    found: dict[str, list[str]] = {}
    text = (DEPLOY / unit).read_text().replace("\\\n", " ")
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found
