"""What gunicorn writes to the journal about requests: never their words, which may hold a token."""

from __future__ import annotations

import logging

from pbem.errors import whereabouts

QUOTING = {
    "Invalid request from ip=": "a request that is not HTTP was refused",
    "Error handling request": "a request could not be answered",
}
"""How the lines begin in which gunicorn quotes a request, and what is written instead."""


class UnquotedRequests(logging.Filter):
    """Says that a request was refused and keeps what stood in it out of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        for beginning, told in QUOTING.items():
            if line.startswith(beginning):
                record.msg, record.args = told, ()
                _without_words(record)
        return True


def _without_words(record: logging.LogRecord) -> None:
    """Of an error only its kind and place; its words may be those of the request."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg = f"{record.msg}: {whereabouts(record.exc_info[1])}"
    record.exc_info = record.exc_text = None
