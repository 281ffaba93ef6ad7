"""Rules that change under running matches, with two versions of the smallest game."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from peewee import OperationalError

from engine.audit import OtherRules, audit
from engine.core import Dice, IllegalAction, Seat, Step
from engine.registry import GAMES
from engine.replay import AuditError, write_match
from engine.versions import Conversions
from pbem.db.store import execute, row, rows
from pbem.errors import Missing, Refused, RulesChanged
from pbem.services.letters import outbox
from pbem.services.match import joining, match_log, matches, new_rules, timeouts, turn_alarms, turns
from pbem.services.match.joining import Joining
from pbem.services.moderation import match_acts
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS
from pbem.services.operations import adoption, replay_check
from pbem.services.records.match_rows import MatchRecord, get_match, open_turns
from pbem.services.time import clocks
from pbem.services.time.alarms import Alarm
from pbem.static import verify_match
from tests.engine.messages import reworded
from tests.games.stones.game import Hide, State, Stones
from tests.mail.posting import WORKER, Bag, office_with
from tests.services.people import ANN, BOB, DAY, NOW, id_of, letters, wanted


class Fewer(Stones, Conversions):
    """The second version: nobody hides three stones, and a state is written otherwise."""

    rules_version = 2

    def apply(self, state: State, seat: Seat, action: Hide, dice: Dice) -> Step[State]:
        if action.stones > 2:
            raise IllegalAction("hide one or two stones")
        return super().apply(state, seat, action, dice)

    def dump(self, state: State) -> str:
        return msgspec.json.encode({"stones": state}).decode()

    def load(self, text: str) -> State:
        return msgspec.json.decode(text, type=dict[str, State])["stones"]

    def convert(self, state: str, version: int) -> str:
        assert version == 1
        return f'{{"stones":{state}}}'


class Illegible(Fewer):
    """A version that cannot read what the first one has kept."""

    def convert(self, state: str, version: int) -> str:
        return "{}"


@pytest.fixture(autouse=True)
def hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Stones.name, Stones())


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Come back with another version of the rules."""
    return lambda game: monkeypatch.setitem(GAMES, Stones.name, game)


