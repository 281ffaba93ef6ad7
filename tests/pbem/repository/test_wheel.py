"""The wheel carries everything, and serves what the checkout serves."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from flask.testing import FlaskClient

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[3]
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
ASK = """
import json, sys
import engine, pbem
from pbem.app import create_app
from pbem.config import Config
client = create_app(Config(secret_keys=("k" * 32,))).test_client()
pages = {path: client.get(path).text for path in sys.argv[1:]}  # closed when this process ends
print(json.dumps({"homes": [engine.__file__, pbem.__file__], "pages": pages}))
"""
PATHS = ["/", "/rules/iron_curtain", "/rules/chess", "/static/pbem.css"]


def run(command: list[str], cwd: Path, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built with the hatchling of this environment and no network."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder), "."],
        cwd=ROOT,
    )
    (built,) = folder.glob("pbem-*.whl")
    return built


def carried() -> set[str]:
    """The files of the checkout that the wheel must hold, by their names inside it."""
    kinds = ("*.toml", "*.json", "RULES.md")
    games = {path for kind in kinds for path in (ROOT / "engine").rglob(kind)}
    pages = {path for part in ("static", "translations") for path in files(ROOT / "pbem" / part)}
    code = {path for part in ("engine", "pbem") for path in (ROOT / part).rglob("*.py")}
    typed = {ROOT / part / "py.typed" for part in ("engine", "pbem")}
    inside = {path.relative_to(ROOT).as_posix() for path in games | pages | code | typed}
    return inside | {
        f"pbem/{path.relative_to(ROOT).as_posix()}" for path in files(ROOT / "templates")
    }


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_carries_code_templates_data_and_translations(wheel: Path) -> None:
    wanted = carried()
    for named in (
        "engine/iron_curtain/cards.toml",
        "engine/iron_curtain/RULES.md",
        "engine/east_and_west/data/map.json",
        "engine/py.typed",
        "pbem/py.typed",
        "pbem/static/pbem.css",
        "pbem/templates/emails/_base/README.md",
        "pbem/templates/web/base.html",
        "pbem/translations/README.md",
    ):
        assert named in wanted

    assert wanted - set(ZipFile(wheel).namelist()) == set()


def test_the_wheel_carries_no_tests(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}

    assert tops == {"engine", "pbem", "pbem-0.1.0.dist-info"}


def test_an_installed_wheel_serves_what_the_checkout_serves(
    wheel: Path, tmp_path: Path, client: FlaskClient
) -> None:
    site = tmp_path / "site"
    run([*PIP, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], tmp_path)
    answer = json.loads(
        run([sys.executable, "-c", ASK, *PATHS], tmp_path, env={"PYTHONPATH": str(site)})
    )

    assert all(Path(home).is_relative_to(site) for home in answer["homes"])
    for path in PATHS:
        with client.get(path) as here:
            assert answer["pages"][path] == here.get_data(as_text=True)
