"""Mail programs as they write replies: heads, tags and signatures, in three languages.

Written for tests, from what the programs are known to send; `replies_corpus` makes replies of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

Language = Literal["en", "de", "fr"]
Style = Literal["top", "bottom", "inline", "alone"]
"""New words above the letter, below it, in the middle of it; or without the letter."""
Body = Literal["plain", "flowed", "html", "both"]

Words = Mapping[Language, str]

LANGUAGES: tuple[Language, ...] = ("en", "de", "fr")


class Client(NamedTuple):
    """What a program writes around somebody's words."""

    heads: Words
    """Above the letter; see `facts` for what is filled in."""
    ways: Sequence[tuple[Style, Body]]
    signature: Words = {}
    marks: bool = True
    """Whether each line of the letter begins with `>`."""
    is_head_quoted: bool = False
    is_signature_above: bool = True
    page: Callable[[Page], str] | None = None
    folds: int = 0
    """Columns at which the text is folded, own words too; 0: never."""
    agent: str = ""


class Page(NamedTuple):
    """The pieces of an HTML reply, each of them HTML."""

    above: str
    head: str
    letter: str
    below: str
    signature: str
    halves: tuple[str, str]
    """The letter in two parts, for words in the middle."""


def _inline(page: Page, tag: str) -> str:
    """Words between two parts of a quote, or the whole quote."""
    if page.halves != ("", ""):
        first, second = page.halves
        return f"{tag}{first}</blockquote>{page.below}{tag}{second}</blockquote>"
    return f"{tag}{page.letter}</blockquote>{page.below}"


def _gmail(page: Page) -> str:
    quote = '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px solid #ccc">'
    return (
        f'<div dir="ltr">{page.above}<br clear="all"><div class="gmail_signature">{page.signature}'
        f'</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr"'
        f' class="gmail_attr">{page.head}<br></div>{_inline(page, quote)}</div>'
    )


def _apple(page: Page) -> str:
    quote = '<blockquote type="cite">'
    return (
        '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
        f'<body style="overflow-wrap: break-word;">{page.above}<br>'
        f'<div id="AppleMailSignature">{page.signature}</div><div><br>'
        f"{quote}<div>{page.head}</div></blockquote><br>{_inline(page, quote)}</div></body></html>"
    )


def _thunderbird(page: Page) -> str:
    quote = '<blockquote type="cite" cite="mid:old">'
    return (
        "<!DOCTYPE html><html><head><title></title></head><body>"
        f'<p>{page.above}</p><div class="moz-cite-prefix">{page.head}<br></div>'
        f'{_inline(page, quote)}<pre class="moz-signature" cols="72">-- \n{page.signature}</pre>'
        "</body></html>"
    )


def _k9(page: Page) -> str:
    quote = '<blockquote class="gmail_quote" style="margin:0pt 0pt 0pt 0.8ex">'
    return (
        f'<html><body><div dir="auto">{page.above}<br></div><div class="k9mail-signature">-- <br>'
        f'{page.signature}</div><br><br><div class="gmail_quote"><div dir="auto">{page.head}</div>'
        f"{_inline(page, quote)}</div></body></html>"
    )


def _outlook_desktop(page: Page) -> str:
    return (
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!--\n'
        "p.MsoNormal {margin:0cm;}\n--></style></head><body lang=EN-GB><div class=WordSection1>"
        f"{page.above}<p class=MsoNormal><o:p>&nbsp;</o:p></p>"
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        f"<p class=MsoNormal>{_bold_labels(page.head)}<o:p></o:p></p></div>{page.letter}</div>"
        "</body></html>"
    )


def _outlook_web(page: Page) -> str:
    return (
        f'<html><body dir="ltr">{page.above}<div id="Signature">{page.signature}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr">{_bold_labels(page.head)}<div>&nbsp;</div></div>'
        f"{page.letter}</body></html>"
    )


def _outlook_mobile(page: Page) -> str:
    return (
        f"<html><body>{page.above}<div><br></div>"
        f'<div id="ms-outlook-mobile-signature">{page.signature}</div>'
        '<div id="mail-editor-reference-message-container"><hr style="display:inline-block">'
        f'<div id="divRplyFwdMsg">{_bold_labels(page.head)}</div>{page.letter}</div></body></html>'
    )


