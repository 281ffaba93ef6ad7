"""The home page and the rules pages, seen through HTTP."""

import re
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.registry import GAMES
from pbem.app import create_app
from pbem.config import Config
from pbem.web.public.rules_html import rulebook
from pbem.web.shared.headers import policy

EVERY_PATH = [
    "/",
    "/static/pbem.css",
    "/static/look.css",
    "/static/mark.svg",
    "/rules/chess",
    "/nowhere",
] + [f"/rules/{name}" for name in GAMES]


def test_there_is_a_game_to_show() -> None:
    assert "iron_curtain" in GAMES


def test_the_home_page_leads_to_the_rules_of_every_game(client: FlaskClient) -> None:
    page = client.get("/")

    assert page.status_code == 200
    for name in GAMES:
        assert f'href="/rules/{name}"' in page.text
    assert "Iron Curtain" in page.text


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_page_holds_every_heading_of_the_rules(client: FlaskClient, name: str) -> None:
    page = client.get(f"/rules/{name}")
    headings = re.findall(r"^##? (.+)$", GAMES[name].rules_text(), re.MULTILINE)

    assert page.status_code == 200
    assert len(headings) > 1
    article = page.text.partition('<article class="rules">')[2].partition("</article>")[0]
    shown = [unescape(re.sub("<[^>]+>", "", h)) for h in re.findall(r"<h[12].*?>(.*?)</h", article)]
    assert shown == [heading.replace("`", "").replace("*", "") for heading in headings]


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_page_holds_every_cell_and_note_of_the_reference(
    client: FlaskClient, name: str
) -> None:
    page = client.get(f"/rules/{name}")
    tables = GAMES[name].reference("en")
    reference = page.text.partition('<section class="reference">')[2]
    cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", reference, re.DOTALL)]

    assert page.status_code == 200
    assert cells
    assert cells == [cell for table in tables for row in table.rows for cell in row]
    for note in (note for table in tables for note in table.notes):
        assert note in unescape(reference)


def test_reconstructed_values_of_iron_curtain_are_marked(client: FlaskClient) -> None:
    page = client.get("/rules/iron_curtain").text
    tables = GAMES["iron_curtain"].reference("en")
    stars = [cell for table in tables for row in table.rows for cell in row if cell[-1:] == "*"]

    assert stars
    assert page.count('<td class="reconstructed">') == len(stars)
    assert any("*" in note for table in tables for note in table.notes), "nothing explains the star"


@pytest.mark.whole
@pytest.mark.parametrize("name", GAMES)
def test_every_link_of_a_rules_page_leads_somewhere(client: FlaskClient, name: str) -> None:
    page = client.get(f"/rules/{name}")
    anchors = [f"#{anchor}" for anchor in re.findall(r'id="([^"]+)"', page.text)]
    links = [unescape(link) for link in re.findall(r'<a [^>]*href="([^"]+)"', page.text)]

    assert page.status_code == 200
    assert links
    for link in links:
        reached = link in anchors or link.startswith(("https://", "http://"))
        assert reached or (link.startswith("/") and client.get(link).status_code == 200), link


def test_an_unknown_game_is_answered_with_the_games_there_are(client: FlaskClient) -> None:
    page = client.get("/rules/<b>chess")

    assert page.status_code == 404
    assert "There is no game called “<b>chess” here." in unescape(page.text)
    assert "<b>chess" not in page.text
    assert "Iron Curtain (/rules/iron_curtain)" in page.text


def test_an_unknown_page_is_a_page_too(client: FlaskClient) -> None:
    page = client.get("/nowhere")

    assert page.status_code == 404
    assert "<h1>Not Found</h1>" in page.text


def test_a_breakdown_is_a_page_that_tells_nothing(app: Flask) -> None:
    def break_down() -> str:
        raise RuntimeError("the secret of the house")

    app.add_url_rule("/break", view_func=break_down)
    page = app.test_client().get("/break")

    assert page.status_code == 500
    assert "<h1>Internal Server Error</h1>" in page.text
    assert "secret" not in page.text
    assert page.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", EVERY_PATH)
def test_every_answer_carries_the_security_headers(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers

    assert headers["Content-Security-Policy"] == policy()
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", EVERY_PATH)
def test_no_page_needs_what_the_policy_forbids(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        page = answer.get_data(as_text=True)

    page = re.sub('<script src="/static/[a-z]+[.]js" defer></script>', "", page)
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:", page)


def test_html_in_a_rules_text_is_shown_as_text() -> None:
    html = rulebook(
        "# A <script>alert(1)</script>\n\n[x](javascript:alert)\n\n    <b>\n", "en"
    ).html

    assert "<script>" not in html
    assert "href" not in html
    assert "<pre>&lt;b&gt;\n</pre>" in html


def test_pages_name_the_address_of_this_server(config: Config) -> None:
    client = create_app(replace(config, base_url="http://127.0.0.1:9000")).test_client()

    assert '<link rel="canonical" href="http://127.0.0.1:9000/">' in client.get("/").text


def test_production_answers_only_to_its_own_host(app: Flask, config: Config) -> None:
    app = create_app(replace(config, env="production", base_url="https://play.test"))

    assert app.test_client().get("/", base_url="https://play.test").status_code == 200
    refusal = app.test_client().get("/", base_url="https://evil.test")
    assert refusal.status_code == 400
    assert "is not trusted" in refusal.text
    assert refusal.headers["X-Content-Type-Options"] == "nosniff"
