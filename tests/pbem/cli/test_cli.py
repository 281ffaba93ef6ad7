"""The `pbem` command: one clear line when refused, exit codes, what operators do."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from email import message_from_bytes
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from engine.chance import QuickDice
from engine.core import GameError
from engine.log import MODERATOR, Entry
from engine.replay import linked, write_match
from pbem import cli
from pbem.cli import database
from pbem.db import store
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import ConfigError, PbemError, TransportError
from pbem.services.match import match_log, matches, turns
from pbem.services.operations import replay_check
from pbem.services.operations.restoring import sealed_files
from pbem.services.records import audit_log
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import player_at
from tests.kit.stores import on_sqlite
from tests.services.people import ANN, BOB, an_order, letters, play_to_the_end, sit_down

REASON = "both players asked for it"
WHY = ["--reason", REASON]
KEY = "a-key-for-the-tests-that-is-long-enough"
NOW = 1_800_000_000
CREATE = ["match", "create", "--game", "iron_curtain"]
SEATS = ["--seat", f"usa={ANN}", "--seat", f"ussr={BOB}"]


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli.pbem, list(words))
    if not store.database.is_closed():
        store.database.close()
    return result


def done(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output or result.exception
    return result.output


def refused(*words: str) -> str:
    error = run(*words).exception
    assert isinstance(error, PbemError | GameError), error
    assert "\n" not in str(error)
    return str(error)


def a_finished_match(given_up: bool = False) -> str:
    done("migrate")
    with store.connected():
        match = sit_down(NOW).match
        if given_up:
            matches.resign(match, 0, NOW)
        else:
            play_to_the_end(match, NOW)
    return match


# --- matches -------------------------------------------------------------------------------------


def test_creating_a_match_prints_its_id_last_and_invites() -> None:
    output = done(*CREATE, *SEATS, "--option", "edition=de", "--pace", "36h")
    match = output.split()[-1]

    with store.connected():
        record = get_match(match)
        assert record.setup == {"edition": "de"}
        assert record.pace == 36 * 3_600
        assert [kind for kind, _, _ in letters()] == ["invitation", "invitation"]
        assert record.creator is None


def test_a_clock_can_be_said_in_one_word() -> None:
    clock = (
        "bank=3d,increment=12h,cap=5d,hour=20,zone=Europe/Berlin,days_off=sat+sun,"
        "grace=36h,policy=forfeit,most_pause=14d"
    )
    match = done(*CREATE, *SEATS, "--clock", clock).split()[-1]
    shown = done("match", "show", match)

    with store.connected():
        record = get_match(match)
    assert record.pace == 12 * HOUR
    assert record.clock == Clock(
        per_move=0,
        bank=3 * DAY,
        increment=12 * HOUR,
        cap=5 * DAY,
        hour=20,
        zone="Europe/Berlin",
        days_off=(5, 6),
        grace=36 * HOUR,
        policy="forfeit",
        most_pause=14 * DAY,
    )
    assert "time: Each side starts with a time bank of 3 days; each turn adds 12 hours" in shown
    assert "Turns end at 20:00 (Europe/Berlin); No clock runs on Saturday and Sunday" in shown


def test_pace_and_clock_go_together() -> None:
    match = done(*CREATE, *SEATS, "--pace", "36h", "--clock", "grace=0").split()[-1]

    with store.connected():
        assert get_match(match).clock == Clock(per_move=36 * HOUR, grace=0)


def test_a_seat_without_an_address_is_open() -> None:
    match = done(*CREATE, "--seat", f"ussr={BOB}").split()[-1]

    with store.connected():
        assert [seat.status for seat in get_match(match).seats] == ["open", "invited"]
        assert [m.id for m in matches.open_matches()] == [match]


@pytest.mark.parametrize("visibility", ["public", "anonymous", "private"])
def test_who_may_watch_can_be_said(visibility: str) -> None:
    match = done(*CREATE, *SEATS, "--visibility", visibility).split()[-1]

    with store.connected():
        assert get_match(match).visibility == visibility


def test_who_may_watch_is_one_of_three() -> None:
    refused = run(*CREATE, *SEATS, "--visibility", "secret")

    assert refused.exit_code == 2
    for known in ("public", "anonymous", "private"):
        assert f"'{known}'" in refused.output


def test_a_deck_file_can_be_named(here: Path) -> None:
    from tests.pbem.web.public.test_lobby import DECK

    (here / "deck.toml").write_text(DECK, "utf-8")
    match = done(*CREATE, *SEATS, "--option", "deck=@deck.toml").split()[-1]

    with store.connected():
        assert len(get_match(match).setup["deck"]["cards"]) == 18


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["match", "create", "--game", "chess"], "there is no game “chess”"),
        ([*CREATE, "--seat", f"france={ANN}"], "there is no seat “france”"),
        ([*CREATE, "--seat", "usa=ann"], "not a usable email address"),
        ([*CREATE, "--seat", "usa"], "not a usable email address"),
        ([*CREATE, "--seat", f"usa={ANN}", "--seat", f"ussr={ANN}"], "cannot hold two seats"),
        ([*CREATE, "--option", "edition=xx"], "no edition 'xx'"),
        ([*CREATE, "--option", "speed=1"], "no option speed"),
        ([*CREATE, "--option", "edition"], "is no option"),
        ([*CREATE, "--option", "deck=@nowhere.toml"], "cannot read nowhere.toml"),
        ([*CREATE, "--option", "deck=@deep.toml"], "deep.toml is not TOML"),
        ([*CREATE, "--option", "deck=@huge.toml"], "huge.toml is not TOML"),
        ([*CREATE, "--pace", "soon"], "not a pace"),
        (
            [*CREATE, "--clock", "speed=3d"],
            "there is no time setting “speed”; there are pace, bank",
        ),
        ([*CREATE, "--clock", "grace"], "“grace” needs a value"),
        ([*CREATE, "--clock", "increment=12h"], "only a time bank has an increment"),
        ([*CREATE, "--clock", "policy=ally"], "choose from claim, forfeit, default"),
        (["match", "show", "nothing"], "there is no match nothing"),
        (["match", "export", "nothing"], "there is no match nothing"),
        (["match", "rewind", "nothing", "3", *WHY], "there is no match nothing"),
        (["mail", "test", "nobody"], "not a usable email address"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(here: Path, words: list[str], reason: str) -> None:
    (here / "deep.toml").write_text("a = " + "[" * 50_000)
    (here / "huge.toml").write_text("a = " + "9" * 5_000)
    assert reason in refused(*words)
    done("migrate")
    with store.connected():
        assert matches.all_matches() == []


def test_missing_words_are_a_usage_error() -> None:
    for words in (["match", "create"], ["match", "rewind", "x", "-1"], ["serve", "--port", "0"]):
        assert run(*words).exit_code == 2


def test_matches_are_listed_and_shown_without_secrets() -> None:
    match = a_finished_match()
    listed, shown = done("match", "list"), done("match", "show", match)
    with store.connected():
        record = get_match(match)

    assert re.search(rf"^{match}  iron_curtain  over  \d+  usa:joined ussr:joined$", listed, re.M)
    assert done("match", "list", "--status", "live") == ""
    assert record.commitment in shown
    assert "seat usa: joined Ann" in shown
    for hidden in (record.secret, ANN, "from ann"):
        assert hidden not in listed + shown


def a_running_match() -> str:
    """Four entries old."""
    done("migrate")
    choice = QuickDice(b"running")
    with store.connected():
        match = sit_down(NOW).match
        for _ in range(4):
            turn, order = an_order(match, choice)
            turns.submit(turn.id, [order], NOW)
    return match


def told() -> list[tuple[int, dict[str, str]]]:
    """The seat and the content of each letter that tells of a moderator's act."""
    with store.connected():
        found = store.rows("SELECT seat, about FROM outbox WHERE kind = 'moderated' ORDER BY seat")
    return [(seat, json.loads(about)) for seat, about in found]


