"""What strangers ask for with an address: written down at once, looked at by a worker later.

Whoever asks would otherwise learn from the time it takes whether the address plays here.
"""

from __future__ import annotations

import logging

from peewee import PeeweeException

from pbem.db.models import Question
from pbem.db.reading import changed
from pbem.db.store import writing
from pbem.errors import Refused, whereabouts
from pbem.services.players import accounts, limits
from pbem.services.players.limits import Asker
from pbem.services.self_service import guests, sign_up

log = logging.getLogger(__name__)

OWN_PAGE, JOIN, KEEP, NOTHING = "you", "join", "keep", "nothing"
AT_ONCE = 200


def ask_for_own_page(mail: str, asker: Asker, now: int) -> None:
    """The letter with the own page, for an address that may be nobody's."""
    with writing():
        limits.ask("own_page", asker, now)
        _ask(OWN_PAGE, mail, "", "en", now)


def ask_to_join(match: str, mail: str, language: str, asker: Asker, now: int) -> None:
    """A letter about an open seat, for an address that may sit there already."""
    with writing():
        limits.ask("ask_to_join", asker, now)
        _ask(JOIN, mail, match, language, now)


def ask_to_keep(match: str, mail: str, language: str, asker: Asker, now: int) -> None:
    """A letter to a guest who wants to go on by mail, to an address that may be somebody's."""
    with writing():
        limits.ask("keep", asker, now)
        _ask(KEEP, mail, match, language, now)


def write_nothing(now: int) -> None:
    """A question without an answer, for who must not learn that there is nothing to write."""
    _ask(NOTHING, "", "", "en", now)


def _ask(kind: str, mail: str, match: str, language: str, now: int) -> None:
    with writing():
        Question.insert(kind=kind, address=mail, match=match, language=language, at=now).execute()


def answer_all(now: int) -> int:
    """Owe the letters that were asked for, each question once; how many there were."""
    found = list(Question.select().order_by(Question.id).limit(AT_ONCE))
    for question in found:
        try:
            with writing():
                if _take(question) == 1:
                    _answer(question, now)
        except PeeweeException:
            raise  # a database that is away says nothing about a question
        except Exception as error:  # a question without an answer must not stop the others
            where = whereabouts(error)
            log.error("unanswered question=%s kind=%s why=%s", question.id, question.kind, where)
            with writing():
                _take(question)
    return len(found)


def _take(question: Question) -> int:
    """Take a question off the list; how many that were, since another worker may be faster."""
    return changed(Question.delete().where(Question.id == question.id))


def _answer(question: Question, now: int) -> None:
    try:
        if question.kind == OWN_PAGE:
            accounts.ask_for_own_page(question.address, now)
        elif question.kind == JOIN:
            sign_up.ask_to_join(question.match, question.address, question.language, now)
        elif question.kind == KEEP:
            guests.owe_letter(question.match, question.address, question.language, now)
    except Refused as refusal:
        log.info("a question had no answer any more: %s", refusal.message)
