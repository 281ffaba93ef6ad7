"""Whole matches in inboxes: one conversation for each match and person, and flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from pbem.db import store
from tests.kit.threads import threads
from tests.mail.inbox import Post, as_seen, duel, many, post_office
from tests.services.people import BOB

pytestmark = pytest.mark.whole


@pytest.fixture(autouse=True)
def _stored(store_url: str) -> Iterator[None]:
    store.open_database(store_url)
    with store.connected():
        yield


@pytest.mark.timeout(300)
@pytest.mark.parametrize("play", [duel, many])
def test_a_match_is_one_conversation_for_each_who_plays(play: Callable[[Post], list[str]]) -> None:
    with post_office() as post:
        for address in play(post):
            about = [one for one in post.inbox(address) if one["X-PBEM-Match"] is not None]
            assert len(about) > 3
            (found,) = threads(about)
            assert found.letter is about[0], "the first letter begins it"
            assert found.depth() == 1, "nothing is indented further and further"
            kinds = Counter(str(one["X-PBEM-Kind"]) for one in about)
            assert kinds["receipt"] == 0, "the page has shown it"
            assert kinds["finished"] == 1
            firsts = [one for one in about if one.get_content_type() == "multipart/mixed"]
            assert len(firsts) == 1, "one letter begins a match"


def test_an_inbox_can_be_read_line_by_line() -> None:
    with post_office() as post:
        duel(post)
        lines = list(as_seen(post.inbox(BOB)))

    assert lines[0].startswith("Conversation 1: ")
    assert all(line.startswith("  pbem | ") for line in lines[1:])
    subjects = [line.split(" | ")[1] for line in lines[1:]]
    assert subjects[:2] == [
        "An invitation to play Iron Curtain",
        "Your first turn: Iron Curtain against Ann, round 1",
    ]
    assert "Ann wrote to you: Iron Curtain" in subjects
    assert "Draw offered by Ann: Iron Curtain" in subjects
    assert subjects[-1].endswith(" against Ann: Iron Curtain")
