"""A real OpenDKIM for tests: settings of deploy/postfix, a key of its own, on loopback."""

from __future__ import annotations

import base64
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from tests.kit import daemons
from tests.kit.nginx import DEPLOY, free_ports, wait_for_port
from tests.kit.postgres import roomiest

OWNER = "opendkim"


def why_not() -> str | None:
    """Why this machine cannot run it, in words, or None when it can."""
    if program() is None:
        return "no OpenDKIM on this machine"
    if os.getuid() != 0:
        return "OpenDKIM changes its user, which only root may"
    if not any(entry.pw_name == OWNER for entry in pwd.getpwall()):
        return f"there is no user {OWNER}"
    return None


def program() -> str | None:
    return shutil.which("opendkim") or shutil.which("opendkim", path="/usr/sbin")


def _openssl(*words: str) -> bytes:
    return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout


class OpenDkim:
    """A running filter for one domain; `record` is what its owner would publish."""

    def __init__(self, domain: str) -> None:
        self.domain, (self.port,) = domain, free_ports(1)

    def __enter__(self) -> OpenDkim:
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-opendkim-", dir=roomiest()))
        self.folder.chmod(0o755)
        self._write()
        found = program()
        assert found is not None
        command = [found, "-f", "-x", str(self.folder / "opendkim.conf")]
        self._process: subprocess.Popen[bytes] = daemons.launch(command, self.folder / "said")
        try:
            wait_for_port(self.port)
        except OSError as error:
            raise RuntimeError((self.folder / "said").read_text()) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        daemons.end(self._process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self) -> None:
        private = self.folder / "pbem.private"
        _openssl("genrsa", "-traditional", "-out", str(private), "2048")
        public = _openssl("rsa", "-in", str(private), "-pubout", "-outform", "DER")
        private.chmod(0o400)
        shutil.chown(private, OWNER)
        self.record = b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)
        text = (DEPLOY / "postfix" / "opendkim.conf").read_text()
        for old, new in {
            "Domain play.example.org": f"Domain {self.domain}",
            "KeyFile /etc/dkimkeys/pbem.private": f"KeyFile {private}",
            "inet:8891@127.0.0.1": f"inet:{self.port}@127.0.0.1",
            "PidFile /run/opendkim/opendkim.pid\n": "",
            "Syslog yes": "Syslog no",
        }.items():
            assert old in text, f"{old!r} is no longer in opendkim.conf"
            text = text.replace(old, new)
        anywhere = "RequireSafeKeys no\n"  # others may write into the folder of all temporary files
        (self.folder / "opendkim.conf").write_text(text + anywhere)

    def look_up(self, name: bytes, timeout: int = 5) -> bytes | None:
        """As a name server would answer."""
        wanted = re.search(r"^Selector (\w+)$", self._settings(), re.MULTILINE)
        assert wanted is not None
        published = f"{wanted[1]}._domainkey.{self.domain}."
        return self.record if name.decode() == published else None

    def _settings(self) -> str:
        return (self.folder / "opendkim.conf").read_text()
