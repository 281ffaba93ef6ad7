"""Letters of a game whose board is too large for them: short, with a picture, and no secrets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.standing import Standing
from pbem.db import store
from pbem.mail import pictures
from pbem.mail.mailbox_folder import MailboxTransport, list_letters, read_letter
from pbem.mail.parcels import Parcel
from pbem.services.letters import briefed, composing, outbox
from pbem.services.letters.claims import claim
from pbem.services.letters.kinds import registry
from pbem.services.match import match_log, turns
from pbem.services.records.match_rows import MatchRecord, get_match, open_turns
from tests.mail import campaign
from tests.mail.posting import WORKER, Bag, html_of, office_with, opened, pictures_of, text_of
from tests.services.people import NOW
from tests.services.powers import four_people

pytestmark = pytest.mark.whole

LARGEST = 100_000
IMAGE = re.compile(r'<img src="([^"]+)" alt="([^"]+)"')


def of_the_campaign(named: dict[str, EmailMessage]) -> dict[str, EmailMessage]:
    found = {name: letter for name, letter in named.items() if name.startswith("campaign_")}
    assert len(found) == 14
    return found


def test_every_letter_is_small_with_the_map_in_it(named: dict[str, EmailMessage]) -> None:
    for name, letter in of_the_campaign(named).items():
        assert len(letter.as_bytes()) < LARGEST, name
        if letter["X-PBEM-Kind"] in ("moved", "receipt"):  # they ask for nothing
            assert not IMAGE.findall(html_of(letter)) and not pictures_of(letter), name
            continue
        ((shown, words),) = IMAGE.findall(html_of(letter))
        (png,) = pictures_of(letter).values()
        assert list(pictures_of(letter)) == [shown], name
        assert png.startswith(b"\x89PNG"), name
        assert re.match(r"(Map|Karte|Carte)", words) and words.endswith("."), name


def test_a_turn_letter_is_no_longer_than_a_few_screens(named: dict[str, EmailMessage]) -> None:
    for name, letter in of_the_campaign(named).items():
        if letter["X-PBEM-Kind"] == "turn":
            assert len(text_of(letter).splitlines()) <= 145, name
            assert html_of(letter).count("/o/") == text_of(letter).count("/o/") <= 6, name


def test_what_is_asked_in_the_middle_of_a_turn_has_links(named: dict[str, EmailMessage]) -> None:
    assert text_of(named["campaign_inquiry"]).count("https://play.example/o/") == 3


def test_a_turn_that_goes_on_tells_its_battles_from_the_beginning(
    named: dict[str, EmailMessage],
) -> None:
    text = text_of(named["campaign_turn_after_inquiry"])
    assert "How your turn went on:" in text
    assert "West Germany taken from Western Europe (19 against 15)." in text


# --- a match -------------------------------------------------------------------------------------


@pytest.fixture
def begun(stored: str) -> Iterator[tuple[Seat, int, str]]:
    """Stops of the campaign, one after the other; each time the letters wait."""
    campaign.begin(NOW)
    return campaign.played(campaign.from_file(), lambda: NOW)


def up_to(begun: Iterator[tuple[Seat, int, str]], stop: tuple[str, int, str]) -> None:
    """The letters of the last step before a stop wait; all others are sent."""
    office = office_with(Bag())
    for here in begun:
        if here == stop:
            return
        outbox.drain(office, WORKER, NOW, stopwatch=lambda: 0.0)


def test_a_picture_is_drawn_once_for_all_who_see_the_same(
    begun: Iterator[tuple[Seat, int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    up_to(begun, ("we", 1, "intelligence"))
    drawn = list[tuple[str, int]]()
    rastered = pictures._rastered

    def counting(svg: str, width: int) -> bytes:
        drawn.append((svg, width))
        return rastered(svg, width)

    monkeypatch.setattr(pictures, "_rastered", counting)
    pictures.png.cache_clear()
    match = get_match(campaign.MATCH)
    state = match_log.current(match)
    view = match.game.view(state, Seat("we"))
    first, *others = (briefed.board(match.game, view, None, "en").picture for _ in range(4))
    assert first is not None and others == [first] * 3
    assert 0 < len(drawn) == len(set(drawn))


def test_a_letter_goes_without_a_picture_that_cannot_be_drawn(
    begun: Iterator[tuple[Seat, int, str]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    up_to(begun, ("we", 1, "intelligence"))

    def broken(svg: str, width: int) -> bytes:
        raise ModuleNotFoundError("resvg_py")

    monkeypatch.setattr(pictures, "_rastered", broken)
    pictures.png.cache_clear()
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    pictures.png.cache_clear()
    assert {str(letter["X-PBEM-Kind"]) for letter in bag.letters} == {"turn", "receipt", "moved"}
    for letter in bag.letters:
        assert pictures_of(letter) == {}
        assert "<img" not in html_of(letter)
        assert "Europe" in html_of(letter)
    assert "picture not drawn error=ModuleNotFoundError" in caplog.text


SECRET = Standing(losses={"france": ("fighter",)}, asks=("italy",))


def told_apart(
    begun: Iterator[tuple[Seat, int, str]], monkeypatch: pytest.MonkeyPatch
) -> Counter[tuple[str, bool]]:
    """All letters of a round in two worlds, which differ only in what others say in advance.

    By kind, and whether the bytes of both are the same.
    """
    office, compared, was = office_with(Bag()), Counter[tuple[str, bool]](), match_log.state_at
    for _, round, _ in begun:
        if round == 2:
            break
        for letter in claim(WORKER, NOW):
            if not registry.is_current(letter):
                continue
            reader = Seat(str(letter.facts.seat_name))

            def other(match: MatchRecord, seq: int | None = None, reader: Seat = reader) -> Any:
                state = was(match, match.head_seq if seq is None else seq)
                own = {reader: state.standing[reader]} if reader in state.standing else {}
                others = {seat: SECRET for seat in campaign.PLAYERS if seat != reader}
                return replace(state, standing={**others, **own})

            real = composing.build(office, letter, NOW)
            with monkeypatch.context() as world:
                world.setattr(match_log, "state_at", other)
                world.setattr(match_log, "current", other)
                compared[letter.kind, composing.build(office, letter, NOW) == real] += 1
        store.execute("UPDATE outbox SET state = 'sent'")
    return compared


def test_what_others_say_in_advance_changes_no_byte(
    begun: Iterator[tuple[Seat, int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = told_apart(begun, monkeypatch)
    assert {same for _, same in compared} == {True}
    assert compared["turn", True] >= 5
    assert compared["moved", True] >= 5
    assert compared["receipt", True] >= 3


def test_the_comparison_would_notice_a_leak(
    begun: Iterator[tuple[Seat, int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with a game that shows everybody the plans of Western Europe."""
    honest = EastAndWest.view
    monkeypatch.setattr(EastAndWest, "view", lambda self, state, _: honest(self, state, Seat("we")))
    compared = told_apart(begun, monkeypatch)
    assert compared["turn", False] and compared["moved", False] and compared["receipt", False]


