"""Options of a match as the command line gives them."""

from __future__ import annotations

import tomllib
from pathlib import Path

from engine.core import BadSetup, Json


def read_setup(options: list[str]) -> dict[str, Json]:
    """NAME=VALUE pairs; a VALUE that begins with @ is a TOML file to read."""
    setup: dict[str, Json] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise BadSetup(f"{option!r} is no option; write NAME=VALUE, for example edition=de")
        setup[name] = _read_file(value[1:]) if value.startswith("@") else value
    return setup


def _read_file(path: str) -> Json:
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise BadSetup(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadSetup(f"{path} is not TOML: {error}") from None
