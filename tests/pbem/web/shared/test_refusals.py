"""What is refused is said in the language of the reader, on every page; programs read English."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from flask.testing import FlaskClient

from engine.core import GameError, IllegalAction, Language
from engine.registry import GAMES
from pbem import i18n
from pbem.db import store
from pbem.errors import Missing, Refused, Stale
from pbem.links import Links, YouLink
from pbem.services.records.player_rows import find_player
from pbem.web.public.rules_html import rulebook
from tests.pbem.table import Table
from tests.services.people import ANN, BOB, id_of

ROOT = Path(__file__).parents[4]
ERRORS = {
    *("Refused", "Missing", "Stale", "Busy", "Replaced"),
    *("GameError", "BadNotation", "IllegalAction", "NotYourTurn", "BadSetup"),
    *("AuditError", "ChanceError"),
}
TERMINAL = ROOT / "engine/terminal"
"""Speaks English only, to whoever started it."""
"""Its `there is no match` is met by operators only; pages look for the match themselves."""
NB = "\u00a0"


class Said(NamedTuple):
    """One refusal in each language."""

    de: str
    fr: str

    def in_(self, language: Language) -> str:
        return str(getattr(self, language))


in_each_language = pytest.mark.parametrize("language", ["de", "fr"])


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def reads(address: str, language: Language) -> None:
    """From now on a player reads that language."""
    with store.connected():
        store.execute("UPDATE player SET language = ? WHERE address = ?", language, address)


# --- errors in words ------------------------------------------------------------------------------


def test_a_refusal_reads_english_and_is_told_in_the_language_spoken() -> None:
    refusal = Refused(
        "“%(zone)s” is not a time zone; write one like Europe/Berlin", zone="100 %s {x}"
    )
    with i18n.speaking("de"):
        assert (
            i18n.translate_error(refusal)
            == "„100 %s {x}“ ist keine Zeitzone; so sieht eine aus: Europe/Berlin"
        )
        assert str(refusal) == "“100 %s {x}” is not a time zone; write one like Europe/Berlin"
        assert i18n.translate_error(Refused("half of 100%")) == "half of 100%"
        assert i18n.translate_error(ValueError("as it is")) == "as it is"


def test_the_reason_of_a_refusal_is_told_too() -> None:
    game = GAMES["iron_curtain"]
    reason = IllegalAction("{card} is not on the table", card="cuba")
    refusal = Refused(
        "line %(number)s, “%(order)s”: %(reason)s", number=3, order="x", reason=reason
    )

    assert str(refusal) == "line 3, “x”: cuba is not on the table"
    with i18n.speaking("de"):
        assert i18n.translate_error(refusal, game) == "Zeile 3, „x“: cuba liegt nicht auf dem Tisch"
        assert i18n.translate_error(refusal) == "Zeile 3, „x“: cuba is not on the table"
    with i18n.speaking("fr"):
        assert (
            i18n.translate_error(refusal, game)
            == f"ligne 3, «{NB}x{NB}»{NB}: cuba n'est pas sur la table"
        )


def test_an_error_of_the_engine_needs_no_game() -> None:
    with i18n.speaking("de"):
        assert i18n.translate_error(GameError("the file holds no entry")) == (
            "Die Datei enthält keinen Eintrag"
        )


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ["Deck: own", "Sure? yes", "Play: Cuba: s18"]),
        ("fr", [f"Deck{NB}: own", "Sure? yes", f"Play{NB}: Cuba{NB}: s18"]),
    ],
)
def test_a_label_has_the_colon_of_its_language(language: Language, said: list[str]) -> None:
    with i18n.speaking(language):
        assert [
            i18n.labelled("Deck", "own"),
            i18n.labelled("Sure?", "yes"),
            i18n.step_by_step(["Play", "Cuba", "s18"]),
        ] == said


# --- the source -----------------------------------------------------------------------------------


def raised(root: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every error of ours that the source makes, with where it does."""
    for path in sorted([*root.glob("pbem/**/*.py"), *root.glob("engine/**/*.py")]):
        if TERMINAL in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS:
                yield f"{path.relative_to(root)}:{node.lineno}", node


