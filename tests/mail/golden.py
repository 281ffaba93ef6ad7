"""The golden letters: one of each kind and mood, from a match whose chance is fixed.

python -m tests.mail.golden     # write tests/mail/golden/*.txt anew; then read the difference
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from unittest.mock import patch

from engine.chance import QuickDice
from engine.core import Language
from engine.iron_curtain.state import State
from pbem.board_shapes import DRAWN, TOLD, USUAL, Shape
from pbem.db import store
from pbem.deadlines import DAY, HOUR, Clock
from pbem.key_ring import ring
from pbem.links import ReportLink
from pbem.mail import pictures
from pbem.services.agreements import open_matches, rematches, takebacks
from pbem.services.letters import outbox
from pbem.services.match import (
    drafts,
    joining,
    link_orders,
    match_log,
    matches,
    messages,
    new_rules,
    timeouts,
    turns,
)
from pbem.services.match.joining import Joining
from pbem.services.moderation import (
    act_targets,
    break_glass,
    match_acts,
    player_acts,
    report_answers,
)
from pbem.services.operations.restoring import restored_matches
from pbem.services.players import accounts, seat_alerts, staff_alerts
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import LIVE, get_match
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.records.player_rows import get_player
from pbem.services.records.restorations import Restoration
from pbem.services.seats import leaving, stand_ins, unreachable
from pbem.services.self_service import address_changes, checkups, free_seats, guests, reports
from pbem.services.self_service.guests import Trial
from pbem.services.staff import moderators
from pbem.services.time import absences, pauses, reminders
from tests.mail import campaign
from tests.mail.posting import KEYS, WORKER, Bag, files_of, office_with, opened, text_of
from tests.services.inbox.replying import reply
from tests.services.people import ANN, ASKER, BOB, EVE, NOW, an_order, id_of, turn_of, wanted
from tests.services.powers import (
    POWERS,
    USA,
    USSR,
    WE,
    address_of,
    four_people,
    invite_people,
)
from tests.services.waiting import confirm_address, let_merge

FOLDER = Path(__file__).parent / "golden"
FAY = "fay@example.org"
IMPATIENT = Clock(per_move=DAY, most_pause=0)
"""A clock that no vacation stops, so that somebody can be late."""
MO = ModeratorRecord(1, "mo@example.org", "Mo", "moderator", NOW, None, "", "", 0, None, 0)


class Desk:
    """Ann and Bob with their letters, each named when it comes."""

    def __init__(self) -> None:
        self.bag, self.named = Bag(), dict[str, EmailMessage]()
        self.office, self.now = office_with(self.bag), NOW
        ring.use(lambda: KEYS)

    def post(self, **names: str) -> None:
        """An hour passes, letters leave; `names` says which kind to keep under which name.

        `late__ann` is the one to Ann, where others get one of that kind too. Where none is kept,
        no map is drawn: that takes longer than all the rest.
        """
        self.now += HOUR
        start = len(self.bag.parcels)
        with nullcontext() if names else patch.object(pictures, "png", lambda *_, **__: None):
            outbox.drain(self.office, WORKER, self.now, stopwatch=lambda: 0.0)
        kept = self.bag.parcels[start:] if names else []
        for letter in (opened(parcel.mime) for parcel in kept):
            kind, who = str(letter["X-PBEM-Kind"]), str(letter["To"]).partition("@")[0]
            name = names.get(kind) or names.get(f"{kind}__{who}")
            if name is not None:
                self.named[name] = letter


def golden_letters() -> dict[str, EmailMessage]:
    """Every golden letter by name; needs an open, empty store."""
    numbers = iter(range(1, 100))
    ring.use(lambda: KEYS)
    with (
        patch.dict(vars(settings), {}, clear=True),  # whatever was made known to this process
        patch.object(matches, "new_id", lambda: f"match{next(numbers):05}"),
        patch("secrets.token_bytes", lambda size: bytes(range(size))),
    ):
        desk = Desk()
        _whole_match(desk)
        _short_matches(desk)
        _reminded(desk, "en")
        _late(desk, "en")
        _played_by_the_clock(desk)
        _away(desk)
        _lent(desk, "en")
        _opened(desk)
        _reminded(desk, "de")
        _late(desk, "fr")
        _lent(desk, "de")
        _moderated(desk, "en")
        _moderated(desk, "de")
        _moderated(desk, "fr")
        _reported(desk, "en")
        _reported(desk, "de")
        _reported(desk, "fr")
        _to_moderators(desk)
        _unreachable(desk, "en")
        _unreachable(desk, "de")
        _unreachable(desk, "fr")
        _to_players(desk)
        _with_words(desk, "en")
        _with_words(desk, "de")
        _with_words(desk, "fr")
        _talkative(desk)
        _with_one_subject(desk)
        for language in ("en", "de", "fr"):
            _leaving(desk, language)
        _merging(desk, "en")
        _merging(desk, "de")
        _merging(desk, "fr")
        _new_rules(desk, "en")
        _new_rules(desk, "de")
        _new_rules(desk, "fr")
        _campaign(desk)
        _against_the_computer(desk, "en")
        _against_the_computer(desk, "de")
        _against_the_computer(desk, "fr")
        _of_four(desk, "en")
        _of_four(desk, "de")
        _of_four(desk, "fr")
        _between_players(desk, "en")
        _between_players(desk, "de")
        _between_players(desk, "fr")
        _replied(desk, "en")
        _replied(desk, "de")
        _replied(desk, "fr")
        _quarantined(desk, "en")
        _quarantined(desk, "de")
        _quarantined(desk, "fr")
        _in_other_shapes(desk, "en")
        _in_other_shapes(desk, "de")
        _in_other_shapes(desk, "fr")
        _with_one_letter_a_day(desk, "en")
        _with_one_letter_a_day(desk, "de")
        _with_one_letter_a_day(desk, "fr")
        _restored(desk, "en")
        _restored(desk, "de")
        _restored(desk, "fr")
        return desk.named


def _replied(desk: Desk, language: Language) -> None:
    """A match of which Bob is written at a server that takes mail; he answers by replies."""
    end = _suffix(language)
    with (
        patch.object(settings, "takes_mail", True),
        patch.object(settings, "mail_domain", "play.example"),
    ):
        match = _begun(desk, language=language, turn=f"turn_to_reply_to{end}")
        first = turn_of(match)
        for name, words in (
            ("asked", ["first ussr"]),
            ("refused", ["play nowhere z9", "SAY hello"]),
            ("unclear", ["I have read it."]),
            ("looked", ["HELP", "BOARD", "HISTORY"]),
            ("done", ["RESIGN", "SAY Have fun!"]),
            ("drafted", ["first ussr"]),
        ):
            sender = EVE if name == "asked" else None
            reply(match, *words, sender=sender, now=desk.now)
            desk.post(reply=f"reply_{name}{end}")
        choice = link_orders.choices(
            get_match(match), _foreseen(match), get_match(match).seat(first.seat).name
        )[0]
        reply(match, choice.notation, "", "Cheers,", "Bob", now=desk.now)
        desk.post(reply=f"reply_sent{end}")
        reply(match, "first usa", turn=first, now=desk.now)
        desk.post(reply=f"reply_late{end}")


def _foreseen(match: str) -> State:
    """The position behind the draft of the open turn."""
    record, turn = get_match(match), turn_of(match)
    seat, state = record.seat(turn.seat).name, match_log.current(record)
    found: State = drafts.preview(record, state, seat, drafts.draft_of(turn.id)).state
    return found


def _against_the_computer(desk: Desk, language: Language) -> None:
    """A guest leaves an address; the host of a match would let the computer take free seats."""
    end = "" if language == "en" else f"_{language}"
    tried = guests.start(Trial("iron_curtain", {}, "ussr", "easy"), ASKER, desk.now)
    guests.owe_letter(tried, f"guest{end}@example.org", language, desk.now)
    desk.post(keep_match=f"keep_match{end}")
    seats = {"ussr": ANN, "we": BOB, "uk": None, "usa": None}
    match = matches.create(wanted(game="east_and_west", addresses=seats), desk.now)
    joining.confirmed(id_of(ANN), desk.now)
    bob = Joining("Bob", language, "Europe/Berlin", "")
    joining.accept(match, 1, id_of(BOB), bob, desk.now)
    free_seats.want(match, 0, desk.now)
    desk.post(computer=f"computer{end}")


def _whole_match(desk: Desk) -> None:
    match = matches.create(wanted(setup={"edition": "fr"}, pace=36 * HOUR), desk.now)
    desk.post(confirm="confirm")
    joining.confirmed(id_of(ANN), desk.now)
    desk.post(invitation="invitation")
    bob = Joining("Bób O'Neil", "en", "Europe/Berlin", "it rains in Berlin")
    joining.accept(match, 1, id_of(BOB), bob, desk.now)
    desk.post(started="started", turn="turn_first")
    choice = QuickDice(b"golden")
    for number, name in enumerate(["receipt", "turn_second", "", "turn_some", "turn_many"]):
        _play(desk, match, choice, orders=1 + number % 2)
        if number == 2:
            messages.say(
                match, 0, "Hello <Bob>,\nlovely weather. " + "Rain and more rain. " * 8, desk.now
            )
        if number == 4:
            matches.offer_draw(match, 0, desk.now)
        desk.post(message="message_draw", **({name.partition("_")[0]: name} if name else {}))
    _until_over(desk, match, choice)
    accounts.ask_for_own_page(BOB, desk.now)
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
    first = _begun(desk, started="started_without_phrases")
    messages.say(first, 1, "Good luck!", desk.now)
    desk.post(message="message")
    matches.offer_draw(first, 0, desk.now)
    matches.decline_draw(first, 1, desk.now)
    desk.post(message="message_declined")
    turns.submit(turn_of(first).id, ["first usa"], desk.now)
    turns.rewind(first, 0, "moderator", desk.now)
    desk.post(moved="moved", turn="turn_after_rewind")
    matches.resign(first, 0, desk.now)
    desk.post(finished="finished_by_resignation")
    second = _begun(desk)
    matches.cancel(second, "moderator", desk.now)
    desk.post(cancelled="cancelled")
    third = matches.create(wanted(), desk.now)
    joining.confirmed(id_of(ANN), desk.now)
    desk.post()
    joining.decline(third, 1, id_of(BOB), desk.now)
    desk.post(declined="declined")
    fourth = matches.create(wanted(creator=None), desk.now)
    desk.post(invitation="invitation_from_operator")
    assert fourth


def _begun(desk: Desk, clock: Clock | None = None, language: Language = "en", **names: str) -> str:
    match = matches.create(wanted(phrase="", clock=clock), desk.now)
    joining.confirmed(id_of(ANN), desk.now)
    joining.accept(match, 1, id_of(BOB), Joining("Bob", language, "Europe/Berlin", ""), desk.now)
    accounts.change(id_of(ANN), language=language)
    desk.post(**names)
    return match


def _talkative(desk: Desk) -> None:
    match = _begun(desk)
    for words in ("Are you there?", "Take your time,\nI am in no hurry."):
        messages.say(match, 1, words, desk.now)
    desk.post(message="message_several")


def _with_one_subject(desk: Desk) -> None:
    """Ann wishes one subject for each match, and gets what she gets in every match."""
    store.execute("UPDATE player SET one_subject = ? WHERE id = ?", True, id_of(ANN))
    match = _begun(desk, started="one_subject_started")
    turns.submit(turn_of(match).id, ["first usa"], desk.now)
    messages.say(match, 1, "Your turn!", desk.now)
    desk.post(turn="one_subject_turn", message="one_subject_message")
    matches.resign(match, 1, desk.now)
    desk.post(finished__ann="one_subject_finished")
    store.execute("UPDATE player SET one_subject = ? WHERE id = ?", False, id_of(ANN))


def _ended(desk: Desk, *begun: str) -> None:
    """These matches wait for nobody any more, and nobody hears of it."""
    for match in begun:
        matches.cancel(match, "moderator", desk.now)
    desk.post()


def _suffix(language: Language) -> str:
    return "" if language == "en" else f"_{language}"


def _reminded(desk: Desk, language: Language) -> None:
    """Bob plays three matches: in one he is late, one waits for Ann; then only one is left."""
    bob, end = id_of(BOB), _suffix(language)
    late, other = _begun(desk, IMPATIENT, language), _begun(desk, None, language)
    turns.submit(turn_of(other).id, ["first usa"], desk.now)
    fresh = _begun(desk, Clock(per_move=2 * DAY), language)
    desk.now = turn_of(late).deadline_at + HOUR
    reminders.remind(get_player(bob), [turn_of(fresh)], desk.now)
    desk.post(reminder=f"reminder_several{end}")
    store.execute("UPDATE player SET digest_hour = 7 WHERE id = ?", bob)
    reminders.digest(bob, desk.now)
    desk.post(reminder=f"reminder_daily{end}")
    store.execute("UPDATE player SET digest_hour = NULL WHERE id = ?", bob)
    _ended(desk, late, other)
    reminders.remind(get_player(bob), [turn_of(fresh)], desk.now)
    desk.post(reminder=f"reminder{end}")
    _ended(desk, fresh)


def _late(desk: Desk, language: Language) -> None:
    """Bob is late, Ann waits for him once, then he has lost."""
    match, end = _begun(desk, IMPATIENT, language), _suffix(language)
    _time_is_up(desk, match)
    desk.post(late__bob=f"late{end}", late__ann=f"late_other{end}")
    _grace_is_over(desk, match)
    desk.post(claim=f"claim{end}")
    timeouts.wait_on(match, 0, desk.now)
    desk.post(away=f"away_given_time{end}")
    _time_is_up(desk, match)
    desk.post()
    _grace_is_over(desk, match)
    desk.post()
    timeouts.claim_win(match, 0, desk.now)
    desk.post(finished__bob=f"finished_by_clock{end}")


def _unreachable(desk: Desk, language: Language) -> None:
    """Letters to Bob do not arrive: Ann hears of it, is asked how to go on, and then they do."""
    match, end, bob = _begun(desk, IMPATIENT, language), _suffix(language), id_of(BOB)
    moderators.add(EVE, moderators.OPERATOR, "Eve", desk.now)
    accounts.change(id_of(EVE), language=language)
    desk.post()
    _refused(desk, bob)
    desk.post(away=f"away_unreachable{end}", moderator=f"moderator_unreachable{end}")
    moderators.disable(EVE, desk.now)
    _time_is_up(desk, match)
    store.execute("UPDATE outbox SET state = 'dead' WHERE kind = 'late' AND player_id = ?", bob)
    desk.now += unreachable.PATIENCE
    _grace_is_over(desk, match)
    desk.post(claim=f"claim_unreachable{end}")
    with store.writing():
        unreachable.reached(bob, desk.now)
    desk.post(away__ann=f"away_reachable{end}")
    _ended(desk, match)
    invited = matches.create(wanted(), desk.now)
    joining.confirmed(id_of(ANN), desk.now)
    desk.post()
    _refused(desk, bob)
    desk.post(away=f"away_not_invited{end}")
    with store.writing():
        unreachable.reached(bob, desk.now)
    _ended(desk, invited)


def _refused(desk: Desk, player: int) -> None:
    """The newest letter to a player is refused for good once more."""
    with store.writing():
        ((letter,),) = store.rows("SELECT MAX(id) FROM outbox WHERE player_id = ?", player)
        store.execute("UPDATE outbox SET refusals = ? WHERE id = ?", unreachable.REFUSALS, letter)
        unreachable.note_refused([letter], desk.now)


def _time_is_up(desk: Desk, match: str) -> None:
    desk.now = turn_of(match).deadline_at
    with store.writing():
        timeouts.mark_late(turn_of(match), desk.now)


def _grace_is_over(desk: Desk, match: str) -> None:
    desk.now += get_match(match).clock.grace
    with store.writing():
        assert timeouts.apply_timeout(turn_of(match), desk.now)


def _played_by_the_clock(desk: Desk) -> None:
    """The clock plays for Bob; his next letter tells him so, and Ann has a bank and weekends."""
    agreed = Clock(
        per_move=0,
        bank=2 * DAY,
        increment=12 * HOUR,
        cap=3 * DAY,
        hour=18,
        zone="Europe/Paris",
        days_off=(5, 6),
        policy="default",
        most_pause=0,
    )
    match, choice = _begun(desk, agreed), QuickDice(b"by the clock")
    _time_is_up(desk, match)
    desk.post(late__ann="late_with_default")
    _grace_is_over(desk, match)
    desk.post(receipt="receipt_by_clock", turn="turn_after_timeout")
    while turn_of(match).seat == 0:
        _play(desk, match, choice, 1)
    desk.post(turn="turn_after_own_timeout")
    _ended(desk, match)


def _away(desk: Desk) -> None:
    """Bob books a vacation and comes back; both pause; Bob is late, which costs vacation."""
    match, bob = _begun(desk), id_of(BOB)
    absences.book(bob, desk.now + 10 * DAY, desk.now + 17 * DAY, desk.now)
    desk.post(away="away_booked")
    absences.cancel(absences.of(bob)[-1].id, bob, desk.now)
    desk.post(away="away_cancelled")
    pauses.want_pause(match, 1, desk.now)
    desk.post(away="away_wants_pause")
    pauses.want_pause(match, 0, desk.now)
    desk.post(away__bob="away_paused")
    pauses.end_pause(match, 0, desk.now)
    desk.post(away="away_resumed")
    _time_is_up(desk, match)
    desk.post(away__ann="away_floating", away__bob="away_own_floating")
    _ended(desk, match)


def _lent(desk: Desk, language: Language) -> None:
    """Bob lends his seat to Eve, who has never heard of the game, for two weeks."""
    match, choice, end = _begun(desk, None, language), QuickDice(b"lent"), _suffix(language)
    for _ in range(3):
        _play(desk, match, choice, 1)
    messages.say(match, 0, "Where are you going?", desk.now)
    messages.say(match, 1, "To the sea!", desk.now)
    desk.post()
    eve = f"eve{end}@example.org"
    loan = stand_ins.lend(match, 1, desk.now, desk.now + 14 * DAY, eve, desk.now)
    desk.post(stand_in=f"stand_in{end}")
    stand_ins.accept(loan, id_of(eve), desk.now)
    accounts.change(id_of(eve), name="Eve")
    desk.post(
        briefing=f"briefing{end}",
        stand_in=f"stand_in_taken{end}",
        away=f"away_changed_hands{end}",
    )
    stand_ins.give_back(match, 1, desk.now)
    desk.post(briefing=f"briefing_back{end}", stand_in=f"stand_in_over{end}")
    _ended(desk, match)


def _leaving(desk: Desk, language: Language) -> None:
    """Bob is asked whether he really lends his seat, and whether he really gives it up."""
    match, end = _begun(desk, None, language), _suffix(language)
    leaving.ask(match, 1, desk.now + DAY, desk.now + 8 * DAY, FAY, desk.now)
    desk.post(leave=f"leave{end}")
    stand_ins.volunteer(id_of(EVE), True, desk.now)
    leaving.ask(match, 1, desk.now, None, None, desk.now)
    desk.post(leave=f"leave_for_good{end}")
    _ended(desk, match)


def _opened(desk: Desk) -> None:
    """Bob's seat is opened, which Ann hears of, a volunteer and Bob himself."""
    match = _begun(desk)
    stand_ins.volunteer(accounts.known_or_new(EVE, desk.now).id, True, desk.now)
    stand_ins.open_seat(match, 1, desk.now)
    desk.post(
        away="away_vacant", stand_in__eve="stand_in_volunteer", stand_in__bob="stand_in_opened"
    )
    _ended(desk, match)


