"""How a survey is shown: its language, its translations, who may embed it, and when a question is asked at all.

The rule here: none of this affects the draws. A device randomizes the same codes in every language, and a question that
was not shown is answered by "does not apply", which is inside its domain. An incomplete translation is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from hushpoll_shared.checks import check_fields, check_name, check_text
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.groups import Groups
from hushpoll_shared.question_types import Answer, QuestionType
from hushpoll_shared.texts import are_told_apart

DEFAULT_LANGUAGE = "en"
MOST_TRANSLATIONS = 50
MOST_HOSTS = 20
MOST_ANSWERS = 100
LARGEST_PORT = 65535

_TAG = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(
    rf"(https://{_LABEL}(\.{_LABEL}){{0,9}}|http://(localhost|127\.0\.0\.1))(:(?P<port>[1-9]\d{{0,4}}))?", re.ASCII
)

# The questions of a survey by id, in the manifest's order, each pair before its parts.
Asked = Mapping[str, QuestionType]


@dataclass(frozen=True)
class When:
    """A condition: a question is shown only if an earlier one, or a part of a pair, has one of these answers."""

    question: str
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        """Refuse a condition without a question or without answers."""
        check_name(self.question, "the question that decides whether another is shown")
        if not 1 <= len(self.answers) <= MOST_ANSWERS:
            raise InvalidValue(f"a question is shown after 1 to {MOST_ANSWERS} answers to another: name that many")
        if len(_with_types(self.answers)) != len(self.answers):
            raise InvalidValue("an answer after which a question is shown is listed twice: name it once")

    def check(self, earlier: Asked) -> None:
        """Refuse a condition on a question that is not asked earlier, or that does not have these answers."""
        deciding = earlier.get(self.question)
        if deciding is None:
            raise InvalidValue("a question is shown after one that is not asked before it: name an earlier question")
        if not deciding.answers:
            raise InvalidValue(
                "a question can be shown after one of the types yes_no, single_choice, multi_choice or scale: "
                "name one of these"
            )
        if not _with_types(self.answers) <= _with_types(deciding.answers):
            raise InvalidValue("a question is shown after an answer that the other one does not have: name its answers")

    def to_json(self) -> list[object]:
        """Return the question and the answers."""
        return [self.question, list(self.answers)]

    @classmethod
    def read(cls, value: Any) -> Self | None:
        """Read when a question is shown; return None if it always is."""
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
            raise InvalidValue("when must be null, or a question's id and a list of answers")
        if any(type(answer) not in (bool, int, str) for answer in value[1]):
            raise InvalidValue("an answer after which a question is shown must be true, false, an id or a point")
        return cls(value[0], tuple(value[1]))


@dataclass(frozen=True)
class TranslatedQuestion:
    """The texts of one question in another language; if options or labels are missing, the survey's own are shown."""

    text: str
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse texts that nobody could read."""
        check_text(self.text, "a translated question's text")
        for text in self.options:
            check_text(text, "a translated option")
        for text in self.labels:
            check_text(text, "a translated label")

    def check(self, name: str, question_type: QuestionType) -> None:
        """Refuse options or labels that do not match those of the question one by one."""
        for what in ("options", "labels"):
            translated, own = getattr(self, what), question_type.texts.get(what, {})
            if translated and not own:
                raise InvalidValue(f"the translation of {name} has {what} that the question does not have: remove them")
            if translated and len(translated) != len(own):
                raise InvalidValue(f"the translation of {name} needs {len(own)} {what}, as the question has, or none")
        if not are_told_apart(self.options):
            raise InvalidValue(f"two options in the translation of {name} look the same: give each a text of its own")

    def to_json(self) -> dict[str, object]:
        """Return the text, and the options or labels if they are translated."""
        lists = {"options": list(self.options), "labels": list(self.labels)}
        return {"text": self.text, **{key: texts for key, texts in lists.items() if texts}}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read the texts of a question."""
        keys = tuple(key for key in ("text", "options", "labels") if isinstance(fields, dict) and key in fields)
        check_fields(fields, keys or ("text",), "a translated question")
        lists = {key: _texts(fields[key], f"translated {key}") for key in keys if key != "text"}
        return cls(fields.get("text"), **lists)


