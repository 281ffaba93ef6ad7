"""Which course of the server this process serves: a restore begins another one.

What we sign and send carries the mark of its timeline, so that nothing of a future that was lost
counts in this one, whatever its numbers are. A server that was never restored has no mark. Where
it is kept: `pbem.services.records.restorations`.
"""

from __future__ import annotations

from datetime import UTC, datetime


class ServerTimeline:
    """The timeline of this process, read when it begins to serve."""

    mark = ""
    back_to = 0
    """Until when everything is as it was; what came then is lost."""

    @property
    def words(self) -> str:
        """The moment that the server went back to, for whoever reads; empty if it never did."""
        if not self.back_to:
            return ""
        return f"{datetime.fromtimestamp(self.back_to, UTC):%Y-%m-%d %H:%M} UTC"


current = ServerTimeline()
