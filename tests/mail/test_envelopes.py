"""The envelope of a letter: where it comes back to."""

from __future__ import annotations

from typing import Any

import pytest

from pbem import return_addresses
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import outbox
from pbem.services.letters.composing import envelope_sender
from pbem.services.players.process_settings import settings
from tests.kit.smtp_sink import SmtpSink
from tests.mail.posting import WORKER, Bag, office_with, owe_you, queued
from tests.services.people import ANN, BOB, NOW


@pytest.fixture
def takes_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "takes_mail", True)


def test_every_letter_has_an_address_of_its_own(stored: str, takes_mail: None) -> None:
    owe_you(ANN, 1, NOW)
    owe_you(BOB, 1, NOW)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW)

    senders = [parcel.sender for parcel in bag.parcels]
    assert [sender.partition("@")[2] for sender in senders] == ["play.example"] * 2
    read = [return_addresses.read(sender.partition("@")[0]) for sender in senders]
    assert [one.number for one in read if one is not None] == [1, 2]
    assert all(one is not None and return_addresses.is_of_letter(one) for one in read)
    assert all(one.mime.startswith(b"From: pbem <pbem@play.example>\r\n") for one in bag.parcels)
    assert not any(one.sender.encode() in one.mime for one in bag.parcels), "only the envelope"


def test_without_a_way_in_it_is_that_of_the_server(stored: str) -> None:
    owe_you(ANN, 1, NOW)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW)

    assert [parcel.sender for parcel in bag.parcels] == ["pbem@play.example"]


@pytest.mark.parametrize(
    ("kind", "about", "is_empty"),
    [
        ("reply", {"what": "refused"}, True),
        ("reply", {"what": "unclear", "answers": "<1@client>"}, True),
        ("reply", {"what": "sent", "answers": "<1@client>"}, False),
        ("reply", {"what": "unsure"}, False),
        ("turn", {}, False),
    ],
)
def test_an_answer_about_an_error_comes_back_to_nobody(
    takes_mail: None, kind: str, about: dict[str, Any], is_empty: bool
) -> None:
    letter = queued(kind, 1, about=about)._replace(id=7)

    assert (envelope_sender(office_with(Bag()), letter) == "") == is_empty


def test_an_empty_sender_is_said_to_a_server() -> None:
    with SmtpSink() as sink:
        transport = SmtpTransport(sink.url)
        transport.send("", BOB, b"Subject: x\r\n\r\nx\r\n")
        transport.close()
        assert [letter.sender for letter in sink.received] == ["<>"]
