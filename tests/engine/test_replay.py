"""A match file: written, read back, audited, and every kind of tampering named."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from engine.audit import OtherRules, audit
from engine.chance import Draw, QuickDice, match_key
from engine.core import IllegalAction, Seat
from engine.log import Entry
from engine.registry import GAMES, game_called
from engine.replay import AuditError, MatchFile, Recorder, linked, read_match, write_match
from engine.terminal.rehearsal import random_order

GAME = GAMES["iron_curtain"]


@pytest.fixture(scope="module")
def finished() -> MatchFile:
    table = Recorder(GAME, {"edition": "de"}, "M-1", b"s" * 32, ["from ann", "from bob"])
    choice = QuickDice(b"replay")
    while waiting := GAME.waiting_on(table.state):
        seat = min(waiting)
        table.play(seat, random_order(GAME, table.state, seat, choice))
    return table.file()


def test_a_finished_match_audits_to_its_result(finished: MatchFile) -> None:
    last = audit(read_match(write_match(finished)))[-1]
    outcome = GAME.outcome(last.state)
    assert outcome is not None
    assert " ".join(outcome.winners) == finished.result
    assert len(finished.decks) == 1
    assert finished.decks[0].leaves == 18


def cut(file: MatchFile, count: int) -> MatchFile:
    """A match left after some entries, as honest as the whole."""
    left = file.entries[:count]
    return replace(file, entries=left, result="", reason="", head=left[-1].hash)


def test_an_unfinished_match_is_sound_where_it_may_be_open(finished: MatchFile) -> None:
    refuse(cut(finished, 9), "entry 8: the match is not over with the last entry")
    moments = audit(cut(finished, 9), may_be_open=True)
    assert len(moments) == 9
    assert GAME.outcome(moments[-1].state) is None


def refuse(file: MatchFile, words: str) -> None:
    with pytest.raises(AuditError, match=words):
        audit(file)


def swapped(file: MatchFile, seq: int, **change: Any) -> MatchFile:
    entries = list(file.entries)
    entries[seq] = replace(entries[seq], **change)
    return replace(file, entries=tuple(entries))


def test_another_secret_does_not_fit_the_commitment(finished: MatchFile) -> None:
    refuse(replace(finished, secret="00" * 32), "does not fit the commitment")
    for spelling in ("not hex", "", finished.secret.upper() + "A0", f" {finished.secret}"):
        refuse(replace(finished, secret=spelling), "hexadecimal")


def test_another_phrase_gives_another_shuffle(finished: MatchFile) -> None:
    refuse(replace(finished, phrases=("from ann", "from eve")), "entry 0: its draws are not")


def test_another_shuffle_is_found(finished: MatchFile) -> None:
    order = finished.entries[0].draws[0].result
    forged = Draw("shuffle", "1", 18, (order[1], order[0], *order[2:]))
    refuse(swapped(finished, 0, draws=(forged,)), "entry 0: its draws are not what the secret")


def test_draws_that_are_missing_too_many_or_doubled_are_found(finished: MatchFile) -> None:
    (shuffle,) = finished.entries[0].draws
    refuse(swapped(finished, 0, draws=()), r"entry 0 \(setup\): shuffle '1' is not in the log")
    refuse(swapped(finished, 0, draws=(shuffle, shuffle)), "entry 0 .*never asked for")
    roll = Draw("roll", "luck", 6, (6,))
    refuse(swapped(finished, 3, draws=(roll,)), "entry 3 .*roll 'luck' was never asked for")


def test_an_order_that_was_not_possible_is_named(finished: MatchFile) -> None:
    other = "usa" if finished.entries[2].actor == "ussr" else "ussr"
    refuse(swapped(finished, 2, actor=other), r"entry 2 \(play .*not for you")
    refuse(swapped(finished, 2, text="play europe s19"), "entry 2 .*you do not hold europe")
    refuse(swapped(finished, 2, text="?"), "entry 2 .*is no order")


def test_a_missing_or_moved_entry_is_named(finished: MatchFile) -> None:
    entries = finished.entries
    refuse(replace(finished, entries=(*entries[:4], *entries[5:])), "entry 5 stands at place 4")
    refuse(replace(finished, entries=()), "holds no entry")
    again = Entry(len(entries), "setup")
    refuse(replace(finished, entries=(*entries, again)), "only there")


def test_another_root_or_size_of_the_deck_is_found(finished: MatchFile) -> None:
    (deck,) = finished.decks
    refuse(replace(finished, decks=(replace(deck, root="00" * 32),)), "does not fit the root")
    refuse(replace(finished, decks=(replace(deck, leaves=17),)), "has 18 cards, 17 were published")
    wrong = replace(deck, timeline=3)
    refuse(replace(finished, decks=(deck, wrong)), "deck 1 was never shuffled in timeline 3")
    wrong = replace(deck, deck="2")
    refuse(replace(finished, decks=(deck, wrong)), "deck 2 was never shuffled in timeline 0")


def test_the_root_of_a_deck_that_was_dealt_must_be_there_once(finished: MatchFile) -> None:
    (deck,) = finished.decks
    for decks in ((), (replace(deck, deck="2"),), (deck, deck)):
        refuse(replace(finished, decks=decks), "entry 0: the file must show the root of deck 1")


def test_cards_shown_in_another_order_than_dealt_are_found(finished: MatchFile) -> None:
    (deck,) = finished.decks
    first, second, *rest = deck.cards
    for cards in ((second, first, *rest), deck.cards[:-1], (*deck.cards, first), ()):
        refuse(replace(finished, decks=(replace(deck, cards=cards),)), "in another order than")


def test_another_rules_version_is_another_match(finished: MatchFile) -> None:
    refuse(replace(finished, rules_version=99), "entry 0: its hash does not fit")


def of_version(version: int) -> MatchFile:
    """A match of East & West that was given up, as a server with that version wrote it."""
    game, seats = game_called("east_and_west"), ["", "", "", ""]
    with patch.object(type(game), "rules_version", version):
        played = Recorder(game, {}, "at home", b"s" * 32, seats).file()
    result = " ".join(seat for seat in played.seats if seat != "uk")
    log = (*played.entries, Entry(1, "resign", "uk", "resign", result=result))
    ended = replace(played, entries=log, result=result, reason="resignation")
    return linked(ended, match_key("at home", b"s" * 32, seats))


def test_a_file_whose_orders_are_right_in_both_versions_is_right() -> None:
    assert len(audit(of_version(1))) == 2


def test_a_file_from_before_battles_went_by_the_alphabet_is_not_called_forged() -> None:
    """Its dice are in the order of the moves; no entry of it is wrong, the rules are others."""
    file = of_version(1)
    game = type(game_called("east_and_west"))
    with (
        patch.object(game, "new_game", side_effect=IllegalAction("it is set up otherwise")),
        pytest.raises(OtherRules, match="need version 1 of the rules of .*has version 3"),
    ):
        audit(file)


def test_what_is_wrong_in_any_version_is_named_first() -> None:
    file = of_version(1)
    forged = replace(file, entries=(file.entries[0], replace(file.entries[1], at="later")))
    for wrong, words in (
        (forged, "entry 1: its hash does not fit"),
        (replace(file, entries=file.entries[1:]), "entry 0: one is missing or moved"),
        (replace(file, head=""), "the head of the file is not the hash"),
        (replace(file, result="usa"), "it does not say how the match ends"),
    ):
        with pytest.raises(AuditError, match=words) as error:
            audit(wrong)
        assert not isinstance(error.value, OtherRules)


def test_a_change_of_rules_names_a_version(finished: MatchFile) -> None:
    log = (*finished.entries, Entry(len(finished.entries), "rules", "moderator", "two"))
    with pytest.raises(AuditError, match="it names no version of the rules"):
        read_match(write_match(replace(finished, entries=log)))


def test_a_rewind_goes_back_and_opens_a_new_timeline(finished: MatchFile) -> None:
    entries = finished.entries
    second = entries[2]
    log = (
        *entries[:4],
        Entry(4, "rewind", "moderator", "1"),
        replace(second, seq=5),
        Entry(6, "note", "moderator", "by agreement"),
    )
    key = match_key("M-1", b"s" * 32, ["from ann", "from bob"])
    file = linked(replace(finished, entries=log, result="", reason=""), key)
    moments = audit(file, may_be_open=True)
    assert [moment.timeline for moment in moments] == [0, 0, 0, 0, 1, 1, 1]
    assert moments[4].state == moments[1].state
    assert moments[5].state == moments[2].state == moments[6].state


@pytest.mark.parametrize("target", ["4", "99", "-1", "x", "", "01", "\u0663", "9" * 5_000])
def test_a_rewind_needs_an_entry_to_go_back_to(finished: MatchFile, target: str) -> None:
    log = (*finished.entries[:4], Entry(4, "rewind", "moderator", target))
    refuse(replace(finished, entries=log), "entry 4 .*there is no entry")


def test_what_is_no_match_file_is_refused_in_words(finished: MatchFile) -> None:
    written = write_match(finished)
    document = json.loads(written)
    for data, words in (
        (b"", "no match file"),
        (b"\xff\xfe", "no match file"),
        (b"[]", "no match file"),
        (b"9" * 5_000, "no match file"),
        (b"[" * 50_000, "no match file"),
        (written.replace(b'"setup": {', b'"setup": {"x": ' + b"[" * 50_000), "no match file"),
        (written.replace(b'"rules_version": 1', b'"rules_version": ' + b"1" * 5_000), "no match f"),
        (json.dumps(document | {"extra": 1}).encode(), "unknown field `extra`"),
        (json.dumps(document | {"format": "chess/1"}).encode(), "reads 'pbem-match/2'"),
        (json.dumps(document | {"entries": [{"seq": 0}]}).encode(), "`kind`"),
    ):
        with pytest.raises(AuditError, match=words):
            read_match(data)


def test_an_unknown_game_is_named_with_those_there_are(finished: MatchFile) -> None:
    with pytest.raises(Exception, match="no game 'chess'; there are iron_curtain"):
        audit(replace(finished, game="chess"))


def test_a_refused_order_leaves_the_recorder_as_it_was() -> None:
    table = Recorder(GAME, {}, "M-2", b"s" * 32, ["", ""])
    before = table.state
    with pytest.raises(Exception, match="not for you"):
        table.play(Seat("usa"), "first usa")
    assert table.state == before
    assert len(table.entries) == 1