@dataclass(frozen=True)
class Translation:
    """All texts of a survey in another language; `groups` are the texts of the labels, or none of them."""

    title: str
    consent: str
    questions: Mapping[str, TranslatedQuestion] = field(hash=False)
    thanks: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Refuse texts that nobody could read."""
        check_text(self.title, "a translated title")
        check_text(self.consent, "a translated consent text")
        if self.thanks is not None:
            check_text(self.thanks, "a translated thanks")
        for text in self.groups.values():
            check_text(text, "a translated group")

    def check(self, asked: Asked, groups: Groups | None) -> None:
        """Refuse a translation that lacks a question or has one too many."""
        if list(self.questions) != list(asked):
            raise InvalidValue("a translation must have every question once, in the survey's order, pairs before parts")
        for name, question in self.questions.items():
            question.check(name, asked[name])
        self._check_groups(groups)

    def _check_groups(self, groups: Groups | None) -> None:
        """Refuse labels that are not those of the survey, or that look the same within a dimension."""
        dimensions = groups.dimensions if groups else ()
        if self.groups and list(self.groups) != [name for each in dimensions for name in each.ids]:
            raise InvalidValue("a translation must have every group of the survey in its order, or none")
        for dimension in dimensions if self.groups else ():
            if not are_told_apart(self.groups[name] for name in dimension.ids):
                raise InvalidValue(f"two translated groups of {dimension.id} look the same: give each its own text")

    def to_json(self) -> dict[str, object]:
        """Return all texts."""
        questions = {name: question.to_json() for name, question in self.questions.items()}
        thanks = {} if self.thanks is None else {"thanks": self.thanks}
        groups = {"groups": dict(self.groups)} if self.groups else {}
        return {"title": self.title, "consent": self.consent, **thanks, **groups, "questions": questions}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read a translation."""
        sometimes = tuple(key for key in ("thanks", "groups") if isinstance(fields, dict) and key in fields)
        check_fields(fields, ("title", "consent", *sometimes, "questions"), "a translation")
        questions = _object(fields["questions"], "the questions of a translation")
        read = {name: TranslatedQuestion.read(question) for name, question in questions.items()}
        if "thanks" in fields and fields["thanks"] is None:
            raise InvalidValue("a translation has thanks without a text: leave them out")
        groups = _object(fields.get("groups", {}), "the groups of a translation")
        if "groups" in fields and not groups:
            raise InvalidValue("a translation has groups without a text: leave them out")
        return cls(fields["title"], fields["consent"], read, fields.get("thanks"), groups)


def check_tag(value: object, what: str) -> None:
    """Refuse what is not the tag of a language."""
    if not isinstance(value, str) or not _TAG.fullmatch(value):
        raise InvalidValue(f'{what} must be the tag of a language such as "en", "fr-CA" or "zh-Hant"')


def check_translations(
    translations: Mapping[str, Translation], language: str | None, asked: Asked, groups: Groups | None
) -> None:
    """Refuse incomplete translations, and those whose language is not clear."""
    if language is not None:
        check_tag(language, "language")
    if translations and language is None:
        raise InvalidValue("a survey with translations needs a language: say which language its own texts are in")
    if len(translations) > MOST_TRANSLATIONS:
        raise InvalidValue(f"a survey can have at most {MOST_TRANSLATIONS} translations")
    if list(translations) != sorted(translations):
        raise InvalidValue("translations must be in the order of their tags")
    if language in translations:
        raise InvalidValue("a translation is in the survey's own language: remove it")
    for tag, translation in translations.items():
        check_tag(tag, "the key of a translation")
        translation.check(asked, groups)


def check_hosts(hosts: Sequence[str]) -> None:
    """Refuse hosts that cannot be named in a header, and those whose pages could be changed in transit."""
    if len(hosts) > MOST_HOSTS or len(set(hosts)) != len(hosts):
        raise InvalidValue(f"hosts must be at most {MOST_HOSTS} different ones")
    for host in hosts:
        check_host(host)


def check_host(value: object) -> None:
    """Refuse what is not the origin of a page."""
    origin = _HOST.fullmatch(value) if isinstance(value, str) else None
    if not origin or int(origin["port"] or 0) > LARGEST_PORT:
        raise InvalidValue(
            "a host that may embed the survey must be written as https://example.org, in lower case and without a path "
            "(http only for localhost)"
        )


def read_hosts(value: object) -> tuple[str, ...]:
    """Read the hosts that may embed a survey."""
    if value == []:
        return ()
    return _texts(value, "hosts")


def read_translations(value: object) -> dict[str, Translation]:
    """Read all translations."""
    translations = _object(value, "translations")
    return {tag: Translation.read(fields) for tag, fields in translations.items()}


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidValue(f"{what} must be an object")
    return value


def _texts(value: object, what: str) -> tuple[str, ...]:
    # An empty list would be a second spelling of no list.
    if not isinstance(value, list) or not value or not all(isinstance(text, str) for text in value):
        raise InvalidValue(f"{what} must be a list of texts")
    return tuple(value)


def _with_types(answers: Iterable[Answer]) -> set[tuple[type, Answer]]:
    # With their types, because True equals 1 in Python.
    return {(type(answer), answer) for answer in answers}
