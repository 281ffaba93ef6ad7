"""What an operator copies: units, site and settings are complete and do what they say."""

from __future__ import annotations

import http.server
import os
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.config import Config
from pbem.errors import ConfigError
from tests.kit.nginx import DEPLOY, NGINX, ROOT, Site, directives
from tests.kit.smtp_sink import self_signed
from tests.pbem.web.shared.test_heavy_inputs import played

SERVICES = [
    "pbem-web.service",
    "pbem-worker.service",
    "pbem-migrate.service",
    "pbem-backup.service",
]
UNITS = [*SERVICES, "pbem-web.socket", "pbem-backup.timer"]
KEY = "k" * 64


# --- settings -------------------------------------------------------------------------------------


def settings() -> dict[str, str]:
    lines = (DEPLOY / "pbem.env.example").read_text().splitlines()
    pairs = [line.split("=", 1) for line in lines if line and not line.startswith("#")]
    return dict(pairs)


def test_the_example_is_refused_until_its_key_is_filled_in() -> None:
    with pytest.raises(ConfigError, match="PBEM_SECRET_KEYS is set but empty"):
        Config.from_env(settings())


def test_the_example_is_a_whole_configuration_once_its_secrets_are_filled_in() -> None:
    config = Config.from_env(settings() | {"PBEM_SECRET_KEYS": KEY})

    assert config.in_production
    assert config.base_url == "https://play.example.org"
    assert config.database_url == "sqlite:////var/lib/pbem/pbem.db"
    assert config.secret_keys == (KEY,)
    assert config.smtp_url == "smtp://pbem:PASSWORD@smtp.example.org:587?tls=starttls"
    assert (config.mail_from, config.mail_domain) == ("pbem@play.example.org", "play.example.org")


def test_other_values_shown_in_the_example_are_accepted_too() -> None:
    text = (DEPLOY / "pbem.env.example").read_text()
    shown = re.findall(r"^#(PBEM_DATABASE_URL)=(.+)$", text, re.MULTILINE)
    for name, value in shown:
        Config.from_env(settings() | {"PBEM_SECRET_KEYS": KEY, name: value})

    assert len(shown) == 2


def test_the_example_names_every_setting() -> None:
    example = (DEPLOY / "pbem.env.example").read_text()
    read = set(re.findall(r'"(PBEM_[A-Z_]+)"', (ROOT / "pbem" / "config.py").read_text()))
    shown = set(re.findall(r"^#?(PBEM_[A-Z_]+)=", example, re.MULTILINE))

    assert "PBEM_ENV" in read
    assert read <= shown


# --- units ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units with this checkout in place of /opt/pbem, so that their programs exist."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine")
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS:
        text = (DEPLOY / unit).read_text().replace("/opt/pbem", str(ROOT))
        (folder / unit).write_text(text)
    return folder


def test_systemd_finds_no_fault_in_the_units(units: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(units / unit) for unit in UNITS)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "pbem" in line]

    assert done.returncode == 0, done.stderr
    assert ours == []


