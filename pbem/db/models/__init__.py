"""The tables; no verbs. Times are whole UTC seconds.

- `base`: what all tables share, and columns that hold JSON
- `players`: `Player`, `AddressRule`, `AddressChange`, `Question`, `WrongWord`, `Device`, `Tally`,
  `Block`, `SeatAlert`
- `matches`: `Match`, `MatchSeat`, `Turn`, `Entry`, `Snapshot`, `Draft`, `Sending`, `Message`,
  `Takeback`, `Note`
- `letters`: `Outbox`
- `incoming`: `Incoming`
- `time`: `Absence`, `Loan`, `Due`, `Heartbeat`
- `staff`: `Moderator`, `Passkey`, `AdminSession`, `Audit`, `AuditHead`, `Report`, `ReportLine`
- `operations`: `Figure`, `Backup`, `Restoration`, `SigningKey`, `Rehearsal`

Imports nothing of this service but `pbem.db.store`.
"""

from __future__ import annotations

from pbem.db.models.incoming import Incoming
from pbem.db.models.letters import Outbox
from pbem.db.models.matches import (
    Draft,
    Entry,
    Match,
    MatchSeat,
    Message,
    Note,
    Sending,
    Snapshot,
    Takeback,
    Turn,
)
from pbem.db.models.operations import Backup, Figure, Rehearsal, Restoration, SigningKey
from pbem.db.models.players import (
    AddressChange,
    AddressRule,
    Block,
    Device,
    Player,
    Question,
    SeatAlert,
    Tally,
    WrongWord,
)
from pbem.db.models.staff import (
    AdminSession,
    Audit,
    AuditHead,
    Moderator,
    Passkey,
    Report,
    ReportLine,
)
from pbem.db.models.time import Absence, Due, Heartbeat, Loan

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
    Takeback,
    Note,
    Outbox,
    Incoming,
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
    Block,
    SeatAlert,
    Figure,
    Backup,
    Restoration,
    SigningKey,
    Rehearsal,
)
"""All of them, each behind those that its rows name."""

__all__ = [
    "TABLES",
    "Absence",
    "AddressChange",
    "AddressRule",
    "AdminSession",
    "Audit",
    "AuditHead",
    "Backup",
    "Block",
    "Device",
    "Draft",
    "Due",
    "Entry",
    "Figure",
    "Heartbeat",
    "Incoming",
    "Loan",
    "Match",
    "MatchSeat",
    "Message",
    "Moderator",
    "Note",
    "Outbox",
    "Passkey",
    "Player",
    "Question",
    "Rehearsal",
    "Report",
    "ReportLine",
    "Restoration",
    "SeatAlert",
    "Sending",
    "SigningKey",
    "Snapshot",
    "Takeback",
    "Tally",
    "Turn",
    "WrongWord",
]
