"""The fields of a survey file, read one by one.

The law here: what is wrong with a field is noted with its line and its cure, and reading goes on, so that all errors of
a file are found in one pass.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hushpoll_server.surveys.located import Located, LocatedError
from hushpoll_shared.checks import check_name, check_text
from hushpoll_shared.errors import InvalidValue

_PIPED = re.compile(r"\{\{|\$\{")
# anonymous, anonyme, anónimo, anônimo, anonimo, and "of unknown identity" in Arabic
_PROMISES_TOO_MUCH = re.compile(r"\ban[oóô]n[yi]m|مجهول\w* الهوي", re.IGNORECASE)

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Finding:
    """Something to say about a line of a survey file."""

    line: int
    message: str


@dataclass(frozen=True)
class Findings:
    """What was found in a file so far."""

    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


class Fields:
    """The fields of a map."""

    def __init__(self, node: Located, keys: tuple[str, ...], findings: Findings) -> None:
        """Refuse what is no map; note keys that are not known."""
        if not isinstance(node.value, dict):
            raise LocatedError(node.line, f"here must be fields such as {keys[0]}: …")
        self.findings = findings
        self._node, self._keys = node, keys
        for key in node.value:
            self._check_key(key)

    def __contains__(self, key: str) -> bool:
        return key in self._node.value

    def __getitem__(self, key: str) -> Any:
        return self._node.value[key].plain() if key in self else None

    def line(self, key: str) -> int:
        """Give the line of a key, or of the whole map if it is not there."""
        return int(self._node.value[key].key_line) if key in self else self._node.line

    def located(self, key: str) -> Located:
        """Give a value with its lines."""
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
        """Make a value; note the error under the key's line if it cannot be made."""
        try:
            return make()
        except InvalidValue as error:
            self.note_at(getattr(error, "line", self.line(key)), str(error))
            return None

    def is_missing(self, key: str, example: str) -> bool:
        """Tell whether a field that is needed is missing, and note it."""
        if key not in self:
            self.note(key, f"{key} is missing: add a line such as {key}: {example}")
        return key not in self

    def name(self, key: str, example: str) -> str:
        """Read a name that must be there."""
        if self.is_missing(key, example):
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

    def whole(self, key: str, most: int) -> int | None:
        """Read a whole number from 1 on, if it is there."""
        value = self[key]
        if key in self and (type(value) is not int or not 1 <= value <= most):
            self.note(key, f"{key} must be a whole number from 1 to {most}, or be left out")
            return None
        return value if key in self else None

    def flag(self, key: str) -> bool:
        """Read true or false; false if it is not there."""
        if key in self and not isinstance(self[key], bool):
            self.note(key, f"{key} must be true or false")
        return self[key] is True

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
