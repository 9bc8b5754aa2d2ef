"""Write the test vectors of texts: their normal forms, and which characters no text may hold.

As with make_vectors: run it only when a vector is added.
"""

from __future__ import annotations

import json

from tests.support.make_vectors import VECTORS, Vector

from hushpoll_shared.texts import normal_form

# Alike to the eye, by what was done to them.
TEXTS = {
    "plain": "Do you smoke?",
    "zero-width space": "Do you smoke?\u200b",
    "joiners and word joiner": "D\u200do\u2060 y\u200cou smo\ufeffke?",
    "soft hyphen and variation selector": "Do you smo\u00adke\ufe0f?",
    "tags": "Do you smoke?\U000e0001\U000e0061\U000e007f",
    "fillers": "\u3164Do\u115f you\u1160 smoke?\uffa0",
    "controls": "Do you\x00 smoke?\x1f\x9f",
    "annotation": "\ufff9Do you smoke?\ufffb",
    "blanks": "\u3000Do\t\r\nyou\u00a0\u2003\u2009smoke?\u2028",
    "blanks around nothing": "Do \u200b you smoke? \u2060 ",
    "braille blank": "Do\u2800you smoke?\u2800",
    "marks of direction": "\u200eDo you smoke?\u200f\u061c",
    "composed": "Gr\u00fcn, \u00c5ngstr\u00f6m",
    "decomposed": "Gru\u0308n, \u212bngstro\u0308m",
    "joiner inside a letter": "Gru\u034f\u0308n, A\u200d\u030angstro\u0308m",
    "hangul": "\u1112\u1161\u11ab",
    "persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "visible: a power": "10\u00b2",
    "visible: full width": "\uff33moke?",
    "nothing": "\u200b\u2060 ",
}
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
NEEDED = "\u200c\u200d\u200e\u200f\u061c"


def texts() -> Vector:
    """Give all vectors of texts."""
    return {
        "about": "normal forms; characters that are refused in every text; marks that languages need and that are not",
        "normal": [{"name": name, "text": text, "normal": normal_form(text)} for name, text in TEXTS.items()],
        "refused": list(TURNING),
        "allowed": list(NEEDED),
    }


if __name__ == "__main__":
    (VECTORS / "texts.json").write_text(json.dumps(texts(), indent=1) + "\n")
