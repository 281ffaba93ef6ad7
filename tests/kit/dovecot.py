"""A real Dovecot for tests: one mailbox in a temporary folder, by IMAP on loopback.

The configuration is for Dovecot 2.3, which Debian 12 has.
"""

from __future__ import annotations

import imaplib
import os
import pwd
import shutil
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from tests.kit import daemons
from tests.kit.nginx import free_ports
from tests.kit.postgres import roomiest

OWNERS = ("dovecot", "dovenull", "mail")
USER, PASSWORD = "pbem@play.example", "a pass/word with # and %"
START_SECONDS = 30
SETTINGS = """\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
instance_name = pbem-tests
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = {uid}
mail_location = maildir:{folder}/mail
mail_fsync = never
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service stats {{
  chroot =
}}
"""


def why_not() -> str | None:
    """Why this machine cannot run the server, in words, or None when it can."""
    if dovecot() is None:
        return "no Dovecot on this machine"
    if os.getuid() != 0:
        return "Dovecot starts as root only"
    if missing := set(OWNERS) - {entry.pw_name for entry in pwd.getpwall()}:
        return f"there are no users {', '.join(sorted(missing))}"
    told = subprocess.run([dovecot() or "", "--version"], capture_output=True, text=True).stdout
    return None if told.startswith("2.3.") else f"Dovecot 2.3 is needed, and here is {told.strip()}"


def dovecot() -> str | None:
    return shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")


class DovecotServer:
    """A running server; leaving the `with` block stops it and removes its folder."""

    def __init__(self, certificate: Path) -> None:
        """`certificate` is a file with a certificate for `localhost` and its key."""
        self.certificate = certificate
        self.port, self.tls_port = free_ports(2)

    def __enter__(self) -> DovecotServer:
        reason = why_not()
        if reason:
            raise RuntimeError(reason)
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-dovecot-", dir=roomiest()))
        self.folder.chmod(0o755)
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._write()
            self._process = self._launch()
            self._wait()
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
        return int((self.folder / "run/master.pid").read_text())

    def put(self, raw: bytes, folder: str = "INBOX") -> None:
        """A new mail in the mailbox, that nobody has seen."""
        with self._client() as client:
            client.create(folder)
            answer, told = client.append(folder, "", "", raw)
            assert answer == "OK", told

    def count(self, which: str, folder: str = "INBOX") -> int:
        """How many mails there are, of all (`ALL`) or of the `SEEN` ones."""
        with self._client() as client:
            client.select(folder, readonly=True)
            (found,) = client.search(None, which)[1]
            return len(found.split())

    def _client(self) -> imaplib.IMAP4:
        client = imaplib.IMAP4("127.0.0.1", self.port, timeout=START_SECONDS)
        client.login(USER, PASSWORD)
        return client

    # --- the process ---

    def _write(self) -> None:
        owner = pwd.getpwnam("mail")
        mail = self.folder / "mail"
        mail.mkdir()
        shutil.chown(mail, owner.pw_uid, owner.pw_gid)
        (self.folder / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}::::::\n")
        (self.folder / "conf").write_text(
            SETTINGS.format(
                folder=self.folder,
                certificate=self.certificate,
                uid=owner.pw_uid,
                gid=owner.pw_gid,
                port=self.port,
                tls_port=self.tls_port,
            )
        )

    def _launch(self) -> subprocess.Popen[bytes]:
        program = dovecot()
        assert program is not None
        command = [program, "-F", "-c", str(self.folder / "conf")]
        return daemons.launch(command, self.folder / "said")

    def _wait(self) -> None:
        patience = time.monotonic() + START_SECONDS
        while True:
            try:
                with self._client() as client:
                    client.noop()
                return
            except (OSError, imaplib.IMAP4.error) as error:
                if (
                    self._process is None
                    or self._process.poll() is not None
                    or time.monotonic() > patience
                ):
                    raise RuntimeError(f"Dovecot did not start: {self._told()}") from error
                time.sleep(0.05)

    def _told(self) -> str:
        files = [self.folder / "said", self.folder / "log"]
        return "".join(file.read_text(errors="replace") for file in files if file.exists())

    def _end(self) -> None:
        if self._process is not None:
            daemons.end(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)


def trusting(certificate: Path) -> ssl.SSLContext:
    """What trusts the certificate of the server, and no other."""
    return ssl.create_default_context(cafile=str(certificate))
