"""The settings, read once from the environment; the only module that reads it."""

import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from pbem.errors import ConfigError

DEVELOPMENT = "development"
PRODUCTION = "production"
DEFAULT_BASE_URL = "http://127.0.0.1:8000"
DEFAULT_DATABASE_URL = "sqlite:///var/pbem.db"
DEFAULT_MAIL_FROM = "pbem@localhost"
DEVELOPMENT_KEYS = Path("var/secret-keys")
MAILBOX = Path("var/mailbox")
SHORTEST_KEY = 32
ALIKE = 0.75
"""How much of a name it shares with the one that is meant."""
STARTTLS = "tls=starttls"
OFFERED, ALWAYS = "offered", "always"
DEFAULT_LETTERS_A_DAY = 1_000
DEFAULT_MIN_FREE_MB = 200
DEFAULT_OPEN_DAYS = 30
NONE = "none"
JSON, PLAIN = "json", "plain"


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
    turn_word: str = OFFERED  # to players who wish it, or demanded of all
    letters_a_day: int = DEFAULT_LETTERS_A_DAY  # that strangers can cause, for each way to do so
    min_free_mb: int = DEFAULT_MIN_FREE_MB  # below it nothing is written; 0: whatever is free
    open_days: int = DEFAULT_OPEN_DAYS  # that a match waits for its players before it lapses
    keys_file: Path | None = None  # where the keys come from, if that is a file
    lmtp_listen: str | None = None  # host:port or a socket, where the mail server hands in mail
    imap_url: str | None = None  # the mailbox that mail is fetched from
    mail_pipe: bool = False  # the mail server runs `pbem mail in`
    authserv_id: str = ""  # the name under which it writes Authentication-Results; empty: none
    log_format: str = PLAIN  # of the lines that processes write: for a terminal, or JSON

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Config":
        """Read the `PBEM_*` settings, or raise ConfigError naming the one that is wrong."""
        environ = _Asked(os.environ if environ is None else environ)
        env = _read(environ, "PBEM_ENV") or DEVELOPMENT
        if env not in (DEVELOPMENT, PRODUCTION):
            raise ConfigError(f"PBEM_ENV is {env!r}; it may be {DEVELOPMENT} or {PRODUCTION}")
        mail_from = _mail_from(_read(environ, "PBEM_MAIL_FROM"), env)
        authserv_id = _read(environ, "PBEM_AUTHSERV_ID")
        config = cls(
            env=env,
            base_url=_base_url(_read(environ, "PBEM_BASE_URL"), env),
            database_url=_database_url(_read(environ, "PBEM_DATABASE_URL")),
            secret_keys=_secret_keys(_read(environ, "PBEM_SECRET_KEYS"), env),
            smtp_url=_smtp_url(_read(environ, "PBEM_SMTP_URL"), env),
            mail_from=mail_from,
            mail_domain=_mail_domain(_read(environ, "PBEM_MAIL_DOMAIN"), mail_from),
            turn_word=_turn_word(_read(environ, "PBEM_TURN_WORD")),
            letters_a_day=_whole(environ, "PBEM_LETTERS_A_DAY", DEFAULT_LETTERS_A_DAY),
            min_free_mb=_whole(environ, "PBEM_MIN_FREE_MB", DEFAULT_MIN_FREE_MB),
            open_days=_open_days(environ),
            keys_file=keys_file(environ),
            lmtp_listen=_lmtp_listen(_read(environ, "PBEM_LMTP_LISTEN")),
            imap_url=_imap_url(_read(environ, "PBEM_IMAP_URL")),
            mail_pipe=_yes_or_no(environ, "PBEM_MAIL_PIPE"),
            authserv_id=_authserv_id(authserv_id),
            log_format=log_format(environ),
        )
        environ.refuse_slips()
        _check_ways_in(config, authserv_id is not None)
        return config

    @property
    def in_production(self) -> bool:
        return self.env == PRODUCTION

    @property
    def demands_words(self) -> bool:
        return self.turn_word == ALWAYS

    @property
    def takes_mail(self) -> bool:
        """Whether replies to letters, and letters that come back, find a way in."""
        return bool(self.lmtp_listen or self.imap_url or self.mail_pipe)

    @property
    def host(self) -> str:
        """The host that players' links name."""
        return urlsplit(self.base_url).hostname or ""


