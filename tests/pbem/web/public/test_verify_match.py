"""The verifier that players download: one file that needs nothing of ours."""

from __future__ import annotations

import ast
import copy
import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from engine.audit import _check_draws, _keys, audit
from engine.chance import DeckTree, SeededDice, commitment, match_key
from engine.core import GameError, Seat
from engine.log import Entry
from engine.registry import GAMES, game_called
from engine.replay import (
    FORMAT,
    DeckRoot,
    MatchFile,
    Moment,
    linked,
    read_match,
    replay,
    write_match,
)
from engine.terminal.rehearsal import Plan, rehearse

FILE = Path(__file__).parents[4] / "pbem" / "static" / "verify_match.py"
RIGHT = "every throw and shuffle is right"
SECRET = bytes(range(32))
CARDS = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]

Document = dict[str, Any]


@pytest.fixture(scope="module")
def verifier() -> ModuleType:
    """The file as a module of its own, as if it had been downloaded."""
    spec = importlib.util.spec_from_file_location("downloaded_verifier", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_match(number: int, game: str = "iron_curtain") -> MatchFile:
    plan = Plan(GAMES[game], {}, games=1, seed="verify", checked=False)
    return rehearse(plan, number).file


def run(path: Path | str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The verifier in a Python that sees neither this checkout nor any installed package."""
    command = [sys.executable, "-I", "-S", str(FILE), str(path)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def dicey_document() -> Document:
    """A match of no game we have: rolls, decks, phrases, a beacon and two timelines."""
    match, phrases, beacon = "M-84213", ["alice likes rooks", "bob 42", ""], "drand 4711"
    key = match_key(match, SECRET, phrases, beacon)
    entries: list[Entry] = []
    decks: list[DeckRoot] = []
    timeline = 0

    def enter(kind: Any, text: str = "", deck: str = "") -> None:
        nonlocal timeline
        timeline += kind == "rewind"
        dice = SeededDice(key, match, timeline, len(entries))
        if deck:
            cards = dice.shuffle(CARDS, deck)
            root = DeckTree(key, match, timeline, deck, cards).root
            decks.append(DeckRoot(timeline, deck, len(cards), root, cards))
        rolls = len(entries) % 4 if kind != "rewind" else 0
        for why in ("combat:B4", "combat:B4:2", "Wetter für Köln")[:rolls]:
            dice.roll(6 + len(entries), 12, why)
        actor = {"setup": "", "rewind": "moderator"}.get(kind, "ann")
        result = "ann" if kind == "timeout" else ""
        draws, at = tuple(dice.draws), str(1_800_000_000 + len(entries))
        entries.append(Entry(len(entries), kind, actor, text, draws, at, result))

    enter("setup", deck="1")
    for number in range(8):
        enter("action", f"attack b{number}")
    enter("rewind", "3")
    for number in range(8):
        enter("action", f"defend c{number}", deck="" if number else "1")
    enter("timeout", "pass", deck="2")
    file = MatchFile(
        FORMAT,
        match,
        "skat",
        3,
        {"edition": "de"},
        commitment(match, SECRET),
        SECRET.hex(),
        tuple(phrases),
        tuple(entries),
        tuple(decks),
        beacon,
        "ann",
        "rules",
        (Seat("ann"), Seat("bob"), Seat("cy")),
    )
    document: Document = json.loads(write_match(linked(file, key)))
    return document


def verdict(verifier: ModuleType, document: Any, path: Path) -> int:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    path.write_bytes(data)
    code = verifier.verify(str(path))
    assert isinstance(code, int)
    return code


# --- it needs nothing -----------------------------------------------------------------------------


def test_it_imports_only_the_standard_library() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"), feature_version=(3, 9))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
        + ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [])
    }

    assert imported <= sys.stdlib_module_names
    assert not imported & {"socket", "urllib", "http", "subprocess", "ctypes", "importlib"}


@pytest.mark.parametrize("number", range(3))
def test_a_finished_match_is_told_and_found_right(number: int, tmp_path: Path) -> None:
    file = random_match(number)
    path = tmp_path / "match.json"
    path.write_bytes(write_match(file))
    done = run(path, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert RIGHT in done.stdout.splitlines()[-1]
    assert f"entry {len(file.entries) - 1} has {file.head[:16]}" in done.stdout.splitlines()[-1]
    assert done.stderr == ""
    assert file.commitment in done.stdout
    assert file.decks[0].root in done.stdout
    assert f"top first: {', '.join(file.decks[0].cards)}" in done.stdout


def test_a_match_of_the_other_game_is_found_right_by_both(
    verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(game_called("east_and_west"), {"rounds": "1"}, 1, "verify", checked=False)
    document = json.loads(write_match(rehearse(plan, 0).file))
    assert audit(read_match(json.dumps(document).encode()))
    assert verdict(verifier, document, tmp_path / "match.json") == 0
    entry = next(e for e in document["entries"] if "draws" in e)
    face = entry["draws"][0]["result"]
    face[0] = face[0] % 6 + 1

    assert verdict(verifier, document, tmp_path / "match.json") == 1
    assert f"WRONG: entry {entry['seq']} is wrong: for roll" in capsys.readouterr().out
    with pytest.raises(GameError, match=f"entry {entry['seq']}"):
        audit(read_match(json.dumps(document).encode()))


def test_a_match_with_dice_is_told_in_words(tmp_path: Path) -> None:
    document = dicey_document()
    path = tmp_path / "match.json"
    path.write_text(json.dumps(document))
    done = run(path, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    faces = " ".join(map(str, document["entries"][1]["draws"][0]["result"]))
    assert f"entry 1: 12 x d7 for combat:B4: {faces}" in done.stdout
    assert "entry 9: back to entry 3, timeline 1" in done.stdout
    assert f"before the shuffle: {', '.join(CARDS)}" in done.stdout
    assert "phrase of seat 0: alice likes rooks" in done.stdout
    assert "phrase of seat 2: (none)" in done.stdout


def test_without_a_file_it_says_how_it_is_called() -> None:
    done = subprocess.run([sys.executable, "-I", str(FILE)], capture_output=True, text=True)

    assert done.returncode == 1
    assert done.stderr == "usage: python verify_match.py match.json [--head HEAD]...\n"


# --- it computes what the design says -------------------------------------------------------------


def test_the_published_test_vector(verifier: ModuleType) -> None:
    match = "M-84213"
    key = verifier.match_key(match, SECRET, ["alice likes rooks", "bob 42"])
    deck = [CARDS[i] for i in verifier.shuffled(verifier.stream(key, "deck", match, 0, "1"), 52)]

    def faces(timeline: int) -> list[int]:
        below = verifier.stream(key, "dice", match, timeline, 14, "combat:B4")
        return [below(6) + 1 for _ in range(4)]

    assert verifier.commitment(match, SECRET) == (
        "31b1803b704f7bdba285d4547ab101f0688d32b9819ffaa85d56cdee7e604ce1"
    )
    assert key.hex() == "2f0b52f11f002e599bd27124018900ac181a6a4cae0372035902cfc5303ee988"
    assert faces(0) == [5, 6, 6, 4]
    assert faces(1) == [1, 1, 3, 4]
    assert " ".join(deck[:8]) == "4D QD 8H QS 5H 7D 3D 9C"
    assert verifier.deck_root(key, match, 0, "1", deck) == (
        "273dc697e11eae7fba353a706a1ff2f0eab27db8aada663e8d3be969b477318c"
    )


@pytest.mark.parametrize("size", [1, 2, 3, 17, 18, 33, 52, 1_000])
def test_decks_of_every_size_agree_with_the_engine(verifier: ModuleType, size: int) -> None:
    cards = [f"card {i}" for i in range(size)]
    key = match_key("M", SECRET, [""])
    dealt = SeededDice(key, "M", 2, 9).shuffle(cards, "north")
    order = verifier.shuffled(verifier.stream(key, "deck", "M", 2, "north"), size)

    assert tuple(cards[i] for i in order) == dealt
    root = DeckTree(key, "M", 2, "north", dealt).root
    assert verifier.deck_root(key, "M", 2, "north", dealt) == root


@pytest.mark.parametrize("sides", [1, 2, 6, 20, 100, 40_000, 65_535, 65_536])
def test_dice_of_every_size_agree_with_the_engine(verifier: ModuleType, sides: int) -> None:
    key = match_key("M", SECRET, ["x"])
    below = verifier.stream(key, "dice", "M", 1, 7, "why")

    faces = tuple(below(sides) + 1 for _ in range(500))
    assert faces == SeededDice(key, "M", 1, 7).roll(sides, 500, "why")


@pytest.mark.whole
def test_a_thousand_finished_matches_verify(
    verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1_000):
        path = tmp_path / "match.json"
        path.write_bytes(write_match(random_match(number)))
        assert verifier.verify(str(path)) == 0, f"match {number}: {capsys.readouterr().out}"


# --- one change is enough -------------------------------------------------------------------------

Change = Callable[[Document, random.Random], str]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every single value."""
    if isinstance(value, dict):
        inner: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        return [path]
    return [place for key, part in inner for place in places(part, (*path, key))]


def holder(document: Document, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        document = document[key]
    return document


def other_value(value: Any, chance: random.Random) -> Any:
    """Something near the value, as a careful forger would choose, or of another type."""
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, value + 7, -value - 1, str(value), [value]])
    if not value:
        return chance.choice(["x", " ", None, 0])
    at = chance.randrange(len(value))
    letter = chance.choice([c for c in "0123456789abcdefX \u00e9" if c != value[at]])
    return chance.choice(
        [
            value[:at] + letter + value[at + 1 :],
            value[:at] + value[at + 1 :],
            value[:at] + letter + value[at:],
            value.swapcase() if value.swapcase() != value else None,
        ]
    )


def change_a_value(document: Document, chance: random.Random) -> str:
    path = chance.choice(places(document))
    inside = holder(document, path)
    inside[path[-1]] = other_value(inside[path[-1]], chance)
    return f"{path} became {inside[path[-1]]!r}"


def change_a_head(document: Document, chance: random.Random) -> str:
    """As `change_a_value`, but never in the many results and cards."""
    paths = [path for path in places(document) if "result" not in path and "cards" not in path]
    path = chance.choice(paths)
    inside = holder(document, path)
    inside[path[-1]] = other_value(inside[path[-1]], chance)
    return f"{path} became {inside[path[-1]]!r}"


def swap_two_numbers(document: Document, chance: random.Random) -> str:
    entry = chance.choice([entry for entry in document["entries"] if "draws" in entry])
    result = chance.choice(entry["draws"])["result"]
    one = chance.randrange(len(result))
    two = chance.choice([i for i, number in enumerate(result) if number != result[one]])
    result[one], result[two] = result[two], result[one]
    return f"results {one} and {two} of entry {entry['seq']} swapped"


def swap_two_cards(document: Document, chance: random.Random) -> str:
    cards = chance.choice(document["decks"])["cards"]
    one, two = chance.sample(range(len(cards)), 2)
    cards[one], cards[two] = cards[two], cards[one]
    return f"cards {one} and {two} swapped"


def drop_a_field(document: Document, chance: random.Random) -> str:
    path = chance.choice(places(document))
    del holder(document, path)[path[-1]]
    return f"{path} is gone"


def add_a_field(document: Document, chance: random.Random) -> str:
    inside = holder(document, chance.choice(places(document)))
    if isinstance(inside, list):
        inside.insert(chance.randrange(len(inside) + 1), inside[0])
    else:
        inside["extra"] = 1
    return f"something new in {str(inside)[:60]}"


def move_an_entry(document: Document, chance: random.Random) -> str:
    entries = document["entries"]
    moved = entries.pop(chance.randrange(len(entries) - 1))
    if chance.random() < 0.5:
        entries.append(moved)
    return f"entry {moved['seq']} is gone or at the end"


def double_an_entry(document: Document, chance: random.Random) -> str:
    entries = document["entries"]
    at = chance.randrange(len(entries))
    entries.insert(at, copy.deepcopy(entries[at]))
    return f"entry {at} is there twice"


def another_kind(document: Document, chance: random.Random) -> str:
    entry = chance.choice(document["entries"])
    others = {"setup", "action", "rewind"} if entry["kind"] in ("setup", "rewind") else {"rewind"}
    entry["kind"] = chance.choice(sorted(others - {entry["kind"]}))
    return f"entry {entry['seq']} became {entry['kind']}"


CHANGES: list[Change] = [
    change_a_value,
    change_a_head,
    swap_two_numbers,
    swap_two_cards,
    drop_a_field,
    add_a_field,
    move_an_entry,
    double_an_entry,
    another_kind,
]


@pytest.mark.whole
@pytest.mark.parametrize("change", CHANGES)
def test_a_thousand_changed_matches_are_refused(
    change: Change,
    verifier: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """112 of each kind, 1,008 together; each is printed with its seed when it slips through."""
    original = dicey_document()
    path = tmp_path / "match.json"
    assert verdict(verifier, original, path) == 0
    for seed in range(112):
        forged = copy.deepcopy(original)
        what = change(forged, random.Random(f"{change.__name__} {seed}"))
        assert forged != original, f"seed {seed} changed nothing: {what}"
        capsys.readouterr()
        assert verdict(verifier, forged, path) == 1, f"seed {seed} was accepted: {what}"
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("WRONG: "), f"seed {seed}: {last}"


def test_the_first_wrong_entry_is_named(
    verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = dicey_document()
    for number in (5, 7):
        result = document["entries"][number]["draws"][0]["result"]
        result[0] = result[0] % 6 + 1 if result[0] < 6 else 1
    assert verdict(verifier, document, tmp_path / "match.json") == 1
    lines = capsys.readouterr().out.splitlines()

    assert lines[-1].startswith("WRONG: entry 5 is wrong: for roll combat:B4 the secret gives ")
    assert any(line.startswith("entry 3: ") for line in lines)
    assert RIGHT not in "".join(lines)


def test_a_deck_shuffled_again_in_one_timeline_is_refused(
    verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would come in the same order, which everybody knows by then."""
    document = dicey_document()
    again = copy.deepcopy(document["entries"][0]["draws"][0])
    document["entries"][4]["draws"] = [again]

    assert verdict(verifier, document, tmp_path / "match.json") == 1
    assert "entry 4 is wrong: deck 1 is shuffled a second time" in capsys.readouterr().out


# --- it agrees with the engine --------------------------------------------------------------------


def engine_accepts(document: Document) -> bool:
    """The engine's verdict on chance alone, for a game that it does not have."""
    try:
        file = read_match(json.dumps(document).encode())
        keys, timeline = _keys(file), 0
        for entry in file.entries:
            timeline += entry.kind == "rewind"
            _check_draws(file, keys, Moment(entry, timeline, None))
    except (GameError, ValueError):
        return False
    return True


@pytest.mark.whole
def test_it_and_the_engine_agree_on_forged_dice(verifier: ModuleType, tmp_path: Path) -> None:
    original, path = dicey_document(), tmp_path / "match.json"
    assert engine_accepts(original)
    chance = random.Random(20261116)
    for _ in range(200):
        forged = copy.deepcopy(original)
        what = swap_two_numbers(forged, chance)
        assert engine_accepts(forged) == (verdict(verifier, forged, path) == 0), what


def test_it_and_the_audit_agree_on_forged_matches(verifier: ModuleType, tmp_path: Path) -> None:
    original, path = json.loads(write_match(random_match(5))), tmp_path / "match.json"
    assert len(list(replay(msgspec.convert(original, MatchFile)))) > 10
    chance = random.Random(5)
    changes = [swap_two_numbers, swap_two_cards, change_a_head, drop_a_field, move_an_entry]
    for number in range(200):
        forged = copy.deepcopy(original)
        what = changes[number % len(changes)](forged, chance)
        assert verdict(verifier, forged, path) == 1, what
        with pytest.raises(GameError):
            audit(read_match(json.dumps(forged).encode()))


# --- whatever it is given -------------------------------------------------------------------------

NESTED = 200_000
HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"dear server",
    "half of it": b'{"format": "pbem-match/1", ',
    "not UTF-8": b"\xff\xfe\x00{",
    "null bytes": b"\x00" * 1_000,
    "a list": b"[]",
    "a word": b'"pbem-match/1"',
    "a number": b"7",
    "not a number": b"NaN",
    "null": b"null",
    "deep lists": b"[" * NESTED,
    "deep closed lists": b"[" * NESTED + b"]" * NESTED,
    "deep objects": b'{"a":' * NESTED,
    "a huge number": b"1" * 1_000_000,
    "a huge fraction": b"1e" + b"9" * 100_000,
    "a negative giant": b"[-" + b"9" * 5_000 + b"]",
    "too large": b" " * 5_000_001,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_match_is_refused_in_words(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_bytes(HOSTILE[kind])
    done = run(path, tmp_path)

    assert done.returncode == 1
    assert done.stdout.startswith("WRONG: ")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize("path", ["nowhere.json", ".", "", "a" * 5_000])
def test_what_cannot_be_read_is_refused_in_words(path: str, tmp_path: Path) -> None:
    done = run(path, tmp_path)

    assert done.returncode == 1
    assert done.stdout.startswith("WRONG: cannot read ")
    assert done.stderr == ""


ODD: list[Any] = [None, True, False, 0, -1, 10**17, 65_537, 1.5, "", "x", "\ud800", [], [[]], {}]
ODD += ["0" * 64, "\x00", [None], [0] * 70_000, {"kind": "roll"}, 10**30, "\x1b[2J" + RIGHT]


@pytest.mark.whole
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_odd_values_anywhere_are_judged_without_a_traceback(
    odd: Any, verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = dicey_document()
    tops = [(key,) for key in original]
    inner = [("entries", 4, key) for key in original["entries"][4]] + [("entries", 4)]
    draws = [("entries", 5, "draws", 0, key) for key in original["entries"][5]["draws"][0]]
    decks = [("decks", 0, key) for key in original["decks"][0]] + [("decks", 0), ("phrases", 0)]
    for path in [*tops, *inner, *draws, *decks]:
        forged = copy.deepcopy(original)
        holder(forged, path)[path[-1]] = odd
        assert verdict(verifier, forged, tmp_path / "match.json") in (0, 1), path
        assert "\x1b" not in capsys.readouterr().out


def test_two_values_for_one_name_are_refused(
    verifier: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = json.dumps(dicey_document())
    doubled = text.replace('"secret":', '"secret": "00", "secret":', 1).encode()

    assert verdict(verifier, doubled, tmp_path / "match.json") == 1
    assert "two values for one name" in capsys.readouterr().out


def test_a_terminal_that_cannot_show_a_letter_is_no_reason_to_fail(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    path.write_text(json.dumps(dicey_document()))
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", str(FILE), str(path)],
        env={"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert b"Wetter f\\xfcr" in done.stdout