def _to_moderators(desk: Desk) -> None:
    """Eve becomes an operator, and hears what happens at the moderators' door, and of the log."""
    moderators.add(EVE, moderators.OPERATOR, "Eve", desk.now)
    desk.post(moderator="moderator")
    alarms: list[staff_alerts.Alert] = ["credential", "step_up"]
    for number, what in enumerate(alarms):
        with store.writing():
            staff_alerts.alert(what, MO.address, number, desk.now)
        desk.post(moderator=f"moderator_{what}")
    match = _begun(desk)
    break_glass.look(MO, match, "Ann writes that Bob knows her hand", desk.now)
    desk.post(moderator="moderator_break_glass", moderated__bob="moderated_glass")
    assert staff_alerts.tell_head(desk.now)
    desk.post(moderator="moderator_head")
    moderators.disable(EVE, desk.now)
    _ended(desk, match)


def _quarantined(desk: Desk, language: Language) -> None:
    """A mail came in that nobody could work on."""
    moderators.add(EVE, moderators.OPERATOR, "Eve", desk.now)
    accounts.change(id_of(EVE), language=language)
    desk.post()
    with store.writing():
        store.execute(
            "INSERT INTO incoming (dedupe, recipient, sender, received_at, state, reason, attempts,"
            " next_at, lease_by, lease_until)"
            " VALUES ('x', '', '', 0, 'quarantined', '', 3, 0, '', 0)"
        )
        staff_alerts.tell_of_quarantine(desk.now)
    desk.post(moderator=f"moderator_quarantined{_suffix(language)}")
    store.execute("DELETE FROM incoming")
    moderators.disable(EVE, desk.now)
    desk.now += DAY