def _bold_labels(head: str) -> str:
    lines = head.split("<br>")
    return "<br>".join(
        f"<b>{line.partition(':')[0]}:</b>{line.partition(':')[2]}" if ":" in line else ""
        for line in lines
        if not line.startswith("_")
    )


def _gmx(page: Page) -> str:
    return (
        f'<html><body><div style="font-family: Verdana;font-size: 12.0px;">{page.above}'
        f'<div class="signature">{page.signature}</div><div>&nbsp;<div name="quote" style="margin:'
        '10px 5px 5px 10px; border-left:2px solid #C3D9E5;"><div style="margin:0 0 10px 0;">'
        f'{_bold_labels(page.head)}</div><div name="quoted-content">{page.letter}</div></div></div>'
        f"{page.below}</div></body></html>"
    )


def _yahoo(page: Page) -> str:
    return (
        f'<html><body><div class="yahoo-style-wrap">{page.above}<div>{page.signature}</div></div>'
        f'<div id="ydp2yahoo_quoted_1" class="ydp2yahoo_quoted yahoo_quoted"><div>'
        f"<div>{page.head}</div>{page.letter}</div></div>{page.below}</body></html>"
    )


def _proton(page: Page) -> str:
    return (
        f'<div style="font: Arial">{page.above}</div><div class="protonmail_signature_block">'
        f'<div class="protonmail_signature_block-proton">{page.signature}</div></div>'
        f'<div class="protonmail_quote">{page.head}<br><blockquote class="protonmail_quote"'
        f' type="cite">{page.letter}</blockquote><br></div>{page.below}'
    )


def _samsung(page: Page) -> str:
    return (
        f'<html><body><div dir="auto">{page.above}</div><div id="composer_signature" dir="auto">'
        f'<div style="font-size:12px" dir="auto">{page.signature}</div></div><div><br></div>'
        f'<div align="left" dir="auto" style="font-size:100%"><div>{page.head}</div></div>'
        f"{page.letter}</body></html>"
    )


def _orange(page: Page) -> str:
    quote = '<blockquote style="border-left:2px solid #f60;margin:0;padding:0 0 0 10px">'
    return (
        f"<html><body><p>{page.above}</p>{page.signature}<p>&nbsp;</p>{quote}<p>{page.head}</p>"
        f"{page.letter}</blockquote>{page.below}</body></html>"
    )


def _zimbra(page: Page) -> str:
    return (
        f'<html><body><div style="font-family: arial">{page.above}<div><br></div>'
        f'<hr id="zwchr" data-marker="__DIVIDER__"><div data-marker="__HEADERS__">'
        f'{_bold_labels(page.head)}</div><div data-marker="__QUOTED_TEXT__">{page.letter}</div>'
        "</div></body></html>"
    )


# --- the programs --------------------------------------------------------------------------------

_TABLES: Words = {
    "en": "From: {name} <{address}>\nSent: {weekday}, {month} {d}, {y} {clock}\nTo: {me} <{me}>\n"
    "Subject: {subject}\n",
    "de": "Von: {name} <{address}>\nGesendet: {weekday}, {d}. {month} {y} {hm}\nAn: {me} <{me}>\n"
    "Betreff: {subject}\n",
    "fr": "De : {name} <{address}>\nEnvoyé : {weekday} {d} {month} {y} {hm}\nÀ : {me} <{me}>\n"
    "Objet : {subject}\n",
}


def _under(line: Words, tables: Words) -> Words:
    return {language: f"{line[language]}\n{tables[language]}" for language in LANGUAGES}


def _everywhere(words: str) -> Words:
    return dict.fromkeys(LANGUAGES, words)


_DATED_TABLES: Words = {
    language: table.replace("Sent:", "Date:")
    .replace("Gesendet:", "Datum:")
    .replace("Envoyé", "Date")
    for language, table in _TABLES.items()
}
_PORTAL_TABLES: Words = {
    "en": "Sent: {weekday}, {month} {d}, {y} at {clock}\nFrom: {name} <{address}>\nTo: {me}\n"
    "Subject: {subject}",
    "de": "Gesendet: {weekday}, {d}. {month} {y} um {hm} Uhr\nVon: {name} <{address}>\nAn: {me}\n"
    "Betreff: {subject}",
    "fr": "Envoyé: {weekday} {d} {month} {y} à {hm}\nDe: {name} <{address}>\nÀ: {me}\n"
    "Objet: {subject}",
}  # fmt: skip
_PHONE: Words = {
    "en": "Sent from my iPhone", "de": "Von meinem iPhone gesendet", "fr": "Envoyé de mon iPhone",
}  # fmt: skip
_ANN = _everywhere("-- \nAnn\nhttps://ann.example")

