"""A match with too many steps for one page, played again: turn by turn, and turns step by step."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.services.records.match_rows import OVER, get_match
from pbem.web.watching import replay
from tests.mail import campaign
from tests.pbem.visiting import NOW
from tests.pbem.web.watching.test_replay import reel, stages

pytestmark = pytest.mark.whole

PAGE = f"/match/{campaign.MATCH}/replay"
MOST_BYTES = 1_000_000


@pytest.fixture
def over(client: FlaskClient) -> FlaskClient:
    """The recorded campaign, in which Western Europe says something in advance."""
    replay.packed_frames.cache_clear()
    with store.connected():
        campaign.begin(NOW)
        list(campaign.played(campaign.from_file(), lambda: NOW))
        assert get_match(campaign.MATCH).status == OVER
    return client


def test_it_is_shown_turn_by_turn_and_each_turn_step_by_step(over: FlaskClient) -> None:
    page = over.get(PAGE)
    kept = reel(page.text)
    assert len(page.data) < MOST_BYTES
    assert kept["turns"] == [0, *range(13)]
    assert "There are 366 steps, too many for one page" in page.text
    assert len(set(stages(page.text))) == len(kept["numbers"])
    assert "Turkey taken from Western Europe" in unescape(kept["told"][2])
    one = over.get(f"{PAGE}?turn=1")
    assert len(one.data) < MOST_BYTES
    steps = reel(one.text)["numbers"]
    assert steps == list(range(kept["numbers"][1] + 1, kept["numbers"][2] + 1))
    assert "too many" not in one.text


def test_the_steps_between_the_ends_of_turns_are_fetched_in_parts(over: FlaskClient) -> None:
    page = reel(over.get(PAGE).text)
    size, address = page["parts"]["size"], page["parts"]["address"]
    assert len(page["steps"]) == 366
    for number in (0, 7, 15):
        answer = over.get(address.replace("/part/0", f"/part/{number}"))
        assert answer.json is not None and len(answer.data) < MOST_BYTES
        assert answer.json["numbers"] == page["steps"][size * number : size * (number + 1)]


def test_parts_of_the_map_are_links_that_keep_turn_and_eyes(over: FlaskClient) -> None:
    page = over.get(f"{PAGE}?turn=2&zoom=europe&eyes=uk").text
    zooms = re.findall(r'<nav class="zooms".*?</nav>', page, re.DOTALL)[0]
    assert 'aria-current="true">Europe</a>' in zooms
    assert "eyes=uk&amp;zoom=africa&amp;turn=2" in zooms
    assert over.get(f"{PAGE}?turn=2&zoom=moon&eyes=uk").data == (
        over.get(f"{PAGE}?turn=2&eyes=uk").data
    )


def test_what_a_seat_had_said_in_advance_is_seen_with_its_eyes(over: FlaskClient) -> None:
    order = "standing ask west-germany on"
    for eyes, is_seen in (("", False), ("usa", False), ("we", True), ("all", True)):
        shown = stages(over.get(f"{PAGE}?turn=7&zoom=australia&eyes={eyes}").text)
        assert any(order in stage for stage in shown) == is_seen, eyes