def _new_rules(desk: Desk, language: Language) -> None:
    """The rules change while Ann and Bob play: first their match waits, then it goes on."""
    match, end = _begun(desk, language=language), _suffix(language)
    with patch.object(type(get_match(match).game), "rules_version", 2):
        new_rules.wait_for_moderator(get_match(match), desk.now)
        desk.post(rules__bob=f"rules_waits{end}")
        new_rules.go_on(get_match(match), desk.now)
        desk.post(rules__bob=f"rules{end}")
        _ended(desk, match)


def _restored(desk: Desk, language: Language) -> None:
    """The server goes back to a backup while Ann and Bob play."""
    match, end = _begun(desk, language=language), _suffix(language)
    moderators.add(EVE, moderators.OPERATOR, "Eve", desk.now)
    accounts.change(id_of(EVE), language=language)
    desk.post()
    restoration = Restoration("", desk.now, desk.now - 5 * HOUR)
    with store.writing():
        restored_matches.go_on(match, restoration, desk.now)
        staff_alerts.tell_of_restore(restoration._replace(mark=language), desk.now)
    turn = {"turn": "turn_restored"} if language == "en" else {}
    desk.post(restored__bob=f"restored{end}", moderator=f"moderator_restored{end}", **turn)
    moderators.disable(EVE, desk.now)
    _ended(desk, match)


