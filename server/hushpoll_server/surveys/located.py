"""Read YAML or JSON and keep the line of every value, so that an error can say where it is.

YAML 1.2: `3:1` and `no` are texts. Numbers with decimals stay binary floats here only to be refused with a cure:
privacy values must be exact. Anchors, tags and several documents have no place in a survey and are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from hushpoll_shared.errors import InvalidValue

_TAG = "tag:yaml.org,2002:"


class LocatedError(InvalidValue):
    """Say what is wrong on which line."""

    def __init__(self, line: int, message: str) -> None:
        """Keep the line beside the message."""
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Located:
    """A value with its line. Maps and lists hold located values again."""

    line: int
    value: Any

    def plain(self) -> Any:
        """Give the value without lines."""
        if isinstance(self.value, dict):
            return {key: item.plain() for key, item in self.value.items()}
        if isinstance(self.value, list):
            return [item.plain() for item in self.value]
        return self.value


def load(text: str) -> Located:
    """Read one document."""
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise LocatedError(line, f"this is not valid YAML: {error.problem}") from None
    except (YAMLError, ValueError, RecursionError):
        raise LocatedError(1, "this is not valid YAML") from None
    if node is None:
        raise LocatedError(1, "the file is empty: write a survey as docs/surveys.md shows")
    return _located(node, ())


def _located(node: Node, above: tuple[Node, ...]) -> Located:
    line = node.start_mark.line + 1
    if node.anchor or node in above:
        raise LocatedError(line, "anchors and aliases (& and *) are not taken: write the value out")
    if isinstance(node, MappingNode):
        return Located(line, _mapping(node, (*above, node)))
    if isinstance(node, SequenceNode):
        return Located(line, [_located(item, (*above, node)) for item in node.value])
    if isinstance(node, ScalarNode):
        return Located(line, _scalar(node, line))
    raise LocatedError(line, "this is not valid YAML")


def _mapping(node: MappingNode, above: tuple[Node, ...]) -> dict[str, Located]:
    values: dict[str, Located] = {}
    for key, item in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode):
            raise LocatedError(line, "a key must be a word")
        if key.value in values:
            raise LocatedError(line, f"the key {key.value!r} stands here twice: remove one")
        values[key.value] = _located(item, above)
    return values


def _scalar(node: ScalarNode, line: int) -> Any:
    kind, text = str(node.tag).removeprefix(_TAG), node.value
    if kind in ("str", "timestamp"):
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "int" and text.isascii() and text.isdigit() and len(text) <= 20:
        return int(text)
    if kind in ("int", "float"):
        return _number(text, line)
    raise LocatedError(line, "tags (!) are not taken: write plain values")


def _number(text: str, line: int) -> float:
    try:
        return float(text.replace("_", ""))
    except ValueError:
        raise LocatedError(line, "this number cannot be read: put it in quotes") from None
