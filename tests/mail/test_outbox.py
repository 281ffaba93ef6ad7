"""The outbox as a state machine: claimed once, in order, tried again, given up, never stale."""

from __future__ import annotations

import threading
from collections import Counter
from random import Random

import pytest

from engine.chance import QuickDice
from pbem import sealing
from pbem.db import store
from pbem.errors import Stale, TransportError
from pbem.links import Links
from pbem.mail.parcels import LinkLost, Parcel
from pbem.mail.rendering import ComposedLetter
from pbem.mail.smtp_client import Timeouts
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import composing, outbox, recording, verdicts
from pbem.services.letters.claims import LEASE, PURPOSE, claim
from pbem.services.letters.kinds import registry
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.verdicts import GIVE_UP, MOST_TRIES, REFUSED, Drained
from pbem.services.match import joining, matches, messages, turns
from pbem.services.players import accounts
from pbem.services.records import epochs
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import get_match
from tests.kit.smtp_sink import Act, Cut, SmtpSink
from tests.mail.posting import WORKER, Bag, office_with, opened, owe_you
from tests.mail.posting import outbox as held
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, an_order, sit_down, turn_of, wanted

LATER = TransportError("451 4.3.0 later")
NEVER = TransportError("550 5.1.1 no such user", permanent=True)
DAY = 86_400

pytestmark = pytest.mark.usefixtures("stored")


def drain(office: MailSettings, now: int = NOW) -> Drained:
    return outbox.drain(office, WORKER, now)


@pytest.fixture
def sitting(stored: str, office: MailSettings) -> Sitting:
    """Ann and Bob have begun; the letters so far are gone."""
    sitting = sit_down(NOW)
    drain(office)
    return sitting


def kinds(bag: Bag, start: int = 0) -> list[str]:
    return [str(letter["X-PBEM-Kind"]) for letter in bag.letters[start:]]


# --- claiming -------------------------------------------------------------------------------------


def test_only_the_oldest_of_a_stream_is_ready(stored: str) -> None:
    owe_you(ANN, 3, NOW)
    owe_you(BOB, 2, NOW)
    claimed = claim(WORKER, NOW)

    assert [letter.facts.address for letter in claimed] == [ANN, BOB]
    assert claim(WORKER, NOW) == []
    assert held("state") == ["leased", "queued", "queued", "leased", "queued"]


def test_what_is_due_later_waits(stored: str) -> None:
    owe_you(ANN, 1, NOW)

    assert claim(WORKER, NOW - 1) == []
    assert len(claim(WORKER, NOW)) == 1


def test_no_more_are_claimed_than_asked_for(stored: str) -> None:
    for number in range(7):
        owe_you(f"p{number}@example.org", 1, NOW)

    assert len(claim(WORKER, NOW, most=5)) == 5
    assert len(claim(WORKER, NOW, most=5)) == 2


def test_a_lease_that_is_over_lets_others_try(stored: str) -> None:
    owe_you(ANN, 2, NOW)
    (first,) = claim("dead worker", NOW)

    assert claim(WORKER, NOW + LEASE - 1) == []
    (again,) = claim(WORKER, NOW + LEASE)
    assert again.id == first.id


def test_a_worker_that_lost_its_lease_overwrites_nothing(office: MailSettings, bag: Bag) -> None:
    """The slow worker comes back when somebody else has the letter."""
    owe_you(ANN, 1, NOW)
    (slow,) = claim("slow", NOW)
    claim(WORKER, NOW + LEASE)
    late = verdicts.Verdict(slow.id, "queued", 1, NOW, "lost")
    recording.record("slow", verdicts.Batch([late], [], True), NOW)
    assert composing.keep("slow", [slow._replace(message_id="<x>", mime=b"x")]) == {slow.id}

    assert held("state, lease_by, mime") == [("leased", WORKER, None)]