CAMPAIGN = {
    ("we", 1, "question"): {"turn": "campaign_inquiry"},
    ("ussr", 1, "logistics"): {"turn": "campaign_turn_after_inquiry"},
    ("we", 1, "intelligence"): {"turn": "campaign_turn_first", "receipt": "campaign_receipt"},
    ("ussr", 3, "intelligence"): {
        "turn": "campaign_turn_ussr",
        "moved__cy": "campaign_moved_last",
    },
    ("we", 3, "intelligence"): {"turn": "campaign_turn_de", "moved__cy": "campaign_moved"},
    ("uk", 3, "intelligence"): {"turn": "campaign_turn"},
    ("usa", 3, "intelligence"): {"turn": "campaign_turn_fr"},
}
"""Letters of East & West, by when they come: who is asked what, and in which round."""


def _campaign(desk: Desk) -> None:
    """Four people play East & West; in the last round some read German and French."""
    kept = dict(CAMPAIGN)
    campaign.begin(desk.now)
    desk.post(started__cy="campaign_started", turn="campaign_turn_mobilisation")
    for seat, round, asked in campaign.played(campaign.from_file(), lambda: desk.now):
        desk.post(**kept.pop((seat, round, asked), {}))
        if (seat, round) == ("usa", 2):
            accounts.change(id_of(campaign.address("we")), language="de")
            accounts.change(id_of(campaign.address("usa")), language="fr")
        if (seat, round, asked) == ("uk", 3, "intelligence"):
            reminders.remind(
                get_player(id_of(campaign.address("uk"))), [turn_of(campaign.MATCH)], desk.now
            )
            desk.post(reminder="campaign_reminder")
    desk.post(finished__cy="campaign_finished")


