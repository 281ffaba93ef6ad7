"""All figures as text for Prometheus: read from the tables now, and counted by processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from pbem.services.operations import alerts, health
from pbem.services.operations.monitoring import counters, signs

SIGNS: dict[signs.SignName, tuple[str, str]] = {
    "letter": ("pbem_oldest_letter_seconds", "Age of the oldest letter that could be sent now."),
    "mail": ("pbem_oldest_mail_seconds", "Age of the oldest mail that nobody has worked on."),
    "alarm": ("pbem_oldest_alarm_seconds", "Age of the oldest alarm that rings."),
    "tick": ("pbem_last_tick_seconds", "Since a worker last looked at what is due."),
    "backup": ("pbem_last_backup_seconds", "Since the newest backup; none: no such line."),
}


def text(now: int) -> str:
    """Everything in the text format that monitoring programs read; nothing about anybody."""
    tables = CollectorRegistry()
    tables.register(_Tables(now))
    return (generate_latest(tables) + generate_latest(counters.of_all_processes())).decode()


class _Tables(Collector):
    """What the tables tell at this moment."""

    def __init__(self, now: int) -> None:
        self._now = now

    def collect(self) -> Iterator[GaugeMetricFamily]:
        counts = health.counts()
        yield _by("pbem_matches", "Matches by status.", "status", counts.matches)
        yield _by("pbem_letters", "Letters by state of the outbox.", "state", counts.letters)
        yield _by("pbem_mails", "Mails that came in, by their ending.", "state", counts.mails)
        yield GaugeMetricFamily(
            "pbem_players", "Players with a confirmed address.", value=counts.players
        )
        yield from self._signs()
        needed = dict.fromkeys(get_args(alerts.AlertKind), 0)
        needed |= {alert.what: alert.number for alert in alerts.active(self._now)}
        yield _by("pbem_alerts", "What needs a person now, and how much of it.", "what", needed)

    def _signs(self) -> Iterator[GaugeMetricFamily]:
        """How old; of what was never done nothing is told."""
        for sign in signs.read(self._now):
            name, words = SIGNS[sign.name]
            if sign.since is not None or sign.name not in ("tick", "backup"):
                yield GaugeMetricFamily(name, words, value=sign.age(self._now))


def _by(name: str, words: str, label: str, counts: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, words, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family