def test_workers_side_by_side_send_each_letter_once(stored: str) -> None:
    """Eight workers in threads: no letter twice, none left, streams in order."""
    for number in range(40):
        owe_you(f"p{number}@example.org", 3, NOW)
    bag, faults = Bag(), list[Exception]()

    def work(name: str) -> None:
        try:
            with store.connected():
                while outbox.drain(office_with(bag), name, NOW, most=7) != Drained():
                    pass
        except Exception as error:
            faults.append(error)

    workers = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    drain(office_with(bag))

    assert faults == []
    assert len(bag.parcels) == 120
    assert_in_order(bag.parcels)
    assert set(Counter(p.mime for p in bag.parcels).values()) == {1}


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters with nothing on them, where thousands are sent and nobody reads them."""

    def build(office: MailSettings, letter: QueuedLetter, now: int) -> bytes:
        message_id = f"<o.0.{letter.id}.0@play.example>"
        return f"Message-ID: {message_id}\r\nTo: {letter.facts.address}\r\n\r\n".encode()

    monkeypatch.setattr(composing, "build", build)


def assert_in_order(parcels: list[Parcel]) -> None:
    """Within a stream, letters arrive in the order of their ids."""
    seen: dict[str, int] = {}
    for parcel in parcels:
        number = int(parcel.mime.partition(b"<o.")[2].split(b".")[1])
        assert seen.get(parcel.recipient, 0) < number
        seen[parcel.recipient] = number


# --- sending and failing --------------------------------------------------------------------------


def test_a_letter_is_sent_and_marked(office: MailSettings, bag: Bag) -> None:
    owe_you(ANN, 1, NOW)

    assert drain(office, NOW + 5) == Drained(sent=1)
    assert drain(office, NOW + 6) == Drained()
    assert held("state, attempts, sent_at") == [("sent", 1, NOW + 5)]
    assert bag.parcels[0].recipient == ANN
    assert bag.parcels[0].sender == "pbem@play.example"


def test_what_is_sent_is_what_stands_in_the_row_before(office: MailSettings, bag: Bag) -> None:
    """Message-ID, date and bytes are durable before the first attempt."""
    owe_you(ANN, 1, NOW)
    seen: list[tuple[str, bytes]] = []

    def look(parcel: Parcel) -> None:
        seen.extend(held("message_id, mime"))

    bag.trouble = look
    drain(office)
    ((message_id, mime),) = seen

    assert sealing.opened(PURPOSE, 1, bytes(mime)) == bag.parcels[0].mime
    assert opened(bag.parcels[0].mime)["Message-ID"] == message_id


def test_retries_wait_longer_and_longer_with_the_same_bytes(office: MailSettings, bag: Bag) -> None:
    owe_you(ANN, 1, NOW)
    bag.trouble = lambda parcel: LATER
    now, waits = NOW, []
    for _ in range(8):
        assert drain(office, now) == Drained(again=1)
        assert drain(office, now) == Drained()
        (due,) = held("next_at")
        waits.append((due - now) // 60)
        now = due
    bag.trouble = lambda parcel: None

    assert waits == [1, 2, 5, 10, 15, 30, 30, 30]
    assert drain(office, now) == Drained(sent=1)
    assert len({parcel.mime for parcel in bag.offered}) == 1
    assert held("attempts, last_error") == [(9, "")]


@pytest.mark.parametrize(("jitter", "wait"), [(0.0, 48), (0.5, 60), (1.0, 72)])
def test_retries_are_spread_by_a_fifth(stored: str, jitter: float, wait: int) -> None:
    bag = Bag()
    bag.trouble = lambda parcel: LATER
    owe_you(ANN, 1, NOW)
    drain(office_with(bag, jitter))

    assert held("next_at") == [NOW + wait]


def test_a_refusal_for_good_is_tried_again_and_holds_up_nobody(
    office: MailSettings, bag: Bag
) -> None:
    """Six times over two days; letters behind it leave meanwhile."""
    owe_you(ANN, 2, NOW)
    (first, _), now = held("id"), NOW
    bag.trouble = lambda parcel: NEVER if parcel.mime == bag.offered[0].mime else None

    assert drain(office) == Drained(sent=1, again=1)
    waits = []
    while held("state", "id = ?", first) == ["queued"]:
        (due,) = held("next_at", "id = ?", first)
        assert drain(office, due - 1) == Drained()
        drain(office, due)
        waits.append(due - now)
        now = due
    assert held("state, attempts, last_error") == [
        ("dead", len(REFUSED) + 1, "550 5.1.1 no such user"),
        ("sent", 1, ""),
    ]
    assert tuple(waits) == REFUSED
    assert DAY < sum(REFUSED) < 3 * DAY


def test_after_five_days_a_letter_is_given_up(office: MailSettings, bag: Bag) -> None:
    """After as many tries as fit into them: the date may be wrong."""
    owe_you(ANN, 1, NOW)
    bag.trouble = lambda parcel: LATER
    now, total = NOW, Drained()
    while total.dead == 0:
        (now,) = held("next_at")
        total = drain(office, now)

    assert len(bag.offered) == MOST_TRIES
    assert GIVE_UP - 3_600 < now - NOW < GIVE_UP + 3_600


def test_a_closed_way_costs_one_letter_a_try_and_not_all_of_them(
    office: MailSettings, bag: Bag
) -> None:
    for number in range(30):
        owe_you(f"p{number}@example.org", 1, NOW)
    bag.trouble = lambda parcel: LinkLost("ConnectionRefusedError")

    assert drain(office) == Drained(again=1)
    assert Counter(held("attempts")) == {0: 29, 1: 1}
    assert set(held("state")) == {"queued"}
    bag.trouble = lambda parcel: None
    assert drain(office, NOW + 1) == Drained(sent=29)
    assert drain(office, NOW + 60) == Drained(sent=1)


@pytest.mark.whole
@pytest.mark.usefixtures("blank")
def test_an_hour_without_a_server_loses_nothing(office: MailSettings, bag: Bag) -> None:
    """Reliability 15: 1,000 queued; all delivered, the first within ten minutes of recovery."""
    for number in range(50):
        owe_you(f"p{number}@example.org", 20, NOW)
    bag.trouble = lambda parcel: LinkLost("ConnectionRefusedError")
    for second in range(0, 3_600, 20):
        drain(office, NOW + second)
    bag.trouble = lambda parcel: None
    first = drain(office, NOW + 3_620)
    for second in range(3_640, 8_000, 60):
        drain(office, NOW + second)

    assert first.sent > 0
    assert len(bag.parcels) == 1_000
    assert_in_order(bag.parcels)


@pytest.mark.whole
@pytest.mark.usefixtures("blank")
def test_order_is_kept_through_random_refusals(office: MailSettings, bag: Bag) -> None:
    """Reliability 16: 30 % random 4xx over 2,000 letters, no inversion within a stream."""
    dice = Random(16)
    for number in range(100):
        owe_you(f"p{number}@example.org", 20, NOW)
    bag.trouble = lambda parcel: LATER if dice.random() < 0.3 else None
    now = NOW
    while "queued" in held("state"):
        drain(office, now)
        now += 600

    assert len(bag.parcels) == 2_000
    assert_in_order(bag.parcels)


def test_a_batch_that_takes_too_long_gives_the_rest_back(office: MailSettings, bag: Bag) -> None:
    for number in range(10):
        owe_you(f"p{number}@example.org", 1, NOW)
    ticks = iter(range(0, 1_000_000, 100))

    claimed = claim(WORKER, NOW)
    batch = outbox.send_batch(office, WORKER, claimed, NOW, lambda: next(ticks))
    recording.record(WORKER, batch, NOW)
    assert 0 < len(bag.parcels) < 10
    assert Counter(held("state")) == {
        "sent": len(bag.parcels),
        "queued": 10 - len(bag.parcels),
    }


def test_a_letter_that_cannot_be_written_stops_no_other(
    office: MailSettings, bag: Bag, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One poison among many: tried three times, then put aside; nothing it knew is kept."""
    for number in range(9):
        owe_you(f"p{number}@example.org", 1, NOW)

    you = registry.KINDS["you"]

    def poisoned(letter: QueuedLetter, links: Links, now: int) -> ComposedLetter:
        if letter.player == 4:
            raise ZeroDivisionError("the hand is south_africa")
        return you.compose(letter, links, now)

    monkeypatch.setitem(registry.KINDS, "you", you._replace(compose=poisoned))
    results = [drain(office, NOW + hour * 3_600) for hour in range(4)]

    assert results == [
        Drained(sent=8, again=1),
        Drained(again=1),
        Drained(dead=1),
        Drained(),
    ]
    ((error,),) = [[e] for e in held("last_error", "state = 'dead'")]
    assert error.startswith("ZeroDivisionError in poisoned:")
    assert "south_africa" not in error


