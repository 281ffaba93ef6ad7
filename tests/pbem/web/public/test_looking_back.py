"""The public page of a match with turns, battles and figures to look back on."""

from __future__ import annotations

import re
from html import unescape
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.abilities import Chronicles
from engine.registry import GAMES
from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, link_orders, match_log, messages, turns
from pbem.services.match.turns import held
from pbem.services.records.match_rows import OVER, get_match, open_turns
from pbem.web.public import looking_back
from tests.mail import campaign
from tests.pbem.table import Table
from tests.pbem.visiting import NOW
from tests.services.people import play_to_the_end
from tests.services.powers import UK, WE

pytestmark = pytest.mark.whole

PAGE = f"/match/{campaign.MATCH}"
LAST = 12
"""Four powers, three rounds."""


def played(until: int) -> None:
    """The recorded campaign by the stand-in player, up to a round."""
    with store.connected():
        campaign.begin(NOW)
        given = campaign.from_file()
        course = campaign.played(given, lambda: NOW)
        for seat, round, _asked in course:
            if round >= until and seat == "we":
                return


@pytest.fixture
def over(client: FlaskClient) -> FlaskClient:
    played(99)
    with store.connected():
        assert get_match(campaign.MATCH).status == OVER
    return client


@pytest.fixture
def live(client: FlaskClient) -> FlaskClient:
    """It is the turn of Western Europe in the second round."""
    played(2)
    return client


def text(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return unescape(answer.text)


def titles(page: str) -> list[str]:
    return re.findall(r'<li value="\d+"><a href="[^"]*"[^>]*>([^<]*)</a>', page)


def numbered(page: str, key: str) -> list[list[tuple[float, float]]]:
    """The lines of a plot, as points."""
    (plot,) = re.findall(rf'plot-{key}-title">.*?</svg>', page, re.DOTALL)
    return [
        [(float(x), float(y)) for x, y in (point.split(",") for point in line.split())]
        for line in re.findall(r'points="([^"]*)"', plot)
    ]


# --- turns ----------------------------------------------------------------------------------------


def test_every_turn_has_its_map_by_a_plain_link(over: FlaskClient) -> None:
    page = text(over, PAGE)
    assert titles(page)[:3] == ["The mobilisation", "Round 1: USSR", "Round 1: Western Europe"]
    assert len(titles(page)) == LAST + 1
    assert f'max="{LAST}" value="{LAST}"' in page
    maps = set[str]()
    for number in range(LAST + 1):
        shown = text(over, f"{PAGE}?turn={number}")
        assert f'data-turn="{number}">{titles(page)[number]}<' in shown
        assert (f'rel="prev" href="{PAGE}?turn={number - 1}#past"' in shown) == (number > 0)
        assert (f'rel="next" href="{PAGE}?turn={number + 1}#past"' in shown) == (number < LAST)
        maps.add(re.findall(r'<div class="map">(.*?)</svg>', shown, re.DOTALL)[0])
    assert len(maps) == LAST + 1


def test_a_part_of_the_map_stays_chosen_from_turn_to_turn(over: FlaskClient) -> None:
    zoom = get_zoom()
    page = text(over, f"{PAGE}?turn=3&zoom={zoom}")
    assert f'rel="next" href="{PAGE}?turn=4&zoom={zoom}#past"' in page
    assert f'<input type="hidden" name="zoom" value="{zoom}">' in page
    assert page != text(over, f"{PAGE}?turn=3")


def get_zoom() -> str:
    with store.connected():
        return get_match(campaign.MATCH).game.zooms()[1].key  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    "turn", ["13", "-1", "x", "1.5", "9" * 5_000, "٣", "%00", "' OR 1=1 --", "<script>"]
)
def test_a_turn_that_is_not_there_is_answered_with_those_there_are(
    live: FlaskClient, turn: str
) -> None:
    answer = live.get(PAGE, query_string={"turn": turn})
    assert answer.status_code == 404
    assert "turns have numbers from 0 to 5" in answer.text
    assert 'data-turn="5"' in answer.text
    assert "<script>" not in answer.text
    assert live.get(f"{PAGE}/turn", query_string={"turn": turn}).status_code == 404