class _Asked(Mapping[str, str]):
    """The environment, and which of its names somebody has asked for."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ, self._names = environ, set[str]()

    def __getitem__(self, name: str) -> str:
        self._names.add(name)
        return self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)

    def refuse_slips(self) -> None:
        """A name of ours that nobody asks for, next to one that is asked for, is misspelt."""
        for name in sorted(set(self) - self._names):
            near = get_close_matches(name, self._names, n=1, cutoff=ALIKE)
            if name.startswith("PBEM_") and near:
                raise ConfigError(f"{name} is no setting; is {near[0]} meant?")


def keys_file(environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that keys come from; also known before the other settings are there."""
    environ = os.environ if environ is None else environ
    if "PBEM_SECRET_KEYS_FILE" in environ:
        return Path(environ["PBEM_SECRET_KEYS_FILE"])
    is_made = "PBEM_SECRET_KEYS" not in environ and environ.get("PBEM_ENV") != PRODUCTION
    return DEVELOPMENT_KEYS if is_made else None


def log_format(environ: Mapping[str, str] | None = None) -> str:
    """How lines are written; also known before the other settings are there.

    Unless it is set: as JSON in production, plain for developers and on a terminal.
    """
    environ = os.environ if environ is None else environ
    form = _read(environ, "PBEM_LOG_FORMAT")
    if form not in (None, JSON, PLAIN):
        raise ConfigError(f"PBEM_LOG_FORMAT is {form!r}; it may be {JSON} or {PLAIN}")
    is_for_people = environ.get("PBEM_ENV") != PRODUCTION or sys.stderr.isatty()
    return form or (PLAIN if is_for_people else JSON)


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


def _open_days(environ: Mapping[str, str]) -> int:
    days = _whole(environ, "PBEM_OPEN_DAYS", DEFAULT_OPEN_DAYS)
    if not 1 <= days <= 365:
        raise ConfigError(f"PBEM_OPEN_DAYS is {days}; it must be 1 to 365")
    return days


def _base_url(text: str | None, env: str) -> str:
    """As browsers write the origin of a page: lower case, no port that goes without saying."""
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_BASE_URL is missing; production needs it, as https://host")
        return DEFAULT_BASE_URL
    parts = _split(text)
    is_site = parts.scheme in ("http", "https") and parts.path in ("", "/")
    if not is_site or any(mark in text for mark in "?#@"):
        raise ConfigError(f"PBEM_BASE_URL is {text!r}; it must look like https://host")
    if env == PRODUCTION and parts.scheme != "https":
        raise ConfigError(f"PBEM_BASE_URL is {text!r}; production needs https")
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (
        f":{parts.port}" if parts.port not in (None, usual) else ""
    )


