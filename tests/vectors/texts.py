"""Vectors of texts: their normal forms, and which characters no text may contain."""

from __future__ import annotations

from tests.mechanisms.cases import Vector

from hushpoll_client.permanent import identity
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.question_types import EXTRAS, AnyQuestionType, Option, Scale, SingleChoice, YesNo, type_fields
from hushpoll_shared.questions import Question
from hushpoll_shared.texts import normal_form

# Texts that look alike, by how they were changed.
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


def questions() -> list[Vector]:
    """Return repeated questions as in a manifest, with what identifies each in all waves."""
    options = (Option("hall", "In a\u00a0hall\u200b"), Option("flat", "flat"), Option("gru\u0308n", "Gru\u0308n "))
    types: list[tuple[AnyQuestionType, int]] = [
        (YesNo(EXTRAS[:1]), 3),
        (SingleChoice(options), 3),
        (Scale(1, 4, ((1, "n\u00adever"), (4, "often\u3000"))), 4),
    ]
    return [_question(each, size) for each, size in types]


def _question(question_type: AnyQuestionType, size: int) -> Vector:
    design = RepeatedMechanism.of(Bound.of_epsilon("1"), Bound.of_epsilon("2"), size)
    question = Question("mood", "Gr\u00fcn\u2060 ?\u200b", question_type, design)
    fields = {**type_fields(question.id, question.text, question_type), "mechanism": design.to_json()}
    return {"fields": fields, "identity": identity(question, design)}


def texts() -> Vector:
    """Return all vectors of texts."""
    return {
        "about": "normal forms; characters that are refused in every text; marks that languages need and that are not",
        "normal": [{"name": name, "text": text, "normal": normal_form(text)} for name, text in TEXTS.items()],
        "questions": questions(),
        "refused": list(TURNING),
        "allowed": list(NEEDED),
    }