@pytest.mark.parametrize("zoom", ["moon", "x" * 5_000, '"><script>', "\x00"])
def test_a_part_that_is_none_is_the_whole(live: FlaskClient, zoom: str) -> None:
    answer = live.get(PAGE, query_string={"zoom": zoom})
    assert answer.status_code == 200
    plain = live.get(PAGE)
    assert answer.data == plain.data


def test_the_part_for_the_script_is_the_part_of_the_page(live: FlaskClient) -> None:
    part = text(live, f"{PAGE}/turn?turn=3").strip()
    assert part.startswith('<h3 class="away" data-turn="3">')
    assert part in text(live, f"{PAGE}?turn=3")


def test_a_turn_that_is_on_says_so(live: FlaskClient) -> None:
    with store.connected():
        (turn,) = open_turns(campaign.MATCH)
        turns.submit(turn.id, ["done"], NOW)
    assert "this turn is not over" in text(live, PAGE)
    assert "this turn is not over" not in text(live, f"{PAGE}?turn=5")


def test_turns_that_were_taken_back_are_not_shown(live: FlaskClient) -> None:
    before = text(live, PAGE)
    with store.connected():
        match = get_match(campaign.MATCH)
        back = next(
            one.entry.seq for one in match_log.played(match, -1) if one.state.board.turn_number == 3
        )
        turns.rewind(campaign.MATCH, back, "moderator", NOW)
    after = text(live, PAGE)
    assert len(titles(before)) == 6
    assert len(titles(after)) == 3


# --- battles --------------------------------------------------------------------------------------


def test_battles_are_told_with_every_die_and_its_number(over: FlaskClient) -> None:
    with store.connected():
        match = get_match(campaign.MATCH)
        log = match_log.all_told(match, -1, match.head_seq)
    dice = [
        (one.entry.seq, match.game.say(event.text))
        for one in log
        for event in one.events
        if {"faces", "hits"} <= set(event.text.params)
    ]
    pages = " ".join(text(over, f"{PAGE}/turn?turn={number}") for number in range(LAST + 1))
    assert len(dice) > 20
    for entry, line in dice:
        assert f">{line}<" in pages, line
        assert f"entry {entry} of the file" in pages


def test_numbers_of_entries_are_not_told_before_the_end(live: FlaskClient) -> None:
    """They would count what seats say in advance."""
    shown = " ".join(text(live, f"{PAGE}?turn={number}") for number in range(6))
    assert "hits: " in shown
    assert "of the file" not in shown
    (step, *_) = re.findall(r'href="([^"]*)">Step \d+</a>', shown)
    assert live.get(step).status_code == 200


# --- figures --------------------------------------------------------------------------------------


def test_plots_follow_the_figures_of_the_game(over: FlaskClient) -> None:
    page = text(over, PAGE)
    with store.connected():
        match = get_match(campaign.MATCH)
        view = match.game.view(match_log.current(match), None)
        figures = match.game.figures(view)  # type: ignore[attr-defined]
    for figure in figures:
        lines = numbered(page, figure.key)
        assert [len(line) for line in lines] == [LAST + 2] * 4
        order = sorted(range(4), key=lambda at: figure.amounts[at])
        heights = [-lines[at][-1][1] for at in order]
        assert heights == sorted(heights)
        for at, amount in enumerate(figure.amounts):
            name = match.game.parties()[at].name.en  # type: ignore[attr-defined]
            assert re.search(rf"{name} from \d+ to {amount}, at most", page)


def test_luck_and_technologies_are_in_tables(over: FlaskClient) -> None:
    page = text(over, PAGE)
    assert "Luck in battles" in page
    assert "hits more than expected" in page
    assert '<th scope="row">Western Europe</th>' in page


@pytest.mark.parametrize(("language", "words"), [("de", "Zug für Zug"), ("fr", "Tour par tour")])
def test_it_speaks_the_language_of_the_visitor(
    live: FlaskClient, language: str, words: str
) -> None:
    page = live.get(PAGE, headers={"Accept-Language": language}).text
    assert words in page


