"""Read the type of a question and what belongs to it: options, ends, labels, extras.

The rule here: a field that does not belong to the type is an error, and never silently ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeVar, cast

from hushpoll_server.compile.fields import Fields, refuse_empty
from hushpoll_server.compile.options import read_options
from hushpoll_server.compile.yaml_with_lines import Inexact, Located, LocatedError
from hushpoll_server.plan.choose import NAMED
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import (
    DOES_NOT_APPLY,
    EXTRAS,
    QUESTION_TYPES,
    AnyQuestionType,
    MultiChoice,
    Number,
    Pair,
    QuestionType,
    Scale,
    SingleChoice,
    YesNo,
)

_OPTIONS = ("options", "options_file")
_RANGE = ("min", "max")
# The fields of each type, besides those that all types have.
FIELDS_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    YesNo.NAME: EXTRAS,
    SingleChoice.NAME: (*_OPTIONS, *EXTRAS),
    MultiChoice.NAME: (*_OPTIONS, "max_picks", "likely_share", *EXTRAS),
    Scale.NAME: (*_RANGE, "labels", "report", "mechanism", *EXTRAS),
    Number.NAME: (*_RANGE, "report", "point_masses", "mechanism", *EXTRAS),
}
OWN_FIELDS = (*_OPTIONS, "max_picks", "likely_share", *_RANGE, "labels", "report", "point_masses", "mechanism", *EXTRAS)

_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?", re.ASCII)

Q = TypeVar("Q", bound=QuestionType)


def read_type(fields: Fields, folder: Path | None) -> AnyQuestionType | None:
    """Read the type of a question; note all its errors."""
    name = fields["type"]
    if not isinstance(name, str) or name not in _READERS:
        fields.note("type", f"type must be one of: {', '.join(_READERS)}")
        return None
    for key in OWN_FIELDS:
        if key in fields and key not in FIELDS_OF_TYPE[name]:
            fields.note(key, f"{key} does not belong to the type {name}: remove it, or use {_types_with(key)}")
    return _with_mechanism(fields, _READERS[name](fields, folder))


def _types_with(key: str) -> str:
    return " or ".join(f"type: {name}" for name, keys in FIELDS_OF_TYPE.items() if key in keys)


def _read_yes_no(fields: Fields, _folder: Path | None) -> YesNo | None:
    return _with_extras(fields, YesNo())


def _read_single_choice(fields: Fields, folder: Path | None) -> SingleChoice | None:
    options = read_options(fields, folder)
    made = fields.attempt("options", lambda: SingleChoice(options)) if options is not None else None
    return _with_extras(fields, made)


def _read_multi_choice(fields: Fields, folder: Path | None) -> MultiChoice | None:
    options = read_options(fields, folder)
    made = fields.attempt("options", lambda: MultiChoice(options)) if options is not None else None
    return _with_extras(
        fields, _changed(fields, "max_picks", made, lambda question_type: replace(question_type, most=_picks(fields)))
    )


def _read_scale(fields: Fields, _folder: Path | None) -> Scale | None:
    low, high = _read_point(fields, "min", "1"), _read_point(fields, "max", "5")
    made = fields.attempt("max", lambda: Scale(low, high)) if low is not None and high is not None else None
    made = _changed(
        fields,
        "labels",
        made,
        lambda question_type: replace(question_type, point_labels=_read_labels(fields, question_type)),
    )
    return _with_extras(fields, _with_report(fields, made))


def _read_number(fields: Fields, _folder: Path | None) -> Number | None:
    low, high = _read_end(fields, "min", "0"), _read_end(fields, "max", "40")
    made = fields.attempt("max", lambda: Number(low, high)) if low is not None and high is not None else None
    made = _changed(
        fields,
        "point_masses",
        _with_report(fields, made),
        lambda question_type: replace(question_type, point_masses=_read_point_masses(fields)),
    )
    return _with_extras(fields, made)


_READERS: Mapping[str, Callable[[Fields, Path | None], AnyQuestionType | None]] = {
    YesNo.NAME: _read_yes_no,
    SingleChoice.NAME: _read_single_choice,
    MultiChoice.NAME: _read_multi_choice,
    Scale.NAME: _read_scale,
    Number.NAME: _read_number,
}
# A pair is read from its two questions (drafts.py).
assert {*_READERS, Pair.NAME} == set(QUESTION_TYPES), "every type of question has a reader"


def _changed(fields: Fields, key: str, question_type: Q | None, change: Callable[[Q], Q]) -> Q | None:
    """Return the type with one more field set, if the survey file has that field."""
    return (
        fields.attempt(key, lambda: change(question_type))
        if question_type is not None and key in fields
        else question_type
    )


def _with_report(fields: Fields, question_type: Q | None) -> Q | None:
    return _changed(fields, "report", question_type, lambda made: replace(made, report=fields["report"]))  # type: ignore[type-var]


def _with_extras(fields: Fields, question_type: Q | None) -> Q | None:
    offered = {extra for extra in EXTRAS if fields.flag(extra)} | ({DOES_NOT_APPLY} if "show_if" in fields else set())
    extras = tuple(extra for extra in EXTRAS if extra in offered)
    if question_type is None or not extras:
        return question_type
    return fields.attempt(extras[0], lambda: replace(question_type, extras=extras))  # type: ignore[type-var]


def _with_mechanism(fields: Fields, question_type: AnyQuestionType | None) -> AnyQuestionType | None:
    """Refuse a named mechanism that is not offered, or not for what the question reports."""
    if "mechanism" not in fields or question_type is None:
        return question_type
    if fields["mechanism"] not in NAMED or question_type.report != "mean":
        names = " or ".join(NAMED)
        fields.note(
            "mechanism", f"mechanism can be {names} with report: mean; leave it out, and the best one is chosen"
        )
        return None
    if question_type.extras:
        name = fields["mechanism"]
        fields.note(
            "mechanism", f"mechanism: {name} cannot be combined with decline or show_if: leave one of the two out"
        )
        return None
    return question_type


def _picks(fields: Fields) -> int:
    most = fields["max_picks"]
    if type(most) is not int:
        raise InvalidValue("max_picks must be a whole number from 1 to the number of options")
    return most


def _read_point(fields: Fields, key: str, example: str) -> int | None:
    if fields.is_missing(key, example):
        return None
    value = fields[key]
    if type(value) is not int:
        fields.note(key, f"{key} of a scale must be a whole number such as {example}")
        return None
    return value


def _read_end(fields: Fields, key: str, example: str) -> str | None:
    """Read an end of a range exactly, and return it in the only spelling that manifests have."""
    if fields.is_missing(key, example):
        return None
    spelled = _spelled(fields[key])
    if spelled is None:
        fields.note(key, f'{key} must be a number such as {example} or "-1.5", written without exponent')
    return spelled


def _read_point_masses(fields: Fields) -> tuple[str, ...]:
    """Read the numbers that are answers of their own, in increasing order."""
    values = fields["point_masses"]
    spelled = [_spelled(value) for value in values] if isinstance(values, list) else []
    numbers = [number for number in spelled if number is not None]
    if not numbers or len(numbers) < len(spelled):
        raise InvalidValue("point_masses must be a list of numbers such as [0], written without exponent")
    return tuple(sorted(numbers, key=Fraction))


def _spelled(value: object) -> str | None:
    """Return a number in the only spelling that manifests have; None if it is none."""
    text = value.text if isinstance(value, Inexact) else str(value)
    decimal = None if isinstance(value, bool | None) else _DECIMAL.fullmatch(text)
    if decimal is None or len(text) > 32:
        return None
    sign, whole, part = decimal.groups()
    spelled = f"{whole}.{part}" if part else whole
    return spelled if spelled == "0" else f"{sign}{spelled}"


def _read_labels(fields: Fields, scale: Scale) -> tuple[tuple[int, str], ...]:
    labels = fields.located("labels")
    if isinstance(labels.value, dict):
        named = [(_point(key, item), _label(item)) for key, item in labels.value.items()]
        return tuple(sorted(named, key=lambda label: label[0]))
    if not isinstance(labels.value, list) or len(labels.value) != len(scale.points):
        raise InvalidValue(
            f"labels must be a list of {len(scale.points)} texts, one for each point, or a map such as {{1: never}}"
        )
    return tuple(zip(scale.points, map(_label, labels.value), strict=True))


def _label(item: Located) -> str:
    cure = "write its text, or name some points only, in a map such as {1: never}"
    refuse_empty(item.value, "a label", line=item.line, cure=cure)
    # Whether it is a text is checked with the scale.
    return cast(str, item.value)


def _point(key: str, item: Located) -> int:
    if not re.fullmatch(r"-?\d{1,10}", key, re.ASCII):
        raise LocatedError(item.key_line, "a label belongs to a point of the scale: write a map such as {1: never}")
    return int(key)
