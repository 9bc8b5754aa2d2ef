"""The manifest: all that a client needs to randomize, fixed at publication.

The law here: a `Manifest` that exists is valid. Whoever reads one recomputes every epsilon from the integers and
believes no claim. The bytes have one spelling only (compact JSON, known keys, fixed order), so that two readers
cannot understand the same bytes differently. Format 1 holds plain yes/no questions, format 2 those of every type, and
format 3 also how a survey is shown; whatever an earlier one can hold is written in it, as it always was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from hushpoll_shared import strict_json
from hushpoll_shared.checks import check_fields, check_name, check_population, check_text, read_time
from hushpoll_shared.designs import Repeated, read_design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.kinds import Kind
from hushpoll_shared.presentation import (
    DEFAULT_LANGUAGE,
    Translation,
    When,
    check_hosts,
    check_translations,
    read_hosts,
    read_translations,
)
from hushpoll_shared.questions import Pair, Question, YesNo, asked, question_fields, read_kind

PLAIN, GENERAL, PRESENTED = "hushpoll-manifest-1", "hushpoll-manifest-2", "hushpoll-manifest-3"
LARGEST_PAYLOAD = {PLAIN: 1_000_000, GENERAL: 4_000_000, PRESENTED: 4_000_000}
MOST_QUESTIONS = 200

_HEAD = ("format", "survey", "title", "consent", "population", "opens", "closes", "epsilon")
_KEYS = {
    PLAIN: (*_HEAD, "questions"),
    GENERAL: (*_HEAD, "ask", "panel", "questions"),
    PRESENTED: (*_HEAD, "ask", "panel", "language", "translations", "hosts", "questions"),
}
_PLAIN_QUESTION_KEYS = ("id", "text", "type", "mechanism")
_LAST_QUESTION_KEYS = {GENERAL: ("mechanism",), PRESENTED: ("when", "mechanism")}


@dataclass(frozen=True)
class Manifest:
    """A survey as it was published.

    `ask` is how many questions each device answers, `panel` names repeated waves, `hosts` are the origins of pages that
    may embed it.
    """

    survey: str
    title: str
    consent: str
    questions: tuple[Question, ...]
    population: int | None = None
    opens: datetime | None = None
    closes: datetime | None = None
    ask: int | None = None
    panel: str | None = None
    language: str | None = None
    translations: Mapping[str, Translation] = field(default_factory=dict, hash=False)
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a survey that could not be held."""
        check_name(self.survey, "a survey's name")
        check_text(self.title, "the title")
        check_text(self.consent, "the consent text")
        check_population(self.population)
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise InvalidValue(f"a survey needs between 1 and {MOST_QUESTIONS} questions")
        _check_ids(self.questions)
        if self.opens and self.closes and self.closes <= self.opens:
            raise InvalidValue("the survey closes before it opens: exchange the two times")
        self._check_ask()
        self._check_panel()
        self._check_shown()
        check_hosts(self.hosts)

    def _check_ask(self) -> None:
        if self.ask is None:
            return
        if type(self.ask) is not int or not 1 <= self.ask < len(self.questions):
            raise InvalidValue("ask must be a whole number from 1 to one less than the number of questions")
        if any(question.is_plain for question in self.questions):
            raise InvalidValue("a survey that asks some of its questions needs draws that can be left blank")

    def _check_panel(self) -> None:
        if self.panel is not None:
            check_name(self.panel, "a panel's name")
        if self.repeats != (self.panel is not None):
            raise InvalidValue("a survey has a panel if, and only if, it has repeated questions")

    def _check_shown(self) -> None:
        earlier: dict[str, Kind] = {}
        for question in self.questions:
            if question.when:
                question.when.check(earlier)
            earlier |= asked(question.id, question.kind)
        check_translations(self.translations, self.language, earlier)

    @property
    def languages(self) -> tuple[str, ...]:
        """Give the languages in which the survey can be answered, its own first."""
        return (self.language or DEFAULT_LANGUAGE, *self.translations)

    @property
    def format(self) -> str:
        """Name the format: the earliest that suffices."""
        if self.language or self.translations or self.hosts or any(question.when for question in self.questions):
            return PRESENTED
        plain = self.ask is None and self.panel is None and all(question.is_plain for question in self.questions)
        return PLAIN if plain else GENERAL

    @cached_property
    def repeats(self) -> bool:
        """Tell whether a question is repeated in waves."""
        return any(isinstance(question.design, Repeated) for question in self.questions)

    @cached_property
    def answer_ids(self) -> frozenset[str]:
        """Give the ids under which an app answers the questions."""
        return frozenset(name for question in self.questions for name in question.answer_ids)

    @cached_property
    def epsilon(self) -> Epsilon:
        """Give the most that one respondent spends: the sum over the questions, or over the largest that are asked."""
        epsilons = sorted((question.design.epsilon for question in self.questions), reverse=True)
        return sum(epsilons[: self.ask], start=Epsilon(0))

    @cached_property
    def payload(self) -> bytes:
        """Give the exact bytes that are signed and hashed."""
        values = {
            "format": self.format,
            "survey": self.survey,
            "title": self.title,
            "consent": self.consent,
            "population": self.population,
            "opens": _write_time(self.opens),
            "closes": _write_time(self.closes),
            "epsilon": str(self.epsilon),
            "ask": self.ask,
            "panel": self.panel,
            "language": self.language,
            "translations": {tag: translation.to_json() for tag, translation in self.translations.items()},
            "hosts": list(self.hosts),
            "questions": [_write_question(question, self.format) for question in self.questions],
        }
        return strict_json.dumps({key: values[key] for key in _KEYS[self.format]})

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
        if not isinstance(fields["questions"], list) or len(fields["questions"]) > MOST_QUESTIONS:
            raise InvalidValue(f"its questions are not a list of at most {MOST_QUESTIONS}")
        manifest = cls(
            survey=fields["survey"],
            title=fields["title"],
            consent=fields["consent"],
            questions=tuple(_read_question(question, fields["format"]) for question in fields["questions"]),
            population=fields["population"],
            opens=read_time(fields["opens"], "the opening time"),
            closes=read_time(fields["closes"], "the closing time"),
            ask=fields.get("ask"),
            panel=fields.get("panel"),
            language=fields.get("language"),
            translations=read_translations(fields.get("translations", {})),
            hosts=read_hosts(fields.get("hosts", [])),
        )
        if manifest.format != fields["format"]:
            raise InvalidValue("it is written in another format than the one for its questions")
        if Epsilon.parse(fields["epsilon"]) < manifest.epsilon:
            raise InvalidValue("it claims a smaller total epsilon than its questions give")
        return manifest


