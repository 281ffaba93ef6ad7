"""One press stops what it says: in a mail program, or on the page behind the link of a footer."""

from __future__ import annotations

import pytest
from flask import Flask

from pbem.db import store
from pbem.db.store import execute
from pbem.links import Links, Purpose, YouLink
from pbem.services.players import seat_alerts
from pbem.services.records.player_rows import get_player
from tests.pbem.visiting import NOW, everything
from tests.services.people import sit_down

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
STOPPED: dict[Purpose, tuple[bool, bool, int | None, list[str]]] = {
    "mute": (False, False, None, []),
    "hush": (True, True, 7, []),
}
"""News, reminders, the hour of the daily letter, alerts about free seats: as they are after it."""


@pytest.mark.parametrize("purpose", STOPPED)
def test_one_press_stops_what_it_says(app: Flask, links: Links, purpose: Purpose) -> None:
    client = app.test_client()
    with store.connected():
        ann = sit_down(NOW).ann
        execute("UPDATE player SET digest_hour = 7 WHERE id = ?", ann)
        seat_alerts.choose(ann, ["iron_curtain"])
        path = f"/{purpose}/{links.sign(purpose, YouLink(ann, get_player(ann).epoch))}"
    before = everything()
    assert client.get(path).status_code == 200
    assert everything() == before
    for _ in range(2):
        answer = client.post(path, data=ONE_CLICK)
        assert answer.status_code == 200
    with store.connected():
        left = get_player(ann)
        alerts = list(seat_alerts.games_of(ann))
    assert (left.news, left.reminders, left.digest_hour, alerts) == STOPPED[purpose]


def test_the_page_names_all_that_stops(app: Flask, links: Links) -> None:
    with store.connected():
        ann = sit_down(NOW).ann
    page = app.test_client().get(f"/mute/{links.sign('mute', YouLink(ann, NOW))}").text
    for word in ("reminders", "news", "messages", "free seats"):
        assert word in page.split("<form")[0]
