"""How boards look in letters: tried out by a test letter, chosen by its links or by hand."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.board_shapes import PAGE_SAMPLES, PLAIN, SAMPLES, TOLD, TYPED, WIDTHS, Shape, ruler
from pbem.db import store
from pbem.links import BoardLink, ConfirmLink, Links
from pbem.services.letters import outbox
from pbem.services.match import turns
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from pbem.services.self_service import checkups, revocation
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import Sitting, sit_down, turn_of

BOARDS = re.compile(r"/boards/[\w.-]+")


class Home:
    """Ann, who has a match with Bob, and her mailbox."""

    def __init__(self, client: FlaskClient, links: Links) -> None:
        self.client, self.bag = client, Bag()
        with store.connected():
            self.sitting: Sitting = sit_down(NOW)
            ann = get_player(self.sitting.ann)
            self.you = f"/you/{links.sign('you', live_links.to_own_page(ann))}"
            self.checkup = f"/boards/{links.sign('boards', live_links.to_checkup(ann))}"
        self.post()

    @property
    def shape(self) -> Shape:
        with store.connected():
            ann = get_player(self.sitting.ann)
        return Shape(ann.board_form, ann.board_width)

    def post(self) -> None:
        with store.connected():
            office = office_with(self.bag)._replace(links=self.client.application.config["LINKS"])
            outbox.drain(office, WORKER, NOW, stopwatch=lambda: 0.0)

    def newest(self, kind: str) -> tuple[str, str]:
        self.post()
        letter = next(one for one in reversed(self.bag.letters) if one["X-PBEM-Kind"] == kind)
        return text_of(letter), html_of(letter)

    def test_letter(self) -> tuple[str, str]:
        assert self.client.post(self.checkup).status_code == 200
        return self.newest(checkups.LETTER)


@pytest.fixture
def home(app: Flask, links: Links) -> Home:
    app.config["LINKS"] = links
    return Home(app.test_client(), links)


def test_a_ruler_says_how_long_it_is() -> None:
    assert ruler(12) == "----5---10--"
    assert [len(ruler(width)) for width in WIDTHS] == list(WIDTHS)
    assert ruler(40).endswith("--40")


def test_the_test_letter_shows_a_ruler_and_a_board_of_each_width(home: Home) -> None:
    text, page = home.test_letter()
    for shape in SAMPLES:
        assert f"{ruler(shape.width)}\n" in text
    assert text.count("+---") > 10
    assert page.count("<pre") == 2 * len([s for s in PAGE_SAMPLES if s.form == TYPED])
    assert len(BOARDS.findall(text)) == len(SAMPLES) + 1
    assert len(set(BOARDS.findall(text + page))) == len(SAMPLES) + len(PAGE_SAMPLES) + 1


@pytest.mark.parametrize("number", range(4))
def test_each_link_of_the_text_chooses_what_it_stands_under(home: Home, number: int) -> None:
    text, _ = home.test_letter()
    path = BOARDS.findall(text)[number]
    before = everything()
    assert home.client.get(path).status_code == 200
    assert everything() == before, "GET shows"
    for _ in range(2):
        assert home.client.post(path).status_code == 200
    assert home.shape == (*SAMPLES, Shape(TOLD, 72))[number]


def test_links_of_the_page_choose_how_boards_are_drawn(home: Home) -> None:
    _, page = home.test_letter()
    for path, shape in zip(BOARDS.findall(page), PAGE_SAMPLES, strict=False):
        home.client.post(path)
        assert home.shape == shape


def test_a_link_dies_when_links_are_renewed(home: Home, links: Links) -> None:
    text, _ = home.test_letter()
    with store.connected():
        revocation.by_player(home.sitting.ann, NOW + 1)
    for path in BOARDS.findall(text):
        assert home.client.post(path).status_code == 410
    assert home.shape == Shape()


def test_a_link_to_a_shape_that_there_is_not_is_refused(home: Home, links: Links) -> None:
    with store.connected():
        epoch = get_player(home.sitting.ann).epoch
    for form, width in (("woven", 72), (PLAIN, 71)):
        token = links.sign("boards", BoardLink(home.sitting.ann, epoch, form, width))
        assert home.client.post(f"/boards/{token}").status_code == 400
    assert home.shape == Shape()


def test_more_than_five_test_letters_a_day_are_refused(home: Home) -> None:
    codes = [home.client.post(home.checkup).status_code for _ in range(6)]
    assert codes == [200] * 5 + [429]


def test_the_own_page_sends_the_letter_and_takes_a_choice_by_hand(home: Home) -> None:
    page = home.client.get(home.you).text
    assert any(("do", "checkup") in form.buttons for form in forms(page))
    assert "test email" in home.client.post(home.you, data={"do": "checkup"}).text
    assert ruler(60) in home.newest(checkups.LETTER)[0]
    (fields,) = [form.fields for form in forms(page) if ("do", "settings") in form.buttons]
    sent = {**fields, "do": "settings", "board_form": "told", "board_width": "40"}
    assert home.client.post(home.you, data=sent).status_code == 200
    assert home.shape == Shape(TOLD, 40)
    refused = home.client.post(home.you, data={**sent, "board_width": "41"})
    assert refused.status_code == 400
    assert "72, 60, 40" in refused.text
    assert home.shape == Shape(TOLD, 40)


def a_turn(home: Home, shape: Shape) -> list[str]:
    """The parts of the letter of Ann's next turn, by type."""
    with store.connected():
        checkups.choose(home.sitting.ann, shape)
        turns.submit(turn_of(home.sitting.match).id, ["first usa"], NOW)
    home.post()
    letter = next(one for one in reversed(home.bag.letters) if one["X-PBEM-Kind"] == "turn")
    return [part.get_content() for part in letter.walk() if part.get_content_maintype() == "text"]


def test_who_wishes_plain_text_gets_one_part_of_that_width(home: Home) -> None:
    (text,) = a_turn(home, Shape(PLAIN, 40))
    assert all(len(line) <= 40 or "://" in line for line in text.splitlines())
    assert "|Europe" in text
    assert "USSR 87654321[0]12345678 USA" in text


def test_who_wishes_typed_boards_has_them_in_the_page(home: Home) -> None:
    _, page = a_turn(home, Shape(TYPED, 60))
    (board,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert "|Europe" in board
    assert max(map(len, board.splitlines())) <= 60


def test_who_wishes_sentences_gets_no_drawing_in_either_part(home: Home) -> None:
    text, page = a_turn(home, Shape(TOLD, 72))
    for part in (text, page):
        assert "Europe on s19: USA 1, USSR 1, level." in part
        assert "+---" not in part
        assert "What happened last" not in part, "it is told above"
    assert "<pre" not in page


def test_whoever_has_just_confirmed_an_address_is_offered_the_test(home: Home) -> None:
    with store.connected():
        store.execute("UPDATE player SET confirmed_at = NULL WHERE id = ?", home.sitting.ann)
        ann = get_player(home.sitting.ann)
    links: Links = home.client.application.config["LINKS"]
    path = f"/confirm/{links.sign('confirm', ConfirmLink(ann.id, ann.epoch))}"
    assert not BOARDS.search(home.client.get(path).text)
    (offered,) = BOARDS.findall(home.client.post(path, data={"zone": "UTC"}).text)
    assert home.client.post(offered).status_code == 200
    assert ruler(72) in home.newest(checkups.LETTER)[0]
