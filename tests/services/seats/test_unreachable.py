"""Who cannot be reached: marked, told of, asked about; and no turn ever waits for nothing."""

from __future__ import annotations

import smtplib
from collections.abc import Callable

import pytest

from engine.registry import GAMES
from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Stale, TransportError
from pbem.mail import refusals
from pbem.mail.parcels import LinkLost, NoWay, Parcel
from pbem.services.letters import outbox, verdicts
from pbem.services.letters.verdicts import REFUSED
from pbem.services.match import joining, matches, messages, timeouts, turns
from pbem.services.moderation import letter_lists
from pbem.services.operations import health, replay_check
from pbem.services.operations.ticking import Ticker
from pbem.services.players import accounts
from pbem.services.records.match_rows import LIVE, OVER, VACANT, get_match
from pbem.services.records.moderator_rows import moderator_at
from pbem.services.seats import stand_ins, unreachable
from pbem.services.staff import moderators
from pbem.services.time import pauses, stalled_turns
from tests.kit.quartet import SEATS, Quartet
from tests.mail.posting import WORKER, Bag, office_with, opened, text_of
from tests.services.moderator_kit import OPAL
from tests.services.people import (
    ANN,
    BOB,
    EVE,
    NOW,
    Sitting,
    id_of,
    turn_of,
    wanted,
)
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import Days, agree, armed, hand_over, open_turn

pytestmark = pytest.mark.whole

BLOCKED = TransportError("550 5.7.1 blocked, try later", permanent=True)
LIMIT = 3 * DAY


class World:
    """A worker, its clocks, and a mail server that refuses letters to some."""

    def __init__(self) -> None:
        self.bag, self.now, self.monotonic = Bag(), NOW, 1_000.0
        self.office, self.ticker = office_with(self.bag), Ticker()
        self.lost: set[str] = set()
        self.bag.trouble = self._answer
        self.answer: TransportError = BLOCKED

    def _answer(self, parcel: Parcel) -> TransportError | None:
        return self.answer if parcel.recipient in self.lost else None

    def work(self) -> None:
        self.ticker.tick(self.now, self.monotonic)
        outbox.drain(self.office, WORKER, self.now, stopwatch=lambda: 0.0)
        assert stalled_turns.idle() == []

    def passes(self, seconds: int, step: int = 590) -> None:
        end = self.now + seconds
        while self.now < end:
            gone = min(step, end - self.now)
            self.now, self.monotonic = self.now + gone, self.monotonic + gone
            self.work()

    def leaps(self, seconds: int) -> None:
        """The same from one moment at which something is due to the next."""
        end = self.now + seconds
        while self.now < end:
            moments = rows(
                "SELECT at FROM due UNION SELECT next_at FROM outbox WHERE state = 'queued'"
            )
            coming = [at for (at,) in moments if at > self.now]
            gone = min([end, *coming]) - self.now
            self.now, self.monotonic = self.now + gone, self.monotonic + gone
            execute("UPDATE heartbeat SET ticked_at = ?", self.now - 1)
            self.work()

    def read_by(self, address: str, what: str = "") -> list[str]:
        """The kinds of letters that somebody has got; those that say something."""
        letters = [opened(p.mime) for p in self.bag.parcels if p.recipient == address]
        return [
            str(one["X-PBEM-Kind"]) for one in letters if what in " ".join(text_of(one).split())
        ]


@pytest.fixture
def world(stored: str) -> World:
    return World()


@pytest.fixture
def lost(sitting: Sitting, world: World) -> Sitting:
    """It is Bob's turn, and his mail server refuses all letters."""
    without_vacation()
    world.lost.add(BOB)
    return sitting


# --- a refusal and what follows ------------------------------------------------------------------


def test_a_refusal_by_policy_is_tried_again_and_arrives(lost: Sitting, world: World) -> None:
    world.work()
    world.lost.clear()
    world.passes(HOUR)

    assert "turn" in world.read_by(BOB)
    assert unreachable.since(lost.bob) is None
    assert world.read_by(ANN, "We keep trying") == []
    assert open_turn(lost.match).since is not None


def test_who_refuses_again_is_marked_and_the_others_hear_of_it(lost: Sitting, world: World) -> None:
    with writing():
        moderators.add(OPAL, moderators.OPERATOR, "Opal", NOW)
    world.passes(HOUR)

    assert unreachable.since(lost.bob) is not None
    assert unreachable.among(get_match(lost.match)) == {1}
    assert world.read_by(ANN, "We keep trying") == ["away"]
    assert world.read_by(OPAL, lost.match) == ["moderator"]
    told = [text_of(letter) for letter in world.bag.letters]
    assert not any(BOB in text or "5.7.1" in text or "blocked" in text for text in told)
    world.passes(2 * DAY)
    assert world.read_by(ANN, "We keep trying") == ["away"], "once"