def entered() -> list[tuple[str, str, str, str]]:
    with store.connected():
        return [(e.actor, e.act, e.subject, e.reason) for e in audit_log.newest(9)[::-1]]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["pause"], "The match is paused"), (["rewind", "2"], "goes back to the position after")],
)
def test_what_is_done_to_a_match_is_entered_and_told_to_all(words: list[str], said: str) -> None:
    match = a_running_match()
    done("match", words[0], match, *words[1:], *WHY)

    assert entered() == [("command line", words[0], f"match {match}", REASON)]
    assert [seat for seat, _ in told()] == [0, 1]
    for _, about in told():
        assert about["reason"] == REASON
        assert said in str(about["words"])
    if words[0] == "pause":
        done("match", "resume", match, *WHY)
        assert entered()[1:] == [("command line", "resume", f"match {match}", REASON)]
        assert len(told()) == 4


def test_without_a_reason_nothing_is_done_to_a_match() -> None:
    match = a_running_match()
    for words in (["pause", match], ["rewind", match, "2"]):
        assert "give a reason, for example: --reason" in refused("match", *words)
        assert "give a reason of 3 to 500" in refused("match", *words, "--reason", "x")
    done("match", "pause", match, *WHY)
    assert "give a reason, for example: --reason" in refused("match", "resume", match)
    assert len(entered()) == 1
    assert "timeline: 0" in done("match", "show", match)


