"""The rules of each game, as this server plays them."""

from collections.abc import Sequence
from functools import cache

from flask import Blueprint, abort, render_template
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from engine.core import Language
from engine.registry import GAMES
from pbem.i18n import gettext, speaking, spoken

pages = Blueprint("rules", __name__)

# A wide table or board scrolls inside its own box, which the keyboard can reach.
SCROLL_BOX = '<div class="scroll" tabindex="0" role="group" aria-label="{label}">'


@pages.get("/rules/<game>")
def rules(game: str) -> str:
    if game not in GAMES:
        abort(404, _no_rules(game))
    return render_template(
        "web/rules.html",
        title=GAMES[game].title.in_(spoken()),
        rules=html_of(GAMES[game].rules_text(), spoken()),
        tables=GAMES[game].reference(spoken()),
    )


@cache
def html_of(markdown: str, language: Language) -> Markup:
    """Markdown as HTML; any HTML inside the text is shown as text.

    What we add for screen readers is in the language; the rules themselves are as they are written.
    """
    with speaking(language):
        return Markup(_markdown().render(markdown))


def _no_rules(name: str) -> str:
    kept = [f"{game.title.in_(spoken())} (/rules/{name})" for name, game in GAMES.items()]
    told = gettext("There is no game called “%(game)s” here. There are rules for: %(games)s.")
    return told % {"game": name, "games": ", ".join(kept)}


@cache
def _markdown() -> MarkdownIt:
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
