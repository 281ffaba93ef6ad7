"""The rules of a game as HTML: an anchor for every number, contents, pictures, cross-references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from engine.core import LANGUAGES, Illustration, Language
from engine.text import chapter_number, rule_number
from pbem.i18n import gettext, speaking, spoken
from pbem.web.shared.rule_links import anchor, url_of

LANGUAGE_NAMES: dict[Language, str] = {"en": "English", "de": "Deutsch", "fr": "Français"}

# A wide table or board scrolls inside its own box, which the keyboard can reach.
SCROLL_BOX = '<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
_REFERENCE = re.compile(r"\b\d+[a-z]?\.\d+\b")


class Passage(NamedTuple):
    """A chapter's beginning or a rule, as plain words: what a search finds."""

    number: str
    anchor: str
    chapter: str
    blocks: tuple[str, ...]
    """Its paragraphs, items of lists and rows of tables."""


class Rulebook(NamedTuple):
    """The rules of a game in one language."""

    html: Markup
    contents: tuple[tuple[str, str], ...]
    """Anchor and title of each chapter."""
    passages: tuple[Passage, ...]


def rulebook(
    markdown: str, language: Language, game: str = "", illustrations: Sequence[Illustration] = ()
) -> Rulebook:
    """Markdown as HTML; any HTML inside the text is shown as text.

    What we add for screen readers is in the language; the rules themselves are as they are written.
    """
    with speaking(language):
        parser = _parser()
        tokens = parser.parse(markdown)
        places = _number(tokens)
        contents = tuple(_contents(tokens))
        passages = tuple(_passages(tokens))
        _refer(tokens, set(places))
        shown = list(_illustrated(tokens, game, illustrations))
        _point_elsewhere(shown, game)
        return Rulebook(
            Markup(parser.renderer.render(shown, parser.options, {})), contents, passages
        )


# --- numbers and anchors --------------------------------------------------------------------------


def _number(tokens: Sequence[Token]) -> list[str]:
    """Give chapters, rules and rows of tables that begin with a number their anchors."""
    found, sections = [], 0
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            sections += 1
            number = chapter_number(tokens[at + 1].content)
            token.attrSet("id", anchor(number) if number else f"section-{sections}")
        elif token.type in ("paragraph_open", "tr_open"):
            number = _leading(tokens[at + 1 if token.type == "paragraph_open" else at + 2])
            if number:
                token.attrSet("id", anchor(number))
        else:
            continue
        if number:
            found.append(number)
    return found


def _leading(inline: Token) -> str:
    """The number in bold with which a text begins."""
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    if len(children) < 2 or children[0].type != "strong_open":
        return ""
    return rule_number(children[1].content)


