"""Texts and headers as programs encode them, and files that nobody looks into."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

from pbem.incoming import parsing
from pbem.incoming.html_text import text_of
from pbem.incoming.reading import read
from tests.pbem.incoming.letters import READER

HEAD = f"From: {READER}\r\nMIME-Version: 1.0\r\n".encode()


def words_of(raw: bytes) -> tuple[str, ...]:
    return read(raw, READER, "").own_words


def typed(kind: str, content: bytes, encoding: str = "8bit") -> bytes:
    said = f"Content-Type: {kind}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return HEAD + said.encode() + content


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("utf-8", "utf-8"), ("UTF8", "utf-8"), ("iso-8859-1", "latin-1"), ("cp1252", "cp1252"),
        ("iso-8859-15", "iso-8859-15"), ("utf-16", "utf-16"), ('"utf-8"', "utf-8"),
        ("x-unknown", "utf-8"), ("x-unknown", "cp1252"), ("us-ascii", "utf-8"),
        ("us-ascii", "latin-1"), ("punycode", "utf-8"), ("unicode_escape", "utf-8"),
        ("utf-8'en'x", "utf-8"), ("", "utf-8"),
    ],
)  # fmt: skip
def test_words_in_many_charsets(charset: str, codec: str) -> None:
    content = "SAY Grüße, à bientôt".encode(codec)
    assert words_of(typed(f"text/plain; charset={charset}", content)) == ("SAY Grüße, à bientôt",)


def test_words_that_fit_no_charset_are_still_read() -> None:
    assert words_of(typed("text/plain; charset=utf-8", b"1\r\nSAY \x81\xff"))[0] == "1"


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("base64", base64.encodebytes("coup iran é\r\n".encode())),
        ("BASE64", base64.encodebytes("coup iran é\r\n".encode()).rstrip(b"\n=")),
        ("quoted-printable", b"coup =\r\niran =C3=A9"),
        ("quoted-printable", b"coup iran =c3=A9="),
        ("8bit", "coup iran é".encode()),
        ("x-unknown", "coup iran é".encode()),
        ("", "coup\0 iran é".encode()),
    ],
)
def test_words_in_many_encodings(encoding: str, content: bytes) -> None:
    assert words_of(typed("text/plain; charset=utf-8", content, encoding)) == ("coup iran é",)


@pytest.mark.parametrize(
    ("delsp", "text", "lines"),
    [
        ("no", "move a \nb\n", ("move a b",)),
        ("yes", "mo \nve a b\n", ("move a b",)),
        ("no", "move a\nb\n", ("move a", "b")),
        ("no", "> old \n> old\nmove a b\n", ("move a b",)),
        ("no", "move a b \n> old\n", ("move a b",)),
        ("no", " move a b\n", ("move a b",)),
        ("no", "1\n-- \nAnn\n", ("1",)),
        ("no", "1 \n", ("1",)),
    ],
)
def test_folded_lines_are_joined(delsp: str, text: str, lines: tuple[str, ...]) -> None:
    kind = f"text/plain; charset=utf-8; format=Flowed; delsp={delsp}"
    assert words_of(typed(kind, text.replace("\n", "\r\n").encode())) == lines


def reply_with(*parts: tuple[str, str, str]) -> bytes:
    """A mail of parts: kind, disposition, text."""
    written = "".join(
        f"--b\r\nContent-Type: {kind}\r\nContent-Disposition: {how}\r\n\r\n{text}\r\n"
        for kind, how, text in parts
    )
    return HEAD + f"Content-Type: multipart/mixed; boundary=b\r\n\r\n{written}--b--\r\n".encode()


def test_files_are_not_looked_into() -> None:
    raw = reply_with(
        ("text/plain", "inline", "1"),
        ("text/plain", "attachment; filename=x.txt", "resign"),
        ("text/plain", 'inline; filename="x.txt"', "resign"),
        ("text/html", "ATTACHMENT", "resign"),
        ("application/zip", "inline", "resign"),
        ("message/rfc822", "inline", "From: x\r\n\r\nresign"),
        ("text/plain", "inline", "2"),
    )
    assert words_of(raw) == ("1", "2")


def test_a_mail_with_files_only_says_nothing() -> None:
    assert words_of(reply_with(("application/pdf", "attachment", "1"))) == ()


def test_an_empty_text_gives_way_to_the_html() -> None:
    mail = EmailMessage()
    mail["From"] = READER
    mail.set_content("\n \n")
    mail.add_alternative("<p>coup iran</p>", subtype="html")
    assert words_of(mail.as_bytes()) == ("coup iran",)


@pytest.mark.parametrize(
    ("text", "page", "lines"),
    [
        ("a b\nc\n\n2", "<div>a b c</div><div>2</div>", ("a b c", "", "2")),
        ("a b\nc\n2", "<div>a b c</div><br><div>2</div>", ("a b c", "2")),
        ("a\nb\nc", "<div>a b c</div>", ("a b c",)),
        ("a b c", "<div>a b</div><div>c</div>", ("a b c",)),
        ("a\n\nb", "<div>a b</div>", ("a", "", "b")),
        ("a\nb", "<div>a b</div><div>resign</div>", ("a", "b")),
        ("a\nb\nresign", "<div>a b</div>", ("a", "b", "resign")),
        ("a\nb", "<div>ab</div>", ("a", "b")),
        ("coup iran", "<p>resign</p>", ("coup iran",)),
        ("coup iran", "", ("coup iran",)),
    ],
)
def test_folded_lines_are_whole_where_the_html_says_the_same(
    text: str, page: str, lines: tuple[str, ...]
) -> None:
    mail = EmailMessage()
    mail["From"] = READER
    mail.set_content(f"{text}\n")
    mail.add_alternative(page, subtype="html")
    assert words_of(mail.as_bytes()) == lines


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b", "a\nb"),
        ("<p>a</p>\n\n<p>b</p>", "a\nb"),
        ("a\n   b <b>c</b>d", "a b cd"),
        ("<pre>a\n  b</pre>c", "a\n  b\nc"),
        ("a &lt; b &amp; c &#246; &nbsp;d", "a < b & c ö d"),
        ("a < b, <c", "a < b, <c"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
        ("<style>p {}</style><title>x</title><script>x</script>a", "a"),
        ("<div style='display: none'>x</div>a", "a"),
        ("<!-- x -->a<!-- <p>y</p> -->b<!-- z", "ab"),
        ("<![if mso]>a<![endif]><?xml x?>", "a"),
        ("a<blockquote>x<blockquote>y</blockquote>z</blockquote>b", "a\n> x\n> y\n> z\nb"),
        ("a<blockquote>x", "a\n> x"),
        ("a</blockquote></div></p>b", "a\nb"),
        ("<div class='gmail_attr'>x<div>y</div></div>a", "> x\n> y\na"),
        ("<DIV CLASS='x Gmail_Signature'>x</DIV>a", "a"),
        ("a<hr id=zwchr>x<div>y</div>", "a\n> x\n> y"),
        ("a<div id=divRplyFwdMsg>x</div>y", "a\n> x\n> y"),
        ("a<div/>b", "a\nb"),
    ],
)
def test_html_as_people_read_it(html: str, text: str) -> None:
    assert text_of(html) == text


def test_subject_and_message_id_are_one_line_of_words() -> None:
    raw = (
        b"From: ann@post.example\r\nMessage-ID:\r\n <a@b.example>\r\n"
        b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe=0D=0A_x?=\r\n =?utf-8?b?w6k=?= y\0\r\n\r\n1"
    )
    mail = read(raw, READER, "")
    assert (mail.message_id, mail.subject) == ("<a@b.example>", "Grüße xé y")
    assert len(read(b"Subject: " + b"x" * 3_000 + b"\n\n1", READER, "").subject) == 200


def test_headers_keep_their_order() -> None:
    parsed = parsing.parse(b"B: 1\r\nA: 2\r\nb: 3\r\n\r\n")
    assert parsing.headers(parsed) == [("b", "1"), ("a", "2"), ("b", "3")]
