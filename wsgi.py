"""The web application for a WSGI server: `wsgi:app`."""

from pbem.app import from_env

app = from_env()