def test_a_running_match_can_be_taken_back() -> None:
    match = a_running_match()
    assert "back at entry 2" in done("match", "rewind", match, "2", *WHY)
    assert "timeline: 1" in done("match", "show", match)
    assert "no entry 9999" in refused("match", "rewind", match, "9999", *WHY)


def test_a_finished_match_cannot_be_taken_back() -> None:
    match = a_finished_match()
    for words in (["rewind", match, "4"], ["pause", match], ["resume", match]):
        refused("match", *words, *WHY)
    assert "its secret is published" in refused("match", "rewind", match, "4", *WHY)
    assert "  over  " in done("match", "list")
    assert entered() == []
    assert told() == []


LOOKS_ON = {
    *("serve", "worker", "demo", "migrate", "verify", "backup", "match list", "match show"),
    *("match export", "clock show", "maintenance show", "moderator list", "audit show"),
    *("audit verify", "keys show", "mail test", "mail in", "replay-check", "doctor"),
    "copy-database",
}
"""Commands that change no match, no player and no rule of the house."""


@on_sqlite  # a restore wants the database to itself, and that of these tests is kept open
def test_every_command_that_changes_something_leaves_one_entry(here: Path) -> None:
    match = a_running_match()
    changing = {
        "match create": [*CREATE, *SEATS],
        "match pause": ["match", "pause", match, *WHY],
        "match resume": ["match", "resume", match, *WHY],
        "match rewind": ["match", "rewind", match, "2", *WHY],
        "maintenance on": ["maintenance", "on", *WHY],
        "maintenance off": ["maintenance", "off"],
        "clock confirm": ["clock", "confirm"],
        "moderator add": ["moderator", "add", ANN],
        "moderator reset": ["moderator", "reset", ANN],
        "moderator disable": ["moderator", "disable", ANN],
        "keys rotate": ["keys", "rotate"],
        "restore": ["restore", "--adopt"],
    }
    known = {
        " ".join(filter(None, (group, name)))
        for group, commands in [
            ("", cli.pbem.commands),
            *(
                (name, g.commands)
                for name, g in cli.pbem.commands.items()
                if hasattr(g, "commands")
            ),
        ]
        for name, command in commands.items()
        if not hasattr(command, "commands")
    }
    assert changing.keys() | LOOKS_ON == known
    for number, words in enumerate(changing.values(), 1):
        done(*words)
        with store.connected():
            assert audit_log.head().seq == number, words
            assert audit_log.newest(1)[0].actor == "command line"


