"""In a terminal: `python -m engine play GAME`, `random GAME`, `audit FILE`, `odds UNITS UNITS`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from engine.abilities import Odds, PlannedBattle
from engine.chance import SECRET_BYTES, digest
from engine.core import LANGUAGES, GameError, Seat
from engine.registry import GAMES, AnyGame, game_called
from engine.terminal import hotseat, rehearsal
from engine.terminal.auditing import audit_file, printable
from engine.terminal.options import read_setup


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a GameError becomes one clear line and exit status 1."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except GameError as error:
        print(printable(f"error: {error}"), file=sys.stderr)
        return 1
    except (KeyboardInterrupt, BrokenPipeError):
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    play = commands.add_parser("play", help="hot seat, or against a sparring partner")
    _game_arguments(play)
    partners = [*hotseat.PARTNERS, hotseat.STAND_IN]
    play.add_argument("--against", choices=partners, help="who fills the other seats")
    play.add_argument("--seat", help="your seat against a sparring partner")
    play.add_argument("--language", choices=LANGUAGES, default="en")
    play.add_argument("--narrate", action="store_true", help="sentences instead of a drawn board")
    play.add_argument("--save", type=Path, help="write the match to this file when it ends")
    play.set_defaults(run=_play)
    random = commands.add_parser("random", help="random matches, counted")
    _game_arguments(random)
    random.add_argument("--games", type=_count, default=100)
    random.add_argument("--check", action="store_true", help="also check, replay and resample")
    random.add_argument("--save", type=Path, help="write the last match to this file")
    random.set_defaults(run=_random)
    audit = commands.add_parser("audit", help="recompute every draw and step of a match file")
    audit.add_argument("file", type=Path)
    audit.add_argument(
        "--head", action="append", default=[], help="the head in a letter; can be repeated"
    )
    audit.set_defaults(run=lambda options: audit_file(options.file, options.head, True))
    game = next((game for game in GAMES.values() if isinstance(game, Odds)), None)
    if game is not None:
        _odds_arguments(commands, game)
    return parser


def _odds_arguments(commands: Any, game: AnyGame) -> None:
    title, (first, second, *others) = game.title.en, game.seats({})
    chances = commands.add_parser("odds", help=f"how a battle of {title} would end")
    chances.add_argument("ours", metavar="ATTACKERS", help="for example '10 infantry 2 fighter'")
    chances.add_argument("theirs", metavar="DEFENDERS")
    chances.add_argument("--attacker", choices=(first, second, *others), default=first)
    chances.add_argument("--defender", choices=(first, second, *others), default=second)
    chances.add_argument("--sea", action="store_true", help="in a sea zone")
    chances.add_argument("--landing", action="store_true", help="from the sea; ships bombard")
    chances.add_argument(
        "--knows", action="append", default=[], metavar="'POWER CATEGORY STEP'", help="technology"
    )
    chances.set_defaults(run=_odds, game=game)


def _game_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("--seed", help="any words; the same words give the same shuffle")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the match, e.g. edition=de; deck=@FILE reads a deck file",
    )


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 game")
    return number


def _play(options: argparse.Namespace) -> int:
    game = game_called(options.game)
    table = hotseat.Table(
        game=game,
        setup=read_setup(options.option),
        secret=_secret(options.seed),
        language=options.language,
        narrated=options.narrate,
        partner=options.against,
        seat=options.seat,
    )
    return hotseat.play(table, options.save)


def _odds(options: argparse.Namespace) -> int:
    battle = PlannedBattle(
        Seat(options.attacker),
        options.ours,
        Seat(options.defender),
        options.theirs,
        tuple(options.knows),
        options.sea,
        options.landing,
    )
    print("\n".join(options.game.odds(battle)))
    return 0


def _secret(seed: str | None) -> bytes:
    """The secret of a match: from the words of the player, or from the machine."""
    return digest("seed", seed) if seed else os.urandom(SECRET_BYTES)


def _random(options: argparse.Namespace) -> int:
    setup = read_setup(options.option)
    plan = rehearsal.Plan(
        game_called(options.game), setup, options.games, options.seed, options.check
    )
    return rehearsal.run(plan, options.save)


if __name__ == "__main__":
    sys.exit(main())
