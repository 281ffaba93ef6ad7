"""Six digits that change every half minute (TOTP, RFC 6238), beside a password."""

from __future__ import annotations

import base64
import binascii
import hmac

import segno
from pyotp import random_base32
from pyotp.totp import TOTP

STEP = 30
DRIFT = 1
"""So many steps a clock may be off, to both sides."""
SECRET_BYTES = 20


def new_secret() -> str:
    return random_base32()


def is_secret(text: str) -> bool:
    """Whether a text can have come from `new_secret`."""
    try:
        return len(base64.b32decode(text)) == SECRET_BYTES
    except (binascii.Error, ValueError):
        return False


def code(secret: str, step: int) -> str:
    return TOTP(secret, interval=STEP).generate_otp(step)


def step_of(secret: str, typed: str, now: int, after: int) -> int | None:
    """The time step a typed code belongs to, if it is one of now and later than `after`."""
    digits = "".join(typed.split())
    fitting = [
        step
        for step in range(now // STEP - DRIFT, now // STEP + DRIFT + 1)
        if hmac.compare_digest(code(secret, step).encode(), digits.encode())
    ]
    return next((step for step in fitting if step > after), None)


def uri(secret: str, address: str, site: str) -> str:
    """What an authenticator program reads."""
    return TOTP(secret, interval=STEP).provisioning_uri(name=address, issuer_name=site)


def picture(uri: str) -> str:
    """The address as a QR code: an SVG to stand in a page, black on white in the dark too."""
    code = segno.make(uri, error="m")
    return code.svg_inline(omitsize=True, border=4, light="#fff", dark="#000")
