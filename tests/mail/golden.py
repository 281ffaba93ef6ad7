"""The golden letters: one of each kind and mood, from a match whose chance is fixed.

python -m tests.mail.golden     # write tests/mail/golden/*.txt anew; then read the difference
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch

from engine.chance import QuickDice
from pbem import store
from pbem.services import matches, outbox, people, turns
from pbem.services.matches import Joining
from pbem.services.records import LIVE, get_match
from tests.mail.posting import WORKER, Bag, office_with, opened, text_of
from tests.services.people import ANN, BOB, NOW, an_order, id_of, turn_of, wanted

FOLDER = Path(__file__).parent / "golden"
HOUR = 3_600


class Desk:
    """Ann and Bob with their letters, each named when it comes."""

    def __init__(self) -> None:
        self.bag, self.named = Bag(), dict[str, EmailMessage]()
        self.office, self.now = office_with(self.bag), NOW

    def post(self, **names: str) -> None:
        """An hour passes, letters leave; `names` says which kind to keep under which name."""
        self.now += HOUR
        start = len(self.bag.parcels)
        outbox.drain(self.office, WORKER, self.now)
        for letter in (opened(parcel.mime) for parcel in self.bag.parcels[start:]):
            name = names.get(str(letter["X-PBEM-Kind"]))
            if name is not None:
                self.named[name] = letter


def golden_letters() -> dict[str, EmailMessage]:
    """Every golden letter by name; needs an open, empty store."""
    numbers = iter(range(1, 100))
    with (
        patch.object(matches, "new_id", lambda: f"match{next(numbers):05}"),
        patch("secrets.token_bytes", lambda size: bytes(range(size))),
    ):
        desk = Desk()
        _whole_match(desk)
        _short_matches(desk)
        return desk.named


def _whole_match(desk: Desk) -> None:
    match = matches.create(wanted(setup={"edition": "fr"}, pace=36 * HOUR), desk.now)
    desk.post(confirm="confirm")
    matches.confirmed(id_of(ANN), desk.now)
    desk.post(invitation="invitation")
    bob = Joining("Bób O'Neil", "en", "Europe/Berlin", "it rains in Berlin")
    matches.accept(match, 1, id_of(BOB), bob, desk.now)
    desk.post(started="started", turn="turn_first")
    choice = QuickDice(b"golden")
    for number, name in enumerate(["receipt", "turn_second", "", "turn_some", "turn_many"]):
        _play(desk, match, choice, orders=1 + number % 2)
        if number == 2:
            matches.say(
                match, 0, "Hello <Bob>,\nlovely weather. " + "Rain and more rain. " * 8, desk.now
            )
            matches.offer_draw(match, 0, desk.now)
        desk.post(message="message_draw", **({name.partition("_")[0]: name} if name else {}))
    _until_over(desk, match, choice)
    people.ask_for_own_page(BOB, desk.now)
    desk.post(you="you")


def _play(desk: Desk, match: str, choice: QuickDice, orders: int) -> None:
    for _ in range(orders):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], desk.now)


def _until_over(desk: Desk, match: str, choice: QuickDice) -> None:
    while get_match(match).status == LIVE:
        _play(desk, match, choice, 1)
        desk.post(finished="finished")


def _short_matches(desk: Desk) -> None:
    first = _begun(desk)
    matches.say(first, 1, "Good luck!", desk.now)
    desk.post(message="message")
    turns.submit(turn_of(first).id, ["first usa"], desk.now)
    turns.rewind(first, 0, "moderator", desk.now)
    desk.post(moved="moved", turn="turn_after_rewind")
    matches.resign(first, 0, desk.now)
    desk.post(finished="finished_by_resignation")
    second = _begun(desk)
    matches.cancel(second, "moderator", desk.now)
    desk.post(cancelled="cancelled")
    third = matches.create(wanted(), desk.now)
    matches.confirmed(id_of(ANN), desk.now)
    desk.post()
    matches.decline(third, 1, id_of(BOB), desk.now)
    desk.post(declined="declined")
    fourth = matches.create(wanted(creator=None), desk.now)
    desk.post(invitation="invitation_from_operator")
    assert fourth


def _begun(desk: Desk) -> str:
    match = matches.create(wanted(phrase=""), desk.now)
    matches.confirmed(id_of(ANN), desk.now)
    matches.accept(match, 1, id_of(BOB), Joining("Bob", "en", "Europe/Berlin", ""), desk.now)
    desk.post(started="started_without_phrases")
    return match


def shown(letter: EmailMessage) -> str:
    """A letter as its golden file has it: headers, an empty line, the text part."""
    kept = [f"{name}: {value}" for name, value in letter.items() if name != "Content-Type"]
    return "\n".join([*kept, "", text_of(letter)])


def files() -> Iterator[tuple[Path, str]]:
    for name, letter in golden_letters().items():
        yield FOLDER / f"{name}.txt", shown(letter)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store.open_database(f"sqlite:///{folder}/golden.db")
        store.migrate()
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob("*.txt"):
            old.unlink()
        for path, text in files():
            path.write_text(text, "utf-8")
            print(path.name)
        store.database.close()


if __name__ == "__main__":
    main()
