"""Settings are read once and refused with one clear line."""

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.config import Config, templates_folder
from pbem.errors import ConfigError


def test_nothing_set_is_development_on_loopback() -> None:
    config = Config.from_env({})

    assert config == Config(env="development", base_url="http://127.0.0.1:8000")
    assert not config.in_production


def test_production_with_an_https_address_is_accepted() -> None:
    config = Config.from_env({"PBEM_ENV": "production", "PBEM_BASE_URL": "https://play.test/"})

    assert config.in_production
    assert config.base_url == "https://play.test"
    assert config.host == "play.test"


def test_a_setting_can_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "base-url"
    file.write_text("https://play.test\n")

    assert Config.from_env({"PBEM_BASE_URL_FILE": str(file)}).base_url == "https://play.test"


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"PBEM_ENV": "staging"}, "PBEM_ENV is 'staging'; it may be development or production"),
        ({"PBEM_ENV": ""}, "PBEM_ENV is set but empty"),
        ({"PBEM_ENV": "production"}, "PBEM_BASE_URL is missing"),
        ({"PBEM_ENV": "production", "PBEM_BASE_URL": "http://play.test"}, "production needs https"),
        ({"PBEM_BASE_URL": "play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "ftp://play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test/games"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test?x=1"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://ann:pw@play.test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play.test:port"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://play .test"}, "must look like https://host"),
        ({"PBEM_BASE_URL": "https://[play.test"}, "must look like https://host"),
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
