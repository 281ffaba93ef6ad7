"""Letters that become a part of the daily one: news of all kinds, for who wants one letter a day.

What was played and said is told by the daily letter itself, match by match; here is the rest.
"""

from __future__ import annotations

from markupsafe import Markup

from pbem.db.models import Outbox
from pbem.db.reading import column
from pbem.links import Links
from pbem.mail.parts import Notice
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters import claims
from pbem.services.letters.kinds import registry
from pbem.services.records.letter_queue import GATHERED, SUPERSEDED, QueuedLetter
from pbem.services.time.reminders import DAILY_KIND

MOST = 30
"""Notices in one letter; what is older is left out."""


def told_by(letter: QueuedLetter, links: Links, now: int) -> tuple[Notice, ...]:
    """What a daily letter tells in the place of others; nothing, of any other letter."""
    if letter.kind != DAILY_KIND or not letter.about["digest"]:
        return ()
    gathered = [
        one
        for one in claims.read(_gathered_for(letter))
        if registry.has_body_of_its_own(one) and registry.is_current(one)
    ]
    return tuple(_notice(registry.compose(one, links, now)) for one in _once(gathered))


def _once(gathered: list[QueuedLetter]) -> list[QueuedLetter]:
    """Without letters whose messages are all in one before: the first has those after it, too."""
    said = {one.stream: one.id for one in reversed(gathered) if one.kind == "message"}
    return [one for one in gathered if said.get(one.stream, one.id) == one.id or _is_draw(one)]


def _is_draw(letter: QueuedLetter) -> bool:
    return letter.kind != "message" or "draw" in letter.about


def _gathered_for(letter: QueuedLetter) -> list[int]:
    """Those between the daily letter before and this one."""
    found = Outbox.select(Outbox.id).where(
        Outbox.player == letter.player,
        Outbox.state == SUPERSEDED,
        Outbox.last_error == GATHERED,
        Outbox.id > int(letter.about.get("after", letter.id)),
    )
    return sorted(column(found.order_by(Outbox.id.desc()).limit(MOST)))


def _notice(composed: ComposedLetter) -> Notice:
    return Notice(composed.subject, composed.text_body, Markup(composed.html_body))
