"""Container and compose files: complete, without secrets, and in step with units and settings."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import yaml

from pbem.config import Config
from tests.kit.nginx import DEPLOY, ROOT, directives

FOLDER = DEPLOY / "container"
SMALL, LARGE = "compose.small.yml", "compose.large.yml"
OURS = {
    SMALL: {"migrate", "web", "worker", "backup"},
    LARGE: {"migrate", "web-1", "web-2", "worker-1", "worker-2", "backup"},
}
LASTING = {SMALL: {"web", "worker"}, LARGE: {"web-1", "web-2", "worker-1", "worker-2"}}


def compose(file: str) -> dict[str, Any]:
    text = (FOLDER / file).read_text().replace("${PBEM_HOST:?}", "play.example.org")
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def services(file: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose(file)["services"]
    return found


def settings() -> set[str]:
    return set(re.findall(r'"(PBEM_[A-Z_]+)"', (ROOT / "pbem" / "config.py").read_text()))


def instructions(file: str) -> list[tuple[str, str]]:
    """Each instruction of a container file with its words."""
    text = (FOLDER / file).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(name, words) for name, words in (line.split(" ", 1) for line in lines)]


# --- images ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["Containerfile", "Containerfile.relay"])
def test_images_are_made_of_files_that_are_there(file: str) -> None:
    copied = [words.split() for name, words in instructions(file) if name == "COPY"]
    ours = [name for words in copied if "--from=build" not in words for name in words[:-1]]

    assert len(ours) > 0
    for name in ours:
        assert (ROOT / name).exists(), name


def test_the_image_runs_as_nobody_in_particular_and_cannot_install_anything() -> None:
    steps = instructions("Containerfile")
    last_stage = steps[max(i for i, (name, _) in enumerate(steps) if name == "FROM") :]
    run = " ".join(words for name, words in last_stage if name == "RUN")

    assert ("USER", "10001:10001") in last_stage
    assert "pip" not in run
    assert "useradd --system --uid 10001" in run
    assert any("pip uninstall" in words for name, words in steps if name == "RUN")


def test_the_image_serves_pages_as_the_unit_does() -> None:
    (command,) = [words for name, words in instructions("Containerfile") if name == "CMD"]
    in_image = yaml.safe_load(command)
    (start,) = directives("pbem-web.service")["ExecStart"]
    in_unit = shlex.split(start)[1:-1]

    assert set(in_unit) <= set(in_image), "options of the unit that the image lacks"
    assert set(in_image) - set(in_unit) == {
        *("gunicorn", "--bind", "0.0.0.0:8000", "--access-logfile", "-", "pbem.app:from_env()")
    }


def test_settings_of_the_image_are_settings() -> None:
    (words,) = [words for name, words in instructions("Containerfile") if name == "ENV"]
    named = {pair.split("=")[0] for pair in words.split()}

    assert {name for name in named if name.startswith("PBEM_")} <= settings()


# --- compose files --------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [SMALL, LARGE])
def test_our_services_can_do_little(file: str) -> None:
    found = services(file)
    assert OURS[file] <= found.keys()
    for name in OURS[file]:
        service = found[name]
        assert service["image"] == "pbem"
        assert service["read_only"] is True
        assert service["user"] == "10001:10001"
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["pids_limit"] == 64
        assert "privileged" not in service
    assert not any("docker.sock" in str(service.get("volumes")) for service in found.values())


@pytest.mark.parametrize("file", [SMALL, LARGE])
def test_tables_come_first_and_what_lasts_is_started_again(file: str) -> None:
    found = services(file)
    assert found["migrate"]["command"] == ["pbem", "migrate"]
    assert found["migrate"]["restart"] == "no"
    for name in LASTING[file]:
        waits = found[name]["depends_on"]["migrate"]
        assert waits == {"condition": "service_completed_successfully"}
        assert found[name]["restart"] == "unless-stopped"
        assert found[name]["mem_limit"]
    for name in (name for name in LASTING[file] if name.startswith("web")):
        assert "/readyz" in found[name]["healthcheck"]["test"][-1]


@pytest.mark.parametrize("file", [SMALL, LARGE])
def test_every_setting_is_one_and_the_whole_is_a_server(file: str) -> None:
    for name in LASTING[file]:
        environ = {
            key.removesuffix("_FILE"): value
            for key, value in services(file)[name]["environment"].items()
            if key.startswith("PBEM_")
        }
        assert environ.keys() <= settings()
        if file == LARGE:
            secrets = {"PBEM_DATABASE_URL": "postgresql://x/y", "PBEM_SECRET_KEYS": "k" * 40}
            config = Config.from_env({"PBEM_ENV": "production", **environ, **secrets})
            assert config.takes_mail
            assert config.mail_domain == config.host == "play.example.org"


@pytest.mark.parametrize("file", [SMALL, LARGE])
def test_no_secret_stands_in_them(file: str) -> None:
    whole = compose(file)
    for service in whole["services"].values():
        environ = service.get("environment", {})
        assert not [key for key in environ if re.search("KEY|PASSWORD", key) and "_FILE" not in key]
        for name in ("PBEM_DATABASE_URL", "PBEM_SMTP_URL"):
            assert "@" not in environ.get(name, "")
        assert set(service.get("secrets", [])) <= whole.get("secrets", {}).keys()
        assert service.get("env_file") in (None, "pbem.env")
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"deploy/container/pbem.env", "deploy/container/secrets/"} <= set(ignored)


def test_only_the_front_door_and_the_mailbox_are_open_to_the_world() -> None:
    assert {name: s["ports"] for name, s in services(SMALL).items() if "ports" in s} == {
        "web": ["127.0.0.1:8000:8000"]
    }
    assert {name: s["ports"] for name, s in services(LARGE).items() if "ports" in s} == {
        "nginx": ["80:80", "443:443"],
        "relay": ["25:25"],
    }
    assert compose(LARGE)["networks"]["inside"] == {"internal": True}


def test_what_must_last_lies_in_volumes() -> None:
    for file in (SMALL, LARGE):
        whole = compose(file)
        named = {
            volume.split(":")[0]
            for service in whole["services"].values()
            for volume in service.get("volumes", [])
            if volume[0] not in "./"
        }
        assert named == whole["volumes"].keys()
    assert services(SMALL)["web"]["volumes"] == services(SMALL)["worker"]["volumes"]


def test_workers_reach_the_relay_on_loopback_and_one_listens_for_it() -> None:
    found = services(LARGE)
    listens = [found[name]["environment"]["PBEM_LMTP_LISTEN"] for name in ("worker-1", "worker-2")]

    assert len(set(listens)) == 2
    for name in ("worker-1", "worker-2"):
        assert found[name]["network_mode"] == "service:relay"
        assert found[name]["environment"]["PBEM_SMTP_URL"] == "smtp://127.0.0.1:25"
    main = (DEPLOY / "postfix" / "main.cf").read_text()
    assert f"lmtp:inet:{listens[0]}" in main


def test_nginx_of_the_compose_file_changes_what_is_there_to_change() -> None:
    (script,) = [word for word in services(LARGE)["nginx"]["command"] if "sed" in word]
    site = (DEPLOY / "nginx.conf").read_text()
    replaced = [part.split("#")[1] for part in re.findall(r"s#[^#]+#[^#]+#", script)]

    assert len(replaced) == 3
    for old in replaced:
        assert old in site, old
    assert "server web-1:8000; server web-2:8000;" in script


def test_dumps_are_made_by_the_version_of_the_database() -> None:
    version = services(LARGE)["database"]["image"].rpartition(":")[2]

    assert f"postgresql-client-{version} " in (FOLDER / "Containerfile").read_text()