def _of_four(desk: Desk, language: Language) -> None:
    """One of four declines; draws among several; a seat that goes from ally to ally."""
    mood = _suffix(language)
    match = invite_people(4, desk.now)
    for power in POWERS:
        accounts.change(id_of(address_of(power)), language=language)
    desk.post()
    joining.decline(match, WE, id_of(address_of("we")), desk.now)
    desk.post(declined=f"declined_host{mood}")
    match = four_people(desk.now, languages=(language,) * 4)
    desk.post()
    for number in (USSR, WE):
        matches.offer_draw(match, number, desk.now)
    desk.post(message__uk=f"message_draw_several{mood}")
    matches.decline_draw(match, USA, desk.now)
    desk.post(message__we=f"message_no_draw{mood}")
    matches.resign(match, WE, desk.now)
    desk.post(briefing__uk=f"briefing_inherited{mood}")
    for _ in range(2):
        matches.resign(match, WE, desk.now)
    desk.post(away__uk=f"away_machine{mood}")


def _between_players(desk: Desk, language: Language) -> None:
    """A move back that is declined, a rematch, a free seat that nobody takes, another address."""
    desk.now += DAY  # of free seats one hears once a day
    match, said = _begun(desk, language=language), _suffix(language)
    seat = turn_of(match).seat
    while turn_of(match).seat == seat:
        _play(desk, match, QuickDice(b"golden"), 1)
    desk.post()
    takebacks.ask(match, seat, desk.now)
    desk.post(takeback=f"takeback{said}")
    takebacks.decline(match, 1 - seat, desk.now)
    desk.post(takeback=f"takeback_declined{said}")
    matches.resign(match, 1, desk.now)
    desk.post()
    new = rematches.ask(match, 0, "", desk.now)
    desk.post(invitation=f"invitation_rematch{said}")
    rematches.decline(match, 1, desk.now)
    assert new
    seat_alerts.choose(id_of(BOB), ["iron_curtain"])
    waiting = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), desk.now)
    joining.confirmed(id_of(ANN), desk.now, waiting)
    desk.post(seat_alert=f"seat_alert{said}")
    seat_alerts.choose(id_of(BOB), [])
    open_matches.lapse(waiting, desk.now)
    desk.post(cancelled=f"cancelled_lapsed{said}")
    address_changes.ask_by_player(get_player(id_of(ANN)), f"ann{said}@example.net", desk.now)
    desk.post(account=f"account_own{said}")
    address_changes.call_off(id_of(ANN), desk.now)


