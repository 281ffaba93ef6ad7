"""People and what strangers leave: players, addresses, browsers, counts of what was asked for."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from pbem.db.models.base import JsonField, Table


class Player(Table):
    """A person, known by a mail address."""

    id = AutoField()
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    language = CharField(2, default="en")
    zone = CharField(64, default="UTC")
    created_at = BigIntegerField()
    confirmed_at = BigIntegerField(null=True)
    epoch = BigIntegerField()
    """Links to the player's own page that are older than this are dead."""
    news = BooleanField(default=True)
    """Whether letters may come that ask for nothing."""
    leads = JsonField(tuple[int, ...], constraints=[SQL("DEFAULT ''")])
    """When to be reminded: seconds before the end of a turn, None: as usual."""
    digest_hour = IntegerField(null=True)
    """At which hour one letter a day tells what waits, instead of single reminders and news."""
    days_off = JsonField(tuple[int, ...], constraints=[SQL("DEFAULT '[]'")])
    night = JsonField(tuple[int, int], constraints=[SQL("DEFAULT ''")])
    """Hours between which no turn ends: [22, 7]."""
    reminders = BooleanField(constraints=[SQL("DEFAULT TRUE")])
    stands_in = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether this player takes over seats of others."""
    banned_at = BigIntegerField(null=True)
    """Since when the player may take part in nothing new."""
    canonical_address = CharField(
        254, index=True, column_name="plain", constraints=[SQL("DEFAULT ''")]
    )
    """The address without what one person can vary."""
    search_text = CharField(300, index=True, column_name="sought", constraints=[SQL("DEFAULT ''")])
    """Name and address in small letters, as lists search and sort them; empty: not listed."""
    turn_word = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether nothing is done by a link before the word of its letter was typed."""
    quick_moves = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Moves that came within seconds of their letters, as when a machine presses the buttons."""
    one_subject = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether all letters of a match have one subject, instead of one that says what is wanted."""
    receipts = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether a move by page is confirmed by letter, too."""
    unreachable_since = BigIntegerField(null=True)
    """Since when mail servers refuse what is written to the player."""
    returns_since = BigIntegerField(null=True)
    """Since when letters to the player come back; that one is taken then means nothing."""
    public_id = CharField(16, null=True, unique=True)
    """In the address of the player's public page; nothing of who was deleted."""
    hides_page = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether nobody is to see that page."""
    board_form = CharField(10, constraints=[SQL("DEFAULT 'drawn'")])
    """How letters show boards: drawn, typed, plain or told (`pbem.board_shapes`)."""
    board_width = IntegerField(constraints=[SQL("DEFAULT 72")])
    """Columns of a line of text in letters."""
    quiet_turns = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether letters that ask for something wait for the end of the night, too."""

    class Meta:
        indexes = ((("created_at", "id", "search_text"), False),)


class AddressRule(Table):
    """An address, or all of a domain, that is kept out or let in whatever else is said."""

    id = AutoField()
    pattern = CharField(254, unique=True)
    """As in ann@example.org or @example.org, in canonical form."""
    is_allowed = BooleanField()
    reason = TextField()
    created_at = BigIntegerField()


class AddressChange(Table):
    """A player shall have, or has, another address; the row that has the other one is kept apart.

    When it is done the two have changed addresses, so that the old one can be told.
    """

    id = AutoField()
    player = ForeignKeyField(Player)
    other = ForeignKeyField(Player, backref="stands_for")
    reason = TextField()
    asked_at = BigIntegerField()
    ended_at = BigIntegerField(null=True)
    is_done = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    confirmed_at = BigIntegerField(null=True)
    """When the owner of the new address has pressed; then the old one may still object."""
    is_merger = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """All of the player shall go to the other, who is a player too; it was not done yet."""


class Question(Table):
    """What a stranger has asked for, until a worker looks whether the address is known."""

    id = AutoField()
    kind = CharField(10)
    """you, join, keep, or nothing"""
    address = CharField(254)
    match = CharField(16, default="", column_name="match_id")
    language = CharField(2, default="en")
    at = BigIntegerField()


class WrongWord(Table):
    """How many wrong words were typed with a link since some time."""

    link = CharField(64, primary_key=True)
    """The SHA-256 of its token."""
    count = IntegerField()
    since = BigIntegerField()


class Device(Table):
    """A browser in which a player has taken a seat; which one only its cookie knows."""

    id = AutoField()
    player = ForeignKeyField(Player, index=False)
    digest = CharField(64, index=True)
    """The SHA-256 of what the cookie holds."""
    first_at = BigIntegerField()
    last_at = BigIntegerField()

    class Meta:
        indexes = ((("player", "digest"), True),)


class Tally(Table):
    """How often somebody did something in one window of time; see pbem.services.players.limits."""

    key = CharField(64)
    """A hash of what was done and by whom or to whom; nobody can be read from it."""
    begins_at = BigIntegerField()
    ends_at = BigIntegerField(index=True)
    count = IntegerField()

    class Meta:
        primary_key = CompositeKey("key", "begins_at")


class Block(Table):
    """Whom a player wants nothing new to do with; the other one is not told."""

    id = AutoField()
    player = ForeignKeyField(Player)
    blocked = ForeignKeyField(Player, backref="blocked_by")
    at = BigIntegerField()


class SeatAlert(Table):
    """A game whose free seats a player wants to hear of."""

    id = AutoField()
    player = ForeignKeyField(Player)
    game = CharField(40, index=True)