# --- checking ------------------------------------------------------------------------------------


def test_an_exported_match_verifies(here: Path) -> None:
    match = a_finished_match()
    done("match", "export", match, "match.json")
    output = done("verify", "match.json")

    assert "every shuffle, throw and step is right" in output
    assert json.loads(done("match", "export", match))["match"] == match


def test_a_changed_file_does_not_verify(here: Path) -> None:
    done("match", "export", a_finished_match(), "match.json")
    text = (here / "match.json").read_text()
    (here / "wrong.json").write_text(text.replace('"from ann"', '"from eve"'))
    wrong = run("verify", "wrong.json")

    assert wrong.exit_code == 1
    assert "entry 0: its draws are not what the secret gives" in wrong.output
    assert run("verify", "nowhere.json").exit_code == 1
    for heavy in ("[" * 50_000, "9" * 5_000):
        (here / "heavy.json").write_text('{"setup": {"x": ' + heavy)
        assert "this is no match file" in run("verify", "heavy.json").output
    (here / "text.json").write_text("hello")
    assert run("verify", "text.json").exit_code == 1


def test_the_heads_of_letters_are_compared_with_a_file(here: Path) -> None:
    match = a_finished_match()
    done("match", "export", match, "match.json")
    with store.connected():
        record = get_match(match)
        head = match_log.public_head(record)

    assert f"entry {record.head_seq} has {head}" in done("verify", "match.json"), "it asks for one"
    assert "the heads of your letters are in it" in done("verify", "match.json", "--head", head)
    wrong = run("verify", "match.json", "--head", head, "--head", "0" * 16)
    assert wrong.exit_code == 1
    assert f"what comes after entry {record.head_seq} is not what was played" in wrong.output


def test_a_running_match_cannot_be_exported() -> None:
    done("migrate")
    with store.connected():
        match = sit_down(NOW).match

    assert "once it is over" in refused("match", "export", match)


def test_replay_check_names_what_no_longer_fits() -> None:
    match = a_finished_match()
    with store.connected():
        entries = get_match(match).head_seq + 1
    fits = f"matches replayed: 1; entries: {entries}; matches that do not fit these rules: 0\n"
    assert done("replay-check") == fits

    with store.connected():
        store.execute("UPDATE entry SET text = 'nonsense' WHERE seq = 2")
    result = run("replay-check")
    assert result.exit_code == 1
    assert f"match {match}: entry 2 is not allowed by these rules\n" in result.output
    assert "nonsense" not in result.output, "an order may be hidden"
    with store.connected():
        kept = replay_check.newest(5)
    assert [one.faults for one in kept] == [1, 0]


def test_replay_check_adopts_new_rules_as_the_operator_chose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = a_running_match()
    with store.connected():
        monkeypatch.setattr(type(get_match(match).game), "rules_version", 2)
    told = done("replay-check", "--adopt", "pause")
    assert told.startswith("1 matches go on as they were, 0 under the new rules")
    with store.connected():
        assert get_match(match).plays_version == 2
    assert run("replay-check", "--adopt", "at-once").exit_code == 2


def test_long_work_gives_signs_of_life_in_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    done("migrate")
    with store.connected():
        for _ in range(3):
            sit_down(NOW)
    monkeypatch.setattr(database, "SAID_EVERY", 0.0)
    monkeypatch.setattr(replay_check, "AT_ONCE", 1)
    result = run("replay-check")

    assert "matches replayed: 1 of 3\nmatches replayed: 2 of 3\n" in result.stderr
    assert result.stdout.startswith("matches replayed: 3; entries: 3;")


# --- backups -------------------------------------------------------------------------------------


