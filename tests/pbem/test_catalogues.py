"""The German and French words of pages and letters: all there, with the parameters of the English.

`make words` brings the catalogues up to date; what is new then waits for its translation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po
from flask.testing import FlaskClient

from engine.core import Language
from pbem import i18n
from pbem.mail import letters, rendering
from pbem.mail.parts import Reader

ROOT = Path(__file__).parents[2]
PARAMETER = re.compile(r"%\(\w+\)s")
SPACE_THAT_BREAKS = re.compile(r" [:;?!»]|« ")
BARE_PUNCTUATION = re.compile(r"""[}>][:;?!](\s|$)|~\s*["'][:;?!]""")
SAID = re.compile(r'\b_\("([^"]+)"')
FOLDED = re.compile(r"\|fold|parts\.link")
OTHERS: list[Language] = ["de", "fr"]
OWN = (
    "Refused",
    "Missing",
    "Stale",
    "Busy",
    "TooOften",
    "NoRoom",
    "RulesChanged",
    "LostLink",
    "Words",
)
KEYWORDS = {**DEFAULT_KEYWORDS, **dict.fromkeys(OWN), "Counted": (1, 2)}
"""What `make words` looks for: errors and announcements hold messages too."""

in_each_language = pytest.mark.parametrize("language", OTHERS)