@pytest.mark.whole
@pytest.mark.parametrize("policy", ["claim", "forfeit", "default"])
def test_the_opponent_is_asked_how_to_go_on_and_nothing_ends_by_itself(
    lost: Sitting, world: World, policy: str
) -> None:
    agree(lost.match, policy=policy)
    world.passes(sum(REFUSED) + LIMIT + 2 * DAY)

    assert world.read_by(ANN, "/find") == ["claim"]
    world.passes(20 * DAY)
    assert get_match(lost.match).status == LIVE
    assert world.read_by(ANN, "/find") == ["claim"], "once"
    assert armed() != {}

    timeouts.claim_win(lost.match, 0, world.now)
    assert get_match(lost.match).status == OVER


def asked(lost: Sitting, world: World) -> None:
    world.passes(sum(REFUSED) + LIMIT + 2 * DAY)
    assert timeouts.claimable(get_match(lost.match), 0) is not None


def test_who_waits_may_give_more_time(lost: Sitting, world: World) -> None:
    asked(lost, world)
    timeouts.wait_on(lost.match, 0, world.now)
    assert open_turn(lost.match).deadline_at == world.now + LIMIT
    world.passes(LIMIT + 3 * DAY)

    assert world.read_by(ANN, "/find") == ["claim", "claim"]
    assert get_match(lost.match).status == LIVE


def test_who_waits_may_have_a_stand_in_sought(lost: Sitting, world: World) -> None:
    with writing():
        eve = accounts.known_or_new(EVE, NOW).id
        accounts.confirm(eve, NOW)
    stand_ins.volunteer(eve, True, NOW)
    asked(lost, world)
    timeouts.seek_stand_in(lost.match, 0, world.now)
    world.work()

    assert get_match(lost.match).seat(1).status == VACANT
    assert "stand_in" in world.read_by(EVE)
    with pytest.raises(Stale):
        timeouts.seek_stand_in(lost.match, 0, world.now)


def test_no_stand_in_is_sought_for_who_can_be_reached(lost: Sitting, world: World) -> None:
    agree(lost.match, policy="claim")
    world.lost.clear()
    world.passes(LIMIT + 2 * DAY)
    assert timeouts.claimable(get_match(lost.match), 0) is not None

    with pytest.raises(Stale, match="can be reached"):
        timeouts.seek_stand_in(lost.match, 0, world.now)


def test_who_can_be_reached_again_has_a_letter_and_all_of_the_time(
    lost: Sitting, world: World
) -> None:
    asked(lost, world)
    world.lost.clear()
    accounts.ask_for_own_page(BOB, world.now)
    world.passes(600)

    assert unreachable.since(lost.bob) is None
    assert world.read_by(BOB).count("turn") == 1
    assert open_turn(lost.match).deadline_at >= world.now + LIMIT - 1_200
    assert world.read_by(ANN, "getting through again") == ["away"]
    assert timeouts.claimable(get_match(lost.match), 0) is None


def test_who_can_be_reached_again_in_a_pause_has_a_letter(lost: Sitting, world: World) -> None:
    asked(lost, world)
    pauses.pause(lost.match, world.now)
    world.lost.clear()
    accounts.ask_for_own_page(BOB, world.now)
    world.passes(600)

    assert world.read_by(BOB).count("turn") == 1
    assert open_turn(lost.match).allowed == open_turn(lost.match).budget


@pytest.mark.parametrize(
    "problem", [TransportError("550 5.7.1 sender rejected"), LinkLost("hung up"), NoWay("login")]
)
def test_nobody_is_marked_for_what_our_own_server_does(
    sitting: Sitting, world: World, problem: TransportError
) -> None:
    """It takes no letter at all for days; when it does, whoever was not told has all the time."""
    without_vacation()
    world.answer, world.lost = problem, {ANN, BOB}
    execute("UPDATE outbox SET attempts = ?", verdicts.MOST_TRIES - 1)
    world.passes(HOUR)
    assert unreachable.among(get_match(sitting.match)) == set()
    assert ("dead",) in rows("SELECT state FROM outbox WHERE kind = 'turn'")

    world.lost.clear()
    accounts.ask_for_own_page(BOB, world.now)
    world.passes(600)
    assert world.read_by(BOB).count("turn") == 1
    assert open_turn(sitting.match).deadline_at >= world.now + LIMIT - 1_200


