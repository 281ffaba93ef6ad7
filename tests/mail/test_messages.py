"""What others write reaches a mailbox: messages gathered, none past the mute, few after the end."""

from __future__ import annotations

import pytest

from pbem.db.store import writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused, TooOften
from pbem.services.letters.claims import claim
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.outbox import drain
from pbem.services.match import joining, matches, messages
from pbem.services.match.messages import GATHERED_FOR, MOST_AFTER_THE_END
from pbem.services.players import accounts
from tests.mail.posting import WORKER, Bag, outbox, text_of
from tests.services.people import ANN, BOB, NOW, Sitting, id_of, sit_down, wanted


@pytest.fixture
def sitting(stored: str, office: MailSettings) -> Sitting:
    """Ann and Bob, with all letters about the beginning gone."""
    found = sit_down(NOW)
    drain(office, WORKER, NOW)
    return found


def sent(bag: Bag) -> list[str]:
    return [text_of(letter) for letter in bag.letters if letter["X-PBEM-Kind"] == "message"]


def say(sitting: Sitting, text: str, now: int = NOW) -> None:
    messages.say(sitting.match, 0, text, now)


def test_what_is_written_at_once_comes_in_one_letter(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    for number in range(3):
        say(sitting, f"Word {number}.")
    drain(office, WORKER, NOW)

    (letter,) = sent(bag)
    assert [f"Word {number}." in letter for number in range(3)] == [True] * 3


def test_what_is_written_after_a_letter_waits_for_the_next_one(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    say(sitting, "First.")
    drain(office, WORKER, NOW)
    for number in range(20):
        say(sitting, f"Word {number}.", NOW + number)
        drain(office, WORKER, NOW + number)

    assert len(sent(bag)) == 1
    drain(office, WORKER, NOW + GATHERED_FOR)
    assert len(sent(bag)) == 2
    assert "First." not in sent(bag)[1]
    assert "Word 0." in sent(bag)[1] and "Word 19." in sent(bag)[1]


def test_a_long_talk_is_cut_and_the_page_has_the_rest(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    for number in range(25):
        say(sitting, f"Word {number}.")
    drain(office, WORKER, NOW)

    assert "Word 19." in sent(bag)[0] and "Word 20." not in sent(bag)[0]
    assert "5 weitere Nachrichten stehen auf" in sent(bag)[0]


def test_a_message_is_told_though_the_letter_before_is_being_written(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    say(sitting, "First.")
    claim("somebody who dies", NOW)
    say(sitting, "Second.", NOW + 1)
    drain(office, WORKER, NOW + DAY)

    assert "First." in sent(bag)[0]
    assert any("Second." in letter for letter in sent(bag))


def test_turn_letters_do_not_wait_for_messages(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    say(sitting, "First.")
    drain(office, WORKER, NOW)
    say(sitting, "Second.", NOW + 1)
    matches.revoke_links(sitting.match, 1, NOW + 2)
    before = len(bag.parcels)
    drain(office, WORKER, NOW + 2)

    assert [letter["X-PBEM-Kind"] for letter in bag.letters[before:]] == ["turn"]


def test_the_mute_holds(sitting: Sitting, office: MailSettings, bag: Bag) -> None:
    accounts.mute(sitting.bob)
    say(sitting, "Hello.")
    matches.offer_draw(sitting.match, 0, NOW)
    drain(office, WORKER, NOW)

    (letter,) = sent(bag)
    assert "Hello." not in letter, "a draw asks for an answer, and nothing else comes"
    assert outbox("state", "kind = 'message'") == ["superseded", "sent"]


def test_a_seat_writes_so_much_and_no_more(
    sitting: Sitting, office: MailSettings, bag: Bag
) -> None:
    for number in range(30):
        say(sitting, f"Word {number}.")
    with pytest.raises(TooOften) as refusal:
        say(sitting, "One more.")

    assert 0 < refusal.value.wait <= HOUR
    messages.say(sitting.match, 1, "The other side may still write.", NOW)
    say(sitting, "Later.", NOW + HOUR)


def test_little_is_written_after_the_end(sitting: Sitting, office: MailSettings, bag: Bag) -> None:
    say(sitting, "Before.")
    matches.resign(sitting.match, 0, NOW + 1)
    for number in range(MOST_AFTER_THE_END):
        say(sitting, f"Word {number}.", NOW + 2 + number * DAY)
    with pytest.raises(Refused, match="after the end each side can write up to 10 messages"):
        say(sitting, "One more.", NOW + 99 * DAY)


def test_who_never_asked_reads_no_name_of_a_stranger_in_a_subject(
    stored: str, office: MailSettings, bag: Bag
) -> None:
    def subject_of_invitation() -> str:
        matches.create(wanted(name="Ann Evil"), NOW)
        joining.confirmed(id_of(ANN), NOW)
        drain(office, WORKER, NOW)
        return str(bag.letters[-1]["Subject"])

    assert subject_of_invitation() == "An invitation to play Iron Curtain"
    with writing():
        accounts.confirm(id_of(BOB), NOW)
    assert subject_of_invitation() == "Ann Evil invites you to play Iron Curtain"
