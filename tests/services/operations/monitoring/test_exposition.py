"""The text of /metrics, and the files of deploy/monitoring that go by its names."""

from __future__ import annotations

import json
import logging
import re
from typing import get_args

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from pbem.db.store import execute
from pbem.services.operations import alerts, ticking
from pbem.services.operations.monitoring import counters, exposition, signs
from tests.kit.nginx import DEPLOY
from tests.services.operations.doctor.test_machine import BACKUP, unread
from tests.services.people import ANN, BOB, NOW, Sitting

FOLDER = DEPLOY / "monitoring"
NAME = re.compile(r"\bpbem_[a-z_]+")


@pytest.fixture
def text(sitting: Sitting) -> str:
    """With something of everything in it."""
    ticking.Ticker().tick(NOW, 1.0)
    execute(BACKUP, NOW)
    unread(sitting)
    counters.REQUESTS.labels("lobby", "GET", 200).inc()
    counters.SECONDS.labels("lobby").observe(0.1)
    counters.JOBS.labels("tick", "done").inc()
    counters.LoggedLines().handle(logging.makeLogRecord({"levelname": "ERROR"}))
    return exposition.text(NOW)


def test_programs_can_read_it(text: str, sitting: Sitting) -> None:
    families = {family.name: family for family in text_string_to_metric_families(text)}

    matches = {sample.labels["status"]: sample.value for sample in families["pbem_matches"].samples}
    assert matches == {"live": 1}
    assert families["pbem_players"].samples[0].value == 2
    assert {
        "pbem_requests",
        "pbem_request_seconds",
        "pbem_jobs",
        "pbem_log_lines",
    } <= families.keys()
    for secret in (ANN, BOB, sitting.match):
        assert secret not in text


def named(expression: str) -> set[str]:
    return set(NAME.findall(expression))


def told(text: str) -> set[str]:
    return {line.split("{")[0].split(" ")[0] for line in text.splitlines() if line[:1] != "#"}


def rules() -> dict[str, str]:
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return {rule["alert"]: rule["expr"] for rule in group["rules"]}


def test_every_rule_goes_by_figures_that_are_told(text: str) -> None:
    names = {name for expression in rules().values() for name in named(expression)}

    assert len(rules()) == 12
    assert names <= told(text)
    assert named("sum(pbem_gone_total)") - told(text) == {"pbem_gone_total"}


def test_every_picture_shows_figures_that_are_told(text: str) -> None:
    board = json.loads((FOLDER / "grafana-dashboard.json").read_text())
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    names = {name for expression in asked for name in named(expression)}

    assert len(asked) > 15
    assert names <= told(text)
    ours = {name for name in told(text) if name.startswith("pbem_")}
    assert {name for name in ours if not re.search("_(created|count|bucket|sum)$", name)} <= names


def test_rules_and_health_have_the_same_limits(text: str) -> None:
    limits = {sign.name: sign.limit for sign in signs.read(NOW)}
    for sign, (name, _) in exposition.SIGNS.items():
        assert f"max({name}) > {limits[sign]}" in rules().values()


def test_labels_that_rules_look_for_are_there(text: str) -> None:
    assert re.findall(r'what="(\w+)"', text) == sorted(get_args(alerts.AlertKind))
    assert 'pbem_alerts{what="unread"} 1.0' in text
    assert 'pbem_alerts{what="dead"} 0.0' in text
    assert 'pbem_log_lines_total{level="error"}' in text
    assert 'pbem_requests_total{method="GET",pages="lobby",status="200"}' in text