def test_a_letter_that_cannot_be_judged_stops_no_other(office: MailSettings, bag: Bag) -> None:
    """As when what it is about was written by another version."""
    owe_you(ANN, 1, NOW)
    owe_you(BOB, 1, NOW)
    store.execute("UPDATE outbox SET kind = 'stand_in' WHERE id = 1")

    assert drain(office) == Drained(sent=1, again=1)
    assert held("state") == ["queued", "sent"]


def test_an_address_that_cannot_be_written_dies_quietly(office: MailSettings, bag: Bag) -> None:
    player = owe_you(ANN, 1, NOW)
    store.execute("UPDATE player SET address = ? WHERE id = ?", "jörg@example.org", player)
    for hour in range(3):
        drain(office, NOW + hour * 3_600)

    assert held("state") == ["dead"]
    assert bag.offered == []


# --- no longer true -------------------------------------------------------------------------------


def test_a_turn_that_was_played_meanwhile_gets_no_letter(office: MailSettings, bag: Bag) -> None:
    """Reliability 19: a move over the web while the letter is queued; nothing stale is sent."""
    sitting = sit_down(NOW)
    choice = QuickDice(b"stale")
    for number in range(12):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + number)
    drain(office, NOW + 100)
    asked = [str(letter["X-PBEM-Turn"]) for letter in bag.letters if letter["X-PBEM-Turn"]]

    assert asked == [str(turn_of(sitting.match).id)]
    assert len(held("id", "kind = 'turn' AND state = 'superseded' AND mime IS NULL")) > 1


