"""The lines of gunicorn as all others are, and one for each request if it is told to write them.

Run gunicorn with `--logger-class pbem.logs.for_gunicorn.JournalLogger`; and where no web server in
front of it writes down the requests, with `--access-logfile -`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from pbem.config import log_format
from pbem.logs.hiding import hide, hide_in_path
from pbem.logs.lines import formatter


class JournalLogger(Logger):  # type: ignore[misc]
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for logger in (self.error_log, self.access_log):
            for handler in logger.handlers:
                handler.setFormatter(formatter(log_format()))

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
        """What was asked for and how it went; not by whom, and never with the token of a link."""
        if not self.access_log_enabled:
            return
        self.access_log.info(
            "request method=%s path=%s status=%s bytes=%s ms=%s",
            hide(str(environ.get("REQUEST_METHOD", ""))),
            hide_in_path(str(environ.get("PATH_INFO", ""))),
            str(resp.status).partition(" ")[0],
            getattr(resp, "sent", None),
            round(request_time.total_seconds() * 1000),
        )
