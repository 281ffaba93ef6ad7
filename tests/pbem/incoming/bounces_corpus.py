"""Letters that come back, as mail servers write that they could not deliver them.

Each shape is that of one server, written for these tests from what it is documented to send; the
reasons are those that servers give, and what follows from each was decided by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.incoming.mails import Failure

ADDRESS = "ann@post.example"
OLD = f"""\
Return-Path: <b17-abcdefghijklm@play.example>
From: pbem <pbem@play.example>
To: {ADDRESS}
Subject: Your turn: a temporary quota of spam, try again later
Message-ID: <o.0.17.5a8b@play.example>

It is your turn. Mailbox full, user unknown, 5.1.1: all of this is only in the letter.
"""


class Bounce(NamedTuple):
    name: str
    raw: bytes
    failure: Failure | None


class Reason(NamedTuple):
    """Why a server could not deliver a letter."""

    status: str
    diagnostic: str
    failure: Failure | None
    action: str = "failed"


UNKNOWN = Reason(
    "5.1.1", "550 5.1.1 <ann@post.example>: Recipient address rejected: User unknown", "hard"
)
NO_DOMAIN = Reason(
    "5.1.2", "550 5.1.2 Host unknown (Name server: post.example: no data known)", "soft"
)
VAGUE_UNKNOWN = Reason("5.0.0", "550 No such user here", "hard")
DISABLED = Reason(
    "5.2.1", "550 5.2.1 The email account that you tried to reach is disabled", "hard"
)
FULL = Reason(
    "5.2.2", "552 5.2.2 The recipient's inbox is out of storage space, quota exceeded", "soft"
)
FULL_FOR_NOW = Reason("4.2.2", "452 4.2.2 Mailbox full", "soft")
SPAM = Reason("5.7.1", "550 5.7.1 Message rejected as spam by content filtering", "soft")
BLOCKED = Reason(
    "5.7.1", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using x", "soft"
)
VAGUE_BLOCK = Reason(
    "5.0.0", "550 Blocked, see https://block.example; unknown sender reputation", "soft"
)
UNAUTHENTICATED = Reason("5.7.26", "550-5.7.26 This mail is unauthenticated, DMARC policy", "soft")
EXPIRED = Reason("4.4.7", "smtp; 421 4.4.2 connection timed out; delivery time expired", "soft")
NO_HOST = Reason("5.4.4", "unable to look up host post.example: host not found, try again", "soft")
TOO_LARGE = Reason("5.3.4", "552 5.3.4 Message size exceeds fixed limit", "soft")
DENIED = Reason(
    "5.4.1", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "hard"
)
OUR_FAULT = Reason("5.1.8", "550 5.1.8 Access denied, bad outbound sender", "soft")
RELAY = Reason("5.7.1", "550 5.7.1 Unable to relay for ann@post.example", "soft")
LOOP = Reason("5.4.6", "554 5.4.6 Too many hops", "soft")
DELAYED = Reason(
    "4.4.1", "connect to mx.post.example[192.0.2.7]:25: Connection timed out", "delayed", "delayed"
)
GREYLISTED = Reason("4.2.0", "450 4.2.0 Greylisted, try again in 300 seconds", "delayed", "delayed")
RELAYED = Reason("2.0.0", "250 2.0.0 Ok: queued as 1", None, "relayed")
DELIVERED = Reason("2.0.0", "250 2.0.0 Ok", None, "delivered")


def report(
    server: str, subject: str, words: str, fields: str, sender: str = "MAILER-DAEMON"
) -> bytes:
    """A multipart/report with words, fields and the letter (RFC 3464)."""
    return (
        f"From: {server} <{sender}@mx.post.example>\nTo: b17-abcdefghijklm@play.example\n"
        f"Subject: {subject}\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        f"--b\nContent-Description: Notification\nContent-Type: text/plain; charset=us-ascii\n\n"
        f"{words}\n\n--b\nContent-Description: Delivery report\n"
        f"Content-Type: message/delivery-status\n\n{fields}\n\n"
        f"--b\nContent-Description: Undelivered Message\nContent-Type:"
        f" message/rfc822\n\n{OLD}\n--b--\n"
    ).encode()


def plain(sender: str, subject: str, words: str, more: str = "") -> bytes:
    """Only words."""
    return (
        f"From: {sender}\nTo: b17-abcdefghijklm@play.example\nSubject: {subject}\n{more}\n{words}\n"
    ).encode()


# --- servers that say it in fields ---------------------------------------------------------------


def postfix(reason: Reason) -> bytes:
    subject = "Undelivered Mail Returned to Sender"
    words = "I'm sorry to have to inform you that your message could not be delivered."
    if reason.action == "delayed":
        subject, words = "Delayed Mail (still being retried)", "YOU DO NOT NEED TO RESEND IT."
    return report(
        "Mail Delivery System", subject,
        f"This is the mail system at host mx.post.example.\n\n{words}\n\n                   The"
        f" mail"
        f" system\n\n<{ADDRESS}>: host mx.post.example[192.0.2.7] said:\n    {reason.diagnostic}",
        "Reporting-MTA: dns; mx.post.example\nX-Postfix-Queue-ID: 4Sx\nX-Postfix-Sender:"
        " rfc822; b\n\n"
        f"Final-Recipient: rfc822; {ADDRESS}\nOriginal-Recipient: rfc822;{ADDRESS}\n"
        f"Action: {reason.action}\nStatus: {reason.status}\nRemote-MTA: dns; mx.post.example\n"
        f"Diagnostic-Code: smtp; {reason.diagnostic}",
    )  # fmt: skip


def exim(reason: Reason) -> bytes:
    return report(
        "Mail Delivery System", "Mail delivery failed: returning message to sender",
        "This message was created automatically by mail delivery software.\n\nA message that"
        " you sent"
        " could not be delivered to one or more of its\nrecipients. This is a permanent error. The"
        f" following address(es) failed:\n\n  {ADDRESS}\n    host mx.post.example [192.0.2.7]\n"
        f"    SMTP error from remote mail server after RCPT TO:<{ADDRESS}>:\n   "
        f" {reason.diagnostic}",
        "Reporting-MTA: dns; mail.exim.example\n\nAction: failed\n"
        f"Final-Recipient: rfc822;{ADDRESS}\nStatus: 5.0.0\nRemote-MTA: dns; mx.post.example\n"
        f"Diagnostic-Code: smtp; {reason.diagnostic}",
    )  # fmt: skip


def exim_without_reason(reason: Reason) -> bytes:
    """As versions before 4.90: the fields have neither words nor a status that says anything."""
    return exim(reason).replace(f"Diagnostic-Code: smtp; {reason.diagnostic}".encode(), b"")


def exchange_online(reason: Reason) -> bytes:
    return report(
        "Microsoft Outlook", "Undeliverable: Your turn",
        f"Delivery has failed to these recipients or groups:\n\n{ADDRESS}\nYour message couldn't be"
        f" delivered.\n\nDiagnostic information for administrators:\n\nGenerating server: x\n\n"
        f"{ADDRESS}\nRemote Server returned '{reason.diagnostic}'",
        "Reporting-MTA: dns;AM0PR.eurprd01.prod.outlook.com\nReceived-From-MTA: dns;x\n\n"
        f"Final-Recipient: rfc822;{ADDRESS}\nAction: {reason.action}\nStatus: {reason.status}\n"
        f"Diagnostic-Code: smtp;{reason.diagnostic}\nX-Display-Name: Ann",
        "postmaster",
    )  # fmt: skip


def gmail(reason: Reason) -> bytes:
    said = reason.diagnostic.replace(" ", f"-{reason.status} ", 1) + f" {reason.status} - gsmtp"
    is_delayed = reason.action == "delayed"
    return report(
        "Mail Delivery Subsystem",
        f"Delivery Status Notification ({'Delay' if is_delayed else 'Failure'})",
        f"** {'Delivery incomplete' if is_delayed else 'Address not found'} **\n\nThe response from"
        f" the remote server was:\n{said}",
        "Reporting-MTA: dns; googlemail.com\nArrival-Date: Sun, 28 Feb 2027 02:00:00 -0800 (PST)\n"
        f"X-Original-Message-ID: <o.0.17.5a8b@play.example>\n\nFinal-Recipient: rfc822; {ADDRESS}\n"
        f"Action: {reason.action}\nStatus: {reason.status}\nDiagnostic-Code: smtp; {said}\n"
        "Last-Attempt-Date: Sun, 28 Feb 2027 02:00:01 -0800 (PST)",
        "mailer-daemon",
    )


def sendmail(reason: Reason) -> bytes:
    subject = "Returned mail: see transcript for details"
    if reason.action == "delayed":
        subject = "Warning: could not send message for past 4 hours"
    return report(
        "Mail Delivery Subsystem", subject,
        "The original message was received at Sun, 28 Feb 2027 11:00:00 +0100\nfrom localhost\n\n"
        f"   ----- The following addresses had permanent fatal errors -----\n<{ADDRESS}>\n"
        f"    (reason: {reason.diagnostic})\n\n   ----- Transcript of session follows -----\n"
        f"... while talking to mx.post.example.:\n>>> RCPT To:<{ADDRESS}>\n<<< {reason.diagnostic}",
        "Reporting-MTA: dns; mail.sendmail.example\nReceived-From-MTA: DNS; localhost\n\n"
        f"Final-Recipient: RFC822; {ADDRESS}\nAction: {reason.action}\nStatus: {reason.status}\n"
        f"Remote-MTA: DNS; mx.post.example\nDiagnostic-Code: SMTP; {reason.diagnostic}",
    )  # fmt: skip


def amazon(reason: Reason) -> bytes:
    return report(
        "Mail Delivery Subsystem", "Delivery Status Notification (Failure)",
        f"An error occurred when trying to deliver the mail to these recipients:\n{ADDRESS}",
        f"Reporting-MTA: dns; a1.smtp-out.example\n\nAction: {reason.action}\n"
        f"Final-Recipient: rfc822; {ADDRESS}\nDiagnostic-Code: smtp; {reason.diagnostic}\n"
        f"Status: {reason.status}",
    )  # fmt: skip


def opensmtpd(reason: Reason) -> bytes:
    action = {"failed": "error"}.get(reason.action, reason.action)
    return report(
        "Mailer Daemon", "Delivery status notification: error",
        f"    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n   "
        f" An error"
        f" has occurred while attempting to deliver a message for\n    the following list of"
        f" recipients:\n\n{ADDRESS}: {reason.diagnostic}",
        f"Reporting-MTA: dns; mail.openbsd.example\n\nFinal-Recipient: rfc822; {ADDRESS}\n"
        f"Action: {action}\nStatus: {reason.status}",
    )  # fmt: skip


def postfix_utf8(reason: Reason) -> bytes:
    """Of a letter to an address that is not ASCII."""
    return postfix(reason).replace(b"message/delivery-status", b"message/global-delivery-status")


# --- servers that have only words ----------------------------------------------------------------


def qmail(reason: Reason) -> bytes:
    said = "I'm afraid I wasn't able to deliver your message to the following addresses."
    return plain(
        "MAILER-DAEMON@mail.qmail.example", "failure notice",
        f"Hi. This is the qmail-send program at mail.qmail.example.\n{said}\nThis is a"
        f" permanent error;"
        f" I've given up. Sorry it didn't work out.\n\n<{ADDRESS}>:\n192.0.2.7 does not like"
        f" recipient.\n"
        f"Remote host said: {reason.diagnostic}\nGiving up on 192.0.2.7.\n\n"
        f"--- Below this line is a copy of the message.\n\n{OLD}",
    )  # fmt: skip


def old_exim(reason: Reason) -> bytes:
    return plain(
        "Mail Delivery System <Mailer-Daemon@mail.exim.example>",
        "Mail delivery failed: returning message to sender",
        "This message was created automatically by mail delivery software.\n\nA message that"
        " you sent"
        " could not be delivered to one or more of its\nrecipients. This is a permanent error. The"
        f" following address(es) failed:\n\n  {ADDRESS}\n    SMTP error from remote mail server:\n"
        f"    {reason.diagnostic}\n\n------ This is a copy of the message, including all the"
        f" headers."
        f" ------\n\n{OLD}",
        f"X-Failed-Recipients: {ADDRESS}\nAuto-Submitted: auto-replied\n",
    )  # fmt: skip


def old_exim_delayed(reason: Reason) -> bytes:
    return plain(
        "Mail Delivery System <Mailer-Daemon@mail.exim.example>",
        "Warning: message 1Abc-23 delayed 24 hours",
        "This message was created automatically by mail delivery software.\nA message that you"
        " sent has"
        " not yet been delivered to one or more of its\nrecipients after more than 24 hours on the"
        f" queue on mail.exim.example.\n\nThe address to which the message has not yet been"
        f" delivered"
        f" is:\n\n  {ADDRESS}\n    Delay reason: {reason.diagnostic}\n\nNo action is required"
        f" on your"
        " part. Delivery attempts will continue for\nsome time.",
        "Auto-Submitted: auto-replied\n",
    )  # fmt: skip


def kundenserver(reason: Reason) -> bytes:
    return plain(
        "Mail Delivery System <mailer-daemon@kundenserver.example>",
        "Mail delivery failed: returning message to sender",
        "This message was created automatically by mail delivery software.\n\nA message that"
        " you sent"
        " could not be delivered to\none or more of its recipients. This is a permanent"
        " error.\n\nThe"
        f" following address failed:\n\n{ADDRESS}:\nSMTP error from remote server for RCPT TO"
        f" command,"
        f" host: mx.post.example\nreason: {reason.diagnostic}\n\n\n--- The header of the original"
        f" message is following. ---\n\n{OLD}",
    )  # fmt: skip


def yahoo(reason: Reason) -> bytes:
    return plain(
        "MAILER-DAEMON@yahoo.example", "Failure Notice",
        "Sorry, we were unable to deliver your message to the following address.\n\n"
        f"<{ADDRESS}>:\n{reason.diagnostic}\n\n--- Below this line is a copy of the"
        f" message.\n\n{OLD}",
    )  # fmt: skip


def mdaemon(reason: Reason) -> bytes:
    return plain(
        "MDaemon@mail.mdaemon.example", "Permanent Delivery Failure",
        "The attached message had PERMANENT fatal delivery errors!\n\nThe following addresses"
        " did NOT"
        f" receive a copy of your message:\n\n> {ADDRESS}\n\n--- Session Transcript ---\n"
        f" Sun 2027-02-28 11:00:00: <-- {reason.diagnostic}\n",
        "Auto-Submitted: auto-replied\n",
    )  # fmt: skip


def dovecot(reason: Reason) -> bytes:
    """Which rejects with a notice of disposition, where a report of delivery would be right."""
    return (
        "From: Mail Delivery Subsystem <postmaster@mail.dovecot.example>\n"
        "To: b17-abcdefghijklm@play.example\nSubject: Automatically rejected mail\n"
        "Auto-Submitted: auto-replied (rejected)\nMIME-Version: 1.0\n"
        "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n\n--b\n"
        "Content-Type: text/plain; charset=utf-8\n\n"
        f"Your message to <{ADDRESS}> was automatically rejected:\n{reason.diagnostic}\n\n--b\n"
        "Content-Type: message/disposition-notification\n\nReporting-UA: mail.dovecot.example\n"
        f"Final-Recipient: rfc822; {ADDRESS}\nDisposition: automatic-action/MDN-sent-automatically;"
        f" deleted\n\n--b\nContent-Type: message/rfc822\n\n{OLD}\n--b--\n"
    ).encode()


def _each(server: Callable[[Reason], bytes], *reasons: Reason) -> list[Bounce]:
    return [
        Bounce(
            f"{server.__name__}: {reason.diagnostic}"[:60],
            server(reason),
            reason.failure,
        )
        for reason in reasons
    ]


BOUNCES: list[Bounce] = [
    *_each(
        postfix, UNKNOWN, NO_DOMAIN, VAGUE_UNKNOWN, DISABLED, FULL, FULL_FOR_NOW, SPAM, BLOCKED,
        VAGUE_BLOCK, EXPIRED, NO_HOST, TOO_LARGE, DELAYED, GREYLISTED, LOOP, RELAYED, DELIVERED,
    ),
    *_each(exim, UNKNOWN, VAGUE_UNKNOWN, FULL, SPAM, VAGUE_BLOCK, RELAY),
    *_each(exim_without_reason, UNKNOWN, FULL),
    *_each(exchange_online, UNKNOWN._replace(status="5.1.10"), DENIED, FULL, OUR_FAULT, BLOCKED),
    *_each(exchange_online, DELAYED),
    *_each(gmail, UNKNOWN, DISABLED, FULL, UNAUTHENTICATED, DELAYED),
    *_each(sendmail, UNKNOWN, NO_DOMAIN, FULL, EXPIRED, DELAYED),
    *_each(amazon, UNKNOWN, FULL_FOR_NOW, SPAM),
    *_each(opensmtpd, UNKNOWN, FULL),
    *_each(postfix_utf8, UNKNOWN, FULL),
    *_each(qmail, UNKNOWN, VAGUE_UNKNOWN, FULL, SPAM, BLOCKED),
    *_each(old_exim, UNKNOWN, VAGUE_UNKNOWN, FULL, VAGUE_BLOCK),
    *_each(old_exim_delayed, DELAYED),
    *_each(kundenserver, UNKNOWN, FULL),
    *_each(yahoo, UNKNOWN, FULL),
    *_each(mdaemon, UNKNOWN, FULL),
    *_each(dovecot, FULL),
]  # fmt: skip
