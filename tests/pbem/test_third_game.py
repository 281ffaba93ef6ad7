"""A game that the service has never heard of, hosted as it is: tests/games/stones.

Invited, played from letters, drawn, narrated, exported, verified and rehearsed; neither the service
nor its templates have a line for it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from engine.abilities import Alliances, DeckProofs, Forecasts, OwnDecks, StandingOrders
from engine.registry import GAMES
from pbem import cli
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.letters import delivery
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import match_log
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import requests
from tests.e2e.reader import Form, Page, links_in
from tests.games.stones.game import RED, Stones
from tests.mail.posting import Bag, files_of, html_of, text_of
from tests.pbem.visiting import Clock
from tests.services.people import ANN, BOB

GAME = Stones()
VERIFIER = Path(cli.__file__).parents[1] / "static" / "verify_match.py"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in the registry; before the app is made."""
    monkeypatch.setitem(GAMES, GAME.name, GAME)


class Correspondence:
    """Ann and Bob with their letters: each is read when it comes and answered by its links."""

    def __init__(self, client: FlaskClient, office: MailSettings, bag: Bag, clock: Clock) -> None:
        self.client, self.office, self.bag, self.clock = client, office, bag, clock
        self.read = 0
        self.match = ""
        self.letters: dict[tuple[str, str], list[EmailMessage]] = {}
        """By kind and address."""

    def start(self) -> None:
        """Fill in the long form."""
        form = next(f for f in self.page("/start").forms if f.value("game") == GAME.name)
        self.send(form, address=ANN, opponent=BOB, name="Ann", phrase="from ann")

    def answer(self, plays: bool) -> bool:
        """Read every letter that has come, and answer it; whether there was one."""
        with store.connected():
            requests.answer_all(self.clock.now)
            delivery.drain(self.office, "tester", self.clock.now)
        fresh = self.bag.letters[self.read :]
        self.read += len(fresh)
        for letter in fresh:
            text, kind, address = text_of(letter), str(letter["X-PBEM-Kind"]), str(letter["To"])
            self.letters.setdefault((kind, address), []).append(letter)
            self.match = str(letter["X-PBEM-Match"] or self.match)
            if kind == "confirm":
                self.press(links_in(text, "/confirm/")[0])
            elif kind == "invitation":
                self.press(links_in(text, "/join/")[0], do="accept", language="de")
            elif kind == "turn" and plays:
                self.play(address)
        return bool(fresh)

    def play(self, address: str) -> None:
        """By the link of one order, then on the page of the turn as long as more is asked."""
        text, self.clock.now = text_of(self.newest("turn", address)), self.clock.now + 60
        self.press(links_in(text, "/o/")[1])
        while any(form.id == "orders" for form in self.page(turn_link(text)).forms):
            offered = [f for f in self.page(turn_link(text)).forms if f.value("do") == "add"]
            self.send(offered[0], **dict(offered[0].buttons[-1:]))
            ready = [f for f in self.page(turn_link(text)).forms if f.value("do") == "submit"]
            self.send(ready[0])

    def newest(self, kind: str, address: str) -> EmailMessage:
        return self.letters[kind, address][-1]

    def page(self, url: str) -> Page:
        answer = self.client.get(urlsplit(url).path)
        assert answer.status_code == 200, answer.text
        return Page(url, answer.text)

    def press(self, url: str, **filled: str) -> None:
        """Follow a link and send the form it shows."""
        self.send(next(f for f in self.page(url).forms if f.method == "post"), **filled)

    def send(self, form: Form, **filled: str) -> None:
        answer = self.client.post(urlsplit(form.action).path, data={**dict(form.fields), **filled})
        assert answer.status_code in (200, 303), answer.text


@pytest.fixture
def asked(app: Flask, config: Config, clock: Clock) -> Correspondence:
    """Invited and accepted by letters; both have the letter with their first turn."""
    bag = Bag()
    links = Links(config.secret_keys, config.base_url)
    office = MailSettings(links, "pbem@play.example", "play.example", b"key", bag, lambda: 0.5)
    people = Correspondence(app.test_client(), office, bag, clock)
    people.start()
    while people.answer(plays=False):
        pass
    return people


@pytest.fixture
def finished(asked: Correspondence) -> Correspondence:
    """The match played to its end, by links in letters alone."""
    for address in (ANN, BOB):
        asked.play(address)
    while asked.answer(plays=True):
        pass
    return asked


def turn_link(letter: str) -> str:
    (link,) = [url for url in links_in(letter, "/t/") if "?" not in url]
    return link


def download(people: Correspondence, folder: Path) -> Path:
    answer = people.client.get(f"/match/{people.match}/download")
    assert answer.status_code == 200
    file = folder / "stones.json"
    file.write_bytes(answer.data)
    return file


def test_the_game_has_no_ability_beyond_the_promises() -> None:
    for ability in (Alliances, DeckProofs, Forecasts, OwnDecks, StandingOrders):
        assert not isinstance(GAME, ability)


def test_the_invitation_introduces_the_game(asked: Correspondence) -> None:
    invitation = text_of(asked.newest("invitation", BOB))
    assert GAME.say(GAME.about()[0]) in " ".join(invitation.split())


def test_the_first_letter_seals_the_secret_and_proves_no_deck(asked: Correspondence) -> None:
    with store.connected():
        commitment = get_match(asked.match).commitment
    for address in (ANN, BOB):
        letter = asked.newest("turn", address)
        (proofs,) = files_of(letter).values()
        assert commitment in text_of(letter)
        assert commitment in proofs
        assert "deck" not in proofs and "Stapel" not in proofs


