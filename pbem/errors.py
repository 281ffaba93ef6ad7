"""What can go wrong in the service.

PbemError
 +-- ConfigError    the settings do not make a server; the message names the setting
 +-- Refused        a person asked for what may not be; the message says what would be right
 |    +-- Missing   there is no such thing
 |    +-- Stale     somebody was faster; look again
 |    |    +-- RulesChanged  the match waits: these are not its rules
 |    +-- LostLink  it was sent in a future that a restore has undone
 |    +-- Busy      just now too much is asked of the server; come again
 |    +-- NoRoom    the disk is full; nothing can be kept for now
 |    +-- TooOften  this was done often enough; it may be done again later
 +-- TransportError a letter could not be handed over; permanent says whether to give up
"""

from __future__ import annotations

from pbem.plural import Counted


class PbemError(Exception):
    """Root of the family; the message is one line, fit to show whoever caused it."""


class ConfigError(PbemError):
    """The settings are wrong or only half there."""


class Refused(PbemError):
    """A person asked for what may not be.

    The message is one of the catalogue's, with named parameters, so that `i18n.translate_error` can
    say it in the language of the reader; the error itself reads English, for logs and programs. A
    message in which a number meets a noun is `Counted`, with the number as `num`. A parameter may
    be another error: the reason for this one.
    """

    def __init__(self, message: str | Counted, /, **params: object) -> None:
        english = message if isinstance(message, str) else message.in_english(params["num"])
        super().__init__(english % params if params else english)
        self.message, self.params = message, params


class Missing(Refused):
    """There is no such thing."""


class Stale(Refused):
    """Somebody was faster."""


class RulesChanged(Stale):
    """The rules were changed under a match that is played; it waits until that is decided."""


class LostLink(Refused):
    """A link of another timeline of the server, with which nothing is done in this one."""


class Busy(Refused):
    """Just now too much is asked of the server; the same may be right in a moment."""


class NoRoom(Refused):
    """The disk is full; nothing can be kept for now."""


class TooOften(Refused):
    """This was done often enough for now; `wait` is in how many seconds it may be done again."""

    def __init__(self, message: str | Counted, /, *, wait: int, **params: object) -> None:
        super().__init__(message, **params)
        self.wait = wait


class TransportError(PbemError):
    """A letter could not be handed over."""

    def __init__(self, message: str, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


def whereabouts(error: BaseException) -> str:
    """Kind and place of an error for a log; its words may name what is hidden, so they stay out."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f"{frame.tb_frame.f_code.co_name}:{frame.tb_lineno}" if frame is not None else ""
    return f"{type(error).__name__} in {where}"