@pytest.fixture(scope="module")
def sources() -> Catalog:
    """Every message that pages, letters and Python say, found as `make words` finds them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    mappings = project["tool"]["babel"]["mappings"]
    methods = [(one["pattern"], one["method"]) for one in mappings]
    options = {
        one["pattern"]: {key: one[key] for key in one.keys() - {"pattern", "method"}}
        for one in mappings
    }
    found = Catalog()
    for folder in ("pbem", "templates"):
        for _, _, message, _, _ in extract_from_dir(
            ROOT / folder, methods, options, KEYWORDS, directory_filter=_is_looked_into
        ):
            found.add(message)
    return found


def _is_looked_into(folder: str) -> bool:
    return not Path(folder).name.startswith(".")


def catalogue(language: Language) -> Catalog:
    path = i18n.TRANSLATIONS / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def messages(catalog: Catalog) -> Iterator[Message]:
    """All but the header."""
    return (message for message in catalog if message.id)


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    """A message has one form, or one for each number."""
    return (text,) if isinstance(text, str) else tuple(text or ("",))


def ids(catalog: Catalog) -> set[tuple[str, ...]]:
    return {forms(message.id) for message in messages(catalog)}


# --- complete -------------------------------------------------------------------------------------


@pytest.mark.whole
def test_the_sources_of_every_room_are_read(sources: Catalog) -> None:
    assert len(sources) > 400
    assert sources.get("Your own page"), "a letter's subject"
    assert sources.get("That turn ends:"), "a part that letters share"
    assert sources.get("%(side)s resigns."), "a part that pages share"
    assert sources.get("the message is empty"), "a refusal"
    assert sources.get("this turn is over"), "a refusal that came too late"
    assert sources.get("there is no such turn"), "what is missing"


@in_each_language
def test_every_message_is_translated(sources: Catalog, language: Language) -> None:
    known = {forms(message.id): message for message in messages(catalogue(language))}

    assert ids(sources) - known.keys() == set(), "make words, then translate them"
    assert [key for key, message in known.items() if message.fuzzy] == []
    assert [key for key, message in known.items() if not all(forms(message.string))] == []


@in_each_language
def test_every_form_of_a_plural_is_there(language: Language) -> None:
    translated = catalogue(language)
    plurals = [message for message in messages(translated) if message.pluralizable]

    assert plurals
    assert {len(forms(message.string)) for message in plurals} == {translated.num_plurals}


@in_each_language
def test_nothing_is_left_over(sources: Catalog, language: Language) -> None:
    translated = catalogue(language)

    assert ids(translated) - ids(sources) == set(), "make words takes them out"
    assert list(translated.obsolete) == []


def test_the_template_is_up_to_date(sources: Catalog) -> None:
    with (i18n.TRANSLATIONS / "messages.pot").open("rb") as file:
        assert ids(read_po(file)) == ids(sources), "make words writes it anew"


# --- sound ----------------------------------------------------------------------------------------


@in_each_language
def test_a_translation_has_the_parameters_of_its_message(language: Language) -> None:
    for message in messages(catalogue(language)):
        asked = set(PARAMETER.findall(forms(message.id)[-1]))
        for form in forms(message.string):
            assert set(PARAMETER.findall(form)) == asked, message.id
            assert "%" not in PARAMETER.sub("", form), f"{form!r} would not format"


@in_each_language
def test_a_translation_is_one_line_and_ends_like_its_message(language: Language) -> None:
    for message in messages(catalogue(language)):
        for form in forms(message.string):
            assert form == form.strip() and "\n" not in form, message.id
            assert form.endswith(":") == forms(message.id)[-1].endswith(":"), message.id


@in_each_language
def test_what_a_letter_does_not_fold_fits_its_line(language: Language) -> None:
    with i18n.speaking(language):
        for template in (ROOT / "templates/emails").glob("*/*.txt"):
            for line in template.read_text("utf-8").splitlines():
                for message in SAID.findall("" if FOLDED.search(line) else line):
                    assert len(i18n.gettext(message)) < rendering.WIDTH, f"{template}: {message}"


def test_french_punctuation_never_begins_a_line() -> None:
    said = [form for message in messages(catalogue("fr")) for form in forms(message.string)]

    assert [form for form in said if SPACE_THAT_BREAKS.search(form)] == [], "put U+00A0 there"


def test_no_template_puts_punctuation_behind_words_by_itself() -> None:
    """French has a no-break space before it, so it belongs to the message: `%(words)s:`."""
    found = [
        f"{template.relative_to(ROOT)}: {line.strip()}"
        for template in sorted((ROOT / "templates").glob("**/*.*"))
        if template.parent.name != "dev"
        for line in template.read_text("utf-8").splitlines()
        if BARE_PUNCTUATION.search(line)
    ]
    assert found == []


@in_each_language
def test_a_catalogue_compiles_and_speaks(language: Language) -> None:
    assert isinstance(i18n.catalogue(language), GNUTranslations)
    with i18n.speaking(language):
        for message in messages(catalogue(language)):
            if isinstance(message.id, str):
                assert i18n.gettext(message.id) == message.string
            else:
                one, many = message.id
                assert tuple(i18n.ngettext(one, many, n) for n in (1, 2)) == forms(message.string)


def test_french_has_no_plural_for_none() -> None:
    with i18n.speaking("fr"):
        assert i18n.ngettext("%(num)s day", "%(num)s days", 0) == "%(num)s jour"
    with i18n.speaking("de"):
        assert i18n.ngettext("%(num)s day", "%(num)s days", 0) == "%(num)s Tage"


# --- heard ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "Open matches"), ("de", "Offene Partien"), ("fr", "Parties ouvertes")],
)
def test_a_page_speaks_the_language_asked_for(
    client: FlaskClient, language: Language, said: str
) -> None:
    page = client.get("/", headers={"Accept-Language": language}).text

    assert f'<h2 id="open">{said}</h2>' in page


@pytest.mark.parametrize(
    ("language", "subject", "greeting"),
    [
        ("en", "Your own page", "Hello Ann,"),
        ("de", "Deine eigene Seite", "Hallo Ann,"),
        ("fr", "Votre page personnelle", "Bonjour Ann,"),
    ],
)
def test_a_letter_speaks_the_language_of_its_reader(
    language: Language, subject: str, greeting: str
) -> None:
    reader = Reader("Ann", language, "UTC", "https://play.example/you/x", "https://play.example/m")
    letter = letters.you(reader, "play.example")

    assert letter.subject == subject
    assert letter.text.startswith(greeting)
    assert greeting in letter.html
