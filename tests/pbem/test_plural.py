"""Messages that somebody holds and translates later have both forms, in every language."""

from __future__ import annotations

import pytest

from engine.core import Language
from pbem import i18n
from pbem.deadline_text import clock_in_words
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Refused
from pbem.plural import Counted
from pbem.services.players.limits import too_often
from pbem.services.records import announcements
from pbem.services.records.announcements import When, Words
from pbem.web.shared.match_text import moment

NOW = 1_800_000_000
HOURS_MORE = Counted(
    "%(side)s gets %(num)s more hour for this turn. It ends on %(end)s.",
    "%(side)s gets %(num)s more hours for this turn. It ends on %(end)s.",
)


def test_a_refusal_reads_the_form_of_its_number_in_english() -> None:
    for num, said in ((1, "1 cube"), (0, "0 cubes"), (2, "2 cubes")):
        assert str(Refused(Counted("%(num)s cube", "%(num)s cubes"), num=num)) == said


@pytest.mark.parametrize(
    ("language", "wait", "said"),
    [
        ("en", 60, "that was too often; try again in 1 minute"),
        ("en", 61, "that was too often; try again in 2 minutes"),
        ("en", 2 * HOUR, "that was too often; try again in 2 hours"),
        ("de", 60, "Das war zu oft; versuch es in 1 Minute wieder"),
        ("de", 61, "Das war zu oft; versuch es in 2 Minuten wieder"),
        ("fr", 60, "c'était trop souvent\xa0; réessayez dans 1 minute"),
        ("fr", 61, "c'était trop souvent\xa0; réessayez dans 2 minutes"),
    ],
)
def test_a_refusal_is_told_in_the_form_of_its_number(
    language: Language, wait: int, said: str
) -> None:
    with i18n.speaking(language):
        assert i18n.translate_error(too_often(wait)) == said


@pytest.mark.parametrize(
    ("language", "num", "said"),
    [
        ("en", 1, "UK gets 1 more hour for this turn. It ends on noon."),
        ("en", 3, "UK gets 3 more hours for this turn. It ends on noon."),
        ("de", 1, "UK bekommt für diesen Zug 1 Stunde mehr. Er endet am noon."),
        ("de", 3, "UK bekommt für diesen Zug 3 Stunden mehr. Er endet am noon."),
    ],
)
def test_an_announcement_keeps_both_forms_while_its_letter_waits(
    language: Language, num: int, said: str
) -> None:
    words = Words(HOURS_MORE, {"side": "UK", "num": num, "end": When(NOW)})
    kept = announcements.unpacked(announcements.packed(words))

    assert kept == words
    with i18n.speaking(language):
        assert announcements.said(kept, None, lambda at: "noon") == said


@pytest.mark.parametrize(
    ("language", "grace", "said"),
    [
        ("en", DAY, "One day's grace if you are late; everyone sees it"),
        ("en", 2 * DAY, "2 days' grace if you are late; everyone sees it"),
        ("en", 36 * HOUR, "36 hours' grace if you are late; everyone sees it"),
        ("de", DAY, "1 Tag Nachfrist, wenn du dich verspätest; alle sehen es"),
        ("fr", 2 * HOUR, "2 heures de délai de grâce en cas de retard\xa0; tout le monde le voit"),
    ],
)
def test_grace_is_said_in_the_form_of_its_length(language: Language, grace: int, said: str) -> None:
    with i18n.speaking(language):
        assert said in clock_in_words(Clock(per_move=DAY, grace=grace))


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (NOW, "just now"),
        (NOW - 59, "just now"),
        (NOW - 60, "1 minute ago"),
        (NOW + 1, "in 1 second"),
    ],
)
def test_what_is_less_than_a_minute_ago_is_just_now(at: int, said: str) -> None:
    assert moment(at, "UTC", NOW).distance == said
