"""Letters as bytes: what a mail program reads back is what was meant, and nothing else."""

from __future__ import annotations

import email
import string
from email.message import EmailMessage
from email.policy import SMTP, default
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.mime import LONGEST_LINE, build, mailbox
from pbem.mail.parts import Attachment, Picture
from tests.mail.posting import files_of, html_of, pictures_of, text_of

HEADERS = {
    "From": "pbem <pbem@play.example>",
    "To": "bob@play.example",
    "Date": "Thu, 13 Nov 2025 02:13:20 +0000",
    "Message-ID": "<o.0.1.00@play.example>",
    "List-Unsubscribe": "<https://play.example/mute/" + "x" * 100 + ">",
    "X-PBEM-Kind": "turn",
}
MIME_HEADERS = ["MIME-Version", "Content-Type"]
ATTACKS = [
    "Ann\r\nBcc: eve@play.example",
    "Ann\nBcc: eve@play.example\n\nHello",
    "Ann\rBcc: eve@play.example",
    "=?utf-8?q?Ann=0D=0ABcc:_eve@play.example?=",
    "=?utf-8?b?QW5uDQpCY2M6IGV2ZUBwbGF5LmV4YW1wbGU=?=",
    "=?utf-8?q?=0A?= <eve@play.example>, bob@play.example",
    "Ann\u2028Bcc: eve@play.example",
    "Ann\x85Bcc: eve@play.example",
    "Ann\x00\x0b\x0c\x1c\x1d\x1e",
    "\ud800 half a letter",
    "x" * 5_000,
    "word " * 400,
    "Jörg " * 200,
    "🂡" * 120,
    " leading and trailing ",
    "",
]


def letter(
    subject: str = "Your turn", text: str = "Hello\n", html: str = "<p>Hello</p>\n"
) -> bytes:
    return build([("Subject", subject), *HEADERS.items()], text, html)


def parsed(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=default)


def by_the_library(subject: str, text: str, html: str) -> EmailMessage:
    """The same letter as the standard library would make and read it."""
    message = EmailMessage(policy=SMTP)
    message["Subject"] = subject
    for name, value in HEADERS.items():
        message[name] = value
    message.set_content(text)
    message.add_alternative(html, subtype="html")
    return parsed(message.as_bytes())


def parts(message: EmailMessage) -> list[tuple[str, str, str]]:
    return [
        (part.get_content_type(), str(part.get_content_charset()), part.get_content())
        for part in message.iter_parts()
        if isinstance(part, EmailMessage)
    ]


def hostile_subjects(count: int) -> list[str]:
    """Attacks, and heaps of what attacks are made of."""
    dice = Random(3)
    pieces = [
        *ATTACKS[:10],
        "=?",
        "?=",
        "utf-8?q?",
        "\r\n",
        "\n ",
        "\t",
        ":",
        "<",
        ">",
        "@",
        ",",
        ";",
    ]
    pieces += ["ä", "漢", "🂡", '"', "\\", "(", ")", "=0A", *string.ascii_letters[:8], " "]
    made = ["".join(dice.choices(pieces, k=dice.randrange(1, 30))) for _ in range(count)]
    return [*ATTACKS, *made][:count]


def test_a_letter_is_what_the_standard_library_would_have_made() -> None:
    text, html = "Hällo\n.\n..\nFrom me \n\nend\n", "<p>Hello &amp; \u2026</p>\n"
    ours, theirs = parsed(letter("Iron Curtain: Jörg", text, html)), None
    theirs = by_the_library("Iron Curtain: Jörg", text, html)

    assert parts(ours) == parts(theirs)
    assert [(name, ours[name]) for name in HEADERS] == [(name, theirs[name]) for name in HEADERS]
    assert ours["Subject"] == theirs["Subject"] == "Iron Curtain: Jörg"
    assert ours.get_content_type() == theirs.get_content_type() == "multipart/alternative"
    assert ours.defects == []


PLAIN = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t.=")


@pytest.mark.whole
@given(text=st.text(PLAIN), html=st.text(PLAIN))
def test_any_words_come_back_as_the_library_brings_them_back(text: str, html: str) -> None:
    ours = parsed(letter("Your turn", text + "\n", html + "\n"))

    assert parts(ours) == parts(by_the_library("Your turn", text + "\n", html + "\n"))
    assert ours.defects == []


@pytest.mark.whole
def test_no_name_or_subject_breaks_out_of_its_header() -> None:
    """Reliability 23: 2,000 hostile values, the header set equal to the expected one."""
    wanted = ["Subject", *HEADERS, *MIME_HEADERS]
    for subject in hostile_subjects(2_000):
        raw = letter(subject)
        read = parsed(raw)
        assert read.keys() == wanted, subject
        assert read["To"].addresses[0].addr_spec == HEADERS["To"]
        assert len(read["To"].addresses) == 1
        assert not set(str(read["Subject"])) & set("\r\n"), subject
        head = raw.partition(b"\r\n\r\n")[0]
        assert all(len(line) <= 998 for line in head.split(b"\r\n"))
        assert head.isascii()


@pytest.mark.parametrize("subject", ["Iron Curtain k3: Ann - Bob", "Jörg", "a =?b", "漢字 " * 30])
def test_an_honest_subject_comes_back_as_it_is(subject: str) -> None:
    assert str(parsed(letter(subject))["Subject"]) == subject.strip()


def test_plain_text_travels_as_it_is() -> None:
    raw = letter(text="a board\n+--+\n")

    assert b"\r\n\r\na board\r\n+--+\r\n" in raw
    assert raw.count(b"Content-Transfer-Encoding: 7bit") == 2


