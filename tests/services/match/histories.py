"""Random acts in a few matches by many at once, written down with their ends; and the check of it.

`act_at_random` lets threads act on the store that is open. Each act is entered with when it began
and ended, on a clock that all processes share, and with what it was answered. `faults_of` reads
the store afterwards and says what the history and the store do not agree about:

    lost        an accepted act of which the log or the tables say nothing
    doubled     entries of the log that no accepted act has written
    stale       orders that were accepted for a turn that was over, or behind a later act
    answered    anything but a yes or a polite no: a locked database, a circle of waits, a fault
    differs     a match whose log, replayed, is not what is stored

Alone it does its share for a history of several processes:
`python -m tests.services.match.histories URL BEGUN SEED SHARE ACTS FILE`.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.chance import QuickDice
from engine.core import GameError
from engine.registry import GAMES
from engine.terminal.rehearsal import random_order
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused
from pbem.key_ring import ring
from pbem.links import order_code
from pbem.services.agreements import rematches, takebacks
from pbem.services.inbox import arrivals, working
from pbem.services.letters import claims, recording
from pbem.services.letters.verdicts import Batch, Verdict
from pbem.services.match import (
    drafts,
    joining,
    link_orders,
    match_log,
    matches,
    move_rows,
    timeouts,
    turns,
)
from pbem.services.match.joining import Joining
from pbem.services.match.turns import Receipt
from pbem.services.moderation import match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.operations import replay_check
from pbem.services.operations.ticking import HANDLERS
from pbem.services.records.letter_queue import SENT
from pbem.services.records.match_rows import (
    LIVE,
    MatchRecord,
    TurnRecord,
    get_match,
    locked,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins
from pbem.services.self_service import address_changes, revocation
from pbem.services.time import absences, alarms, pauses
from tests.games.stones.game import Stones
from tests.mail.posting import KEYS
from tests.services.inbox.mailing import raw_mail, read_plainly, reply_address
from tests.services.people import NOW, id_of, sit_down, wanted
from tests.services.powers import four_people
from tests.services.waiting import agree

STONES = Stones()
THREADS = 4
PACE = 600
"""Seconds of the clock of these matches that pass in one of ours."""
SOON = {"per_move": 20 * 60, "grace": 10 * 60, "most_pause": 2 * DAY}
"""So that time runs out in a history of a few seconds."""
LEASE = 30 * DAY
"""How long a letter or a mail stays whose it is: no act takes longer, by that clock."""
ACCEPTED, NO = "accepted", "no"


class Done(NamedTuple):
    """An act, and how it ended."""

    name: str
    match: str
    seat: int
    began: float
    ended: float
    answer: str
    """accepted, no, or what went wrong."""
    first: int = 0
    last: int = 0
    """The entries that it has written, where it knows them."""
    turn: int = 0
    sent: int = 0
    texts: tuple[str, ...] = ()
    span: tuple[int, int] = (0, 0)


class Clock(NamedTuple):
    """One for all threads and processes of a history."""

    begun: float

    def __call__(self) -> int:
        return NOW + int((time.monotonic() - self.begun) * PACE)


class Scene(NamedTuple):
    """What an act may use: chance of its own, and the time."""

    chance: random.Random
    clock: Clock
    worker: str

    @property
    def now(self) -> int:
        return self.clock()

    def a_match(self) -> MatchRecord:
        """Mostly one that is being played."""
        found = store.rows("SELECT id, status FROM match ORDER BY id")
        live = [one for one in found if one[1] == LIVE]
        match, _ = self.chance.choice(live if live and self.chance.random() < 0.9 else found)
        return get_match(match)

    def an_open_turn(self) -> tuple[MatchRecord, TurnRecord]:
        match = self.a_match()
        found = open_turns(match.id)
        if not found:
            raise Refused("there is no open turn")
        return match, self.chance.choice(found)

    def a_seat(self) -> tuple[MatchRecord, int]:
        match = self.a_match()
        return match, self.chance.randrange(len(match.seats))

    def an_order(self, match: MatchRecord, turn: TurnRecord) -> str:
        seat = match.seat(turn.seat).name
        state = match_log.current(match)
        if seat not in match.game.waiting_on(state):
            raise Refused("somebody else is asked by now")
        return random_order(match.game, state, seat, QuickDice(self.chance.randbytes(8)))

    def hesitate(self) -> None:
        """Between looking and acting, so that others act meanwhile."""
        time.sleep(self.chance.random() * 0.004)


Entered = dict[str, Any]


# --- what players do ------------------------------------------------------------------------------


def _written(receipt: Receipt | Any) -> Entered:
    if not isinstance(receipt, Receipt):
        return {}
    return {"first": receipt.first_seq, "last": receipt.last_seq, "texts": receipt.orders}


def press_link(scene: Scene) -> Entered:
    """The link of an order, pressed once or twice."""
    match, turn = scene.an_open_turn()
    code = order_code(match.secret, turn.id, scene.an_order(match, turn))
    scene.hesitate()
    with store.writing():
        played = link_orders.play_coded(*turns.held(turn.id), code, scene.now)
    return {"match": match.id, "seat": turn.seat, "turn": turn.id, **_written(played)}


def send_orders(scene: Scene) -> Entered:
    """The page of a turn, which says how many orders it has seen."""
    match, turn = scene.an_open_turn()
    sent, order = turns.sent_in(match, turn), scene.an_order(match, turn)
    scene.hesitate()
    receipt = turns.submit(turn.id, [order], scene.now, sent)
    return {"match": match.id, "seat": turn.seat, "turn": turn.id, "sent": sent} | _written(receipt)


def send_late(scene: Scene) -> Entered:
    """A page that has been open for long: its turn may be over, and somebody's turn again."""
    match, turn = scene.an_open_turn()
    before = store.rows(
        "SELECT id FROM turn WHERE match_id = ? AND seat = ? ORDER BY id DESC LIMIT 4",
        match.id,
        turn.seat,
    )
    (number,) = scene.chance.choice(before)
    receipt = turns.submit(number, [scene.an_order(match, turn)], scene.now)
    return {"match": match.id, "seat": turn.seat, "turn": number, "sent": -1} | _written(receipt)


