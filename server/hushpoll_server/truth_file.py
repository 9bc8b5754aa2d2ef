"""Read the truth about a survey's questions from JSON, as somebody writes it who wants to try the survey out.

    yes_no         0.3, or {"yes": 0.3, "decline": 0.1}: the rest is no
    single_choice  {"red": 0.5, "blue": 0.5}, or a list in the order of the options and extras
    multi_choice   {"bus": 0.4, "tram": 0.7}: ticked independently; too many ticks are drawn again
    scale          shares as for single_choice, or as for a number
    number         {"mean": 12}: everybody at one of the two ends; {"values": [1, 2, 5]}: equally likely;
                   {"low": 5, "high": 10}: all between, equally likely; "decline": 0.1 beside them
    pair           both parts under their own ids, then independent; or {"yes × blue": 0.2, …} under the pair's id

Law kept here: a message names the question and the cure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, TypeGuard

from hushpoll_server.answers import ends_of
from hushpoll_server.truth import ChoiceTruth, ExtrasTruth, TicksTruth, Truth, UniformTruth, ValuesTruth
from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Choice, MultiChoice, Number, Pair, Question, Scale, YesNo

Shares = tuple[Fraction, ...]

# Shares that are written with a few digits need not add up to 1 exactly.
TOLERANCE = Fraction(1, 10**9)
FORMS = ({"mean"}, {"values"}, {"low", "high"})


def read_truth(data: bytes, manifest: Manifest) -> dict[str, Truth]:
    """Read the truth about every question of a survey."""
    try:
        given = strict_json.loads_with_fractions(data)
    except strict_json.StrictJSONError as error:
        raise InvalidValue(f'the truth must be JSON such as {{"cheated": 0.3}}: {error}') from None
    names = [name for question in manifest.questions for name in _names(question, given)]
    if not isinstance(given, dict) or given.keys() != set(names):
        raise InvalidValue(f"the truth must be about each of these, and no other: {', '.join(sorted(names))}")
    return {question.id: _read_question(question, given) for question in manifest.questions}


def _names(question: Question, given: object) -> tuple[str, ...]:
    """Give the names under which a question is looked up: a pair's own if it is there, else those of its parts."""
    return (question.id,) if isinstance(given, dict) and question.id in given else question.answer_ids


def _read_question(question: Question, given: Mapping[str, Any]) -> Truth:
    kind, name = question.kind, question.id
    if isinstance(kind, MultiChoice):
        return TicksTruth(name, kind, _named_shares(name, kind.cells, given[name]))
    if isinstance(kind, Number):
        return _read_number(name, kind, given[name])
    if isinstance(kind, Pair) and name not in given:
        first, second = (read_shares(part.id, part.kind, given[part.id]) for part in kind.parts)
        return ChoiceTruth(question, tuple(one * other for one, other in product(first, second)))
    assert isinstance(kind, Choice)
    shares = read_shares(name, kind, given[name])
    return _points_truth(name, kind, shares) if _asks_mean(kind) else ChoiceTruth(question, shares)


def _asks_mean(kind: Choice) -> TypeGuard[Scale]:
    return isinstance(kind, Scale) and kind.report == "mean"


def _points_truth(name: str, kind: Scale, shares: Shares) -> Truth:
    """Give the truth about a scale whose mean is asked, from the shares of its points and extras."""
    points, extras = shares[: len(kind.points)], shares[len(kind.points) :]
    given = sum(points, start=Fraction(0)) or Fraction(1)
    truth = ValuesTruth(name, tuple(kind.points), tuple(share / given for share in points))
    return ExtrasTruth(name, kind.extras, extras, truth) if kind.extras else truth


def read_shares(name: str, kind: Choice, given: Any) -> Shares:
    """Read the shares of answers that exclude each other."""
    if isinstance(kind, YesNo):
        return _yes_no_shares(name, kind, given)
    if isinstance(kind, Scale) and isinstance(given, dict) and given.keys() - {*kind.extras} in FORMS:
        return _point_shares(name, kind, given)
    if isinstance(given, list):
        if len(given) != len(kind.cells):
            raise InvalidValue(f"question {name}: a list must give {len(kind.cells)} shares, one for each answer")
        given = dict(zip(kind.cells, given, strict=True))
    return _complete(name, _named_shares(name, kind.cells, given))


def _yes_no_shares(name: str, kind: YesNo, given: Any) -> Shares:
    shares = {"yes": given} if _is_number(given) else given
    if not isinstance(shares, dict):
        raise InvalidValue(f'question {name}: give the share of yes between 0 and 1, or {{"yes": 0.3}}')
    if "no" in shares:
        return _complete(name, _named_shares(name, kind.cells, shares))
    _, *others = _named_shares(name, kind.cells, shares)
    if sum(others) > 1:
        raise InvalidValue(f"question {name}: its shares are above 1 together: lower them, the rest is no")
    return (1 - sum(others, start=Fraction(0)), *others)