@pytest.mark.parametrize("text", ["Grüße\n", "x" * LONGEST_LINE + "\n", "nothing\x00\n"])
def test_what_is_not_safe_is_quoted(text: str) -> None:
    raw = letter(text=text)

    assert b"Content-Transfer-Encoding: quoted-printable" in raw
    assert max(map(len, raw.split(b"\r\n"))) < 200
    assert parts(parsed(raw))[0][2] == text.replace("\n", "\r\n")


def test_every_line_ends_in_crlf_and_the_last_one_too() -> None:
    raw = letter(text="one\ntwo\r\nthree\rfour", html="<p>\n\n</p>")

    assert raw.replace(b"\r\n", b"").count(b"\n") == raw.replace(b"\r\n", b"").count(b"\r") == 0
    assert raw.endswith(b"--\r\n")


def test_the_line_between_the_parts_stands_in_neither() -> None:
    known = parsed(letter()).get_boundary()
    assert known is not None
    raw = letter(text=f"--{known}\n", html=f"--{known}--\n")
    read = parsed(raw)

    assert read.get_boundary() != known
    assert parts(read)[0][2] == f"--{known}\r\n"


def test_the_same_letter_has_the_same_bytes() -> None:
    assert letter() == letter()


# --- pictures ------------------------------------------------------------------------------------

MAP = Picture(bytes(range(256)) * 300, "Map: Europe.")


def with_map(text: str = "Hällo\n", html: str = "<p>Hello</p>\n") -> bytes:
    return build([("Subject", "Your turn"), *HEADERS.items()], text, html, [MAP])


def test_a_picture_is_related_to_the_html_as_the_library_would_have_it() -> None:
    """Two alternatives; the second is the page with what it shows."""
    read = parsed(with_map())
    made = EmailMessage(policy=SMTP)
    made.set_content("Hällo\n")
    made.add_alternative("<p>Hello</p>\n", subtype="html")
    made.get_payload()[1].add_related(MAP.png, "image", "png", cid=f"<{MAP.name}>")  # type: ignore
    theirs = parsed(made.as_bytes())

    def shape(message: EmailMessage) -> list[tuple[str, bool]]:
        return [(part.get_content_type(), part.is_multipart()) for part in message.walk()]

    assert shape(read) == shape(theirs)
    assert all(part.defects == [] for part in read.walk())
    assert (text_of(read), html_of(read)) == ("Hällo\n", "<p>Hello</p>\n")
    assert pictures_of(read) == pictures_of(theirs) == {f"cid:{MAP.name}": MAP.png}


def test_the_lines_of_a_picture_are_short_and_end_in_crlf() -> None:
    raw = with_map()

    assert raw.replace(b"\r\n", b"").count(b"\n") == raw.replace(b"\r\n", b"").count(b"\r") == 0
    assert max(map(len, raw.split(b"\r\n"))) <= 200
    assert raw.endswith(b"--\r\n")
    assert with_map() == raw


def test_a_letter_without_pictures_knows_nothing_of_them() -> None:
    assert build([], "text\n", "<p>\n", []) == build([], "text\n", "<p>\n")
    assert b"related" not in letter()


def boundaries(raw: bytes) -> set[str | None]:
    return {part.get_boundary() for part in parsed(raw).walk() if part.is_multipart()}


def test_the_lines_between_parts_stand_in_no_part_and_differ() -> None:
    known = boundaries(with_map())
    lines = "\n".join(f"--{line}" for line in known)
    raw = with_map(lines, lines)

    assert len(known) == len(boundaries(raw)) == 2
    assert boundaries(raw) & known == set()
    assert pictures_of(parsed(raw)) == {f"cid:{MAP.name}": MAP.png}


@pytest.mark.parametrize(
    ("address", "written"),
    [
        ("ann@play.example", "ann@play.example"),
        ("ann+games@play.example", "ann+games@play.example"),
        ("ann@straße.de", "ann@xn--strae-oqa.de"),
    ],
)
def test_an_address_as_letters_carry_it(address: str, written: str) -> None:
    assert mailbox(address) == written


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ann",
        "ann@",
        "@x.y",
        "a b@x.y",
        "a@x.y,b@x.y",
        "a@x.y\r\nBcc: c@x.y",
        "<a@x.y>",
        "jörg@x.de",
    ],
)
def test_an_address_that_cannot_be_carried(address: str) -> None:
    with pytest.raises(ValueError):
        mailbox(address)


# --- files ----------------------------------------------------------------------------------------


def test_a_file_stands_behind_both_parts_and_comes_back_as_it_was() -> None:
    proofs = Attachment("pbem-m1-proofs.txt", "Prüfwert:\n" + "0123456789abcdef" * 4 + "\n.\nend\n")
    read = parsed(
        build([("Subject", "x"), *HEADERS.items()], "Hello\n", "<p>Hello</p>\n", (), [proofs])
    )

    assert read.get_content_type() == "multipart/mixed"
    assert read.defects == []
    assert (text_of(read), html_of(read)) == ("Hello\n", "<p>Hello</p>\n")
    assert files_of(read) == {proofs.name: proofs.text}
    (file,) = read.iter_attachments()
    assert file.get_content_type() == "text/plain"


@pytest.mark.parametrize("name", ['a".txt', "a\r\nBcc: eve@play.example", "ä.txt", "a b.txt", ""])
def test_a_file_has_a_plain_name_or_none(name: str) -> None:
    with pytest.raises(AssertionError):
        build(list(HEADERS.items()), "", "", (), [Attachment(name, "")])
