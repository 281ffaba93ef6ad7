"""Time: absences, seats lent for dates, alarms, the beat of the workers."""

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

from pbem.db.models.base import Table
from pbem.db.models.matches import Match
from pbem.db.models.players import Player


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
    """turn, pause, digest, loan, address, lapse or untold"""
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
