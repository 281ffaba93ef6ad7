"""Matches: made, joined, begun, left, ended by agreement, and every refusal in words."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from engine.chance import commitment
from engine.core import BadSetup
from pbem.db.store import rows
from pbem.errors import Missing, Refused, Stale
from pbem.services.match import joining, match_log, matches, messages, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import get_match, open_turns
from pbem.services.records.player_rows import get_player
from pbem.services.time import clock_settings
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of, letters, turn_of, wanted

BOB_SAYS = Joining("Bob", "de", "Europe/Berlin", "from bob")


def test_nothing_but_a_confirmation_goes_to_an_unconfirmed_creator(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    assert letters() == [("confirm", id_of(ANN), None)]
    assert get_match(match).status == "forming"


def test_the_opponent_is_invited_when_the_creator_is_confirmed(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    assert joining.confirmed(id_of(ANN), NOW + 1) == [match]
    assert letters()[1:] == [("invitation", id_of(BOB), 1)]
    assert joining.confirmed(id_of(ANN), NOW + 2) == [match]
    assert len(letters()) == 2


def test_a_match_in_the_name_of_a_confirmed_player_needs_that_players_word(
    sitting: Sitting,
) -> None:
    """Anybody can type Ann's address; without her press nobody else gets a letter."""
    before = len(letters())
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW + 9)
    other = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW + 9)
    assert letters()[before:] == [("confirm", sitting.ann, None)] * 2
    assert not joining.is_vouched_for(get_match(match))
    assert joining.confirmed(sitting.ann, NOW + 10, match) == [match]
    assert letters()[before + 2 :] == [("invitation", id_of(EVE), 1)]
    assert matches.open_matches() == []
    assert joining.confirmed(sitting.ann, NOW + 11, other) == [other]
    assert [record.id for record in matches.open_matches()] == [other]


def test_accepting_deals_and_asks_the_first_to_decide(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW + 60)
    record = get_match(match)
    assert (record.status, record.head_seq, record.started_at) == ("live", 0, NOW + 60)
    (turn,) = open_turns(match)
    assert (turn.seat, turn.deadline_at) == (1, NOW + 60 + 3 * DAY)
    assert letters(match)[-3:] == [
        ("turn", id_of(BOB), 1),
        ("started", id_of(ANN), 0),
        ("started", id_of(BOB), 1),
    ]
    bob = get_player(id_of(BOB))
    assert (bob.name, bob.language, bob.zone) == ("Bob", "de", "Europe/Berlin")
    assert bob.confirmed_at == NOW + 60


def test_a_match_with_all_seated_waits_for_the_creator_to_confirm(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW + 1)
    assert get_match(match).status == "forming"
    joining.confirmed(id_of(ANN), NOW + 2)
    assert get_match(match).status == "live"


def test_the_commitment_stands_before_the_phrases(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    record = get_match(match)
    assert record.commitment == commitment(match, bytes.fromhex(record.secret))
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW)
    assert get_match(match).commitment == record.commitment
    assert [seat.phrase for seat in get_match(match).seats] == ["from ann", "from bob"]


def test_in_an_anonymous_match_the_fingerprints_of_phrases_are_used(stored: str) -> None:
    match = matches.create(wanted(visibility="anonymous"), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(match, 1, id_of(BOB), BOB_SAYS._replace(phrase=""), NOW)
    added = [seat.phrase for seat in get_match(match).seats]
    assert added == [sha256(b"from ann").hexdigest(), ""]


def test_an_operator_invites_everybody(stored: str) -> None:
    match = matches.create(wanted(creator=None), NOW)
    assert letters() == [("invitation", id_of(ANN), 0), ("invitation", id_of(BOB), 1)]
    joining.accept(match, 0, id_of(ANN), Joining("Ann", "en", "UTC", ""), NOW)
    joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW)
    assert get_match(match).status == "live"


