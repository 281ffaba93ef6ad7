"""An authenticator in software: makes passkeys and signs with them, rightly or wrongly."""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def spelled(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def read(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Authenticator:
    """Holds one passkey; `origin` is what the browser says it is looking at."""

    def __init__(self, origin: str, host: str = "", verifies_user: bool = True) -> None:
        self.origin, self.host = origin, host
        self.flags = PRESENT | (VERIFIED if verifies_user else 0)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(16)
        self.count = 0

    def make(self, options: str) -> str:
        """The answer to navigator.credentials.create()."""
        asked = json.loads(options)
        data = self._data(asked["rp"]["id"], self.flags | ATTESTED)
        data += b"\0" * 16 + struct.pack(">H", len(self.credential_id)) + self.credential_id
        data += self._public_key()
        attested = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        seen = self._seen("webauthn.create", asked["challenge"])
        return self._answer(clientDataJSON=seen, attestationObject=attested)

    def sign(self, options: str) -> str:
        """The answer to navigator.credentials.get()."""
        asked = json.loads(options)
        data = self._data(asked["rpId"], self.flags)
        seen = self._seen("webauthn.get", asked["challenge"])
        signed = self.key.sign(data + hashlib.sha256(seen).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=seen, authenticatorData=data, signature=signed)

    def _data(self, host: str, flags: int) -> bytes:
        self.count += 1
        relying = hashlib.sha256((self.host or host).encode()).digest()
        return relying + struct.pack(">BI", flags, self.count)

    def _public_key(self) -> bytes:
        numbers = self.key.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})

    def _seen(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, **response: bytes) -> str:
        name = spelled(self.credential_id)
        parts = {part: spelled(value) for part, value in response.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": parts})
