"""Secrets that are shown once and stored only as their SHA-256: links, sessions, tokens.

They are 256 random bits. So they cannot be guessed, attempts need not be throttled, and there is no need for a slow
hash such as argon2, which protects what people invent.
"""

from __future__ import annotations

import hashlib
import secrets

SECRET_BYTES = 32


def new_secret() -> str:
    """Return a new secret that fits into an address, a cookie and a header."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return what is stored of a secret; any text that was sent in its place has a hash, too."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