def test_a_turn_letter_that_nobody_takes_is_not_written_for_ever(
    lost: Sitting, world: World
) -> None:
    """His server takes every letter but those."""
    world.lost.clear()
    world.bag.trouble = lambda parcel: (
        BLOCKED if opened(parcel.mime)["X-PBEM-Kind"] == "turn" else None
    )
    for _ in range(20):
        accounts.ask_for_own_page(BOB, world.now)
        world.leaps(DAY)

    found = row("SELECT COUNT(*) FROM outbox WHERE kind = 'turn' AND player_id = ?", lost.bob)
    assert found == (unreachable.MOST_ASKED,)


def test_whoever_comes_by_a_link_is_reached(lost: Sitting, world: World) -> None:
    world.passes(HOUR)
    assert unreachable.since(lost.bob) is not None
    turns.submit(turn_of(lost.match).id, ["first usa"], world.now)

    assert unreachable.since(lost.bob) is None


def test_a_mistyped_invitation_is_told_to_who_invites(world: World) -> None:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    world.lost.add(BOB)
    world.passes(HOUR)

    assert world.read_by(ANN, "is not getting through") == ["away"]
    assert unreachable.among(get_match(match)) == {1}
    joining.accept(match, 1, id_of(BOB), joining.Joining("Bob", "en", "UTC", ""), world.now)
    assert unreachable.among(get_match(match)) == set()


@pytest.mark.alone
def test_in_a_match_of_many_somebody_else_is_sought(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "quartet", Quartet())
    addresses = [ANN, BOB, "cid@example.org", "dan@example.org"]
    by_seat = dict(zip(SEATS, addresses, strict=True))
    match = matches.create(wanted(game="quartet", addresses=by_seat, creator=None), NOW)
    for number, address in enumerate(addresses):
        says = joining.Joining(address[:3].title(), "en", "UTC", "")
        joining.accept(match, number, id_of(address), says, NOW)
    without_vacation()
    days = Days(NOW)
    days.tick()
    hand_over(NOW)
    late = get_match(match).seat(open_turn(match).seat)
    days.passes(LIMIT - 300)
    days.now, days.monotonic = days.now + 590, days.monotonic + 590
    days.tick()
    with writing():
        execute("UPDATE outbox SET state = 'dead' WHERE kind = 'late' AND seat = ?", late.number)
        execute("UPDATE player SET unreachable_since = ? WHERE id = ?", days.now, late.player)
    days.passes(unreachable.PATIENCE - HOUR)
    assert rows("SELECT * FROM loan") == []
    days.passes(2 * HOUR)

    assert rows("SELECT seat, owner_id FROM loan") == [(late.number, late.player)]
    assert stalled_turns.idle() == []


def test_a_refused_letter_does_not_hold_up_what_came_later(lost: Sitting, world: World) -> None:
    """A letter that is refused for what it says, not for whom it is to."""
    world.lost.clear()
    world.bag.trouble = lambda p: BLOCKED if b"X-PBEM-Kind: turn" in p.mime else None
    world.passes(HOUR)
    messages.say(lost.match, 0, "Are you there?", world.now)
    world.work()

    assert "message" in world.read_by(BOB)


# --- every answer of a server, at every stage ----------------------------------------------------

CODES = [
    *("421 4.3.2 closing", "450 4.2.1 busy", "450 4.7.1 greylisted", "451 4.3.0 later"),
    *("452 4.2.2 mailbox full", "452 4.5.3 too many", "454 4.7.0 no tls", "455 4.5.0 no"),
    *("500 5.5.2 what", "501 5.1.3 bad address", "502 5.5.1 no", "503 5.5.1 order", "504 5.5.4 no"),
    *("521 5.3.2 no mail here", "530 5.7.0 log in", "535 5.7.8 wrong", "541 5.7.1 spam"),
    *("550 5.1.1 no such user", "550 5.7.1 blocked, try later", "550 5.7.26 not authenticated"),
    *("551 5.1.6 moved", "552 5.2.2 full", "552 5.3.4 too large", "553 5.1.8 sender"),
    *("554 5.7.1 denied",),
]
STAGES: dict[str, Callable[[int, bytes], Exception]] = {
    "mail": lambda code, words: smtplib.SMTPSenderRefused(code, words, "pbem@play.example"),
    "rcpt": lambda code, words: smtplib.SMTPRecipientsRefused({BOB: (code, words)}),
    "data": smtplib.SMTPDataError,
}