def test_both_are_asked_at_once_and_each_in_the_own_language(asked: Correspondence) -> None:
    for_ann, for_bob = (asked.newest("turn", address) for address in (ANN, BOB))
    assert "Red is to hide one, two or three stones." in text_of(for_ann)
    assert "Rot versteckt ein, zwei oder drei Steine." in text_of(for_bob)
    assert "<pre>Runde 1 von 3" in html_of(for_bob)


def test_the_turn_page_draws_and_narrates_it(asked: Correspondence) -> None:
    turn = turn_link(text_of(asked.newest("turn", ANN)))
    page = asked.page(turn)
    with store.connected():
        view = GAME.view(match_log.current(get_match(asked.match)), RED)
    assert GAME.draw(view) in page.text
    assert all(f"<li>{sentence}</li>" in page.text for sentence in GAME.narrate(view).splitlines())
    policy = asked.client.get(urlsplit(turn).path).headers["Content-Security-Policy"]
    style = base64.b64encode(hashlib.sha256(GAME.style.encode()).digest()).decode()
    assert f"'sha256-{style}'" in policy


def test_a_hidden_number_reaches_nobody_else_before_the_throw(asked: Correspondence) -> None:
    turns = {a: turn_link(text_of(asked.newest("turn", a))) for a in (ANN, BOB)}
    asked.press(links_in(text_of(asked.newest("turn", ANN)), "/o/")[1])

    assert "You have hidden 2." in asked.page(turns[ANN]).text
    seen = asked.page(turns[BOB]).text
    public = asked.page(f"/match/{asked.match}").text
    assert "Rot hat Steine versteckt." in seen and "Red has hidden some stones." in public
    for page in (seen, public):
        assert not re.search(r"hidden \d|\d versteckt|<circle", page)


def test_the_match_comes_to_its_end_by_letters_alone(finished: Correspondence) -> None:
    with store.connected():
        record = get_match(finished.match)
        outcome = GAME.outcome(match_log.current(record))
        log = match_log.entries(record.id)
    assert record.status == "over" and outcome is not None
    assert [entry.kind for entry in log] == ["setup", *["action"] * 6]
    throws = [(draw.kind, draw.size) for entry in log for draw in entry.draws]
    assert throws == [("roll", 6)] * 3
    assert GAME.say(outcome.reason) in text_of(finished.newest("finished", ANN))
    assert GAME.say(outcome.reason, "de") in text_of(finished.newest("finished", BOB))


def test_the_download_is_right_for_both_programs(finished: Correspondence, tmp_path: Path) -> None:
    file = download(finished, tmp_path)
    match = json.loads(file.read_bytes())
    assert (match["game"], match["seats"], match["reason"]) == ("stones", ["red", "blue"], "rules")
    assert not match.get("decks")
    checked = CliRunner().invoke(cli.pbem, ["verify", str(file)])
    assert checked.exit_code == 0 and "every shuffle, throw and step is right" in checked.output
    alone = [sys.executable, "-I", str(VERIFIER), str(file)]
    assert subprocess.run(alone, capture_output=True).returncode == 0


def another_order(match: dict[str, Any]) -> None:
    match["entries"][1]["text"] = "hide 3"


def another_throw(match: dict[str, Any]) -> None:
    (draw,) = match["entries"][2]["draws"]
    draw["result"] = [7 - draw["result"][0]]


@pytest.mark.parametrize("forge", [another_order, another_throw])
def test_a_forged_download_is_refused_by_both_programs(
    finished: Correspondence, tmp_path: Path, forge: Callable[[dict[str, Any]], None]
) -> None:
    file = download(finished, tmp_path)
    match = json.loads(file.read_bytes())
    forge(match)
    file.write_text(json.dumps(match))
    assert CliRunner().invoke(cli.pbem, ["verify", str(file)]).exit_code == 1
    alone = [sys.executable, "-I", str(VERIFIER), str(file)]
    assert subprocess.run(alone, capture_output=True).returncode == 1


def test_operators_export_and_rehearse_it(
    finished: Correspondence, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_DATABASE_URL", config.database_url)
    monkeypatch.setenv("PBEM_SECRET_KEYS", config.secret_keys[0].replace(" ", "-"))
    exported = CliRunner().invoke(
        cli.pbem, ["match", "export", finished.match, str(tmp_path / "f")]
    )
    assert exported.exit_code == 0, exported.output
    assert (tmp_path / "f").read_bytes() == download(finished, tmp_path).read_bytes()
    rehearsed = CliRunner().invoke(cli.pbem, ["replay-check"])
    assert rehearsed.exit_code == 0, rehearsed.output
    assert (
        "matches replayed: 1; entries: 7; matches that do not fit these rules: 0"
        in rehearsed.output
    )


def test_its_pages_stand_beside_those_of_the_other_games(finished: Correspondence) -> None:
    over = finished.page(f"/match/{finished.match}").text
    assert "<svg" in over and "The match is over." in over
    replayed = finished.client.get(f"/match/{finished.match}/replay?eyes=all").text
    assert 'id="frames"' in replayed and "Next step" in replayed
    assert "Next turn" not in replayed, "this game has no turns to look back on"
    asked = finished.client.get(f"/match/{finished.match}/replay?turn=1")
    assert asked.status_code == 404 and "no turns to choose from" in asked.text
    rules = finished.page("/rules/stones").text
    assert "unseen by the other" in rules
    assert "Stones" in finished.page("/").text
