"""Passwords of moderators who use no passkey: long ones only, kept as Argon2id."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from pbem.errors import Refused

SHORTEST, LONGEST = 15, 200
OWN_PART = 8
"""So many characters must be neither common nor part of the owner's name or address."""
COMMON = (
    *("password", "passwort", "passphrase", "kennwort", "geheim", "motdepasse", "secret"),
    *("qwertyuiop", "qwertzuiop", "azertyuiop", "qwerty", "qwertz", "azerty", "asdfghjkl"),
    *("asdf", "yxcvbnm", "zxcvbnm", "1q2w3e4r5t", "1qaz2wsx3edc", "qazwsxedc"),
    *("abcdefghijklmnopqrstuvwxyz", "abcdefgh", "abcd", "abc", "letmein", "welcome"),
    *("willkommen", "bienvenue", "iloveyou", "ichliebedich", "jetaime", "sunshine", "princess"),
    *("football", "baseball", "superman", "batman", "dragon", "monkey", "shadow", "master"),
    *("hello", "hallo", "bonjour", "trustno", "changeme", "default", "admin", "administrator"),
    *("moderator", "operator", "root", "login", "user", "test", "pbem", "chess", "game", "play"),
    *("correcthorsebatterystaple", "01234567890123456789", "0987654321", "0123456789"),
    *("123456789", "12345678", "1234567", "123456", "12345", "1234", "123", "321"),
)
"""What the most common passwords are made of."""

_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def checked(password: str, *own: str) -> str:
    """A password that may be kept; `own` are the name and address of its owner."""
    fit = _spelled(password)
    if not SHORTEST <= len(fit) <= LONGEST:
        raise Refused(
            "a password needs %(least)s to %(most)s characters; a few words in a row will do",
            least=SHORTEST,
            most=LONGEST,
        )
    if len(set(_without_common(fit.lower(), own))) < OWN_PART:
        raise Refused(
            "a password must not be made of common passwords, repetitions, your name or "
            "your address"
        )
    return fit


def hashed(password: str) -> str:
    return _hasher.hash(_spelled(password))


def fits(password: str, kept: str) -> bool:
    """Whether it is the password whose hash is kept; where none is, it takes as long to say no."""
    try:
        _hasher.verify(kept or _of_nobody(), _spelled(password)[: LONGEST + 1])
    except VerificationError:
        return False
    return kept != ""


def _spelled(password: str) -> str:
    """One spelling, however the keyboard made the letters."""
    return unicodedata.normalize("NFKC", password)


def _without_common(password: str, own: tuple[str, ...]) -> str:
    """What is left of a password without pieces that everybody tries first."""
    pieces = {word for text in own for word in re.findall(r"\w{3,}", text.lower())}
    for piece in sorted({*COMMON, *pieces}, key=len, reverse=True):
        password = password.replace(piece, "")
    return password


@cache
def _of_nobody() -> str:
    return _hasher.hash("the password of nobody at all")
