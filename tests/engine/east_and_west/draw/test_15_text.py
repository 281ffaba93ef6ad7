"""What a reader is given: the report of a letter, maps, sentences, HTML and the drawn map."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.chance import QuickDice, SealedDice
from engine.core import LANGUAGES, Language, Name, Outcome, Seat, Text
from engine.east_and_west.board import Headline, Luck, Power, Question
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import NATO, POWERS, UK, USA, USSR, WE
from engine.east_and_west.draw import ascii
from engine.east_and_west.draw.narrate import news, touched
from engine.east_and_west.draw.standing_text import order_lines
from engine.east_and_west.standing import DelayedOrder, Diving, Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, state
from tests.engine.east_and_west.test_random_play import random_match

WIDTH = 72
GOLDEN = Path(__file__).parent / "report_at_the_start.txt"
SVG = "{http://www.w3.org/2000/svg}"
SECRETS = Standing(
    losses={"": ("infantry", "armor"), "west-germany": ("damage",)},
    strike_losses={"": ("fighter",)},
    guns={"italy": "value"},
    submarines={"baltic-sea": Diving("submerge-after", 2), "": Diving("stay")},
    havens={"irish-sea": ("carrier", "iceland")},
    share={UK: "never"},
    refuge={"arab": "turkey"},
    asks=("france", "greece"),
    plans={
        "poland": Plan(
            losses=("armor",),
            after=3,
            below_units=2,
            below_power=7,
            odds=40,
            strafe=0,
            asks=True,
            to="west-germany",
            keeps_ground=True,
            submarines=Diving("retreat", zone="north-sea"),
            holds_fire=True,
            air_leaves=True,
        )
    },
    later=(DelayedOrder("buy 7 howitzer", "cash >= 28"), DelayedOrder("done")),
)
THE_SECRETS = (
    "standing losses infantry armor",
    "standing losses west-germany damage",
    "standing strike-losses fighter",
    "standing carrier irish-sea carrier iceland",
    "standing aa italy value",
    "standing subs baltic-sea submerge-after 2",
    "standing subs stay",
    "standing share uk never",
    "standing refuge arab turkey",
    "standing ask france on",
    "standing ask greece on",
    "plan poland losses armor",
    "plan poland retreat after 3",
    "plan poland retreat odds 40",
    "plan poland retreat below 2 units",
    "plan poland retreat below 7 power",
    "plan poland retreat strafe 0",
    "plan poland retreat ask",
    "plan poland to west-germany",
    "plan poland keep ground",
    "plan poland subs retreat north-sea",
    "plan poland no bombardment",
    "plan poland air leaves",
    "then if cash >= 28 buy 7 howitzer",
    "then done",
)


def report(position: State, seat: str | None = "ussr", language: Language = "en") -> str:
    return GAME.render(GAME.view(position, None if seat is None else Seat(seat)), WIDTH, language)


def a_map(position: State, theatre: str, language: Language = "en") -> str:
    return ascii.maps(GAME.view(position, None), [theatre], WIDTH, language, GAME.say)


def check_paper(text: str, language: Language) -> None:
    """Fit for any letter; English is written in ASCII."""
    assert text.isascii() or language != "en"
    assert text.endswith("\n") and not text.endswith("\n\n")
    for line in text.splitlines():
        assert len(line) <= WIDTH, line
        assert line == line.rstrip(), repr(line)


# --- the report -----------------------------------------------------------------------------------


def test_the_report_at_the_start() -> None:
    start = GAME.new_game({}, SealedDice()).state
    assert report(start) == GOLDEN.read_text("ascii")


@pytest.mark.whole
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_report_and_map_fits_a_letter(language: Language) -> None:
    positions = [moved.step.state for moved in random_match(72, 2)]
    for number, position in enumerate(positions[::25]):
        seat = (*POWERS, None)[number % 5]
        check_paper(GAME.render(GAME.view(position, seat), WIDTH, language), language)
        maps = ascii.maps(
            GAME.view(position, seat), list(atlas().theatres), WIDTH, language, GAME.say
        )
        check_paper(maps, language)


def test_only_what_is_drawn_is_in_ascii() -> None:
    """Tables and spaces with their units; sentences and what signs mean keep their letters."""
    lines = report(GAME.new_game({}, SealedDice()).state, "uk", "de").splitlines()
    assert [line for line in lines if line.startswith(("B Gross", "A Oestliche USA", "E Tuerkei"))]
    assert any("B Großbritannien, A USA" in line for line in lines)
    assert any("Grönland" in line for line in lines)
    rows = [line for line in lines if re.match(r"[A-Za-z~] .{20,} {2}\S", line)]
    assert len(rows) > 50
    assert [row for row in rows if not row.isascii()] == []


def test_what_happened_comes_first() -> None:
    told = Headline(1, Text("{power} takes {land} from {loser}", {"power": "X", **_names()}))
    position = state("poland ussr 1 infantry", headlines=(told,))
    assert report(position).splitlines()[:3] == [
        "Since your last turn:",
        "Round 1: USSR",
        "- X takes Poland from West Germany",
    ]
    assert "Since" not in GAME.render(GAME.view(position, USSR), WIDTH, "en", news=False)
    assert report(position, None).startswith("The last turns:\n")


def _names() -> dict[str, Name]:
    spaces = atlas().spaces
    return {"land": spaces["poland"].names, "loser": spaces["west-germany"].names}


def test_the_news_are_those_since_the_readers_own_last_turn() -> None:
    lines = tuple(Headline(turn, Text(f"turn {turn}")) for turn in (5, 6, 7, 8))
    position = state(power="usa", round=2, headlines=lines)
    assert position.board.turn_number == 8

    def told(seat: Seat | None) -> list[str]:
        found = news(GAME.view(position, seat))
        return [text.msgid for texts in found.values() for text in texts]

    assert told(USSR) == ["turn 6", "turn 7", "turn 8"]
    assert told(WE) == ["turn 7", "turn 8"]
    assert told(UK) == ["turn 8"]
    assert told(USA) == told(None) == ["turn 5", "turn 6", "turn 7", "turn 8"]


def test_a_land_is_shown_with_owner_value_factory_and_all_units() -> None:
    shown = report(
        state(
            "italy we 2 infantry 1 fighter usa 2 armor",
            "irish-sea uk 1 battleship!damaged 1 transport[2 infantry]",
            owners={"spain": "ussr"},
        )
    )
    assert "E Italy                  4* 2 infantry, 1 fighter; A: 2 armor\n" in shown
    assert "S Spain                  3  -\n" in shown, "it has changed hands"
    assert (
        "~ Irish Sea                 B: 1 transport (2 infantry), 1 battleship\n"
        "                            (damaged)\n"
    ) in shown
    assert "Without units: S Baltic States 1, S Belarus 2" in shown
    assert "E Portugal 1" in shown and "n Switzerland" not in shown


def test_powers_technologies_and_tracks() -> None:
    shown = report(
        state(
            cash={"uk": 7},
            techs={"uk": {"ship": 3, "nuclear": 1}},
            influence={"china": 3, "arab": -2},
        )
    )
    assert re.search(r"^B United Kingdom +7 +33 +2 +0$", shown, re.M)
    assert "United Kingdom, technologies: Large transports." in shown
    assert "United Kingdom, half a step made: Nuclear carriers, Fission bomb." in shown
    assert "China        S 4 [3] 2 1 0 1 2 3 4 B  pays USSR 8" in shown
    assert "Arab League  S 4 3 2 1 0 1 [2] 3 4 E  pays Western Europe 3" in shown
    assert "OAS          S 4 3 2 1 0 [1] 2 3 4 A\n" in shown, "it pays nobody"


def test_an_alliance_that_exists_no_longer_has_no_track() -> None:
    board = replace(state().board, influence={"china": 0})
    shown = report(State(board))
    assert "China  S 4 3 2 1 [0] 1 2 3 4 B\n" in shown
    assert "OAS  " not in shown


def test_luck_stands_beside_what_was_to_be_expected() -> None:
    quiet = state()
    assert "Luck" not in report(quiet)
    luck = Luck(dice=12, hits=5, expected=3.3, value=31, expected_value=20.04)
    powers = {**quiet.board.powers, USSR: Power(luck=luck)}
    position = State(replace(quiet.board, powers=powers))
    shown = report(position)
    assert "Luck in battles, hits and IPC:" in shown
    assert re.search(r"^S USSR +12 +5 +3\.3 +31 +20\.0$", shown, re.M)
    told = GAME.narrate(GAME.view(position, UK))
    assert "USSR has rolled 12 dice: 5 hits, 3.3 expected; destroyed 31 IPC" in told


def test_the_turn_so_far_is_told() -> None:
    units = "poland ussr 3 infantry", "west-germany we 1 infantry"
    position = state(*units, hand={"ussr": {"armor": 2}})
    action = GAME.parse("move poland west-germany 3 infantry")
    shown = report(GAME.apply(position, USSR, action, SealedDice()).state)
    assert "- USSR has to place: 2 armor.\n- Attacks: West Germany.\n" in shown
    assert "S: 3 infantry (attacking)" in shown


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        (Question("losses", WE, "france", {"hits": 3}), "choose the losses in France (3 hits)"),
        (Question("target", WE, "france"), "choose what the guns in France shoot at"),
        (Question("submarines", WE, "irish-sea"), "choose what the submarines in Irish Sea do"),
        (Question("retreat", WE, "france"), "fight on in France or retreat"),
        (Question("share", WE), "decide whether to share a technology"),
    ],
)
def test_who_is_asked_what(question: Question, shown: str) -> None:
    position = state(questions=(question,))
    assert f"Your move: {shown}." in GAME.narrate(GAME.view(position, WE))
    assert f"Western Europe to move: {shown}." in GAME.narrate(GAME.view(position, UK))


def test_the_end_is_told_with_its_winner() -> None:
    won = state(result=Outcome(NATO, Text("{side} surrenders", {"side": "X"})))
    assert "NATO wins: X surrenders" in report(won)
    drawn = state(
        result=Outcome((), Text("the last of {rounds:# round|# rounds} is over", {"rounds": 30}))
    )
    assert "The match is drawn: the last of 30 rounds is over" in report(drawn)


# --- maps -----------------------------------------------------------------------------------------


def test_maps_are_shown_where_something_happened() -> None:
    quiet = state("poland ussr 1 infantry")
    assert "Map:" not in report(quiet)
    turn = {"captured": ("brazil",), "fought": ("irish-sea",)}
    fought = state("poland ussr 1 infantry", turn=turn)
    assert touched(GAME.view(fought, None)) == ("brazil", "irish-sea")
    assert re.findall("Map: (.*)", report(fought)) == ["Europe", "South America"]


def test_a_label_names_owner_units_and_factory() -> None:
    board = state("italy we 3 infantry usa 2 armor", "irish-sea uk 2 submarine").board
    assert ascii.label(board, "italy") == "ITA:E3A2*"
    assert ascii.label(board, "irish-sea") == "iris~B2"
    assert ascii.label(board, "spain") == "SPA:n"
    assert ascii.label(board, "red-sea") == "reds~"


@pytest.mark.parametrize("theatre", list(atlas().theatres))
def test_a_map_shows_each_space_once_about_where_it_lies(theatre: str) -> None:
    position = GAME.new_game({}, SealedDice()).state
    lines = a_map(position, theatre).split("Map: ")[1].splitlines()[1:]
    labels = {ascii.label(position.board, key): key for key in atlas().theatre(theatre)}
    rows = [[labels[word] for word in line.split() if word in labels] for line in lines]
    assert sorted(key for row in rows for key in row) == sorted(atlas().theatre(theatre))
    east = atlas().theatres[theatre].east
    for row in rows:
        xs = [atlas().spaces[key].x for key in row]
        placed = [x - 1 if x >= east else x for x in xs]
        assert all(one <= other + 0.03 for one, other in pairwise(placed)), row


def test_labels_never_touch_even_when_all_are_long() -> None:
    """However many stand close together."""
    points = [(0.5 + 0.001 * n, 0.5) for n in range(40)]
    labels = [f"T{n:02}:S99E99B99A99*" for n in range(40)]
    drawn = ascii.drawn(points, labels, WIDTH)
    assert sorted(" ".join(drawn).split()) == sorted(labels)
    assert max(map(len, drawn)) <= WIDTH


def test_every_space_has_a_tag_of_its_own_and_a_theatre() -> None:
    spaces = atlas().spaces.values()
    assert len({space.tag.lower() for space in spaces}) == 190
    assert all(space.tag.isupper() == space.is_land for space in spaces)
    assert {space.theatre for space in spaces} == set(atlas().theatres)


def test_what_a_map_shows_can_be_typed() -> None:
    for key, space in atlas().spaces.items():
        assert Words(space.tag).space() == key
    assert GAME.notate(GAME.parse("move POL WGE 2 inf")) == "move poland west-germany 2 infantry"


# --- what is said in advance ----------------------------------------------------------------------


def test_own_orders_are_written_as_they_are_given() -> None:
    assert order_lines(SECRETS) == THE_SECRETS
    soviet = Standing(spares_chinese=True, heeds_protests=True)
    assert order_lines(soviet) == ("standing chinese last", "standing complications heed")
    for line in (*order_lines(SECRETS), *order_lines(soviet)):
        assert GAME.notate(GAME.parse(line)) == line


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_in_advance_is_for_its_owner_only(language: Language) -> None:
    position = state("poland ussr 2 infantry", standing={"we": SECRETS})
    plain = state("poland ussr 2 infantry")
    for draw in (GAME.render, GAME.narrate, GAME.markup, GAME.draw):
        for seat in (USSR, UK, USA, None):
            shown = draw(GAME.view(position, seat), language=language)
            assert shown == draw(GAME.view(plain, seat), language=language)
    for draw in (GAME.render, GAME.narrate, GAME.markup):
        own = draw(GAME.view(position, WE), language=language).replace("&gt;", ">")
        assert [line for line in THE_SECRETS if line not in own] == []


# --- sentences ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_is_a_sentence_on_its_own_line(language: Language) -> None:
    for moved in list(random_match(3, 1))[::40]:
        told = GAME.narrate(GAME.view(moved.step.state, UK), language)
        for line in told.splitlines():
            assert line == " ".join(line.split(" ")).strip()
            assert line.endswith((".", ":", "?", "!")), line


def test_sentences_tell_all_units() -> None:
    position = state("france we 4 infantry uk 1 bomber", "baltic-sea ussr 1 submarine")
    told = GAME.narrate(GAME.view(position, UK)).splitlines()
    assert "France, Western Europe, worth 5, with a factory: 4 infantry." in told
    assert "France, units of United Kingdom: 1 bomber." in told
    assert "Baltic Sea, units of USSR: 1 submarine." in told


def test_one_unit_and_several_are_named_differently() -> None:
    position = state("france we 2 fighter", "spain neutral 1 fighter")
    for language, words in (("en", "2 fighters"), ("de", "2 Jäger"), ("fr", "2 chasseurs")):
        assert words in GAME.narrate(GAME.view(position, UK), language)  # type: ignore[arg-type]
    assert kinds()["submarine"].many == Name("submarines", "U-Boote", "sous-marins")


# --- HTML -----------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The words a reader sees, and whether every tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen, self.open, self.tags = list[str](), list[str](), set[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.seen.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.seen).split())


def test_html_is_sound_small_and_needs_nothing() -> None:
    for number, moved in enumerate(list(random_match(5, 1))[::40]):
        view = GAME.view(moved.step.state, (*POWERS, None)[number % 5])
        html = GAME.markup(view, LANGUAGES[number % 3])
        read = Reader(html)
        assert read.open == []
        assert read.tags <= {"p", "b", "span", "table", "tr", "td", "th", "br"}
        assert len(html) < 80_000, "some mail programs cut longer letters"
        assert max(map(len, html.splitlines())) < 900
        assert not re.search(r"url\(|<img|href|class=\"(?!pb-)", html)


def test_html_tells_what_the_report_tells() -> None:
    position = state("italy we 2 infantry usa 2 armor", cash={"uk": 7}, influence={"china": 3})
    read = Reader(GAME.markup(GAME.view(position, UK))).text
    assert "E Italy, factory 4 2 infantry A 2 armor" in read
    assert "B United Kingdom 7 33 2 0" in read
    assert "c China S 4 [3] 2 1 0 1 2 3 4 B pays USSR 8" in read


def test_two_states_that_look_alike_are_drawn_alike() -> None:
    position = state("poland ussr 1 infantry", standing={"we": SECRETS})
    other = GAME.resample_hidden(position, UK, QuickDice(b"another"))
    for draw in (GAME.render, GAME.narrate, GAME.markup, GAME.draw):
        assert draw(GAME.view(position, UK)) == draw(GAME.view(other, UK))


def test_a_subject_can_say_the_round_once_there_is_one() -> None:
    before, later = GAME.new_game({}, SealedDice()).state, state()
    found = GAME.stands_at(GAME.view(later, None))

    assert GAME.stands_at(GAME.view(before, None)) is None
    assert found is not None
    said = [GAME.say(found, language) for language in LANGUAGES]
    assert said == [f"{word} {later.board.round}" for word in ("round", "Runde", "tour de jeu")]