def _contents(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            yield str(token.attrGet("id")), _plain(tokens[at + 1])


def _plain(inline: Token) -> str:
    """What an inline token says, without its marks."""
    words = (
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in inline.children or ()
    )
    return "".join(words)


def _passages(tokens: Sequence[Token]) -> Iterator[Passage]:
    """What stands under each anchor; what follows a table belongs where the table does."""
    said: dict[str, list[str]] = {}
    chapters: dict[str, str] = {}
    chapter, current, before = "", "", ""
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            before = current
        elif token.type == "table_close":
            current = before
        if token.nesting == 1 and token.attrGet("id"):
            current = str(token.attrGet("id"))
            chapter = _plain(tokens[at + 1]) if token.type == "heading_open" else chapter
            chapters[current] = chapter
        if token.type in ("paragraph_open", "heading_open"):
            said.setdefault(current, []).append(_plain(tokens[at + 1]))
        elif token.type == "tr_open":
            said.setdefault(current, []).append(" · ".join(_cells(tokens, at)))
    for place, blocks in said.items():
        if place:
            yield Passage(_number_of(place), place, chapters[place], tuple(blocks))


def _cells(tokens: Sequence[Token], row: int) -> Iterator[str]:
    """What stands in the row of a table that begins here."""
    for token in tokens[row:]:
        if token.type == "tr_close":
            return
        if token.type == "inline" and token.content:
            yield _plain(token)


def _number_of(place: str) -> str:
    """The number that an anchor was made of; empty where it was made of none."""
    return place.removeprefix("rule-").replace("-", ".") if place.startswith("rule-") else ""


# --- links ----------------------------------------------------------------------------------------


def _refer(tokens: Iterable[Token], places: set[str]) -> None:
    """Let every number of a rule that the text names lead there, its own included."""
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = [
                part
                for child in token.children
                for part in (_linked(child, places) if child.type == "text" else [child])
            ]


def _linked(text: Token, places: set[str]) -> Iterator[Token]:
    done = 0
    for found in _REFERENCE.finditer(text.content):
        if found[0] not in places:
            continue
        yield _text(text.content[done : found.start()])
        yield _html(f'<a href="#{anchor(found[0])}">{found[0]}</a>')
        done = found.end()
    yield _text(text.content[done:])


def _point_elsewhere(tokens: Sequence[Token], game: str) -> None:
    """Whoever has come for one rule can read the same rule in another language."""
    if not game:
        return
    for at, token in enumerate(tokens):
        number = _number_of(str(token.attrGet("id") or ""))
        if number and token.type in ("paragraph_open", "tr_open"):
            inline = next(later for later in tokens[at:] if later.type == "inline")
            assert inline.children is not None, "it begins with its number"
            inline.children.append(_html(f" {_other_languages(game, number)}"))


def _other_languages(game: str, number: str) -> Markup:
    links = Markup(" ").join(
        Markup('<a href="{}" hreflang="{}" lang="{}">{}</a>').format(
            url_of(game, number, language), language, language, LANGUAGE_NAMES[language]
        )
        for language in LANGUAGES
        if language != spoken()
    )
    return Markup('<span class="elsewhere">{}</span>').format(links)


# --- pictures -------------------------------------------------------------------------------------


def _illustrated(
    tokens: Sequence[Token], game: str, illustrations: Sequence[Illustration]
) -> Iterator[Token]:
    """Every picture behind the paragraph or heading of its rule."""
    wanted = ""
    for token in tokens:
        yield token
        if token.nesting == 1 and token.type in ("heading_open", "paragraph_open"):
            wanted = str(token.attrGet("id") or "")
        elif wanted and token.type in ("heading_close", "paragraph_close"):
            for number, picture in enumerate(illustrations, 1):
                if anchor(picture.rule) == wanted:
                    yield _html(_figure(game, number, picture), "html_block")
            wanted = ""


def _figure(game: str, number: int, picture: Illustration) -> Markup:
    source = f"/rules/{game}/{number}.svg?lang={spoken()}"
    return Markup(
        '<figure class="scene"><a href="{}"><img src="{}" alt="{}" loading="lazy"></a>'
        "<figcaption>{}</figcaption></figure>\n"
    ).format(source, source, gettext("The picture alone"), picture.caption)


# --- Markdown -------------------------------------------------------------------------------------


def _text(words: str) -> Token:
    return Token("text", "", 0, content=words)


def _html(code: str, kind: str = "html_inline") -> Token:
    """Our own HTML among what was written."""
    return Token(kind, "", 0, content=code)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    parser.add_render_rule("fence", _drawing)
    parser.add_render_rule("code_block", _drawing)
    return parser


def _table_open(
    renderer: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    return SCROLL_BOX.format(label=escape(gettext("Table"))) + renderer.renderToken(
        tokens, idx, options, env
    )


def _table_close(
    renderer: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    return renderer.renderToken(tokens, idx, options, env) + "</div>\n"


def _drawing(
    renderer: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    box = SCROLL_BOX.format(label=escape(gettext("Example")))
    return f"{box}{Markup('<pre>{}</pre>').format(tokens[idx].content)}</div>\n"
