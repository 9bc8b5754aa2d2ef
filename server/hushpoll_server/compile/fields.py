"""The fields of a survey file, read one by one.

The rule here: an error in a field is noted with its line and its cure, and reading continues, so that all errors of a
file are found in one pass.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hushpoll_server.compile.yaml_with_lines import Located, LocatedError
from hushpoll_shared.checks import check_name, check_text
from hushpoll_shared.errors import InvalidValue

_PIPED = re.compile(r"\{\{|\$\{")
# anonymous, anonyme, anónimo, anônimo, anonimo, and "of unknown identity" in Arabic
_PROMISES_ANONYMITY = re.compile(r"\ban[oóô]n[yi]m|مجهول\w* الهوي", re.IGNORECASE)
# What programs write in place of a text that they do not have; an answer may well be "None".
_NOTHING_AS_TEXT = ("null", "None", "undefined", "NaN")

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Finding:
    """An error or a warning about a line of a survey file."""

    line: int
    message: str


@dataclass(frozen=True)
class Findings:
    """The errors and warnings found in a file so far."""

    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


class Fields:
    """The fields of one map in a survey file."""

    def __init__(self, node: Located, keys: tuple[str, ...], findings: Findings) -> None:
        """Refuse anything but a map; note unknown keys."""
        if not isinstance(node.value, dict):
            raise LocatedError(node.line, f"this must be a map with fields such as {keys[0]}: …")
        self.findings = findings
        self._node, self._keys = node, keys
        for key in node.value:
            self._check_key(key)

    def __contains__(self, key: str) -> bool:
        return key in self._node.value

    def __getitem__(self, key: str) -> Any:
        return self._node.value[key].plain() if key in self else None

    def line(self, key: str) -> int:
        """Return the line of a key, or of the map if the key is missing."""
        return int(self._node.value[key].key_line) if key in self else self._node.line

    def located(self, key: str) -> Located:
        """Return a value with its lines."""
        return self._node.value.get(key) or Located(self._node.line, None)

    def note(self, key: str, message: str) -> None:
        """Note an error on the line of a key."""
        self.note_at(self.line(key), message)

    def note_at(self, line: int, message: str) -> None:
        """Note an error on a line."""
        self.findings.errors.append(Finding(line, message))

    def warn(self, key: str, message: str) -> None:
        """Note a warning on the line of a key."""
        self.findings.warnings.append(Finding(self.line(key), message))

    def attempt(self, key: str, make: Callable[[], T]) -> T | None:
        """Return the value that a function makes; note the error on the key's line if it fails."""
        try:
            return make()
        except InvalidValue as error:
            self.note_at(getattr(error, "line", self.line(key)), str(error))
            return None

    def is_missing(self, key: str, example: str) -> bool:
        """Return whether a required field is missing, and note it."""
        if key not in self:
            self.note(key, f"{key} is missing: add a line such as {key}: {example}")
        return key not in self

    def name(self, key: str, example: str) -> str:
        """Read a required name."""
        if self.is_missing(key, example):
            return ""
        self.attempt(key, lambda: check_name(self[key], key))
        return str(self[key])

    def text(self, key: str, default: str, consequence: str) -> str:
        """Read a text; if there is none, use the default and warn of the consequence."""
        if key not in self:
            self.warn(key, f"there is no {key}: {consequence}")
            return default
        self.attempt(key, lambda: self._check_text(key))
        self._warn_about_words(key, str(self[key]))
        return str(self[key])

    def whole(self, key: str, most: int, *, least: int = 1) -> int | None:
        """Read an optional whole number in a range."""
        value = self[key]
        if key in self and (type(value) is not int or not least <= value <= most):
            self.note(key, f"{key} must be a whole number from {least} to {most}, or be left out")
            return None
        return value if key in self else None

    def flag(self, key: str) -> bool:
        """Read an optional true or false; the default is false."""
        if key in self and not isinstance(self[key], bool):
            self.note(key, f"{key} must be true or false")
        return self[key] is True

    def _check_key(self, key: str) -> None:
        if key in self._keys:
            return
        near = difflib.get_close_matches(key, self._keys, n=1)
        cure = f"did you mean {near[0]}?" if near else f"the fields here are {', '.join(self._keys)}"
        self.note(key, f"the field {key!r} is not known: {cure}")

    def _check_text(self, key: str) -> None:
        refuse_empty(self[key], key, line=self.line(key))
        check_text(self[key], key)

    def _warn_about_words(self, key: str, text: str) -> None:
        if _PROMISES_ANONYMITY.search(text):
            self.warn(key, "do not promise anonymity: say what is stored and who could learn what")
        if _PIPED.search(text):
            self.warn(key, "this looks like text piped from another answer: it would be shown as it stands")
        if self[key] in _NOTHING_AS_TEXT:
            self.warn(key, f"respondents would read the word {text}: write the text, if a program left it out")


def refuse_empty(value: object, what: str, *, line: int, cure: str = "write its text") -> None:
    """Refuse a text of which nothing was written."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise LocatedError(line, f"{what} is empty (null, ~, blanks or nothing): {cure}")
