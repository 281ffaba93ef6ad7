"""Breaking the glass: all is shown, all are told, it is entered once; and who may not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.chance import QuickDice
from engine.iron_curtain.game import IronCurtain
from pbem.db.store import rows
from pbem.errors import Refused
from pbem.services.match import match_log, matches, turns
from pbem.services.moderation import break_glass
from pbem.services.players import staff_alerts
from pbem.services.records import announcements, audit_log, letter_queue
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.seats import stand_ins
from pbem.services.staff import moderators
from tests.services.moderator_kit import MO as MO_ADDRESS
from tests.services.moderator_kit import OPAL
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, an_order, id_of, wanted
from tests.services.waiting import kinds, newest_letter

MO = ModeratorRecord(1, MO_ADDRESS, "Mo", "moderator", NOW, None, "", "", 0, None, 0)
WHY = "Ann writes that Bob knows her hand"


@pytest.fixture
def match(sitting: Sitting) -> str:
    """In the middle of the match, with something said in advance by Ann."""
    turns.give_any_time(sitting.match, 0, "standing poland use", NOW)
    choice = QuickDice(b"glass")
    for _ in range(8):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW)
    moderators.add(MO_ADDRESS, "moderator", "Mo", NOW)
    moderators.add(OPAL, "operator", "Opal", NOW)
    return sitting.match


def look(match: str, by: ModeratorRecord = MO, reason: str = WHY) -> break_glass.Opened:
    return break_glass.look(by, match, reason, NOW + 1)


def test_it_shows_each_hand_what_was_said_in_advance_and_the_deck(match: str) -> None:
    opened, record = look(match), get_match(match)
    state = match_log.current(record)

    assert [hand.seat for hand in opened.hands] == ["usa", "ussr"]
    for hand in opened.hands:
        assert hand.view == record.game.view(state, hand.seat)
    told = [record.game.say(text) for text in opened.hands[0].told]
    assert [line for line in told if "Auto-answer for Poland" in line]
    assert not [text for text in opened.hands[1].told if "Auto-answer" in text.msgid]
    assert tuple(card.card for card in opened.deck) == IronCurtain().deck(state)
    for card in opened.deck:
        for seat in record.seats:
            is_known = card.place in IronCurtain().known_deck(state, seat.name)
            assert (seat.name in card.known_to) == is_known
    assert {card.known_to for card in opened.deck} > {(), ("usa",)}


def test_it_is_entered_once_and_told_to_players_and_moderators(match: str) -> None:
    before, entries = newest_letter(), audit_log.head().seq
    opened = look(match)

    (entry,) = audit_log.newest(10, subject=f"match {match}")
    assert entry.seq == opened.entry == entries + 1
    assert (entry.actor, entry.act, entry.reason) == (MO.address, "break_glass", WHY)
    assert "looks at all hidden information" in entry.words
    assert kinds(before) == ["moderated", "moderated", "moderator", "moderator"]
    told = rows(
        "SELECT p.address, o.about FROM outbox o JOIN player p ON p.id = o.player_id"
        " WHERE o.id > ? ORDER BY o.id",
        before,
    )
    assert [address for address, _ in told] == [ANN, BOB, MO_ADDRESS, OPAL]
    for _, about in told[:2]:
        letter = msgspec.json.decode(about)
        assert announcements.unpacked(letter["words"]) == break_glass.WORDS
        assert letter["reason"] == WHY
    for _, about in told[2:]:
        letter = msgspec.json.decode(about)
        assert (letter["what"], letter["who"]) == ("break_glass", MO.address)
        assert letter["words"] == f"{match}: {WHY}"


def test_what_is_hidden_goes_nowhere_but_to_the_page(match: str) -> None:
    before, entries = newest_letter(), audit_log.head().seq
    opened = look(match)
    kept = repr(rows("SELECT * FROM outbox WHERE id > ?", before))
    kept += repr(rows("SELECT * FROM audit WHERE seq > ?", entries))

    assert len(opened.deck) == 18
    assert not [card.card for card in opened.deck if card.card in kept.lower()]


def test_each_look_is_an_entry_of_its_own(match: str) -> None:
    before, entries = newest_letter(), audit_log.head().seq
    numbers = [look(match).entry for _ in range(3)]

    assert numbers == [entries + 1, entries + 2, entries + 3]
    assert len(kinds(before)) == 12


def test_it_changes_nothing_in_the_match(match: str) -> None:
    before = get_match(match), rows("SELECT * FROM entry"), rows("SELECT * FROM turn")
    look(match)
    assert (get_match(match), rows("SELECT * FROM entry"), rows("SELECT * FROM turn")) == before


def test_who_sits_there_is_refused(match: str) -> None:
    for address in (ANN, "BOB@example.org", "ann+mod@example.org"):
        _refused(match, MO._replace(address=address))


def test_who_has_held_a_seat_once_is_refused(match: str) -> None:
    loan = stand_ins.lend(match, 1, NOW, NOW + 90_000, EVE, NOW)
    stand_ins.accept(loan, id_of(EVE), NOW)
    stand_ins.give_back(match, 1, NOW)
    _refused(match, MO._replace(address=EVE))


def test_who_has_made_the_match_is_refused(stored: str) -> None:
    made = matches.create(wanted(addresses={"usa": ANN, "ussr": BOB}, creator=EVE, name="Eve"), NOW)
    _refused(made, MO._replace(address=EVE))


def _refused(match: str, by: ModeratorRecord) -> None:
    before, head = newest_letter(), audit_log.head()
    with pytest.raises(Refused, match="you are involved in this match"):
        look(match, by)
    assert (newest_letter(), audit_log.head()) == (before, head)


def test_it_needs_a_reason(match: str) -> None:
    before, head = newest_letter(), audit_log.head()
    for reason in ("", "no", "x" * 501, "be\u202etrayed"):
        with pytest.raises(Refused):
            look(match, reason=reason)
    assert (newest_letter(), audit_log.head()) == (before, head)


def test_only_a_match_that_is_played_has_something_hidden(match: str) -> None:
    forming = matches.create(wanted(), NOW)
    matches.resign(match, 0, NOW)
    for one in (forming, match):
        with pytest.raises(Refused, match="not in progress"):
            break_glass.foresee(get_match(one))
        with pytest.raises(Refused, match="not in progress"):
            look(one)


def test_whatever_fails_nothing_is_shown_and_nothing_left(
    match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    rooms: list[tuple[Any, str]] = [
        (audit_log, "record"),
        (letter_queue, "queue"),
        (staff_alerts, "alert"),
        (match_log, "all_told"),
    ]
    before, head = newest_letter(), audit_log.head()
    for room, what in rooms:
        with monkeypatch.context() as broken, pytest.raises(RuntimeError):
            broken.setattr(room, what, fail)
            look(match)
        assert (newest_letter(), audit_log.head()) == (before, head), what
