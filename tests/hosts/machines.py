"""Five hosts, and nginx before them: two for pages, two workers, one database; nothing is shared.

Each host has an address, a folder and settings of its own, and knows the others by the address of
the database only. nginx is the one of deploy/ with two servers behind it, as deploy/README.md says.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from urllib.parse import quote

from tests.faults.deployment import BASE, HOST, KEYS, LOOPBACK, Service
from tests.kit.network import Host, Network
from tests.kit.nginx import ROOT, Site, directives, free_ports
from tests.kit.postgres import OWNER, SETTINGS, PostgresServer

WEB_PORT, MAIL_PORT = 8000, 2525
UP_SECONDS = 120
LINGER = 5.0
"""Seconds after a cut in which what was under way may still fail."""
MANY = 10_000
"""Requests that nginx lets one robot make in a second."""


class HostedPostgres(PostgresServer):
    """A PostgreSQL that others reach at the address of its host."""

    def __init__(self, host: Host, network: Network) -> None:
        self._host, self._network = host, network

    def _create(self) -> None:
        super()._create()
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {self._network.net}.0/24 trust\n")

    def _launch(self) -> subprocess.Popen[bytes]:
        settings = {
            **SETTINGS,
            "unix_socket_directories": str(self.folder),
            "listen_addresses": self._host.address,
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        owner = self._as_owner("postgres")
        command = [*self._host.inside, *owner, "-D", str(self.folder / "data"), *options]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                command, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )

    def remote_url(self, url: str) -> str:
        """How other hosts name the database of a URL."""
        name = url.partition("?")[0].rpartition("/")[2]
        return f"postgresql://{quote(OWNER)}@{self._host.address}/{name}"


class Machine:
    """A host with what runs on it."""

    def __init__(self, host: Host, services: Sequence[Service]) -> None:
        self.host, self.services = host, services

    def kill(self) -> None:
        """The power fails: all of it is gone at once, and comes up again."""
        for service in self.services:
            service.kill()

    @property
    def troubles(self) -> Iterator[float]:
        """Moments at which something that ran here may have been cut in two."""
        for service in self.services:
            yield from service.deaths
        for begun, ended in self.host.cuts:
            at = begun
            while at < ended + LINGER:
                yield at
                at += 0.2


class FrontSite(Site):
    """The site of deploy/ with several hosts behind it; robots come without TLS."""

    def __init__(self, folder: Path, certificate: Path, behind: Sequence[Host]) -> None:
        super().__init__(folder, certificate)
        self._behind = behind
        (self.port,) = free_ports(1)

    def write(self) -> None:
        super().write()
        file = self.folder / "site.conf"
        text = file.read_text()
        servers = "".join(
            f"    server {host.address}:{WEB_PORT} max_fails=1 fail_timeout=2s;\n"
            for host in self._behind
        )
        for old, new in {
            f"    server unix:{self.folder}/web.sock fail_timeout=0;\n": servers,
            "rate=10r/s": f"rate={MANY}r/s",
            "limit_conn pbem_connections 40": f"limit_conn pbem_connections {MANY}",
            f"listen {LOOPBACK}:{self.https} ssl http2;": (
                f"listen {LOOPBACK}:{self.https} ssl http2; listen {LOOPBACK}:{self.port};"
            ),
            "proxy_connect_timeout 5s": "proxy_connect_timeout 2s",
        }.items():
            assert old in text, f"{old!r} is no longer in nginx.conf"
            text = text.replace(old, new)
        file.write_text(text)


class Machines:
    """All of them; made with a database that has all tables."""

    def __init__(
        self, folder: Path, network: Network, database: HostedPostgres, url: str, sink_port: int
    ) -> None:
        self.folder, self.database_host = folder, network.hosts[0]
        self.url, self._database_url = url, database.remote_url(url)
        self._sink = (network.own, sink_port)
        self.web = [self._machine(network.add(f"web{n}"), self._pages) for n in (1, 2)]
        self.workers = [self._machine(network.add(f"worker{n}"), self._working) for n in (1, 2)]
        self.port = 0

    @property
    def all(self) -> list[Machine]:
        return [*self.web, *self.workers]

    def _machine(self, host: Host, services: Callable[[Host, Path], list[Service]]) -> Machine:
        folder = self.folder / host.name
        folder.mkdir()
        return Machine(host, services(host, folder))

    def _service(
        self, host: Host, folder: Path, name: str, command: Sequence[str], **more: str
    ) -> Service:
        environ = {
            **{key: value for key, value in os.environ.items() if not key.startswith("PBEM_")},
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(folder),
            "HOME": str(folder),
            "PBEM_ENV": "production",
            "PBEM_BASE_URL": BASE,
            "PBEM_DATABASE_URL": self._database_url,
            "PBEM_SECRET_KEYS": KEYS,
            "PBEM_SMTP_URL": f"smtp://{LOOPBACK}:{MAIL_PORT}",
            "PBEM_MAIL_FROM": f"pbem@{HOST}",
            **more,
        }
        inside = [*host.inside, sys.executable, "-m", *command]
        return Service(name, inside, environ, folder)

    def _pages(self, host: Host, folder: Path) -> list[Service]:
        (start,) = directives("pbem-web.service")["ExecStart"]
        options = [word for word in shlex.split(start)[1:-1] if word != "--workers"]
        options.remove("2")  # of one each, as there are two hosts
        bound = ["--bind", f"{host.address}:{WEB_PORT}"]
        command = ["gunicorn.app.wsgiapp", *options, *bound, "wsgi:app"]
        return [self._service(host, folder, "web", command)]

    def _working(self, host: Host, folder: Path) -> list[Service]:
        relay = ["tests.hosts.mail_relay", str(MAIL_PORT), self._sink[0], str(self._sink[1])]
        return [
            self._service(host, folder, "relay", relay),
            self._service(host, folder, "worker", ["tests.faults.hasty_worker"]),
        ]

    @contextmanager
    def running(self, site: FrontSite) -> Iterator[Machines]:
        self.port = site.port
        site.write()
        with ExitStack() as afterwards:
            afterwards.enter_context(site.in_front())
            for machine in self.all:
                for service in machine.services:
                    service.start()
                    afterwards.callback(service.stop)
            self.wait_until_up()
            yield self

    def wait_until_up(self) -> None:
        patience = time.monotonic() + UP_SECONDS
        for machine in self.web:
            while not self._answers(machine):
                assert time.monotonic() < patience, self.logged()
                time.sleep(0.1)

    def _answers(self, machine: Machine) -> bool:
        link = HTTPConnection(machine.host.address, WEB_PORT, timeout=5)
        try:
            link.request("GET", "/healthz", headers={"Host": HOST})
            return link.getresponse().status in (200, 503)  # 503 until the first tick
        except OSError:
            return False
        finally:
            link.close()

    def trouble(self, chance: Random, longest: float) -> str:
        """Kill or cut off a host, or cut off the database; what was done."""
        what = chance.choice(["kill", "cut", "cut", "database"])
        if what == "database":
            self._cut(self.database_host, chance.uniform(0.5, longest))
            return "database cut off"
        machine = chance.choice(self.all)
        if what == "kill":
            machine.kill()
        else:
            self._cut(machine.host, chance.uniform(0.5, longest))
        return f"{machine.host.name}: {what}"

    @staticmethod
    def _cut(host: Host, seconds: float) -> None:
        with host.cut_off():
            time.sleep(seconds)

    @property
    def excuses(self) -> list[float]:
        """When a letter may have left without being written down."""
        database = Machine(self.database_host, [])
        return [at for one in (*self.workers, database) for at in one.troubles]

    def logged(self) -> str:
        return "\n".join(
            f"--- {machine.host.name} {one.name}\n{one.log.read_text(errors='replace')[-2500:]}"
            for machine in self.all
            for one in machine.services
            if one.log.exists()
        )
