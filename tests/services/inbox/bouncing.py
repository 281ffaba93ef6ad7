"""Reports about letters, as a worker hands them on after reading them."""

from __future__ import annotations

from pbem import return_addresses
from pbem.db.store import row, writing
from pbem.incoming.mails import DeliveryReport, Failure, IncomingMail
from pbem.services.inbox import bounces
from pbem.services.inbox.kept_mails import Ending, KeptMail
from tests.services.inbox.mailing import bounce_address
from tests.services.people import BOB, NOW

STATUS = {"hard": "5.1.1", "soft": "5.2.2", "delayed": "4.4.1"}


def newest(player: int, kind: str = "turn") -> int:
    """The newest letter of a kind to a player."""
    found = row("SELECT MAX(id) FROM outbox WHERE player_id = ? AND kind = ?", player, kind)
    assert found is not None and found[0] is not None, f"no letter of the kind {kind}"
    return int(found[0])


def mail_with(report: DeliveryReport | None) -> IncomingMail:
    return IncomingMail(
        "mailer-daemon@mail.example",
        *("none", "<report@mail.example>", "Undelivered Mail", "no sender", ()),
        report=report,
    )


def come_back(
    letter: int,
    failure: Failure = "hard",
    now: int = NOW,
    about: tuple[str, ...] = (BOB,),
    to: str = "",
) -> Ending:
    """A report about a letter, at its own address unless another is named."""
    recipient = to or bounce_address(letter)
    address = return_addresses.read(recipient.partition("@")[0])
    assert address is not None, "the shape of one of ours"
    report = DeliveryReport(failure, STATUS[failure], about)
    with writing():
        return bounces.take(KeptMail(1, address, recipient, "", now), mail_with(report), now)
