"""Keys of test surveys, and envelopes signed with them, including by an attacker."""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hushpoll_shared import strict_json
from hushpoll_shared.signing import PREFIX, SigningKey

KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER_KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))


def signed(payload: bytes, key: SigningKey = KEY, prefix: bytes = PREFIX) -> str:
    """Return an envelope of any bytes, as an attacker with the key could sign it."""
    envelope = {
        "payload": base64url(payload),
        "signature": base64url(key.private.sign(prefix + payload)),
        "key": key.public,
    }
    return strict_json.dumps(envelope).decode()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
