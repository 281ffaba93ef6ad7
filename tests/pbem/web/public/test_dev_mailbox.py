"""The mailbox of a developing machine: letters to read, links to click, absent in production."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.services.letters import outbox
from pbem.services.letters.mail_settings import open_mail
from tests.pbem.visiting import NOW
from tests.services.people import ANN, BOB, sit_down


@pytest.fixture
def delivered(app: Flask, config: Config) -> Iterator[None]:
    """Ann and Bob have begun, and their letters have arrived."""
    with store.connected():
        sit_down(NOW)
        office = open_mail(config)
        outbox.drain(office, "tests", NOW)
    yield
    office.close()


def letters_of(client: FlaskClient) -> list[str]:
    return re.findall(r'href="(/dev/mailbox/[^"]+)"', client.get("/dev/mailbox").text)


def test_an_empty_mailbox_says_so(client: FlaskClient) -> None:
    page = client.get("/dev/mailbox")

    assert page.status_code == 200
    assert "No emails yet." in page.text


def test_letters_are_listed_newest_first(client: FlaskClient, delivered: None) -> None:
    page = client.get("/dev/mailbox").text

    assert len(letters_of(client)) == 2
    assert page.index("<strong>started</strong>") < page.index("<strong>turn</strong>")
    assert ANN in page and BOB in page


def test_every_link_of_a_letter_can_be_clicked(
    client: FlaskClient, delivered: None, config: Config
) -> None:
    for path in letters_of(client):
        page = client.get(path).text
        text = page.partition('<h2 id="text">')[2].partition("</pre>")[0]
        links = [unescape(link) for link in re.findall(r'href="([^"]+)"', text)]
        assert links
        for link in links:
            assert link.startswith(config.base_url)
            assert client.get(link.removeprefix(config.base_url)).status_code == 200, link


def test_the_text_is_text(client: FlaskClient, delivered: None) -> None:
    page = client.get(letters_of(client)[-1])

    assert "X-PBEM-Kind: turn" in page.text
    assert "<script>" not in page.text
    assert "frame-src 'self'" in page.headers["Content-Security-Policy"]


def test_the_html_part_is_boxed_in(client: FlaskClient, delivered: None) -> None:
    path = letters_of(client)[0]
    assert f'src="{path}/html"' in client.get(path).text
    part = client.get(f"{path}/html")

    assert part.status_code == 200
    assert '<base target="_top">' in part.text
    policy = part.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "sandbox allow-top-navigation-by-user-activation" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize("name", ["nothing", "..", "%2e%2e%2fpbem.db", "x.eml", "%00", "a" * 999])
def test_no_other_file_can_be_read(client: FlaskClient, delivered: None, name: str) -> None:
    assert client.get(f"/dev/mailbox/{name}").status_code in (404, 308)
    assert client.get(f"/dev/mailbox/{name}/html").status_code == 404


def test_production_has_no_mailbox(client: FlaskClient, delivered: None, config: Config) -> None:
    paths = ["/dev/mailbox", *letters_of(client)]
    site = replace(config, env="production", base_url="https://play.test")
    production = create_app(site).test_client()

    for path in paths:
        assert production.get(path, base_url="https://play.test").status_code == 404
    home = production.get("/", base_url="https://play.test").text
    assert "/dev/mailbox" not in home
    store.database.close()
