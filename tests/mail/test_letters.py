"""What letters say, as their readers see them; the golden letters are read like a book."""

from __future__ import annotations

import re
from base64 import b64decode
from datetime import UTC, datetime
from email.message import EmailMessage
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.chance import Opening, QuickDice, opening_fits
from engine.core import LANGUAGES, Language
from engine.registry import GAMES
from engine.text import plain
from pbem.config import templates_folder
from pbem.db import store
from pbem.links import LONGEST, Links, ReportLink, YouLink
from pbem.mail import times
from pbem.mail.parts import Reader
from pbem.mail.rendering import fold
from pbem.services.letters import outbox
from pbem.services.letters.kinds.registry import KINDS
from pbem.services.match import joining, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import LIVE, get_match
from tests.mail.golden import FOLDER, shown
from tests.mail.posting import (
    BASE_URL,
    KEYS,
    WORKER,
    Bag,
    files_of,
    html_of,
    office_with,
    text_of,
)
from tests.services.people import ANN, BOB, EVE, NOW, an_order, id_of, turn_of, wanted
from tests.services.powers import POWERS, address_of

pytestmark = pytest.mark.whole

LINK = re.compile(r"https?://\S+")
ALWAYS = [
    *("From", "To", "Subject", "Date", "Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post"),
    *("Auto-Submitted", "X-Auto-Response-Suppress", "X-PBEM-Kind", "MIME-Version", "Content-Type"),
]
OF_A_MATCH = [
    *("In-Reply-To", "References", "Thread-Index", "List-Id", "X-PBEM-Match", "X-PBEM-Seat")
]
OF_NO_MATCH = (
    *("confirm", "you", "reminder", "answer", "moderator", "account", "address"),
    "seat_alert",
)
CAMPAIGN = "campaign_"
RULER = "-" * 72
WAY = re.compile(r"[^:/]+: ?https?://\S+")
"""A link of the footer: behind its words."""
WITH_REASONS = ("invitation", "stand_in", "moderated", "rules", "keep_match")
"""Letters that say why somebody gets them who may have no seat."""
TURN_LINK = re.compile(rf"(?m)^{BASE_URL}/t/[^?\s]+$")


@pytest.fixture(scope="module", params=sorted(path.stem for path in FOLDER.glob("*.txt")))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def letter(name: str, named: dict[str, EmailMessage]) -> EmailMessage:
    return named[name]