def is_message(said: ast.expr) -> bool:
    """A text of the catalogue: written out, or one of two that are, or both forms of a plural."""
    if isinstance(said, ast.IfExp):
        return is_message(said.body) and is_message(said.orelse)
    if isinstance(said, ast.Call) and getattr(said.func, "id", "") == "Counted":
        return len(said.args) == 2 and all(is_message(form) for form in said.args)
    return isinstance(said, ast.Constant) and isinstance(said.value, str)


def not_for_the_catalogue(root: Path) -> list[str]:
    return [at for at, call in raised(root) if not (call.args and is_message(call.args[0]))]


@pytest.mark.whole
def test_no_refusal_is_put_together_before_it_is_translated() -> None:
    assert len(list(raised(ROOT))) > 100
    assert not_for_the_catalogue(ROOT) == []


@pytest.mark.parametrize(
    "breach",
    [
        'raise Refused(f"no {name}")',
        'raise Missing("no " + name)',
        "raise Stale(str(error))",
        'raise IllegalAction("no {}".format(name))',
        'raise BadSetup("no %s" % name)',
        'raise BadNotation("no" if name else f"no {name}")',
    ],
)
def test_a_refusal_that_is_put_together_is_found(tmp_path: Path, breach: str) -> None:
    (tmp_path / "pbem").mkdir()
    (tmp_path / "pbem/some.py").write_text(f"def act(name, error):\n    {breach}\n", "utf-8")
    assert not_for_the_catalogue(tmp_path) == ["pbem/some.py:2"]


# --- pages ----------------------------------------------------------------------------------------

REFUSED = Said(
    "Das hat nicht geklappt: „Mars/Base“ ist keine Zeitzone; so sieht eine aus: Europe/Berlin.",
    f"Cela n'a pas marché{NB}: «{NB}Mars/Base{NB}» n'est pas un fuseau horaire{NB};"
    f" en voici un{NB}: Europe/Paris.",
)
MISSING = Said("Eine Partie nowhere gibt es nicht.", "Il n'y a pas de partie nowhere.")
STALE = Said(
    "In dieser Partie ist kein Platz mehr frei.", "Il n'y a plus de place libre dans cette partie."
)
WRONG_ORDER = Said(
    "Zeile 2, „play atlantis s18“: atlantis hast du nicht auf der Hand; du hast ",
    f"ligne 2, «{NB}play atlantis s18{NB}»{NB}: vous n'avez pas atlantis en main{NB}; vous avez ",
)
NO_ORDER = Said(
    "„dance“ ist keine Anweisung; eine Anweisung beginnt mit first, play",
    f"«{NB}dance{NB}» n'est pas un ordre{NB}; un ordre commence par first, play",
)
NOT_IN_ADVANCE = Said(
    "„first usa“ geht nicht als Anweisung im Voraus",
    f"«{NB}first usa{NB}» ne peut pas être une consigne",
)
EMPTY = Said("Die Nachricht ist leer", "le message est vide")
NO_EDITION = Said(
    "Das hat nicht geklappt: Die Kartensatz-Datei passt nicht (",
    f"Cela n'a pas marché{NB}: le fichier de jeu de cartes ne convient pas (",
)
NO_FILE = Said(
    "Diese Datei ist nicht stimmig: Wähle die Datei, die du von der Seite der "
    "Partie heruntergeladen hast.",
    f"Ce fichier n'est pas cohérent{NB}: choisissez le fichier téléchargé depuis la page de la"
    " partie.",
)
NO_RULES = Said(
    "Ein Spiel namens „chess“ gibt es hier nicht. Regeln gibt es für: Eiserner Vorhang (/rules/",
    f"Il n'y a pas ici de jeu nommé «{NB}chess{NB}». Il y a des règles pour{NB}: Iron Curtain (/r",
)


@in_each_language
def test_a_refused_setting_is_explained(table: Table, links: Links, language: Language) -> None:
    reads(ANN, language)
    with store.connected():
        player = find_player(id_of(ANN))
    assert player is not None
    token = links.sign("you", YouLink(player.id, player.epoch, 0))
    page = table.client.post(f"/you/{token}", data={"zone": "Mars/Base"})

    assert page.status_code == 400
    assert REFUSED.in_(language) in unescape(page.text)


