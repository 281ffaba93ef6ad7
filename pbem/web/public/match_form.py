"""The form that starts a match: what it offers, and what was typed into it.

Who plays comes first, since the seats follow from it: choices that decide the seats are links to
the same page. What else can be agreed is folded away; a preset sets several options at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from babel.dates import get_day_names
from flask import request

from engine.abilities import Inquiries, OwnDecks, Preset, Presets, StandIns
from engine.core import Choice, Json, Seat
from engine.game import Game
from engine.registry import GAMES
from engine.text import printable
from pbem.deadline_text import long, policy_in_words
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.match import matches, uploaded_files
from pbem.services.match.matches import Wanted
from pbem.services.players import accounts, names
from pbem.services.records.match_rows import PUBLIC
from pbem.services.time import clock_settings
from pbem.services.time.clock_settings import PACES, USUAL_PACE, WEEKDAYS
from pbem.web.shared.context import hosting

OCEANS = ("Atlantic", "Indian", "Pacific")
CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Australia", "Europe", *OCEANS)
ZONES = {
    place: sorted(zone for zone in available_timezones() if zone.startswith(f"{place}/"))
    for place in CONTINENTS
}
LENGTHS = {
    "bank": (DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY),
    "increment": (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY),
    "cap": (2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 60 * DAY),
    "answer": (12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY),
    "grace": (0, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY),
    "most_pause": (0, 7 * DAY, 14 * DAY, 30 * DAY, 60 * DAY, 90 * DAY, 365 * DAY),
}
"""What the form offers of each length of time; other lengths can be had by command."""
OF_A_BANK = ("increment", "cap")
LOT = "lot"
"""Said instead of a seat: the sides are drawn when the match begins."""
SHOWN = 40
"""Characters of a wrong value that are quoted."""
_AnyGame = Game[Any, Any, Any]


# --- what it offers -------------------------------------------------------------------------------


def offered(name: str, asked: Mapping[str, str]) -> dict[str, Json]:
    """What the form of a game offers; `asked` is the address of the page, or what was typed."""
    game, language = GAMES[name], spoken()
    seating = _seating(game, asked)
    seats = game.seats(seating)
    of_seats = [choice.name for choice in game.seatings()]
    return {
        "game": name,
        "title": game.title.in_(language),
        "seats": [(seat, game.seat_name(seat).in_(language)) for seat in seats],
        "seating": seating,
        "seatings": [_choice(game, choice) for choice in game.seatings()],
        "presets": [(p.name, game.say(p.label, language)) for p in _presets(game)],
        "choices": [
            _choice(game, choice)
            for choice in game.choices()
            if len(choice.values) > 1 and choice.name not in of_seats
        ],
        "takes_deck": isinstance(game, OwnDecks),
        "has_machine": isinstance(game, StandIns),
        "asks_back": isinstance(game, Inquiries),
        "policies": [(p, policy_in_words(p)) for p in clock_settings.policies_of(game, len(seats))],
    }


def _choice(game: _AnyGame, choice: Choice) -> dict[str, Json]:
    language = spoken()
    return {
        "name": choice.name,
        "label": game.say(choice.label, language),
        "hint": game.say(choice.hint, language) if choice.hint else "",
        "values": [(value, game.say(text, language)) for value, text in choice.values],
    }


def _presets(game: _AnyGame) -> tuple[Preset, ...]:
    return game.presets() if isinstance(game, Presets) else ()


def _seating(game: _AnyGame, asked: Mapping[str, str]) -> dict[str, str]:
    """The choices that decide the seats; what the game does not know counts as not chosen."""
    return {
        choice.name: value
        for choice in game.seatings()
        if (value := asked.get(f"option_{choice.name}", "")) in dict(choice.values)
    }


def time_offered() -> dict[str, Any]:
    """What can be chosen about time, and what is chosen already."""
    usual = Clock()
    return {
        "paces": [(text, long(seconds)) for text, seconds in PACES.items()],
        "usual_pace": USUAL_PACE,
        **{
            name: [(f"{seconds // HOUR}h", long(seconds)) for seconds in lengths]
            for name, lengths in LENGTHS.items()
        },
        "usual_grace": f"{usual.grace // HOUR}h",
        "usual_answer": f"{usual.answer // HOUR}h",
        "usual_most_pause": f"{usual.most_pause // HOUR}h",
        "weekdays": weekdays_by_name(),
        "zones": ["UTC", *(zone for zones in ZONES.values() for zone in zones)],
    }


def weekdays_by_name() -> list[tuple[str, str]]:
    """The word of each day in a form, and its name."""
    names = get_day_names("wide", locale=spoken())
    return [(word, names[number]) for number, word in enumerate(WEEKDAYS)]


# --- what was typed -------------------------------------------------------------------------------


def wanted() -> Wanted:
    """The match that was asked for; Refused says which field does not fit, and what would."""
    form = request.form
    name = form.get("game", "")
    if name not in GAMES:
        raise matches.no_game(name)
    own = address_typed("address")
    options = _options(GAMES[name])
    seats = GAMES[name].seats(_only_seatings(GAMES[name], options))
    clock = _clock(len(seats))
    return Wanted(
        game=name,
        pace=clock.pace,
        addresses=_addresses(seats, own),
        creator=own,
        name=names.checked_for_player(form.get("name", "")),
        language=accounts.checked_language(form.get("language", spoken())),
        phrase=accounts.checked_phrase(form.get("phrase", "")),
        clock=clock,
        by_lot=form.get("seat") == LOT,
        machines=frozenset(seat for seat in seats if f"machine_{seat}" in form),
        reliable_only="reliable_only" in form,
        visibility=form.get("visibility", PUBLIC),
        setup=_with_deck(name, options),  # the heaviest comes last
    )


def _clock(seats: int) -> Clock:
    """The clock as the form gives it; without a bank, what belongs to one says nothing."""
    form = request.form
    names = [name for name in clock_settings.FIELDS if f"clock_{name}" in form]
    if not form.get("clock_bank"):
        names = [name for name in names if name not in OF_A_BANK]
    fields = {name: form[f"clock_{name}"] for name in names}
    fields["pace"] = form.get("pace", USUAL_PACE)
    fields["days_off"] = "+".join(days_ticked())
    return clock_settings.clock_from(fields, seats)


def days_ticked() -> list[str]:
    """The days of the week whose boxes are ticked, in a form that has a box for each."""
    return [day for day in WEEKDAYS if f"off_{day}" in request.form]


def address_typed(field: str) -> str:
    typed = request.form.get(field, "")
    if not typed.strip():
        raise Refused("enter an email address, so that we can write to you")
    return _address(typed)


def _address(typed: str) -> str:
    return accounts.address(typed, test_names=not hosting().config.in_production)


def _options(game: _AnyGame) -> dict[str, str]:
    """The preset, and over it every option that was set to something unusual."""
    setup = dict(_preset(game))
    for choice in game.choices():
        value = request.form.get(f"option_{choice.name}")
        if value is None:
            continue
        if value not in dict(choice.values):
            raise no_value(choice.name, value, [word for word, _ in choice.values])
        if choice.name not in setup or value != choice.values[0][0]:
            setup[choice.name] = value
    return setup


def _preset(game: _AnyGame) -> Mapping[str, str]:
    known = {preset.name: preset.setup for preset in _presets(game)}
    chosen = request.form.get("preset", "")
    if chosen and chosen not in known:
        raise no_value("preset", chosen, list(known))
    return known.get(chosen, {})


def no_value(option: str, value: str, values: list[str]) -> Refused:
    return Refused(
        "%(option)s cannot be “%(value)s”; it can be %(values)s",
        option=option,
        value=printable(value[:SHOWN]),
        values=", ".join(values),
    )


def _only_seatings(game: _AnyGame, options: Mapping[str, str]) -> dict[str, str]:
    deciding = {choice.name for choice in game.seatings()}
    return {name: value for name, value in options.items() if name in deciding}


def _with_deck(name: str, setup: dict[str, str]) -> dict[str, Json]:
    """The options of a match, and a deck file if there is one."""
    game, text = GAMES[name], _deck_typed()
    if not text.strip() or not isinstance(game, OwnDecks):
        return dict(setup)
    place = hosting().config.database_url
    deck = uploaded_files.deck_of(text, name, setup, place)
    names.check_is_no_site(str(deck.get("name", "")))
    return {**setup, game.deck_option: deck}


def _deck_typed() -> str:
    """The deck file that was typed or uploaded; empty when there is none."""
    upload = request.files.get("deck_file")
    try:
        return request.form.get("deck", "") or (upload.read().decode() if upload else "")
    except UnicodeDecodeError:
        raise Refused("the deck file is not UTF-8 text") from None


# --- who sits where -------------------------------------------------------------------------------


def _addresses(seats: tuple[Seat, ...], own: str) -> dict[str, str | None]:
    """Oneself on the chosen seat, the others where their addresses were typed."""
    chosen = request.form.get("seat", seats[0])
    if chosen not in (*seats, LOT):
        raise matches.no_seat(chosen, (*seats, LOT))
    others = _others(seats, chosen)
    if chosen == LOT:
        taken = [seat for seat in seats if others.get(seat) or f"machine_{seat}" in request.form]
        free = [seat for seat in seats if seat not in taken]
        if not free:
            raise Refused("leave one side without an address: one of the players is you")
        chosen = free[0]
    elif others.get(chosen) not in (None, own):
        raise Refused("you play this side yourself; leave its address empty")
    return {**dict.fromkeys(seats), **others, chosen: own}


def _others(seats: tuple[Seat, ...], chosen: str) -> dict[str, str | None]:
    """By seat; or, in the order of the other seats, without their names."""
    typed = request.form.getlist("opponent")
    others = [_address(mail) if mail.strip() else None for mail in typed]
    free = [seat for seat in seats if seat != chosen][: len(seats) - 1]
    if len(others) > len(free):
        raise Refused(
            "give one address for each other seat (other seats: %(seats)s, addresses: "
            "%(addresses)s)",
            seats=len(free),
            addresses=len(others),
        )
    named = {seat: request.form.get(f"seat_{seat}", "") for seat in seats}
    by_name = {str(seat): _address(mail) for seat, mail in named.items() if mail.strip()}
    return {**dict(zip(free, others, strict=False)), **by_name}
