"""A real Postfix for tests: a private configuration in a temporary folder, on loopback.

It takes letters of ours by SMTP, puts those to players (`@example.org`) into their mailboxes,
returns those to players that there are not, and hands what comes for us (`@play.example`) to a
listener for LMTP. What a filter for DMARC would find out is written by a table: it vouches for the
players that have a mailbox. It asks no name server and touches nothing of the Postfix of this
machine.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import smtplib
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from types import TracebackType

from tests.kit import daemons
from tests.kit.nginx import free_ports
from tests.kit.postgres import roomiest

OWNER = "postfix"
DAEMONS = "/usr/lib/postfix/sbin"
PLAYERS, PLAY = "example.org", "play.example"
AUTHSERV_ID = f"mail.{PLAY}"
START_SECONDS = 30
PATIENCE = 60
SERVICES = """\
{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


def why_not() -> str | None:
    """Why this machine cannot run the server, in words, or None when it can."""
    if postfix() is None:
        return "no Postfix on this machine"
    if os.getuid() != 0:
        return "Postfix starts as root only"
    if not any(entry.pw_name == OWNER for entry in pwd.getpwall()):
        return f"there is no user {OWNER}"
    return None


def postfix() -> str | None:
    return shutil.which("postfix") or shutil.which("postfix", path="/usr/sbin")


class PostfixServer:
    """A running server; leaving the `with` block stops it and removes its folder."""

    def __init__(
        self,
        lmtp_port: int,
        players: Sequence[str] = ("ann", "bob"),
        asks_first: bool = False,
        **settings: object,
    ) -> None:
        """`lmtp_port` is where somebody listens for what comes to us, at the latest soon.

        Where it asks first, it accepts no mail to recipients that the listener does not know.
        Further settings are those of its main.cf.
        """
        self.lmtp_port, self.players, self.asks_first = lmtp_port, players, asks_first
        self.settings = settings
        (self.port,) = free_ports(1)

    def __enter__(self) -> PostfixServer:
        reason = why_not()
        if reason:
            raise RuntimeError(reason)
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-postfix-", dir=roomiest()))
        self.folder.chmod(0o755)
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._write()
            self._process = self._launch()
            self._wait_until(self._answers, START_SECONDS)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def pid(self) -> int:
        """Of the server itself."""
        return int((self.folder / "spool/pid/master.pid").read_text())

    @property
    def url(self) -> str:
        """For PBEM_SMTP_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        file = self.folder / "log"
        return file.read_text(errors="replace") if file.exists() else ""

    def submit(self, sender: str, recipients: Sequence[str], raw: bytes) -> None:
        """Hand in a mail as a player's mail program does."""
        with smtplib.SMTP("127.0.0.1", self.port, "client.example", timeout=PATIENCE) as client:
            client.sendmail(sender, list(recipients), raw)

    def raw_letters(self, player: str) -> list[bytes]:
        """The letters that a player has, oldest first, as they came."""
        found = sorted((self.folder / "mail" / player).glob("new/*"), key=_order)
        return [file.read_bytes() for file in found]

    def mailbox(self, player: str) -> list[EmailMessage]:
        """The letters that a player has, oldest first."""
        read = [message_from_bytes(raw, policy=policy.default) for raw in self.raw_letters(player)]
        return [letter for letter in read if isinstance(letter, EmailMessage)]

    def wait_for_mail(self, player: str, count: int = 1) -> list[EmailMessage]:
        self._wait_until(lambda: len(self.mailbox(player)) >= count, PATIENCE)
        return self.mailbox(player)

    def wait_for_log(self, words: str) -> None:
        """Until the server has noted something down."""
        self._wait_until(lambda: words in self.log, PATIENCE)

    def retry(self) -> None:
        """Try at once what was put off."""
        subprocess.run(
            ["postqueue", "-c", str(self.folder / "etc"), "-f"],
            check=True,
            env={**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin"},
        )

    # --- the process ---

    def _write(self) -> None:
        etc, mail = self.folder / "etc", self.folder / "mail"
        for name in ("etc", "data", "spool", "mail"):
            (self.folder / name).mkdir(mode=0o755)
        shutil.chown(self.folder / "data", OWNER)
        shutil.chown(mail, OWNER)
        owner = pwd.getpwnam(OWNER)
        settings = {
            "compatibility_level": "3.6",
            "queue_directory": self.folder / "spool",
            "data_directory": self.folder / "data",
            "command_directory": "/usr/sbin",
            "daemon_directory": DAEMONS,
            "mail_owner": OWNER,
            "setgid_group": "postdrop",
            "maillog_file": self.folder / "log",
            "maillog_file_prefixes": self.folder,
            "myhostname": AUTHSERV_ID,
            "mydestination": "",
            "mynetworks": "127.0.0.0/8",
            "inet_interfaces": "127.0.0.1",
            "inet_protocols": "ipv4",
            "alias_maps": "",
            "alias_database": "",
            "local_recipient_maps": "",
            "local_transport": "error:there is nobody here",
            "default_transport": "error:nothing leaves this machine",
            "smtp_dns_support_level": "disabled",
            "lmtp_dns_support_level": "disabled",
            "notify_classes": "",
            "maximal_backoff_time": "1s",
            "minimal_backoff_time": "1s",
            "queue_run_delay": "1s",
            "message_size_limit": 1_000_000,
            "virtual_mailbox_domains": PLAYERS,
            "virtual_mailbox_base": mail,
            "virtual_mailbox_maps": f"texthash:{etc}/mailboxes",
            "virtual_uid_maps": f"static:{owner.pw_uid}",
            "virtual_gid_maps": f"static:{owner.pw_gid}",
            "smtpd_reject_unlisted_recipient": "no",
            "relay_domains": PLAY,
            "transport_maps": f"texthash:{etc}/transport",
            "header_checks": f"regexp:{etc}/header_checks",
            "smtpd_data_restrictions": f"check_sender_access texthash:{etc}/vouched",
            "smtpd_relay_restrictions": "permit_mynetworks, reject",
            "smtpd_recipient_restrictions": "reject_unverified_recipient"
            if self.asks_first
            else "permit",
            "unverified_recipient_reject_code": 550,
            "address_verify_poll_delay": "1s",
            "address_verify_map": "",
            **self.settings,
        }
        (etc / "main.cf").write_text(
            "".join(f"{key} = {value}\n" for key, value in settings.items())
        )
        (etc / "master.cf").write_text(SERVICES.format(port=f"127.0.0.1:{self.port}"))
        (etc / "mailboxes").write_text(
            "".join(f"{name}@{PLAYERS} {name}/\n" for name in self.players)
        )
        (etc / "transport").write_text(f"{PLAY} lmtp:inet:127.0.0.1:{self.lmtp_port}\n")
        vouched = f"X-Vouched-{secrets.token_hex(8)}"  # nobody else can write it
        (etc / "header_checks").write_text(
            f"/^Authentication-Results:\\s*{re.escape(AUTHSERV_ID)}\\b/ IGNORE\n"
            f"/^{vouched}: (.*)/ REPLACE Authentication-Results: $1\n"
        )
        found = f"{AUTHSERV_ID}; dmarc=pass header.from={PLAYERS}"
        (etc / "vouched").write_text(
            "".join(f"{name}@{PLAYERS} PREPEND {vouched}: {found}\n" for name in self.players)
        )

    def _launch(self) -> subprocess.Popen[bytes]:
        """The master process itself, as a child of ours."""
        program, etc, said = postfix(), str(self.folder / "etc"), self.folder / "said"
        assert program is not None
        with said.open("wb") as file:
            subprocess.run([program, "-c", etc, "check"], check=True, stdout=file, stderr=file)
        return daemons.launch([f"{DAEMONS}/master", "-c", etc, "-d"], said)

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise RuntimeError(f"Postfix did not start: {self._told()}")
        try:
            with smtplib.SMTP("127.0.0.1", self.port, "client.example", timeout=5) as client:
                return client.noop()[0] == 250
        except OSError:
            return False

    def _told(self) -> str:
        return (self.folder / "said").read_text(errors="replace") + self.log

    def _wait_until(self, true: Callable[[], bool], seconds: float) -> None:
        patience = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < patience, f"this takes too long\n{self._told()}"
            time.sleep(0.05)

    def _end(self) -> None:
        if self._process is not None:
            daemons.end(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)


def _order(file: Path) -> tuple[float, str]:
    return file.stat().st_mtime, file.name