class Reading(HTMLParser):
    """What an HTML part holds: links, tags, words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links, self.tags, self.words = list[str](), list[str](), list[str]()
        self.attributes: list[tuple[str, str]] = []
        self.shown = list[str]()
        """Words behind the head of the page."""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(key, value or "") for key, value in attrs]
        self.links += [value or "" for key, value in attrs if key == "href"]

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "body" in self.tags:
            self.shown.append(data)


# --- the golden letters ---------------------------------------------------------------------------


def test_a_letter_is_as_it_was_read(name: str, letter: EmailMessage) -> None:
    """Write them anew with `python -m tests.mail.golden`, and read the difference."""
    assert shown(letter) == (FOLDER / f"{name}.txt").read_text("utf-8")


def test_every_golden_letter_is_still_made(named: dict[str, EmailMessage]) -> None:
    assert sorted(named) == sorted(path.stem for path in FOLDER.glob("*.txt"))


def test_every_kind_is_among_them(named: dict[str, EmailMessage]) -> None:
    assert {str(letter["X-PBEM-Kind"]) for letter in named.values()} == set(KINDS)


def test_every_kind_is_a_folder_of_three_files() -> None:
    emails = templates_folder() / "emails"
    folders = {path.name for path in emails.iterdir() if path.is_dir()} - {"_base"}

    assert folders == set(KINDS)
    moods = {path for kind in KINDS for path in (emails / kind).iterdir() if path.is_dir()}
    assert {str(path.relative_to(emails)) for path in moods} == {
        "message/draw",
        "message/no_draw",
        "turn/briefed",
        "turn/inquiry",
    }
    for folder in {emails / kind for kind in KINDS} | moods:
        files = {path.name for path in folder.iterdir() if path not in moods}
        assert files == {"subject.txt", "body.txt", "body.html"}


# --- headers --------------------------------------------------------------------------------------


def test_headers_are_those_expected_and_no_other(name: str, letter: EmailMessage) -> None:
    kind = kind_of(name)
    of_match = [] if kind in OF_NO_MATCH else OF_A_MATCH
    of_turn = ["X-PBEM-Turn"] if kind == "turn" else []
    begun = ["X-PBEM-Head"] if is_about_one_begun_match(name, kind) else []

    assert sorted(letter.keys()) == sorted([*ALWAYS, *of_match, *of_turn, *begun])
    assert letter["X-PBEM-Kind"] == kind
    assert len(letter["To"].addresses) == 1
    merged = [f"{name}{end}" for name in ("gus", "gil") for end in ("", "_de", "_fr")]
    guests = ("guest", "guest_de", "guest_fr")
    others = [f"{name}@example.org" for name in ("eve_de", "robert", "cy", "dee", *guests, *merged)]
    campaign = [f"{name}@campaign.example" for name in ("ann", "bob", "cy", "dee")]
    powers = map(address_of, POWERS)
    assert str(letter["To"]) in (ANN, BOB, EVE, *others, *campaign, *powers)
    assert letter["From"].addresses[0].display_name == "pbem"
    assert re.fullmatch(r"<o\.\d+\.\d+\.[0-9a-f]{16}@play\.example>", letter["Message-ID"])


def kind_of(name: str) -> str:
    """The kind of a golden letter; those of East & West are called after their campaign."""
    plain = name.removeprefix(CAMPAIGN).removeprefix("one_subject_")
    plain = plain.replace("inquiry", "turn_inquiry")
    return next(kind for kind in KINDS if plain == kind or plain.startswith(f"{kind}_"))


def is_about_one_begun_match(name: str, kind: str) -> bool:
    if kind == "reminder":
        plain = name.removeprefix(CAMPAIGN)
        return plain in ("reminder", "reminder_de") or plain.startswith("reminder_word")
    if name.startswith("away_not_invited"):
        return False
    if name.startswith("cancelled_lapsed"):
        return False
    return kind not in (*OF_NO_MATCH, "invitation", "declined", "computer")


def test_one_press_stops_news(letter: EmailMessage) -> None:
    stop = "hush" if letter["X-PBEM-Kind"] == "seat_alert" else "mute"
    assert letter["List-Unsubscribe"].startswith(f"<{BASE_URL}/{stop}/")
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter["Auto-Submitted"] == "auto-generated"


def test_letters_of_a_match_answer_the_first_one(named: dict[str, EmailMessage]) -> None:
    to_bob = [
        letter
        for letter in named.values()
        if letter["X-PBEM-Match"] == "match00001" and str(letter["To"]) == BOB
    ]
    first, *others = to_bob
    root = "<match.match00001@play.example>"

    assert len(others) > 3
    assert first["X-PBEM-Kind"] == "invitation"
    assert (first["In-Reply-To"], first["References"]) == (root, root)
    for letter in others:
        assert letter["In-Reply-To"] == first["Message-ID"]
        assert letter["References"] == f"{root} {first['Message-ID']}"
    assert len({str(letter["Thread-Index"]) for letter in to_bob}) == 1
    assert {str(letter["List-Id"]) for letter in to_bob} == {"<match00001.match.play.example>"}
    assert len({str(letter["Message-ID"]) for letter in to_bob}) == len(to_bob)


def test_the_index_for_outlook_is_as_long_as_one_without_answers(letter: EmailMessage) -> None:
    if letter["X-PBEM-Match"] is not None:
        index = b64decode(str(letter["Thread-Index"]), validate=True)
        assert (len(index), index[:1]) == (22, b"\x01")


def test_a_subject_says_what_is_wanted_and_no_number_of_a_match(
    name: str, letter: EmailMessage
) -> None:
    subject = str(letter["Subject"])

    assert not re.search(r"match\d{5}|campaign", subject)
    assert "\n" not in subject
    assert len(subject) <= 78


SUBJECTS = {
    "turn_second": "Your turn: Iron Curtain against Ann, round 1",
    "turn_first": "Your first turn: Iron Curtain against Ann, round 1",
    "started": "It has begun: Iron Curtain against Bób O'Neil",
    "message_draw": "Draw offered by Ann: Iron Curtain",
    "message_declined": "Draw declined by Bob: Iron Curtain",
    "message": "Bob wrote to you: Iron Curtain",
    "finished": "You lost against Ann: Iron Curtain",
    "finished_by_resignation": "You won against Ann: Iron Curtain",
    "reminder": "Still your turn: Iron Curtain against Ann",
    "claim": "Win or wait, Bob ran out of time: Iron Curtain",
    "campaign_turn": "Your turn: East & West as United Kingdom, round 3",
    "campaign_turn_de": "Dein Zug: East & West als Westeuropa, Runde 3",
    "campaign_turn_fr": "À vous\u00a0: East & West, camp États-Unis, tour de jeu 3",
    "campaign_moved": "Ann (USSR) has moved: East & West, round 3",
    "campaign_inquiry": "Ann (USSR) needs a decision from you: East & West, round 1",
}


@pytest.mark.parametrize(("name_of", "subject"), SUBJECTS.items())
def test_subjects_as_people_read_them(
    name_of: str, subject: str, named: dict[str, EmailMessage]
) -> None:
    assert str(named[name_of]["Subject"]) == subject


def test_who_wishes_it_has_one_subject_for_a_match(named: dict[str, EmailMessage]) -> None:
    of_match = {
        name: str(letter["Subject"])
        for name, letter in named.items()
        if name.startswith("one_subject")
    }

    assert len(of_match) > 3
    assert set(of_match.values()) == {"Iron Curtain: Ann - Bob"}


def test_subject_and_headers_tell_nothing_of_the_position(letter: EmailMessage) -> None:
    headers = " ".join(f"{key} {value}" for key, value in letter.items() if key != "X-PBEM-Seat")

    assert not re.search(r"(?i)poland|vietnam|egypt|cuba|chile|hand|track", headers)


# --- the text part --------------------------------------------------------------------------------


def test_links_stand_alone_and_other_lines_are_narrow(letter: EmailMessage) -> None:
    lines = text_of(letter).splitlines()
    for place, line in enumerate(lines):
        if LINK.search(line):
            is_footer = RULER in lines[:place]
            assert LINK.fullmatch(line) or is_footer and WAY.fullmatch(line), line
            assert len(LINK.findall(line)) == 1
            assert len(line) < LONGEST + 90
        else:
            assert len(line) <= 72, line
        assert line == line.rstrip()
        assert not line.startswith((">", "-- ")) or line == RULER


def test_the_footer_of_a_match_is_three_lines(letter: EmailMessage) -> None:
    *_, footer = text_of(letter).split(f"{RULER}\n")
    if letter["X-PBEM-Seat"] is None or letter["X-PBEM-Kind"] in WITH_REASONS:
        return
    head, more, fewer = footer.strip("\n").split("\n")

    assert re.search(r" [0-9a-f]{16}$", head) or letter["X-PBEM-Head"] is None
    assert f"{BASE_URL}/seat/" in more
    assert f"{BASE_URL}/mute/" in fewer


def test_inboxes_show_the_same_first_words_of_both_parts(letter: EmailMessage) -> None:
    """The essential comes first; what precedes it in the HTML is not shown."""
    text = " ".join(text_of(letter).split())
    words = [" ".join(word.split()) for word in Reading(html_of(letter)).shown if word.split()]

    assert len(words[0]) > 20
    assert text.startswith(words[0])
    assert "://" not in words[0]


def test_words_stand_before_every_link(letter: EmailMessage) -> None:
    lines = [line for line in text_of(letter).splitlines() if line]
    for before, line in zip(lines, lines[1:], strict=False):
        assert not (LINK.match(line) and LINK.match(before)), line


def test_a_letter_has_the_turn_link_when_its_reader_is_asked(
    named: dict[str, EmailMessage],
) -> None:
    with_link = {name for name, letter in named.items() if TURN_LINK.search(text_of(letter))}

    assert with_link == {
        *(name for name in named if kind_of(name) in ("turn", "reminder")),
        *("late", "late_fr", "away_given_time", "away_given_time_fr", "away_resumed"),
        *("briefing_de", "briefing_back_de", "away_own_floating"),
    }
    assert len(TURN_LINK.findall(text_of(named["reminder_several"]))) == 2


def test_a_reminder_shows_the_board_of_the_only_match(named: dict[str, EmailMessage]) -> None:
    assert "USSR 8 7 6" in text_of(named["reminder"])
    for name in ("reminder_several", "reminder_daily"):
        assert "USSR 8 7 6" not in text_of(named[name])


def test_a_turn_letter_keeps_its_order(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_many"])
    parts = [
        "What has happened since your last turn:",
        "Your move: play a card.",
        "USSR 8 7 6",
        "Your hand:",
        "Your choices:",
        "?prefix=play+",
        "The turn page:",
        "Your turn ends:",
        "2027-01-17 04:00 UTC, in 1 d 12 h",
        "One day's grace",
        "offers a draw",
        "Accept the draw",
        "| Hello <Bob>,",
        "Head of match",
        "Your seat page and more links",
        "/mute/",
    ]

    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_few_choices_have_a_link_each(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_first"])

    assert len(re.findall(rf"(?m)^{BASE_URL}/o/", text)) == 2
    assert "  USA goes first [first usa]\n" in text


def test_many_choices_have_a_link_for_each_card(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_many"])

    assert f"{BASE_URL}/o/" not in text
    assert len(re.findall(r"\?prefix=play\+\w+$", text, re.MULTILINE)) == 5


CARRIED: dict[str, set[str]] = {
    "turn": {"/t/", "/o/", "/seat/"},
    "late": {"/t/", "/seat/"},
    "away": {"/t/", "/seat/"},
    "briefing": {"/t/", "/seat/"},
    "reminder": {"/t/", "/you/"},
    "leave": {"/leave/", "/seat/"},
    "started": {"/seat/"},
    "message": {"/seat/"},
    "moderated": {"/seat/"},
    "rules": {"/seat/"},
    "receipt": {"/seat/"},
    "moved": {"/seat/"},
    "claim": {"/seat/"},
    "finished": {"/seat/"},
    "cancelled": {"/seat/"},
    "declined": {"/seat/"},
    "invitation": {"/join/"},
    "confirm": {"/confirm/"},
    "address": {"/confirm/"},
    "stand_in": {"/stand/"},
    "answer": {"/thread/"},
    "account": {"/keep/"},
    "you": {"/you/"},
    "moderator": {"/admin/setup/"},
    "takeback": {"/seat/"},
    "computer": {"/computer/", "/seat/"},
    "keep_match": {"/go-on/"},
    "seat_alert": {"/hush/"},
}
"""Which links a letter may hold beside those to stop news and to report."""


def test_a_letter_carries_no_more_than_it_needs(letter: EmailMessage) -> None:
    kind, readable = str(letter["X-PBEM-Kind"]), text_of(letter) + unescape(html_of(letter))
    found = set(re.findall(rf"{BASE_URL}((?:/[\w-]+)+/)[\w-]+\.[\w-]{{43}}", readable))

    assert found - {"/mute/", "/report/"} <= CARRIED[kind]


def test_only_its_own_letter_holds_the_own_page_without_an_end(letter: EmailMessage) -> None:
    readable = text_of(letter) + html_of(letter)
    tokens = set(re.findall(rf"{BASE_URL}/you/([\w-]+\.[\w-]{{43}})", readable))
    read = [Links(KEYS, BASE_URL).read("you", token) for token in tokens]
    dying_with = {link.turn for link in read if isinstance(link, YouLink)}

    assert len(dying_with) == len(tokens) <= 1
    assert (0 in dying_with) == (letter["X-PBEM-Kind"] == "you")


def test_who_gets_a_letter_can_report_it(name: str, letter: EmailMessage) -> None:
    """By a link in it; on the page of the seat for who has one, which all the others lead to."""
    found = re.findall(rf"{BASE_URL}/report/\S+", text_of(letter))
    has_seat_page = f"{BASE_URL}/seat/" in text_of(letter)
    if letter["X-PBEM-Kind"] == "moderator":
        assert found == []
        return
    assert len(found) <= 1
    assert found or has_seat_page
    is_draw = "draw" in name + str(letter["Subject"]).lower()
    if str(letter["X-PBEM-Kind"]) == "message" and not is_draw:
        assert found, "what others write can be reported where it is read"
    if not found:
        return
    link = way_to_report(letter)
    assert link.letter == letter["X-PBEM-Kind"]
    assert link.at == letter["Date"].datetime.timestamp()
    if letter["X-PBEM-Match"]:
        assert link.match == letter["X-PBEM-Match"]
        assert GAMES["iron_curtain"].seats({})[link.seat] == letter["X-PBEM-Seat"]


def way_to_report(letter: EmailMessage) -> ReportLink:
    (token,) = re.findall(rf"{BASE_URL}/report/(\S+)", text_of(letter))
    link = Links(KEYS, BASE_URL).read("report", token)
    assert isinstance(link, ReportLink)
    return link


def test_a_reminder_of_one_match_lets_report_that_match(named: dict[str, EmailMessage]) -> None:
    names = ("reminder", "reminder_several", "confirm", "you")
    found = {name: way_to_report(named[name]) for name in names}

    assert (found["reminder"].match, found["reminder"].seat) == ("match00008", 1)
    assert (found["reminder_several"].match, found["reminder_several"].seat) == ("", -1)
    assert (found["confirm"].match, found["confirm"].seat) == ("match00001", -1)
    assert (found["you"].match, found["you"].seat) == ("", -1)


def test_the_head_of_the_log_stands_alone_on_its_line(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["moderator_head"])

    assert len(re.findall(r"(?m)^[0-9a-f]{64}$", text)) == 1
    assert "pbem audit verify --head" in " ".join(text.split())


def test_what_a_moderator_answers_stays_words(named: dict[str, EmailMessage]) -> None:
    assert "| Did <Ann> write more" in text_of(named["answer"])
    assert "Did &lt;Ann&gt; write more" in html_of(named["answer"])
    assert "closed" not in text_of(named["answer"])
    assert "Your report is now closed." in text_of(named["answer_closed"])


def test_the_opponents_address_is_nowhere(letter: EmailMessage) -> None:
    others = {ANN, BOB, EVE, *map(address_of, POWERS)} - {str(letter["To"])}
    everything = letter.as_string() + text_of(letter) + html_of(letter)

    assert not [other for other in others if other in everything]


# --- the HTML part --------------------------------------------------------------------------------


def test_both_parts_have_the_same_links(letter: EmailMessage) -> None:
    assert sorted(set(Reading(html_of(letter)).links)) == sorted(set(LINK.findall(text_of(letter))))


def test_the_html_needs_nothing_from_elsewhere(letter: EmailMessage) -> None:
    html = html_of(letter)
    read = Reading(html)

    assert not {"svg", "script", "link", "iframe", "form", "object"} & set(read.tags)
    assert not [key for key, _ in read.attributes if key in ("background", "onclick")]
    pictures = [value for key, value in read.attributes if key == "src"]
    attached = [
        f"cid:{str(part['Content-ID']).strip('<>')}"
        for part in letter.walk()
        if part.get_content_maintype() == "image"
    ]
    assert pictures == attached
    assert len(attached) == read.tags.count("img")
    assert "url(" not in html
    assert "@import" not in html
    assert len(html.encode()) < 100_000
    assert html.isascii()
    assert max(map(len, html.splitlines())) < 990


def test_the_html_knows_light_and_dark_and_its_language(name: str, letter: EmailMessage) -> None:
    html = html_of(letter)
    language = name[-2:] if name.endswith(("_de", "_fr")) else "en"

    assert f'<html lang="{language}">' in html
    assert '<meta name="color-scheme" content="light dark">' in html
    assert "@media (prefers-color-scheme: dark)" in html


def test_what_a_player_writes_stays_words(named: dict[str, EmailMessage]) -> None:
    html = html_of(named["turn_many"])

    assert "Hello &lt;Bob&gt;," in html
    assert "<Bob>" not in html


# --- chance ---------------------------------------------------------------------------------------


def test_the_first_letter_holds_what_the_last_one_opens(named: dict[str, EmailMessage]) -> None:
    invitation, first, finished = (
        text_of(named[name]) for name in ("invitation", "turn_first", "finished")
    )
    (commitment,) = re.findall(r"(?m)^[0-9a-f]{64}$", invitation)
    started = proofs_in(named["turn_first"])
    roots = re.findall(r"(?m)^[0-9a-f]{64}$", started)

    assert re.findall(r"(?m)^[0-9a-f]{64}$", first) == [commitment]
    assert roots[0] == commitment
    assert set(roots) <= set(re.findall(r"(?m)^[0-9a-f]{64}$", finished))
    assert bytes(range(32)).hex() in finished
    assert bytes(range(32)).hex() not in invitation + first + started


def proofs_in(letter: EmailMessage) -> str:
    """What is attached to the first letter of a match."""
    ((name, proofs),) = files_of(letter).items()
    assert name == f"pbem-{letter['X-PBEM-Match']}-proofs.txt"
    return proofs


def test_only_the_first_letter_of_a_match_has_something_attached(
    name: str, letter: EmailMessage
) -> None:
    is_first = name.startswith(("turn_first", "started", "turn_word", "one_subject_started"))
    is_first |= name in ("campaign_started", "campaign_turn_mobilisation")

    assert bool(files_of(letter)) == is_first


def test_openings_lead_to_the_root(named: dict[str, EmailMessage]) -> None:
    text = proofs_in(named["turn_first"])
    _, root = re.findall(r"(?m)^([0-9a-f]{64})$", text)
    found = re.findall(
        r"(?m)^place (\d+): (\w+)\n  salt (\w{32})\n  path ((?:\s*[0-9a-f]{64}\n)+)", text
    )

    assert len(found) == 5
    for place, card, salt, path in found:
        assert opening_fits(Opening(int(place), card, salt, tuple(path.split())), root, 18)


def test_the_level_of_fairness_is_said(named: dict[str, EmailMessage]) -> None:
    started, without = proofs_in(named["started"]), proofs_in(named["started_without_phrases"])

    assert "Fairness level F1" in started
    assert "Bób O'Neil (USSR) added: it rains in Berlin" in started
    assert "Fairness level F0" in without


# --- times and languages --------------------------------------------------------------------------


def reader(language: Language, zone: str) -> Reader:
    return Reader("Ann", language, zone, "", "")


@pytest.mark.parametrize(
    ("language", "zone", "said"),
    [
        ("en", "UTC", "Sunday, 29 March 2026, 00:30 UTC"),
        ("en", "Europe/London", "Sunday, 29 March 2026, 00:30 (UTC+00:00, Europe/London)"),
        ("de", "Europe/Berlin", "Sonntag, 29.\u00a0März 2026, 01:30 (UTC+01:00, Europe/Berlin)"),
        ("fr", "America/Montreal", "samedi 28 mars 2026, 20:30 (UTC-04:00, America/Montreal)"),
        ("en", "Asia/Kolkata", "Sunday, 29 March 2026, 06:00 (UTC+05:30, Asia/Kolkata)"),
    ],
)
def test_a_time_is_told_as_its_reader_tells_it(language: Language, zone: str, said: str) -> None:
    at = int(datetime(2026, 3, 29, 0, 30, tzinfo=UTC).timestamp())

    assert times.moment(at, reader(language, zone)) == said


def test_summer_time_moves_the_clock_and_not_the_deadline() -> None:
    before = int(datetime(2026, 3, 29, 0, 30, tzinfo=UTC).timestamp())
    told = times.deadline(before + 3_600, before, reader("de", "Europe/Berlin"))

    assert told.local == "Sonntag, 29.\u00a0März 2026, 03:30 (UTC+02:00, Europe/Berlin)"
    assert (told.utc, told.days, told.hours, told.minutes) == ("2026-03-29 01:30 UTC", 0, 1, 0)


@pytest.mark.parametrize(
    ("seconds", "parts"), [(0, (0, 0, 0)), (-5, (0, 0, 0)), (187_499, (2, 4, 4)), (59, (0, 0, 0))]
)
def test_how_far_away_a_time_is(seconds: int, parts: tuple[int, int, int]) -> None:
    assert times.span(seconds) == parts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_letter_speaks_the_language_of_its_reader(language: Language, tmp_path: Path) -> None:
    store.open_database(f"sqlite:///{tmp_path / 'pbem.db'}")
    with store.connected():
        store.migrate()
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", language, "UTC", ""), NOW)
        bag = Bag()
        outbox.drain(office_with(bag), WORKER, NOW)
        turns.submit(turn_of(match).id, ["first ussr"], NOW)
    letter = next(letter for letter in bag.letters if letter["X-PBEM-Kind"] == "turn")
    hand = {"en": "Your hand:", "de": "Deine Handkarten:", "fr": "Votre main"}[language]

    assert hand in text_of(letter)
    assert f'<html lang="{language}">' in html_of(letter)


@pytest.mark.parametrize("ending", ["resigned", "agreed"])
@pytest.mark.parametrize(
    ("language", "asked", "over"),
    [
        ("en", "Your move", "The match is over."),
        ("de", "Du bist am Zug", "Die Partie ist beendet."),
        ("fr", "À vous", "La partie est terminée."),
    ],
)
def test_the_last_letter_asks_nothing_however_the_match_ended(
    language: Language, asked: str, over: str, ending: str, tmp_path: Path
) -> None:
    store.open_database(f"sqlite:///{tmp_path / 'pbem.db'}")
    bag = Bag()
    with store.connected():
        store.migrate()
        match = matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", language, "UTC", ""), NOW)
        if ending == "resigned":
            matches.resign(match, 0, NOW)
        else:
            matches.offer_draw(match, 0, NOW)
            matches.offer_draw(match, 1, NOW)
        outbox.drain(office_with(bag), WORKER, NOW)
    (letter,) = [
        letter
        for letter in bag.letters
        if letter["X-PBEM-Kind"] == "finished" and str(letter["To"]) == BOB
    ]

    for part in (plain(text_of(letter)), plain(unescape(html_of(letter)))):
        assert plain(asked) not in part
        assert plain(over) in part


@pytest.mark.whole
def test_french_lines_never_begin_with_punctuation(tmp_path: Path) -> None:
    store.open_database(f"sqlite:///{tmp_path / 'pbem.db'}")
    bag, choice = Bag(), QuickDice(b"typography")
    with store.connected():
        store.migrate()
        match = matches.create(wanted(language="fr", setup={"connected": "on"}), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "fr", "UTC", "il pleut"), NOW)
        while get_match(match).status == LIVE:
            turn, order = an_order(match, choice)
            turns.submit(turn.id, [order], NOW)
            outbox.drain(office_with(bag), WORKER, NOW)
    texts = [text_of(letter) for letter in bag.letters]
    begun = {line.lstrip(" -|")[:1] for text in texts for line in text.splitlines()}
    said = "\n".join(LINK.sub("", text) for text in texts)

    assert len(texts) > 20
    assert not begun & set(":;?!»")
    assert re.search("\u00a0[:;?!]", said)
    assert not re.search(r"(?m)[a-zé)][;?!](\s|$)|^[^:]*[a-zé)]:$", said)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("", [""]),
        ("x" * 70 + " no\u00a0: y", ["x" * 70, "no\u00a0: y"]),
        ("x" * 70 + " 3\u202f000", ["x" * 70, "3\u202f000"]),
        ("one two", ["one two"]),
        ("x" * 100, ["x" * 100]),
        ("a " + "x" * 71, ["a", "x" * 71]),
        ("x" * 35 + " " + "y" * 36, ["x" * 35 + " " + "y" * 36]),
        ("x" * 36 + " " + "y" * 36, ["x" * 36, "y" * 36]),
    ],
)
def test_paragraphs_are_folded_at_72_columns(words: str, lines: list[str]) -> None:
    assert fold(words).split("\n") == lines


def test_a_list_item_hangs() -> None:
    folded = fold("word " * 30, "- ", "  ").split("\n")

    assert [line[:2] for line in folded] == ["- ", "  ", "  "]
    assert max(map(len, folded)) <= 72