def test_systemd_would_find_a_fault(units: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "pbem-wrong.service"
    wrong.write_text((units / SERVICES[0]).read_text().replace("NoNewPrivileges", "NoNewPrivilegs"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(wrong)], capture_output=True, text=True
    )

    assert "NoNewPrivilegs" in done.stderr


@pytest.mark.parametrize("unit", SERVICES)
def test_systemd_rates_the_services_as_little_exposed(units: Path, unit: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=15"]
    done = subprocess.run([*command, str(units / unit)], capture_output=True, text=True, timeout=60)
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze rates only running services")

    assert done.returncode == 0, done.stdout[-300:] + done.stderr


@pytest.mark.parametrize("unit", SERVICES)
def test_every_service_runs_as_its_own_user_with_the_same_settings(unit: str) -> None:
    found = directives(unit)

    assert found["User"] == found["Group"] == ["pbem"]
    assert found["EnvironmentFile"] == ["/etc/pbem/pbem.env"]
    assert found["WorkingDirectory"] == ["/opt/pbem"]
    assert found["StateDirectoryMode"] == ["0700"]
    assert found["ExecStart"][0].startswith("/opt/pbem/.venv/bin/")


def test_the_tables_come_first() -> None:
    for unit in ("pbem-web.service", "pbem-worker.service", "pbem-backup.service"):
        found = directives(unit)
        assert "pbem-migrate.service" in found["Requires"][0].split()
        assert "pbem-migrate.service" in found["After"][0].split()
    assert directives("pbem-migrate.service")["Type"] == ["oneshot"]


def test_a_backup_is_made_every_hour_where_its_service_may_write() -> None:
    found = directives("pbem-backup.service")
    (start,) = found["ExecStart"]
    _, command, folder, *rest = start.split()

    assert directives("pbem-backup.timer")["OnCalendar"] == ["hourly"]
    assert (command, rest) == ("backup", ["--keep", "48"])
    assert folder.removeprefix("/var/lib/") in found["StateDirectory"][0].split()


def test_gunicorn_takes_the_options_of_the_unit() -> None:
    (start,) = directives("pbem-web.service")["ExecStart"]
    words = start.split()
    assert "--no-control-socket" in words
    assert "--access-logfile" not in words
    program = ROOT / ".venv" / "bin" / "gunicorn"
    if not program.exists():
        pytest.skip("gunicorn is not in .venv")
    done = subprocess.run(
        [str(program), "--check-config", *words[1:-1], "http.server:HTTPServer"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert words[-1] == "wsgi:app"


def test_the_socket_of_the_unit_is_the_one_that_nginx_uses() -> None:
    (path,) = directives("pbem-web.socket")["ListenStream"]

    assert f"server unix:{path} " in (DEPLOY / "nginx.conf").read_text()


def test_the_instructions_name_only_files_that_are_there() -> None:
    text = (DEPLOY / "README.md").read_text().split("\n## ")[0]
    for name in re.findall(r"^\| `([^|]+)` \|", text, re.MULTILINE):
        for file in re.findall(r"[\w./-]+", name):
            assert (DEPLOY / file).is_file(), file
    rows = re.findall(r"^\| `([^|]+)` \|", text, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"[\w./-]+", row)}
    for path in filter(Path.is_file, DEPLOY.rglob("*")):
        file = path.relative_to(DEPLOY).as_posix()
        assert file == "README.md" or file in named, f"{file} is not explained"


# --- the site -------------------------------------------------------------------------------------

TOKEN = "eyJhbGciOi-the-token-nobody-may-read"


class Pages(http.server.BaseHTTPRequestHandler):
    """Stands in for gunicorn: says which headers it was given."""

    def do_GET(self) -> None:
        body = repr((self.path, dict(self.headers))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *words: object) -> None:
        pass


class UnixServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


@contextmanager
def pages_behind(site: Site) -> Iterator[None]:
    pages = UnixServer(str(site.folder / "web.sock"), Pages)
    thread = threading.Thread(target=pages.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield
    finally:
        pages.shutdown()
        thread.join()
        pages.server_close()


@pytest.fixture(scope="module")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if NGINX is None:
        pytest.skip("no nginx on this machine")
    folder = tmp_path_factory.mktemp("nginx")
    certificate = self_signed(folder)
    if certificate is None:
        pytest.skip("no openssl on this machine")
    site = Site(folder, certificate)
    site.write()
    with pages_behind(site), site.in_front():
        yield site


def test_nginx_accepts_the_site(nginx: Site) -> None:
    done = subprocess.run(nginx.command("-t"), capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    assert "test is successful" in done.stderr
    assert "[warn]" not in done.stderr


def logged(nginx: Site, before: int, requests: int) -> list[str]:
    """The lines of so many requests; each is written some time after its answer."""
    patience = time.monotonic() + 20
    while len(lines_of(nginx.log)) < before + requests and time.monotonic() < patience:
        time.sleep(0.02)
    return lines_of(nginx.log)[before:]


def test_pages_come_through_with_honest_headers(nginx: Site) -> None:
    before = len(lines_of(nginx.log))
    with nginx.ask("/rules/iron_curtain?x=1") as answer:
        said = answer.read().decode()
        assert answer.status == 200
        assert "max-age=31536000" in str(answer.getheader("Strict-Transport-Security"))

    assert said.startswith("('/rules/iron_curtain?x=1'")
    assert "'Host': 'play.example.org'" in said
    assert "'X-Forwarded-For': '127.0.0.1'" in said
    assert "'X-Forwarded-Proto': 'https'" in said
    assert "evil.test" not in said
    assert len(logged(nginx, before, requests=1)) == 1


@pytest.mark.parametrize(
    "path",
    [
        f"/t/{TOKEN}",
        f"/o/{TOKEN}",
        f"/join/{TOKEN}",
        f"/confirm/{TOKEN}",
        f"/you/{TOKEN}/export",
        f"/api/v1/turn/{TOKEN}?prefix=play",
        f"/t/{TOKEN}?x={TOKEN}",
        f"//t/{TOKEN}",
        f"/./t/{TOKEN}",
        f"/%74/{TOKEN}",
        f"/rules/../t/{TOKEN}",
        f"/rules/x?token={TOKEN}",
        f"/new-kind-of-link/{TOKEN}",
    ],
)
def test_no_token_comes_into_a_log(nginx: Site, path: str) -> None:
    before = len(lines_of(nginx.log))
    nginx.status(path)
    nginx.status(path, "POST", b"orders=pass")
    nginx.status(path, "POST", b"x" * 300_000)
    assert len(logged(nginx, before, requests=3)) == 3
    for log in nginx.folder.glob("*.log"):
        assert TOKEN not in log.read_text(), log.name


def lines_of(log: Path) -> list[str]:
    return log.read_text().splitlines()


def test_the_log_still_says_which_page_it_was(nginx: Site) -> None:
    for path in ("/", "/rules/iron_curtain", "/match/M-7", "/static/pbem.css", f"/t/{TOKEN}"):
        nginx.status(path)
    time.sleep(0.1)
    words = nginx.log.read_text()

    for path in ("/", "/rules/iron_curtain", "/match/M-7", "/static/pbem.css", "/t/..."):
        assert f'"GET {path} HTTP/1.1" 200' in words


def test_a_broken_upstream_leaves_no_token_in_the_error_log(nginx: Site) -> None:
    door = nginx.folder / "web.sock"
    door.rename(nginx.folder / "away.sock")
    try:
        assert nginx.status(f"/t/{TOKEN}") == 502
    finally:
        (nginx.folder / "away.sock").rename(door)

    for log in nginx.folder.glob("*.log"):
        assert TOKEN not in log.read_text(), log.name


def test_large_bodies_are_refused_except_where_files_are_dropped(nginx: Site) -> None:
    assert nginx.status("/t/x", "POST", b"x" * 200_000) == 200
    assert nginx.status("/t/x", "POST", b"x" * 300_000) == 413
    assert nginx.status("/verify", "POST", b"x" * 1_900_000) == 200
    assert nginx.status("/verify", "POST", b"x" * 2_200_000) == 413


def test_large_headers_are_refused(nginx: Site) -> None:
    assert nginx.status("/" + "x" * 9_000) == 414


def test_plain_http_is_sent_to_https(nginx: Site) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *words: object) -> None:
            return None

    request = urllib.request.Request(
        f"http://127.0.0.1:{nginx.http}/rules/x", headers={"Host": "evil.test"}
    )
    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.build_opener(Stay).open(request, timeout=10)
    answer.value.close()

    assert answer.value.code == 301
    assert answer.value.headers["Location"] == "https://play.example.org/rules/x"


# --- nginx and gunicorn together ------------------------------------------------------------------


class Deployed(NamedTuple):
    """Both as they are deployed; the journal is what gunicorn writes."""

    site: Site
    socket: Path
    journal: Path

    def send(self, request: bytes) -> bytes:
        """Say something to gunicorn that no browser says, and hear the beginning of its answer."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(10)
            link.connect(str(self.socket))
            link.sendall(request)
            link.shutdown(socket.SHUT_WR)
            return link.recv(4096)

    def wrote(self) -> str:
        return self.journal.read_text(errors="replace")


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    folder = tmp_path_factory.mktemp("deployed")
    certificate = self_signed(folder)
    program = ROOT / ".venv" / "bin" / "gunicorn"
    if NGINX is None or certificate is None or not program.exists():
        pytest.skip("no nginx, no openssl or no gunicorn on this machine")
    found = Deployed(Site(folder, certificate), folder / "web.sock", folder / "journal")
    found.site.write()
    environ = settings() | {"PBEM_SECRET_KEYS": KEY, "PATH": os.environ["PATH"]}
    environ["PBEM_DATABASE_URL"] = f"sqlite:///{folder}/pbem.db"
    subprocess.run([sys.executable, "-m", "pbem.cli", "migrate"], env=environ, cwd=ROOT, check=True)
    (start,) = directives("pbem-web.service")["ExecStart"]
    command = [str(program), "--bind", f"unix:{found.socket}", *start.split()[1:]]
    with (
        found.journal.open("wb") as journal,
        subprocess.Popen(command, env=environ, cwd=ROOT, stdout=journal, stderr=journal) as process,
    ):
        try:
            wait_until(lambda: found.wrote().count("Booting worker") == 2)
            with found.site.in_front():
                wait_until(lambda: found.site.status("/healthz") == 200)
                yield found
        finally:
            process.terminate()


def wait_until(is_so: Callable[[], bool]) -> None:
    patience = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < patience, "it never came"
        time.sleep(0.05)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/", 200, b""),
        ("/static/pbem.css", 200, b""),
        ("/nowhere", 404, b""),
        ("/start", 400, b"game=chess"),
        ("/start", 413, b"x" * 300_000),
    ],
    ids=["page", "file", "missing", "refused", "of nginx itself"],
)
def test_hsts_is_said_once(deployed: Deployed, path: str, status: int, body: bytes) -> None:
    with deployed.site.ask(path, "POST" if body else "GET", body) as answer:
        answer.read()
        assert answer.status == status
        assert answer.headers.get_all("Strict-Transport-Security") == [
            "max-age=31536000; includeSubDomains"
        ]


HOST = b"Host: play.example.org\r\n"
LINK = f"/t/{TOKEN}".encode()
HIDDEN = f"/%74/{TOKEN}".encode()
STRANGE = {
    "a byte that is no letter": b"GET %s\xff HTTP/1.1\r\n%s\r\n" % (LINK, HOST),
    "the same, spelt otherwise": b"GET %s\xff HTTP/1.1\r\n%s\r\n" % (HIDDEN, HOST),
    "no version": b"GET %s\r\n%s\r\n" % (HIDDEN, HOST),
    "a wrong version": b"GET %s HTTP/9.%s\r\n%s\r\n" % (HIDDEN, TOKEN.encode(), HOST),
    "a wrong method": b"%s / HTTP/1.1\r\n%s\r\n" % (TOKEN.encode(), HOST),
    "a method of bytes": b"G\xffT %s HTTP/1.1\r\n%s\r\n" % (HIDDEN, HOST),
    "too long": b"GET %s%s HTTP/1.1\r\n%s\r\n" % (HIDDEN, b"x" * 5_000, HOST),
    "a header without a colon": b"GET / HTTP/1.1\r\n%s\r\n%s\r\n" % (HIDDEN, HOST),
    "a wrong header": b"GET / HTTP/1.1\r\n%s(\x01): x\r\n%s\r\n" % (HIDDEN, HOST),
    "a wrong value": b"GET / HTTP/1.1\r\nReferer: %s\x00\r\n%s\r\n" % (HIDDEN, HOST),
    "a folded header": b"GET / HTTP/1.1\r\nA: b\r\n %s\r\n%s\r\n" % (HIDDEN, HOST),
    "too many headers": b"GET %s HTTP/1.1\r\n%s%s\r\n" % (HIDDEN, HOST, b"A: b\r\n" * 60),
    "a wrong coding": b"POST %s HTTP/1.1\r\nTransfer-Encoding: %s\r\n%s\r\n"
    % (HIDDEN, TOKEN.encode(), HOST),
    "a wrong length": b"POST / HTTP/1.1\r\nContent-Length: %s\r\n%s\r\n" % (TOKEN.encode(), HOST),
    "a wrong expectation": b"GET / HTTP/1.1\r\nExpect: %s\r\n%s\r\n" % (TOKEN.encode(), HOST),
    "a wrong piece": b"POST /start HTTP/1.1\r\nTransfer-Encoding: chunked\r\n%s\r\n%s\r\n"
    % (HOST, TOKEN.encode()),
}


@pytest.mark.parametrize("name", STRANGE)
def test_no_token_of_a_strange_request_comes_into_the_journal(
    deployed: Deployed, name: str
) -> None:
    answer = deployed.send(STRANGE[name])

    assert answer == b"" or b" 500 " not in answer.split(b"\r\n")[0]
    assert TOKEN not in deployed.wrote()
    assert TOKEN[:12] not in deployed.wrote()


def test_strange_requests_are_counted_in_the_journal(deployed: Deployed) -> None:
    before = deployed.wrote().count("a request that is not HTTP was refused")
    deployed.send(STRANGE["a byte that is no letter"])

    wait_until(
        lambda: deployed.wrote().count("a request that is not HTTP was refused") == before + 1
    )


@pytest.mark.slow
def test_others_do_not_wait_for_a_file_that_is_checked(deployed: Deployed) -> None:
    """A long match is checked again and again; meanwhile pages come, and a second file does not."""
    file = played("east_and_west", {"rounds": "20"})
    part = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="m"\r\n\r\n%s\r\n--x--\r\n'
    )
    answers: list[int] = []

    def check(content: bytes) -> int:
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        with deployed.site.ask("/verify", "POST", part % content, kind) as answer:
            answer.read()
            if answer.status == 503:
                assert answer.getheader("Retry-After") == "10"
            return answer.status

    thread = threading.Thread(target=lambda: answers.append(check(file)))
    thread.start()
    slowest, refused = 0.0, 0
    while thread.is_alive():
        begun = time.monotonic()
        assert deployed.site.status("/rules/iron_curtain") == 200
        slowest = max(slowest, time.monotonic() - begun)
        refused += check(b"{}") == 503
        time.sleep(0.2)
    thread.join()

    assert answers == [200]
    assert refused > 0
    assert slowest < 0.5
    assert check(b"{}") == 400
