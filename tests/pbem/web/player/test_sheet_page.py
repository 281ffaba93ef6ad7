"""The order sheet of any game on the page of a turn: forms, map, draft, lines, sending."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from pbem.links import Links
from pbem.services.match import turns
from tests.pbem.orchard_table import GAME, OrchardTable, host
from tests.pbem.table import HOSTILE
from tests.pbem.visiting import NOW, Clock, everything, forms


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    host(monkeypatch)


@pytest.fixture
def table(registered: None, client: FlaskClient, links: Links) -> OrchardTable:
    return OrchardTable(client, links)


def links_of(page: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="(\?[^"]*)"', page)]


# --- what it shows -------------------------------------------------------------------------------


def test_the_page_shows_checklist_map_and_forms(table: OrchardTable) -> None:
    page = table.page()

    assert "?stage=wishes" in links_of(page)
    assert "?stage=tools" not in links_of(page), "what is done is no link"
    assert "0 of 10 coins spent" in page
    assert '<a href="?stage=trees&amp;at=south"' in page, "every space of the map is a link"
    assert table.form("plant").fields == {
        "do": "fill",
        "composed": "0",
        "filled": "plant",
        "what": "plant",
        "stage": "trees",
        "count": "0",
        "field": "north",
    }
    assert table.form("end").fields["what"] == "end"
    assert "half reached" in page


def test_another_stage_and_a_space_are_links(table: OrchardTable) -> None:
    assert table.form("wish", "?stage=wishes").fields["stage"] == "wishes"
    at_south = table.page("?stage=trees&at=south")
    assert table.form("plant", "?stage=trees&at=south").fields["field"] == "south"
    assert '<a href="?stage=trees&amp;at=south&amp;to=north" id="north" class="target"' in at_south
    assert 'aria-label="all"' in at_south


def test_the_map_zooms_to_what_is_chosen_and_stays_where_it_was_put(table: OrchardTable) -> None:
    assert 'aria-label="all"' in table.page()
    assert 'aria-label="up"' in table.page("?at=north&to=south")
    kept = table.page("?stage=trees&zoom=up")
    assert 'aria-label="up"' in kept
    assert '<a href="?stage=trees&amp;zoom=up&amp;at=south"' in kept
    assert table.form("plant", "?zoom=up").fields["zoom"] == "up"
    assert 'aria-label="all"' in table.page("?at=north&to=south&zoom="), "all of it was asked for"
    assert 'aria-label="all"' in table.page("?zoom=atlantis")


def test_looking_orders_nothing(table: OrchardTable) -> None:
    before = everything()
    page = table.page("?stage=trees&what=plant&count=10&field=south")

    assert "0 coins would be left" in page
    assert "that is a lot" in page
    assert everything() == before
    assert table.form("plant", "?count=4").fields["count"] == "4"


def test_the_board_in_words_is_shown_when_it_is_asked_for(table: OrchardTable) -> None:
    table.fill("plant", count="2")
    assert "<li>2 trees in the north.</li>" not in table.page()
    assert "<li>2 trees in the north.</li>" in table.page("?show=words")


# --- filling in ----------------------------------------------------------------------------------


def test_a_filled_form_becomes_orders_of_the_draft(table: OrchardTable) -> None:
    answer = table.fill("plant", "?zoom=up", count="3", field="south", water="on")

    assert answer.status_code == 303
    assert answer.headers["Location"] == f"{table.path}?stage=trees&zoom=up"
    assert table.draft() == ("plant south 3", "water south")
    page = table.page()
    assert "3 trees stand in the south." in page
    assert 'data-arrows="barn-south"' in page, "what is planned is on the map"
    assert "3 of 10 coins spent" in page
    assert table.match.head_seq == 0


def test_a_form_sent_twice_counts_once(table: OrchardTable) -> None:
    form = table.form("plant")
    for _ in range(3):
        answer = table.client.post(form.action, data={**form.fields, "count": "2"})
        assert answer.status_code == 303

    assert table.draft() == ("plant north 2",)


def test_a_refused_form_says_why_and_keeps_what_was_typed(table: OrchardTable) -> None:
    table.fill("plant", count="8")
    before = everything()
    wrong = table.fill("plant", count="99", field="south", water="on")

    assert wrong.status_code == 400
    form = next(form for form in forms(wrong.text) if form.fields.get("filled") == "plant")
    assert (form.fields["count"], form.fields["field"], form.fields["water"]) == (
        "99",
        "south",
        "on",
    )
    text = wrong.text[wrong.text.index('id="form-plant"') :]
    assert "Trees: &#39;99&#39; is not a number from 1 to 10" in text[: text.index("</form>")]
    against_the_rules = table.fill("plant", count="5")
    assert against_the_rules.status_code == 400
    assert "5 trees cost more than 2" in against_the_rules.text
    assert everything() == before


def test_nothing_follows_the_dice(table: OrchardTable) -> None:
    form = table.form("plant")
    table.fill("end")
    again = {**form.fields, "composed": "1", "count": "1"}
    answer = table.client.post(form.action, data=again)

    assert answer.status_code == 400
    assert "nothing can follow “done” until it is sent" in answer.text
    assert table.draft() == ("done",)


FIELDS = ("what", "count", "field", "water", "composed")


@pytest.mark.parametrize("name", FIELDS)
def test_a_bad_field_changes_nothing(table: OrchardTable, name: str) -> None:
    table.fill("plant", count="2")
    before, form = everything(), table.form("plant")
    for kind, value in HOSTILE.items():
        if (name, value) == ("water", ""):
            continue  # a box that is not ticked
        data = {**form.fields, "count": "1", name: value}
        answer = table.client.post(
            form.action, data={k: v.encode("utf-8", "surrogatepass") for k, v in data.items()}
        )

        assert answer.status_code == 400, kind
        assert 'role="alert"' in answer.text, kind
        assert "<script>alert" not in answer.text, kind
        assert everything() == before, kind


def test_a_box_may_be_sent_empty(table: OrchardTable) -> None:
    """That is how browsers leave a box unchecked."""
    form = table.form("plant")
    data = {**form.fields, "count": "1", "water": ""}
    assert table.client.post(form.action, data=data).status_code == 303


@pytest.mark.parametrize("name", ["what", "count", "field"])
def test_a_missing_field_changes_nothing(table: OrchardTable, name: str) -> None:
    before, form = everything(), table.form("plant")
    data = {field: value for field, value in form.fields.items() if field != name}

    assert table.client.post(form.action, data=data).status_code == 400
    assert everything() == before


@pytest.mark.parametrize("name", ["stage", "zoom", "at", "to", "count", "gone", "show"])
def test_a_hostile_address_shows_the_page(table: OrchardTable, name: str) -> None:
    for kind, value in HOSTILE.items():
        asked = {name: value.encode("utf-8", "surrogatepass")}
        answer = table.client.get(table.path, query_string=asked)

        assert answer.status_code == 200, kind
        assert "<script>alert" not in answer.text, kind


def test_a_hostile_stage_leads_nowhere_else(table: OrchardTable) -> None:
    form = table.form("plant")
    data = {**form.fields, "count": "1", "stage": "x\r\nSet-Cookie: a=b", "zoom": "//evil.example"}
    answer = table.client.post(form.action, data=data)

    assert answer.status_code == 303
    assert urlsplit(answer.headers["Location"]).path == table.path
    assert "Set-Cookie" not in answer.headers


def test_a_form_of_another_site_fills_in_nothing(table: OrchardTable) -> None:
    form, before = table.form("plant"), everything()
    for header in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "cross-site"}):
        data = {**form.fields, "count": "1"}
        assert table.client.post(form.action, data=data, headers=header).status_code == 403
    assert everything() == before


def test_many_fields_are_no_trouble(table: OrchardTable) -> None:
    data = {**table.form("plant").fields, **{f"x{n}": "1" for n in range(3_000)}}

    assert table.client.post(table.path, data={**data, "count": "1"}).status_code == 303


def test_a_game_without_a_sheet_has_no_such_button(client: FlaskClient, links: Links) -> None:
    from tests.pbem.table import Table

    table = Table(client, links)
    answer = table.press("fill", what="plant")

    assert answer.status_code == 400
    assert table.draft() == ()


# --- the draft -----------------------------------------------------------------------------------


def test_taking_an_order_out_says_what_else_went(table: OrchardTable) -> None:
    table.press("compose", orders="plant north 1\nplant south 2\nwater north\nwater south")
    form = next(f for f in forms(table.page("?zoom=up")) if f.fields.get("do") == "take_out")
    answer = table.client.post(form.action, data={**form.fields, "at": "0"})

    assert table.draft() == ("plant south 2", "water south")
    address = urlsplit(answer.headers["Location"])
    asked = parse_qs(address.query)
    assert asked == {"stage": ["trees"], "zoom": ["up"], "gone": ["water north"]}
    page = table.page(f"?{address.query}")
    assert "These orders depended on it and were removed, too:" in page
    assert "<code>water north</code>" in page


def test_the_draft_is_on_every_device_and_says_when_it_was_changed(
    table: OrchardTable, clock: Clock
) -> None:
    table.fill("plant", count="2")
    clock.now = NOW + 2 * 3_600
    page = table.client.application.test_client().get(table.path).text

    assert "last changed 2 hours ago" in page
    assert ">plant north 2</textarea>" in page


def test_undo_goes_back_to_the_last_dice(table: OrchardTable) -> None:
    table.fill("plant", count="2")
    table.fill("plant", count="1")
    table.press("undo", keep="1", stage="trees")
    assert table.draft() == ("plant north 2",)
    table.press("clear")
    assert table.draft() == ()


# --- sending -------------------------------------------------------------------------------------


def test_a_last_look_then_the_dice_then_the_results(table: OrchardTable) -> None:
    table.fill("plant", count="9")
    assert "A last look" not in table.page()
    assert "To send them, first end this stop" in table.page()
    table.fill("end")
    page = table.page()
    assert "if there are dice, they are thrown then" in page
    assert not [form for form in forms(page) if form.fields.get("filled")], "only send or undo"
    path, form = table.path, next(f for f in forms(page) if f.fields.get("do") == "submit")
    answer = table.client.post(form.action, data=form.fields)

    assert answer.status_code == 303
    assert table.state.played == 1
    assert "The weather is" in table.client.get(path).text
    assert "The weather is" in table.page(), "Bob is told, too"


def test_orders_changed_elsewhere_are_not_sent(table: OrchardTable) -> None:
    table.fill("plant", count="9")
    table.fill("end")
    form = next(f for f in forms(table.page()) if f.fields.get("do") == "submit")
    table.press("clear")
    table.press("compose", orders="done")

    assert table.client.post(form.action, data=form.fields).status_code == 400
    assert table.match.head_seq == 0


# --- typed and pasted ----------------------------------------------------------------------------

PASTED = (
    "# my turn\nplant north 2\n\nplant west 1\nwater north # now\nwater south\ndone\nplant north 1"
)


def test_pasted_lines_are_answered_one_by_one(table: OrchardTable) -> None:
    before = everything()
    answer = table.press("check", orders=PASTED)

    assert answer.status_code == 200
    assert everything() == before
    rows = re.findall(r"<td>(\d+)</td><td><code>(.*?)</code></td>\s*<td>(.*?)</td>", answer.text)
    assert [(int(number), order) for number, order, _ in rows] == [
        (2, "plant north 2"),
        (4, "plant west 1"),
        (5, "water north"),
        (6, "water south"),
        (7, "done"),
        (8, "plant north 1"),
    ]
    said = [unescape(re.sub("<.*?>", "", words)) for _, _, words in rows]
    assert said == [
        "2 trees stand in the north.",
        "Not possible: 'plant west 1' is no order; write: plant north 2",
        "Order: water north",
        "Not possible: nothing was planted in the south",
        "End the turn",
        "Not possible: nothing can follow “done” until it is sent",
    ]
    assert f">{PASTED}</textarea>" in unescape(answer.text), "nothing of the text is lost"


def test_right_lines_are_added_and_wrong_ones_add_nothing(table: OrchardTable) -> None:
    wrong = table.press("compose", orders=PASTED, composed="0")
    assert wrong.status_code == 400
    assert "line 4, “plant west 1”" in wrong.text
    assert table.draft() == ()
    right = table.press("compose", orders="plant north 2 # two\nwater north", stage="trees")
    assert right.status_code == 303
    assert table.draft() == ("plant north 2", "water north")


def test_a_large_turn_is_taken_and_a_larger_one_refused(table: OrchardTable) -> None:
    wishes = "\n".join(f"wish {n}" for n in range(turns.MOST_ORDERS - 1))
    assert table.press("compose", orders=wishes).status_code == 303
    assert table.fill("end").status_code == 303
    assert len(table.draft()) == turns.MOST_ORDERS
    table.press("undo")
    assert table.press("compose", orders="wish a\nwish b").status_code == 400
    assert len(table.draft()) == turns.MOST_ORDERS - 1


def test_each_order_of_a_draft_is_tried_once_by_the_press_and_the_pages_behind_it(
    table: OrchardTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = list[str]()
    apply = GAME.apply

    def counted(*args: object) -> object:
        tried.append(str(args[2]))
        return apply(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(type(GAME), "apply", lambda self, *args: counted(*args))
    table.press("compose", orders="\n".join(f"wish {n}" for n in range(50)))
    table.page()
    table.press("undo", keep="49")
    table.page()

    assert len(tried) == 50