@pytest.mark.parametrize("answer", ["452 4.2.2 mailbox full", "554 5.7.1 denied"])
def test_whatever_a_server_answers_the_match_goes_on(lost: Sitting, answer: str) -> None:
    answered(lost, "rcpt", answer)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_whatever_a_server_answers_at_any_stage_the_match_goes_on(
    lost: Sitting, stage: str
) -> None:
    """25 codes at each stage: told of, and a choice for the opponent, within two weeks."""
    assert len(CODES) == 25
    for answer in CODES:
        answered(lost, stage, answer)


def answered(lost: Sitting, stage: str, answer: str) -> None:
    """A new match, whose second player's server answers so; most tries lie behind."""
    code, _, words = answer.partition(" ")
    error = STAGES[stage](int(code), words.encode())
    problem = TransportError(refusals.in_words(error), refusals.permanence(error) == "permanent")
    execute("DELETE FROM outbox")
    execute("DELETE FROM due")
    execute("UPDATE player SET unreachable_since = NULL")
    execute("UPDATE turn SET closed_seq = 0 WHERE closed_seq IS NULL")
    execute("UPDATE match SET status = 'over'")
    world = World()
    execute("DELETE FROM heartbeat")
    sitting = matches.create(wanted(), world.now)
    joining.confirmed(lost.ann, world.now)
    joining.accept(sitting, 1, lost.bob, joining.Joining("Bob", "en", "UTC", ""), world.now)
    world.answer, world.lost = problem, {BOB}
    execute("UPDATE outbox SET attempts = ? WHERE player_id = ?", 240, lost.bob)
    world.work()
    world.leaps(9 * DAY)

    assert world.read_by(ANN, "We keep trying") == ["away"], answer
    assert world.read_by(ANN, "/find") == ["claim"], answer


@pytest.mark.parametrize("problem", [LinkLost("timed out"), NoWay("refused")])
def test_a_turn_whose_letter_never_leaves_has_a_clock(
    lost: Sitting, world: World, problem: TransportError
) -> None:
    world.answer = problem
    execute("UPDATE outbox SET attempts = ?", verdicts.MOST_TRIES - 1)
    world.passes(HOUR)

    assert open_turn(lost.match).since is not None
    assert (unreachable.since(lost.bob) is None) == isinstance(problem, NoWay), "not his fault"


# --- next moments --------------------------------------------------------------------------------


def test_a_letter_that_an_operator_gives_up_starts_its_clock(sitting: Sitting) -> None:
    with writing():
        moderators.add(OPAL, moderators.OPERATOR, "Opal", NOW)
    opal = moderator_at(OPAL)
    assert opal is not None
    ((letter,),) = rows("SELECT id FROM outbox WHERE kind = 'turn'")
    letter_lists.abort(opal, letter, "the address is wrong", NOW + 5)

    assert open_turn(sitting.match).since == NOW + 5
    assert stalled_turns.idle() == []


def stop_waiting(sitting: Sitting) -> None:
    """As an older version has left matches: the turn letter is dead, and nothing follows."""
    execute("UPDATE outbox SET state = 'dead' WHERE kind = 'turn'")


def forget_the_alarm(sitting: Sitting) -> None:
    outbox.drain(office_with(Bag()), WORKER, NOW)
    execute("DELETE FROM due")


def pause_without_end(sitting: Sitting) -> None:
    outbox.drain(office_with(Bag()), WORKER, NOW)
    pauses.pause(sitting.match, NOW)
    execute("DELETE FROM due")


def stop_the_clock(sitting: Sitting) -> None:
    outbox.drain(office_with(Bag()), WORKER, NOW)
    execute("UPDATE turn SET since = NULL")
    execute("DELETE FROM due")


@pytest.mark.parametrize(
    "harm", [stop_waiting, forget_the_alarm, pause_without_end, stop_the_clock]
)
def test_a_turn_that_waits_for_nothing_is_seen_and_mended(
    sitting: Sitting, harm: Callable[[Sitting], None]
) -> None:
    assert health.idle_turns() is None
    harm(sitting)
    turn = open_turn(sitting.match)

    assert stalled_turns.idle() == [(sitting.match, turn.id)]
    assert health.idle_turns() == f"turns wait for nothing in these matches: {sitting.match}"
    fault = replay_check.replayed(get_match(sitting.match)).fault
    assert fault is not None and fault.what == "idle"
    assert str(fault) == f"match {sitting.match}: after entry 0 its turn is waiting for nothing"

    assert stalled_turns.mend(NOW + 60) == 1
    assert stalled_turns.idle() == []
    assert health.idle_turns() is None
    assert replay_check.replayed(get_match(sitting.match)).fault is None
    assert row("SELECT COUNT(*) FROM due") == (1,)