@pytest.fixture
def match(stored: str) -> str:
    agreed = wanted(game=Stones.name, addresses={"red": ANN, "blue": BOB})
    found = matches.create(agreed, NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(found, 1, id_of(BOB), Joining("Bob", "de", "Europe/Berlin", ""), NOW)
    for turn in open_turns(found):
        clocks.start(turn.id, NOW)
    return found


def hide(match: str, *stones: int) -> None:
    """Red and Blue in turn; a round each two."""
    for number, count in enumerate(stones):
        turns.advance(get_match(match), number % 2, [f"hide {count}"], NOW)


def test_a_match_that_waits_says_so_and_nobody_loses_time(match: str, upgrade: Any) -> None:
    hide(match, 3, 1)
    for turn in open_turns(match):
        clocks.start(turn.id, NOW)
    before = get_match(match)
    upgrade(Fewer())
    waiting, (turn, _) = get_match(match), open_turns(match)
    assert waiting.is_outdated
    for attempt in (
        lambda: match_log.current(waiting),
        lambda: turns.submit(turn.id, ["hide 1"], NOW),
        lambda: turns.rewind(match, 0, "moderator", NOW),
        lambda: timeouts.claim_win(match, 0, NOW),
        lambda: list(match_log.played(waiting, -1)),
    ):
        with pytest.raises(RulesChanged, match="the rules of this game were changed"):
            attempt()
    assert get_match(match) == before
    new_rules.hold_waiting(NOW)
    alarm = row("SELECT kind, subject, at FROM due WHERE subject = ?", str(turn.id))
    assert alarm is not None
    assert turn_alarms.what_rings(Alarm(*alarm), NOW + 30 * DAY) is None


def test_one_that_is_the_same_goes_on_silently_with_the_time_it_lost(
    match: str, upgrade: Any
) -> None:
    hide(match, 2, 1)
    for turn in open_turns(match):
        clocks.start(turn.id, NOW)
    before, owed = open_turns(match), letters(match)
    upgrade(Fewer())
    new_rules.hold_waiting(NOW + DAY)
    assert adoption.adopt_all("pause", NOW + 3 * DAY) == {"same": 1}
    after = get_match(match)
    assert (after.rules_version, after.plays_version, after.held_at) == (1, 2, None)
    assert letters(match) == owed
    for old, new in zip(before, open_turns(match), strict=True):
        assert new.deadline_at == old.deadline_at + 2 * DAY
    hide(match, 2, 1, 1, 2)
    done = get_match(match)
    assert done.status == "over"
    versions = rows("SELECT rules_version FROM entry WHERE match_id = ? ORDER BY seq", match)
    assert [version for (version,) in versions] == [1, 1, 1, 2, 2, 2, 2]
    assert replay_check.replayed(done).fault is None
    assert len(audit(match_log.export(done))) == 7, "its orders are right in both versions"


def test_one_whose_news_were_worded_otherwise_is_the_same(match: str, upgrade: Any) -> None:
    hide(match, 2, 1)
    for seq, state in rows("SELECT seq, state FROM snapshot"):
        execute("UPDATE snapshot SET state = ? WHERE seq = ?", reworded(state), seq)
    upgrade(Fewer())
    assert "In other words: " in repr(rows("SELECT state FROM snapshot"))
    assert adoption.adopt_all("pause", NOW) == {"same": 1}


def test_one_that_differs_goes_on_from_where_it_stands(match: str, upgrade: Any) -> None:
    hide(match, 3, 1, 2)
    points, log = match_log.current(get_match(match)), match_log.entries(match)
    upgrade(Fewer())
    assert replay_check.replayed(get_match(match)).fault == (match, 1, "rules")
    assert adoption.adopt_all("go-on", NOW + DAY) == {"changed": 1}

    after = get_match(match)
    assert match_log.entries(match)[:-1] == log
    entry = match_log.entries(match)[-1]
    assert (entry.kind, entry.actor, entry.text) == ("rules", "moderator", "2")
    assert match_log.current(after) == points
    assert [one[0] for one in letters(match)].count("rules") == 2
    (turn,) = open_turns(match)
    assert (turn.seat, turn.opened_seq, turn.started_at) == (1, entry.seq, None)
    assert adoption.adopt_all("go-on", NOW + DAY) == {}, "once is enough"

    with pytest.raises(IllegalAction, match="hide one or two stones"):
        turns.submit(turn.id, ["hide 3"], NOW + DAY)
    with pytest.raises(Refused, match="the rules were changed at entry 4"):
        turns.rewind(match, 2, "moderator", NOW)
    turns.submit(turn.id, ["hide 1"], NOW + DAY)
    assert replay_check.replayed(get_match(match)).fault is None
    turns.rewind(match, entry.seq, "moderator", NOW + DAY)
    assert match_log.current(get_match(match)) == points


def test_its_file_is_not_called_forged_and_names_its_versions(
    match: str, upgrade: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    hide(match, 3, 1)
    upgrade(Fewer())
    adoption.adopt_all("go-on", NOW)
    hide(match, 1, 2, 2, 1)
    file = match_log.export(get_match(match))
    assert file.versions == (1, 2)
    with pytest.raises(OtherRules, match=r"its orders need version 1, 2 of the rules of Stones"):
        audit(file)
    path = tmp_path / "match.json"
    path.write_bytes(write_match(file))
    assert verify_match.verify(str(path)) == 0
    assert "from here on its orders follow version 2 of the rules" in capsys.readouterr().out

    forged = list(file.entries)
    forged[1] = msgspec.structs.replace(forged[1], text="hide 2")
    with pytest.raises(AuditError, match="entry 1: its hash does not fit") as wrong:
        audit(msgspec.structs.replace(file, entries=tuple(forged)))
    assert not isinstance(wrong.value, OtherRules)


@pytest.mark.parametrize("newer", [Fewer, Illegible])
def test_a_finished_match_stays_as_it_was(match: str, upgrade: Any, newer: type[Stones]) -> None:
    hide(match, 3, 1, 2, 2, 1)
    matches.resign(match, 0, NOW)
    before = get_match(match)
    told = match_log.all_told(before, -1, before.head_seq)
    file, state = match_log.export(before), match_log.current(before)
    upgrade(newer())
    assert adoption.adopt_all("go-on", NOW) == {"over": 1}
    after = get_match(match)
    assert match_log.all_told(after, -1, after.head_seq) == told
    assert match_log.export(after) == file
    assert replay_check.replayed(after).fault is None
    if newer is Fewer:
        assert match_log.current(after) == state
    else:
        assert match_log.kept_or_played(after, after.head_seq) is None
        with pytest.raises(Missing, match="was not kept"):
            match_log.current(after)
    with pytest.raises(OtherRules, match="need version 1 of the rules of Stones; this program has"):
        audit(file)


def test_a_database_that_is_away_does_not_look_like_a_position_that_was_not_kept(
    match: str, upgrade: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> int:
        raise OperationalError("the database is away")

    hide(match, 3, 1, 2, 2, 1)
    matches.resign(match, 0, NOW)
    upgrade(Illegible())
    monkeypatch.setattr(match_log, "_version", away)
    with pytest.raises(OperationalError):
        match_log.current(get_match(match))


def test_one_may_wait_for_a_moderator(match: str, upgrade: Any) -> None:
    hide(match, 3, 1)
    log = match_log.entries(match)
    upgrade(Fewer())
    for _ in range(2):
        assert adoption.adopt_all("pause", NOW) == {"waits": 1}
    assert match_log.entries(match) == log
    assert [kind for kind, *_ in letters(match)].count("rules") == 2
    with pytest.raises(RulesChanged):
        match_log.current(get_match(match))
    match_acts.perform(None, match, ACTS["new_rules"], Params(), "we looked at it", NOW)
    assert match_log.entries(match)[-1].kind == "rules"
    assert not get_match(match).is_outdated
    assert [kind for kind, *_ in letters(match)].count("rules") == 2, "this act tells them itself"


def test_one_that_cannot_be_read_waits_whatever_was_chosen(match: str, upgrade: Any) -> None:
    hide(match, 3, 1)
    upgrade(Illegible())
    assert adoption.adopt_all("go-on", NOW) == {"stuck": 1}
    with pytest.raises(Refused, match="its position cannot be read under the new rules"):
        match_acts.perform(None, match, ACTS["new_rules"], Params(), "we looked at it", NOW)
    assert get_match(match).is_outdated


def test_letters_about_a_turn_are_kept_back_and_the_one_about_the_rules_is_not(
    match: str, upgrade: Any
) -> None:
    execute("UPDATE outbox SET state = 'sent'")
    hide(match, 3, 1)
    upgrade(Fewer())
    adoption.adopt_all("pause", NOW)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW)
    assert [letter["X-PBEM-Kind"] for letter in bag.letters] == ["rules", "rules"]
    assert "waits until a moderator decides" in str(bag.letters[0].get_body(("plain",)))
    kept = rows(
        "SELECT DISTINCT state, attempts FROM outbox WHERE kind = 'turn' AND state <> 'sent'"
    )
    assert kept == [("queued", 0)]


def test_a_server_of_the_older_rules_leaves_an_adopted_match_alone(
    match: str, upgrade: Any
) -> None:
    hide(match, 3, 1)
    upgrade(Fewer())
    adoption.adopt_all("go-on", NOW)
    upgrade(Stones())
    before: MatchRecord = get_match(match)
    with pytest.raises(RulesChanged):
        turns.advance(before, 0, ["hide 3"], NOW)
    assert get_match(match) == before
