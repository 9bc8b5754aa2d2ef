"""Texts as people see them, so that no two answers look like one.

The law here: what cannot be seen makes no difference. The page compares texts in the same way (client/js/src/texts.js).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Default_Ignorable_Code_Point of Unicode, which the standard library does not know, and the other format characters.
_IGNORABLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_FORMAT = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
_UNSEEN = re.compile(f"[{_IGNORABLE}{_FORMAT}]")
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def visible(text: str) -> str:
    """Return a text without what cannot be seen, with single spaces, in the normal form C."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", _UNSEEN.sub("", text))).strip()


def are_told_apart(texts: Iterable[str]) -> bool:
    """Tell whether each text can be seen, and no two of them look alike."""
    seen = [visible(text) for text in texts]
    return all(seen) and len(set(seen)) == len(seen)
