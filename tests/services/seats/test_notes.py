"""Private notes: the player's own, exported, gone with the player, in no record of the match."""

from __future__ import annotations

import pytest

from engine.replay import write_match
from pbem.db.store import rows
from pbem.errors import Refused, TooOften
from pbem.services.match import match_log, matches
from pbem.services.records.match_rows import get_match
from pbem.services.seats import notes
from pbem.services.self_service import personal_data
from tests.services.people import NOW, Sitting

CANARY = "zqcanary hold Poland"


@pytest.fixture
def noted(sitting: Sitting) -> Sitting:
    notes.write(sitting.match, 0, sitting.ann, f"  {CANARY}  \r\nsecond line", NOW)
    return sitting


def test_what_was_written_is_kept_for_its_author(noted: Sitting) -> None:
    assert notes.of(noted.match, noted.ann) == f"{CANARY}\nsecond line"
    assert notes.of(noted.match, noted.bob) == ""


def test_new_words_replace_the_old_and_none_remove_them(noted: Sitting) -> None:
    notes.write(noted.match, 0, noted.ann, "other", NOW + 1)
    assert notes.of(noted.match, noted.ann) == "other"
    notes.write(noted.match, 0, noted.ann, "  ", NOW + 2)
    assert rows("SELECT COUNT(*) FROM note") == [(0,)]


@pytest.mark.parametrize("text", ["x" * (notes.LONGEST + 1), "bell\x07", "turn\u202earound"])
def test_what_cannot_be_kept_is_refused_and_the_old_stays(noted: Sitting, text: str) -> None:
    with pytest.raises(Refused, match="a note"):
        notes.write(noted.match, 0, noted.ann, text, NOW + 1)
    assert notes.of(noted.match, noted.ann).startswith(CANARY)


def test_there_is_a_limit(sitting: Sitting) -> None:
    for _ in range(60):
        notes.write(sitting.match, 0, sitting.ann, "again", NOW)
    with pytest.raises(TooOften):
        notes.write(sitting.match, 0, sitting.ann, "again", NOW)


def test_it_is_in_ones_own_data_and_in_nobody_elses(noted: Sitting) -> None:
    assert CANARY in str(personal_data.export(noted.ann))
    assert CANARY not in str(personal_data.export(noted.bob))
    assert CANARY not in str(personal_data.export(noted.ann, for_moderator=True))


def test_it_is_in_no_file_and_goes_with_its_author(noted: Sitting) -> None:
    matches.resign(noted.match, 1, NOW + 1)
    assert CANARY.encode() not in write_match(match_log.export(get_match(noted.match)))
    assert CANARY not in str(rows("SELECT * FROM entry")) + str(rows("SELECT * FROM outbox"))
    personal_data.delete(noted.ann, NOW + 2)
    assert rows("SELECT COUNT(*) FROM note") == [(0,)]
