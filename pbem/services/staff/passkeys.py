"""Passkeys of moderators (WebAuthn): what a browser is asked, whether its answer is right, rows.

The user is always verified by the authenticator itself, and a passkey names its owner, so nobody
types an address to log in with one.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

import webauthn
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers import parse_authentication_credential_json as parse_answer
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from pbem.db import models
from pbem.db.reading import changed, every, first
from pbem.services.records.moderator_rows import ModeratorRecord

LONGEST_NAME = 40
PATIENCE = 5 * 60 * 1_000
"""Milliseconds that a browser waits for its user."""
_UNREADABLE = (WebAuthnException, ValueError, TypeError, LookupError, RecursionError)
"""What comes of answers that no authenticator gave."""


class Site(NamedTuple):
    """What passkeys are bound to: they sign for this site and for no other."""

    host: str
    origin: str

    @property
    def takes_passkeys(self) -> bool:
        """Browsers bind passkeys to names, not to numbers."""
        try:
            ip_address(self.host)
        except ValueError:
            return True
        return False


def site_of(base_url: str) -> Site:
    return Site(urlsplit(base_url).hostname or "", base_url)


class Passkey(NamedTuple):
    id: int
    moderator: int
    credential_id: str
    public_key: str
    sign_count: int
    name: str
    created_at: int
    last_used_at: int | None


class Asked(NamedTuple):
    """A challenge, and the JSON with which a browser is asked to sign it."""

    challenge: str
    options: str


class Signed(NamedTuple):
    """A right answer: which passkey gave it, and how often it has signed by its own count."""

    passkey: Passkey
    sign_count: int


# --- asking ---------------------------------------------------------------------------------------


def ask_to_make(site: Site, owner: ModeratorRecord) -> Asked:
    options = webauthn.generate_registration_options(
        rp_id=site.host,
        rp_name=site.host,
        user_id=str(owner.id).encode(),
        user_name=owner.address,
        user_display_name=owner.called,
        timeout=PATIENCE,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=_descriptors(owner.id),
    )
    return Asked(bytes_to_base64url(options.challenge), webauthn.options_to_json(options))


def ask_to_sign(site: Site, owner: int | None = None) -> Asked:
    """Any passkey of this site, or one of this owner."""
    options = webauthn.generate_authentication_options(
        rp_id=site.host,
        timeout=PATIENCE,
        allow_credentials=_descriptors(owner) if owner is not None else None,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return Asked(bytes_to_base64url(options.challenge), webauthn.options_to_json(options))


def _descriptors(owner: int) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(id=base64url_to_bytes(known.credential_id))
        for known in of(owner)
    ]


# --- checking -------------------------------------------------------------------------------------


def signed(site: Site, challenge: str, answer: str) -> Signed | None:
    """Which passkey has signed the challenge here, with its user verified; None for any other."""
    try:
        passkey = _find(bytes_to_base64url(parse_answer(answer).raw_id))
        if passkey is None:
            return None
        verified = webauthn.verify_authentication_response(
            credential=answer,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=base64url_to_bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except _UNREADABLE:
        return None
    return Signed(passkey, verified.new_sign_count)


class Made(NamedTuple):
    """A new passkey that no row holds yet."""

    credential_id: str
    public_key: str
    sign_count: int


def made(site: Site, challenge: str, answer: str) -> Made | None:
    """The passkey that was made for the challenge here, with its user verified."""
    try:
        verified = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except _UNREADABLE:
        return None
    return Made(
        bytes_to_base64url(verified.credential_id),
        bytes_to_base64url(verified.credential_public_key),
        verified.sign_count,
    )


# --- rows -----------------------------------------------------------------------------------------

_rows = models.Passkey
_kept = _rows.select(*[getattr(_rows, name) for name in Passkey._fields])


def of(owner: int) -> list[Passkey]:
    return every(_kept.where(_rows.moderator == owner).order_by(_rows.id), Passkey)


def _find(credential_id: str) -> Passkey | None:
    return first(_kept.where(_rows.credential_id == credential_id), Passkey)


def is_known(credential_id: str) -> bool:
    return _find(credential_id) is not None


def keep(owner: int, made: Made, name: str, now: int) -> int:
    new = _rows.insert(moderator=owner, name=name, created_at=now, **made._asdict())
    return int(new.execute())


def note_use(use: Signed, now: int) -> bool:
    """Whether the passkey is still there and has not signed with this count or a later one.

    Authenticators that do not count always say 0.
    """
    counts = _rows.sign_count < use.sign_count
    if use.sign_count == 0:
        counts |= _rows.sign_count == 0
    used = _rows.update(sign_count=use.sign_count, last_used_at=now)
    return changed(used.where(_rows.id == use.passkey.id, counts)) == 1


def remove(owner: int, passkey: int) -> bool:
    removed = _rows.delete().where(_rows.id == passkey, _rows.moderator == owner)
    return changed(removed) == 1