def _named_shares(name: str, cells: Sequence[str], given: Any) -> Shares:
    """Read shares by name; what is not named has none."""
    if not isinstance(given, dict):
        raise InvalidValue(f'question {name}: give shares by answer, such as {{"{cells[0]}": 0.5}}')
    if given.keys() - set(cells):
        raise InvalidValue(f"question {name}: there is no such answer: give shares for {_some(cells)}")
    if not all(_is_number(share) and 0 <= share <= 1 for share in given.values()):
        raise InvalidValue(f"question {name}: shares are numbers between 0 and 1")
    return tuple(Fraction(given.get(cell, 0)) for cell in cells)


def _complete(name: str, shares: Shares) -> Shares:
    """Refuse shares that do not add up to 1; take out what a few digits leave."""
    total = sum(shares, start=Fraction(0))
    if abs(total - 1) > TOLERANCE:
        raise InvalidValue(f"question {name}: its shares add up to {float(total):.10g}: they must add up to 1")
    return tuple(share / total for share in shares)


def _point_shares(name: str, kind: Scale, given: Mapping[str, Any]) -> Shares:
    """Turn a mean, values or a range into the shares of a scale's points."""
    points = list(kind.points)
    if "mean" in given:
        low, high = _two_points(name, kind, given["mean"])
        shares = {points[0]: low, points[-1]: high}
    elif "values" in given:
        values = _read_values(name, kind, given["values"])
        if not all(value in kind.points for value in values):
            raise InvalidValue(f"question {name}: values must be points of the scale, {kind.min} to {kind.max}")
        shares = {point: Fraction(values.count(point), len(values)) for point in points}
    else:
        low_end, high_end = _read_range(name, kind, given)
        inside = [point for point in points if low_end <= point <= high_end]
        shares = {point: Fraction(1, len(inside)) for point in inside}
    extras = _extra_shares(name, kind, given)
    rest = 1 - sum(extras, start=Fraction(0))
    return (*(rest * shares.get(point, Fraction(0)) for point in points), *extras)


def _extra_shares(name: str, kind: Number | Scale, given: Mapping[str, Any]) -> Shares:
    """Read the shares of the extras that stand beside a mean, values or a range."""
    named = {extra: given[extra] for extra in kind.extras if extra in given}
    shares = _named_shares(name, kind.extras, named)
    if sum(shares) > 1:
        raise InvalidValue(f"question {name}: the extras have shares above 1 together: lower them")
    return shares


def _read_number(name: str, kind: Number, given: Any) -> Truth:
    if not isinstance(given, dict) or given.keys() - {*kind.extras} not in FORMS:
        raise InvalidValue(f'question {name}: give {{"mean": …}}, {{"values": […]}} or {{"low": …, "high": …}}')
    truth = _read_given_numbers(name, kind, given)
    return ExtrasTruth(name, kind.extras, _extra_shares(name, kind, given), truth) if kind.extras else truth


def _read_given_numbers(name: str, kind: Number, given: Mapping[str, Any]) -> Truth:
    if "mean" in given:
        return ValuesTruth(name, (float(kind.low), float(kind.high)), _two_points(name, kind, given["mean"]))
    if "values" in given:
        values = _read_values(name, kind, given["values"])
        return ValuesTruth(name, tuple(values), (Fraction(1, len(values)),) * len(values))
    return UniformTruth(name, *_read_range(name, kind, given))


def _two_points(name: str, kind: Number | Scale, mean: Any) -> tuple[Fraction, Fraction]:
    """Give the shares of the two ends that have this mean."""
    low, high = ends_of(kind)
    share = (Fraction(_inside(name, kind, mean)) - low) / (high - low)
    return 1 - share, share


def _read_values(name: str, kind: Number | Scale, values: Any) -> list[int | float]:
    if not isinstance(values, list) or not values:
        raise InvalidValue(f"question {name}: values must be a list of numbers")
    return [_inside(name, kind, value) for value in values]


def _read_range(name: str, kind: Number | Scale, given: Mapping[str, Any]) -> tuple[float, float]:
    low, high = (_inside(name, kind, given[end]) for end in ("low", "high"))
    if low > high or (isinstance(kind, Scale) and math.ceil(low) > math.floor(high)):
        raise InvalidValue(f"question {name}: there is nothing between low and high: give the lower one first")
    return low, high


def _inside(name: str, kind: Number | Scale, value: Any) -> int | float:
    low, high = ends_of(kind)
    if not _is_number(value) or not low <= value <= high:
        raise InvalidValue(f"question {name}: give numbers from {kind.min} to {kind.max}")
    return value  # type: ignore[no-any-return]


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:12])} and so on"
