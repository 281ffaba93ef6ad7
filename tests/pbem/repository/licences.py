"""The licences of everything that is deployed, out of the metadata of what is installed.

python -m tests.pbem.repository.licences     # writes deploy/LICENSES.md anew
"""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import metadata
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).parents[3]
FILE = ROOT / "deploy" / "LICENSES.md"
OPTIONAL = ("psycopg", "psycopg-binary")
"""Of the extra `postgres`."""

NAMES = {
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "SIL OFL 1.1": "OFL-1.1",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""How packages without an SPDX expression call them."""
READ = {"peewee": "MIT", "resvg-py": "MIT"}
"""Packages whose metadata name none; their licence files were read."""
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0"),
    *("MIT-CMU", "PSF-2.0", "Unlicense", "Zlib"),
    "OFL-1.1",  # a font, used and not sold by itself
    "LGPL-3.0-only",  # a library that is imported as it is, and can be exchanged
}
"""Which go with a program under MIT that is run, copied and changed."""


class Package(NamedTuple):
    name: str
    version: str
    licence: str

    @property
    def refused(self) -> set[str]:
        """Licences it needs that we do not allow; of a choice one is enough."""
        needed = re.split(r" AND ", self.licence)
        choices = [set(re.split(r" OR ", part.strip("()"))) for part in needed]
        return {" OR ".join(sorted(choice)) for choice in choices if not choice & ALLOWED}


def deployed() -> list[Package]:
    """All pins of deploy/requirements.txt that this machine installs, and the extra."""
    lines = (ROOT / "deploy" / "requirements.txt").read_text().splitlines()
    pins = [line.split("==")[0] for line in lines if " ; " not in line]
    return [_package(name) for name in sorted({*pins, *OPTIONAL})]


def _package(name: str) -> Package:
    found = cast(Message, metadata(name))  # which is what it is
    return Package(name, found["Version"], READ.get(name) or licence_in(found))


def licence_in(found: Message) -> str:
    """The SPDX expression of a package, or what it says in older ways; empty if it says nothing."""
    expression = found.get("License-Expression")
    said = str(found.get("License") or "").strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in found.get_all("Classifier") or []
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    named = said if 0 < len(said) < 40 else next(iter(classified), "")
    return str(expression) if expression else NAMES.get(named, named)


def table() -> str:
    rows = [f"| {one.name} | {one.version} | {one.licence} |" for one in deployed()]
    return "\n".join(
        [
            "# Licences",
            "",
            "Of everything that `requirements.txt` and the extra `postgres` install; pbem itself",
            "is under MIT. Written by `python -m tests.pbem.repository.licences`, which says which",
            "are allowed.",
            "",
            "| package | version | licence |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    FILE.write_text(table(), "utf-8")
