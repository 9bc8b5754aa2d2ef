"""The manifest: all that a client needs to randomize, fixed at publication.

The rule here: a `Manifest` that exists is valid. Every reader recomputes each epsilon from the integers and trusts no
claim. The bytes have one spelling only (compact JSON, known keys, fixed order), so that two readers cannot understand
the same bytes differently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from hushpoll_shared import strict_json
from hushpoll_shared.about import About
from hushpoll_shared.checks import check_fields, check_name, check_population, check_text, read_time
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.groups import Groups
from hushpoll_shared.mechanisms import Repeated, read_design
from hushpoll_shared.presentation import (
    DEFAULT_LANGUAGE,
    Translation,
    When,
    check_hosts,
    check_translations,
    read_hosts,
    read_translations,
)
from hushpoll_shared.question_types import QuestionType, read_type, type_fields
from hushpoll_shared.questions import Question, asked

FORMAT = "hushpoll-manifest-1"
LARGEST_PAYLOAD = 4_000_000
MOST_QUESTIONS = 200

_KEYS = (
    "format",
    "survey",
    "title",
    "consent",
    "population",
    "opens",
    "closes",
    "epsilon",
    "ask",
    "panel",
    "language",
    "translations",
    "hosts",
    "about",
    "groups",
    "questions",
)
# A survey without them has no such field, as before there was one.
_SOMETIMES = frozenset({"about", "groups"})


@dataclass(frozen=True)
class Manifest:
    """A survey as it was published.

    `ask` is how many questions each device answers, `panel` the name that the waves of a panel share, `hosts` are the
    origins of pages that may embed the survey, `about` says who asks, and `groups` are the public labels of reports.
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
    about: About | None = None
    groups: Groups | None = None

    def __post_init__(self) -> None:
        """Refuse a survey that could not be conducted."""
        check_name(self.survey, "a survey's name")
        check_text(self.title, "the title")
        check_text(self.consent, "the consent text")
        check_population(self.population)
        if not 1 <= len(self.questions) <= MOST_QUESTIONS:
            raise InvalidValue(f"a survey needs between 1 and {MOST_QUESTIONS} questions")
        _check_ids(self.questions, self.groups)
        if self.opens and self.closes and self.closes <= self.opens:
            raise InvalidValue("the survey closes before it opens: swap the two times")
        self._check_ask()
        self._check_panel()
        self._check_shown()
        check_hosts(self.hosts)
        if self.about and not self.about.to_json():
            raise InvalidValue("about says nothing: leave it out")

    def _check_ask(self) -> None:
        if self.ask is None:
            return
        if type(self.ask) is not int or not 1 <= self.ask < len(self.questions):
            raise InvalidValue("ask must be a whole number from 1 to one less than the number of questions")

    def _check_panel(self) -> None:
        if self.panel is not None:
            check_name(self.panel, "a panel's name")
        if bool(self.repeated) != (self.panel is not None):
            raise InvalidValue("a survey has a panel if, and only if, it has repeated questions")

    def _check_shown(self) -> None:
        earlier: dict[str, QuestionType] = {}
        for question in self.questions:
            if question.when:
                question.when.check(earlier)
            earlier |= asked(question.id, question.type)
        check_translations(self.translations, self.language, earlier, self.groups)

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages in which the survey can be answered, its own first."""
        return (self.language or DEFAULT_LANGUAGE, *self.translations)

    @cached_property
    def repeated(self) -> dict[str, Repeated]:
        """Return the designs of the questions that are repeated in waves, by question id."""
        designs = ((question.id, question.design) for question in self.questions)
        return {name: design for name, design in designs if isinstance(design, Repeated)}

    @cached_property
    def answer_ids(self) -> frozenset[str]:
        """Return the ids under which an app answers the questions."""
        return frozenset(name for question in self.questions for name in question.answer_ids)

    @cached_property
    def epsilon(self) -> Epsilon:
        """Return the most that one respondent spends: the sum over all questions, or over the `ask` largest."""
        epsilons = sorted((question.design.epsilon for question in self.questions), reverse=True)
        return sum(epsilons[: self.ask], start=Epsilon(0))

    @cached_property
    def payload(self) -> bytes:
        """Return the exact bytes that are signed and hashed."""
        values = {
            "format": FORMAT,
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
            **({"about": self.about.to_json()} if self.about else {}),
            **({"groups": self.groups.to_json()} if self.groups else {}),
            "questions": [_write_question(question) for question in self.questions],
        }
        return strict_json.dumps(values)

    @cached_property
    def id(self) -> str:
        """Return the SHA-256 of the payload, in hexadecimal."""
        return hashlib.sha256(self.payload).hexdigest()

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read a payload; refuse anything but exactly one valid manifest."""
        try:
            manifest = cls._read(_load(payload))
        except InvalidValue as error:
            raise ManifestRefused(f"the manifest is not valid: {error}") from None
        # A claim may be above the computed sum: the payload is kept as it was signed.
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
            questions=tuple(map(_read_question, fields["questions"])),
            population=fields["population"],
            opens=read_time(fields["opens"], "the opening time"),
            closes=read_time(fields["closes"], "the closing time"),
            ask=fields["ask"],
            panel=fields["panel"],
            language=fields["language"],
            translations=read_translations(fields["translations"]),
            hosts=read_hosts(fields["hosts"]),
            about=About.read(fields["about"]) if "about" in fields else None,
            groups=Groups.read(fields["groups"]) if "groups" in fields else None,
        )
        if Epsilon.parse(fields["epsilon"]) < manifest.epsilon:
            raise InvalidValue("it claims a smaller total epsilon than its questions add up to")
        return manifest


def _check_ids(questions: tuple[Question, ...], groups: Groups | None) -> None:
    # An app answers under the ids of a pair's parts; the report uses the pair's own id.
    parts = (part.id for question in questions for part in question.type.parts)
    names = [*(question.id for question in questions), *parts]
    if len(set(names)) != len(names):
        raise InvalidValue("two questions have the same id: give each its own")
    # A comparison names what it compares by.
    if groups and not {dimension.id for dimension in groups.dimensions}.isdisjoint(names):
        raise InvalidValue("a question and a dimension of groups have the same id: give each its own")


def _write_question(question: Question) -> dict[str, object]:
    when = question.when.to_json() if question.when else None
    asked_as = type_fields(question.id, question.text, question.type)
    return {**asked_as, "when": when, "mechanism": question.design.to_json()}


def _read_question(fields: Any) -> Question:
    question_type = read_type(fields, last=("when", "mechanism"))
    design, when = read_design(fields["mechanism"]), When.read(fields["when"])
    return Question(fields["id"], fields["text"], question_type, design, when)


def _write_time(value: datetime | None) -> str | None:
    return value.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if value else None


def _load(payload: bytes) -> dict[str, Any]:
    if len(payload) > LARGEST_PAYLOAD:
        raise InvalidValue("it is too large")
    fields = strict_json.loads(payload)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise InvalidValue("it has a format that this version does not know: update Hushpoll")
    keys = tuple(key for key in _KEYS if key not in _SOMETIMES or key in fields)
    check_fields(fields, keys, "the manifest")
    # One spelling only: writing what was read must give the same bytes.
    if _spell(fields) != payload:
        raise InvalidValue("it is not written in the one compact spelling")
    return dict(fields)


def _spell(fields: dict[str, Any]) -> bytes:
    try:
        return strict_json.dumps(fields)
    except UnicodeEncodeError:
        raise InvalidValue("it contains half a character (a lone surrogate)") from None
