"""The page of the rules: its contents, anchors, search, pictures and languages."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from engine import text as words
from engine.core import LANGUAGES, Language
from engine.registry import GAMES
from pbem.web.public.rules_html import rulebook
from pbem.web.public.rules_search import LONGEST, MOST
from pbem.web.shared.rule_links import anchor
from tests.engine.messages import glossary

each_game = pytest.mark.parametrize("name", GAMES)
each_language = pytest.mark.parametrize("language", LANGUAGES)


def page_of(client: FlaskClient, name: str, **query: str) -> str:
    answer = client.get(f"/rules/{name}", query_string=query)
    assert answer.status_code == 200
    return answer.text


def ids(page: str) -> list[str]:
    return re.findall(r' id="([^"]+)"', page)


def found(page: str) -> str:
    """What the search shows."""
    return page.partition('<section class="found"')[2].partition("</section>")[0]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


# --- anchors and contents -------------------------------------------------------------------------


@each_game
@each_language
def test_every_number_of_the_rules_is_an_anchor_once(
    client: FlaskClient, name: str, language: Language
) -> None:
    there = ids(page_of(client, name, lang=language))

    wanted = [anchor(number) for number in words.numbers(GAMES[name].rules_text(language))]
    assert [place for place in there if place.startswith("rule-")] == wanted
    assert len(set(there)) == len(there)


@each_game
@each_language
def test_every_rule_that_a_refusal_cites_is_an_anchor(
    client: FlaskClient, name: str, language: Language
) -> None:
    there = set(ids(page_of(client, name, lang=language)))
    cited = set(words.citations(f"engine.{name}").values())

    assert cited
    assert {anchor(number) for number in cited} - there == set()


@each_game
@each_language
def test_the_contents_name_every_chapter_and_table(
    client: FlaskClient, name: str, language: Language
) -> None:
    page = page_of(client, name, lang=language)
    contents = page.partition('<ol class="chapters">')[2].partition("</ol>")[0]
    chapters = re.findall(r"^## (.+)$", GAMES[name].rules_text(language), re.MULTILINE)
    tables = [table.title for table in GAMES[name].reference(language)]

    listed = [plain(link) for link in re.findall(r"<li>(.*?)</li>", contents)]
    assert listed == [*chapters, *tables]
    assert page.count('<ol class="chapters">') == 2, "folded on a phone, beside a wide text"


@each_game
@pytest.mark.parametrize(
    ("language", "title"), [("en", "Glossary"), ("de", "Glossar"), ("fr", "Glossaire")]
)
def test_the_contents_lead_to_the_glossary(
    client: FlaskClient, name: str, language: Language, title: str
) -> None:
    page = page_of(client, name, lang=language)
    contents = page.partition('<ol class="chapters">')[2].partition("</ol>")[0]
    (place,) = re.findall(rf'<a href="#([^"]+)">{title}</a>', contents)

    chapter = page.partition(f'<h2 id="{place}">{title}</h2>')[2].partition("<h2")[0]
    terms = [
        term
        for row in glossary(GAMES[name].rules_text(language), language)
        for term in row[language]
    ]
    assert [unescape(term) for term in re.findall("<strong>(.+?)</strong>", chapter)] == terms


def test_a_number_in_the_text_leads_to_its_rule() -> None:
    html = rulebook("## 1. A\n\n**1.1** See 1.2 and 9.9.\n\n**1.2** B\n", "en").html

    assert 'See <a href="#rule-1-2">1.2</a> and 9.9.' in html
    assert '<p id="rule-1-1"><strong><a href="#rule-1-1">1.1</a></strong>' in html


def test_a_row_of_a_table_can_be_a_rule() -> None:
    html = rulebook("## 1 A\n\n| x | y |\n|---|---|\n| **1.1** | b |\n", "en").html

    assert '<tr id="rule-1-1">' in html


# --- languages ------------------------------------------------------------------------------------


@each_game
@each_language
def test_the_page_speaks_the_language_of_its_address(
    client: FlaskClient, name: str, language: Language
) -> None:
    page = page_of(client, name, lang=language)

    assert f'<html lang="{language}">' in page
    assert GAMES[name].rules_text(language).splitlines()[0].removeprefix("# ") in unescape(page)
    for other in set(LANGUAGES) - {language}:
        assert f'href="/rules/{name}?lang={other}"' in page
        assert f'href="/rules/{name}?lang={other}#rule-1-1"' in page, "the switch keeps the rule"


def test_without_a_language_in_the_address_the_browser_decides(client: FlaskClient) -> None:
    page = client.get("/rules/iron_curtain", headers={"Accept-Language": "de"}).text

    assert "Eiserner Vorhang: die Regeln, wie dieser Server sie spielt" in page


@pytest.mark.parametrize("language", ["xx", "", "de-DE", "<b>", "en" * 5000])
def test_an_unknown_language_is_answered_with_those_there_are(
    client: FlaskClient, language: str
) -> None:
    answer = client.get("/rules/iron_curtain", query_string={"lang": language})

    assert answer.status_code == 404
    assert f"The rules are not written in “{language[:20]}”." in unescape(answer.text)
    assert "Français (/rules/iron_curtain?lang=fr)" in answer.text
    assert "<b>" not in answer.text


# --- the search -----------------------------------------------------------------------------------


def test_a_search_shows_the_rules_with_the_words_marked(client: FlaskClient) -> None:
    page = page_of(client, "east_and_west", lang="en", q="Submarine ICE")

    assert 'href="#rule-8-9"' in found(page)
    assert "<mark>submarine</mark>s with Nuclear power" in found(page)
    assert "under the <mark>ice</mark>" in found(page)
    assert "d<mark>ice</mark>" not in page, "words are found by their beginnings"
    assert 'value="Submarine ICE"' in page


def test_accents_and_capitals_do_not_matter(client: FlaskClient) -> None:
    page = page_of(client, "iron_curtain", lang="fr", q="evenement")

    assert "<mark>Événement</mark>" in found(page) or "<mark>événement</mark>" in found(page)


def test_what_begins_no_word_is_found_inside_of_words(client: FlaskClient) -> None:
    page = page_of(client, "east_and_west", lang="de", q="zeugträger")

    assert "Flug<mark>zeugträger</mark>" in found(page)


def test_a_number_finds_its_rule_first(client: FlaskClient) -> None:
    links = re.findall(r'href="#([^"]+)"', found(page_of(client, "east_and_west", q="8.7")))

    assert links[0] == "rule-8-7"


def test_what_is_in_no_rule_is_said_to_be_in_none(client: FlaskClient) -> None:
    page = page_of(client, "iron_curtain", q="dragon")

    assert "No rule has these words." in found(page)
    assert "<mark>" not in page


def test_very_many_rules_are_counted_and_the_first_shown(client: FlaskClient) -> None:
    page = page_of(client, "east_and_west", q="a")

    assert found(page).count("<li>") == MOST
    assert f"here are the first {MOST}." in plain(found(page))


@pytest.mark.parametrize("nothing", ["", "   "])
def test_a_search_for_nothing_shows_the_rules_alone(client: FlaskClient, nothing: str) -> None:
    assert found(page_of(client, "iron_curtain", q=nothing)) == ""


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", '"><b>', "\\ [ ( * .*", "\0\u202e"]
)
def test_a_hostile_search_is_text(client: FlaskClient, hostile: str) -> None:
    page = page_of(client, "iron_curtain", q=hostile)

    assert "<script>" not in page
    assert "<b>" not in page


def test_a_search_of_ten_thousand_characters_is_refused(client: FlaskClient) -> None:
    answer = client.get("/rules/iron_curtain", query_string={"q": "ä" * 10_000})

    assert answer.status_code == 400
    assert f"your search has 10000 characters; the limit is {LONGEST}" in answer.text
    assert "ä" * (LONGEST + 1) not in answer.text
    assert 'id="rule-1-1"' in answer.text, "the rules are there all the same"


# --- pictures -------------------------------------------------------------------------------------


@each_game
@each_language
def test_every_picture_stands_with_its_rule_and_can_be_fetched(
    client: FlaskClient, name: str, language: Language
) -> None:
    page = page_of(client, name, lang=language)
    drawn = GAMES[name].illustrations(language)
    sources = re.findall(r'<img src="([^"]+)"', page)

    assert len(sources) == len(drawn) > 1
    for source, illustration in zip(sources, drawn, strict=True):
        before = page.partition(f'<img src="{source}"')[0]
        assert ids(before)[-1] == anchor(illustration.rule)
        assert illustration.caption in unescape(page)
        picture = client.get(unescape(source))
        assert picture.mimetype == "image/svg+xml"
        assert ElementTree.fromstring(picture.text).tag.endswith("svg")
        assert f"<style>{GAMES[name].style}</style>" in picture.text, "the policy allows no other"


@pytest.mark.parametrize("path", ["iron_curtain/0.svg", "iron_curtain/99.svg", "chess/1.svg"])
def test_a_picture_that_is_not_there_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(f"/rules/{path}").status_code == 404
