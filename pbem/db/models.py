"""The tables; no verbs. Times are whole UTC seconds, JSON is text."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from pbem.db.store import database


class Table(Model):
    class Meta:
        database = database
        legacy_table_names = False


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
    leads = TextField(constraints=[SQL("DEFAULT ''")])
    """When to be reminded: seconds before the end of a turn, as JSON; empty: as usual."""
    digest_hour = IntegerField(null=True)
    """At which hour one letter a day tells what waits, instead of single reminders and news."""
    days_off = TextField(constraints=[SQL("DEFAULT '[]'")])
    night = TextField(constraints=[SQL("DEFAULT ''")])
    """Hours between which no turn ends, as JSON: [22, 7]."""
    reminders = BooleanField(constraints=[SQL("DEFAULT TRUE")])
    stands_in = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether this player takes over seats of others."""
    banned_at = BigIntegerField(null=True)
    """Since when the player may take part in nothing new."""
    plain = CharField(254, index=True, constraints=[SQL("DEFAULT ''")])
    """The address without what one person can vary."""
    sought = CharField(300, index=True, constraints=[SQL("DEFAULT ''")])
    """Name and address in small letters, as lists search and sort them; empty: not listed."""
    turn_word = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether nothing is done by a link before the word of its letter was typed."""
    quick_moves = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Moves that came within seconds of their letters, as when a machine presses the buttons."""
    unreachable_since = BigIntegerField(null=True)
    """Since when mail servers refuse what is written to the player."""

    class Meta:
        indexes = ((("created_at", "id", "sought"), False),)


class Match(Table):
    id = CharField(16, primary_key=True)
    game = CharField(40)
    rules_version = IntegerField()
    setup = TextField()
    status = CharField(10)
    """forming, live, over or cancelled"""
    head_seq = IntegerField(default=-1)
    """The newest entry, and the lock: whoever moves it writes."""
    head = CharField(64, constraints=[SQL("DEFAULT ''")])
    """The hash of the newest entry; empty before there is one."""
    timeline = IntegerField(default=0)
    secret = CharField(64)
    commitment = CharField(64)
    pace = IntegerField()
    """Seconds for a turn."""
    listed = BooleanField(default=False)
    creator = ForeignKeyField(Player, null=True, backref="created")
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    ended_at = BigIntegerField(null=True)
    result = TextField(null=True)
    clock = TextField(constraints=[SQL("DEFAULT '{}'")])
    """What was agreed about time; see pbem.deadlines."""
    paused_at = BigIntegerField(null=True)
    paused_total = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds of the pauses that are over."""

    class Meta:
        indexes = ((("created_at", "id"), False), (("status", "created_at", "id"), False))


class MatchSeat(Table):
    class Meta:
        table_name = "seat"
        indexes = ((("match", "number"), True),)

    id = AutoField()
    match = ForeignKeyField(Match, backref="seats", index=False)
    number = IntegerField()
    name = CharField(20)
    player = ForeignKeyField(Player, null=True, backref="seats")
    status = CharField(10)
    """open, invited, joined, declined, or vacant in a match that goes on without its player"""
    phrase = CharField(200, default="")
    epoch = BigIntegerField()
    """Links to this seat that are older than this are dead."""
    draw_offered = BooleanField(default=False)
    bank = IntegerField(null=True)
    """Seconds left for the next turn where time is banked."""
    missed = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Turns in a row that the clock has ended."""
    pause_wanted = BooleanField(constraints=[SQL("DEFAULT FALSE")])


