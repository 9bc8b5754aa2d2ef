"""The looks that a survey may have of its own: the logo of who asks, and one colour.

The rule here: the signed survey holds the bytes themselves, so that showing it asks nobody else for anything. A logo is
a small picture without code in it; a colour is dark enough to be read on the page and to carry white letters.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from hushpoll_shared.errors import InvalidValue

# Bytes. Everybody who opens the form loads it.
LARGEST_LOGO: Final = 10_000
# How the files of each type begin.
LOGO_TYPES: Final = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff", "webp": b"RIFF"}
# WCAG 2.2, 1.4.3: the contrast of text.
LEAST_CONTRAST: Final = 4.5
# The page behind links and buttons (--paper in hushpoll.css); on white the contrast is higher.
_PAPER: Final = "#f3f6f6"

_LOGO: Final = re.compile(r"data:image/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})", re.ASCII)
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}", re.ASCII)


def logo_of(picture: bytes) -> str:
    """Return a picture as a survey holds it."""
    kind = next((name for name, start in LOGO_TYPES.items() if picture.startswith(start)), None)
    if kind is None:
        raise InvalidValue("a logo must be a PNG, JPEG or WebP file")
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"


def check_logo(value: object) -> None:
    """Refuse what is not a small picture of a known type, in the one spelling of its bytes."""
    match = _LOGO.fullmatch(value) if isinstance(value, str) and len(value) <= 2 * LARGEST_LOGO else None
    picture = _decoded(match[2]) if match else None
    if picture is None or logo_of(picture) != value:
        raise InvalidValue("logo must hold a PNG, JPEG or WebP picture")
    if len(picture) > LARGEST_LOGO:
        raise InvalidValue(f"logo must have at most {LARGEST_LOGO} bytes: make the picture smaller")


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def check_accent(value: object) -> None:
    """Refuse what is not a colour, and one that could not be read."""
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise InvalidValue('accent must be a colour such as "#0f5c66", in lower case')
    if contrast(value, _PAPER) < LEAST_CONTRAST:
        raise InvalidValue(f"accent is too light: choose one whose contrast to {_PAPER} is {LEAST_CONTRAST} or more")


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    low, high = channel / 12.92, ((channel + 0.055) / 1.055) ** 2.4
    return low if channel <= 0.04045 else float(high)
