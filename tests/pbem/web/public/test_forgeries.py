"""Match files that somebody has tampered with: both verifiers refuse each and name the entry.

A careless forger changes the file and leaves the hashes; a careful one, who may be the operator,
computes all of them anew. The careful one is found by the rules, or by the heads in letters.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import pytest

from engine.audit import audit, head_from, proved_by
from engine.chance import DeckTree, QuickDice, commitment, match_key
from engine.core import GameError, Seat
from engine.log import SHORT
from engine.registry import game_called
from engine.replay import WITHOUT_CHAIN, MatchFile, linked, read_match, replay, write_match
from pbem.db import store
from pbem.services.match import match_log, matches, timeouts, turns
from pbem.services.records.match_rows import LIVE, get_match
from tests.pbem.web.public.test_verify_match import Document, verifier
from tests.services.people import NOW, an_order, play_to_the_end, sit_down, turn_of

__all__ = ["verifier"]
Change = Callable[[Document], Any]


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Document]]:
    """Matches as players download them: ended by the rules, and given up."""
    path = tmp_path_factory.mktemp("genuine") / "pbem.db"
    store.open_database(f"sqlite:///{path}")
    numbers = count()
    with (
        store.connected(),
        patch.object(matches, "new_id", lambda: f"genuine{next(numbers)}"),
        patch("secrets.token_bytes", lambda size: bytes(size)),
    ):
        store.migrate()
        yield {"rules": _chequered(), "resigned": _given_up()}


def _chequered() -> Document:
    """With something said in advance, a time-out, and a rewind."""
    match, choice = sit_down(NOW, {"edition": "de"}).match, QuickDice(b"forgeries")
    turns.give_any_time(match, 0, "standing all ask", NOW)
    for number in range(8):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + number)
    turns.rewind(match, 5, turns.MODERATOR, NOW + 10)
    with store.writing():
        timeouts.play_default(get_match(match), turn_of(match), NOW + 11)
    assert get_match(match).status == LIVE
    play_to_the_end(match, NOW + 12)
    return exported(match)


def _given_up() -> Document:
    match, choice = sit_down(NOW + 5_000).match, QuickDice(b"given up")
    for number in range(6):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + number)
    matches.resign(match, 1, NOW + 9)
    return exported(match)


def exported(match: str) -> Document:
    found: Document = json.loads(write_match(match_log.export(get_match(match))))
    return found


# --- how files are forged ------------------------------------------------------------------------


def entry_of(document: Document, kind: str) -> Document:
    found: Document = next(e for e in document["entries"] if e["kind"] == kind)
    return found


def hidden(document: Document) -> Document:
    """What was said in advance."""
    found: Document = next(e for e in document["entries"] if e.get("text", "").startswith("stand"))
    return found


def unusual(document: Document) -> Document:
    """An order that the clock would not have given."""
    file = msgspec.convert(document, MatchFile)
    game, moments = game_called(file.game), list(replay(file))
    for before, moment in pairwise(moments):
        entry, asked = moment.entry, game.waiting_on(before.state)
        if entry.kind == "action" and entry.actor in asked and "standing" not in entry.text:
            usual = game.default_action(before.state, Seat(entry.actor))
            if usual is not None and game.notate(usual) != entry.text:
                found: Document = document["entries"][entry.seq]
                return found
    raise AssertionError("all orders are usual")


def renumber(document: Document, entries: list[Document]) -> None:
    """Entries in their new order, and rewinds that still go where they went."""
    places = {entry["seq"]: number for number, entry in enumerate(entries)}
    for number, entry in enumerate(entries):
        if entry["kind"] == "rewind":
            entry["text"] = str(places.get(int(entry["text"]), 0))
        entry["seq"] = number
    document["entries"] = entries


def rehashed(document: Document) -> Document:
    """As whoever knows the secret would make it fit: every hash, result and head anew."""
    file = msgspec.convert(document, MatchFile)
    key = match_key(file.match, bytes.fromhex(file.secret), file.phrases, file.beacon)
    again: Document = json.loads(write_match(linked(file, key)))
    return again


def cut(document: Document, count: int) -> None:
    del document["entries"][-count:]
    document["head"] = document["entries"][-1]["hash"]


def without_the_rewind(document: Document) -> None:
    """The rewind is gone, with all it undid."""
    entries = document["entries"]
    at = entry_of(document, "rewind")["seq"]
    back = int(entries[at]["text"])
    renumber(document, entries[: back + 1] + entries[at + 1 :])


def another_end(document: Document) -> None:
    """Instead of the last entry the winner gives up."""
    last = document["entries"][-1]
    winner = document["result"]
    loser = next(seat for seat in document["seats"] if seat != winner)
    last.update(kind="resign", actor=winner, text="resign", result=loser)
    document.update(result=loser, reason="resignation")


def another_order(document: Document) -> None:
    """One legal order put for another, so that all that follows stays legal."""
    file = msgspec.convert(document, MatchFile)
    game, moments = game_called(file.game), list(replay(file))
    for moment, before in zip(moments[:0:-1], moments[-2::-1], strict=True):
        entry = moment.entry
        if entry.kind != "action" or entry.text.startswith("standing"):
            continue
        for text in _orders(game, before.state, Seat(entry.actor)):
            document["entries"][entry.seq]["text"] = text
            if text != entry.text and _goes_on(document):
                return
        document["entries"][entry.seq]["text"] = entry.text
    raise AssertionError("there is no other order")


def _orders(game: Any, state: Any, seat: Seat, words: tuple[str, ...] = ()) -> Iterator[str]:
    for option in game.options(state, seat, words):
        longer = (*words, option.word)
        if option.action is None:
            yield from _orders(game, state, seat, longer)
        else:
            yield " ".join(longer)


def _goes_on(document: Document) -> bool:
    try:
        return bool(audit(msgspec.convert(rehashed(document), MatchFile)))
    except GameError:
        return False


def after_the_end(actor: str, kind: str = "action", text: str = "done") -> Change:
    def change(document: Document) -> None:
        last = document["entries"][-1]
        more = {"seq": last["seq"] + 1, "kind": kind, "actor": actor, "text": text, "at": "1"}
        document["entries"].append({**more, "hash": "0" * 64})

    return change


def revived(document: Document) -> None:
    """Whoever wants another result takes the match back behind its end, and has it given up."""
    after_the_end("moderator", "rewind", "2")(document)
    after_the_end(winner := document["result"], "resign", "resign")(document)
    loser = next(seat for seat in document["seats"] if seat != winner)
    document["entries"][-1]["result"] = loser
    document.update(result=loser, reason="resignation")


def other_winner(document: Document) -> str:
    return str(next(seat for seat in document["seats"] if seat != document["result"]))


def result_changed(document: Document) -> None:
    document["result"] = other_winner(document)


def result_changed_everywhere(document: Document) -> None:
    document["result"] = document["entries"][-1]["result"] = other_winner(document)


def another_secret(document: Document) -> None:
    document["secret"] = "07" * 32
    document["commitment"] = commitment(document["match"], bytes.fromhex("07" * 32))


def swap(document: Document) -> None:
    entries = document["entries"]
    entries[6], entries[7] = entries[7], entries[6]
    entries[6]["seq"], entries[7]["seq"] = 6, 7


def unchained(document: Document) -> None:
    """Made to look as old as files from before the chain."""
    for name in ("seats", "head", "reason"):
        del document[name]
    for entry in document["entries"]:
        entry.pop("result", None)
        del entry["hash"]
    document["format"] = WITHOUT_CHAIN


class Forgery(NamedTuple):
    change: Change
    words: str = "entry"
    """What the engine says of it; the other verifier names an entry too."""
    of: str = "rules"
    is_careful: bool = False
    """Whether all hashes are made to fit."""
    other_needs_head: bool = False


FORGERIES: dict[str, Forgery] = {
    # the careless
    "the last entry removed": Forgery(lambda d: cut(d, 1), "not over with the last entry"),
    "the last five removed": Forgery(lambda d: cut(d, 5), "not over with the last entry"),
    "the last removed, the head kept": Forgery(lambda d: d["entries"].pop(), "is not over"),
    "the result changed": Forgery(result_changed, "the match ends with"),
    "the result removed": Forgery(lambda d: d.pop("result"), "the match ends with"),
    "the result changed twice": Forgery(result_changed_everywhere, "ends with"),
    "the reason changed": Forgery(lambda d: d.update(reason="time"), "ends by 'rules'"),
    "the head changed": Forgery(lambda d: d.update(head="0" * 64), "the head of the file"),
    "a time changed": Forgery(lambda d: d["entries"][4].update(at="1"), "entry 4: its hash"),
    "a time removed": Forgery(lambda d: d["entries"][4].pop("at"), "entry 4: its hash"),
    "the edition changed": Forgery(lambda d: d["setup"].update(edition="en"), "entry"),
    "something added to the setup": Forgery(lambda d: d["setup"].update(pace=1), "entry 0"),
    "another game": Forgery(lambda d: d.update(game="chess"), "no game"),
    "another rules version": Forgery(lambda d: d.update(rules_version=0), "entry 0: its hash"),
    "rules changed by a player": Forgery(
        lambda d: d["entries"][3].update(kind="rules", text="1"), "cannot have done this (rules)"
    ),
    "rules changed to nothing": Forgery(
        lambda d: d["entries"][3].update(kind="rules", actor="moderator", text="01"),
        "entry 3: it names no version",
    ),
    "rules changed without a word": Forgery(
        lambda d: d["entries"][3].update(kind="rules", actor="moderator", text="1", draws=[]),
        "entry 3: its hash",
    ),
    "another match": Forgery(lambda d: d.update(match="other"), "commitment"),
    "another order": Forgery(another_order, "its hash does not fit"),
    "another actor": Forgery(lambda d: d["entries"][3].update(actor="usa"), "entry 3"),
    "an unknown actor": Forgery(lambda d: d["entries"][3].update(actor="eve"), "entry 3"),
    "an order made a time-out": Forgery(
        lambda d: unusual(d).update(kind="timeout"), ": the clock does not play"
    ),
    "a time-out made an order": Forgery(
        lambda d: entry_of(d, "timeout").update(kind="action"), "its hash does not fit"
    ),
    "a rewind removed with all it undid": Forgery(without_the_rewind, "its hash does not fit"),
    "a rewind to another entry": Forgery(lambda d: entry_of(d, "rewind").update(text="4")),
    "a rewind to nowhere": Forgery(lambda d: entry_of(d, "rewind").update(text="99")),
    "a rewind of nothing": Forgery(
        lambda d: entry_of(d, "rewind").update(text=str(entry_of(d, "rewind")["seq"] - 1))
    ),
    "a rewind by a player": Forgery(lambda d: entry_of(d, "rewind").update(actor="usa")),
    "what was said in advance changed": Forgery(
        lambda d: hidden(d).update(text="standing all use"), "its hash does not fit"
    ),
    "all deck roots removed": Forgery(lambda d: d.pop("decks"), "must show the root"),
    "a deck root changed": Forgery(lambda d: d["decks"][0].update(root="0" * 64), "the root"),
    "cards of the deck swapped": Forgery(lambda d: d["decks"][0]["cards"].reverse(), "deck 1"),
    "the same root twice": Forgery(lambda d: d["decks"].append(d["decks"][0]), "deck"),
    "an order after the end by nobody": Forgery(after_the_end("eve")),
    "an order after the end": Forgery(after_the_end("usa")),
    "a resignation after the end": Forgery(after_the_end("usa", "resign"), "was over before"),
    "a note after the end": Forgery(after_the_end("moderator", "note"), "was over before"),
    "an entry doubled": Forgery(lambda d: d["entries"].insert(5, copy.deepcopy(d["entries"][5]))),
    "two entries swapped": Forgery(swap),
    "an entry removed": Forgery(lambda d: d["entries"].pop(4), "stands at place 4"),
    "an entry removed and the others renumbered": Forgery(
        lambda d: renumber(d, d["entries"][:1] + d["entries"][2:]), "entry 1: its hash"
    ),
    "a shuffle changed": Forgery(
        lambda d: d["entries"][0]["draws"][0]["result"].reverse(), "entry 0"
    ),
    "a shuffle removed": Forgery(lambda d: d["entries"][0].pop("draws"), "entry 0"),
    "a throw added": Forgery(
        lambda d: d["entries"][4].update(
            draws=[{"kind": "roll", "why": "luck", "size": 6, "result": [6]}]
        ),
        "entry 4",
    ),
    "a phrase changed": Forgery(lambda d: d["phrases"].__setitem__(0, "x"), "entry 0"),
    "a beacon added": Forgery(lambda d: d.update(beacon="x"), "entry 0"),
    "another secret": Forgery(another_secret, "entry 0"),
    "the seats in another order": Forgery(lambda d: d["seats"].reverse(), "entry 0"),
    "the seats removed": Forgery(lambda d: d.pop("seats"), "entry 0"),
    "a hash changed": Forgery(lambda d: d["entries"][4].update(hash="0" * 64), "entry 4: its hash"),
    "a hash removed": Forgery(lambda d: d["entries"][4].pop("hash"), "entry 4: its hash"),
    "a result in the middle": Forgery(
        lambda d: d["entries"][4].update(result="usa"), "entry 4: it says that"
    ),
    "an old format with a chain": Forgery(lambda d: d.update(format=WITHOUT_CHAIN), "no chain"),
    "a format to come": Forgery(lambda d: d.update(format="pbem-match/3"), "the format is"),
    "a field more": Forgery(lambda d: d["entries"][4].update(note="x"), "no match file"),
    "a field more in a draw": Forgery(
        lambda d: d["entries"][0]["draws"][0].update(note="x"), "no match file"
    ),
    "a number as a fraction": Forgery(lambda d: d["entries"][4].update(seq=4.0), "no match file"),
    "true for a number": Forgery(lambda d: d["entries"][1].update(seq=True), "no match file"),
    "not a number": Forgery(lambda d: d["setup"].update(x=float("nan")), "no match file"),
    "half a character": Forgery(lambda d: d["setup"].update(x="\ud800"), "no match file"),
    "who gave up changed": Forgery(
        lambda d: d["entries"][-1].update(actor="usa"), "ends with", of="resigned"
    ),
    "a resignation made a draw": Forgery(
        lambda d: d["entries"][-1].update(kind="draw"), "ends with", of="resigned"
    ),
    "a resignation made a loss by time": Forgery(
        lambda d: d["entries"][-1].update(kind="forfeit"), "its hash", of="resigned"
    ),
    "a resignation made a verdict": Forgery(
        lambda d: d["entries"][-1].update(kind="note", text="result usa"), of="resigned"
    ),
    "taken back after the end": Forgery(revived, "was over before"),
    # the careful, found by the rules or at least by a head
    "taken back after the end, rehashed": Forgery(revived, "was over before", is_careful=True),
    "a resignation taken back after the end, rehashed": Forgery(
        revived, "was over before", "resigned", is_careful=True
    ),
    "the last removed, rehashed": Forgery(lambda d: cut(d, 1), "not over", is_careful=True),
    "the result changed, rehashed": Forgery(
        result_changed_everywhere, "ends with", is_careful=True, other_needs_head=True
    ),
    "an order made a time-out, rehashed": Forgery(
        lambda d: unusual(d).update(kind="timeout"),
        ": the clock does not play",
        is_careful=True,
        other_needs_head=True,
    ),
    "an order by nobody after the end, rehashed": Forgery(after_the_end("eve"), is_careful=True),
    "who gave up changed, rehashed": Forgery(
        lambda d: d["entries"][-1].update(actor="usa"), "ends with", "resigned", is_careful=True
    ),
}
OF_THE_WHOLE_FILE = {
    "another match",
    "the same root twice",
    "the seats removed",
    "an old format with a chain",
    "a format to come",
    "not a number",
    "half a character",
}
"""What the verifier without rules refuses before it comes to any entry."""
ONLY_HEADS: dict[str, Forgery] = {
    "the edition changed": Forgery(lambda d: d["setup"].update(edition="en")),
    "a time changed": Forgery(lambda d: d["entries"][4].update(at="1800000000")),
    "another order": Forgery(another_order),
    "another end": Forgery(another_end),
    "a time-out made an order": Forgery(lambda d: entry_of(d, "timeout").update(kind="action")),
    "a rewind removed with all it undid": Forgery(without_the_rewind),
    "a rewind as if a player had asked for it": Forgery(
        lambda d: entry_of(d, "rewind").update(actor="usa")
    ),
    "what was said in advance removed": Forgery(
        lambda d: renumber(d, [e for e in d["entries"] if e is not hidden(d)])
    ),
    "a resignation made a loss by time": Forgery(
        lambda d: (d["entries"][-1].update(kind="forfeit"), d.update(reason="time")),
        of="resigned",
    ),
}


# --- both verifiers ------------------------------------------------------------------------------


class Court:
    """Both verifiers, each asked for its words; empty when it finds nothing wrong."""

    def __init__(self, verifier: ModuleType, path: Path, capsys: pytest.CaptureFixture[str]):
        self.verifier, self.path, self.capsys = verifier, path, capsys

    def engine(self, data: bytes, *heads: str) -> str:
        try:
            audit(read_match(data), [head_from(head) for head in heads])
        except GameError as error:
            return str(error)
        return ""

    def other(self, data: bytes, *heads: str) -> str:
        self.path.write_bytes(data)
        self.capsys.readouterr()
        code = self.verifier.verify(str(self.path), heads)
        self.last = self.capsys.readouterr().out.splitlines()[-1]
        assert (code == 1) == self.last.startswith("WRONG: "), self.last
        return self.last if code else ""


@pytest.fixture
def court(verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Court:
    return Court(verifier, tmp_path / "match.json", capsys)


def forged(genuine: dict[str, Document], forgery: Forgery, is_careful: bool) -> bytes:
    document = copy.deepcopy(genuine[forgery.of])
    forgery.change(document)
    assert repr(document) != repr(genuine[forgery.of]), "something must have changed"
    if is_careful:
        document = rehashed(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize("of", ["rules", "resigned"])
def test_a_genuine_file_is_right_with_any_of_its_heads(
    court: Court, genuine: dict[str, Document], of: str
) -> None:
    data = json.dumps(genuine[of]).encode()
    heads = [entry["hash"][:SHORT] for entry in genuine[of]["entries"]]

    assert court.engine(data) == court.other(data) == ""
    assert f"entry {len(heads) - 1} has {heads[-1]}" in court.last, "it asks for a head"
    assert court.engine(data, *heads) == court.other(data, *heads) == ""
    at = f"{heads[3].upper()}@3"
    assert court.engine(data, at) == court.other(data, at) == ""


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused_by_both(
    court: Court, genuine: dict[str, Document], name: str
) -> None:
    forgery = FORGERIES[name]
    data = forged(genuine, forgery, forgery.is_careful)
    head = genuine[forgery.of]["head"][:SHORT]

    assert forgery.words in court.engine(data)
    if forgery.other_needs_head:
        assert court.other(data) == ""
        assert "compare the heads with your letters" in court.last
    refusal = court.other(data, head) if forgery.other_needs_head else court.other(data)
    assert refusal.startswith("WRONG: ")
    assert ("entry" in refusal) != (name in OF_THE_WHOLE_FILE), refusal


@pytest.mark.parametrize("name", ONLY_HEADS)
def test_a_file_written_anew_is_refused_by_the_head_of_a_letter(
    court: Court, genuine: dict[str, Document], name: str
) -> None:
    forgery = ONLY_HEADS[name]
    data, entries = forged(genuine, forgery, True), genuine[forgery.of]["entries"]
    first, last = entries[0]["hash"][:SHORT], entries[-1]["hash"][:SHORT]

    assert court.engine(data) == court.other(data) == "", "the file alone cannot tell"
    assert "compare the heads with your letters" in court.last
    for heads in ((last,), (last, last), (f"{last}@{len(entries) - 1}",)):
        assert last in court.engine(data, *heads)
        assert last in court.other(data, *heads)
    if name != "the edition changed":
        assert "after entry 0 is not what was played" in court.engine(data, last, first)
        assert "after entry 0 is not what was played" in court.other(data, last, first)


def test_heads_prove_no_more_than_what_was_played_up_to_them(
    court: Court, genuine: dict[str, Document]
) -> None:
    """Another end fits the head of an earlier letter, so nobody says that all of it is right."""
    data, entries = forged(genuine, ONLY_HEADS["another end"], True), genuine["rules"]["entries"]
    head = entries[7]["hash"][:SHORT]

    assert court.engine(data, head) == court.other(data, head) == ""
    assert "rule out that what comes after entry 7 was written anew" in court.last
    assert "are the chain and the heads of your letters" not in court.last
    assert proved_by(read_match(data), [head_from(head)]) == 7


def test_roots_are_left_to_the_reader_in_words(court: Court, genuine: dict[str, Document]) -> None:
    """Only who knows the game sees that two cards of the deck were swapped, with their root."""
    document = copy.deepcopy(genuine["rules"])
    (deck,) = document["decks"]
    deck["cards"][:2] = deck["cards"][1::-1]
    key = match_key(document["match"], bytes.fromhex(document["secret"]), document["phrases"])
    deck["root"] = DeckTree(key, document["match"], 0, deck["deck"], tuple(deck["cards"])).root
    data = json.dumps(document).encode()

    assert "dealt in another order" in court.engine(data)
    assert court.other(data, document["head"][:SHORT]) == ""
    assert "right if the roots above are those in your letters" in court.last


def test_two_values_for_one_name_are_refused_by_both(
    court: Court, genuine: dict[str, Document]
) -> None:
    text = json.dumps(genuine["rules"])
    for name, value in (("result", '"usa"'), ("at", '"1"'), ("edition", '"en"')):
        doubled = text.replace(f'"{name}":', f'"{name}": {value}, "{name}":', 1).encode()
        assert "two values for one name" in court.engine(doubled)
        assert "two values for one name" in court.other(doubled)


def test_files_from_before_the_chain_are_checked_as_far_as_they_go(
    court: Court, genuine: dict[str, Document]
) -> None:
    for document in genuine.values():
        old = copy.deepcopy(document)
        unchained(old)
        data = json.dumps(old).encode()
        assert court.engine(data) == court.other(data) == ""
        assert "old format pbem-match/1 without the chain" in court.last
        head = document["head"][:SHORT]
        assert "no chain" in court.engine(data, head)
        assert "no chain" in court.other(data, head)
        old["result"] = other_winner(document)
        assert "the match ends with" in court.engine(json.dumps(old).encode())


@pytest.mark.parametrize("head", ["", "3f9c", "x" * 16, "0" * 65, "0" * 16 + "@", "0" * 16 + "@x"])
def test_what_is_no_head_is_refused_in_words(
    court: Court, genuine: dict[str, Document], head: str
) -> None:
    data = json.dumps(genuine["rules"]).encode()

    assert "head" in court.engine(data, head)
    assert "head" in court.other(data, head)
