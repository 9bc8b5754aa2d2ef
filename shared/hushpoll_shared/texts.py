"""Texts as people see them: a difference that cannot be seen makes neither texts nor answers different.

The rule here: texts that differ only in invisible characters, in how letters are composed or in the width of white
space have one normal form, which keeps everything that can be seen. Python and JavaScript compute the same form
(shared/vectors/texts.json).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# Characters that change the direction in which a text is read: embeddings, overrides and isolates.
_DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")

# Default_Ignorable_Code_Point of Unicode 14 to 17 (Python does not know the property), then control characters that are
# not white space, and annotation marks: none of them is visible.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb]"
)
# White_Space, and the Braille pattern without dots.
_WHITE_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\u2800]+")


def turns(text: str) -> bool:
    """Return whether a text contains characters that change the direction in which it is read."""
    return _DIRECTION_CONTROLS.search(text) is not None


def normal_form(text: str) -> str:
    """Return the text without what cannot be seen: composed letters (NFC), single spaces, none at the ends.

    NFC and not NFKC, because 10² and 102 look different and must stay so.
    """
    # Compose after removing: an invisible character can separate a letter from its accent.
    composed = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    return _WHITE_SPACE.sub(" ", composed).strip(" ")


def are_told_apart(texts: Iterable[str]) -> bool:
    """Return whether every text is visible and no two of them look alike."""
    forms = [normal_form(text) for text in texts]
    return all(forms) and len(set(forms)) == len(forms)
