"""What each seat may know of a match: everything but what the others say in advance."""

from __future__ import annotations

import pytest

from engine.abilities import DeckProofs, Forecasts
from engine.chance import QuickDice, SealedDice
from engine.core import Seat
from engine.east_and_west.data.powers import POWERS, USSR, WE
from engine.east_and_west.standing import NONE, DelayedOrder, Plan, Standing
from tests.engine.east_and_west.kit import GAME, play, state

SECRETS = {
    "ussr": Standing(plans={"france": Plan(after=2)}, asks=("poland",)),
    "we": Standing(later=(DelayedOrder("buy 4 infantry"),), losses={"": ("armor",)}),
    "uk": Standing(share={WE: "never"}),
}


@pytest.mark.parametrize("seat", [*POWERS, None])
def test_a_view_holds_the_own_standing_orders_and_no_others(seat: Seat | None) -> None:
    position = state("poland ussr 1 infantry", standing=SECRETS)
    view = GAME.view(position, seat)
    assert view.board == position.board
    assert view.standing == SECRETS.get(seat or "", NONE)
    assert view.seat == seat


def test_a_stranger_sees_what_a_spectator_sees() -> None:
    position = state(standing=SECRETS)
    assert GAME.view(position, Seat("nobody")) == GAME.view(position, None)


@pytest.mark.parametrize("seat", [*POWERS, None])
def test_an_imagined_state_looks_the_same(seat: Seat | None) -> None:
    position = state("poland ussr 1 infantry", standing=SECRETS)
    view = GAME.view(position, seat)
    imagined = GAME.imagine(view, QuickDice(b"any"))
    assert GAME.view(imagined, seat) == view
    assert GAME.resample_hidden(position, seat, QuickDice(b"any")) == imagined
    assert all(imagined.orders(other) == NONE for other in POWERS if other != seat)


def test_a_closed_match_asks_nobody() -> None:
    view = GAME.view(state(), USSR)
    assert view.asked == USSR
    closed = GAME.closed(view)
    assert closed.asked is None
    assert "The match is over." in GAME.render(closed)
    assert "The match is over." in GAME.narrate(closed)


def test_there_are_no_cards() -> None:
    assert not isinstance(GAME, DeckProofs | Forecasts)


def test_a_plan_is_nobody_elses_business() -> None:
    position = state("poland ussr 2 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 2 infantry")
    step = GAME.apply(position, USSR, GAME.parse("plan west-germany retreat after 1"), SealedDice())
    assert all(not event.heard_by(WE) for event in step.events)
    assert GAME.view(step.state, WE) == GAME.view(position, WE)