def _check_ids(questions: tuple[Question, ...]) -> None:
    # An app answers under the ids of a pair's parts; the pair's own id stands in the report.
    parts = (name for question in questions if isinstance(question.kind, Pair) for name in question.answer_ids)
    names = [*(question.id for question in questions), *parts]
    if len(set(names)) != len(names):
        raise InvalidValue("two questions have the same id: give each its own")


def _write_question(question: Question, format_: str) -> dict[str, object]:
    fields = question_fields(question.id, question.text, question.kind)
    if format_ == PRESENTED:
        fields["when"] = question.when.to_json() if question.when else None
    fields["mechanism"] = question.design.to_json()
    return {key: fields[key] for key in _PLAIN_QUESTION_KEYS} if format_ == PLAIN else fields


def _read_question(fields: Any, format_: str) -> Question:
    if format_ == PLAIN:
        return _read_plain_question(fields)
    kind = read_kind(fields, last=_LAST_QUESTION_KEYS[format_])
    design, when = read_design(fields["mechanism"]), When.read(fields.get("when"))
    return Question(fields["id"], fields["text"], kind, design, when)


def _read_plain_question(fields: Any) -> Question:
    check_fields(fields, _PLAIN_QUESTION_KEYS, "a question")
    if fields["type"] != YesNo.TYPE:
        raise InvalidValue("a question is of a type that this format does not know: update Hushpoll")
    return Question(fields["id"], fields["text"], YesNo(), read_design(fields["mechanism"]))


def _write_time(value: datetime | None) -> str | None:
    return value.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if value else None


def _load(payload: bytes) -> dict[str, Any]:
    if len(payload) > LARGEST_PAYLOAD[GENERAL]:
        raise InvalidValue("it is too large")
    fields = strict_json.loads(payload)
    name = fields.get("format") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in _KEYS:
        raise InvalidValue("it has a format that this version does not know: update Hushpoll")
    if len(payload) > LARGEST_PAYLOAD[name]:
        raise InvalidValue("it is too large")
    check_fields(fields, _KEYS[name], "the manifest")
    # One spelling only: what was read must write back to the same bytes.
    if _spell(fields) != payload:
        raise InvalidValue("it is not written in the one compact spelling")
    return dict(fields)


def _spell(fields: dict[str, Any]) -> bytes:
    try:
        return strict_json.dumps(fields)
    except UnicodeEncodeError:
        raise InvalidValue("it holds half a character (a lone surrogate)") from None
