"""The web application, put together."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from flask import (
    Flask,
    Response,
    abort,
    g,
    get_template_attribute,
    jsonify,
    render_template,
    request,
)
from markupsafe import Markup
from peewee import PeeweeException
from werkzeug.exceptions import HTTPException, SecurityError

from engine.abilities import StandingOrders
from engine.core import LANGUAGES, GameError, Language
from engine.registry import GAMES, AnyGame
from pbem import i18n, server_timeline, web
from pbem.config import Config, templates_folder
from pbem.db import store
from pbem.errors import Busy, ConfigError, LostLink, Refused, RulesChanged, whereabouts
from pbem.logs import lines
from pbem.logs.unquoted_requests import UnquotedRequests
from pbem.services.operations import health, maintenance
from pbem.services.operations.disk_space import Room
from pbem.services.operations.maintenance import Maintenance
from pbem.services.operations.monitoring import counters
from pbem.services.players import process_settings
from pbem.services.records import restorations
from pbem.web.front import looks
from pbem.web.player import turn_word
from pbem.web.shared import context, headers, request_counts, shortcuts
from pbem.web.shared.context import PRIVATE_PATHS, Hosting

FRAMES_KEPT = 64
PLACES = ("/", "/matches", "/watch", "/you")
"""Pages that every page leads to."""
LARGEST_REQUEST = 64 * 1024
MOST_FORM_PARTS = 100
API = "/api/"

log = logging.getLogger("pbem")


def create_app(config: Config, now: Callable[[], int] | None = None) -> Flask:
    """A Flask application that serves the pages under these settings.

    Nobody has a session of Flask's: players come by links, moderators by rows of a table.
    """
    if not config.secret_keys:
        raise ConfigError("there is no key to sign links with; set PBEM_SECRET_KEYS")
    links = process_settings.make_known(config)
    _open_store(config)
    app = Flask("pbem", template_folder=str(templates_folder()))
    app.extensions["pbem"] = Hosting(
        config=config,
        links=links,
        now=now or (lambda: int(time.time())),
        room=Room(config.database_url, config.min_free_mb),
    )
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_REQUEST
    app.config["MAX_FORM_PARTS"] = MOST_FORM_PARTS
    request_counts.count(app)
    app.after_request(headers.guard(config.in_production))
    _teach_templates(app, config)
    _follow_requests(app, config)
    _answer_errors(app)
    _hide_tokens(app)
    for pages in web.pages(config.in_production):
        app.register_blueprint(pages)
    return app


def from_env() -> Flask:
    """The application under the settings of the environment, for a WSGI server."""
    config = Config.from_env()
    lines.configure(config.log_format, counters.LoggedLines())
    return create_app(config)


def _open_store(config: Config) -> None:
    """Open the database, durable and with all its tables; development makes them."""
    store.open_database(config.database_url)
    with store.connected():
        store.check_durability()
        store.check_whole()
        if not config.in_production:
            health.migrate(int(time.time()))
        elif health.pending_migrations():
            raise ConfigError("the database lacks tables of this version; run: pbem migrate")
    if config.in_production:
        store.open_database(config.database_url, pooled=True)
    with store.connected():  # in a pool it stays open, and `pbem restore` sees that we serve
        restorations.make_known()


def _teach_templates(app: Flask, config: Config) -> None:
    i18n.teach(app.jinja_env)
    app.jinja_env.globals.update(
        base_url=config.base_url,
        game_titles=_game_titles,
        endpoints=app.view_functions,
        frame=_framing(),
        in_development=not config.in_production,
        languages=LANGUAGES,
        maintenance_notice=_maintenance,
        word_wanted=turn_word.is_wanted,
    )
    app.jinja_env.tests["with_standing_orders"] = _takes_standing_orders
    app.context_processor(_of_this_request)


def _framing() -> Callable[..., Markup]:
    """Parts of `web/_frame.html` by name and language, each set once for all pages alike."""

    @lru_cache(maxsize=FRAMES_KEPT)
    def part(name: str, language: Language, *about: str) -> Markup:
        return Markup(get_template_attribute("web/_frame.html", name)(*about))

    return part


def _takes_standing_orders(game: AnyGame) -> bool:
    return isinstance(game, StandingOrders)


def _maintenance() -> Maintenance | None:
    """Asked when a page is rendered; the page of an error is shown without a database too."""
    try:
        return maintenance.current()
    except PeeweeException:
        return None


def _of_this_request() -> dict[str, Any]:
    return {
        "language": i18n.spoken(),
        "look": looks.chosen(),
        "is_private": context.is_private(request.path),
        "games": _game_titles(),
        "place": request.path if request.path in PLACES else "",
    }


def _game_titles() -> dict[str, str]:
    return {name: game.title.in_(i18n.spoken()) for name, game in GAMES.items()}


# --- every request -------------------------------------------------------------------------------


def _follow_requests(app: Flask, config: Config) -> None:
    ours = _as_requested(config.host)

    def begin() -> None:
        environ = request.environ
        i18n.speak(shortcuts.preferred_language(environ.get("HTTP_ACCEPT_LANGUAGE", "")))
        g.was_connected = not store.database.is_closed()
        is_ours = request.endpoint in OF_ANY_NAME or _names(ours, request.host)
        if config.in_production and not is_ours:
            raise SecurityError("This host is not trusted.")
        _refuse_foreign_posts(config, environ)
        if environ["REQUEST_METHOD"] not in SAFE:
            context.hosting().room.check()
        if "\0" in environ["PATH_INFO"]:  # no name of ours holds it, and PostgreSQL chokes on it
            abort(404)

    app.before_request(begin)
    app.before_request(looks.choose)
    app.before_request(turn_word.ask_for_word)
    app.teardown_request(_end)


def _end(error: BaseException | None) -> None:
    """Connections open when they are needed; one that was open before is left open."""
    if not g.get("was_connected", True) and not store.database.is_closed():
        store.database.close()
    i18n.speak("en")


SAFE = ("GET", "HEAD", "OPTIONS")
OF_ANY_NAME = ("health.readyz", "health.metrics")
"""Asked by programs beside this one, which know the process and not the site; tell of nobody."""


def _as_requested(host: str) -> str:
    """A host as requests name it."""
    return f"[{host}]" if ":" in host else host.encode("idna").decode()


def _names(ours: str, host: str) -> bool:
    """Whether a request names our host, in whatever case and at whatever port.

    Flask's TRUSTED_HOSTS knows one case only, and no address of IPv6.
    """
    named = host.lower()
    return ours in (named, named.rpartition(":")[0])


def _refuse_foreign_posts(config: Config, environ: dict[str, Any]) -> None:
    """Only a page of ours may act; mail programs and scripts have their own doors.

    A page without referrer posts with `Origin: null`, which therefore says nothing.
    """
    if environ["REQUEST_METHOD"] in SAFE:
        return
    if environ["PATH_INFO"].startswith(("/mute/", API)):
        return
    if environ.get("HTTP_SEC_FETCH_SITE", "same-origin") not in ("same-origin", "none"):
        abort(403)
    origin = environ.get("HTTP_ORIGIN", "null")
    if origin != "null" and origin not in _own_origins(config):
        abort(403)


def _own_origins(config: Config) -> set[str]:
    own = {config.base_url}
    if not config.in_production:
        parts = urlsplit(request.host_url)  # the same machine under another name
        own.add(f"{parts.scheme}://{parts.netloc}")
    return own


# --- errors --------------------------------------------------------------------------------------


def _answer_errors(app: Flask) -> None:
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(SecurityError, _bare_refusal)
    app.register_error_handler(Refused, _refusal)
    app.register_error_handler(LostLink, _lost_link)
    app.register_error_handler(GameError, _refusal)
    app.register_error_handler(PeeweeException, _database_error)


def _http_error(error: HTTPException) -> Response:
    """A page with the words of the error where a page of ours gave it some, else our own."""
    said = error.description if error.description != type(error).description else None
    answer = _error_page(error.code or 500, error.name, said)
    answer.headers.extend([(name, value) for name, value in error.get_headers() if name == "Allow"])
    return answer


def _refusal(error: Exception) -> Response:
    code, head = context.answer_to(error)
    said = str(error) if _is_for_programs() else i18n.translate_error(error)
    name = "waits" if isinstance(error, RulesChanged) else ""
    answer = _error_page(code, name, i18n.sentence(said))
    answer.headers.extend(head)
    return answer


def _lost_link(error: LostLink) -> Response:
    """What was typed is shown, to be sent by a link of now."""
    if _is_for_programs():
        return _refusal(error)
    typed = request.form.get("orders") or request.form.get("text", "")
    page = render_template("web/went_back.html", time=server_timeline.current.words, typed=typed)
    return Response(page, status=410, mimetype="text/html")


def _database_error(error: PeeweeException) -> Response:
    """A database that is locked or away is asked again later; any other trouble is a fault."""
    if not store.is_out_of_reach(error):
        raise error
    log.error("the database is out of reach: %s", whereabouts(error))
    return _refusal(
        Busy("the server is busy and has not changed anything; try again in ten seconds")
    )


def _is_for_programs() -> bool:
    """Programs are answered in English, whatever their reader speaks."""
    return request.path.startswith(API)


def _error_page(code: int, name: str, sentence: str | None) -> Response:
    if _is_for_programs():
        message = sentence or name
        answer = jsonify(error={"code": API_CODES.get(code, "refused"), "message": message})
    else:
        page = render_template("web/error.html", code=code, name=name, sentence=sentence)
        answer = Response(page, mimetype="text/html")
    answer.status_code = code
    return answer


API_CODES = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    409: "stale",
    410: "link_replaced",
    413: "too_large",
    429: "too_often",
    500: "broken",
    503: "busy",
}


def _bare_refusal(error: SecurityError) -> HTTPException:
    """The answer to a foreign host name: no page of ours can be addressed under it."""
    return error


# --- logs ----------------------------------------------------------------------------------------

_TOKEN = re.compile("((?:" + "|".join(map(re.escape, PRIVATE_PATHS)) + r"))[^\s/?\"'\[\]]+")


class TokenFilter(logging.Filter):
    """Takes the secret part out of addresses before a line is written."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        hidden = hide_tokens(line)
        if hidden != line:
            record.msg, record.args = hidden, ()
        return True


def hide_tokens(line: str) -> str:
    return _TOKEN.sub(r"\1...", line)


def _hide_tokens(app: Flask) -> None:
    _filter("gunicorn.error", UnquotedRequests())
    for name in (app.logger.name, "werkzeug", "gunicorn.access", "gunicorn.error"):
        _filter(name, TokenFilter())


def _filter(name: str, added: logging.Filter) -> None:
    logger = logging.getLogger(name)
    if not any(type(known) is type(added) for known in logger.filters):
        logger.addFilter(added)
