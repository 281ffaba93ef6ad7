"""Settings are read once and refused with one clear line."""

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.config import Config, templates_folder
from pbem.errors import ConfigError

KEY = "a-key-for-the-tests-that-is-long-enough"
PRODUCTION = {
    "PBEM_ENV": "production",
    "PBEM_BASE_URL": "https://play.test/",
    "PBEM_SECRET_KEYS": KEY,
    "PBEM_SMTP_URL": "smtp://ann:pw@mail.test:587?tls=starttls",
    "PBEM_MAIL_FROM": "letters@play.test",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Development keeps its key under the folder where it is started."""
    monkeypatch.chdir(tmp_path)


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in PRODUCTION.items() if key != name}


def test_nothing_set_is_development_on_loopback() -> None:
    config = Config.from_env({})

    assert config == Config(secret_keys=config.secret_keys, keys_file=Path("var/secret-keys"))
    assert config.base_url == "http://127.0.0.1:8000"
    assert config.database_url == "sqlite:///var/pbem.db"
    assert config.smtp_url is None
    assert not config.in_production


def test_development_makes_a_key_and_keeps_it() -> None:
    first, second = Config.from_env({}), Config.from_env({})

    assert first.secret_keys == second.secret_keys
    assert len(first.secret_keys[0]) >= 32
    assert Path("var/secret-keys").stat().st_mode & 0o077 == 0


def test_a_complete_production_is_accepted() -> None:
    config = Config.from_env(PRODUCTION)

    assert config.in_production
    assert config.base_url == "https://play.test"
    assert config.host == "play.test"
    assert config.mail_domain == "play.test"
    assert not Path("var").exists()


@pytest.mark.parametrize(
    "name", ["PBEM_BASE_URL", "PBEM_SECRET_KEYS", "PBEM_SMTP_URL", "PBEM_MAIL_FROM"]
)
def test_half_a_production_is_refused_with_the_name_of_what_is_missing(name: str) -> None:
    with pytest.raises(ConfigError, match=f"^{name} is missing"):
        Config.from_env(without(name))


def test_several_keys_stand_apart_by_commas_or_blanks() -> None:
    keys = ("an-older-key-for-the-tests-long-enough", KEY)

    assert Config.from_env({"PBEM_SECRET_KEYS": ", ".join(keys)}).secret_keys == keys


def test_a_setting_can_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "base-url"
    file.write_text("https://play.test\n")

    assert Config.from_env({"PBEM_BASE_URL_FILE": str(file)}).base_url == "https://play.test"


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"PBEM_ENV": "staging"}, "PBEM_ENV is 'staging'; it may be development or production"),
        ({"PBEM_ENV": ""}, "PBEM_ENV is set but empty"),
        ({**PRODUCTION, "PBEM_BASE_URL": "http://play.test"}, "production needs https"),
        ({"PBEM_BASE_URL": "play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "ftp://play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test/games"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test?x=1"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://ann:pw@play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test:port"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play .test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://[play.test"}, "must look like https://host"),
        ({"PBEM_DATABASE_URL": "mysql://db"}, "must begin with sqlite:/// or postgresql://"),
        ({"PBEM_SECRET_KEYS": "short"}, "holds a key of under 32 characters"),
        ({"PBEM_SMTP_URL": "mail.test"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtp://"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtp://mail.test:x"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtp://ann:p/w@mail.test"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtps://ann:p#w@mail.test"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtps://mail.test/spool"}, "PBEM_SMTP_URL must look like smtp://"),
        ({"PBEM_SMTP_URL": "smtps://ann@mail.test"}, "names a user without a password"),
        ({"PBEM_BASE_URL": "https://play.test?"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test#"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://@play.test"}, "must look like https://host"),
        ({"PBEM_MAIL_FROM": "ann@play.test\nBcc: eve@evil.test"}, "must be a bare address"),
        ({"PBEM_MAIL_FROM": "ann@play.test,eve@evil.test"}, "must be a bare address"),
        ({"PBEM_MAIL_FROM": "ann\x7f@play.test"}, "must be a bare address"),
        ({"PBEM_MAIL_DOMAIN": "play.test\nX"}, "PBEM_MAIL_DOMAIN is"),
        ({"PBEM_DATABASE_ULR": "x"}, "PBEM_DATABASE_ULR is no setting; is PBEM_DATABASE_URL m"),
        ({"PBEM_SMTP_TLS": "1"}, "PBEM_SMTP_TLS is no setting; is PBEM_SMTP_URL meant?"),
        ({"PBEM_SECRET_KEY_FILE": "x"}, "is PBEM_SECRET_KEYS_FILE meant?"),
        ({"PBEM_MAIL_FROM": "nobody"}, "PBEM_MAIL_FROM is 'nobody'"),
        ({"PBEM_MAIL_FROM": "Ann <ann@play.test>"}, "must be a bare address"),
        ({"PBEM_MAIL_DOMAIN": "play test"}, "PBEM_MAIL_DOMAIN is 'play test'"),
        ({"PBEM_LETTERS_A_DAY": "many"}, "PBEM_LETTERS_A_DAY is 'many'; it must be a whole number"),
        ({"PBEM_MIN_FREE_MB": "-1"}, "PBEM_MIN_FREE_MB is '-1'; it must be a whole number"),
        ({"PBEM_BASE_URL_FILE": "/nowhere/base-url"}, "cannot be read: No such file"),
        (
            {"PBEM_BASE_URL": "https://a.test", "PBEM_BASE_URL_FILE": "b"},
            "PBEM_BASE_URL and PBEM_BASE_URL_FILE are both set",
        ),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Config.from_env(environ)

    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


# --- the way to the mail server -------------------------------------------------------------------

IN_THE_CLEAR = [
    "smtp://ann:s3cret@mail.test",
    "smtp://mail.test:25",
    "smtp://ann:s3cret@mail.test:587?",
    "smtp://ann:s3cret@192.0.2.7:587",
    "smtp://ann:s3cret@[2001:db8::7]",
    "smtp://localhost.mail.test",
    "smtp://ann:s3cret@127.0.0.1.mail.test",
]
UNKNOWN = [
    "smtp://ann:s3cret@mail.test?tls=STARTTLS",
    "smtp://ann:s3cret@mail.test?tls=starttl",
    "smtp://ann:s3cret@mail.test?tls=none",
    "smtp://ann:s3cret@mail.test?tls=",
    "smtp://ann:s3cret@mail.test?starttls=1",
    "smtp://ann:s3cret@mail.test?TLS=starttls",
    "smtp://ann:s3cret@mail.test?tls=starttls&verify=no",
    "smtp://ann:s3cret@mail.test?tls=starttls&tls=starttls",
    "smtp://ann:s3cret@mail.test?tls=starttls&tls=none",
    "smtp://ann:s3cret@127.0.0.1?tls=off",
]


@pytest.mark.parametrize("env", [{}, PRODUCTION])
@pytest.mark.parametrize("url", [*IN_THE_CLEAR, *UNKNOWN, "smtps://ann:s3cret@mail.test?tls=no"])
def test_no_letter_could_leave_in_the_clear(url: str, env: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as refusal:
        Config.from_env({**env, "PBEM_SMTP_URL": url})

    said = str(refusal.value)
    assert said.startswith("PBEM_SMTP_URL ")
    assert "?tls=starttls" in said or "takes nothing after a ?" in said, "it says what to write"
    assert "s3cret" not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "url",
    [
        "smtp://ann:s3cret@mail.test:587?tls=starttls",
        "smtps://ann:s3cret@mail.test",
        "smtp://127.0.0.1",
        "smtp://ann:s3cret@127.9.9.9:2525",
        "smtp://[::1]:2525",
        "smtp://LOCALHOST:2525",
        "smtp://localhost:2525?tls=starttls",
    ],
)
def test_encrypted_or_on_this_machine_letters_may_leave(url: str) -> None:
    assert Config.from_env({**PRODUCTION, "PBEM_SMTP_URL": url}).smtp_url == url


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://play.test/", "https://play.test"),
        ("HTTPS://Play.Test", "https://play.test"),
        ("https://play.test:443", "https://play.test"),
        ("https://play.test:", "https://play.test"),
        ("https://play.test:8443/", "https://play.test:8443"),
        ("https://[2001:DB8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_the_address_of_the_site_is_read_as_browsers_write_it(written: str, origin: str) -> None:
    assert Config.from_env({**PRODUCTION, "PBEM_BASE_URL": written}).base_url == origin


# --- the ways in ----------------------------------------------------------------------------------

WAYS_IN = {
    "PBEM_LMTP_LISTEN": "127.0.0.1:8024",
    "PBEM_IMAP_URL": "imaps://ann:s3cret@mail.test/INBOX",
    "PBEM_MAIL_PIPE": "yes",
}


@pytest.mark.parametrize("name", WAYS_IN)
def test_each_way_in_lets_mail_in(name: str) -> None:
    config = Config.from_env(
        {**PRODUCTION, name: WAYS_IN[name], "PBEM_AUTHSERV_ID": "Mail.Play.test"}
    )

    assert config.takes_mail
    assert config.authserv_id == "mail.play.test"
    assert not Config.from_env(PRODUCTION).takes_mail


@pytest.mark.parametrize("name", WAYS_IN)
def test_half_a_way_in_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="PBEM_AUTHSERV_ID is missing; mail comes in, so say"):
        Config.from_env({**PRODUCTION, name: WAYS_IN[name]})
    assert Config.from_env({**PRODUCTION, name: WAYS_IN[name], "PBEM_AUTHSERV_ID": "none"})
    assert Config.from_env({name: WAYS_IN[name]}).authserv_id == ""


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"PBEM_AUTHSERV_ID": "mail.test"}, "PBEM_AUTHSERV_ID is set, but no mail comes in; set"),
        ({"PBEM_AUTHSERV_ID": "a b", "PBEM_MAIL_PIPE": "yes"}, "must be a name like mail.host"),
        ({"PBEM_MAIL_PIPE": "on"}, "PBEM_MAIL_PIPE is 'on'; it may be yes or no"),
        ({"PBEM_LMTP_LISTEN": "8024"}, "must look like 127.0.0.1:8024 or /run/pbem/lmtp"),
        ({"PBEM_LMTP_LISTEN": "127.0.0.1"}, "must look like 127.0.0.1:8024"),
        ({"PBEM_LMTP_LISTEN": "127.0.0.1:x"}, "must look like 127.0.0.1:8024"),
        ({"PBEM_LMTP_LISTEN": "lmtp.sock"}, "must look like 127.0.0.1:8024"),
        ({"PBEM_LMTP_LISTEN": "0.0.0.0:8024"}, "which other machines could reach"),
        ({"PBEM_LMTP_LISTEN": "192.0.2.7:8024"}, "which other machines could reach"),
        ({"PBEM_LMTP_LISTEN": "[::]:8024"}, "which other machines could reach"),
        ({"PBEM_IMAP_URL": "mail.test"}, "PBEM_IMAP_URL must look like imaps://user:pass@host"),
        ({"PBEM_IMAP_URL": "pop3://ann:s3cret@mail.test"}, "PBEM_IMAP_URL must look like"),
        ({"PBEM_IMAP_URL": "imaps://ann:s3#cret@mail.test"}, "PBEM_IMAP_URL must look like"),
        ({"PBEM_IMAP_URL": "imaps://ann@mail.test"}, "PBEM_IMAP_URL lacks a user or a password"),
        ({"PBEM_IMAP_URL": "imap://ann:s3cret@mail.test"}, "send the password in the clear"),
    ],
)
def test_a_wrong_way_in_is_refused_in_one_line(environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Config.from_env(environ)

    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "s3" not in str(refusal.value)


@pytest.mark.parametrize(
    "environ",
    [
        {"PBEM_LMTP_LISTEN": "[::1]:8024"},
        {"PBEM_LMTP_LISTEN": "localhost:8024"},
        {"PBEM_LMTP_LISTEN": "/run/pbem/lmtp"},
        {"PBEM_IMAP_URL": "imap://ann:s3cret@127.0.0.1:1143"},
        {"PBEM_IMAP_URL": "imaps://ann%40play.test:s3%23cret@mail.test:993/Replies"},
    ],
)
def test_encrypted_or_on_this_machine_mail_may_come(environ: dict[str, str]) -> None:
    assert Config.from_env(environ).takes_mail


def test_names_of_others_are_left_alone() -> None:
    names = {"PBEM_REQUIRE": "browser", "PBEMX": "1", "SMTP_URL": "x", "PATH": "/bin"}

    assert Config.from_env({**PRODUCTION, **names}).in_production


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("\n")

    with pytest.raises(ConfigError, match="PBEM_ENV is set but empty"):
        Config.from_env({"PBEM_ENV_FILE": str(file)})


@pytest.mark.whole
def test_the_command_shows_a_refusal_as_one_line_and_status_2() -> None:
    outcome = subprocess.run(
        [sys.executable, "-m", "pbem.cli", "serve"],
        env={"PBEM_ENV": "staging"},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert outcome.returncode == 2
    assert outcome.stderr == ("pbem: PBEM_ENV is 'staging'; it may be development or production\n")


def test_the_templates_of_a_checkout_are_beside_the_package() -> None:
    assert (templates_folder() / "web" / "base.html").is_file()
