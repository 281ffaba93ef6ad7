"""Reports: what a letter lets its reader report, what is kept, who answers and who may not."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError

import msgspec
import pytest

from pbem.db import store
from pbem.db.store import rows
from pbem.errors import Refused
from pbem.links import ReportLink
from pbem.services.match import joining, matches, messages
from pbem.services.moderation import report_answers
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS, perform
from pbem.services.moderation.report_answers import Answer
from pbem.services.players import accounts
from pbem.services.records import audit_log
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.seats import stand_ins
from pbem.services.self_service import personal_data, reports
from pbem.services.self_service.reports import CLOSED, MOST_OPEN, MOST_UNANSWERED, OPEN
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, id_of, wanted
from tests.services.waiting import kinds, newest_letter

MO = ModeratorRecord(1, "mo@example.org", "Mo", "moderator", NOW, None, "", "", 0, None, 0)
DAY = 86_400


def to_bob(sitting: Sitting, at: int = NOW, letter: str = "turn") -> ReportLink:
    return ReportLink(sitting.bob, letter, at, sitting.match, 1)


def keys(link: ReportLink) -> list[str]:
    return [target.key for target in reports.targets(link)]


def messages_in(link: ReportLink) -> list[str]:
    return [target.words for target in reports.targets(link) if target.about == "message"]


def answer(report: int, text: str = "We look.", closes: bool = False, now: int = NOW) -> int:
    after = reports.lines(report)[-1].id
    return report_answers.answer(MO, report, Answer(text, after, closes), now)


# --- what can be reported -------------------------------------------------------------------------


def test_a_letter_lets_report_itself_the_others_and_what_they_wrote(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "First.", NOW)
    messages.say(sitting.match, 1, "My own words.", NOW)
    messages.say(sitting.match, 0, "Second.", NOW)
    found = reports.targets(to_bob(sitting))

    assert [(thing.about, thing.seat, thing.words) for thing in found] == [
        ("letter", None, ""),
        ("message", 0, "Second."),
        ("message", 0, "First."),
        ("conduct", 0, ""),
        ("name", 0, "Ann"),
        ("other", None, ""),
    ]
    assert {thing.subject for thing in found} == {sitting.ann, None}
    assert len({thing.key for thing in found}) == len(found)


def test_a_link_shows_nothing_that_came_after_its_letter(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "Before.", NOW)
    messages.say(sitting.match, 0, "After.", NOW + 2)

    assert messages_in(to_bob(sitting, NOW + 1)) == ["Before."]
    assert messages_in(to_bob(sitting, NOW + 2)) == ["After.", "Before."]
    assert messages_in(to_bob(sitting, NOW - 1)) == []


def test_who_only_was_asked_to_stand_in_sees_no_messages(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "Between us.", NOW)
    loan = stand_ins.lend(sitting.match, 1, NOW + DAY, NOW + 9 * DAY, EVE, NOW)
    asked = ReportLink(id_of(EVE), "stand_in", NOW + 1, sitting.match, 1)
    assert messages_in(asked) == []

    stand_ins.accept(loan, id_of(EVE), NOW + 2)
    assert messages_in(asked) == []


def test_who_lost_a_seat_sees_nothing_of_later(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "To Bob.", NOW)
    loan = stand_ins.lend(sitting.match, 1, NOW + 5, NOW + 9 * DAY, EVE, NOW + 5)
    stand_ins.accept(loan, id_of(EVE), NOW + 5)
    messages.say(sitting.match, 0, "To Eve.", NOW + 6)
    late = to_bob(sitting, NOW + 100, "stand_in")

    assert messages_in(late) == ["To Bob."]
    eve = ReportLink(id_of(EVE), "briefing", NOW + 100, sitting.match, 1)
    assert messages_in(eve) == ["To Eve.", "To Bob."]


def test_a_message_is_of_who_held_the_seat_then(sitting: Sitting) -> None:
    messages.say(sitting.match, 1, "Of Bob.", NOW)
    loan = stand_ins.lend(sitting.match, 1, NOW + 5, NOW + 9 * DAY, EVE, NOW + 5)
    stand_ins.accept(loan, id_of(EVE), NOW + 5)
    messages.say(sitting.match, 1, "Of Eve.", NOW + 6)
    link = ReportLink(sitting.ann, "message", NOW + 7, sitting.match, 0)
    by = {target.words: target.subject for target in reports.targets(link) if target.message}

    assert by == {"Of Bob.": sitting.bob, "Of Eve.": id_of(EVE)}


def test_only_the_newest_messages_are_offered(sitting: Sitting) -> None:
    for number in range(reports.MOST_MESSAGES + 5):
        messages.say(sitting.match, 0, f"Number {number}.", NOW)

    found = messages_in(to_bob(sitting))
    assert len(found) == reports.MOST_MESSAGES
    assert found[0] == "Number 24."


def test_an_invitation_names_who_sent_it(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    link = ReportLink(id_of(BOB), "invitation", NOW, match, 1)
    report = reports.make(link, "letter", "I know no Ann.", NOW)

    assert (report.subject, report.match, report.letter) == (id_of(ANN), match, "invitation")


def test_a_letter_of_no_seat_lets_report_itself(sitting: Sitting) -> None:
    for letter, match in [("confirm", sitting.match), ("you", ""), ("reminder", "")]:
        link = ReportLink(sitting.bob, letter, NOW, match)
        report = reports.make(link, "letter", "Not mine.", NOW)
        assert keys(link) == ["letter", "other"]
        assert (report.subject, report.match) == (None, match or None)


# --- making one -----------------------------------------------------------------------------------


def test_the_words_are_kept_as_they_were(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "You <shoe>!", NOW)
    link = to_bob(sitting, letter="message")
    (said,) = [target for target in reports.targets(link) if target.about == "message"]
    first = reports.make(link, said.key, "Read this.", NOW + 1)
    second = reports.make(link, "name:0", "And this.", NOW + 2)
    store.execute("DELETE FROM message")
    accounts.change(sitting.ann, name="Somebody")

    kept = reports.get(first.id)
    assert (kept.words, kept.message, kept.subject) == ("You <shoe>!", said.message, sitting.ann)
    assert (kept.state, kept.seat, kept.created_at) == (OPEN, 0, NOW + 1)
    assert reports.get(second.id).words == "Ann"
    (line,) = reports.lines(first.id)
    assert (line.author, line.who, line.text, line.at) == ("player", "", "Read this.", NOW + 1)
    assert report_answers.open_count() == 2


def test_only_what_is_offered_can_be_reported(sitting: Sitting) -> None:
    for key in ("", "message:99", "conduct:1", "conduct:7", "name", "x" * 500):
        with pytest.raises(Refused, match="say what your report is about"):
            reports.make(to_bob(sitting), key, "Something.", NOW)
    assert report_answers.open_count() == 0


def test_messages_of_another_match_cannot_be_reported(sitting: Sitting) -> None:
    other = matches.create(wanted(), NOW)
    joining.confirmed(sitting.ann, NOW)
    joining.accept(other, 1, sitting.bob, joining.Joining("Bob", "en", "UTC", ""), NOW)
    messages.say(other, 0, "Elsewhere.", NOW)
    ((message,),) = rows("SELECT id FROM message")
    with pytest.raises(Refused):
        reports.make(to_bob(sitting), f"message:{message}", "Something.", NOW)


def test_words_are_plain_and_not_too_many(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "letter", "x" * reports.LONGEST, NOW)
    for text in ("", " \n ", "x" * (reports.LONGEST + 1), "be\u202etrayed", "\0"):
        with pytest.raises(Refused):
            reports.make(to_bob(sitting), "letter", text, NOW)
        with pytest.raises(Refused):
            reports.write_again(report.id, text, NOW)
        with pytest.raises(Refused):
            answer(report.id, text)
    assert len(reports.lines(report.id)) == 1
    assert report_answers.open_count() == 1


def test_what_is_sent_twice_is_one_report(sitting: Sitting) -> None:
    first = reports.make(to_bob(sitting), "letter", "Stop.", NOW)
    assert reports.make(to_bob(sitting), "letter", " Stop. ", NOW + 5) == first
    assert reports.make(to_bob(sitting), "other", "Stop.", NOW + 5) != first
    assert report_answers.open_count() == 2


def test_a_player_has_few_open_reports(sitting: Sitting) -> None:
    made = [reports.make(to_bob(sitting), "other", f"Number {n}.", NOW) for n in range(MOST_OPEN)]
    for key in ("other", "letter"):
        with pytest.raises(Refused, match="5 of your reports are waiting"):
            reports.make(to_bob(sitting), key, "One more.", NOW)
    by_ann = ReportLink(sitting.ann, "turn", NOW, sitting.match, 0)
    assert reports.make(by_ann, "letter", "Mine is the first.", NOW)

    answer(made[0].id, closes=True)
    assert reports.make(to_bob(sitting), "other", "One more.", NOW)
    with pytest.raises(Refused, match="5 of your reports are waiting"):
        reports.write_again(made[0].id, "Open it again.", NOW)
    assert reports.get(made[0].id).state == CLOSED


@pytest.mark.whole
def test_two_at_once_do_not_break_the_limit(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are held before the check; who waits for the other outside comes later."""
    for number in range(MOST_OPEN - 1):
        reports.make(to_bob(sitting), "other", f"Number {number}.", NOW)
    meeting, check = Barrier(2), reports._check_few

    def meet(waiting: int) -> None:
        with suppress(BrokenBarrierError):
            meeting.wait(timeout=1)
        check(waiting)

    def send(number: int) -> bool:
        with store.connected():
            try:
                return bool(reports.make(to_bob(sitting), "other", f"Last {number}.", NOW))
            except Refused:
                return False

    monkeypatch.setattr(reports, "_check_few", meet)
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(send, range(2))) == [False, True]
    assert report_answers.open_count() == MOST_OPEN


