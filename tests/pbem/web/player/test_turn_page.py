"""The page of a turn: composing, trying, sending, and what it never does."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from engine.iron_curtain.deck import standard_deck
from pbem.db import store
from pbem.links import Links, TurnLink
from pbem.services.match import drafts, matches, messages, move_rows
from pbem.services.records.match_rows import OVER
from tests.pbem.table import HOSTILE, Table, canary_deck, tampered
from tests.pbem.visiting import NOW, Form, everything, forms
from tests.services.people import play_to_the_end


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def options(page: str) -> list[str]:
    return re.findall(r'<button name="order" value="([^"]+)" data-word', page)


def levels(page: str) -> list[str]:
    return re.findall(r'<a class="button" href="(\?prefix=[^"]+)" data-level', page)


def sendable(page: str) -> Form | None:
    found = [form for form in forms(page) if form.fields.get("do") == "submit"]
    return found[0] if found else None


# --- what it shows -------------------------------------------------------------------------------


def test_the_page_shows_board_deadline_and_what_happened(table: Table) -> None:
    table.send("first ussr")
    page = table.client.get(table.turn_path())

    assert page.status_code == 200
    assert "<svg" in page.text
    assert "Handkarten USA: 5" in page.text, "Bob reads German"
    assert '<html lang="de">' in page.text
    assert "UdSSR bestimmt: UdSSR beginnt Runde 1." in page.text
    assert "Montag, 18.\u00a0Januar 2027, 09:00 UTC+01:00 (18.01.2027, 08:00 UTC)" in page.text
    assert "in 3 Tagen" in page.text


def test_a_level_with_one_way_on_is_passed_through(table: Table) -> None:
    page = table.client.get(table.turn_path()).text

    assert options(page) == ["first usa", "first ussr"]


def test_a_card_leads_to_its_cells_and_back(table: Table) -> None:
    table.send("first ussr")
    first = table.client.get(table.turn_path()).text
    card = levels(first)[0]
    second = table.client.get(table.turn_path() + card).text

    assert len(levels(first)) == 5
    assert options(first) == []
    assert all(order.startswith(f"{unquote(card[8:])} ") for order in options(second))
    assert '<a href="?prefix=play" data-level>' in second


def test_a_choice_that_is_not_open_shows_all_choices(table: Table) -> None:
    page = table.client.get(table.turn_path() + "?prefix=play+atlantis")

    assert page.status_code == 200
    assert options(page.text) == ["first usa", "first ussr"]
    assert "Diese Wahl gibt es nicht mehr" in page.text


def test_messages_are_shown_as_text(table: Table) -> None:
    with store.connected():
        messages.say(table.id, 0, "<b>hello</b>\nBob", NOW)
    page = table.client.get(table.turn_path()).text

    assert "&lt;b&gt;hello&lt;/b&gt;\nBob" in page
    assert "<b>hello" not in page


def test_a_page_behind_a_link_is_for_one_person(table: Table) -> None:
    for path in (table.turn_path(), table.order_path("first usa"), table.seat_path(0)):
        headers = table.client.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Robots-Tag"] == "noindex"
        assert "Set-Cookie" not in headers


# --- composing -----------------------------------------------------------------------------------


def test_a_choice_is_kept_and_nothing_is_sent(table: Table) -> None:
    answer = table.press("add", order="first usa", composed="0")
    page = table.client.get(table.turn_path()).text

    assert answer.status_code == 303
    assert answer.headers["Location"] == table.turn_path()
    assert table.draft() == ("first usa",)
    assert table.match.head_seq == 0
    assert "UdSSR bestimmt: USA beginnt Runde 1." in page
    assert sendable(page) is not None
    assert options(page) == []


def test_a_choice_pressed_twice_counts_once(table: Table) -> None:
    ready_for_cubes(table)
    order = next(order for order in table.offered() if order.startswith("cube "))
    for _ in range(3):
        assert table.press("add", order=order, composed="0").status_code == 303

    assert table.draft() == (order,)


def ready_for_cubes(table: Table) -> None:
    """Somebody may place at least two cubes."""
    below = QuickDice(b"cubes").below
    while not _can_place_two(table):
        offered = table.offered()
        table.send(offered[below(len(offered))])


def _can_place_two(table: Table) -> bool:
    cubes = [order for order in table.offered() if order.startswith("cube ")]
    return bool(cubes) and table.can_follow(cubes[0], cubes[0], "done")


def test_undo_takes_back_one_and_start_over_all(table: Table) -> None:
    ready_for_cubes(table)
    cube = next(order for order in table.offered() if order.startswith("cube "))
    table.press("add", order=cube, composed="0")
    table.press("add", order="done", composed="1")
    table.press("undo", keep="1")
    assert table.draft() == (cube,)
    table.press("undo", keep="1")
    assert table.draft() == (cube,), "pressed again it does nothing"
    table.press("undo")
    assert table.draft() == ()
    table.press("add", order=cube)
    table.press("clear")
    assert table.draft() == ()


def test_minus_takes_one_cube_out(table: Table) -> None:
    ready_for_cubes(table)
    cube = next(order for order in table.offered() if order.startswith("cube "))
    table.press("compose", orders=f"{cube}\n{cube}\ndone")
    page = table.client.get(table.turn_path()).text
    form = next(form for form in forms(page) if form.fields.get("do") == "take_out")
    table.client.post(form.action, data={**form.fields, "at": "0"})
    assert table.draft() == (cube, "done")
    table.press("take_out", at="1", order=cube)

    assert table.draft() == (cube, "done"), "at that place there is another order"


def test_equal_cubes_are_one_line_of_the_list(table: Table) -> None:
    ready_for_cubes(table)
    cube = next(order for order in table.offered() if order.startswith("cube "))
    name = standard_deck().cards[cube.split()[1]].name.de
    table.press("compose", orders=f"{cube}\n{cube}\ndone")
    page = table.client.get(table.turn_path()).text
    listed = page[page.index('<ol class="draft">') :].partition("</ol>")[0]
    assert listed.count("<li>") == 2, "the cubes, and that it is done"
    assert f"2 Marker auf {name}" in listed
    form = next(form for form in forms(listed) if form.fields.get("order") == cube)
    table.client.post(form.action, data={**form.fields, **dict(form.buttons)})

    assert table.draft() == (cube, "done"), "its button takes one away"
    assert f"1 Marker auf {name}" in table.client.get(table.turn_path()).text


def test_what_needs_the_order_that_is_taken_out_goes_too(table: Table) -> None:
    table.send("first ussr")
    own = next(order for order in table.offered() if table.can_follow(order, "command"))
    table.press("compose", orders=f"{own}\ncommand")
    assert len(table.draft()) == 2
    table.press("take_out", at="0", order=own)

    assert table.draft() == ()


def _opens_a_secret(table: Table, order: str) -> bool:
    with store.connected():
        tried = drafts.preview(
            table.match, table.state, table.match.seat(table.turn.seat).name, [order]
        )
    return tried.is_final


def test_a_draft_of_a_position_that_is_gone_can_only_be_dropped(table: Table) -> None:
    table.send("first ussr")
    with store.connected():
        move_rows.keep_draft(table.turn.id, ["done"], NOW)
    page = table.client.get(table.turn_path())

    assert page.status_code == 200
    assert "Diese Anweisungen sind nicht mehr möglich" in page.text
    assert sendable(page.text) is None
    table.press("clear")
    assert table.draft() == ()


def test_what_if_keeps_nothing(table: Table) -> None:
    before = everything()
    answer = table.client.get(f"{table.turn_path()}/preview?order=first+usa")

    assert "UdSSR bestimmt: USA beginnt Runde 1." in answer.json["lines"]  # type: ignore[index]
    assert "<svg" in answer.json["svg"]  # type: ignore[index]
    assert everything() == before
    wrong = table.client.get(f"{table.turn_path()}/preview?order=first+eve")
    assert wrong.status_code == 400
    assert "first eve" in wrong.json["error"]  # type: ignore[index]


# --- sending -------------------------------------------------------------------------------------


def test_sending_leads_to_the_receipt(table: Table) -> None:
    turn = table.turn
    table.press("add", order="first usa")
    form = sendable(table.client.get(table.turn_path()).text)
    assert form is not None
    answer = table.client.post(form.action, data=form.fields)
    receipt = table.client.get(answer.headers["Location"])

    assert answer.status_code == 303
    assert table.turn.id != turn.id
    assert receipt.status_code == 200
    assert "<code>first usa</code>" in receipt.text
    assert "Jetzt ist USA am Zug (Ann)." in receipt.text
    again = table.client.post(form.action, data=form.fields)
    assert again.status_code == 303
    assert table.match.head_seq == 1


def test_sending_twice_sends_once_when_the_same_player_goes_on(table: Table) -> None:
    form = next(f for f in forms(table.client.get(table.turn_path()).text) if "orders" in f.fields)
    for _ in range(3):
        answer = table.client.post(form.action, data={**form.fields, "orders": "first ussr"})
        assert answer.status_code == 303
    page = table.client.get(answer.headers["Location"]).text

    assert table.match.head_seq == 1
    assert "In diesem Zug bisher" in page
    assert len(levels(page)) == 5


def test_a_draft_changed_in_another_window_is_not_sent(table: Table) -> None:
    table.press("add", order="first usa")
    form = sendable(table.client.get(table.turn_path()).text)
    assert form is not None
    table.press("clear")
    table.press("add", order="first ussr")
    answer = table.client.post(form.action, data=form.fields)

    assert answer.status_code == 400
    assert "in einem anderen Fenster geändert" in answer.text
    assert table.match.head_seq == 0


def test_written_orders_are_sent_at_once(table: Table) -> None:
    form = next(f for f in forms(table.client.get(table.turn_path()).text) if "orders" in f.fields)
    answer = table.client.post(form.action, data={**form.fields, "orders": "  FIRST   usa \n\n"})

    assert answer.status_code == 303
    assert table.match.head_seq == 1


def test_written_orders_are_all_accepted_or_none(table: Table) -> None:
    before = everything()
    answer = table.press("orders", orders="first ussr\nplay <b>atlantis</b> s18")

    assert answer.status_code == 400
    page = unescape(answer.text)
    assert "Zeile 2, „play <b>atlantis</b> s18“: " in page
    assert ">first ussr\nplay <b>atlantis</b> s18</textarea>" in page
    assert "<b>atlantis" not in answer.text
    assert everything() == before


def test_written_orders_can_be_tried_first(table: Table) -> None:
    answer = table.press("compose", orders="first ussr")

    assert answer.status_code == 303
    assert table.draft() == ("first ussr",)
    assert table.match.head_seq == 0


def test_nothing_can_follow_an_order_that_opens_a_secret(table: Table) -> None:
    table.send("first ussr")
    final = next(order for order in table.offered() if _opens_a_secret(table, order))
    answer = table.press("orders", orders=f"{final}\ncommand")

    assert answer.status_code == 400
    assert "bevor es abgeschickt ist" in answer.text


# --- links ---------------------------------------------------------------------------------------


def test_a_link_of_a_turn_that_is_over_shows_what_was_played(table: Table) -> None:
    path = table.turn_path()
    table.send("first usa")
    page = table.client.get(path)
    assert page.status_code == 200
    assert "<code>first usa</code>" in page.text
    same = table.client.post(path, data={"do": "orders", "orders": "First USA"})
    assert same.status_code == 303
    late = table.client.post(path, data={"do": "orders", "orders": "first ussr"})
    assert late.status_code == 409
    assert "This link stands for “first ussr”" not in late.text
    assert "„first ussr“ wurde nicht gespielt" in late.text
    assert table.client.post(path, data={"do": "jump"}).status_code == 409
    assert table.match.head_seq == 1


def test_only_the_newest_link_of_a_seat_shows_its_hand(table: Table) -> None:
    """Bob passes an old letter on to Ann: she must not read his cards from its link."""
    old = table.turn_path()
    table.send("first usa")
    assert "Deine Handkarten" in table.client.get(old).text
    with store.connected():
        while table.turn.seat == 0:
            table.send(table.offered()[-1])

    assert "Deine Handkarten" in table.client.get(table.turn_path()).text
    assert "Deine Handkarten" not in table.client.get(old).text


def test_an_old_link_tells_no_order_that_was_given_in_advance(table: Table) -> None:
    """Standing orders are hidden, and may still hold; what was played for all to see is not."""
    turn = table.turn
    old, order, other = (
        table.turn_path(turn),
        table.order_path("first usa", turn),
        table.order_path("first ussr", turn),
    )
    table.client.post(f"{table.seat_path(1)}/standing", data={"order": "standing all never"})
    table.send("first usa")
    api = old.replace("/t/", "/api/v1/turn/")
    assert "standing all never" in table.client.get(old).text, "the newest link may"
    for path in (order, other):
        assert "standing all never" not in table.client.get(path).text
    while table.turn.seat == 0:
        table.send(table.offered()[-1])

    for path in (old, order, other, api):
        page = table.client.get(path).text
        assert "standing all never" not in page
        assert "first usa" in page
    late = table.client.post(old, data={"do": "orders", "orders": "first ussr"})
    assert late.status_code == 409
    assert "standing all never" not in late.text


def test_the_page_of_a_turn_that_is_over_leads_to_no_seat(table: Table) -> None:
    path = table.turn_path()
    table.send("first usa")
    with store.connected():
        messages.say(table.id, 0, "A secret between us", NOW)
    page = table.client.get(path).text

    assert "/seat/" not in page
    assert "A secret between us" not in page, "the letter of that turn did not hold it"


def test_an_old_link_does_not_tell_what_was_dealt(table: Table) -> None:
    """The turn that ends round 1 deals new cards: hidden again as soon as its link is old."""
    below = QuickDice(b"round two").below
    while table.state.round == 1:
        turn, offered = table.turn, table.offered()
        table.send(offered[below(len(offered))])
    dealt = {0: "You are dealt ", 1: "Du erhältst "}[turn.seat]
    assert dealt in table.client.get(table.turn_path(turn)).text
    while table.turn.id == turn.id or table.turn.seat != turn.seat:
        offered = table.offered()
        table.send(offered[below(len(offered))])

    assert dealt not in table.client.get(table.turn_path(turn)).text


def test_a_replaced_link_says_so_and_nothing_else(table: Table) -> None:
    path, order, seat = table.turn_path(), table.order_path("first usa"), table.seat_path(1)
    with store.connected():
        matches.revoke_links(table.id, 1, NOW + 5)
    before = everything()
    for answer in (
        table.client.get(path),
        table.client.post(path, data={"do": "orders", "orders": "first usa"}),
        table.client.get(order),
        table.client.post(order),
        table.client.get(seat),
        table.client.post(f"{seat}/resign"),
        table.client.get(f"{path}/preview"),
    ):
        assert answer.status_code == 410
        assert "This link has been replaced" in answer.text
        assert table.id not in answer.text

    assert everything() == before
    assert table.client.get(table.turn_path()).status_code == 200


def test_a_well_signed_link_to_nothing_is_not_found(table: Table, links: Links) -> None:
    turn = table.turn
    for link in (
        TurnLink("nowhere", 1, turn.id, NOW),
        TurnLink(table.id, 0, turn.id, NOW),
        TurnLink(table.id, 1, turn.id + 99, NOW),
    ):
        assert table.client.get(f"/t/{links.sign('turn', link)}").status_code == 404


def test_no_token_works_for_another_purpose(table: Table) -> None:
    turn, order = table.turn_path()[3:], table.order_path("first usa")[3:]
    seat = table.seat_path(1)[6:]
    for path in (f"/o/{turn}", f"/t/{order}", f"/t/{seat}", f"/seat/{turn}", f"/seat/{order}"):
        assert table.client.get(path).status_code == 404
        assert table.client.post(path).status_code == 404
        assert table.client.get(f"/api/v1/turn/{seat}").status_code == 404


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_ten_thousand_tampered_tokens_open_nothing(table: Table) -> None:
    below, before = QuickDice(b"tampered").below, everything()
    tokens = {
        "/t/": table.turn_path()[3:],
        "/o/": table.order_path("first usa")[3:],
        "/seat/": table.seat_path(1)[6:],
        "/api/v1/turn/": table.turn_path()[3:],
    }
    starts, answers = list(tokens), set()
    for number in range(10_000):
        start = starts[number % 4]
        path = start + tampered(tokens[start], below)
        answer = table.client.open(path, method=("GET", "POST")[below(2)])
        answers.add(answer.status_code)

    assert answers == {404}
    assert everything() == before


def test_one_page_for_everything_that_nobody_signed(table: Table) -> None:
    pages = {
        table.client.get(path).text
        for path in ("/t/x", "/t/" + table.turn_token()[:-1], "/o/x", "/seat/x", "/seat/x/resign")
    }

    assert len(pages) == 1


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_a_thousand_looks_change_nothing(table: Table) -> None:
    table.press("add", order="first usa")
    order, seat, turn = table.order_path("first usa"), table.seat_path(1), table.turn_path()
    paths = [turn, f"{turn}?prefix=first", f"{turn}/preview", order, seat, f"{seat}/resign"]
    paths += [
        f"{seat}/draw",
        f"{seat}/accept-draw",
        f"{seat}/decline-draw",
        f"{seat}/revoke",
        f"{seat}/standing",
        f"/match/{table.id}",
    ]
    before = everything()
    for number in range(1_000):
        method = ("GET", "HEAD", "OPTIONS", "GET")[number % 4]
        ranged = {"Range": "bytes=0-99"} if number % 3 else {}
        answer = table.client.open(paths[number % len(paths)], method=method, headers=ranged)
        assert answer.status_code < 400

    assert everything() == before
    assert table.client.post(order).status_code == 303


# --- bad input -----------------------------------------------------------------------------------

FIELDS = [
    ("add", "order"),
    ("compose", "orders"),
    ("orders", "orders"),
    ("undo", "keep"),
    ("add", "composed"),
    ("take_out", "at"),
    ("submit", "sent"),
    ("submit", "draft"),
    ("", "do"),
]


@pytest.mark.parametrize(("do", "field"), FIELDS)
def test_a_bad_field_changes_nothing(table: Table, do: str, field: str) -> None:
    table.press("add", order="first usa")
    before = everything()
    usual = {"order": "first usa", "orders": "first usa", "at": "0", "draft": "first usa"}
    if field in ("order", "orders", "do"):
        usual = {}
    for kind, value in HOSTILE.items():
        data = {"do": do, **usual, field: value}
        answer = table.client.post(
            table.turn_path(), data={k: v.encode("utf-8", "surrogatepass") for k, v in data.items()}
        )

        status = answer.status_code
        assert 400 <= status < 500 or is_harmless(do, field, status), kind
        assert everything() == before, kind


def is_harmless(do: str, field: str, status: int) -> bool:
    """A number that no page has said is that of a press that comes too late."""
    return status == 303 and (do, field) in {("undo", "keep"), ("take_out", "at")}


@pytest.mark.parametrize(("do", "field"), FIELDS[:3])
def test_a_missing_field_changes_nothing(table: Table, do: str, field: str) -> None:
    before = everything()

    assert table.press(do).status_code == 400
    assert everything() == before


def test_a_huge_form_is_refused(table: Table) -> None:
    before = everything()

    assert table.press("orders", orders="x" * 100_000).status_code == 413
    assert everything() == before


def test_a_file_in_place_of_words_is_no_order(table: Table) -> None:
    data = {"do": "orders", "orders": (__file__, "orders.txt")}
    answer = table.client.post(table.turn_path(), data=data, content_type="multipart/form-data")

    assert answer.status_code == 400


# --- whole matches -------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_whole_matches_through_pages_only(client: FlaskClient, links: Links) -> None:
    table = Table(client, links)
    below = QuickDice(b"pages only").below
    while table.is_live:
        path = table.turn_path()
        page = client.get(path).text
        while sendable(page) is None:
            ways = [("", order) for order in options(page)] + [(way, "") for way in levels(page)]
            way, order = ways[below(len(ways))]
            if order:
                composed = str(len(table.draft()))
                data = {"do": "add", "order": unescape(order), "composed": composed}
                page = client.post(path, data=data, follow_redirects=True).text
            else:
                page = client.get(path + unescape(way)).text
        form = sendable(page)
        assert form is not None
        assert client.post(form.action, data=form.fields).status_code == 303

    assert table.match.status == OVER
    assert client.get(f"/match/{table.id}/download").status_code == 200


@pytest.mark.whole
@pytest.mark.timeout(400)
def test_no_page_of_one_seat_names_a_card_of_the_other(client: FlaskClient, links: Links) -> None:
    """Eve and the opponent: every hidden card has a name that stands nowhere else."""
    table = Table(client, links, {"deck": canary_deck()})
    below, seen = QuickDice(b"canaries").below, 0
    while table.is_live:
        pages = pages_by_seat(table) if seen % 2 else {}
        hidden = [set(hand) for hand in table.state.hands]
        reserve = set(table.state.reserve) | set(table.state.aftermath)
        for seat, text in pages.items():
            others = [hand for number, hand in enumerate(hidden) if number != seat]
            own_aside = table.state.aftermath[seat : seat + 1] if seat is not None else ()
            for card in set().union(*others, reserve) - set(own_aside):
                assert card not in text.lower(), (seat, card)
        seen += 1
        offered = table.offered()
        table.send(offered[below(len(offered))])

    assert seen > 20


def pages_by_seat(table: Table) -> dict[int | None, str]:
    """All that a seat can look at, by the links it has; None is everybody."""
    client, turn, match = table.client, table.turn, table.match
    path, order = table.turn_path(), table.offered()[0]
    pages: dict[int | None, str] = {
        turn.seat: "".join(
            client.get(address).text
            for address in (
                path,
                table.order_path(order),
                f"{path}/preview?order={order.replace(' ', '+')}",
                f"/api/v1/turn/{table.turn_token()}",
            )
        ),
        1 - turn.seat: client.get(table.seat_path(1 - turn.seat)).text,
    }
    wrong = client.post(path, data={"do": "orders", "orders": "play zq99canary s18"}).text
    pages[turn.seat] += wrong
    pages[None] = (
        client.get(f"/match/{match.id}").text + client.get(f"/api/v1/match/{match.id}").text
    )
    return pages


def test_at_the_end_the_page_of_the_last_turn_says_who_won(table: Table) -> None:
    with store.connected():
        last = table.turn
        play_to_the_end(table.id, NOW)
    page = table.client.get(table.turn_path(last))

    assert page.status_code == 200
    assert "Die Partie ist beendet" in page.text