def test_an_open_seat_is_listed_and_goes_to_whoever_accepts_first(stored: str) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    assert matches.open_matches() == []
    joining.confirmed(id_of(ANN), NOW)
    assert [record.id for record in matches.open_matches()] == [match]
    joining.ask_to_join(match, BOB, "de", NOW)
    joining.ask_to_join(match, EVE, "en", NOW)
    joining.ask_to_join(match, EVE, "en", NOW)
    assert [letter[0] for letter in letters()] == ["confirm", "invitation", "invitation"]
    joining.accept(match, 1, id_of(EVE), Joining("Eve", "en", "UTC", ""), NOW)
    with pytest.raises(Stale, match="no longer free"):
        joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW)
    assert matches.open_matches() == []
    with pytest.raises(Stale, match="this match has no free seat"):
        joining.ask_to_join(match, BOB, "de", NOW)


def test_nobody_joins_the_own_match(stored: str) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    with pytest.raises(Refused, match="already has a seat in this match"):
        joining.ask_to_join(match, ANN, "en", NOW)


def test_only_the_invited_player_takes_an_invited_seat(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    matches.create(wanted(addresses={"usa": EVE, "ussr": None}, creator=EVE), NOW)
    with pytest.raises(Stale, match="no longer free"):
        joining.accept(match, 1, id_of(EVE), BOB_SAYS, NOW)
    with pytest.raises(Stale, match="no longer free"):
        joining.decline(match, 1, id_of(EVE), NOW)


def test_a_declined_match_is_off_and_its_creator_is_told(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.decline(match, 1, id_of(BOB), NOW + 5)
    assert get_match(match).status == "cancelled"
    assert letters(match)[-1] == ("declined", id_of(ANN), 0)
    with pytest.raises(Stale):
        joining.accept(match, 1, id_of(BOB), BOB_SAYS, NOW + 6)


def test_declining_an_open_seat_changes_nothing(stored: str) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.ask_to_join(match, BOB, "de", NOW)
    joining.decline(match, 1, id_of(BOB), NOW)
    assert get_match(match).status == "forming"


def test_a_match_can_be_called_off(sitting: Sitting) -> None:
    matches.cancel(sitting.match, "moderator", NOW + 5)
    assert get_match(sitting.match).status == "cancelled"
    assert open_turns(sitting.match) == []
    assert [kind for kind, _, _ in letters(sitting.match)[-2:]] == ["cancelled", "cancelled"]
    with pytest.raises(Refused, match="not over"):
        matches.cancel(sitting.match, "moderator", NOW + 6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "chess"}, "there is no game “chess”; choose from iron_curtain"),
        ({"setup": {"edition": "pl"}}, "no edition 'pl'; there are en, de, fr"),
        ({"setup": {"colour": "red"}}, "no option colour; there are edition, connected, deck"),
        ({"addresses": {"china": ANN}}, "there is no seat “china”; choose from usa, ussr"),
        ({"addresses": {"usa": ANN, "ussr": ANN}}, "one address cannot hold two seats"),
        (
            {"phrase": "x" * 201},
            "a phrase for the shuffle is a single line of up to 200 characters",
        ),
        ({"name": "<b>Ann</b>"}, "a name can have up to 24 letters"),
        ({"name": "A" * 25}, "a name can have up to 24 letters"),
        ({"language": "pl"}, "“pl” is not a language of this server; choose from en, de, fr"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(
    stored: str, change: dict[str, Any], words: str
) -> None:
    with pytest.raises((Refused, BadSetup)) as refused:
        matches.create(wanted(**change), NOW)
    assert words in str(refused.value)
    assert rows("SELECT COUNT(*) FROM match") == [(0,)]
    assert rows("SELECT COUNT(*) FROM outbox") == [(0,)]


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (BOB_SAYS._replace(zone="Mars/Base"), "“Mars/Base” is not a time zone"),
        (BOB_SAYS._replace(language="xx"), "“xx” is not a language"),
        (BOB_SAYS._replace(name="B\u202eob"), "a name can have up to 24 letters"),
        (BOB_SAYS._replace(phrase="p" * 300), "up to 200 characters"),
    ],
)
def test_a_wrong_form_leaves_the_seat_free(stored: str, says: Joining, words: str) -> None:
    match = matches.create(wanted(), NOW)
    with pytest.raises(Refused, match=words):
        joining.accept(match, 1, id_of(BOB), says, NOW)
    assert get_match(match).seat(1).status == "invited"
    assert get_player(id_of(BOB)).confirmed_at is None


