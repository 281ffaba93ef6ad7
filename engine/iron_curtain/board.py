"""What everybody may see: the variant, the face-up cards, and what is being asked."""

from __future__ import annotations

from msgspec import Struct

from engine.core import Seat
from engine.iron_curtain.deck import USA, USSR, Deck, Edition, editions
from engine.iron_curtain.grid import Cell

CUBES = 24
FLAG_SPACE = 8
ROUNDS = 2
TURNS_IN_ROUND = 8
FIRST_DEAL, SECOND_DEAL = 5, 4


class Variant(Struct, frozen=True, gc=False):
    """What was agreed before the match."""

    edition: str
    deck: Deck
    connected: bool = False

    @property
    def rules(self) -> Edition:
        return editions()[self.edition]


class Country(Struct, frozen=True, gc=False):
    """A card face up on the table, with the cubes on it."""

    card: str
    cell: Cell
    usa: int = 0
    ussr: int = 0

    def cubes(self, side: Seat) -> int:
        return self.usa if side == USA else self.ussr

    def lead(self, side: Seat) -> int:
        """How many cubes more than the opponent; 1 is a majority, 2 a lock."""
        return self.usa - self.ussr if side == USA else self.ussr - self.usa

    def plus(self, side: Seat, cubes: int) -> Country:
        if side == USA:
            return Country(self.card, self.cell, self.usa + cubes, self.ussr)
        return Country(self.card, self.cell, self.usa, self.ussr + cubes)


# What is being asked, or still has to happen: the last frame of a stack comes first.


class ChooseFirst(Struct, frozen=True, tag=True, gc=False):
    """Say who takes the first turn of the round."""

    seat: Seat


class PlayCard(Struct, frozen=True, tag=True, gc=False):
    """Place a card of the hand."""

    seat: Seat


class UseCard(Struct, frozen=True, tag=True, gc=False):
    """A card of one's own flag lies on the table: event, if it can do something, or command."""

    seat: Seat
    card: str
    has_event: bool


class Answer(Struct, frozen=True, tag=True, gc=False):
    """The opponent played a card of this seat's flag: use its event or decline."""

    seat: Seat
    card: str


class Resolve(Struct, frozen=True, tag=True, gc=False):
    """Effects of an event that are still to come, from `effect` on."""

    seat: Seat
    card: str
    effect: int


class CommandCard(Struct, frozen=True, tag=True, gc=False):
    """The command of a card, to begin when the opponent's event is over."""

    seat: Seat
    card: str


class Commanding(Struct, frozen=True, tag=True, gc=False):
    """Place cubes for points onto cards that were in reach when it began."""

    seat: Seat
    card: str
    points: int
    targets: tuple[str, ...]


class Infiltrating(Struct, frozen=True, tag=True, gc=False):
    """Place up to `left` cubes; a card stands in `targets` once for each cube it may take."""

    seat: Seat
    card: str
    left: int
    targets: tuple[str, ...]


class Removing(Struct, frozen=True, tag=True, gc=False):
    """Take up to `left` of the opponent's cubes off the targets."""

    seat: Seat
    card: str
    left: int
    targets: tuple[str, ...]


class Gathering(Struct, frozen=True, tag=True, gc=False):
    """Move up to `left` cubes of `owner` from the sources onto the card."""

    seat: Seat
    card: str
    left: int
    owner: Seat
    sources: tuple[str, ...]


class Relocating(Struct, frozen=True, tag=True, gc=False):
    """Move one face-up card."""

    seat: Seat
    card: str


Frame = (
    ChooseFirst
    | PlayCard
    | UseCard
    | Answer
    | Resolve
    | CommandCard
    | Commanding
    | Infiltrating
    | Removing
    | Gathering
    | Relocating
)


def opponent(side: Seat) -> Seat:
    return USSR if side == USA else USA
