"""Vectors of what people are told about a question, in every language."""

from __future__ import annotations

from tests.mechanisms.cases import Vector, home
from tests.vectors.surveys import surveys

from hushpoll_shared.mechanisms import DESIGNS
from hushpoll_shared.question_types import type_fields
from hushpoll_shared.questions import Question
from hushpoll_shared.words import known

# In the languages of Hushpoll, near them, and in others.
TAGS = ("ar-EG", "de", "de-AT", "en-GB", "fr-Latn-CA", "pt", "zh-Hant", "x-de", "")


def told() -> Vector:
    """Return all vectors of what people are told: about a small design of every mechanism, and about whole surveys."""
    small = [Question(name, "?", case.type, case.design("1")) for name in DESIGNS for case in home(name).CASES[:1]]
    signed = [(name, question) for name in ("everything", "panel") for question in surveys()[name][0].questions]
    return {
        "about": "what question.told returns; the surveys are those of reports.json; it changes with the words",
        "found": {tag: small[0].told(tag).language for tag in TAGS},
        "always": {tag: _always(small[0], tag) for tag in known()},
        "questions": [{"fields": _fields(question), "told": _own(question)} for question in small],
        "surveys": [{"survey": name, "id": question.id, "told": _own(question)} for name, question in signed],
    }


def _fields(question: Question) -> Vector:
    fields = type_fields(question.id, question.text, question.type)
    return {**fields, "when": None, "mechanism": question.design.to_json()}


def _always(question: Question, tag: str) -> Vector:
    said = question.told(tag)
    return {"short": said.short, "how": said.how, "language": said.language, "direction": said.direction}


def _own(question: Question) -> Vector:
    said = {tag: question.told(tag) for tag in known()}
    return {tag: {"odds": each.odds, "sent": each.sent} for tag, each in said.items()}