def draft(scene: Scene) -> Entered:
    match, turn = scene.an_open_turn()
    order, shown = scene.an_order(match, turn), len(move_rows.draft_of(turn.id))
    scene.hesitate()
    with store.writing():
        tried = drafts.compose(*turns.held(turn.id), [order], shown, scene.now)
    if tried is None:
        raise Refused("the page showed another draft")
    return {"match": match.id, "seat": turn.seat, "turn": turn.id, "texts": tried.orders}


def reply(scene: Scene) -> Entered:
    """A mail comes in; a worker will read it."""
    match, turn = scene.an_open_turn()
    order = scene.an_order(match, turn)
    player = match.seat(turn.seat).player
    if player is None:
        raise Refused("nobody sits there")
    to, mail = reply_address(turn), get_player(player).address
    raw = raw_mail(to, order.replace(" ", "_"), f"<{scene.chance.random()}@client>", mail)
    for _ in range(scene.chance.choice([1, 1, 2])):  # mail servers deliver again
        if arrivals.keep(mail, [to], raw, scene.now) != [True]:
            raise Refused("the address was revoked meanwhile")
    return {"match": match.id, "seat": turn.seat, "turn": turn.id}


def _read(raw: bytes, sender: str, authserv_id: str) -> Any:
    mail = read_plainly(raw, sender, authserv_id)
    return replace(mail, own_words=tuple(word.replace("_", " ") for word in mail.own_words))


@contextmanager
def at_seat(match: MatchRecord, seat: int) -> Iterator[None]:
    """As the pages of a seat act: in a transaction in which somebody still sits there."""
    with locked(match.id):
        if get_match(match.id).seat(seat).player is None:
            raise Refused("nobody sits there")
        yield