# --- going on -------------------------------------------------------------------------------------


def test_an_answer_is_kept_entered_once_and_mailed(sitting: Sitting) -> None:
    report, before = reports.make(to_bob(sitting), "letter", "Stop.", NOW).id, newest_letter()
    number = answer(report, "We\nlook.", now=NOW + 1)

    assert reports.get(report).state == OPEN
    line = reports.lines(report)[-1]
    assert (line.author, line.who, line.text) == ("moderator", MO.address, "We\nlook.")
    assert kinds(before) == ["answer"]
    (entry,) = audit_log.newest(5)
    assert (entry.seq, entry.actor, entry.act) == (number, MO.address, "answer_report")
    assert (entry.subject, entry.words, entry.reason) == (f"report {report}", "", "")
    sealed = {"line": line.id, "sha256": hashlib.sha256(b"We\nlook.").hexdigest()}
    assert msgspec.json.decode(entry.detail) == sealed
    ((player, seat, about),) = rows(
        "SELECT player_id, seat, about FROM outbox WHERE kind = 'answer'"
    )
    assert (player, seat) == (sitting.bob, None)
    assert "look" not in about


def test_a_report_is_closed_with_words_and_opened_by_more(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "letter", "Stop.", NOW).id
    answer(report, "Done.", closes=True, now=NOW + 1)
    assert (reports.get(report).state, reports.get(report).closed_at) == (CLOSED, NOW + 1)
    assert report_answers.open_count() == 0
    with pytest.raises(Refused, match="already closed"):
        answer(report, "Done again.", closes=True)
    answer(report, "One thing more.")
    assert reports.get(report).state == CLOSED

    reports.write_again(report, "It came again.", NOW + 2)
    assert (reports.get(report).state, reports.get(report).closed_at) == (OPEN, None)
    assert [entry.act for entry in audit_log.newest(5)] == ["answer_report", "close_report"]


