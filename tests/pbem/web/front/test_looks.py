"""Light or dark as chosen: kept in a cookie, said by the page itself, and nobody is led astray."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest
from flask.testing import FlaskClient

from pbem.app import create_app
from pbem.config import Config
from tests.pbem.visiting import everything
from tests.services.people import ANN, BOB

INVITATION = {"game": "iron_curtain", "address": ANN, "friend": BOB}


def test_a_page_follows_the_device_until_something_is_chosen(client: FlaskClient) -> None:
    page = client.get("/").text

    assert '<html lang="en">' in page
    assert '<meta name="color-scheme" content="light dark">' in page
    assert 'name="look" value="" aria-pressed="true"' in page


@pytest.mark.parametrize("look", ["light", "dark"])
def test_what_is_chosen_holds_for_all_pages_until_it_is_taken_back(
    client: FlaskClient, look: str
) -> None:
    answer = client.post("/look", data={"look": look, "back": "/you"})
    assert (answer.status_code, answer.location) == (303, "/you")
    for path in ("/", "/nowhere", "/rules/iron_curtain", "/admin/login"):
        page = client.get(path).text
        assert f'<html lang="en" data-look="{look}">' in page
        assert f'<meta name="color-scheme" content="{look}">' in page
        assert f'name="look" value="{look}" aria-pressed="true"' in page

    client.post("/look", data={"look": "", "back": "/"})
    assert '<html lang="en">' in client.get("/").text


def test_choosing_changes_nothing_but_the_cookie(client: FlaskClient) -> None:
    before = everything()
    answer = client.post("/look", data={"look": "dark", "back": "/"})

    assert everything() == before
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert cookie.startswith("pbem-look=dark; ")
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Max-Age=34560000" in cookie
    assert "Secure" not in cookie, "the tests are served without TLS"


def test_over_tls_the_cookie_stays_there(config: Config) -> None:
    app = create_app(replace(config, env="production", base_url="https://play.test"))
    answer = app.test_client().post(
        "/look", data={"look": "dark", "back": "/"}, base_url="https://play.test"
    )

    assert "Secure" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.test/", "//evil.test", "/\\evil.test", "you", "", "/\r\nX: y", "/\tx", "/é"],
)
def test_the_switch_leads_to_pages_of_this_site_only(client: FlaskClient, elsewhere: str) -> None:
    answer = client.post("/look", data={"look": "dark", "back": elsewhere})

    assert (answer.status_code, answer.location) == (303, "/")


def test_a_look_that_is_none_is_refused_with_those_there_are(client: FlaskClient) -> None:
    answer = client.post("/look", data={"look": "<b>pink", "back": "/"})

    assert answer.status_code == 400
    assert "choose light or dark" in answer.text
    assert "<b>pink" not in answer.text
    assert "Set-Cookie" not in answer.headers


def test_a_cookie_that_somebody_wrote_himself_is_not_shown(client: FlaskClient) -> None:
    client.set_cookie("pbem-look", '"><script>')

    assert '<html lang="en">' in client.get("/").text


def test_looking_at_the_address_of_the_switch_changes_nothing(client: FlaskClient) -> None:
    answer = client.get("/look")

    assert answer.status_code == 405
    assert "Set-Cookie" not in answer.headers


def test_the_switch_leads_back_to_the_page_as_it_was_asked_for(client: FlaskClient) -> None:
    page = client.get("/rules/iron_curtain?q=cube&lang=de").text
    answered = client.post("/verify", data={"file": "nothing"}).text
    missing = client.get("/nowhere/at/all").text

    assert 'name="back" value="/rules/iron_curtain?q=cube&lang=de"' in unescape(page)
    assert 'name="back" value="/verify"' in answered, "an answer to a POST is asked for anew"
    assert 'name="back" value="/"' in missing, "an address that is wrong is not repeated"
    started = client.post("/invite", data=INVITATION)
    assert 'name="back" value="/"' in started.text, "what only takes POSTs is not gone back to"
