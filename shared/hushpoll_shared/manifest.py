"""The manifest: all that a client needs to randomize, fixed at publication.

The law here: a `Manifest` that exists is valid. Whoever reads one recomputes every epsilon from the integers and
believes no claim. The bytes have one spelling only (compact JSON, known keys, fixed order), so that two readers
cannot understand the same bytes differently.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

from hushpoll_shared import strict_json
from hushpoll_shared.designs import Design, read_design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue, ManifestRefused

FORMAT = "hushpoll-manifest-1"
LARGEST_PAYLOAD = 1_000_000
MOST_QUESTIONS = 200
LONGEST_TEXT = 10_000
LARGEST_POPULATION = 10**10

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_KEYS = ("format", "survey", "title", "consent", "population", "opens", "closes", "epsilon", "questions")
_QUESTION_KEYS = ("id", "text", "type", "mechanism")


@dataclass(frozen=True)
class Question:
    """A private question with its design."""

    id: str
    text: str
    type: str
    design: Design

    def __post_init__(self) -> None:
        """Refuse a question that could not be asked."""
        check_name(self.id, "a question's id")
        check_text(self.text, "a question's text")

    def to_json(self) -> dict[str, object]:
        """Give the question as the manifest writes it."""
        return {"id": self.id, "text": self.text, "type": self.type, "mechanism": self.design.to_json()}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read a question from a manifest."""
        _check_keys(fields, _QUESTION_KEYS, "a question")
        design = read_design(fields["type"], fields["mechanism"])
        return cls(fields["id"], fields["text"], fields["type"], design)


@dataclass(frozen=True)
class Manifest:
    """A survey as it was published."""

    survey: str
    title: str
    consent: str
    questions: tuple[Question, ...]
    population: int | None = None
    opens: datetime | None = None
    closes: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse a survey that could not be held."""
        check_name(self.survey, "a survey's name")
        check_text(self.title, "the title")
        check_text(self.consent, "the consent text")
        check_population(self.population)
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise InvalidValue(f"a survey needs between 1 and {MOST_QUESTIONS} questions")
        if len({question.id for question in self.questions}) != len(self.questions):
            raise InvalidValue("two questions have the same id: give each its own")
        if self.opens and self.closes and self.closes <= self.opens:
            raise InvalidValue("the survey closes before it opens: exchange the two times")

    @cached_property
    def epsilon(self) -> Epsilon:
        """Give what one respondent spends on the whole survey: the sum over its questions."""
        return sum((question.design.epsilon for question in self.questions), start=Epsilon(0))

    @cached_property
    def payload(self) -> bytes:
        """Give the exact bytes that are signed and hashed."""
        values = (
            FORMAT,
            self.survey,
            self.title,
            self.consent,
            self.population,
            _write_time(self.opens),
            _write_time(self.closes),
            str(self.epsilon),
            [question.to_json() for question in self.questions],
        )
        return strict_json.dumps(dict(zip(_KEYS, values, strict=True)))

    @cached_property
    def id(self) -> str:
        """Give the SHA-256 of the payload, in hexadecimal."""
        return hashlib.sha256(self.payload).hexdigest()

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read a payload; refuse whatever is not exactly one valid manifest."""
        try:
            manifest = cls._read(_load(payload))
        except InvalidValue as error:
            raise ManifestRefused(f"the manifest is not valid: {error}") from None
        # An honest claim above the computed sum is kept as it was signed.
        manifest.__dict__["payload"] = payload
        return manifest

    @classmethod
    def _read(cls, fields: dict[str, Any]) -> Self:
        if not isinstance(fields["questions"], list):
            raise InvalidValue("its questions are not a list")
        manifest = cls(
            survey=fields["survey"],
            title=fields["title"],
            consent=fields["consent"],
            questions=tuple(Question.read(question) for question in fields["questions"]),
            population=fields["population"],
            opens=read_time(fields["opens"], "the opening time"),
            closes=read_time(fields["closes"], "the closing time"),
        )
        if Epsilon.parse(fields["epsilon"]) < manifest.epsilon:
            raise InvalidValue("it claims a smaller total epsilon than its questions give")
        return manifest


def is_name(value: object) -> bool:
    """Tell whether a value can be the name of a survey or a question."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def check_name(value: object, what: str) -> None:
    """Refuse what is not a short lower-case name."""
    if not is_name(value):
        raise InvalidValue(f"{what} must be 1 to 64 of a–z, 0–9, _ and -, starting with a letter")


def check_text(value: object, what: str) -> None:
    """Refuse what is not a text of a length that people read."""
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_TEXT:
        raise InvalidValue(f"{what} must be a text of 1 to {LONGEST_TEXT} characters")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidValue(f"{what} holds half a character (a lone surrogate): write it anew")


def check_population(value: object) -> None:
    """Refuse a population that is not a number of people."""
    if value is not None and (type(value) is not int or not 1 <= value <= LARGEST_POPULATION):
        raise InvalidValue(f"population must be a whole number from 1 to {LARGEST_POPULATION}, or be left out")


def read_time(value: object, what: str) -> datetime | None:
    """Read a time such as 2026-11-16T09:00:00Z, or nothing."""
    if value is None:
        return None
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise InvalidValue(f"{what} must be written in UTC as 2026-11-16T09:00:00Z")
    try:
        return datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidValue(f"{what} is not a day and time that exists") from None


def _write_time(value: datetime | None) -> str | None:
    return value.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if value else None


def _load(payload: bytes) -> dict[str, Any]:
    if len(payload) > LARGEST_PAYLOAD:
        raise InvalidValue("it is too large")
    fields = strict_json.loads(payload)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise InvalidValue("it has a format that this version does not know: update Hushpoll")
    _check_keys(fields, _KEYS, "the manifest")
    # One spelling only: what was read must write back to the same bytes.
    if _spell(fields) != payload:
        raise InvalidValue("it is not written in the one compact spelling")
    return fields


def _spell(fields: dict[str, Any]) -> bytes:
    try:
        return strict_json.dumps(fields)
    except UnicodeEncodeError:
        raise InvalidValue("it holds half a character (a lone surrogate)") from None


def _check_keys(fields: Any, keys: tuple[str, ...], what: str) -> None:
    if not isinstance(fields, dict) or tuple(fields) != keys:
        raise InvalidValue(f"{what} must have exactly the fields {', '.join(keys)}, in this order")
