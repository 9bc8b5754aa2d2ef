"""Read the truth about a survey's questions from JSON, as it is written to try a survey out.

    yes_no         0.3, or {"yes": 0.3, "decline": 0.1}: the rest is no
    single_choice  {"red": 0.5, "blue": 0.5}, or a list in the order of the options and extras
    multi_choice   {"bus": 0.4, "tram": 0.7}: ticked independently; too many ticks are drawn again
    scale          shares as for single_choice, or as for a number
    number         {"mean": 12}: everybody at one of the two ends; {"values": [1, 2, 5]}: equally likely;
                   {"low": 5, "high": 10}: all between, equally likely; "decline": 0.1 beside them
    pair           both parts under their own ids, then independent; or {"yes × blue": 0.2, …} under the pair's id

The rule here: a message names the question and the cure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from hushpoll_server.simulate.population import ChoiceTruth, ExtrasTruth, TicksTruth, Truth, UniformTruth, ValuesTruth
from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms.domains import Numbers, Ticks
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question

Shares = tuple[Fraction, ...]

# Shares are written with limited precision and need not add up to 1 exactly.
TOLERANCE = Fraction(1, 10**9)
FORMS = ({"mean"}, {"values"}, {"low", "high"})


def read_truth(data: bytes, manifest: Manifest) -> dict[str, Truth]:
    """Read the truth about every question of a survey."""
    try:
        entries = strict_json.loads_with_fractions(data)
    except strict_json.StrictJSONError as error:
        raise InvalidValue(f'the truth must be JSON such as {{"cheated": 0.3}}: {error}') from None
    names = [name for question in manifest.questions for name in _names(question, entries)]
    if not isinstance(entries, dict) or entries.keys() != set(names):
        raise InvalidValue(f"the truth must have exactly these entries: {', '.join(sorted(names))}")
    return {question.id: _read_question(question, entries) for question in manifest.questions}


def _names(question: Question, entries: object) -> tuple[str, ...]:
    """Return the names of a question's entries: its own, or those of a pair's parts if the pair has none."""
    return (question.id,) if isinstance(entries, dict) and question.id in entries else question.answer_ids


def _read_question(question: Question, entries: Mapping[str, Any]) -> Truth:
    question_type, name = question.type, question.id
    match question_type.domain:
        case Ticks():
            return TicksTruth(name, question_type, _named_shares(name, question_type.cells, entries[name]))
        case Numbers(points=None):
            return _read_number(name, question_type, entries[name])
        case Numbers(points=int()):
            return _points_truth(name, question_type, read_shares(name, question_type, entries[name]))
    if question_type.parts and name not in entries:
        first, second = (read_shares(part.id, part.type, entries[part.id]) for part in question_type.parts)
        return ChoiceTruth(question, tuple(one * other for one, other in product(first, second)))
    return ChoiceTruth(question, read_shares(name, question_type, entries[name]))


def _points_truth(name: str, question_type: QuestionType, shares: Shares) -> Truth:
    """Return the truth about a scale whose mean is estimated, from the shares of its points and extras."""
    scale = _points(question_type)
    points, extras = shares[: len(scale)], shares[len(scale) :]
    numbers = sum(points, start=Fraction(0)) or Fraction(1)
    truth = ValuesTruth(name, tuple(scale), tuple(share / numbers for share in points))
    return ExtrasTruth(name, question_type.extras, extras, truth) if question_type.extras else truth


def read_shares(name: str, question_type: QuestionType, entry: Any) -> Shares:
    """Read the shares of answers that exclude each other."""
    if question_type.is_yes_no:
        return _yes_no_shares(name, question_type, entry)
    if question_type.points and isinstance(entry, dict) and entry.keys() - {*question_type.extras} in FORMS:
        return _point_shares(name, question_type, entry)
    if isinstance(entry, list):
        if len(entry) != len(question_type.cells):
            raise InvalidValue(
                f"question {name}: a list must give {len(question_type.cells)} shares, one for each answer"
            )
        entry = dict(zip(question_type.cells, entry, strict=True))
    return _complete(name, _named_shares(name, question_type.cells, entry))


def _yes_no_shares(name: str, question_type: QuestionType, entry: Any) -> Shares:
    shares = {"yes": entry} if _is_number(entry) else entry
    if not isinstance(shares, dict):
        raise InvalidValue(f'question {name}: give the share of yes between 0 and 1, or {{"yes": 0.3}}')
    if "no" in shares:
        return _complete(name, _named_shares(name, question_type.cells, shares))
    _, *others = _named_shares(name, question_type.cells, shares)
    if sum(others) > 1:
        raise InvalidValue(f"question {name}: its shares are above 1 together: lower them, the rest is no")
    return (1 - sum(others, start=Fraction(0)), *others)


def _named_shares(name: str, cells: Sequence[str], entry: Any) -> Shares:
    """Read shares by name; answers that are not named have share 0."""
    if not isinstance(entry, dict):
        raise InvalidValue(f'question {name}: give shares by answer, such as {{"{cells[0]}": 0.5}}')
    if entry.keys() - set(cells):
        raise InvalidValue(f"question {name}: there is no such answer: give shares for {_some(cells)}")
    if not all(_is_number(share) and 0 <= share <= 1 for share in entry.values()):
        raise InvalidValue(f"question {name}: shares are numbers between 0 and 1")
    return tuple(Fraction(entry.get(cell, 0)) for cell in cells)


def _complete(name: str, shares: Shares) -> Shares:
    """Return shares that add up to 1 exactly; refuse those that are off by more than rounding."""
    total = sum(shares, start=Fraction(0))
    if abs(total - 1) > TOLERANCE:
        raise InvalidValue(f"question {name}: its shares add up to {float(total):.10g}: they must add up to 1")
    return tuple(share / total for share in shares)


def _point_shares(name: str, question_type: QuestionType, entry: Mapping[str, Any]) -> Shares:
    """Return the shares of a scale's points and extras from a mean, values or a range."""
    points = list(_points(question_type))
    if "mean" in entry:
        low, high = _two_points(name, question_type, entry["mean"])
        shares = {points[0]: low, points[-1]: high}
    elif "values" in entry:
        values = _read_values(name, question_type, entry["values"])
        if not all(value in points for value in values):
            raise InvalidValue(f"question {name}: values must be points of the scale, {points[0]} to {points[-1]}")
        shares = {point: Fraction(values.count(point), len(values)) for point in points}
    else:
        low_end, high_end = _read_range(name, question_type, entry)
        inside = [point for point in points if low_end <= point <= high_end]
        shares = {point: Fraction(1, len(inside)) for point in inside}
    extras = _extra_shares(name, question_type, entry)
    rest = 1 - sum(extras, start=Fraction(0))
    return (*(rest * shares.get(point, Fraction(0)) for point in points), *extras)


