"""A server to look at."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.app import create_app
from pbem.config import Config


@pytest.fixture
def app() -> Flask:
    return create_app(Config())


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()