def test_who_has_not_read_the_last_words_answers_nothing(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "letter", "Stop.", NOW).id
    read = reports.lines(report)[-1].id
    reports.write_again(report, "And this.", NOW)
    before = newest_letter()
    with pytest.raises(Refused, match="someone has written in the meantime"):
        report_answers.answer(MO, report, Answer("Too fast.", read), NOW)
    assert newest_letter() == before
    assert audit_log.head().seq == 0


def test_of_two_who_answer_at_once_one_does(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "letter", "Stop.", NOW).id
    read = reports.lines(report)[-1].id

    def send(number: int) -> bool:
        with store.connected():
            try:
                return report_answers.answer(MO, report, Answer(f"Answer {number}", read), NOW) > 0
            except Refused:
                return False

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(send, range(4))).count(True) == 1
    assert audit_log.head().seq == 1


def test_a_player_waits_for_an_answer_sooner_or_later(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "letter", "Number 0.", NOW).id
    for number in range(1, MOST_UNANSWERED):
        reports.write_again(report, f"Number {number}.", NOW)
    reports.write_again(report, f"Number {MOST_UNANSWERED - 1}.", NOW)
    with pytest.raises(Refused, match="written enough"):
        reports.write_again(report, "More.", NOW)
    assert len(reports.lines(report)) == MOST_UNANSWERED
    answer(report)
    reports.write_again(report, "More.", NOW)


