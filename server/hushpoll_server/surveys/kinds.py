"""Read the type of a question and what belongs to it: options, ends, labels, extras.

The law here: a field that does not belong to the type is an error, never silently without effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from hushpoll_server.surveys.fields import Fields
from hushpoll_server.surveys.located import Inexact, Located, LocatedError
from hushpoll_server.surveys.options import read_options
from hushpoll_shared.designs import Laplace
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import DOES_NOT_APPLY, EXTRAS, Kind, MultiChoice, Number, Scale, SingleChoice, YesNo

_OPTIONS = ("options", "options_file")
_RANGE = ("min", "max")
# What each type has besides the fields that all have. Extras of a number are read in order to explain the way round.
FIELDS_OF_TYPE: Mapping[str, tuple[str, ...]] = {
    YesNo.TYPE: EXTRAS,
    SingleChoice.TYPE: (*_OPTIONS, *EXTRAS),
    MultiChoice.TYPE: (*_OPTIONS, "max_picks", *EXTRAS),
    Scale.TYPE: (*_RANGE, "labels", "report", "mechanism", *EXTRAS),
    Number.TYPE: (*_RANGE, "report", "mechanism", *EXTRAS),
}
OWN_FIELDS = (*_OPTIONS, "max_picks", *_RANGE, "labels", "report", "mechanism", *EXTRAS)

_DECIMAL = re.compile(r"(-?)0*(\d+?)(?:\.(\d*?)0*)?", re.ASCII)

K = TypeVar("K", bound=Kind)


def read_kind(fields: Fields, folder: Path | None) -> Kind | None:
    """Read the type of a question; note all that is wrong with it."""
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
    return _with_extras(fields, _changed(fields, "max_picks", made, lambda kind: replace(kind, most=_picks(fields))))


def _read_scale(fields: Fields, _folder: Path | None) -> Scale | None:
    low, high = _read_point(fields, "min", "1"), _read_point(fields, "max", "5")
    made = fields.attempt("max", lambda: Scale(low, high)) if low is not None and high is not None else None
    made = _changed(fields, "labels", made, lambda kind: replace(kind, labels=_read_labels(fields, kind)))
    return _with_extras(fields, _with_report(fields, made))


def _read_number(fields: Fields, _folder: Path | None) -> Number | None:
    low, high = _read_end(fields, "min", "0"), _read_end(fields, "max", "40")
    made = fields.attempt("max", lambda: Number(low, high)) if low is not None and high is not None else None
    return _with_extras(fields, _with_report(fields, made))


_READERS: Mapping[str, Callable[[Fields, Path | None], Kind | None]] = {
    YesNo.TYPE: _read_yes_no,
    SingleChoice.TYPE: _read_single_choice,
    MultiChoice.TYPE: _read_multi_choice,
    Scale.TYPE: _read_scale,
    Number.TYPE: _read_number,
}


def _changed(fields: Fields, key: str, kind: K | None, change: Callable[[K], K]) -> K | None:
    """Make the same type with one more field, if that field is there."""
    return fields.attempt(key, lambda: change(kind)) if kind is not None and key in fields else kind


def _with_report(fields: Fields, kind: K | None) -> K | None:
    return _changed(fields, "report", kind, lambda made: replace(made, report=fields["report"]))  # type: ignore[type-var]


def _with_extras(fields: Fields, kind: K | None) -> K | None:
    wanted = {extra for extra in EXTRAS if fields.flag(extra)} | ({DOES_NOT_APPLY} if "show_if" in fields else set())
    extras = tuple(extra for extra in EXTRAS if extra in wanted)
    if kind is None or not extras:
        return kind
    return fields.attempt(extras[0], lambda: replace(kind, extras=extras))  # type: ignore[type-var]


def _with_mechanism(fields: Fields, kind: Kind | None) -> Kind | None:
    """Refuse a mechanism by name that is not offered, or not for what is reported."""
    if "mechanism" not in fields or kind is None:
        return kind
    if fields["mechanism"] != Laplace.NAME or getattr(kind, "report", None) != "mean":
        fields.note("mechanism", "mechanism can be laplace with report: mean; leave it out, and the best one is chosen")
        return None
    if kind.extras:  # type: ignore[attr-defined]
        fields.note("mechanism", "mechanism: laplace has no place for decline or show_if: leave one of the two out")
        return None
    return kind


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
    """Read an end of a range exactly, and give it in the one spelling of manifests."""
    if fields.is_missing(key, example):
        return None
    value = fields[key]
    text = value.text if isinstance(value, Inexact) else str(value)
    decimal = None if isinstance(value, bool | None) else _DECIMAL.fullmatch(text)
    if decimal is None or len(text) > 32:
        fields.note(key, f'{key} must be a number such as {example} or "-1.5", written without exponent')
        return None
    sign, whole, part = decimal.groups()
    spelled = f"{whole}.{part}" if part else whole
    return spelled if spelled == "0" else f"{sign}{spelled}"


def _read_labels(fields: Fields, scale: Scale) -> tuple[tuple[int, str], ...]:
    labels = fields.located("labels")
    if isinstance(labels.value, dict):
        named = [(_point(key, item), item.value) for key, item in labels.value.items()]
        return tuple(sorted(named, key=lambda label: label[0]))
    if not isinstance(labels.value, list) or len(labels.value) != len(scale.points):
        raise InvalidValue(
            f"labels must be a list of {len(scale.points)} texts, one for each point, or a map such as {{1: never}}"
        )
    return tuple(zip(scale.points, labels.plain(), strict=True))


def _point(key: str, item: Located) -> int:
    if not re.fullmatch(r"-?\d{1,10}", key, re.ASCII):
        raise LocatedError(item.key_line, "a label belongs to a point of the scale: write a map such as {1: never}")
    return int(key)