CLIENTS: dict[str, Client] = {
    "gmail": Client(
        {
            "en": "On {wd}, {mon} {d}, {y} at {clock} {name} <{address}> wrote:\n",
            "de": "Am {wd}, {d}. {month} {y} um {hm} Uhr schrieb {name} <{address}>:\n",
            "fr": "Le {wd} {d} {mon} {y} à {hm}, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("bottom", "both"), ("inline", "both"), ("top", "html")],
        page=_gmail,
        folds=74,
    ),
    "gmail-app": Client(
        {
            "en": "On {wd}, {d} {mon} {y}, {hm} {name}, <{address}> wrote:\n",
            "de": "{name} <{address}> schrieb am {wd}, {d}. {month} {y}, {hm}:\n",
            "fr": "Le {wd} {d} {mon} {y}, {hm}, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("top", "html"), ("bottom", "html")],
        page=_gmail,
        folds=74,
    ),
    "outlook-desktop": Client(
        _TABLES, [("top", "both"), ("top", "html"), ("top", "plain")], marks=False,
        page=_outlook_desktop, agent="Microsoft Outlook 16.0",
    ),
    "outlook-old": Client(
        _under(
            {
                "en": "-----Original Message-----",
                "de": "-----Ursprüngliche Nachricht-----",
                "fr": "-----Message d'origine-----",
            },
            _TABLES,
        ),
        [("top", "plain")],
        marks=False,
    ),
    "outlook-web": Client(
        _under(_everywhere("_" * 32), _TABLES),
        [("top", "both"), ("top", "html")],
        marks=False,
        page=_outlook_web,
    ),
    "outlook-app": Client(
        _under(_everywhere("_" * 32), _TABLES),
        [("top", "both"), ("top", "html")],
        {
            "en": "Get Outlook for iOS<https://aka.ms/o0ukef>",
            "de": "Outlook für Android herunterladen<https://aka.ms/AAb9ysg>",
            "fr": "Télécharger Outlook pour Android<https://aka.ms/AAb9ysg>",
        },
        marks=False,
        page=_outlook_mobile,
    ),
    "outlook-mac": Client(
        _under(_everywhere(""), _DATED_TABLES),
        [("top", "plain"), ("top", "html")],
        {
            "en": "Sent from Outlook for Mac", "de": "Gesendet von Outlook für Mac",
            "fr": "Envoyé à partir de Outlook pour Mac",
        },
        marks=False,
        page=_outlook_desktop,
    ),
    "apple-mail": Client(
        {
            "en": "On {d} {mon} {y}, at {hm}, {name} <{address}> wrote:\n",
            "de": "Am {dmy} um {hm} schrieb {name} <{address}>:\n",
            "fr": "Le {d} {mon} {y} à {hm}, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("bottom", "flowed"), ("inline", "both"), ("top", "plain")],
        page=_apple,
        is_head_quoted=True,
        agent="Apple Mail (2.3826)",
    ),
    "iphone": Client(
        {
            "en": "On {d} {mon} {y}, at {hm}, {name} <{address}> wrote:\n",
            "de": "Am {dmy} um {hm} schrieb {name} <{address}>:\n",
            "fr": "Le {d} {month} {y} à {hm}, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("top", "plain"), ("bottom", "plain"), ("alone", "plain")],
        _PHONE,
        page=_apple,
        is_head_quoted=True,
        agent="iPhone Mail (24A300)",
    ),
    "thunderbird": Client(
        {
            "en": "On {american} {hm}, {name} wrote:",
            "de": "Am {dmy2} um {hm} schrieb {name}:",
            "fr": "Le {slashed} à {hm}, {name} a écrit :",
        },
        [
            ("bottom", "flowed"), ("top", "flowed"), ("inline", "flowed"), ("bottom", "html"),
            ("top", "both"),
        ],
        _ANN,
        page=_thunderbird,
        is_signature_above=False,
        agent="Mozilla Thunderbird",
    ),
    "thunderbird-plain": Client(
        {"en": "{name} wrote:", "de": "{name} schrieb:", "fr": "{name} a écrit :"},
        [("bottom", "plain"), ("inline", "plain")],
        is_signature_above=False,
    ),
    "k9": Client(
        {
            "en": "On {d} {month} {y} {hms} CET, {name} <{address}> wrote:",
            "de": "Am {d}. {month} {y} {hms} MEZ schrieb {name} <{address}>:",
            "fr": "Le {d} {month} {y} {hms} GMT+01:00, {name} <{address}> a écrit :",
        },
        [("top", "both"), ("top", "plain"), ("bottom", "plain"), ("inline", "plain")],
        {
            "en": "-- \nSent from my Android device with K-9 Mail. Please excuse my brevity.",
            "de": "-- \nDiese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
            "fr": "-- \nEnvoyé de mon appareil Android avec Courriel K-9 Mail.",
        },
        page=_k9,
        agent="K-9 Mail for Android",
    ),
    "mutt": Client(
        {
            "en": "On {wd}, {mon} {dd}, {y} at {hms} +0100, {name} wrote:",
            "de": "Am {wd}, {dd}. {mon} {y}, um {hms} +0100 schrieb {name}:",
            "fr": "Le {wd} {dd} {mon} {y} à {hms} +0100, {name} a écrit :",
        },
        [("bottom", "plain"), ("inline", "plain"), ("top", "plain")],
        _ANN,
        is_signature_above=False,
        agent="Mutt/2.2.13",
    ),
    "mutt-own": Client(
        _everywhere("* {name} <{address}> [{iso} {hm}]:"),
        [("bottom", "plain")],
        is_signature_above=False,
    ),
    "gmx": Client(
        _PORTAL_TABLES,
        [("top", "html"), ("bottom", "html"), ("top", "plain")],
        marks=False,
        page=_gmx,
    ),
    "web.de": Client(
        _PORTAL_TABLES,
        [("top", "both"), ("top", "html")],
        {
            "en": "Sent with the WEB.DE Mail App", "de": "Gesendet mit der WEB.DE Mail App",
            "fr": "Envoyé depuis mon téléphone",
        },
        marks=False,
        page=_gmx,
    ),
    "t-online": Client(
        _under(
            {
                "en": "-----Original Message-----", "de": "-----Original-Nachricht-----",
                "fr": "-----Message original-----",
            },
            _DATED_TABLES,
        ),
        [("top", "plain")],
        marks=False,
    ),
    "orange": Client(
        {
            "en": "> Message of {slashed2} {hm}\n> From: {name} <{address}>\n> To: {me}\n",
            "de": "> Nachricht vom {slashed2} {hm}\n> Von: {name} <{address}>\n> An: {me}\n",
            "fr": "> Message du {slashed2} {hm}\n> De : {name} <{address}>\n> A : {me}\n",
        },
        [("top", "plain"), ("bottom", "plain"), ("top", "html")],
        page=_orange,
    ),
    "orange-new": Client(
        {
            "en": "sent: {d} {month} {y} at {hm}\nfrom: {name} <{address}>\nto: {me}\n"
            "subject: {subject}\n",
            "de": "gesendet: {d}. {month} {y} um {hm}\nvon: {name} <{address}>\nan: {me}\n"
            "betreff: {subject}\n",
            "fr": "envoyé : {d} {month} {y} à {hm}\nde : {name} <{address}>\nà : {me}\n"
            "objet : {subject}\n",
        },
        [("top", "plain"), ("top", "both")],
        {"fr": "Envoyé depuis l'application Mail Orange"},
        marks=False,
        page=_orange,
    ),
    "zimbra": Client(
        _under(
            {
                "en": "----- Original Message -----", "de": "----- Ursprüngliche Mail -----",
                "fr": "----- Mail original -----",
            },
            _PORTAL_TABLES,
        ),
        [("top", "plain"), ("top", "html")],
        marks=False,
        page=_zimbra,
    ),
    "yahoo": Client(
        {
            "en": "On {weekday}, {month} {d}, {y} at {hms} GMT+1, {name} <{address}> wrote:\n",
            "de": "Am {weekday}, {d}. {month} {y} um {hms} MEZ hat {name} <{address}> Folgendes"
            " geschrieben:\n",
            "fr": "Le {weekday} {d} {month} {y} à {hms} UTC+1, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("top", "html"), ("bottom", "html")],
        {
            "en": "Sent from Yahoo Mail for iPhone", "de": "Gesendet von Yahoo Mail auf Android",
            "fr": "Envoyé à partir de Yahoo Mail pour iPhone",
        },
        page=_yahoo,
    ),
    "proton": Client(
        {
            "en": "On {weekday}, {month} {d}th, {y} at {clock}, {name} <{address}> wrote:\n",
            "de": "{name} <{address}> schrieb am {weekday}, {d}. {month} {y} um {hm}:\n",
            "fr": "Le {weekday} {d} {month} {y} à {hm}, {name} <{address}> a écrit :\n",
        },
        [("top", "both"), ("top", "html"), ("bottom", "plain")],
        {
            "en": "Sent with Proton Mail secure email.", "de": "Gesendet mit Proton Mail.",
            "fr": "Envoyé avec la messagerie sécurisée Proton Mail.",
        },
        page=_proton,
    ),
    "samsung": Client(
        _under(
            {
                "en": "-------- Original message --------",
                "de": "-------- Ursprüngliche Nachricht --------",
                "fr": "-------- Message d’origine --------",
            },
            _DATED_TABLES,
        ),
        [("top", "both"), ("top", "html")],
        {
            "en": "Sent from my Galaxy", "de": "Von meinem Samsung Galaxy Smartphone gesendet.",
            "fr": "Envoyé depuis mon smartphone Samsung Galaxy.",
        },
        marks=False,
        page=_samsung,
    ),
    "roundcube": Client(
        {
            "en": "On {iso} {hm}, {name} wrote:", "de": "Am {dmy} {hm} schrieb {name}:",
            "fr": "Le {slashed} {hm}, {name} a écrit :",
        },
        [("bottom", "flowed"), ("top", "plain"), ("inline", "plain")],
        agent="Roundcube Webmail/1.6",
    ),
    "zoho": Client(
        {
            "en": "---- On {wd}, {dd} {mon} {y} {hms} +0100 {name} <{address}> wrote ---\n",
            "de": "---- Am {wd}, {dd}. {mon} {y} {hms} +0100 schrieb {name} <{address}> ----\n",
            "fr": "---- Le {wd}, {dd} {mon} {y} {hms} +0100 {name} <{address}> a écrit ----\n",
        },
        [("top", "plain"), ("bottom", "plain")],
    ),
    "spark": Client(
        {
            "en": "On {mon} {d}, {y} at {hm} +0100, {name} <{address}>, wrote:",
            "de": "Am {d}. {mon} {y}, {hm} +0100 schrieb {name} <{address}>:",
            "fr": "Le {d} {mon} {y} à {hm} +0100, {name} <{address}>, a écrit :",
        },
        [("top", "plain")],
    ),
    "evolution": Client(
        {
            "en": "On {wd}, {iso} at {hm} +0100, {name} wrote:",
            "de": "Am {weekday}, dem {dmy} um {hm} +0100 schrieb {name}:",
            "fr": "Le {weekday} {dd} {month} {y} à {hm} +0100, {name} a écrit :",
        },
        [("bottom", "plain"), ("inline", "flowed")],
        _ANN,
        is_signature_above=False,
        agent="Evolution 3.54",
    ),
    "kmail": Client(
        {
            "en": "On {weekday}, {d} {month} {y} {hms} CET {name} wrote:",
            "de": "Am {weekday}, {d}. {month} {y}, {hms} CET schrieb {name}:",
            "fr": "Le {weekday} {d} {month} {y}, {hms} CET {name} a écrit :",
        },
        [("bottom", "plain"), ("top", "plain")],
        agent="KMail",
    ),
    "em-client": Client(
        _under(
            {
                "en": "------ Original Message ------",
                "de": "------ Originalnachricht ------",
                "fr": "------ Message d'origine ------",
            },
            _DATED_TABLES,
        ),
        [("top", "plain")],
        marks=False,
        agent="eM_Client/10.0",
    ),
    "fairemail": Client(
        {
            "en": "{mon} {d}, {y} {hms} {name} <{address}>:",
            "de": "{dmy} {hms} {name} <{address}>:",
            "fr": "{d} {mon} {y} {hms} {name} <{address}>:",
        },
        [("top", "plain"), ("bottom", "plain")],
    ),
    "bare": Client(
        _everywhere(""),
        [("alone", "plain"), ("alone", "html"), ("alone", "flowed"), ("alone", "both")],
        _ANN,
    ),
}  # fmt: skip
