"""What processes count of their own work, because no table knows it.

With a folder as `PROMETHEUS_MULTIPROC_DIR` in the environment all processes of a machine count
together: each in a file of its own there, so that nothing is lost when one of them ends. Without it
each tells its own figures only. Nothing here is about anybody: labels are names of this program.
"""

from __future__ import annotations

import logging

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

REQUESTS = Counter("pbem_requests", "Requests that were answered.", ["pages", "method", "status"])
SECONDS = Histogram(
    "pbem_request_seconds",
    "How long requests took.",
    ["pages"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
JOBS = Counter("pbem_jobs", "Runs of the jobs of workers.", ["work", "outcome"])
LINES = Counter("pbem_log_lines", "Lines that were written, by level.", ["level"])


class LoggedLines(logging.Handler):
    """Counts what is written."""

    def emit(self, record: logging.LogRecord) -> None:
        LINES.labels(record.levelname.lower()).inc()


def of_all_processes() -> CollectorRegistry:
    """What the processes of this machine have counted, as far as they count together."""
    together = CollectorRegistry()
    try:
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    except ValueError:  # there is no folder to count together in
        return REGISTRY
    return together
