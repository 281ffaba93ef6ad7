"""A turn of East & West by the forms of its page, without script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import cycle
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.abilities import SheetField, SheetForm
from engine.chance import SealedDice
from engine.east_and_west import report
from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, link_orders, match_log, matches, turns
from pbem.services.records.match_rows import get_match
from tests.pbem.four_powers import FourPowers
from tests.pbem.table import HOSTILE
from tests.pbem.visiting import everything
from tests.services.people import NOW
from tests.services.powers import GAME

MOBILISED = ("buy 6 infantry", "place poland 3 infantry", "place east-germany 3 infantry", "done")
FROM_EAST_GERMANY = "?stage=attack&at=east-germany&to=west-germany"


@pytest.fixture
def table(client: FlaskClient, links: Links) -> FourPowers:
    return FourPowers(client, links)


@pytest.fixture
def operating(table: FourPowers) -> FourPowers:
    """The USSR is about to buy and attack."""
    table.send(MOBILISED)
    table.send(["done"])
    assert table.state.board.turn.stop == "operations"
    return table


def test_a_turn_by_forms_alone(operating: FourPowers) -> None:
    table = operating
    assert table.fill("buy", "?stage=purchases", infantry="3").status_code == 303
    chosen = {"infantry": "13", "armor": "2", "heavy-armor": "0", "fighter": "0"}
    attack = table.fill("move", FROM_EAST_GERMANY, **chosen)
    assert attack.status_code == 303, attack.text
    assert table.draft() == (
        "buy 3 infantry",
        "move east-germany west-germany 13 infantry 2 armor",
    )
    page = table.page("?stage=battles")
    assert "Buy units: 3 infantry" in page
    assert "USSR: 13 infantry, 2 armor, East Germany - West Germany" in page
    assert table.fill("finish").status_code == 303
    assert "Nothing can be undone after sending" in table.page()
    assert table.submit().status_code == 303

    assert table.state.board.turn.stop == "logistics"
    page = table.page()
    assert '<details class="results" id="results" open>' in page
    assert '<details class="battle" id="battle-now-1" open>' in page
    assert "Luck in hits: USSR" in page
    assert "Battle of West Germany: USSR attacks with" in page
    assert table.fill("place", "?stage=placement&at=russia", infantry="1").status_code == 303
    assert table.draft() == ("place russia 1 infantry",)


def test_the_first_turn_has_no_heading_over_nothing(table: FourPowers) -> None:
    page = table.page()
    assert "What has happened since your last turn" not in page
    assert not re.search(r"<ul[^>]*>\s*</ul>", page)


def test_a_turn_that_is_over_tells_its_battles_one_by_one(operating: FourPowers) -> None:
    path = operating.path
    operating.send(["move east-germany west-germany 13 infantry 2 armor", "done"])
    operating.send(["done"])
    page = operating.client.get(path).text
    assert "what you played as USSR" in page
    assert '<details class="battle" id="battle-played-1">' in page
    assert page.count("Battle of West Germany: USSR attacks with") == 1


def test_the_last_look_says_what_to_think_of(operating: FourPowers) -> None:
    """Before the stop is ended, and once more before the dice, when it is."""
    orders = "move east-germany west-germany 1 infantry"
    operating.client.post(operating.path, data={"do": "compose", "orders": orders})
    told = "West Germany: worse than even: 0 % to win", "IPC are not spent yet."
    pages = [operating.page()]
    assert operating.fill("finish").status_code == 303
    pages.append(operating.page())
    assert ["A last look" in page for page in pages] == [False, True]
    for page in pages:
        assert "USSR, round 1: production and combat move" in page
        assert [page.count(reminder) for reminder in told] == [1, 1]


def test_the_odds_change_with_what_is_looked_at(operating: FourPowers) -> None:
    few = operating.page(f"{FROM_EAST_GERMANY}&infantry=1")
    many = operating.page(f"{FROM_EAST_GERMANY}&infantry=13&armor=2&heavy-armor=1")

    assert "worse than even" in few
    assert few != many
    assert 'value="13"' in many


NONSENSE = {
    "huge": "9" * 400,
    "foreign": "日本 atlantis",
    "hostile": "<script>alert(1)</script>",
    "controls": "x\x00\u202e-1",
}
PLANNED = ("buy 3 infantry", "move east-germany west-germany 3 infantry")


def sheet_forms(table: FourPowers) -> Iterator[tuple[dict[str, str], SheetForm]]:
    """The forms of all stages with each space chosen, as the sheet has them; each kind once."""
    state, seat, seen = table.state, GAME.seats({})[0], set[str]()
    for order in table.draft():
        state = GAME.apply(state, seat, GAME.parse(order), SealedDice()).state
    for stage in GAME.sheet(state, seat, {}).stages:
        asks = {"stage": stage.name}
        spaces = sorted(GAME.sheet(state, seat, asks).map.open)
        for address in (asks, *({**asks, "at": space} for space in spaces)):
            for panel in GAME.sheet(state, seat, address).panels:
                for form in panel.forms:
                    kind = f"{stage.name} {form.name.split('-')[0]} {len(form.fields)}"
                    if form.fields and kind not in seen:
                        seen.add(kind)
                        yield address, form


@pytest.mark.whole
def test_every_form_refuses_nonsense_in_each_kind_of_field_and_loses_nothing(
    operating: FourPowers,
) -> None:
    """One family after the other; `test_fields` of the engine has all of them in each field."""
    path = operating.path
    operating.client.post(path, data={"do": "compose", "orders": "\n".join(PLANNED)})
    before, families = everything(), cycle(NONSENSE.items())
    tried = 0
    for asks, form in sheet_forms(operating):
        own = {"do": "fill", "filled": form.name, "composed": str(len(PLANNED))}
        right = {field.name: _something(field) for field in form.fields}
        for field in {field.kind: field for field in form.fields}.values():
            family, value = next(families)
            sent = {**own, **dict(form.hidden), **right, field.name: value}
            answer = operating.client.post(path, data=sent)
            where = (asks, form.name, field.name, family)
            assert answer.status_code == 400, where
            assert f"{GAME.say(field.label)}: " in _alert(answer.text), where
            assert "<script>alert" not in answer.text
            tried += 1
    assert tried > 50
    assert everything() == before
    assert operating.draft() == PLANNED


def _something(field: SheetField) -> str:
    """What stands in a field, or the first thing that can be chosen."""
    if field.kind == "choice" and not field.value:
        return next((one.value for one in field.values if one.value), "")
    return field.value


def _alert(page: str) -> str:
    found = re.search(r'role="alert"[^>]*>([^<]*)', page)
    assert found, "nothing is refused"
    return unescape(found[1])


def test_a_whole_stop_is_pasted_and_answered_line_by_line(operating: FourPowers) -> None:
    lines = (
        "buy 3 infantry\nmove east-germany west-germany 3 infantry\nmove poland atlantis 1\ndone"
    )
    answer = operating.client.post(operating.path, data={"do": "check", "orders": lines})

    assert answer.status_code == 200
    assert "Buy units: 3 infantry" in answer.text
    assert "atlantis" in answer.text and "Not possible:" in answer.text
    assert operating.draft() == ()


def test_a_whole_turn_is_pasted_as_it_is_played(operating: FourPowers) -> None:
    """Line after line from its first stop to its end; what comes behind the dice waits for them."""
    turn = (
        "buy 3 infantry\nmove east-germany west-germany 3 infantry\ndone\nplace poland 1 infantry"
    )
    answer = operating.client.post(operating.path, data={"do": "check", "orders": turn})
    assert "Not possible:" not in answer.text
    order = [answer.text.index(words) for words in ("Buy units: 3 infantry", "Noted for later")]
    assert order == sorted(order), "answered in the order of the text"

    operating.client.post(operating.path, data={"do": "compose", "orders": turn})
    *_, noted, end = operating.draft()
    assert (noted, end) == ("then place poland 1 infantry", "done")


def test_what_will_not_be_possible_later_is_said_at_once(table: FourPowers) -> None:
    """When it is checked and as long as it is in the draft; it is noted all the same."""
    lines = "buy 10 infantry\nbuy 90 armor\nmove poland norway 1 infantry\ndone"
    noted = "\n".join(f"then {line}" for line in lines.splitlines())
    doubts = (
        "Not possible as things stand: this costs 450 and you can spend 28",
        "Not possible as things stand: infantry: no way from Poland to Norway",
    )
    form = {"do": "check", "orders": noted}
    checked = unescape(table.client.post(table.path, data=form).text)
    assert [doubt in checked for doubt in doubts] == [True, True]
    assert checked.count("Not possible as things stand") == len(doubts)
    table.client.post(table.path, data=form | {"do": "compose"})
    assert table.draft() == tuple(noted.splitlines())
    page = unescape(table.page())
    assert [doubt in page for doubt in doubts] == [True, True]
    assert page.count("Not possible as things stand") == len(doubts)


def test_taking_a_purchase_out_takes_its_placement_along(table: FourPowers) -> None:
    table.client.post(table.path, data={"do": "compose", "orders": "\n".join(MOBILISED)})
    form = {"do": "take_out", "at": "0", "order": "buy 6 infantry"}
    answer = table.client.post(table.path, data=form)

    assert "gone=place+poland+3+infantry" in answer.headers["Location"]
    assert table.draft() == ("done",)


# --- what was heard lately -----------------------------------------------------------------------


def next_operations(table: FourPowers) -> None:
    """All end their stops until the USSR buys and attacks again."""
    table.send(["done"])
    while (table.state.board.turn.power, table.state.board.turn.stop) != ("ussr", "operations"):
        table.send(["done"])


def test_the_last_turn_is_bought_and_placed_again_by_one_press(operating: FourPowers) -> None:
    assert operating.fill("buy-again", "?stage=purchases").status_code == 303
    assert operating.draft() == (
        "buy 6 infantry",
        "then place poland 3 infantry",
        "then place east-germany 3 infantry",
    )


def test_a_plan_is_told_what_it_would_have_done_in_the_last_battle(operating: FourPowers) -> None:
    attack = "move east-germany west-germany 3 infantry"
    operating.send([attack, "done"])
    next_operations(operating)
    plan = "plan west-germany retreat after 1"
    data = {"do": "compose", "orders": f"{attack}\n{plan}"}
    assert operating.client.post(operating.path, data=data).status_code == 303
    assert "in your last battle, West Germany: " in operating.page("?stage=battles")
    asks = "?stage=battles&form=plan-losses-west-germany&keep=on"
    assert "in your last battle, West Germany: the same losses" in operating.page(asks)


def test_what_was_taken_back_was_not_heard(operating: FourPowers) -> None:
    before = operating.match.head_seq
    operating.send(["move east-germany west-germany 3 infantry", "done"])
    with store.connected():
        told = drafts.heard_lately(operating.match, operating.turn)
        assert any(event.text.msgid == report.BEGINS for event in told)
        turns.rewind(operating.id, before, "", NOW)
        told = drafts.heard_lately(operating.match, operating.turn)
    assert not any(event.text.msgid == report.BEGINS for event in told)
    assert any(event.text.msgid == report.PLACES for event in told)


# --- in advance ----------------------------------------------------------------------------------

LIST = "standing losses west-germany infantry armor"


def test_a_long_standing_order_is_typed_at_the_seat(table: FourPowers) -> None:
    path = f"{table.seat_path(1)}/standing"
    assert table.client.post(path, data={"order": LIST}).status_code == 303

    assert table.state.orders(GAME.seats({})[1]).losses == {"west-germany": ("infantry", "armor")}
    assert table.match.head_seq == 1
    table.client.post(path, data={"order": LIST})
    assert table.match.head_seq == 1, "the same again changes nothing"


@pytest.mark.parametrize("order", [*HOSTILE.values(), "done", "standing losses atlantis infantry"])
def test_what_is_no_standing_order_is_refused_with_what_was_typed(
    table: FourPowers, order: str
) -> None:
    before, path = everything(), f"{table.seat_path(1)}/standing"
    answer = table.client.post(path, data={"order": order.encode("utf-8", "surrogatepass")})

    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert everything() == before


def test_a_draft_in_advance_is_composed_from_text(operating: FourPowers) -> None:
    orders = f"{LIST}\nthen place poland 1 infantry"
    answer = operating.client.post(operating.path, data={"do": "compose", "orders": orders})

    assert answer.status_code == 303, answer.text
    assert operating.draft() == (LIST, "then place poland 1 infantry")


# --- large turns ---------------------------------------------------------------------------------


@pytest.mark.whole
def test_a_large_turn_is_kept_and_sent(operating: FourPowers) -> None:
    kinds = ("infantry armor", "armor infantry")
    lines = [f"standing losses {kinds[n % 2]}" for n in range(150)]
    data = {"do": "compose", "orders": "\n".join(lines)}
    assert operating.client.post(operating.path, data=data).status_code == 303
    assert operating.fill("finish").status_code == 303
    assert operating.submit().status_code == 303
    with store.connected():
        sent = turns.played_in(operating.match, operating.turn)
        assert len(sent) >= 151
        assert drafts.draft_of(operating.turn.id) == ()
        assert match_log.current(get_match(operating.id)).board.turn.stop == "logistics"


def test_a_question_in_the_turn_of_another_is_not_called_a_turn(
    client: FlaskClient, links: Links
) -> None:
    with (
        patch("secrets.token_bytes", lambda size: bytes(size)),
        patch.object(matches, "new_id", lambda: "asking"),
    ):
        table = FourPowers(client, links)
    with store.connected():
        link_orders.say_in_advance(table.id, 1, "standing ask west-germany on", NOW)
    attack = "move east-germany west-germany 4 infantry 2 armor"
    for orders in (["done"], ["done"], [attack, "done"]):
        table.send(orders)
    page = table.page()
    assert "<h1>East &amp; West: a question to Western Europe</h1>" in page
    assert 'tabindex="-1">choose the losses in West Germany (' in page
    assert "your turn as" not in page and "KIND NUMBER" not in page
