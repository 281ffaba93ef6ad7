"""An application served on loopback to a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from werkzeug.serving import make_server


@contextmanager
def served(app: Flask, port: int = 0, fd: int | None = None) -> Iterator[str]:
    """The address at which the application answers."""
    server = make_server("127.0.0.1", port, _at_once(app), threaded=True, fd=fd)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port or server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _at_once(app: Flask) -> Any:
    """Files are read and closed before they are sent: of a browser that hangs up while it gets
    one, the server of werkzeug leaves the file open."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        body: Any = app(environ, start_response)
        if not environ["PATH_INFO"].startswith("/static/"):
            return body
        try:
            return [b"".join(body)]
        finally:
            body.close()

    return answer
