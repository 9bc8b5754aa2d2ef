"""Read YAML or JSON and keep the line of every value, so that an error can say where it is.

YAML 1.2: `3:1` and `no` are texts. Numbers with decimals become binary floats, to be refused later with a cure, because
privacy values must be exact. Their text is kept for the ends of a range. Anchors, tags and several documents are not
needed in a survey and are refused.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any, Self

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from hushpoll_shared.errors import InvalidValue

# Characters.
LARGEST_FILE = 1_000_000
DEEPEST_NESTING = 20

_WHOLE = re.compile(r"-?\d{1,20}", re.ASCII)
_TAG = "tag:yaml.org,2002:"
_COLLECTIONS = (f"{_TAG}map", f"{_TAG}seq")
_TOO_DEEP = "this is nested too deeply: a survey has lists and maps in at most three levels"
# What the parser says, and the usual cure for the author of a survey.
_CURES = (
    ("'\\t'", "indent with spaces, not with tabs"),
    ("another document", "keep one survey in a file, without a second ---"),
    ("alias", "write the value out instead of * and a name"),
    ("mapping values are not allowed", "put a text with a colon in quotes, and check the indentation"),
)
_CURE = "check the indentation, and put a text with special characters in quotes"


class LocatedError(InvalidValue):
    """An error on a line of a file."""

    def __init__(self, line: int, message: str) -> None:
        """Keep the line and the message."""
        super().__init__(message)
        self.line = line


class Inexact(float):
    """A number that is not a plain whole number, with its text as written."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number; keep the text."""
        number = super().__new__(cls, text.replace("_", ""))
        number.text = text
        return number


@dataclass(frozen=True)
class Located:
    """A value with its line and, inside a map, the line of its key. Maps and lists hold located values, too."""

    line: int
    value: Any
    key_line: int = 0

    def plain(self) -> Any:
        """Return the value without lines."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        return self.value


def load(text: str) -> Located:
    """Read one document."""
    if len(text) > LARGEST_FILE:
        raise LocatedError(1, f"the file is longer than {LARGEST_FILE} characters: a survey is much shorter")
    node = _compose(text)
    if node is None:
        raise LocatedError(1, "the file is empty: write a survey as docs/surveys.md shows")
    return _located(node, 0)


def _compose(text: str) -> Node | None:
    try:
        with warnings.catch_warnings():
            # Anchors are refused below, so a repeated one needs no warning.
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            node: Node | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise LocatedError(mark.line + 1 if mark else 1, _explain(error.problem)) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise LocatedError(line, "there is a character here that texts cannot hold: remove it") from None
    except RecursionError:
        raise LocatedError(1, _TOO_DEEP) from None
    except (YAMLError, ValueError):
        raise LocatedError(1, f"this is not valid YAML: {_CURE}") from None
    return node


def _explain(problem: str | None) -> str:
    reason = problem or "it cannot be read"
    cure = next((cure for words, cure in _CURES if words in reason), _CURE)
    return f"this is not valid YAML ({reason}): {cure}"


def _located(node: Node, depth: int) -> Located:
    line = node.start_mark.line + 1
    _refuse_extras(node, line)
    if depth > DEEPEST_NESTING:
        raise LocatedError(line, _TOO_DEEP)
    if isinstance(node, MappingNode):
        return Located(line, _mapping(node, depth))
    if isinstance(node, SequenceNode):
        return Located(line, [_located(item, depth + 1) for item in node.value])
    return Located(line, _scalar(node, line))


def _refuse_extras(node: Node, line: int) -> None:
    if node.anchor:
        raise LocatedError(line, "anchors and aliases (& and *) are not supported: write the value out")
    tag = str(node.tag)
    if not tag.startswith(_TAG) or not (isinstance(node, ScalarNode) or tag in _COLLECTIONS):
        raise _tag_error(line)


def _tag_error(line: int) -> LocatedError:
    return LocatedError(line, "tags (!) are not supported: write plain values")


def _mapping(node: MappingNode, depth: int) -> dict[str, Located]:
    values: dict[str, Located] = {}
    for key, item in node.value:
        line = key.start_mark.line + 1
        _refuse_extras(key, line)
        if not isinstance(key, ScalarNode):
            raise LocatedError(line, "a key must be a word: put a text that starts with { or [ in quotes")
        if key.value in values:
            raise LocatedError(line, f"the key {key.value!r} appears twice: remove one")
        value = _located(item, depth + 1)
        values[key.value] = Located(value.line, value.value, line)
    return values


def _scalar(node: Node, line: int) -> Any:
    tag, text = str(node.tag).removeprefix(_TAG), node.value
    if tag in ("str", "timestamp"):
        return _join_surrogates(text)
    if tag == "null" and text.lower() in ("", "~", "null"):
        return None
    if tag == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if tag == "int" and _WHOLE.fullmatch(text):
        return int(text)
    if tag in ("int", "float"):
        return _number(text, line)
    raise _tag_error(line)


def _join_surrogates(text: str) -> str:
    # JSON writes a character beyond U+FFFF as two escapes; YAML reads them as two halves.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _number(text: str, line: int) -> Inexact:
    try:
        return Inexact(text)
    except ValueError:
        raise LocatedError(line, "this number cannot be read: write it in decimal digits, or in quotes") from None