def resign(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    if scene.chance.random() < 0.9:  # or every match would soon be over
        raise Refused("on second thoughts, no")
    with at_seat(match, seat):
        matches.resign(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


def draw(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    act = scene.chance.choice([matches.offer_draw, matches.decline_draw, matches.decline_draw])
    with at_seat(match, seat):
        act(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


def takeback(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    with at_seat(match, seat):
        takebacks.ask(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


def answer_takeback(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    seen = match_log.public_head(match)
    scene.hesitate()
    with at_seat(match, seat):
        if scene.chance.random() < 0.7:
            takebacks.agree(match.id, seat, seen, scene.now)
        else:
            takebacks.decline(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


def pause(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    act = scene.chance.choice([pauses.want_pause, pauses.end_pause])
    with at_seat(match, seat):
        act(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


def _a_player(scene: Scene) -> int:
    match, seat = scene.a_seat()
    player = match.seat(seat).player
    if player is None:
        raise Refused("nobody sits there")
    return player


def book_absence(scene: Scene) -> Entered:
    player = _a_player(scene)
    start = scene.now + scene.chance.randrange(1, 40) * DAY
    end = start + scene.chance.randrange(1, 10) * HOUR
    absences.book(player, start, end, scene.now)
    return {"seat": player, "span": (start, end)}


def renew_links(scene: Scene) -> Entered:
    revocation.by_player(_a_player(scene), scene.now)
    return {}


def change_address(scene: Scene) -> Entered:
    """Asked for, called off, or confirmed when the old address has had its time."""
    player = _a_player(scene)
    found = address_changes.waiting(player, scene.now)
    if found is None:
        new = f"new{scene.chance.randrange(10**9)}@example.org"
        with store.writing():
            address_changes.ask(get_player(player), new, "asked", scene.now)
    elif scene.chance.random() < 0.5:
        address_changes.call_off(player, scene.now)
    else:
        address_changes.confirm(found.id, scene.now)
    return {}


def lend_seat(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    loan = loans.pending(match.id, seat)
    if loan is None:
        start = scene.now + HOUR
        with at_seat(match, seat):
            stand_ins.lend(match.id, seat, start, start + 2 * DAY, "sam@example.org", scene.now)
    elif scene.chance.random() < 0.5:
        stand_ins.accept(loan.id, id_of("sam@example.org"), scene.now)
    else:
        stand_ins.withdraw(loan.id, scene.now)
    return {"match": match.id, "seat": seat}


def rematch(scene: Scene) -> Entered:
    """Those who have played to the end ask for another match, and agree to it."""
    over = store.rows("SELECT id FROM match WHERE status = 'over' ORDER BY id")
    if not over:
        raise Refused("no match is over yet")
    match = get_match(*scene.chance.choice(over))
    rematches.ask(match.id, scene.chance.randrange(len(match.seats)), "", scene.now)
    return {}


def claim_win(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    act = scene.chance.choice([timeouts.claim_win, timeouts.wait_on, timeouts.wait_on])
    with at_seat(match, seat):
        act(match.id, seat, scene.now)
    return {"match": match.id, "seat": seat}


# --- what moderators do ---------------------------------------------------------------------------


def moderate(scene: Scene) -> Entered:
    match, seat = scene.a_seat()
    params = {
        "pause": Params(),
        "resume": Params(),
        "extend": Params(seat=seat, hours=2),
        "rewind": Params(entry=max(0, match.head_seq - scene.chance.randrange(1, 5))),
        "open_seat": Params(seat=seat),
        "default": Params(seat=seat),
        "resend": Params(seat=seat),
        "revoke": Params(seat=seat),
    }
    name = scene.chance.choice(list(params))
    if name == "open_seat" and scene.chance.random() < 0.8:
        raise Refused("on second thoughts, no")
    scene.hesitate()
    match_acts.perform(None, match.id, match_acts.ACTS[name], params[name], "a test", scene.now)
    return {"match": match.id, "seat": seat}


# --- what workers do ------------------------------------------------------------------------------


def tick(scene: Scene) -> Entered:
    alarms.ring(scene.now, HANDLERS)
    return {}


def drain(scene: Scene) -> Entered:
    """Letters leave; a mail server takes each of them."""
    letters = claims.claim(scene.worker, scene.now)
    scene.hesitate()
    taken = [Verdict(letter.id, SENT, 1, scene.now) for letter in letters]
    if taken:
        recording.record(scene.worker, Batch(taken, [], True), scene.now)
    return {}


def read_mail(scene: Scene) -> Entered:
    working.work(_read, scene.worker, scene.now, lambda: 0.0)
    return {}


ACTS: dict[Callable[[Scene], Entered], int] = {
    press_link: 16,
    send_orders: 18,
    send_late: 8,
    draft: 6,
    reply: 10,
    resign: 1,
    draw: 3,
    takeback: 5,
    answer_takeback: 6,
    pause: 2,
    book_absence: 3,
    renew_links: 1,
    change_address: 2,
    lend_seat: 2,
    rematch: 4,
    claim_win: 2,
    moderate: 5,
    tick: 8,
    drain: 8,
    read_mail: 8,
}
"""How often each is done, beside the others."""


# --- doing it -------------------------------------------------------------------------------------


def set_up(now: int = NOW) -> None:
    """Matches of three games, by people some of whom play in several."""
    begun = [sit_down(now).match for _ in range(3)] + [four_people(now) for _ in range(2)]
    begun += [_stones(now) for _ in range(3)]
    for match in begun:
        agree(match, **SOON)


def _stones(now: int) -> str:
    people = wanted(
        game=STONES.name, addresses=dict(zip(STONES.seats({}), PAIR, strict=True)), creator=PAIR[0]
    )
    match = matches.create(people, now)
    joining.confirmed(id_of(PAIR[0]), now)
    joining.accept(match, 1, id_of(PAIR[1]), Joining("Bob", "en", "UTC", ""), now)
    return match


PAIR = ("ann@example.org", "bob@example.org")


def act_at_random(
    clock: Clock, seed: str, acts: int, share: int = 0, shares: int = 1
) -> list[Done]:
    """So many acts, by several threads; of several processes, each has its share."""
    numbers = range(share, acts, shares)
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(lambda number: _act(clock, seed, number), numbers))


def _act(clock: Clock, seed: str, number: int) -> Done:
    chance = random.Random(f"{seed} {number}")
    (act,) = chance.choices(list(ACTS), list(ACTS.values()))
    scene = Scene(chance, clock, f"worker {number}")
    began, entered = time.monotonic(), dict[str, Any]()
    try:
        with store.connected():
            entered, answer = act(scene), ACCEPTED
    except (Refused, GameError):
        answer = NO
    except Exception as error:  # that is what is looked for
        answer = f"{type(error).__name__}: {error}"
    known = {"match": "", "seat": 0, **entered}
    return Done(act.__name__, began=began, ended=time.monotonic(), answer=answer, **known)


# --- the check ------------------------------------------------------------------------------------


class Fault(NamedTuple):
    what: str
    match: str
    why: str


def faults_of(history: Iterable[Done]) -> list[Fault]:
    """What the history and the store do not agree about."""
    done = list(history)
    wrong = [
        Fault("answered", one.match, f"{one.name}: {one.answer}")
        for one in done
        if one.answer not in (ACCEPTED, NO)
    ]
    accepted = defaultdict[str, list[Done]](list)
    for one in done:
        if one.answer == ACCEPTED and one.match:
            accepted[one.match].append(one)
    for (match,) in store.rows("SELECT id FROM match ORDER BY id"):
        wrong += _faults_of_match(get_match(match), accepted[match])
    return [*wrong, *_faults_of_absences(done), *_faults_of_letters()]


def _faults_of_match(match: MatchRecord, accepted: list[Done]) -> list[Fault]:
    replayed = replay_check.replayed(match)
    wrong = [Fault("differs", match.id, str(replayed.fault))] if replayed.fault else []
    log = {entry.seq: entry for entry in move_rows.entries(match.id, 0, match.head_seq)}
    writers = [one for one in accepted if one.last]
    wrong += _lost(match, log, writers) + _doubled(match, log, writers)
    return wrong + _stale(match, writers) + _out_of_time(match, writers)


def _lost(match: MatchRecord, log: dict[int, Any], writers: list[Done]) -> list[Fault]:
    wrong = []
    for one in writers:
        name = match.seat(one.seat).name
        kept = [log.get(seq) for seq in range(one.first, one.last + 1)]
        said = tuple(entry.text for entry in kept if entry and entry.actor == name)
        if said != one.texts:
            wrong.append(Fault("lost", match.id, f"{one.name}: {one.texts}, the log has {said}"))
    return wrong


def _doubled(match: MatchRecord, log: dict[int, Any], writers: list[Done]) -> list[Fault]:
    """Every order of the log is of one act; of those that came by mail, of one mail."""
    owners = defaultdict[int, int](int)
    for one in writers:
        for seq in range(one.first, one.last + 1):
            owners[seq] += 1
    twice = [seq for seq, count in owners.items() if count > 1]
    wrong = [Fault("doubled", match.id, f"entries {twice} are of two acts")] if twice else []
    by_mail = Counter(
        int(entry.at) for seq, entry in log.items() if entry.kind == "action" and not owners[seq]
    )
    mails = Counter(at for (at,) in store.rows(_OBEYED, match.id))
    if by_mail.keys() != mails.keys() or any(by_mail[at] < mails[at] for at in mails):
        why = f"orders are of nobody, or a mail was lost: {dict(by_mail)}, {dict(mails)}"
        wrong.append(Fault("doubled", match.id, why))
    return wrong


_OBEYED = (
    "SELECT done_at FROM incoming WHERE match_id = ? AND state = 'applied' AND reason = 'sent'"
)
"""When mails were obeyed; one of them may send a whole draft."""


def _stale(match: MatchRecord, writers: list[Done]) -> list[Fault]:
    """Orders stand within their turn, behind as many others as the page had seen."""
    wrong = []
    for one in writers:
        ((seat, opened, closed),) = store.rows(
            "SELECT seat, opened_seq, closed_seq FROM turn WHERE id = ?", one.turn
        )
        is_within = opened < one.first and (closed is None or one.last <= closed)
        if seat != one.seat or not is_within:
            why = f"{one.name}: entry {one.first} for a turn from {opened} to {closed}"
            wrong.append(Fault("stale", match.id, why))
        elif one.name == send_orders.__name__:
            before = move_rows.count_orders(match.id, match.seat(seat).name, opened, one.first - 1)
            if before != one.sent:
                why = f"the page had seen {one.sent} orders, and there were {before}"
                wrong.append(Fault("stale", match.id, why))
    return wrong


def _out_of_time(match: MatchRecord, writers: list[Done]) -> list[Fault]:
    """Whatever had ended before something else began stands before it."""
    latest, wrong = 0, []
    ended = sorted(writers, key=lambda one: one.ended)
    for one in sorted(writers, key=lambda one: one.began):
        while ended and ended[0].ended < one.began:
            latest = max(latest, ended.pop(0).last)
        if one.first <= latest:
            wrong.append(Fault("stale", match.id, f"{one.name}: {one.first} after {latest}"))
    return wrong


def _faults_of_absences(done: list[Done]) -> list[Fault]:
    """What was booked is kept, in spans that do not overlap."""
    wrong = []
    for player in {one.seat for one in done if one.name == book_absence.__name__}:
        kept = [one.span for one in absences.of(player)]
        wrong += [
            Fault("doubled", "", f"absences of {player} overlap")
            for before, after in zip(kept, kept[1:], strict=False)
            if after.start < before.end
        ]
        for one in done:
            if (one.name, one.seat, one.answer) == (book_absence.__name__, player, ACCEPTED):
                start, end = one.span
                if not any(span.start <= start and end <= span.end for span in kept):
                    wrong.append(Fault("lost", "", f"an absence of {player}"))
    return wrong


def _faults_of_letters() -> list[Fault]:
    """Every turn of a person has its letter; none was handed over twice."""
    silent = store.rows(
        "SELECT turn.id, turn.match_id FROM turn JOIN seat ON seat.match_id = turn.match_id"
        " AND seat.number = turn.seat WHERE seat.status = 'joined' AND turn.closed_seq IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.turn = turn.id"
        " AND outbox.kind = 'turn')"
    )
    twice = store.rows("SELECT id, match_id FROM outbox WHERE attempts > 1")
    return [
        *(Fault("lost", match, f"the letter of turn {turn}") for turn, match in silent),
        *(Fault("doubled", match or "", f"letter {number}") for number, match in twice),
    ]


def main(url: str, begun: float, seed: str, share: str, acts: int, file: Path) -> None:
    GAMES[STONES.name] = STONES
    ring.use(lambda: KEYS)
    claims.LEASE = claims.APART = working.LEASE = working.APART = LEASE
    store.open_database(url, pooled=True)
    own, of = map(int, share.split("/"))
    file.write_bytes(msgspec.json.encode(act_at_random(Clock(begun), seed, acts, own, of)))


if __name__ == "__main__":
    _, url, begun, seed, share, acts, file = sys.argv
    main(url, float(begun), seed, share, int(acts), Path(file))
