"""The games in a terminal: hot seat with a screen between, rehearsals, audits, clear errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.registry import GAMES
from tests.games.stones.game import Stones

CARDS = {"usa": "italy", "ussr": "iran"}
"""With the seed abc the first side holds the one, the second the other."""


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    left = iter(lines)

    def answer(prompt: str) -> str:
        print(prompt)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)


def test_a_hot_seat_hides_one_hand_behind_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "", "first usa", "", "quit")
    assert main(["play", "iron_curtain", "--seed", "abc"]) == 0
    before, _, after = capsys.readouterr().out.partition("--- USA to the screen")
    assert "Iran, Middle East" in before
    assert "Iran, Middle East" not in after
    assert "Italy, Europe" in after
    assert "left unfinished" in after


def test_orders_are_taken_by_number_word_by_word_and_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "", "1", "", "italy", "r19", "", "decline", "", "board", "undo", "help")
    assert main(["play", "iron_curtain", "--seed", "abc"]) == 0
    told = capsys.readouterr().out
    assert "USSR decides: USA goes first in round 1." in told
    assert "USA plays Italy on r19." in told
    assert "USSR declines the event of Italy." in told
    assert "There is nothing to take back." in told
    assert "Write an order" in told


def test_undo_takes_back_a_cube_but_no_finished_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    orders = ("play france r19", "command", "undo", "event", "cube france", "undo", "done", "quit")
    typing(monkeypatch, "", "first usa", "", *orders)
    file = tmp_path / "match.json"
    assert main(["play", "iron_curtain", "--seed", "abc", "--save", str(file)]) == 0
    written = re.findall(r'"text": "([^"]*)"', file.read_text())
    assert written == ["first usa", "play france r19", "event", "done"]


def test_an_impossible_order_is_answered_with_what_would_be_right(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "", "first china", "99", "first usa", "", "play cuba r19", "play italy a1")
    main(["play", "iron_curtain", "--seed", "abc"])
    told = capsys.readouterr().out
    assert "! 'first china' is no order; write: first usa or first ussr" in told
    assert "! '99' is none of the choices" in told
    assert "you do not hold cuba; you hold italy" in told
    assert "italy cannot go to a1; it can go to r19, s18, s20, t19" in told


def test_an_impossible_order_is_answered_in_the_language_of_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "", "first china", "first usa", "", "play cuba r19")
    main(["play", "iron_curtain", "--seed", "abc", "--language", "de"])
    told = capsys.readouterr().out
    assert "! „first china“ ist keine Anweisung; schreib: first usa oder first ussr" in told
    assert "! cuba hast du nicht auf der Hand; du hast italy" in told


def test_a_standing_order_is_taken_whatever_is_asked_and_obeyed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    orders = ("help", "standing", "Standing Italien use", "undo", "standing italy use", "first usa")
    later = ("standing all maybe", "standing poland never", "italy r19", "undo", "done", "", "quit")
    typing(monkeypatch, "", *orders, "", *later)
    file = tmp_path / "match.json"
    assert main(["play", "iron_curtain", "--seed", "abc", "--save", str(file)]) == 0
    before, _, after = capsys.readouterr().out.partition("--- USA to the screen")
    assert "At any time: standing ... Auto-answers for your events" in before
    assert "! 'standing' is no order; write: standing CARD use, ask or never" in before
    assert before.count("* Auto-answer for Italy: use it if it needs no choice.") == 2
    assert "Standing order for Italy" not in after
    assert "! 'standing all maybe' is no order; write: standing CARD" in after
    assert "* Auto-answer for Poland: decline it." in after
    assert "* USSR uses the event of Italy by auto-answer." in after
    assert "There is nothing to take back." in after
    written = re.findall(r'"text": "([^"]*)"', file.read_text())
    assert written[:4] == [
        "standing italy use",
        "first usa",
        "standing poland never",
        "play italy r19",
    ]
    assert main(["audit", str(file)]) == 0


def test_a_sparring_partner_fills_the_other_seat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "first usa")
    arguments = ["play", "iron_curtain", "--seed", "abc", "--against", "greedy", "--seat", "ussr"]
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "to the screen" not in told
    assert "* USA plays" in told


def test_a_game_without_a_stand_in_player_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(GAMES, "stones", Stones())
    assert main(["play", "stones", "--against", "stand-in"]) == 1
    assert "Stones has no stand-in player; try --against planner" in capsys.readouterr().err


def test_a_match_can_be_narrated_in_german(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typing(monkeypatch, "")
    assert main(["play", "iron_curtain", "--narrate", "--language", "de"]) == 0
    told = capsys.readouterr().out
    assert "UdSSR" in told
    assert "+---" not in told


def test_a_random_match_is_saved_and_audited(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "match.json"
    arguments = ["--games", "3", "--seed", "7", "--check", "--save", str(file)]
    assert main(["random", "iron_curtain", *arguments]) == 0
    counted = capsys.readouterr()
    assert "3 games of Iron Curtain" in counted.out
    assert "3/3 games" in counted.err
    assert main(["audit", str(file)]) == 0
    assert "every shuffle, throw and step is right" in capsys.readouterr().out


def test_odds_name_units_by_their_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "2 fighter", "1 infantry"]) == 0
    told = capsys.readouterr().out
    assert "2 fighters : -" in told
    assert "1 fighter : -" in told


def test_a_forged_match_fails_its_audit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    main(["random", "iron_curtain", "--games", "1", "--save", str(file)])
    assert capsys.readouterr().out.startswith("1 game of Iron Curtain, ")
    file.write_text(file.read_text().replace('"text": "first usa"', '"text": "first ussr"', 1))
    file.write_text(file.read_text().replace('"secret": "', '"secret": "00', 1))
    assert main(["audit", str(file)]) == 1
    assert "error: the revealed secret does not fit" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_matches(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for seed in ("7", "7", "8"):
        main(["random", "iron_curtain", "--games", "4", "--seed", seed])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "nowhere.json"], "cannot read nowhere.json"),
        (["random", "iron_curtain", "--option", "edition"], "write NAME=VALUE"),
        (["random", "iron_curtain", "--option", "edition=pl"], "no edition 'pl'; there are en"),
        (["random", "iron_curtain", "--option", "colour=red"], "no option colour; there are"),
        (["random", "iron_curtain", "--option", "deck=@nowhere.toml"], "cannot read nowhere.toml"),
        (["play", "iron_curtain", "--seat", "china"], "no seat 'china'; there are usa, ussr"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert words in error
    assert error.count("\n") == 1


def test_a_deck_file_is_chosen_for_a_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    deck = tmp_path / "printed.toml"
    cards = Path("engine/iron_curtain/cards.toml").read_text("utf-8")
    deck.write_text(cards.replace('name = "reconstructed"', 'name = "printed"'), "utf-8")
    option = ["--option", f"deck=@{deck}"]
    assert main(["random", "iron_curtain", "--games", "2", "--check", *option]) == 0
    deck.write_text(cards.replace("command = 4", "command = 9"), "utf-8")
    assert main(["random", "iron_curtain", *option]) == 1
    assert "card 'vietnam' commands 9 cubes, from 1 to 4" in capsys.readouterr().err
    deck.write_text("[", "utf-8")
    assert main(["random", "iron_curtain", *option]) == 1
    assert "is not TOML" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["play", "chess"], ["random", "iron_curtain", "--games", "0"]]
)
def test_a_wrong_command_line_shows_how_it_goes(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m engine" in capsys.readouterr().err


def test_the_odds_of_a_battle_are_told_by_the_game_that_knows_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["odds", "10 infantry", "1 infantry", "--attacker", "ussr"]) == 0
    assert capsys.readouterr().out.startswith("attacker wins      100.00%\n")
