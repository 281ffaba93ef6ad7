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


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("\n")

    with pytest.raises(ConfigError, match="PBEM_ENV is set but empty"):
        Config.from_env({"PBEM_ENV_FILE": str(file)})


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