# --- who may not ----------------------------------------------------------------------------------


def test_who_has_a_part_in_it_does_nothing_to_it(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "conduct:0", "She dawdles.", NOW)
    for address in (ANN, "BOB+mod@example.org"):
        seated = MO._replace(address=address)
        assert report_answers.has_part(seated, report)
        with pytest.raises(Refused, match="you are involved in this report"):
            report_answers.answer(
                seated, report.id, Answer("No.", reports.lines(report.id)[-1].id), NOW
            )
    assert audit_log.head().seq == 0
    assert not report_answers.has_part(MO, report)


def test_who_made_a_report_without_a_match_does_not_read_it(sitting: Sitting) -> None:
    link = ReportLink(accounts.known_or_new(EVE, NOW).id, "you", NOW)
    report = reports.make(link, "letter", "Not mine.", NOW)

    assert report_answers.has_part(MO._replace(address=EVE), report)
    assert not report_answers.has_part(MO._replace(address=BOB), report)


def test_who_was_replaced_still_has_a_part(sitting: Sitting) -> None:
    report = reports.make(to_bob(sitting), "conduct:0", "She dawdles.", NOW)
    params = Params(seat=0, address=EVE)
    perform(MO, sitting.match, ACTS["replace"], params, "Ann asked for it", NOW)

    assert get_match(sitting.match).seat(0).player is None
    assert report_answers.has_part(MO._replace(address=ANN), report)


# --- lists and leaving ----------------------------------------------------------------------------


def test_open_ones_come_first_and_pages_have_no_gaps(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_answers, "A_PAGE", 2)
    monkeypatch.setattr(reports, "MOST_OPEN", 99)
    made = [reports.make(to_bob(sitting), "other", f"{n}.", NOW).id for n in range(7)]
    for number in (made[1], made[6]):
        answer(number, closes=True, now=NOW + 5)
    seen, after = list[tuple[int, str]](), None
    for _ in range(4):
        page = report_answers.page(after)
        seen += [(listed.report.id, listed.last_author) for listed in page.reports]
        after = page.following
        if after is None:
            break

    still_open = [(made[n], "player") for n in (5, 4, 3, 2, 0)]
    assert seen == [*still_open, (made[6], "moderator"), (made[1], "moderator")]
    assert report_answers.open_count() == 5


def test_reports_by_a_player_are_found(sitting: Sitting) -> None:
    by_bob = reports.make(to_bob(sitting), "conduct:0", "She dawdles.", NOW)
    reports.make(ReportLink(sitting.ann, "turn", NOW, sitting.match, 0), "letter", "No.", NOW)

    assert reports.of_reporter(sitting.bob) == [by_bob]


def test_who_leaves_takes_the_words_along(sitting: Sitting) -> None:
    made = reports.make(to_bob(sitting), "name:0", "What a name.", NOW).id
    by_ann = ReportLink(sitting.ann, "turn", NOW, sitting.match, 0)
    about_bob, settled = (
        reports.make(by_ann, "name:1", words, NOW).id for words in ("Silly.", "Again.")
    )
    answer(made, "We look.")
    answer(settled, "Done.", closes=True)
    exported = personal_data.export(sitting.bob)["reports"]
    assert [one["lines"][0]["text"] for one in exported] == ["What a name."]
    matches.resign(sitting.match, 0, NOW)
    personal_data.delete(sitting.bob, NOW + 9)

    assert [line.text for line in reports.lines(made)] == ["", "We look."]
    assert reports.get(made).state == CLOSED
    assert reports.get(made).words == "Ann"
    assert (reports.get(about_bob).words, reports.get(about_bob).subject) == ("Bob", None)
    assert reports.get(settled).words == ""
    answer(about_bob, "Gone.", closes=True)
    assert reports.get(about_bob).words == ""