def test_a_built_turn_letter_is_not_sent_after_its_turn(office: MailSettings, bag: Bag) -> None:
    sitting = sit_down(NOW)
    bag.trouble = lambda parcel: LATER
    drain(office)
    bag.trouble = lambda parcel: None
    turn = turn_of(sitting.match)
    turns.submit(turn.id, ["first usa"], NOW + 1)
    drain(office, NOW + 600)
    drain(office, NOW + 1_200)

    assert str(turn.id) not in [letter["X-PBEM-Turn"] for letter in bag.letters]
    assert held("state, mime", "turn = ?", turn.id) == [("superseded", None)]


def test_a_match_that_was_called_off_asks_nobody(office: MailSettings, bag: Bag) -> None:
    sitting = sit_down(NOW)
    matches.cancel(sitting.match, "moderator", NOW + 1)
    drain(office, NOW + 1)

    assert "turn" not in kinds(bag)
    assert kinds(bag).count("cancelled") == 2


def test_revoked_links_make_the_old_turn_letter_void(office: MailSettings, bag: Bag) -> None:
    sitting = sit_down(NOW)
    matches.revoke_links(sitting.match, 1, NOW + 1)
    drain(office, NOW + 1)

    assert kinds(bag).count("turn") == 1
    assert held("state", "kind = 'turn'") == ["superseded", "sent"]


def test_a_seat_that_changed_hands_gets_none_of_the_old_letters(
    office: MailSettings, bag: Bag
) -> None:
    sitting = sit_down(NOW)
    with store.writing():
        eve = accounts.known_or_new(EVE, NOW).id
    store.execute("UPDATE seat SET player_id = ? WHERE number = 1", eve)
    drain(office)

    assert sitting.bob not in held("player_id", "state = 'sent'")
    assert BOB not in [parcel.recipient for parcel in bag.parcels]