def _moderated(desk: Desk, language: Language) -> None:
    """A moderator extends Bob's turn, then takes his seat from him, and both hear why."""
    match, end = _begun(desk, language=language), _suffix(language)
    extend, replace = match_acts.ACTS["extend"], match_acts.ACTS["replace"]
    params = act_targets.Params(seat=1, hours=48, address="dan@example.org")
    reason = "Bob wrote that a storm has cut his line; he needs two days to get it mended"
    match_acts.perform(MO, match, extend, params, reason, desk.now)
    desk.post(moderated__bob=f"moderated{end}")
    match_acts.perform(MO, match, replace, params, "Bob asked for it", desk.now)
    desk.post(moderated__bob=f"moderated_replaced{end}")
    _ended(desk, match)


def _reported(desk: Desk, language: Language) -> None:
    """Bob reports what Ann wrote, and a moderator answers him twice."""
    match, end = _begun(desk, language=language), _suffix(language)
    messages.say(match, 0, "You play like a shoe!", desk.now)
    desk.post()
    link = ReportLink(id_of(BOB), "message", desk.now, match, 1)
    (said,) = [target for target in reports.targets(link) if target.about == "message"]
    report = reports.make(link, said.key, "I do not want to read such things.", desk.now)
    for name, closes, text in [
        ("answer", False, "Thank you.\nDid <Ann> write more of this kind, " + "or " * 20 + "so?"),
        ("answer_closed", True, "We have written to Ann."),
    ]:
        after = reports.lines(report.id)[-1].id
        report_answers.answer(MO, report.id, report_answers.Answer(text, after, closes), desk.now)
        desk.post(answer=f"{name}{end}")
    _ended(desk, match)


