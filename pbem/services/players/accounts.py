"""Players: known by an address, confirmed by a letter, without any password."""

from __future__ import annotations

import secrets
import unicodedata
from functools import cache
from zoneinfo import available_timezones

from email_validator import EmailNotValidError, validate_email

from engine.core import LANGUAGES
from engine.text import printable
from pbem.db.models import Player, SeatAlert
from pbem.db.store import writing
from pbem.errors import Refused
from pbem.services.players import bans, limits, names
from pbem.services.records import letter_queue
from pbem.services.records.addresses import TOO_LONG, canonical_address
from pbem.services.records.player_rows import PlayerRecord, get_player, player_at

LONGEST_PHRASE = 200
ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
ID_LENGTH = 10


def address(text: str, test_names: bool = False) -> str:
    """A mail address in the one spelling we keep, or Refused with what is wrong with it."""
    try:
        found = validate_email(
            text.strip()[:TOO_LONG],
            check_deliverability=False,
            allow_smtputf8=False,
            test_environment=test_names,
        )
    except EmailNotValidError:
        raise Refused(
            "“%(address)s” is not a usable email address; write one like ann@example.org",
            address=printable(text.strip()[:80]),
        ) from None
    return found.normalized.lower()


def checked_language(text: str) -> str:
    if text not in LANGUAGES:
        raise Refused(
            "“%(language)s” is not a language of this server; choose from %(languages)s",
            language=printable(text[:20]),
            languages=", ".join(LANGUAGES),
        )
    return text


@cache
def _zones() -> frozenset[str]:
    """Found on the disk, which takes longer than all the rest of joining."""
    return frozenset(available_timezones())


def checked_zone(text: str) -> str:
    if text not in _zones():
        raise Refused(
            "“%(zone)s” is not a time zone; write one like Europe/Berlin", zone=printable(text[:60])
        )
    return text


def checked_phrase(text: str) -> str:
    phrase = " ".join(unicodedata.normalize("NFC", text).split())
    if len(phrase) > LONGEST_PHRASE or not phrase.isprintable():
        raise Refused(
            "a phrase for the shuffle is a single line of up to %(most)s characters",
            most=LONGEST_PHRASE,
        )
    return phrase


def known_or_new(mail: str, now: int, language: str = "en") -> PlayerRecord:
    """The player of an address; a new row for a new one. Runs in the caller's transaction.

    Who is known makes the same work: strangers can type any address, and look at their watches.
    """
    new = Player.insert(
        address=mail,
        language=language,
        created_at=now,
        epoch=now,
        canonical_address=canonical_address(mail),
        search_text=search_text("", mail),
        public_id=new_id(),
    )
    new.on_conflict(conflict_target=[Player.address], action="nothing").execute()
    found = player_at(mail)
    assert found is not None, "it was there, or has just been made"
    return found


def new_id() -> str:
    """An id for addresses of pages, which nobody can guess."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def search_text(name: str, mail: str) -> str:
    """What lists of players search in, and sort by."""
    return f"{name.casefold()} {mail}".lstrip()


def confirm(player: int, now: int) -> None:
    Player.update(confirmed_at=now).where(
        Player.id == player, Player.confirmed_at.is_null()
    ).execute()


def change(
    player: int, *, name: str | None = None, language: str | None = None, zone: str | None = None
) -> None:
    """New settings of a player; what is None stays."""
    old = get_player(player)
    called = old.name
    if name not in (None, old.name):
        called = names.checked_for_player(name)
        names.check_apart_everywhere(player, called)
    Player.update(
        name=called,
        language=old.language if language is None else checked_language(language),
        zone=old.zone if zone is None else checked_zone(zone),
        search_text=search_text(called, old.address),
    ).where(Player.id == player).execute()


def set_news(player: int, wanted: bool) -> None:
    """Whether letters may come that ask for nothing; turn letters always do."""
    with writing():
        Player.update(news=wanted).where(Player.id == player).execute()


def mute(player: int) -> None:
    """No letter any more that only tells or reminds; turn letters always come."""
    with writing():
        Player.update(news=False, reminders=False, digest_hour=None).where(
            Player.id == player
        ).execute()
        SeatAlert.delete().where(SeatAlert.player == player).execute()


def ask_for_own_page(mail: str, now: int) -> None:
    """Owe the letter with the own page, if the address is known; nobody is told whether."""
    with writing():
        player = player_at(mail)
        if player is None or player.confirmed_at is None or bans.is_listed(mail):
            return
        if limits.may_write("own_page", mail, now):
            owe_own_page(player, now)


def owe_own_page(player: PlayerRecord, now: int) -> None:
    letter_queue.queue(
        [letter_queue.to_player(player.id, player.epoch, "you", _fresh_key(now))], now
    )


def _fresh_key(now: int) -> str:
    """Tells one letter from the others of the same second."""
    return f"{now}:{secrets.token_hex(4)}"
