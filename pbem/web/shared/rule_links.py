"""Refusals with the rule they rest on: a link to it, in the reader's language."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.core import GameError, Language
from engine.game import Game
from pbem.i18n import spoken, translate_error

AnyGame = Game[Any, Any, Any]


class Fault(NamedTuple):
    """What was wrong, as a page says it; empty when nothing was."""

    words: str = ""
    rule: str = ""
    """The number of the rule it rests on, where there is one."""
    url: str = ""

    def __bool__(self) -> bool:
        return bool(self.words)

    def __str__(self) -> str:
        return self.words


def fault_of(error: Exception, game: AnyGame | None) -> Fault:
    words, rule = translate_error(error, game), rule_of(error, game)
    return Fault(words, rule, url_of(game.name, rule)) if game and rule else Fault(words)


def rule_of(error: Exception, game: AnyGame | None) -> str:
    """The number of the rule that an error, or the error that is its reason, rests on."""
    if isinstance(error, GameError):
        return game.rule_of(error.text) if game else ""
    reasons = getattr(error, "params", {}).values()
    return next((rule_of(why, game) for why in reasons if isinstance(why, Exception)), "")


def as_json(error: Exception, game: AnyGame, base: str = "") -> dict[str, str]:
    """The same for programs; nothing where no rule is cited."""
    rule = rule_of(error, game)
    return {"rule": rule, "rule_url": base + url_of(game.name, rule)} if rule else {}


def url_of(game: str, rule: str, language: Language | None = None) -> str:
    return f"/rules/{game}?lang={language or spoken()}#{anchor(rule)}"


def anchor(number: str) -> str:
    """What a rule or a chapter is called on its page: `rule-8-7`."""
    return f"rule-{number.replace('.', '-')}"