def test_a_letter_written_for_another_address_is_never_sent(office: MailSettings, bag: Bag) -> None:
    """Reliability 52: the recipient on the envelope is the one the letter was written for."""
    player = owe_you(ANN, 1, NOW)
    bag.trouble = lambda parcel: LATER
    drain(office)
    bag.trouble = lambda parcel: None
    store.execute("UPDATE player SET address = ? WHERE id = ?", EVE, player)

    assert drain(office, NOW + 600) == Drained(superseded=1)
    assert bag.parcels == []


@pytest.mark.parametrize("news", [True, False])
def test_whoever_stopped_news_gets_no_receipt_but_every_turn(
    sitting: Sitting, office: MailSettings, bag: Bag, news: bool
) -> None:
    accounts.set_news(sitting.bob, news)
    start = len(bag.parcels)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 1)
    drain(office, NOW + 1)

    assert sorted(kinds(bag, start)) == (["receipt", "turn"] if news else ["turn"])
    assert held("state", "kind = 'receipt'") == ["sent" if news else "superseded"]


def test_news_that_a_newer_turn_letter_tells_too_is_not_sent(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    start = len(bag.parcels)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 1)
    turns.rewind(sitting.match, 0, "moderator", NOW + 2)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 3)
    drain(office, NOW + 4)

    assert sorted(kinds(bag, start)) == ["receipt", "receipt", "turn"]
    assert held("state", "kind = 'moved'") == ["superseded"]


def test_a_result_is_not_taken_back_before_it_is_announced(office: MailSettings, bag: Bag) -> None:
    sitting = sit_down(NOW)
    matches.resign(sitting.match, 0, NOW + 1)
    with pytest.raises(Stale, match="its secret is published"):
        turns.rewind(sitting.match, 0, "moderator", NOW + 2)
    drain(office, NOW + 2)

    assert kinds(bag).count("finished") == 2
    assert get_match(sitting.match).status == "over"