class Turn(Table):
    """One seat being waited for."""

    id = AutoField()
    match = ForeignKeyField(Match, backref="turns", index=False)
    seat = IntegerField()
    opened_seq = IntegerField()
    closed_seq = IntegerField(null=True)
    opened_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)
    deadline_at = BigIntegerField()
    """What it would be if the clock had started when the turn was opened, until it has."""
    budget = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds the seat has for it."""
    started_at = BigIntegerField(null=True)
    """When its letter was handed over, or something was first pressed on its page."""
    absent = IntegerField(constraints=[SQL("DEFAULT 0")])
    """For how many seconds absence has stopped it."""
    since = BigIntegerField(null=True)
    """The instant from which `allowed` counts; nothing while the clock stands still."""
    allowed = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds of running time from then on: the budget, what was granted, what a pause left."""
    missed = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether the clock ended it."""

    class Meta:
        indexes = ((("match", "closed_seq"), False), (("closed_seq", "deadline_at"), False))


Turn.add_index(Turn.closed_at, Turn.opened_at, where=Turn.closed_at.is_null(False))
Turn.add_index(
    Turn.closed_seq, Turn.opened_at, where=Turn.closed_seq.is_null() & Turn.since.is_null()
)


class Entry(Table):
    """The truth: what happened, in order, never changed."""

    match = ForeignKeyField(Match, backref="entries", index=False)
    seq = IntegerField()
    at = BigIntegerField()
    actor = CharField(20)
    kind = CharField(10)
    text = TextField()
    draws = TextField()
    rules_version = IntegerField()
    result = TextField(constraints=[SQL("DEFAULT ''")])
    """Of the entry that ended the match: the seats that won, or draw."""
    hash = CharField(64, constraints=[SQL("DEFAULT ''")])
    """Over what the entry says and the hash before it; see engine.log."""
    events = TextField(null=True)
    """What it told and to whom, as JSON; nothing where an older release has written it."""

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Snapshot(Table):
    """A cache of states; deleting all of them loses nothing."""

    match = ForeignKeyField(Match, index=False)
    seq = IntegerField()
    state = TextField()

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Draft(Table):
    """Orders composed for a turn and not sent."""

    turn = ForeignKeyField(Turn, primary_key=True)
    orders = TextField()
    updated_at = BigIntegerField()


class Sending(Table):
    """Orders that a program sent under a key of its own; sent again, they are not played."""

    turn = ForeignKeyField(Turn, index=False)
    key_digest = CharField(64)
    orders_digest = CharField(64)
    first_seq = IntegerField()
    last_seq = IntegerField()

    class Meta:
        primary_key = CompositeKey("turn", "key_digest")


class Message(Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="messages")
    seat = IntegerField()
    at = BigIntegerField()
    text = TextField()


class Outbox(Table):
    """A letter that is owed: which one, to whom, about what; its bytes once it was built."""

    id = AutoField()
    dedupe = CharField(120, unique=True)
    stream = CharField(60, index=True)
    """Letters of one stream leave in the order of their ids."""
    kind = CharField(20)
    player = ForeignKeyField(Player)
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    turn = IntegerField(null=True)
    about = TextField(default="{}")
    epoch = BigIntegerField()
    state = CharField(12, default="queued")
    """queued, leased, sent, dead or superseded"""
    attempts = IntegerField(default=0)
    refusals = IntegerField(constraints=[SQL("DEFAULT 0")])
    """How often a mail server has refused it for good."""
    next_at = BigIntegerField()
    lease_by = CharField(40, default="")
    lease_until = BigIntegerField(default=0)
    message_id = CharField(120, null=True)
    mime = BlobField(null=True)
    """Sealed; gone when a mail server has taken the letter."""
    last_error = CharField(200, default="")
    created_at = BigIntegerField()
    sent_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "next_at"), False),)


class Absence(Table):
    """A time in which a player's clocks stand still."""

    id = AutoField()
    player = ForeignKeyField(Player)
    start_at = BigIntegerField()
    end_at = BigIntegerField()
    is_floating = BooleanField(default=False)
    """Whether it was not booked, but burnt because a match would have timed out."""
    created_at = BigIntegerField()


class Loan(Table):
    """A seat lent for a time, or given away when it has no end."""

    id = AutoField()
    match = ForeignKeyField(Match)
    seat = IntegerField()
    owner = ForeignKeyField(Player, null=True)
    """Whose seat it was, also when the clock has opened it; nobody once that player is deleted."""
    stand_in = ForeignKeyField(Player, null=True)
    """Nobody yet, while volunteers are being asked."""
    start_at = BigIntegerField()
    end_at = BigIntegerField(null=True)
    state = CharField(10)
    """offered, agreed, running, over or withdrawn"""
    created_at = BigIntegerField()


class Due(Table):
    """The next moment at which something has to be done about a thing; one row for each."""

    kind = CharField(10)
    """turn, pause, digest, loan or address"""
    subject = CharField(40)
    """Its id, as text."""
    at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("kind", "subject")
        indexes = ((("at", "kind", "subject"), False),)


class Heartbeat(Table):
    """One row: when some worker last looked, and whether its clock can be believed."""

    id = IntegerField(primary_key=True)
    ticked_at = BigIntegerField()
    suspect_since = BigIntegerField(null=True)
    why = TextField(default="")
    held_since = BigIntegerField(null=True)
    """Since when time-outs are held, because too many came at once."""
    let_go_until = BigIntegerField(null=True)
    """Until when an operator lets all of them pass."""
    maintenance_since = BigIntegerField(null=True)
    """Since when an operator holds all clocks; nobody ticks meanwhile."""
    maintenance_why = TextField(constraints=[SQL("DEFAULT ''")])


class Moderator(Table):
    """Somebody who looks after matches; nobody becomes one but by the command line."""

    id = AutoField()
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    role = CharField(10)
    """moderator or operator"""
    created_at = BigIntegerField()
    disabled_at = BigIntegerField(null=True)
    password_hash = CharField(200, default="")
    """Empty for who has none, and then there are no codes either."""
    totp_secret = CharField(200, default="")
    """Sealed."""
    totp_step = BigIntegerField(default=0)
    """The time step of the newest code that was accepted; codes up to it are dead."""
    failures = IntegerField(default=0)
    """Wrong passwords and codes in a row."""
    locked_until = BigIntegerField(null=True)
    """Until when passwords and codes are refused; passkeys are not."""
    setup_epoch = BigIntegerField(default=0)
    """When the newest link to set up was made; below zero once it was used."""