@pytest.mark.parametrize("text", ["", "d", "3", "0d", "61d", "-1d", "1e3d", "99999d", "3 d"])
def test_a_pace_is_written_in_days_or_hours(text: str) -> None:
    with pytest.raises(Refused, match="is not a pace; write 3d"):
        clock_settings.pace_of(text)


def test_three_days_are_259200_seconds() -> None:
    assert clock_settings.pace_of("3d") == 259_200
    assert clock_settings.pace_of("36h") == 129_600


def test_who_resigns_loses(sitting: Sitting) -> None:
    matches.resign(sitting.match, 1, NOW + 5)
    record = get_match(sitting.match)
    assert (record.status, record.result, record.ended_at) == ("over", "usa", NOW + 5)
    assert open_turns(sitting.match) == []
    assert [kind for kind, _, _ in letters(sitting.match)[-2:]] == ["finished", "finished"]
    with pytest.raises(Stale, match="not in progress"):
        matches.resign(sitting.match, 0, NOW + 6)


def test_a_draw_needs_both(sitting: Sitting) -> None:
    assert not matches.offer_draw(sitting.match, 0, NOW + 5)
    assert not matches.offer_draw(sitting.match, 0, NOW + 6)
    assert get_match(sitting.match).status == "live"
    assert letters(sitting.match)[-1] == ("message", sitting.bob, 1)
    assert matches.offer_draw(sitting.match, 1, NOW + 7)
    assert get_match(sitting.match).result == "draw"
    assert match_log.entries(sitting.match)[-1].kind == "draw"


def test_who_plays_on_has_declined_the_draw(sitting: Sitting) -> None:
    matches.offer_draw(sitting.match, 0, NOW + 5)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + 6)
    assert not get_match(sitting.match).seat(0).draw_offered

    assert not matches.offer_draw(sitting.match, 1, NOW + 7)
    assert get_match(sitting.match).status == "live"


def test_a_message_is_kept_and_mailed_to_the_other_seat(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "  Good luck!\r\nAnn  ", NOW + 5)
    (said,) = messages.of_match(sitting.match, 0)
    assert (said.seat, said.text, said.at) == (0, "Good luck!\nAnn", NOW + 5)
    assert letters(sitting.match)[-1] == ("message", sitting.bob, 1)


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 1_001, "bell\x07", "turn\u202earound"])
def test_a_message_is_short_plain_text(sitting: Sitting, text: str) -> None:
    with pytest.raises(Refused, match="message"):
        messages.say(sitting.match, 0, text, NOW)
    assert messages.of_match(sitting.match, 0) == []


def test_before_the_match_there_is_nobody_to_write_to(stored: str) -> None:
    match = matches.create(wanted(), NOW)
    with pytest.raises(Refused, match="once the match has begun"):
        messages.say(match, 0, "hello", NOW)


def test_revoking_links_gives_the_seat_a_new_epoch_and_a_new_letter(sitting: Sitting) -> None:
    before = get_match(sitting.match).seat(1).epoch
    matches.revoke_links(sitting.match, 1, NOW)
    assert get_match(sitting.match).seat(1).epoch > before
    assert letters(sitting.match)[-1] == ("turn", sitting.bob, 1)
    matches.revoke_links(sitting.match, 0, NOW)
    assert get_match(sitting.match).seat(0).epoch > before
    assert letters(sitting.match)[-1] == ("turn", sitting.bob, 1)


def test_the_matches_of_a_player_are_found(sitting: Sitting) -> None:
    assert [record.id for record in matches.matches_of(sitting.ann)] == [sitting.match]
    assert [record.id for record in matches.all_matches()] == [sitting.match]
    with pytest.raises(Missing, match="there is no match nowhere"):
        get_match("nowhere")


def test_orders_go_on_after_a_message_and_an_offer(sitting: Sitting) -> None:
    messages.say(sitting.match, 0, "your move", NOW)
    matches.offer_draw(sitting.match, 0, NOW)
    (turn,) = open_turns(sitting.match)
    assert turns.submit(turn.id, ["first usa"], NOW).waiting_on == ("usa",)