def _extra_shares(name: str, question_type: QuestionType, entry: Mapping[str, Any]) -> Shares:
    """Read the shares of the extras beside a mean, values or a range."""
    named = {extra: entry[extra] for extra in question_type.extras if extra in entry}
    shares = _named_shares(name, question_type.extras, named)
    if sum(shares) > 1:
        raise InvalidValue(f"question {name}: the extras have shares above 1 together: lower them")
    return shares


def _read_number(name: str, question_type: QuestionType, entry: Any) -> Truth:
    if not isinstance(entry, dict) or entry.keys() - {*question_type.extras} not in FORMS:
        raise InvalidValue(f'question {name}: give {{"mean": …}}, {{"values": […]}} or {{"low": …, "high": …}}')
    truth = _read_numbers(name, question_type, entry)
    return (
        ExtrasTruth(name, question_type.extras, _extra_shares(name, question_type, entry), truth)
        if question_type.extras
        else truth
    )


def _read_numbers(name: str, question_type: QuestionType, entry: Mapping[str, Any]) -> Truth:
    low, high = question_type.range
    if "mean" in entry:
        return ValuesTruth(name, (float(low), float(high)), _two_points(name, question_type, entry["mean"]))
    if "values" in entry:
        values = _read_values(name, question_type, entry["values"])
        return ValuesTruth(name, tuple(values), (Fraction(1, len(values)),) * len(values))
    return UniformTruth(name, *_read_range(name, question_type, entry))


def _two_points(name: str, question_type: QuestionType, mean: Any) -> tuple[Fraction, Fraction]:
    """Return the shares of the two ends that give this mean."""
    low, high = question_type.range
    share = (Fraction(_inside(name, question_type, mean)) - low) / (high - low)
    return 1 - share, share


def _read_values(name: str, question_type: QuestionType, values: Any) -> list[int | float]:
    if not isinstance(values, list) or not values:
        raise InvalidValue(f"question {name}: values must be a list of numbers")
    return [_inside(name, question_type, value) for value in values]


def _read_range(name: str, question_type: QuestionType, entry: Mapping[str, Any]) -> tuple[float, float]:
    low, high = (_inside(name, question_type, entry[end]) for end in ("low", "high"))
    if low > high or (question_type.points and math.ceil(low) > math.floor(high)):
        raise InvalidValue(f"question {name}: there is nothing between low and high: give the lower one first")
    return low, high


def _inside(name: str, question_type: QuestionType, value: Any) -> int | float:
    low, high = question_type.range
    if not _is_number(value) or not low <= value <= high:
        raise InvalidValue(
            f"question {name}: give numbers from " + "{min} to {max}".format_map(question_type.range_texts)
        )
    return value  # type: ignore[no-any-return]


def _points(question_type: QuestionType) -> range:
    assert question_type.points is not None, "only a scale has points"
    return question_type.points


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:12])} and so on"