# --- the folder while developing -----------------------------------------------------------------


def test_the_mailbox_shows_a_letter_with_its_picture(
    named: dict[str, EmailMessage], tmp_path: Path
) -> None:
    raw = named["campaign_turn"].as_bytes()
    list(MailboxTransport(tmp_path).deliver([Parcel("a@x.y", "b@x.y", raw)]))
    (listed,) = list_letters(tmp_path)
    letter = read_letter(tmp_path, listed.name)
    assert letter is not None
    assert letter.text == text_of(opened(raw))
    assert '<img src="data:image/png;base64,' in letter.html
    assert "cid:" not in letter.html


def test_pictures_leave_room_for_the_words() -> None:
    assert briefed.MOST_PICTURE * 4 / 3 * 78 / 76 < LARGEST - 25_000


def test_news_of_a_turn_tells_all_of_it_though_it_came_in_pieces(stored: str) -> None:
    match, office = four_people(NOW), office_with(Bag())
    for piece in (
        ["done"],
        ["done"],
        ["move east-germany west-germany 10 infantry 2 armor 1 fighter", "done"],
        ["done"],
    ):
        outbox.drain(office, WORKER, NOW, stopwatch=lambda: 0.0)
        (turn,) = open_turns(match)
        assert turn.seat == 0
        turns.submit(turn.id, piece, NOW)
    waiting = [letter for letter in claim(WORKER, NOW) if letter.kind == "moved"]
    assert [letter.seat for letter in waiting] == [2, 3]
    for letter in waiting:
        assert "West Germany" in told_in(opened(composing.build(office, letter, NOW)))


def told_in(letter: EmailMessage) -> str:
    """What has happened, without the board below it."""
    told, _, _ = text_of(letter).partition("Waiting for")
    return told
