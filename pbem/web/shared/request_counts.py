"""How many requests came, by pages and status, and how long they took; no address is looked at."""

from __future__ import annotations

import time

from flask import Flask, Response, g, request

from pbem.services.operations.monitoring import counters

METHODS = ("GET", "HEAD", "OPTIONS", "POST")
"""Any other word of a stranger is counted as one."""


def count(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.began = time.perf_counter()


def _end(answer: Response) -> Response:
    pages = request.blueprint or request.endpoint or "none"
    method = request.method if request.method in METHODS else "other"
    counters.REQUESTS.labels(pages, method, answer.status_code).inc()
    if "began" in g:
        counters.SECONDS.labels(pages).observe(time.perf_counter() - g.began)
    return answer
