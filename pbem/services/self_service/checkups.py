"""Check-ups: a letter with sample boards, and how letters show boards after it."""

from __future__ import annotations

import secrets

from engine.text import printable
from pbem.board_shapes import FORMS, WIDTHS, Shape
from pbem.db.models import Player
from pbem.db.store import writing
from pbem.errors import Refused
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.player_rows import PlayerRecord, get_player

LETTER = "checkup"


def send(player: PlayerRecord, now: int) -> None:
    """Owe a player the letter with the samples; five a day are enough."""
    with writing():
        limits.by_player(LETTER, player.id, now)
        key = f"{now}:{secrets.token_hex(4)}"
        letter_queue.queue([letter_queue.to_player(player.id, player.epoch, LETTER, key)], now)


def shape_of(form: str, width: str | int) -> Shape:
    """How boards are shown, as it was typed or stands in a link."""
    if form not in FORMS:
        raise Refused(
            "“%(form)s” is not a way to show boards; choose from %(forms)s",
            form=printable(form[:20]),
            forms=", ".join(FORMS),
        )
    columns = next((known for known in WIDTHS if str(known) == str(width)), None)
    if columns is None:
        raise Refused(
            "a line cannot have “%(width)s” columns; choose from %(widths)s",
            width=printable(str(width)[:20]),
            widths=", ".join(map(str, WIDTHS)),
        )
    return Shape(form, columns)


def choose(player: int, shape: Shape) -> PlayerRecord:
    """Letters to a player show boards so from now on."""
    with writing():
        Player.update(board_form=shape.form, board_width=shape.width).where(
            Player.id == player
        ).execute()
        return get_player(player)
