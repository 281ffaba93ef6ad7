"""The settings, read once from the environment; the only module that reads it."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pbem.errors import ConfigError

DEVELOPMENT = "development"
PRODUCTION = "production"
DEFAULT_BASE_URL = "http://127.0.0.1:8000"
DEFAULT_DATABASE_URL = "sqlite:///var/pbem.db"
DEFAULT_MAIL_FROM = "pbem@localhost"
DEVELOPMENT_KEYS = Path("var/secret-keys")
MAILBOX = Path("var/mailbox")
SHORTEST_KEY = 32
DEFAULT_LETTERS_A_DAY = 1_000
DEFAULT_MIN_FREE_MB = 200


@dataclass(frozen=True)
class Config:
    """A complete and checked set of settings."""

    env: str = DEVELOPMENT
    base_url: str = DEFAULT_BASE_URL  # without a slash at its end
    database_url: str = DEFAULT_DATABASE_URL
    secret_keys: tuple[str, ...] = ()  # oldest to newest: the newest signs, all verify
    smtp_url: str | None = None  # None: letters go to the mailbox folder
    mail_from: str = DEFAULT_MAIL_FROM
    mail_domain: str = "localhost"
    mailbox: Path = MAILBOX
    letters_a_day: int = DEFAULT_LETTERS_A_DAY  # that strangers can cause, for each way to do so
    min_free_mb: int = DEFAULT_MIN_FREE_MB  # below it nothing is written; 0: whatever is free
    keys_file: Path | None = None  # where the keys come from, if that is a file

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Config":
        """Read the `PBEM_*` settings, or raise ConfigError naming the one that is wrong."""
        environ = os.environ if environ is None else environ
        env = _read(environ, "PBEM_ENV") or DEVELOPMENT
        if env not in (DEVELOPMENT, PRODUCTION):
            raise ConfigError(f"PBEM_ENV is {env!r}; it may be {DEVELOPMENT} or {PRODUCTION}")
        mail_from = _mail_from(_read(environ, "PBEM_MAIL_FROM"), env)
        return cls(
            env=env,
            base_url=_base_url(_read(environ, "PBEM_BASE_URL"), env),
            database_url=_database_url(_read(environ, "PBEM_DATABASE_URL")),
            secret_keys=_secret_keys(_read(environ, "PBEM_SECRET_KEYS"), env),
            smtp_url=_smtp_url(_read(environ, "PBEM_SMTP_URL"), env),
            mail_from=mail_from,
            mail_domain=_mail_domain(_read(environ, "PBEM_MAIL_DOMAIN"), mail_from),
            letters_a_day=_whole(environ, "PBEM_LETTERS_A_DAY", DEFAULT_LETTERS_A_DAY),
            min_free_mb=_whole(environ, "PBEM_MIN_FREE_MB", DEFAULT_MIN_FREE_MB),
            keys_file=keys_file(environ),
        )

    @property
    def in_production(self) -> bool:
        return self.env == PRODUCTION

    @property
    def host(self) -> str:
        """The host that players' links name."""
        return urlsplit(self.base_url).hostname or ""


def keys_file(environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that keys come from; also known before the other settings are there."""
    environ = os.environ if environ is None else environ
    if "PBEM_SECRET_KEYS_FILE" in environ:
        return Path(environ["PBEM_SECRET_KEYS_FILE"])
    is_made = "PBEM_SECRET_KEYS" not in environ and environ.get("PBEM_ENV") != PRODUCTION
    return DEVELOPMENT_KEYS if is_made else None


def keys_in(file: Path) -> tuple[str, ...]:
    """The keys of a file, oldest to newest, or ConfigError."""
    return split_keys(_contents("PBEM_SECRET_KEYS_FILE", str(file)))


def split_keys(text: str) -> tuple[str, ...]:
    """Keys apart by commas or blanks."""
    keys = tuple(text.replace(",", " ").split())
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise ConfigError(f"PBEM_SECRET_KEYS holds a key of under {SHORTEST_KEY} characters")
    if not keys:
        raise ConfigError("PBEM_SECRET_KEYS holds no key; make one with: pbem keys rotate")
    return keys


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


def _whole(environ: Mapping[str, str], name: str, otherwise: int) -> int:
    """A setting that is a whole number."""
    text = _read(environ, name)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ConfigError(f"{name} is {text!r}; it must be a whole number like {otherwise}")
    return int(text)


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


def _database_url(text: str | None) -> str:
    if text is None:
        return DEFAULT_DATABASE_URL
    if not text.startswith(("sqlite:///", "postgresql://")):
        raise ConfigError("PBEM_DATABASE_URL must begin with sqlite:/// or postgresql://")
    return text


def _secret_keys(text: str | None, env: str) -> tuple[str, ...]:
    """The keys of the setting; development makes one and keeps it."""
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_SECRET_KEYS is missing; make one with: pbem keys rotate")
        return _development_keys()
    return split_keys(text)


def _development_keys() -> tuple[str, ...]:
    if not DEVELOPMENT_KEYS.exists():
        DEVELOPMENT_KEYS.parent.mkdir(parents=True, exist_ok=True)
        DEVELOPMENT_KEYS.write_text(secrets.token_hex(SHORTEST_KEY), "ascii")
        DEVELOPMENT_KEYS.chmod(0o600)
    return keys_in(DEVELOPMENT_KEYS)


def _smtp_url(text: str | None, env: str) -> str | None:
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_SMTP_URL is missing; production needs it, as smtp://host:587")
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ConfigError(
            "PBEM_SMTP_URL must look like smtp://user:pass@host:587?tls=starttls or smtps://host"
        )
    return text


def _mail_from(text: str | None, env: str) -> str:
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_MAIL_FROM is missing; production needs the sender's address")
        return DEFAULT_MAIL_FROM
    local, at, domain = text.rpartition("@")
    if not (local and at and domain) or not text.isascii() or any(c in text for c in " <>\r\n"):
        raise ConfigError(f"PBEM_MAIL_FROM is {text!r}; it must be a bare address like pbem@host")
    return text


def _mail_domain(text: str | None, mail_from: str) -> str:
    domain = text or mail_from.rpartition("@")[2]
    if not domain.isascii() or not all(c.isalnum() or c in ".-" for c in domain):
        raise ConfigError(f"PBEM_MAIL_DOMAIN is {domain!r}; it must be a domain like play.host")
    return domain
