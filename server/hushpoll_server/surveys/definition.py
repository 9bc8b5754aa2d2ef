"""Read a researcher's survey file and compile it into a manifest.

All errors of a file are found in one pass, each with its line and its cure. Warnings say what a careful colleague
would ask before publication. The same file always compiles into the same manifest, byte for byte.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from hushpoll_server.surveys.located import Located, LocatedError, load
from hushpoll_shared.designs import DESIGN_OF_TYPE, Design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.manifest import (
    LARGEST_PAYLOAD,
    Manifest,
    Question,
    check_name,
    check_population,
    check_text,
    read_time,
)

DEFAULT_PRIVACY = {"epsilon": "1"}
DEFAULT_CONSENT = "Taking part is voluntary. If you send your answers, your device randomizes them first."
REASON_ABOVE = Epsilon.parse("4")

SURVEY_KEYS = ("survey", "title", "consent", "population", "epsilon_cap", "opens", "closes", "questions")
QUESTION_KEYS = ("id", "text", "type", "privacy", "reason")

_PIPED = re.compile(r"\{\{|\$\{")
_PROMISES_TOO_MUCH = re.compile(r"\banonym", re.IGNORECASE)

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Finding:
    """Something to say about a line of a survey file."""

    line: int
    message: str


class DefinitionError(HushpollError):
    """Hold all errors of a survey file."""

    def __init__(self, file: str, findings: list[Finding]) -> None:
        """Write one line for each error."""
        self.findings = tuple(sorted(findings))
        super().__init__("\n".join(f"{file}, line {finding.line}: {finding.message}" for finding in self.findings))


@dataclass(frozen=True)
class Compiled:
    """A manifest with what lint has to say about its file."""

    manifest: Manifest
    warnings: tuple[Finding, ...]


def compile_survey(text: str, file: str) -> Compiled:
    """Compile the text of a survey file, or raise all its errors."""
    errors: list[Finding] = []
    warnings: list[Finding] = []
    manifest = None
    try:
        manifest = _read_survey(_Fields(load(text), SURVEY_KEYS, errors, warnings))
    except LocatedError as error:
        errors.append(Finding(error.line, str(error)))
    if errors or manifest is None:
        raise DefinitionError(file, errors)
    return Compiled(manifest, tuple(sorted(warnings)))


class _Fields:
    """The fields of a map. What is wrong with one is noted with its line, and reading goes on."""

    def __init__(self, node: Located, keys: tuple[str, ...], errors: list[Finding], warnings: list[Finding]) -> None:
        if not isinstance(node.value, dict):
            raise LocatedError(node.line, f"here must be fields such as {keys[0]}: …")
        self.errors, self.warnings = errors, warnings
        self._node, self._keys = node, keys
        for key in node.value:
            self._check_key(key)

    def line(self, key: str) -> int:
        return self._node.value[key].key_line if key in self else self._node.line

    def __contains__(self, key: str) -> bool:
        return key in self._node.value

    def __getitem__(self, key: str) -> Any:
        return self.get(key, None)

    def get(self, key: str, default: object) -> Any:
        return self._node.value[key].plain() if key in self else default

    def located(self, key: str) -> Located:
        return self._node.value.get(key) or Located(self._node.line, None)

    def note(self, key: str, message: str) -> None:
        self.errors.append(Finding(self.line(key), message))

    def attempt(self, key: str, make: Callable[[], T]) -> T | None:
        """Make a value; note the error under the key's line if it cannot be made."""
        try:
            return make()
        except InvalidValue as error:
            self.errors.append(Finding(getattr(error, "line", self.line(key)), str(error)))
            return None

    def warn(self, key: str, message: str) -> None:
        self.warnings.append(Finding(self.line(key), message))

    def name(self, key: str, example: str) -> str:
        if key not in self:
            self.note(key, f"{key} is missing: add a line such as {key}: {example}")
            return ""
        self.attempt(key, lambda: check_name(self[key], key))
        return str(self[key])

    def text(self, key: str, default: str, consequence: str) -> str:
        """Read a text; without one use the default and say what that means."""
        if key not in self:
            self.warn(key, f"there is no {key}: {consequence}")
            return default
        self.attempt(key, lambda: check_text(self[key], key))
        self._warn_about_words(key, str(self[key]))
        return str(self[key])

    def _check_key(self, key: str) -> None:
        if key in self._keys:
            return
        near = difflib.get_close_matches(key, self._keys, n=1)
        cure = f"did you mean {near[0]}?" if near else f"the fields here are {', '.join(self._keys)}"
        self.note(key, f"the field {key!r} is not known: {cure}")

    def _warn_about_words(self, key: str, text: str) -> None:
        if _PROMISES_TOO_MUCH.search(text):
            self.warn(key, "do not promise anonymity: say what is stored and who could learn what")
        if _PIPED.search(text):
            self.warn(key, "this looks like text piped from another answer: it would be shown as it stands")