def test_a_draw_is_not_offered_in_a_match_that_is_over(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    start = len(bag.parcels)
    matches.offer_draw(sitting.match, 0, NOW + 1)
    matches.resign(sitting.match, 0, NOW + 2)
    messages.say(sitting.match, 0, "Well played", NOW + 3)
    drain(office, NOW + 3)

    assert sorted(kinds(bag, start)) == ["finished", "finished", "message"]


def test_an_invitation_to_a_seat_that_is_taken_is_not_sent(office: MailSettings, bag: Bag) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    (ann,) = held("player_id")
    joining.confirmed(ann, NOW)
    joining.ask_to_join(match, BOB, "en", NOW)
    joining.ask_to_join(match, EVE, "en", NOW)
    store.execute("UPDATE seat SET status = 'joined', player_id = ? WHERE number = 1", ann)
    drain(office)

    assert kinds(bag) == []


def test_an_open_seat_may_have_several_invitations(office: MailSettings, bag: Bag) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    (ann,) = held("player_id")
    joining.confirmed(ann, NOW)
    joining.ask_to_join(match, BOB, "en", NOW)
    joining.ask_to_join(match, EVE, "en", NOW)
    drain(office)

    assert kinds(bag) == ["invitation", "invitation"]
    assert [parcel.recipient for parcel in bag.parcels] == [BOB, EVE]


def test_each_match_asks_whoever_starts_it_for_a_word(office: MailSettings, bag: Bag) -> None:
    """Also of an address that is known: anybody can type it."""
    sit_down(NOW)
    drain(office)
    start = len(bag.parcels)
    match = matches.create(wanted(), NOW + 1)
    drain(office, NOW + 1)
    assert kinds(bag, start) == ["confirm"]
    joining.confirmed(1, NOW + 2, match)
    drain(office, NOW + 2)

    assert kinds(bag, start) == ["confirm", "invitation"]


def test_a_match_that_was_called_off_needs_no_word(office: MailSettings, bag: Bag) -> None:
    match = matches.create(wanted(), NOW)
    matches.cancel(match, "moderator", NOW)
    drain(office)

    assert kinds(bag) == []


def test_a_match_that_was_vouched_for_is_not_asked_about_again(
    office: MailSettings, bag: Bag
) -> None:
    matches.create(wanted(), NOW)
    (ann,) = held("player_id")
    joining.confirmed(ann, NOW)
    drain(office)

    assert kinds(bag) == ["invitation"]


def test_a_page_link_that_was_renewed_is_not_mailed(office: MailSettings, bag: Bag) -> None:
    player = owe_you(ANN, 1, NOW)
    epochs.raise_player(player, NOW)

    assert drain(office) == Drained(superseded=1)


# --- over a real server ---------------------------------------------------------------------------


@pytest.mark.whole
def test_a_cut_after_the_dot_repeats_the_letter_with_its_message_id(
    stored: str, smtp_sink: SmtpSink
) -> None:
    """Reliability 14: one Message-ID per letter, at most one extra copy per cut."""
    cuts = 12
    for number in range(20):
        owe_you(f"p{number}@example.org", 1, NOW)
    smtp_sink.script(*[act for _ in range(cuts) for act in (Act(), Act(cut=Cut.AFTER_THE_DOT))])
    transport = SmtpTransport(smtp_sink.url, "play.example", Timeouts(5, 5, 5, 5))
    office, now = office_with(transport), NOW
    while set(held("state")) != {"sent"}:
        drain(office, now)
        now += 600
    office.close()
    copies = Counter(str(letter.message["Message-ID"]) for letter in smtp_sink.received)

    assert len(copies) == 20
    assert sum(copies.values()) == 20 + cuts
    assert len({letter.data for letter in smtp_sink.received}) == 20


@pytest.mark.whole
def test_a_server_with_moods_gets_everything_in_order(stored: str, smtp_sink: SmtpSink) -> None:
    dice = Random(5)
    for number in range(12):
        owe_you(f"p{number}@example.org", 4, NOW)
    moods = [Act(), Act(), Act(rcpt="450 4.2.1 busy"), Act(data="451 4.3.0 later")]
    moods += [Act(cut=Cut.IN_THE_DATA), Act(rcpt="421 4.3.2 closing")]
    smtp_sink.script(*dice.choices(moods, k=80))
    transport = SmtpTransport(smtp_sink.url, "play.example", Timeouts(5, 5, 5, 5))
    office, now = office_with(transport), NOW
    while set(held("state")) != {"sent"}:
        drain(office, now)
        now += 1_800
        assert now < NOW + GIVE_UP
    office.close()

    assert len(smtp_sink.received) == 48
    assert_in_order(
        [Parcel(kept.sender, kept.recipients[0], kept.data) for kept in smtp_sink.received]
    )


# --- looking after it -----------------------------------------------------------------------------


def test_bodies_go_when_a_letter_is_taken(office: MailSettings, bag: Bag) -> None:
    owe_you(ANN, 1, NOW)
    drain(office)

    assert held("state, mime") == [("sent", None)]
    assert held("message_id") != [None]


def test_bodies_of_letters_that_were_given_up_go_after_a_while(
    office: MailSettings, bag: Bag
) -> None:
    owe_you(ANN, 1, NOW)
    bag.trouble = lambda parcel: NEVER
    drain(office)
    store.execute("UPDATE outbox SET state = 'dead'")

    assert recording.prune(NOW + 12 * DAY - 1) == 0
    assert recording.prune(NOW + 12 * DAY) == 1
    assert held("mime") == [None]


def test_a_letter_that_still_has_to_leave_keeps_its_body(office: MailSettings, bag: Bag) -> None:
    owe_you(ANN, 1, NOW)
    bag.trouble = lambda parcel: LATER
    drain(office)

    assert recording.prune(NOW + 30 * DAY) == 0
