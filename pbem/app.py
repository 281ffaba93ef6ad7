"""The web application, put together."""

from flask import Flask, Response, render_template
from werkzeug.exceptions import HTTPException, SecurityError

from pbem import web
from pbem.config import Config, templates_folder

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def create_app(config: Config) -> Flask:
    """A Flask application that serves the pages under these settings."""
    app = Flask("pbem", template_folder=str(templates_folder()))
    app.jinja_env.globals["base_url"] = config.base_url
    if config.in_production:
        app.config["TRUSTED_HOSTS"] = [config.host]
    app.after_request(_secure)
    app.register_error_handler(HTTPException, _error_page)
    app.register_error_handler(SecurityError, _bare_refusal)
    app.register_blueprint(web.pages)
    return app


def _secure(response: Response) -> Response:
    response.headers.update(SECURITY_HEADERS)
    return response


def _error_page(error: HTTPException) -> tuple[str, int]:
    page = render_template("web/error.html", title=error.name, sentence=error.description)
    return page, error.code or 500


def _bare_refusal(error: SecurityError) -> HTTPException:
    """The answer to a foreign host name: no page of ours can be addressed under it."""
    return error
