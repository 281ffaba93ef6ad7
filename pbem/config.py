"""The settings, read once from the environment; the only module that reads it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pbem.errors import ConfigError

DEVELOPMENT = "development"
PRODUCTION = "production"
DEFAULT_BASE_URL = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Config:
    """A complete and checked set of settings."""

    env: str = DEVELOPMENT
    base_url: str = DEFAULT_BASE_URL  # without a slash at its end

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Config":
        """Read the `PBEM_*` settings, or raise ConfigError naming the one that is wrong."""
        environ = os.environ if environ is None else environ
        env = _read(environ, "PBEM_ENV") or DEVELOPMENT
        if env not in (DEVELOPMENT, PRODUCTION):
            raise ConfigError(f"PBEM_ENV is {env!r}; it may be {DEVELOPMENT} or {PRODUCTION}")
        return cls(env=env, base_url=_base_url(_read(environ, "PBEM_BASE_URL"), env))

    @property
    def in_production(self) -> bool:
        return self.env == PRODUCTION

    @property
    def host(self) -> str:
        """The host that players' links name."""
        return urlsplit(self.base_url).hostname or ""


def templates_folder() -> Path:
    """Where the templates are: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parent
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / "web" / "base.html").is_file():
            return folder
    raise ConfigError(f"no templates beside {package}; this installation is incomplete")


def _read(environ: Mapping[str, str], name: str) -> str | None:
    """The setting, from the variable itself or from the file that `<name>_FILE` names."""
    value, file = environ.get(name), environ.get(f"{name}_FILE")
    if value is not None and file is not None:
        raise ConfigError(f"{name} and {name}_FILE are both set; set only one")
    if file is not None:
        value = _contents(f"{name}_FILE", file)
    if value is not None and not value.strip():
        raise ConfigError(f"{name} is set but empty; give it a value or leave it out")
    return None if value is None else value.strip()


def _contents(name: str, file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{name} names {file!r}, which cannot be read: {reason}") from problem


def _base_url(text: str | None, env: str) -> str:
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_BASE_URL is missing; production needs it, as https://host")
        return DEFAULT_BASE_URL
    if not _is_site_address(text):
        raise ConfigError(f"PBEM_BASE_URL is {text!r}; it must look like https://host")
    if env == PRODUCTION and urlsplit(text).scheme != "https":
        raise ConfigError(f"PBEM_BASE_URL is {text!r}; production needs https")
    return text.rstrip("/")


def _is_site_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError when it is no port number
    except ValueError:
        return False
    extras = parts.query or parts.fragment or parts.username or parts.password
    bare = not extras and parts.path in ("", "/")
    readable = text.isascii() and text.isprintable() and " " not in text
    return parts.scheme in ("http", "https") and bool(parts.hostname) and bare and readable
