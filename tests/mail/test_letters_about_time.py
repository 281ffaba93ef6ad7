"""Letters about time and who sits where: every mood in every language, and only while true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

import pytest

from engine import registry
from engine.core import LANGUAGES, Language
from pbem.db import store
from pbem.db.store import execute, writing
from pbem.deadlines import DAY, HOUR
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters import outbox
from pbem.services.letters.kinds.registry import compose
from pbem.services.match import joining, matches, messages, timeouts, turns
from pbem.services.match.joining import Joining
from pbem.services.players import accounts
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from pbem.services.time import absences, clocks, pauses, reminders
from tests.kit.quartet import Quartet
from tests.mail.posting import WORKER, Bag, office_with, queued, text_of
from tests.mail.reading import LINK, RULER, WAY, Reading
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, id_of, sit_down, turn_of, wanted
from tests.services.waiting import agree

LINKS = office_with(Bag()).links
DAN = "dan@example.org"
LATE = NOW + 3 * DAY


@pytest.fixture(autouse=True)
def _stored(store_url: str) -> Iterator[None]:
    store.open_database(store_url)
    with store.connected():
        yield


@pytest.fixture
def sitting() -> Sitting:
    """Ann and Bob have begun, Bob is asked and his clock runs; no letter waits."""
    sitting = sit_down(NOW)
    accounts.change(sitting.bob, language="en")
    posted(NOW)
    return sitting


def posted(now: int) -> list[EmailMessage]:
    """What was still true of the letters that waited."""
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, now)
    return bag.letters


def sent(now: int) -> list[tuple[str, str]]:
    """Kind and address of the letters that leave now."""
    return [(str(letter["X-PBEM-Kind"]), str(letter["To"])) for letter in posted(now)]


def in_all_languages(owed: QueuedLetter, now: int = NOW) -> list[ComposedLetter]:
    """A letter in each language; no two are the same."""
    found = [written(owed, language, now) for language in LANGUAGES]
    assert len({letter.text for letter in found}) == len(LANGUAGES)
    return found


def written(owed: QueuedLetter, language: Language = "en", now: int = NOW) -> ComposedLetter:
    """A letter in a language, looked at as every letter is."""
    accounts.change(owed.player, language=language)
    letter = compose(owed, LINKS, now)
    lines = letter.text.splitlines()
    body, footer = lines[: lines.index(RULER)], lines[lines.index(RULER) :]
    assert [line for line in lines if len(line) > 72 and not LINK.search(line)] == []
    assert [line for line in body if LINK.search(line) and not LINK.fullmatch(line)] == []
    assert [line for line in footer if LINK.search(line) and not WAY.fullmatch(line)] == []
    assert set(Reading(letter.html).links) == set(LINK.findall(letter.text))
    assert "None" not in letter.text
    assert "%(" not in letter.text + letter.subject
    return letter


def about_seat(kind: str, sitting: Sitting, seat: int, **about: Any) -> QueuedLetter:
    player = get_match(sitting.match).seat(seat).player
    assert player is not None
    return queued(kind, player, sitting.match, seat, None, about)


# --- every mood in every language -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "by", "more"),
    [
        ("booked", 1, {"start": NOW + DAY, "end": NOW + 9 * DAY}),
        ("cancelled", 1, {"start": NOW + DAY, "end": NOW + 9 * DAY}),
        ("floating", 1, {"start": NOW, "end": NOW + DAY}),
        ("wants_pause", 1, {}),
        ("paused", None, {"end": NOW + 30 * DAY}),
        ("resumed", 1, {}),
        ("resumed", None, {}),
        ("changed_hands", 1, {}),
        ("vacant", 1, {}),
        ("given_time", 1, {"end": NOW + DAY}),
        ("given_time", None, {"end": NOW + DAY}),
    ],
)
def test_who_is_away_is_told_to_the_others(
    sitting: Sitting, what: str, by: int | None, more: dict[str, int]
) -> None:
    for seat in (0, 1):
        for letter in in_all_languages(about_seat("away", sitting, seat, what=what, by=by, **more)):
            assert ("/pause\n" in letter.text) == (what in ("wants_pause", "paused"))


@pytest.mark.parametrize("end", [NOW + 9 * DAY, None])
@pytest.mark.parametrize(
    ("what", "to"),
    [
        ("asked", EVE),
        ("agreed", BOB),
        ("taken", BOB),
        ("declined", BOB),
        ("nobody", BOB),
        ("withdrawn", EVE),
        ("over", EVE),
    ],
)
@pytest.mark.parametrize("name", ["", "Eve"])
def test_whoever_has_to_do_with_a_lent_seat_is_told(
    sitting: Sitting, what: str, to: str, end: int | None, name: str
) -> None:
    eve = accounts.known_or_new(EVE, NOW).id
    accounts.change(eve, name=name)
    loan = _lent(sitting, eve, end)
    owed = queued("stand_in", id_of(to), sitting.match, 1, None, {"loan": loan, "what": what})
    for letter in in_all_languages(owed):
        leads_there = what == "asked" or (what == "taken" and end is not None)
        assert ("/stand/" in letter.text) == leads_there
        assert ("/seat/" in letter.text) == (to == BOB)
        assert EVE not in letter.text + letter.html + letter.subject


def _lent(sitting: Sitting, stand_in: int | None, end: int | None) -> int:
    if end is None:
        loan = stand_ins.give_up(sitting.match, 1, EVE, NOW)
    else:
        loan = stand_ins.lend(sitting.match, 1, NOW + DAY, end, EVE, NOW)
    execute("UPDATE loan SET stand_in_id = ? WHERE id = ?", stand_in, loan)
    return loan


def test_a_seat_that_was_opened_is_offered_to_its_last_player_too(sitting: Sitting) -> None:
    stand_ins.open_seat(sitting.match, 1, NOW)
    about = {"loan": 1, "what": "asked"}
    for letter in in_all_languages(queued("stand_in", sitting.bob, sitting.match, 1, None, about)):
        assert "/stand/" in letter.text
        assert "/seat/" not in letter.text


@pytest.mark.parametrize("is_back", [True, False])
@pytest.mark.parametrize("to", [BOB, EVE])
@pytest.mark.parametrize("is_paused", [True, False])
def test_a_newcomer_is_told_what_the_seat_has_seen(
    sitting: Sitting, is_back: bool, to: str, is_paused: bool
) -> None:
    messages.say(sitting.match, 0, "Hello", NOW)
    loan = _lent(sitting, accounts.known_or_new(EVE, NOW).id, NOW + 9 * DAY)
    execute("UPDATE seat SET player_id = ? WHERE number = 1", id_of(to))
    if is_paused:
        pauses.pause(sitting.match, NOW)
    owed = about_seat("briefing", sitting, 1, loan=loan, back=is_back)
    for letter in in_all_languages(owed):
        assert "| Hello" in letter.text
        assert "/t/" in letter.text
        assert bool(re.search(r"(?m)^  2027-\d\d-\d\d \d\d:\d\d UTC, ", letter.text)) != is_paused


@pytest.mark.parametrize("policy", ["claim", "forfeit", "default", "stand_in", "ally"])
@pytest.mark.parametrize("grace", [0, DAY])
def test_lateness_is_told_with_what_follows(sitting: Sitting, policy: str, grace: int) -> None:
    agree(sitting.match, policy=policy, grace=grace)
    turn = turn_of(sitting.match)
    about = {"of": turn.id, "by": 1, "deadline": turn.deadline_at}
    for own in in_all_languages(about_seat("late", sitting, 1, **about), LATE):
        assert "/t/" in own.text
    for other in in_all_languages(about_seat("late", sitting, 0, **about), LATE):
        assert "/t/" not in other.text
    for claim in in_all_languages(about_seat("claim", sitting, 0, **about), LATE):
        assert "/claim\n" in claim.text
        assert "/wait\n" in claim.text


@pytest.mark.parametrize("now", [NOW, LATE + HOUR, LATE + DAY + HOUR])
@pytest.mark.parametrize("digest", [True, False])
def test_a_reminder_says_how_late_it_is(sitting: Sitting, now: int, digest: bool) -> None:
    about = {"turns": [turn_of(sitting.match).id], "digest": digest}
    for letter in in_all_languages(queued("reminder", sitting.bob, None, None, None, about), now):
        times = re.findall(r"(?m)^  2027-\d\d-\d\d", letter.text)
        assert len(times) == (2 if now == LATE + HOUR else 1)
        assert letter.text.count("/t/") == 1


@pytest.mark.parametrize("is_paused", [True, False])
def test_a_daily_letter_tells_of_matches_that_wait_for_others(
    sitting: Sitting, is_paused: bool
) -> None:
    if is_paused:
        pauses.pause(sitting.match, NOW)
    about = {"turns": [], "digest": True}
    for letter in in_all_languages(queued("reminder", sitting.ann, None, None, None, about)):
        assert sitting.match in letter.text
        assert "/t/" not in letter.text
        assert ("Bob" in letter.text) != is_paused


@pytest.mark.parametrize(
    "agreed",
    [
        {"per_move": 0, "bank": 2 * DAY + 1800, "increment": DAY, "cap": 5 * DAY},
        {"per_move": 0, "bank": 1800, "increment": HOUR, "cap": DAY},
        {"hour": 18, "zone": "Europe/Paris", "days_off": (5, 6), "grace": 0},
    ],
)
def test_a_turn_letter_says_what_bears_on_its_end(sitting: Sitting, agreed: dict[str, Any]) -> None:
    agree(sitting.match, **agreed)
    turn = turn_of(sitting.match)
    owed = queued("turn", sitting.bob, sitting.match, 1, turn.id, {"from": 0, "seq": 0})
    text = in_all_languages(owed)[0].text

    assert ("18:00 (Europe/Paris)" in text) == ("hour" in agreed)
    assert ("in your time bank" in text) == ("bank" in agreed)


# --- what follows, as it does ---------------------------------------------------------------------


@pytest.fixture
def quartet(monkeypatch: pytest.MonkeyPatch) -> Sitting:
    """Ann, Bob, Eve and Dan in a match of four; Ann is asked."""
    monkeypatch.setitem(registry.GAMES, "quartet", Quartet())
    seats = dict(zip(("north", "east", "south", "west"), (ANN, BOB, EVE, DAN), strict=True))
    match = matches.create(wanted(game="quartet", addresses=seats, creator=None), NOW)
    for number, address in enumerate(seats.values()):
        says = Joining(address[:3].title(), "en", "UTC", "")
        joining.accept(match, number, id_of(address), says, NOW)
    posted(NOW)
    return Sitting(match, id_of(ANN), id_of(BOB))


@pytest.mark.parametrize(
    ("policy", "missed", "to_late", "to_others"),
    [
        ("claim", 0, "a stand-in can take your seat", "a stand-in can take the seat"),
        ("forfeit", 0, "a stand-in can take your seat", "a stand-in can take the seat"),
        ("stand_in", 0, "a stand-in can take your seat", "a stand-in can take the seat"),
        (
            "default",
            0,
            "the default move is played for you",
            "the default move is played for Ann (North)",
        ),
        ("default", 1, "a stand-in can take your seat", "a stand-in can take the seat"),
        ("ally", 0, "an ally takes over your seat", "an ally takes over the seat"),
    ],
)
def test_time_never_ends_a_match_of_many(
    quartet: Sitting, policy: str, missed: int, to_late: str, to_others: str
) -> None:
    agree(quartet.match, policy=policy)
    execute("UPDATE seat SET missed = ? WHERE number = 0", missed)
    about = {"of": turn_of(quartet.match).id, "by": 0}
    own, other = (written(about_seat("late", quartet, n, **about), now=LATE) for n in (0, 2))

    assert to_late in own.text.replace("\n", " ")
    assert to_others in other.text.replace("\n", " ")
    assert "win" not in own.text + other.text


def test_an_ally_who_is_gone_takes_no_seat(quartet: Sitting) -> None:
    agree(quartet.match, policy="ally")
    execute("UPDATE seat SET player_id = NULL, status = 'vacant' WHERE number = 2")
    about = {"of": turn_of(quartet.match).id, "by": 0}

    assert "a stand-in can take" in written(about_seat("late", quartet, 0, **about)).text


def test_without_a_usual_order_the_clock_ends_a_match_of_two(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree(sitting.match, policy="default")
    game = type(get_match(sitting.match).game)
    owed = about_seat("late", sitting, 0, of=turn_of(sitting.match).id, by=1)
    assert "the default move is played for Bob" in written(owed, now=LATE).text
    monkeypatch.setattr(game, "default_action", lambda self, state, seat: None)

    assert "you win" in written(owed, now=LATE).text


def test_a_turn_letter_names_the_deadline_that_its_handing_over_sets(sitting: Sitting) -> None:
    """It waited for two days; the time of the turn begins when it arrives."""
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    (letter,) = [one for one in posted(NOW + 2 * DAY) if one["X-PBEM-Kind"] == "turn"]
    ends = turn_of(sitting.match).deadline_at

    assert ends == NOW + 5 * DAY
    assert f"{datetime.fromtimestamp(ends, UTC):%Y-%m-%d %H:%M} UTC, in 3 d 0 h" in text_of(letter)


def test_older_words_stay_with_the_side_when_a_seat_changes_hands(sitting: Sitting) -> None:
    """Eve has not written what Bob wrote, nor run out of his time."""
    messages.say(sitting.match, 1, "From Bob", NOW)
    loan = stand_ins.lend(sitting.match, 1, NOW, NOW + 9 * DAY, EVE, NOW)
    stand_ins.accept(loan, id_of(EVE), NOW)
    accounts.change(id_of(EVE), name="Eve")
    text = written(about_seat("briefing", sitting, 1, loan=loan, back=False)).text

    assert "USSR wrote on" in text
    assert "Eve (USSR)" not in text


# --- only while they are true ---------------------------------------------------------------------


def play(sitting: Sitting) -> None:
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)


def pause(sitting: Sitting) -> None:
    pauses.pause(sitting.match, NOW)


def cancel(sitting: Sitting) -> None:
    matches.cancel(sitting.match, "moderator", NOW)


def lend(sitting: Sitting) -> None:
    loan = stand_ins.lend(sitting.match, 1, NOW, NOW + 9 * DAY, EVE, NOW)
    stand_ins.accept(loan, id_of(EVE), NOW)


def give_time(sitting: Sitting) -> None:
    with writing():
        clocks.give_time(turn_of(sitting.match).id, DAY, LATE)


def nothing(sitting: Sitting) -> None:
    pass


Deed = Callable[[Sitting], None]


@pytest.mark.parametrize(
    ("deed", "is_sent"),
    [(nothing, True), (play, False), (pause, False), (cancel, False), (lend, False)],
)
def test_a_reminder_comes_only_while_something_waits(
    sitting: Sitting, deed: Deed, is_sent: bool
) -> None:
    reminders.remind(get_player(sitting.bob), [turn_of(sitting.match)], NOW)
    deed(sitting)

    assert (("reminder", BOB) in sent(NOW)) == is_sent


def test_a_reminder_for_one_turn_does_not_come_for_another(sitting: Sitting) -> None:
    """The other has its own reminders, when its time is shorter."""
    reminders.remind(get_player(sitting.bob), [turn_of(sitting.match)], NOW)
    second = sit_down(NOW)
    posted(NOW)
    reminders.remind(get_player(sitting.bob), [turn_of(sitting.match)], NOW + 1)
    play(sitting)

    assert ("reminder", BOB) not in sent(NOW + 1)
    reminders.remind(get_player(sitting.bob), [turn_of(second.match)], NOW + 2)
    assert ("reminder", BOB) in sent(NOW + 2)


@pytest.mark.parametrize(
    ("deed", "is_sent"), [(nothing, True), (play, True), (pause, True), (cancel, False)]
)
def test_the_daily_letter_comes_while_a_match_is_on(
    sitting: Sitting, deed: Deed, is_sent: bool
) -> None:
    execute("UPDATE player SET digest_hour = 7 WHERE id = ?", sitting.bob)
    reminders.digest(sitting.bob, NOW)
    deed(sitting)

    assert (("reminder", BOB) in sent(NOW)) == is_sent


@pytest.mark.parametrize(
    ("deed", "is_sent"),
    [(nothing, True), (play, False), (pause, False), (cancel, False), (give_time, False)],
)
@pytest.mark.parametrize("kind", ["late", "claim"])
def test_nobody_is_called_late_who_is_not(
    sitting: Sitting, kind: str, deed: Deed, is_sent: bool
) -> None:
    _let_time_run_out(sitting, kind)
    deed(sitting)

    assert ((kind, ANN) in sent(LATE + DAY)) == is_sent


def _let_time_run_out(sitting: Sitting, kind: str) -> None:
    """Bob is late; where Ann may claim, the grace is over too. No vacation helps him."""
    turn = turn_of(sitting.match)
    agree(sitting.match, policy="claim", most_pause=0)
    with writing():
        timeouts.mark_late(turn, LATE)
    if kind == "claim":
        posted(LATE)
        with writing():
            timeouts.apply_timeout(turn, LATE + DAY)
    agree(sitting.match, policy="claim")


def test_who_no_longer_holds_the_seat_is_not_called_late(sitting: Sitting) -> None:
    _let_time_run_out(sitting, "late")
    lend(sitting)

    assert ("late", BOB) not in (now_sent := sent(LATE))
    assert ("briefing", EVE) in now_sent


def test_a_daily_reader_gets_no_news_but_hears_what_the_clock_did(sitting: Sitting) -> None:
    execute("UPDATE player SET digest_hour = 7")
    play(sitting)
    assert sent(NOW) == [("turn", ANN)]
    agree(sitting.match, policy="default", most_pause=0)
    with writing():
        timeouts.mark_late(turn_of(sitting.match), LATE)
    posted(LATE)
    with writing():
        assert timeouts.apply_timeout(turn_of(sitting.match), LATE + DAY)

    assert ("receipt", ANN) in sent(LATE + DAY)


def test_a_wish_for_a_pause_that_was_taken_back_is_not_told(sitting: Sitting) -> None:
    pauses.want_pause(sitting.match, 1, NOW)
    pauses.end_pause(sitting.match, 1, NOW)
    assert sent(NOW) == []
    pauses.want_pause(sitting.match, 1, NOW + 1)
    assert sent(NOW + 1) == [("away", ANN)]


def test_a_draw_that_lapsed_is_not_offered(sitting: Sitting) -> None:
    matches.offer_draw(sitting.match, 0, NOW)
    play(sitting)
    assert ("message", BOB) not in sent(NOW)
    matches.offer_draw(sitting.match, 0, NOW + 1)
    assert sent(NOW + 1) == [("message", BOB)]


def test_of_pauses_only_the_last_change_is_told(sitting: Sitting) -> None:
    pause(sitting)
    pauses.resume(sitting.match, NOW + 1)

    assert sorted(sent(NOW + 1)) == [("away", ANN), ("away", BOB)]
    pauses.pause(sitting.match, NOW + 2)
    assert sorted(sent(NOW + 2)) == [("away", ANN), ("away", BOB)]


def test_a_seat_is_not_called_vacant_that_somebody_has_taken(sitting: Sitting) -> None:
    eve = accounts.known_or_new(EVE, NOW).id
    stand_ins.open_seat(sitting.match, 1, NOW)
    stand_ins.accept(1, eve, NOW)
    text = "\n".join(text_of(one) for one in posted(NOW) if one["To"] == ANN)

    assert "changed hands" in text or "Someone else now plays" in text
    assert "Nobody plays" not in text


def test_more_time_for_a_turn_that_was_played_is_no_news(sitting: Sitting) -> None:
    _let_time_run_out(sitting, "claim")
    posted(LATE + DAY)
    timeouts.wait_on(sitting.match, 0, LATE + DAY)
    play(sitting)

    assert ("away", BOB) not in sent(LATE + DAY)


def test_a_seat_is_offered_only_while_it_can_be_had(sitting: Sitting) -> None:
    for address in (EVE, DAN):
        player = accounts.known_or_new(address, NOW).id
        accounts.confirm(player, NOW)
        stand_ins.volunteer(player, True, NOW)
    loan = stand_ins.give_up(sitting.match, 1, None, NOW)
    stand_ins.accept(loan, id_of(DAN), NOW)

    assert [pair for pair in sent(NOW) if pair[0] == "stand_in"] == [("stand_in", BOB)]


def test_an_offer_with_dead_links_is_not_sent(sitting: Sitting) -> None:
    stand_ins.lend(sitting.match, 1, NOW + DAY, NOW + 9 * DAY, EVE, NOW)
    execute("UPDATE player SET epoch = epoch + 1 WHERE address = ?", EVE)

    assert sent(NOW) == []


def test_whoever_has_given_the_seat_back_is_not_briefed(sitting: Sitting) -> None:
    lend(sitting)
    stand_ins.give_back(sitting.match, 1, NOW + 1)
    told = sent(NOW + 1)

    assert ("briefing", EVE) not in told
    assert ("briefing", BOB) in told


def test_an_absence_is_told_to_who_plays_and_not_for_a_match_that_is_over(
    sitting: Sitting,
) -> None:
    absences.book(sitting.bob, NOW + DAY, NOW + 2 * DAY, NOW)
    assert sent(NOW) == [("away", ANN)]
    absences.book(sitting.bob, NOW + 5 * DAY, NOW + 6 * DAY, NOW)
    matches.resign(sitting.match, 1, NOW)

    assert sorted(sent(NOW)) == [("finished", ANN), ("finished", BOB)]