@pytest.mark.parametrize(
    ("count", "most", "kept"),
    [(0, 3, []), (3, 3, [0, 1, 2]), (4, 3, [1, 3]), (400, 100, list(range(3, 400, 4)))],
)
def test_of_many_points_some_are_kept_and_always_the_last(
    count: int, most: int, kept: list[int]
) -> None:
    assert looking_back.thinned(count, most) == kept


def test_no_look_at_a_turn_plays_the_match_again(over: FlaskClient) -> None:
    """What was looked at once is kept, whichever turn is asked for next."""
    game = GAMES["east_and_west"]
    with patch.object(game, "apply", wraps=game.apply) as first:
        text(over, PAGE)
    with store.connected():
        orders = [e for e in match_log.entries(campaign.MATCH) if e.kind == "action"]
    assert first.call_count <= len(orders)
    with patch.object(game, "apply", side_effect=AssertionError):
        for number in range(LAST + 1):
            text(over, f"{PAGE}?turn={number}")
            text(over, f"{PAGE}/turn?turn={number}")


# --- secrecy --------------------------------------------------------------------------------------


def test_a_spectator_cannot_tell_a_world_with_plans_and_talk_from_one_without(
    live: FlaskClient,
) -> None:
    pages = [PAGE, *(f"{PAGE}?turn={n}" for n in range(6)), f"{PAGE}/turn?turn=5"]
    before = [live.get(page) for page in pages]
    assert [answer.status_code for answer in before] == [200] * len(pages)
    with store.connected():
        (turn,) = open_turns(campaign.MATCH)
        with store.writing():
            record, row = held(turn.id)
            drafts.compose(record, row, ["research aircraft"], None, NOW)
        link_orders.say_in_advance(campaign.MATCH, WE, "standing ask france on", NOW)
        messages.say(campaign.MATCH, WE, "Hold the line", NOW, "allies")
        messages.say(campaign.MATCH, UK, "We will", NOW, "we")
    for page, was in zip(pages, before, strict=True):
        assert live.get(page).data == was.data, page


def test_what_was_said_in_advance_is_not_shown_by_later_turns_either(live: FlaskClient) -> None:
    """The states of later turns hold it; a spectator's views of them do not."""
    secret = "Your standing orders and plans"
    with store.connected():
        link_orders.say_in_advance(campaign.MATCH, WE, "standing ask madagascar on", NOW)
        while (turn := open_turns(campaign.MATCH)[0]).seat == WE:
            turns.submit(turn.id, ["done"], NOW)
        match = get_match(campaign.MATCH)
        own = match.game.view(match_log.current(match), match.seat(WE).name)
        assert secret in match.game.render(own), "its own player sees it"
    page = text(live, PAGE)
    assert 'data-turn="6"' in page
    for address in (PAGE, f"{PAGE}/turn?turn=6"):
        assert secret not in text(live, address)


# --- a game of cards ------------------------------------------------------------------------------


def test_iron_curtain_has_turns_boards_and_plots_but_no_battles(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links)
    with store.connected():
        play_to_the_end(table.id, NOW)
        match = get_match(table.id)
        last = match.game.view(match_log.current(match), None)
    page = text(client, f"/match/{table.id}")
    assert titles(page)[0] == "Round 1: who goes first"
    assert "attle" not in page
    assert match.game.draw(last) in client.get(f"/match/{table.id}").text
    assert isinstance(match.game, Chronicles)
    figures = match.game.figures(last)
    assert [figure.key for figure in figures] == ["track", "cubes", "cards", "regions"]
    for figure in figures:
        assert [len(line) for line in numbered(page, figure.key)] == [len(titles(page)) + 1] * 2
    for side, cubes in zip(("USSR", "USA"), figures[1].amounts, strict=True):
        assert re.search(rf"{side} from 1 to {cubes}, at most", page)
    third = client.get(f"/match/{table.id}?turn=3").text
    part = client.get(f"/match/{table.id}/turn?turn=3").text.strip()
    assert part in third and "<svg" in part and "attle" not in part