def _to_players(desk: Desk) -> None:
    """Bob is banned; then his letters go to another address, which both addresses hear of."""
    bob = id_of(BOB)
    accounts.change(bob, name="Bob", language="en")
    perform = partial(player_acts.perform, MO, bob)
    perform(player_acts.ACTS["ban"], player_acts.Params(), "He calls others names", desk.now)
    desk.post(account="account")
    wanted_one = player_acts.Params(address="robert@example.org")
    perform(player_acts.ACTS["change_address"], wanted_one, "He wrote so", desk.now)
    desk.post(account="account_asked", address="address")
    change = address_changes.waiting(bob, desk.now)
    assert change is not None
    confirm_address(change.id, desk.now)
    desk.post(account__robert="account_arrived", account__bob="account_left")


def _merging(desk: Desk, language: Language) -> None:
    """Gil shall go into Gus, who waits for it; both hear of it twice."""
    end = _suffix(language)
    for name in ("gus", "gil"):
        mail = f"{name}{end}@example.org"
        one = wanted(creator=mail, name=name.title(), addresses={"usa": mail, "ussr": None})
        match = matches.create(one, desk.now)
        accounts.change(id_of(mail), language=language)
        joining.confirmed(id_of(mail), desk.now, match)
    desk.post()
    gus, gil = id_of(f"gus{end}@example.org"), id_of(f"gil{end}@example.org")
    goes = player_acts.Params(other=gil)
    player_acts.perform(MO, gus, player_acts.ACTS["merge"], goes, "They wrote so", desk.now)
    names = {
        f"account__gus{end}": f"account_stays{end}",
        f"account__gil{end}": f"account_goes{end}",
    }
    desk.post(**names)
    let_merge(gil, desk.now)
    desk.post(**{f"account__gil{end}": f"account_merged{end}"})


