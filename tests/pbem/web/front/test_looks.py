"""Light or dark as chosen: kept in a cookie, said by the page itself, and nobody is led astray."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from pbem.app import create_app
from pbem.config import Config
from tests.pbem.visiting import everything
from tests.services.people import ANN, BOB


def test_a_page_follows_the_device_until_something_is_chosen(client: FlaskClient) -> None:
    page = client.get("/").text

    assert '<html lang="en">' in page
    assert '<meta name="color-scheme" content="light dark">' in page
    assert 'name="look" value="" aria-pressed="true"' in page


@pytest.mark.parametrize("look", ["light", "dark"])
def test_what_is_chosen_holds_for_all_pages_until_it_is_taken_back(
    client: FlaskClient, look: str
) -> None:
    answer = client.post("/you?look", data={"look": look})
    assert (answer.status_code, answer.location) == (303, "/you")
    for path in ("/", "/nowhere", "/rules/iron_curtain", "/admin/login"):
        page = client.get(path).text
        assert f'<html lang="en" data-look="{look}">' in page
        assert f'<meta name="color-scheme" content="{look}">' in page
        assert f'name="look" value="{look}" aria-pressed="true"' in page

    client.post("/?look", data={"look": ""})
    assert '<html lang="en">' in client.get("/").text


def test_choosing_changes_nothing_but_the_cookie(client: FlaskClient) -> None:
    before = everything()
    answer = client.post("/?look", data={"look": "dark"})

    assert everything() == before
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert cookie.startswith("pbem-look=dark; ")
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Max-Age=34560000" in cookie
    assert "Secure" not in cookie, "the tests are served without TLS"


def test_over_tls_the_cookie_stays_there(config: Config) -> None:
    app = create_app(replace(config, env="production", base_url="https://play.test"))
    answer = app.test_client().post("/?look", data={"look": "dark"}, base_url="https://play.test")

    assert "Secure" in answer.headers["Set-Cookie"]


@pytest.mark.parametrize(
    "path",
    ["//evil.test", "///evil.test", "/\\evil.test", "/nowhere", "/invite", "/%0d%0aX:y", "/é"],
)
def test_the_switch_leads_to_pages_that_there_are(client: FlaskClient, path: str) -> None:
    answer = client.post(f"{path}?look", data={"look": "dark"})

    assert (answer.status_code, answer.location) == (303, "/")


def test_a_look_that_is_none_is_refused_with_those_there_are(client: FlaskClient) -> None:
    answer = client.post("/?look", data={"look": "<b>pink"})

    assert answer.status_code == 400
    assert "choose light or dark" in answer.text
    assert "<b>pink" not in answer.text
    assert "Set-Cookie" not in answer.headers


def test_a_cookie_that_somebody_wrote_himself_is_not_shown(client: FlaskClient) -> None:
    client.set_cookie("pbem-look", '"><script>')

    assert '<html lang="en">' in client.get("/").text


def test_looking_at_the_address_of_the_switch_changes_nothing(client: FlaskClient) -> None:
    answer = client.get("/?look")

    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers


def test_a_page_that_acts_does_not_act_when_the_switch_is_pressed_on_it(
    client: FlaskClient,
) -> None:
    before = everything()
    data = {"game": "iron_curtain", "address": ANN, "friend": BOB, "look": "dark"}
    answer = client.post("/invite?look", data=data)

    assert (answer.status_code, answer.location) == (303, "/")
    assert everything() == before


def test_no_other_site_can_press_it(client: FlaskClient) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    answer = client.post("/?look", data={"look": "dark"}, headers=headers)

    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers
