"""The tables; no verbs. Times are whole UTC seconds.

- `base`: what all tables share, and columns that hold JSON
- `players`: `Player`, `AddressRule`, `AddressChange`, `Question`, `WrongWord`, `Device`, `Tally`
- `matches`: `Match`, `MatchSeat`, `Turn`, `Entry`, `Snapshot`, `Draft`, `Sending`, `Message`
- `letters`: `Outbox`
- `time`: `Absence`, `Loan`, `Due`, `Heartbeat`
- `staff`: `Moderator`, `Passkey`, `AdminSession`, `Audit`, `AuditHead`, `Report`, `ReportLine`
- `operations`: `Figure`, `Backup`, `SigningKey`, `Rehearsal`

Imports nothing of this service but `pbem.db.store`.
"""

from __future__ import annotations

from pbem.db.models.letters import Outbox
from pbem.db.models.matches import Draft, Entry, Match, MatchSeat, Message, Sending, Snapshot, Turn
from pbem.db.models.operations import Backup, Figure, Rehearsal, SigningKey
from pbem.db.models.players import (
    AddressChange,
    AddressRule,
    Device,
    Player,
    Question,
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

__all__ = [
    "TABLES",
    "Absence",
    "AddressChange",
    "AddressRule",
    "AdminSession",
    "Audit",
    "AuditHead",
    "Backup",
    "Device",
    "Draft",
    "Due",
    "Entry",
    "Figure",
    "Heartbeat",
    "Loan",
    "Match",
    "MatchSeat",
    "Message",
    "Moderator",
    "Outbox",
    "Passkey",
    "Player",
    "Question",
    "Rehearsal",
    "Report",
    "ReportLine",
    "Sending",
    "SigningKey",
    "Snapshot",
    "Tally",
    "Turn",
    "WrongWord",
]