def test_a_backup_is_whole_and_its_hash_is_printed(here: Path, store_url: str) -> None:
    match = a_finished_match()
    result = run("backup", "copy.db")
    file = here / "copy.db"

    assert result.exit_code == 0, result.output
    assert result.stdout == f"{hashlib.sha256(file.read_bytes()).hexdigest()}  copy.db\n"
    assert "read back and verified" in result.stderr
    with store.connected():
        sealed_files.open_into(file, here / "opened")
    if store_url.startswith("sqlite"):
        with closing(sqlite3.connect(here / "opened")) as copy:
            assert copy.execute("SELECT id FROM match").fetchall() == [(match,)]
    else:
        unpacked = subprocess.run(
            ["pg_restore", "--file=-", here / "opened"], capture_output=True, text=True
        )
        assert f"\n{match}\tiron_curtain\t" in unpacked.stdout
    assert "a backup does not overwrite anything" in refused("backup", "copy.db")


def test_a_folder_gets_copies_by_time_and_keeps_some(
    here: Path, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "copies").mkdir()
    for hour in range(3):
        monkeypatch.setattr(database, "now", lambda hour=hour: NOW + hour * HOUR)
        done("backup", "copies", "--keep", "2")

    names = sorted(path.name for path in (here / "copies").iterdir())
    kind = "db.sealed" if store_url.startswith("sqlite") else "dump.sealed"
    assert names == [f"pbem-20270115T090000Z.{kind}", f"pbem-20270115T100000Z.{kind}"]
    assert "--keep needs a folder" in refused("backup", "copy.db", "--keep", "2")


# --- maintenance ---------------------------------------------------------------------------------


def test_maintenance_is_switched_from_here_too() -> None:
    assert done("maintenance", "show") == "all clocks are running\n"
    done("maintenance", "on", "--reason", "a new disk")
    assert "all clocks have been stopped since 20" in done("maintenance", "show")
    assert "for maintenance" in done("clock", "show")
    assert "already stopped" in refused("maintenance", "on", "--reason", "again")
    assert "all clocks are running again" in done("maintenance", "off")
    assert "no clocks are stopped" in refused("maintenance", "off")
    assert run("maintenance", "on").exit_code == 2

    shown = done("audit", "show")
    assert "command line: maintenance_on, the server  a new disk" in shown
    assert "command line: maintenance_off, the server" in shown


def test_confirming_the_clock_is_entered() -> None:
    done("clock", "confirm")
    assert "command line: confirm_clock, the server" in done("audit", "show")


# --- database, keys, mail ------------------------------------------------------------------------


@pytest.mark.usefixtures("without_tables")
def test_migrating_twice_is_harmless() -> None:
    assert "applied 0001_first" in done("migrate")
    assert done("migrate") == "the database is up to date\n"


@pytest.mark.usefixtures("without_tables")
def test_production_wants_its_tables_first(monkeypatch: pytest.MonkeyPatch) -> None:
    production(monkeypatch)

    assert "run: pbem migrate" in refused("match", "list")
    done("migrate")
    assert done("match", "list") == ""
    assert "the demo is for development" in refused("demo")


def production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_ENV", "production")
    monkeypatch.setenv("PBEM_BASE_URL", "https://play.test")
    monkeypatch.setenv("PBEM_SECRET_KEYS", KEY)
    monkeypatch.setenv("PBEM_SMTP_URL", "smtp://127.0.0.1:9")
    monkeypatch.setenv("PBEM_MAIL_FROM", "letters@play.test")


@pytest.mark.usefixtures("without_tables")
def test_production_serves_with_gunicorn(monkeypatch: pytest.MonkeyPatch) -> None:
    production(monkeypatch)
    commands: list[list[str]] = []

    def execv(_: str, command: list[str]) -> None:
        commands.append(command)
        raise SystemExit(0)

    monkeypatch.setattr(os, "execv", execv)
    assert "run: pbem migrate" in refused("serve", "--port", "8123")
    done("migrate")
    done("serve", "--port", "8123")

    assert commands[0][1:5] == ["-m", "gunicorn", "--bind", "127.0.0.1:8123"]