@in_each_language
def test_what_is_missing_is_named(client: FlaskClient, language: Language) -> None:
    page = client.get("/open/nowhere", headers={"Accept-Language": language})

    assert page.status_code == 404
    assert MISSING.in_(language) in unescape(page.text)


@in_each_language
def test_whoever_comes_too_late_is_told(table: Table, language: Language) -> None:
    page = table.client.get(f"/open/{table.id}", headers={"Accept-Language": language})

    assert page.status_code == 409
    assert STALE.in_(language) in unescape(page.text)


@in_each_language
def test_a_wrong_order_is_explained_on_the_turn_page(table: Table, language: Language) -> None:
    reads(BOB, language)
    page = table.press("orders", orders="first ussr\nplay atlantis s18")

    assert page.status_code == 400
    assert WRONG_ORDER.in_(language) in unescape(page.text)


@in_each_language
def test_what_is_no_order_is_explained_by_every_way_to_give_it(
    table: Table, language: Language
) -> None:
    reads(BOB, language)
    tried = table.client.get(f"{table.turn_path()}/preview?order=dance")

    assert NO_ORDER.in_(language) in unescape(table.press("add", order="dance").text)
    assert tried.json is not None
    assert NO_ORDER.in_(language) in tried.json["error"]


@in_each_language
def test_a_wrong_standing_order_and_an_empty_message_are_explained(
    table: Table, language: Language
) -> None:
    reads(BOB, language)
    standing = table.client.post(f"{table.seat_path(1)}/standing", data={"order": "first usa"})
    message = table.client.post(table.seat_path(1), data={"text": " "})

    assert NOT_IN_ADVANCE.in_(language) in unescape(standing.text)
    assert EMPTY.in_(language) in unescape(message.text)


@in_each_language
def test_a_setup_that_the_game_refuses_is_explained(
    client: FlaskClient, language: Language
) -> None:
    form = {"game": "iron_curtain", "address": ANN, "seat": "usa", "deck": "name = 'mine'"}
    page = client.post("/start", data=form, headers={"Accept-Language": language})

    assert page.status_code == 400
    assert NO_EDITION.in_(language) in unescape(page.text)


@in_each_language
def test_a_file_that_is_not_there_and_a_game_that_is_not_are_explained(
    client: FlaskClient, language: Language
) -> None:
    headers = {"Accept-Language": language}

    assert NO_FILE.in_(language) in unescape(client.post("/verify", headers=headers).text)
    assert NO_RULES.in_(language) in unescape(client.get("/rules/chess", headers=headers).text)


@pytest.mark.parametrize(
    ("language", "table", "example"),
    [("en", "Table", "Example"), ("de", "Tabelle", "Beispiel"), ("fr", "Tableau", "Exemple")],
)
def test_boxes_of_the_rules_are_named_for_screen_readers(
    client: FlaskClient, language: Language, table: str, example: str
) -> None:
    page = client.get("/rules/iron_curtain", headers={"Accept-Language": language}).text
    drawing = rulebook("    a board\n", language).html

    assert f'role="group" aria-label="{table}"' in page
    assert f'role="group" aria-label="{example}"' in drawing


def test_programs_read_english_whoever_they_work_for(table: Table) -> None:
    answer = table.client.post(f"/api/v1/turn/{table.turn_token()}", json={"orders": ["dance"]})

    assert answer.json is not None
    assert answer.json["error"]["message"].startswith("'dance' is no order; orders begin with")


@pytest.mark.parametrize(
    "error", [Refused("the message is empty"), Missing("there is no such turn"), Stale("who knows")]
)
def test_an_error_for_programs_is_english_in_every_language(table: Table, error: Refused) -> None:
    def fail() -> str:
        raise error

    table.client.application.add_url_rule("/api/fail", view_func=fail)
    answer = table.client.get("/api/fail", headers={"Accept-Language": "de"})

    assert answer.json is not None
    assert answer.json["error"]["message"].lower() == f"{error}."
