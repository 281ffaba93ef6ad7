"""Messages as they stand in the source of a game, and what is asked of their translations."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator, Mapping

from engine.core import Language, Text

TRANSLATED: tuple[Language, ...] = ("de", "fr")
ERRORS = {"BadNotation", "BadSetup", "IllegalAction", "NotYourTurn"}
NUMBERS = (
    "able|built|busy|command|count|cubes|damaged|dice|factories|held|hits|least|left|length|longest"
    "|most|number|points|possible|present|published|raised|range|room|rounds|size|spies|there|usa"
    "|ussr|wanted"
)
"""What parameters are called that count something."""
COUNTED = re.compile(rf"\{{(?:{NUMBERS})\}} (?!(?:IPC|is|bis|mais)\b)(?:\w+s|[A-ZÄÖÜ]\w+)\b")
"""A number before a word that may have to agree with it: an English or French plural, a noun."""
SPACE_THAT_BREAKS = re.compile(r" [:;?!»]|« ")


def reworded(written: str) -> str:
    """The JSON of a state as a version would have dumped it that tells all in other words."""
    return written.replace('"msgid":"', '"msgid":"In other words: ')


def called(call: ast.Call) -> str:
    """The last word of what is called: Text, everybody, say."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def branches(argument: ast.expr) -> Iterator[ast.expr]:
    """An argument, or what it may be by a condition."""
    if isinstance(argument, ast.IfExp):
        yield from branches(argument.body)
        yield from branches(argument.orelse)
    else:
        yield argument


def spoken_in(modules: Iterable[ast.Module], speakers: set[str]) -> set[str]:
    """The constants handed to whatever speaks."""
    return {
        found.value
        for module in modules
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and called(call) in speakers
        for argument in call.args
        for found in branches(argument)
        if isinstance(found, ast.Constant) and isinstance(found.value, str)
    }


def within(text: Text) -> Iterator[str]:
    """A message and the messages inside it."""
    yield text.msgid
    for value in text.params.values():
        if isinstance(value, Text):
            yield from within(value)


def fields(pattern: str) -> list[str]:
    return sorted({name for _, name, _, _ in string.Formatter().parse(pattern) if name})


def forms(pattern: str) -> dict[str, str]:
    """The parameters that a message says with words that agree with them, and these words."""
    return {name: spec for _, name, spec, _ in string.Formatter().parse(pattern) if name and spec}


def lacking_forms(words: Mapping[str, str]) -> set[str]:
    """Messages that do not say in a language what one is called and what several are called."""
    return {
        msgid
        for msgid, said in words.items()
        if not forms(msgid).keys() <= forms(said).keys()
        or any(
            len(form.split("|")) != 2 or not all(form.split("|"))
            for form in (*forms(msgid).values(), *forms(said).values())
        )
    }


def counting(catalogue: Mapping[str, Mapping[str, str]]) -> set[str]:
    """Messages that in some language put a number before a word without a form for one."""
    return {
        msgid
        for words in catalogue.values()
        for msgid, said in words.items()
        if COUNTED.search(msgid) or COUNTED.search(said)
    }


GLOSSARIES: dict[Language, tuple[str, tuple[Language, ...]]] = {
    "en": ("## Glossary", ("en", "de", "fr")),
    "de": ("## Glossar", ("de", "en", "fr")),
    "fr": ("## Glossaire", ("fr", "en", "de")),
}
"""Where the rules explain their words, and the languages of the columns, their own first."""


def glossary(rules: str, language: Language = "en") -> list[dict[Language, list[str]]]:
    """The terms of a game in all languages, from the glossary of its rules in one of them."""
    title, columns = GLOSSARIES[language]
    table = rules.partition(f"\n{title}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| **")]
    return [
        {
            column: cell.replace("**", "").strip().split(", ")
            for column, cell in zip(columns, (own, *others), strict=True)
        }
        for own, _, *others in rows
    ]


def unused(terms: Iterable[str], said: Iterable[str]) -> list[str]:
    """Terms that occur, just so, in nothing that is said; names of parameters say nothing."""
    spoken = re.sub(r"\{\w+(?::([^}]*))?\}", r" \1 ", "\n".join(said)).casefold()
    return [
        term
        for term in terms
        if not re.search(rf"(?<!\w){re.escape(term.casefold())}(?!\w)", spoken)
    ]