class Passkey(Table):
    id = AutoField()
    moderator = ForeignKeyField(Moderator)
    credential_id = TextField(unique=True)
    """As public_key in base64url."""
    public_key = TextField()
    sign_count = BigIntegerField(default=0)
    name = CharField(40, default="")
    created_at = BigIntegerField()
    last_used_at = BigIntegerField(null=True)


class AdminSession(Table):
    """A browser at the moderators' door; inside once it has a moderator."""

    id = CharField(64, primary_key=True)
    """The SHA-256 of what the cookie holds."""
    moderator = ForeignKeyField(Moderator, null=True)
    created_at = BigIntegerField()
    seen_at = BigIntegerField()
    stepped_up_at = BigIntegerField(null=True)
    challenge = CharField(100, null=True)
    """What a passkey is asked to sign, once."""
    challenge_at = BigIntegerField(null=True)
    remote = CharField(45, default="")
    failures = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Wrong codes and passkeys in a row when stepping up."""


class Audit(Table):
    """What moderators and operators did, each entry sealed to the one before, and signed."""

    seq = BigIntegerField(primary_key=True)
    at = BigIntegerField()
    actor = CharField(254)
    act = CharField(40)
    subject = CharField(300)
    reason = TextField()
    words = TextField()
    """What players were told."""
    detail = TextField()
    previous = CharField(64)
    hash = CharField(64)
    signer = CharField(8, constraints=[SQL("DEFAULT ''")])
    """The fingerprint of the key that signed the hash; empty for what was entered before."""
    mac = CharField(64, constraints=[SQL("DEFAULT ''")])

    class Meta:
        indexes = ((("subject", "seq"), False),)


class AuditHead(Table):
    """One row: the newest entry, and the lock of whoever adds one."""

    id = IntegerField(primary_key=True)
    seq = BigIntegerField()
    hash = CharField(64)
    told_seq = BigIntegerField(constraints=[SQL("DEFAULT 0")])
    """The newest entry that moderators have by letter."""
    told_day = IntegerField(constraints=[SQL("DEFAULT 0")])
    """The day of that letter, counted from 1970."""


class Report(Table):
    """What a player tells the moderators, with the words that it is about as they were then."""

    id = AutoField()
    state = CharField(6)
    """open or closed"""
    about = CharField(10)
    """letter, conduct, message, name or other"""
    player = ForeignKeyField(Player)
    """Who reports."""
    subject = ForeignKeyField(Player, null=True)
    """Who is reported."""
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    """The seat that is reported, not that of the player."""
    message = IntegerField(null=True)
    """The id of a message that may be gone."""
    letter = CharField(20)
    """The kind of the letter whose link was used."""
    letter_at = BigIntegerField()
    words = TextField()
    """The message or name that is reported, word for word."""
    created_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "id"), False),)


class ReportLine(Table):
    """One piece of the exchange about a report."""

    id = AutoField()
    report = ForeignKeyField(Report)
    at = BigIntegerField()
    author = CharField(10)
    """player or moderator"""
    who = CharField(254, default="")
    """The address of the moderator."""
    text = TextField()


class AddressRule(Table):
    """An address, or all of a domain, that is kept out or let in whatever else is said."""

    id = AutoField()
    pattern = CharField(254, unique=True)
    """As in ann@example.org or @example.org, in plain form."""
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
    """you, join, or nothing"""
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


class Figure(Table):
    """One point of a plot on the first page of moderators."""

    kind = CharField(10)
    """turns (of a day) or pace (of a week)"""
    start = BigIntegerField()
    """When the day or the week began."""
    value = IntegerField()

    class Meta:
        primary_key = CompositeKey("kind", "start")


class Backup(Table):
    """A copy of the database that was made and found whole."""

    id = AutoField()
    at = BigIntegerField()
    name = CharField(200)
    size = BigIntegerField()
    sha256 = CharField(64)


class SigningKey(Table):
    """When a key that signs links was first seen; never the key itself."""

    fingerprint = CharField(16, primary_key=True)
    seen_at = BigIntegerField()


class Rehearsal(Table):
    """All matches replayed under some version, as far as that has come."""

    id = AutoField()
    asked_at = BigIntegerField()
    asked_by = CharField(254)
    ended_at = BigIntegerField(null=True)
    version = CharField(200)
    """Of the program and of the rules of its games."""
    upto = CharField(16, default="")
    """The last match that was replayed, in the order of their ids."""
    total = IntegerField()
    matches = IntegerField(default=0)
    entries = IntegerField(default=0)
    faults = IntegerField(default=0)
    found = TextField(default="[]")
    """The first faults, as JSON."""


TABLES = (
    Player,
    Match,
    MatchSeat,
    Turn,
    Entry,
    Snapshot,
    Draft,
    Sending,
    Message,
    Outbox,
    Absence,
    Loan,
    Due,
    Heartbeat,
    Moderator,
    Passkey,
    AdminSession,
    Audit,
    AuditHead,
    Report,
    ReportLine,
    AddressRule,
    AddressChange,
    Question,
    WrongWord,
    Device,
    Tally,
    Figure,
    Backup,
    SigningKey,
    Rehearsal,
)