def test_a_new_key_is_printed_or_put_behind_the_others(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_ENV", "production")  # works before there is a whole configuration
    printed = run("keys", "rotate")
    key = printed.stdout.strip()
    assert re.fullmatch("[0-9a-f]{64}", key)
    assert "after the others in PBEM_SECRET_KEYS" in printed.stderr

    file = here / "keys"
    file.write_text(f"{KEY}, {key}\n")
    for _ in range(4):
        done("keys", "rotate", "keys")

    kept = file.read_text().split()
    assert len(kept) == len(set(kept)) == 6
    assert kept[:2] == [KEY, key], "nobody knows how long ago they have signed"
    assert file.stat().st_mode & 0o077 == 0
    assert "cannot be used for keys" in refused("keys", "rotate", "/nowhere/keys")


def test_the_file_of_the_settings_is_rotated_and_entered(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "keys").write_text(KEY)
    monkeypatch.setenv("PBEM_SECRET_KEYS_FILE", "keys")
    output = done("keys", "rotate")
    old, new = (here / "keys").read_text().split()

    assert old == KEY
    assert new not in output
    assert "command line: rotate_keys, keys" in done("audit", "show")
    shown = done("keys", "show").splitlines()
    assert re.fullmatch(r"[0-9a-f]{8}  signs  20\d\d-.+ UTC", shown[0])
    assert re.fullmatch(r"[0-9a-f]{8}  verifies  20\d\d-.+ UTC", shown[1])


def test_the_key_of_development_is_rotated_too(here: Path) -> None:
    done("keys", "rotate")

    assert len((here / "var" / "secret-keys").read_text().split()) == 2
    assert (here / "var" / "secret-keys").stat().st_mode & 0o777 == 0o600
    assert len(done("keys", "show").splitlines()) == 2


def test_a_test_letter_goes_to_the_mailbox(here: Path) -> None:
    done("mail", "test", ANN)
    (file,) = (here / "var" / "mailbox").glob("*.eml")
    letter = message_from_bytes(file.read_bytes())

    assert letter["To"] == ANN
    assert letter["X-PBEM-Kind"] == "test"


def test_a_mail_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    production(monkeypatch)
    error = run("mail", "test", ANN).exception

    assert isinstance(error, TransportError)


# --- the edge ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ConfigError("it is wrong"), GameError("it is wrong")])
def test_a_refusal_is_one_line_and_status_2(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "pbem", fail)
    with pytest.raises(SystemExit) as end:
        cli.main()

    assert end.value.code == 2
    assert capsys.readouterr().err == "pbem: it is wrong\n"


def test_the_database_of_an_operator_is_created_where_the_settings_say(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_DATABASE_URL", f"sqlite:///{here}/elsewhere/games.db")
    done(*CREATE, *SEATS)

    assert (here / "elsewhere" / "games.db").is_file()
    with store.connected():
        assert player_at(ANN) is not None


def test_a_file_cannot_write_lines_of_its_own_on_the_screen(here: Path) -> None:
    """A moderator's note is any text, and what is refused is quoted."""
    match = a_finished_match()
    forged = "x\n999 entries, all is right\x1b[2J"
    with store.connected():
        file = match_log.export(get_match(match))
        note = Entry(1, "note", MODERATOR, forged)
        later = [replace(entry, seq=entry.seq + 1) for entry in file.entries[1:]]
        again = replace(file, entries=(file.entries[0], note, *later))
        again = linked(again, match_log.key_of(get_match(match)))
        (here / "noted.json").write_bytes(write_match(again))
        order = replace(file.entries[1], text=forged)
        again = replace(file, entries=(file.entries[0], order, *file.entries[2:]))
        (here / "wrong.json").write_bytes(write_match(again))

    for name in ("noted.json", "wrong.json"):
        told = run("verify", name).output
        assert "x?999 entries, all is right?[2J" in told
        assert "\x1b" not in told


def test_a_match_that_was_given_up_is_not_called_open(here: Path) -> None:
    match = a_finished_match(given_up=True)
    done("match", "export", match, "match.json")

    told = done("verify", "match.json")
    assert "the match is over by resignation, won by" in told
    assert "not over" not in told