def _read_survey(fields: _Fields) -> Manifest | None:
    name = fields.name("survey", "campus-integrity")
    title = fields.text("title", name, "people will see the survey's name")
    consent = fields.text("consent", DEFAULT_CONSENT, "a plain sentence is shown instead")
    fields.attempt("population", lambda: check_population(fields["population"]))
    opens = fields.attempt("opens", lambda: read_time(fields["opens"], "opens"))
    closes = fields.attempt("closes", lambda: read_time(fields["closes"], "closes"))
    fields.attempt("closes", lambda: _check_order(opens, closes))
    cap = fields.attempt("epsilon_cap", lambda: _read_cap(fields))
    questions = _read_questions(fields)
    if fields.errors:
        return None
    manifest = fields.attempt(
        "questions", lambda: Manifest(name, title, consent, questions, fields["population"], opens, closes)
    )
    if manifest:
        fields.attempt("questions", lambda: _check_size(manifest))
        fields.attempt("epsilon_cap", lambda: _check_cap(manifest, cap))
    return manifest


def _read_questions(fields: _Fields) -> tuple[Question, ...]:
    listed = fields.located("questions")
    if not isinstance(listed.value, list) or not listed.value:
        fields.note("questions", "questions must be a list with at least one question: - id: …")
        return ()
    questions: list[Question | None] = []
    ids: list[object] = []
    for item in listed.value:
        inner = fields.attempt("questions", partial(_Fields, item, QUESTION_KEYS, fields.errors, fields.warnings))
        if inner is None:
            continue
        if "id" in inner and inner["id"] in ids:
            inner.note("id", "another question has this id: give each its own")
        ids.append(inner["id"])
        questions.append(_read_question(inner))
    return tuple(question for question in questions if question)


def _read_question(fields: _Fields) -> Question | None:
    name = fields.name("id", "cheated")
    text = fields.text("text", name, "people will see the question's id")
    if "reason" in fields:
        fields.attempt("reason", lambda: check_text(fields["reason"], "reason"))
    design = fields.attempt("privacy", lambda: _read_design(fields))
    if design is None or fields.errors:
        return None
    if design.epsilon > REASON_ABOVE and "reason" not in fields:
        fields.warn("privacy", "epsilon is above 4, which gives little protection: lower it, or add reason: …")
    return fields.attempt("id", lambda: Question(name, text, fields["type"], design))


def _read_design(fields: _Fields) -> Design:
    kind = fields["type"]
    if not isinstance(kind, str) or kind not in DESIGN_OF_TYPE:
        raise LocatedError(fields.line("type"), f"type must be one of: {', '.join(DESIGN_OF_TYPE)}")
    if "privacy" not in fields:
        fields.warn("privacy", "there is no privacy: epsilon 1 is used")
        return DESIGN_OF_TYPE[kind].from_privacy(DEFAULT_PRIVACY)
    privacy = fields.located("privacy")
    if not isinstance(privacy.value, dict):
        raise InvalidValue('privacy must be a map such as {odds: "3:1"} or {epsilon: "1"}')
    try:
        return DESIGN_OF_TYPE[kind].from_privacy(privacy.plain())
    except InvalidValue as error:
        raise LocatedError(privacy.line, str(error)) from None


def _check_order(opens: datetime | None, closes: datetime | None) -> None:
    if opens and closes and closes <= opens:
        raise InvalidValue("closes must be later than opens: exchange the two times")


def _check_size(manifest: Manifest) -> None:
    if len(manifest.payload) > LARGEST_PAYLOAD:
        raise InvalidValue(f"the texts have more than {LARGEST_PAYLOAD} bytes together: shorten them")


def _read_cap(fields: _Fields) -> Epsilon | None:
    return Epsilon.parse(fields["epsilon_cap"], "epsilon_cap") if "epsilon_cap" in fields else None


def _check_cap(manifest: Manifest, cap: Epsilon | None) -> None:
    if cap is not None and manifest.epsilon > cap:
        raise InvalidValue(
            f"the questions spend epsilon {manifest.epsilon} together, above the cap of {cap}: "
            "ask fewer questions, lower their epsilon, or raise the cap"
        )
