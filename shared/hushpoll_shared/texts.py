"""Texts as people see them: what cannot be seen makes no text another one, and no two answers two.

The laws here: two texts that look alike because they differ only in characters without a picture, in how letters are
composed, or in the width of blanks have one normal form; what can be seen stays. Both languages give the same form
(shared/vectors/texts.json).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Characters that turn or hide the order in which a text is read: embeddings, overrides and isolates.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Default_Ignorable_Code_Point of Unicode 14 to 17 (Python does not know the property), then controls that are no
# blanks, and the marks of annotations: none has a picture.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb]"
)
# White_Space, and the Braille pattern without a dot.
_BLANKS = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u2800]+")


def turns(text: str) -> bool:
    """Tell whether a text holds characters that turn the order in which it is read."""
    return _TURNING.search(text) is not None


def normal_form(text: str) -> str:
    """Return the text without what cannot be seen: composed letters (NFC), single blanks, none at the ends.

    NFC and not NFKC: 10² and 102 look different, and so they are.
    """
    # Composed after the removal: an invisible character can stand between a letter and its accent.
    composed = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return _BLANKS.sub(" ", composed).strip(" ")


def are_told_apart(texts: Iterable[str]) -> bool:
    """Tell whether each text can be seen, and no two of them look alike."""
    seen = [normal_form(text) for text in texts]
    return all(seen) and len(set(seen)) == len(seen)
