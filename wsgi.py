"""The web application for a WSGI server: `wsgi:app`."""

from pbem.app import create_app
from pbem.config import Config

app = create_app(Config.from_env())
