"""For machines: does this server work, and how much has it to do?"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from pbem.services.operations import health
from pbem.web.shared.context import hosting, now

pages = Blueprint("health", __name__)


@pages.get("/healthz")
def healthz() -> tuple[Response, int]:
    if hosting().room.is_short():
        return jsonify(ok=False, trouble="the disk of the database is nearly full"), 503
    trouble = health.trouble(now())
    if trouble:
        return jsonify(ok=False, trouble=trouble), 503
    return jsonify(ok=True), 200


@pages.get("/metrics")
def metrics() -> Response:
    """Counts in the text format that monitoring programs read; nothing about anybody."""
    counts = health.counts(now())
    lines = [
        *_gauge("pbem_matches", "Matches by status.", "status", counts.matches),
        *_gauge("pbem_letters", "Letters by state of the outbox.", "state", counts.letters),
        "# HELP pbem_oldest_letter_seconds Age of the oldest letter that could be sent now.",
        "# TYPE pbem_oldest_letter_seconds gauge",
        f"pbem_oldest_letter_seconds {counts.oldest_queued}",
        *_gauge("pbem_mails", "Mails that came in, by what became of them.", "state", counts.mails),
        "# HELP pbem_oldest_mail_seconds Age of the oldest mail that nobody has worked on.",
        "# TYPE pbem_oldest_mail_seconds gauge",
        f"pbem_oldest_mail_seconds {counts.oldest_mail}",
        "# HELP pbem_players Players with a confirmed address.",
        "# TYPE pbem_players gauge",
        f"pbem_players {counts.players}",
    ]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")


def _gauge(name: str, words: str, label: str, counts: dict[str, int]) -> list[str]:
    values = [f'{name}{{{label}="{key}"}} {count}' for key, count in sorted(counts.items())]
    return [f"# HELP {name} {words}", f"# TYPE {name} gauge", *values]
