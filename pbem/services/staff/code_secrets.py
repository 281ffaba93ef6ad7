"""The secrets behind moderators' one-time codes, sealed: a copy of the database makes no codes."""

from __future__ import annotations

import base64
import binascii

from pbem import sealing
from pbem.db.models import Moderator
from pbem.db.reading import changed
from pbem.db.store import writing
from pbem.services.records.moderator_rows import ModeratorRecord, all_moderators
from pbem.services.staff import one_time_codes

PURPOSE = "totp"


def sealed(moderator: int, secret: str) -> str:
    """As the row of a moderator keeps it."""
    return base64.b64encode(sealing.seal(PURPOSE, moderator, secret.encode())).decode()


def secret_of(moderator: ModeratorRecord) -> str | None:
    """The secret; None for who has none, and when the key that sealed it is gone.

    What an older version has kept in clear is read until a worker has sealed it.
    """
    kept = _bytes(moderator.totp_secret)
    if kept is None:
        return moderator.totp_secret or None
    plain = sealing.opened(PURPOSE, moderator.id, kept)
    return plain.decode() if plain is not None else None


def _bytes(text: str) -> bytes | None:
    """What was sealed; None for anything else."""
    try:
        kept = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    return kept if kept.startswith(sealing.MARK) else None


def use_up_codes(now: int) -> None:
    """No code that anybody may have typed until now is good once more."""
    newest = now // one_time_codes.STEP + one_time_codes.DRIFT
    Moderator.update(totp_step=newest).where(Moderator.totp_step < newest).execute()


def reseal() -> int:
    """Seal under the newest key what is not yet, so that older keys can go; how many."""
    return sum(_reseal(moderator) for moderator in all_moderators())


def _reseal(moderator: ModeratorRecord) -> int:
    secret, kept = secret_of(moderator), _bytes(moderator.totp_secret)
    if secret is None or (kept is not None and sealing.is_by_newest(kept)):
        return 0
    with writing():
        resealed = Moderator.update(totp_secret=sealed(moderator.id, secret)).where(
            Moderator.id == moderator.id, Moderator.totp_secret == moderator.totp_secret
        )
        return changed(resealed)