def _with_words(desk: Desk, language: Language) -> None:
    """Two who demand words, and were too quick before; one is asked again, and reminded."""
    end = _suffix(language)
    match = matches.create(
        wanted(
            addresses={"usa": "cy@example.org", "ussr": "dee@example.org"}, creator="cy@example.org"
        ),
        desk.now,
    )
    cy, dee = id_of("cy@example.org"), id_of("dee@example.org")
    store.execute("UPDATE player SET turn_word = ? WHERE id IN (?, ?)", True, cy, dee)
    store.execute("UPDATE player SET language = ? WHERE id IN (?, ?)", language, cy, dee)
    desk.post(confirm=f"confirm_word{end}")
    joining.confirmed(cy, desk.now, match)
    desk.post(invitation=f"invitation_word{end}")
    joining.accept(match, 1, dee, Joining("Dee", language, "UTC", ""), desk.now)
    desk.post(turn=f"turn_word{end}")
    reminders.remind(get_player(dee), [turn_of(match)], desk.now)
    desk.post(reminder=f"reminder_word{end}")
    store.execute(
        "UPDATE player SET turn_word = ?, quick_moves = 2 WHERE id IN (?, ?)", False, cy, dee
    )
    turns.submit(turn_of(match).id, ["first usa"], desk.now)
    desk.post(receipt=f"receipt_word_offered{end}")
    store.execute("UPDATE player SET quick_moves = 0")
    matches.resign(match, 0, desk.now)
    desk.post()


def _in_other_shapes(desk: Desk, language: Language) -> None:
    """Ann tries out how boards look; she has them told from then on, and Bob has narrow lines."""
    end, both = _suffix(language), {ANN: Shape(TOLD, 72), BOB: Shape(DRAWN, 40)}
    match, choice = _begun(desk, None, language), QuickDice(b"shapes")
    checkups.send(get_player(id_of(ANN)), desk.now)
    desk.post(checkup=f"checkup{end}")
    for who, shape in both.items():
        checkups.choose(id_of(who), shape)
    told, narrow = f"turn_told{end}", f"turn_narrow{end}"
    while not {told, narrow} <= desk.named.keys():
        _play(desk, match, choice, 1)
        desk.post(turn__ann=told, turn__bob=narrow)
    _ended(desk, match)
    for power in POWERS:
        accounts.change(id_of(address_of(power)), language=language)
    match = four_people(desk.now, languages=(language,) * 4)
    checkups.choose(id_of(address_of("ussr")), Shape(TOLD, 60))
    desk.post(turn=f"turn_campaign_told{end}")
    for who in (ANN, BOB, address_of("ussr")):
        checkups.choose(id_of(who), USUAL)
    _ended(desk, match)


def _with_one_letter_a_day(desk: Desk, language: Language) -> None:
    """Ann gets one letter a day: what Bob has played and said, and that he will be away."""
    ann, end = id_of(ANN), _suffix(language)
    match = _begun(desk, None, language)
    store.execute("UPDATE player SET digest_hour = 7 WHERE id = ?", ann)
    turns.submit(turn_of(match).id, ["first ussr"], desk.now)
    messages.say(match, 1, "I am off to the sea soon.", desk.now)
    absences.book(id_of(BOB), desk.now + 10 * DAY, desk.now + 17 * DAY, desk.now)
    desk.post()
    reminders.digest(ann, desk.now)
    desk.post(reminder=f"reminder_daily_news{end}")
    store.execute("UPDATE player SET digest_hour = NULL WHERE id = ?", ann)
    _ended(desk, match)


def shown(letter: EmailMessage) -> str:
    """A letter as its golden file has it: headers, an empty line, the text, what is attached."""
    kept = [f"{name}: {value}" for name, value in letter.items() if name != "Content-Type"]
    files = [f"=== {name}\n{text}" for name, text in files_of(letter).items()]
    return "\n".join([*kept, "", text_of(letter), *files])


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
