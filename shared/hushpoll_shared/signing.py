"""Signatures on manifests: Ed25519 over a fixed prefix and the exact payload bytes.

The prefix makes a signature from here worthless in any other context. There is no JSON canonicalisation to get wrong:
the envelope carries the signed bytes themselves.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.manifest import Manifest

PREFIX = b"hushpoll manifest 1\n"
KEY_PREFIX = "ed25519:"
LARGEST_ENVELOPE = 6_000_000


@dataclass(frozen=True)
class SigningKey:
    """A publisher's private key."""

    private: Ed25519PrivateKey

    @classmethod
    def generate(cls) -> Self:
        """Make a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, data: bytes) -> Self:
        """Read an unencrypted PEM file (PKCS #8)."""
        try:
            key = load_pem_private_key(data, password=None)
        except (ValueError, TypeError):
            raise InvalidValue("the key file is not an unencrypted PEM private key") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidValue("the key is not an Ed25519 key: make one with openssl genpkey -algorithm ed25519")
        return cls(key)

    def to_pem(self) -> bytes:
        """Write the key as PEM (PKCS #8), unencrypted."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def public(self) -> str:
        """Return the public key as clients pin it: ed25519: and base64url."""
        return KEY_PREFIX + _encode(self.private.public_key().public_bytes_raw())


def sign(manifest: Manifest, key: SigningKey) -> bytes:
    """Return the signed envelope of a manifest."""
    envelope = {
        "payload": _encode(manifest.payload),
        "signature": _encode(key.private.sign(PREFIX + manifest.payload)),
        "key": key.public,
    }
    return strict_json.dumps(envelope)


def verify(envelope: bytes, key: str | None = None) -> Manifest:
    """Return the manifest of an envelope after verifying its signature.

    With `key`, the envelope must be signed by that pinned key; without it, by the key that the envelope itself names,
    which proves only that nothing was changed after signing.
    """
    fields = _read_envelope(envelope)
    if key is not None and fields["key"] != check_key(key):
        raise ManifestRefused("the manifest is signed by a key other than the pinned one: ask the publisher why")
    payload = _decode(fields["payload"], "payload")
    _check_signature(fields, payload)
    return Manifest.read(payload)


def key_of(envelope: bytes) -> str:
    """Return the key that an envelope names."""
    return _read_envelope(envelope)["key"]


def check_key(key: object) -> str:
    """Return a public key as clients pin it; refuse anything else."""
    _public_key(key)
    return str(key)


def _read_envelope(envelope: bytes) -> dict[str, str]:
    if len(envelope) > LARGEST_ENVELOPE:
        raise ManifestRefused("the envelope is too large to be a manifest")
    try:
        fields = strict_json.loads(envelope)
    except InvalidValue as error:
        raise ManifestRefused(f"the envelope cannot be read: {error}") from None
    if not isinstance(fields, dict) or fields.keys() != {"payload", "signature", "key"}:
        raise ManifestRefused("the envelope must have exactly the fields payload, signature and key")
    if not all(isinstance(value, str) for value in fields.values()):
        raise ManifestRefused("payload, signature and key must be texts")
    return fields


def _check_signature(fields: dict[str, str], payload: bytes) -> None:
    try:
        _public_key(fields["key"]).verify(_decode(fields["signature"], "signature"), PREFIX + payload)
    except InvalidSignature:
        raise ManifestRefused("the signature does not match the manifest, which was changed after signing") from None
    except InvalidValue as error:
        raise ManifestRefused(str(error)) from None


def _public_key(key: object) -> Ed25519PublicKey:
    if not isinstance(key, str) or not key.startswith(KEY_PREFIX):
        raise InvalidValue("a key must be written as ed25519: followed by 43 characters")
    try:
        return Ed25519PublicKey.from_public_bytes(_decode(key.removeprefix(KEY_PREFIX), "key"))
    except (ValueError, ManifestRefused):
        raise InvalidValue("the key is not a valid Ed25519 public key: copy it again") from None


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str, what: str) -> bytes:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise ManifestRefused(f"the {what} is not base64url") from None
    # Bits beyond the last byte must be zero: one spelling for each value.
    if _encode(data) != text:
        raise ManifestRefused(f"the {what} is not base64url in its one spelling, without padding")
    return data
