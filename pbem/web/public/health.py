"""For machines: does this server work, and how much has it to do?"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from pbem.services.operations import health
from pbem.services.operations.monitoring import exposition
from pbem.web.shared.context import hosting, now

pages = Blueprint("health", __name__)


@pages.get("/healthz")
def healthz() -> tuple[Response, int]:
    """Whether the whole server does its work, workers and backups included: for alarms."""
    return _said(_unready() or health.idleness(now()))


@pages.get("/readyz")
def readyz() -> tuple[Response, int]:
    """Whether this process can answer: for whoever sends requests to it."""
    return _said(_unready())


def _unready() -> str | None:
    if hosting().room.is_short():
        return "the disk of the database is nearly full"
    return health.trouble(now())


def _said(trouble: str | None) -> tuple[Response, int]:
    if trouble:
        return jsonify(ok=False, trouble=trouble), 503
    return jsonify(ok=True), 200


@pages.get("/metrics")
def metrics() -> Response:
    """Figures for monitoring programs; nothing about anybody."""
    return Response(exposition.text(now()), content_type=CONTENT_TYPE_PLAIN_0_0_4)
