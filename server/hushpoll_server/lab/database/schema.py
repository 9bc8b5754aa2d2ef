"""What is declared of a table: bounds and steps of numbers, bins, categories.

The same spelling in options, in a file and in Python: "0:200000", "Aachen,Bonn", "0,20000,200000".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from hushpoll_server.compile.yaml_with_lines import Located, LocatedError, load
from hushpoll_server.lab.database.columns import Categories, Kind, Labels, Numbers
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import normal_form

DECLARATIONS = ("bounds", "step", "bins", "categories")
MOST_GROUPS = 1000
LARGEST_SCHEMA = 1_000_000

Texts = Mapping[str, str]
_NONE: Texts = {}


@dataclass(frozen=True)
class Schema:
    """The declared columns; all others are labels, which WHERE can compare."""

    kinds: Mapping[str, Kind] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        bounds: Texts = _NONE,
        step: Texts = _NONE,
        bins: Texts = _NONE,
        categories: Texts = _NONE,
    ) -> Self:
        """Return what is declared by texts, such as bounds={"income": "0:200000"}."""
        declared: dict[str, dict[str, str]] = {}
        for what, texts in zip(DECLARATIONS, (bounds, step, bins, categories), strict=True):
            for name, text in texts.items():
                declared.setdefault(name, {})[what] = text
        return cls({name: _kind(name, texts) for name, texts in declared.items()})

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file with `columns:`, and for each its bounds, step, bins or categories."""
        try:
            with path.open(encoding="utf-8-sig") as file:
                columns = _columns(load(file.read(LARGEST_SCHEMA)))
            return cls({name: _located_kind(name, column) for name, column in columns.items()})
        except UnicodeDecodeError:
            raise InvalidValue(f"{path} is not text in UTF-8: save it in UTF-8") from None
        except LocatedError as error:
            raise InvalidValue(f"{path}, line {error.line}: {error}") from None

    def kind(self, name: str) -> Kind:
        """Return the kind of a column."""
        return self.kinds.get(name, Labels())

    def __or__(self, other: Schema) -> Schema:
        """Return both together; a column that both declare is that of the other."""
        return Schema({**self.kinds, **other.kinds})


def _kind(name: str, texts: Texts) -> Kind:
    try:
        return _read_kind(texts)
    except InvalidValue as error:
        raise InvalidValue(f"column {name}: {error}") from None


def _read_kind(texts: Texts) -> Kind:
    if "categories" in texts:
        if len(texts) > 1:
            raise InvalidValue("a column has either categories or bounds: keep one of them")
        return Categories(_parts(texts["categories"]))
    low, colon, high = texts.get("bounds", "").partition(":")
    if not colon:
        raise InvalidValue("a number needs a lower and an upper bound, such as 0:200000")
    return Numbers.of(low, high, step=texts.get("step"), bins=_parts(texts["bins"]) if "bins" in texts else ())


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(normal_form(part) for part in text.split(","))
    if len(parts) > MOST_GROUPS:
        raise InvalidValue(f"there are more than {MOST_GROUPS} groups: merge some")
    return parts


def _columns(document: Located) -> dict[str, Located]:
    columns = document.value.get("columns") if isinstance(document.value, dict) else None
    if not isinstance(columns, Located) or not isinstance(columns.value, dict) or len(document.value) > 1:
        raise LocatedError(document.line, "write columns: and below it each column, as docs/lab.md shows")
    return columns.value


def _located_kind(name: str, column: Located) -> Kind:
    try:
        return _kind(name, _texts(column))
    except LocatedError:
        raise
    except InvalidValue as error:
        raise LocatedError(column.key_line or column.line, str(error)) from None


def _texts(column: Located) -> dict[str, str]:
    if not isinstance(column.value, dict) or column.value.keys() - set(DECLARATIONS):
        raise InvalidValue(f"a column has {', '.join(DECLARATIONS)}: keep those, and correct the others")
    return {what: _text(value.plain()) for what, value in column.value.items()}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_text, value))
    # A number with decimals keeps its spelling.
    return str(getattr(value, "text", value))
