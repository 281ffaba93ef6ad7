"""Mails that no person has written: no words of theirs count, and they are known by many signs."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from pbem.incoming import phrases
from pbem.incoming.automatic import is_absence
from pbem.incoming.reading import read
from tests.kit.replies_corpus import SHAPES, written
from tests.mail import golden
from tests.pbem.incoming.letters import READER, our_letter

SUBJECT = "Your turn: Iron Curtain against Bob, round 3"
BEGINNINGS = {
    "en": ["Automatic reply: ", "Out of Office: ", "Auto-Reply: ", "Out of the office Re: ",
           "Autoreply: Re: "],
    "de": ["Automatische Antwort: ", "Abwesenheitsnotiz: ", "Abwesenheitsnachricht Re: ",
           "Automatische Rückantwort: ", "AW: Abwesend: "],
    "fr": ["Réponse automatique : ", "Absence du bureau : ", "Absent du bureau Re: ",
           "Message d'absence : ", "RE: Réponse automatique : "],
    "es": ["Respuesta automática: ", "Fuera de la oficina: ", "Ausencia de la oficina: "],
    "it": ["Risposta automatica: ", "Fuori sede: ", "R: Fuori ufficio "],
    "nl": ["Automatisch antwoord: ", "Afwezigheidsmelding: ", "Antw: Niet aanwezig: "],
    "pl": ["Odpowiedź automatyczna: ", "Autoodpowiedź: ", "Odp: Poza biurem: "],
    "pt": ["Resposta automática: ", "Fora do escritório: ", "Ausência do escritório: "],
    "sv": ["Automatiskt svar: ", "Frånvarande: ", "SV: Autosvar: "],
    "da": ["Automatisk svar: ", "Ikke til stede: ", "SV: Fraværende: "],
    "cs": ["Automatická odpověď: ", "Mimo kancelář: ", "Nepřítomnost: "],
    "fi": ["Automaattinen vastaus: ", "VS: Poissa: ", "Poissaoloilmoitus: "],
    "ru": ["Автоматический ответ: ", "Автоответ: ", "Re: Нет на месте: "],
    "ja": ["自動応答: ", "自動返信: ", "不在通知: "],
}  # fmt: skip
WORDS = {
    "en": "I am away until 3 March. 1", "de": "Ich bin bis 3. März abwesend. 1",
    "fr": "Je suis absent jusqu'au 3 mars. 1", "es": "Estoy fuera hasta el 3 de marzo.",
    "it": "Sono assente fino al 3 marzo.", "nl": "Ik ben afwezig tot 3 maart.",
    "pl": "Jestem nieobecny do 3 marca.", "pt": "Estou ausente até 3 de março.",
    "sv": "Jag är borta till 3 mars.", "da": "Jeg er væk til 3. marts.",
    "cs": "Jsem pryč do 3. března.", "fi": "Olen poissa 3.3. asti.",
    "ru": "Меня нет до 3 марта.", "ja": "3月3日まで不在です。",
}  # fmt: skip
SIGNS: dict[str, dict[str, str]] = {
    "subject alone": {},
    "RFC 3834": {"Auto-Submitted": "auto-replied"},
    "vacation": {"Auto-Submitted": "auto-replied (vacation)", "Precedence": "bulk"},
    "Exchange": {"X-Auto-Response-Suppress": "All", "Auto-Submitted": "auto-generated"},
    "X-Autoreply": {"X-Autoreply": "yes", "Precedence": "auto_reply"},
}


def auto_reply(subject: str, words: str, signs: dict[str, str]) -> bytes:
    mail = EmailMessage()
    mail["From"] = READER
    mail["Subject"] = subject
    for name, value in signs.items():
        mail[name] = value
    mail.set_content(f"{words}\n\n1\n")
    return mail.as_bytes()


REPLIES = [
    (f"{beginning}{SUBJECT}", WORDS[language], signs)
    for language, beginnings in BEGINNINGS.items()
    for beginning in beginnings
    for signs in SIGNS.values()
]


def test_there_are_enough_auto_replies() -> None:
    assert len(REPLIES) >= 200
    assert len(BEGINNINGS) >= 12


def test_no_auto_reply_says_anything() -> None:
    for subject, words, signs in REPLIES:
        mail = read(auto_reply(subject, words, signs), READER, "")
        assert mail.automatic, subject
        assert mail.own_words == ()


def test_replies_of_people_are_not_automatic() -> None:
    for shape in SHAPES[::9]:
        mail = read(written(shape, our_letter(shape.language), ["1"]), READER, "")
        assert mail.automatic == "", shape


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("Auto-Submitted: auto-generated", "auto-submitted"),
        ("Auto-Submitted: auto-replied; owner-email=x", "auto-submitted"),
        ("AUTO-SUBMITTED: AUTO-NOTIFIED", "auto-submitted"),
        ("Auto-Submitted:", "auto-submitted"),
        ("Precedence: bulk", "list"),
        ("Precedence: Junk", "list"),
        ("Precedence: list", "list"),
        ("List-Id: <chess.lists.example>", "list"),
        ("List-Unsubscribe: <mailto:x@lists.example>", "list"),
        ("X-Auto-Response-Suppress: DR, OOF", "robot"),
        ("X-Autoreply: yes", "robot"),
        ("X-Autorespond: x", "robot"),
        ("X-Failed-Recipients: x@post.example", "robot"),
        ("X-Loop: x", "robot"),
        ("Return-Path: <>", "no sender"),
        ("X-PBEM-Kind: turn", "own letter"),
        ("X-PBEM-Match: m1", "own letter"),
        ("Subject: Out of office until Monday", "absence"),
        ("Subject: Re: turn (Out of office)", "absence"),
        ("Subject: [Auto-Reply] Re: turn", "absence"),
        ("Subject: =?utf-8?b?UsOpcG9uc2UgYXV0b21hdGlxdWU=?= : turn", "absence"),
        ("Content-Type: multipart/report; boundary=b", "report"),
        ("Content-Type: message/delivery-status", "report"),
    ],
)
def test_one_sign_is_enough(header: str, why: str) -> None:
    raw = f"{header}\r\nFrom: {READER}\r\n\r\n1\r\n".encode()
    assert read(raw, READER, "").automatic == why


@pytest.mark.parametrize(
    "header",
    ["Auto-Submitted: no", "Auto-Submitted: No (by hand)", "Precedence: first-class",
     "Return-Path: <ann@post.example>", "Subject: Re: Ann is away until Monday",
     "Subject: Re: the office of the president", "X-Mailer: x"],
)  # fmt: skip
def test_what_is_no_sign(header: str) -> None:
    raw = f"{header}\r\nFrom: {READER}\r\n\r\n1\r\n".encode()
    assert read(raw, READER, "").own_words == ("1",)


@pytest.mark.parametrize("envelope_sender", ["", "<>", " "])
def test_who_wants_no_answer_is_no_person(envelope_sender: str) -> None:
    assert read(b"From: ann@post.example\n\n1", envelope_sender, "").automatic == "no sender"


@pytest.mark.parametrize(
    "local",
    ["mailer-daemon", "MAILER-DAEMON", "postmaster", "no-reply", "noreply", "do-not-reply",
     "donotreply", "noreply-accounts", "bounces+123", "auto-reply"],
)  # fmt: skip
def test_addresses_of_robots(local: str) -> None:
    assert read(f"From: <{local}@post.example>\n\n1".encode(), READER, "").automatic == "robot"


@pytest.mark.parametrize("local", ["ann", "noreen", "norbert", "daemond", "postmasterson"])
def test_addresses_of_people(local: str) -> None:
    assert read(f"From: <{local}@post.example>\n\n1".encode(), READER, "").automatic == ""


def test_no_subject_of_ours_counts_as_an_absence() -> None:
    """A reply to a letter about somebody's vacation is a reply."""
    letters = sorted(golden.FOLDER.glob("*.txt"))
    subjects = [
        line.removeprefix("Subject: ")
        for letter in letters
        for line in letter.read_text("utf-8").splitlines()[:6]
        if line.startswith("Subject: ")
    ]
    assert len(subjects) > 50
    assert [subject for subject in subjects if is_absence(f"Re: {subject}")] == []


def test_phrases_are_written_as_they_are_compared() -> None:
    for name in ("wrote", "wrote_plainly", "labels", "separators", "added", "absences", "failures"):
        for phrase in phrases.all_of(name):
            assert phrase == " ".join(phrase.split()), phrase