def _split(text: str) -> SplitResult:
    """The parts of an address with a host; nothing at all where there is no such thing."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError when it is no port number
    except ValueError:
        return urlsplit("")
    readable = text.isascii() and text.isprintable() and " " not in text
    return parts if readable and parts.hostname else urlsplit("")


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
    """Letters and passwords leave this machine encrypted or not at all; none of it is quoted."""
    if text is None:
        if env == PRODUCTION:
            raise ConfigError(f"PBEM_SMTP_URL is missing; production needs it, as {_SMTP_FORMS}")
        return None
    parts = _split(text)
    if parts.scheme not in ("smtp", "smtps") or parts.path not in ("", "/") or "#" in text:
        raise ConfigError(f"PBEM_SMTP_URL must look like {_SMTP_FORMS}")
    if parts.username and not parts.password:
        raise ConfigError("PBEM_SMTP_URL names a user without a password")
    _check_encryption(parts)
    return text


_SMTP_FORMS = f"smtp://user:pass@host:587?{STARTTLS} or smtps://user:pass@host"


def _check_encryption(parts: SplitResult) -> None:
    host = str(parts.hostname)
    if parts.scheme == "smtps" and parts.query:
        raise ConfigError("PBEM_SMTP_URL with smtps:// is encrypted and takes nothing after a ?")
    if parts.query not in ("", STARTTLS):
        raise ConfigError(f"PBEM_SMTP_URL has something unknown after its ?; write ?{STARTTLS}")
    if parts.scheme == "smtp" and not parts.query and not _is_this_machine(host):
        raise ConfigError(
            f"PBEM_SMTP_URL would send letters to {host} in the clear; end it with ?{STARTTLS} or"
            " begin it with smtps://"
        )


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _turn_word(text: str | None) -> str:
    if text not in (None, OFFERED, ALWAYS):
        raise ConfigError(f"PBEM_TURN_WORD is {text!r}; it may be {ALWAYS} or {OFFERED}")
    return text or OFFERED


def _mail_from(text: str | None, env: str) -> str:
    if text is None:
        if env == PRODUCTION:
            raise ConfigError("PBEM_MAIL_FROM is missing; production needs the sender's address")
        return DEFAULT_MAIL_FROM
    local, at, domain = text.rpartition("@")
    if not (local and at and domain) or not _is_bare(text):
        raise ConfigError(f"PBEM_MAIL_FROM is {text!r}; it must be a bare address like pbem@host")
    return text


def _is_bare(address: str) -> bool:
    return address.isascii() and address.isprintable() and not set(address) & set(' <>,;:"')


def _mail_domain(text: str | None, mail_from: str) -> str:
    domain = text or mail_from.rpartition("@")[2]
    if not domain.isascii() or not all(c.isalnum() or c in ".-" for c in domain):
        raise ConfigError(f"PBEM_MAIL_DOMAIN is {domain!r}; it must be a domain like play.host")
    return domain


# --- mail that comes in --------------------------------------------------------------------------

_IMAP_FORM = "imaps://user:pass@host/folder"


def _lmtp_listen(text: str | None) -> str | None:
    """Whoever reaches the listener is believed, so only programs of this machine may."""
    if text is None or text.startswith("/"):
        return text
    parts = _split(f"lmtp://{text}")
    if parts.port is None or parts.path or parts.query or parts.username:
        raise ConfigError(
            f"PBEM_LMTP_LISTEN is {text!r}; it must look like 127.0.0.1:8024 or /run/pbem/lmtp"
        )
    if not _is_this_machine(str(parts.hostname)):
        raise ConfigError(
            f"PBEM_LMTP_LISTEN is {text!r}, which other machines could reach; it must be an address"
            " like 127.0.0.1:8024 or a socket like /run/pbem/lmtp"
        )
    return text


def _imap_url(text: str | None) -> str | None:
    """As for SMTP: encrypted or on this machine, and none of it is quoted."""
    if text is None:
        return None
    parts = _split(text)
    if parts.scheme not in ("imap", "imaps") or parts.query or "#" in text:
        raise ConfigError(f"PBEM_IMAP_URL must look like {_IMAP_FORM}")
    if not parts.username or not parts.password:
        raise ConfigError(
            f"PBEM_IMAP_URL lacks a user or a password; it must look like {_IMAP_FORM}"
        )
    if parts.scheme == "imap" and not _is_this_machine(str(parts.hostname)):
        raise ConfigError(
            "PBEM_IMAP_URL would send the password in the clear; begin it with imaps://"
        )
    return text


def _yes_or_no(environ: Mapping[str, str], name: str) -> bool:
    text = _read(environ, name) or "no"
    if text not in ("yes", "no"):
        raise ConfigError(f"{name} is {text!r}; it may be yes or no")
    return text == "yes"


def _authserv_id(text: str | None) -> str:
    if text is None or text == NONE:
        return ""
    if not all(c.isascii() and (c.isalnum() or c in ".-_") for c in text):
        raise ConfigError(
            f"PBEM_AUTHSERV_ID is {text!r}; it must be a name like mail.host, or {NONE}"
        )
    return text.lower()


def _check_ways_in(config: Config, is_name_set: bool) -> None:
    """Mail comes in, and it is known whose word counts about its senders; or neither."""
    if config.takes_mail and not is_name_set and config.in_production:
        raise ConfigError(
            "PBEM_AUTHSERV_ID is missing; mail comes in, so say under which name your mail server"
            f" writes Authentication-Results, or {NONE} if it writes none"
        )
    if is_name_set and not config.takes_mail:
        raise ConfigError(
            "PBEM_AUTHSERV_ID is set, but no mail comes in; set PBEM_LMTP_LISTEN, PBEM_IMAP_URL or"
            " PBEM_MAIL_PIPE too"
        )
