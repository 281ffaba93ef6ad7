"""Letters to four at round 8 of East & West: a turn, a receipt and news, beside the bare engine.

python -m tests.bench.large_letters     # the table alone
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.core import Event, Seat
from engine.east_and_west.state import State
from pbem.db import store
from pbem.key_ring import ring
from pbem.links import Links
from pbem.mail import pictures
from pbem.services.letters import composing
from pbem.services.letters.claims import claim
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import match_log
from pbem.services.records.letter_queue import QueuedLetter
from tests.bench.letters import _Never
from tests.bench.measuring import Ratio, compare, report
from tests.bench.pages import KEYS, at_round_eight, play_on
from tests.pbem.four_powers import FourPowers
from tests.services.people import NOW
from tests.services.powers import GAME

ROUNDS = 3
"""How often all four are written in one stretch."""
WHAT = "East & West at round 8: letters to four"
Work = Callable[[], int]


def letters_to_four() -> list[Ratio]:
    ring.use(lambda: KEYS)
    with at_round_eight() as table, store.connected():
        letters = _after_a_turn(table)
        kinds = sorted(letter.kind for letter in letters)
        assert kinds == ["moved", "moved", "receipt", "turn"], kinds
        links = Links(KEYS, "https://play.example")
        office = MailSettings(links, "pbem@play.example", "play.example", b"k", _Never())
        bare = _told_by_the_engine(table, letters)
        return [
            compare(
                f"{WHAT}, their maps drawn before, beside the engine alone",
                _written(office, letters, is_drawn=True),
                bare,
                "reported",
            ),
            compare(
                f"{WHAT}, their maps drawn now, beside the engine alone",
                _written(office, letters, is_drawn=False),
                bare,
                "reported",
            ),
        ]


def _after_a_turn(table: FourPowers) -> list[QueuedLetter]:
    """A power ends its turn, and all four hear of it."""
    power = table.state.board.turn.power
    while table.state.board.turn.power == power:
        store.execute("UPDATE outbox SET state = 'sent'")
        play_on(table)
    return claim("bench", NOW)


def _written(office: MailSettings, letters: Sequence[QueuedLetter], is_drawn: bool) -> Work:
    def write() -> int:
        for _ in range(ROUNDS):
            if not is_drawn:
                pictures.png.cache_clear()
            for letter in letters:
                is_pictured = b"Content-ID" in composing.build(office, letter, NOW)
                assert is_pictured == (letter.kind == "turn"), "only what asks for orders has a map"
        return ROUNDS

    return write


def _told_by_the_engine(table: FourPowers, letters: Sequence[QueuedLetter]) -> Work:
    """What the four letters say and show, from states and events that are at hand."""
    match = table.match
    seen: dict[int, tuple[State, list[Event]]] = {}
    for letter in letters:
        since = int(letter.about.get("from", 1)) - 1
        told = match_log.told_since(match, None, since, match.head_seq)
        events = [event for one in told for event in one.events]
        seen[letter.id] = match_log.state_at(match, since), events
    now = match_log.current(match)

    def tell() -> int:
        for _ in range(ROUNDS):
            for letter in letters:
                then, events = seen[letter.id]
                seat = Seat(str(letter.facts.seat_name))
                view, earlier = GAME.view(now, seat), GAME.view(then, seat)
                GAME.retold(earlier, events)
                GAME.report(view, earlier)
                GAME.report_markup(view, earlier)
                if letter.kind == "turn":
                    GAME.situation(view)
                    GAME.draw_map(view, GAME.picture(view, earlier))
        return ROUNDS

    return tell


if __name__ == "__main__":
    print(report(letters_to_four()))
