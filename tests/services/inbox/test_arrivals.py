"""Mails are kept once, sealed, for recipients of ours, before anybody is told so."""

from __future__ import annotations

import pytest

from pbem import sealing
from pbem.db.store import rows, writing
from pbem.incoming.mails import TooLarge
from pbem.services.inbox import arrivals
from pbem.services.records import epochs
from tests.services.inbox.mailing import bounce_address, raw_mail, reply_address
from tests.services.people import BOB, NOW, Sitting, turn_of


def kept() -> int:
    return int(rows("SELECT COUNT(*) FROM incoming")[0][0])


def test_a_reply_is_kept_with_its_turn_and_sealed(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    to = reply_address(turn)
    raw = raw_mail(to, "first usa")

    assert arrivals.keep(BOB, [to], raw, NOW) == [True]

    ((number, recipient, sender, received, state, of_turn, mime),) = rows(
        "SELECT id, recipient, sender, received_at, state, turn, mime FROM incoming"
    )
    assert (recipient, sender, received, state) == (to, BOB, NOW, "received")
    assert of_turn == turn.id
    assert b"first usa" not in bytes(mime)
    assert sealing.opened(arrivals.PURPOSE, number, bytes(mime)) == raw


def test_a_bounce_address_is_known_by_its_code(sitting: Sitting) -> None:
    to = bounce_address(7)

    assert arrivals.keep("", [to, to.replace("b7-", "b8-")], raw_mail(to), NOW) == [True, False]
    assert rows("SELECT recipient, sender, turn FROM incoming") == [(to, "", None)]


def test_one_mail_to_two_turns_is_kept_twice(sitting: Sitting) -> None:
    one, other = reply_address(turn_of(sitting.match)), bounce_address(3)

    assert arrivals.keep(BOB, [one, "nobody@localhost", other], raw_mail(one), NOW) == [
        True,
        False,
        True,
    ]
    assert kept() == 2


@pytest.mark.parametrize("message_id", ["<1@client>", "", "<>", "nonsense"])
def test_what_comes_twice_is_kept_once(sitting: Sitting, message_id: str) -> None:
    to = reply_address(turn_of(sitting.match))
    for again in range(3):
        raw = raw_mail(to, message_id=message_id)
        assert arrivals.keep(BOB, [to.upper() if again else to], raw, NOW + again) == [True]

    assert rows("SELECT received_at FROM incoming") == [(NOW,)]


def test_without_a_proper_message_id_other_words_are_another_mail(sitting: Sitting) -> None:
    to = reply_address(turn_of(sitting.match))
    for words in ("1", "2"):
        arrivals.keep(BOB, [to], raw_mail(to, words, message_id="<>"), NOW)

    assert kept() == 2


def test_two_message_ids_count_as_none(sitting: Sitting) -> None:
    to = reply_address(turn_of(sitting.match))
    for words in ("1", "2"):
        twice = b"Message-ID: <1@client>\r\n" + raw_mail(to, words, message_id="<1@client>")
        arrivals.keep(BOB, [to], twice, NOW)

    assert kept() == 2


def test_a_message_id_in_the_words_is_none(sitting: Sitting) -> None:
    to = reply_address(turn_of(sitting.match))
    for words in ("1", "2"):
        said = f"{words}\r\nMessage-ID: <1@client>\r\n"
        arrivals.keep(BOB, [to], raw_mail(to, said, message_id=""), NOW)

    assert kept() == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda to: to.replace("@localhost", "@elsewhere.example"),
        lambda to: to.replace("@", "x@"),
        lambda to: f"r999999-{to.partition('-')[2]}",
        lambda to: "pbem@localhost",
        lambda to: "",
        lambda to: "\udcff@localhost",
    ],
    ids=["domain", "code", "turn", "name", "nothing", "no text"],
)
def test_nobody_else_is_known(sitting: Sitting, change: object) -> None:
    assert callable(change)
    to = change(reply_address(turn_of(sitting.match)))

    assert arrivals.keep(BOB, [to], raw_mail("x"), NOW) == [False]
    assert kept() == 0


def test_what_revokes_links_revokes_addresses(sitting: Sitting) -> None:
    turn = turn_of(sitting.match)
    to = reply_address(turn)
    with writing():
        epochs.raise_seat(sitting.match, turn.seat, NOW + 1)

    assert not arrivals.is_known(to)
    assert arrivals.is_known(reply_address(turn))


def test_a_mail_that_is_too_large_is_not_kept(sitting: Sitting) -> None:
    to = reply_address(turn_of(sitting.match))
    fits = raw_mail(to).ljust(arrivals.LARGEST, b"x")

    with pytest.raises(TooLarge, match=r"262144 bytes"):
        arrivals.keep(BOB, [to], fits + b"x", NOW)
    assert kept() == 0
    assert arrivals.keep(BOB, [to], fits, NOW) == [True]


def test_an_envelope_that_no_table_can_hold_is_kept_all_the_same(sitting: Sitting) -> None:
    to = reply_address(turn_of(sitting.match))

    assert arrivals.keep("\udcff\x00@x" + "y" * 400, [to], raw_mail(to), NOW) == [True]

    ((sender,),) = rows("SELECT sender FROM incoming")
    assert sender.startswith("??@xyy")
    assert len(sender) == 320


def test_half_a_mail_is_never_kept(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = reply_address(turn_of(sitting.match)), bounce_address(3)
    seals = iter([b"sealed"])
    monkeypatch.setattr(sealing, "seal", lambda *_: next(seals))

    with pytest.raises(StopIteration):
        arrivals.keep(BOB, [one, other], raw_mail(one), NOW)

    assert kept() == 0
