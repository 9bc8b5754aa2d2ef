"""Building blocks of the vectors of all mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.mechanisms.cases import Case, Vector
from tests.vectors.streams import FixedTestStream

from hushpoll_client.mechanisms import draw
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.mechanisms.grid import position

DRAWS = 8


def mechanism_vectors(
    about: str, cases: Sequence[Vector], refused: Sequence[Vector], exact: Sequence[Vector] = ()
) -> Vector:
    """Return the vectors of a mechanism: how it draws, draws, what people are told, what is refused, small designs."""
    # The same design is in several cases: what people are told about it is written once.
    designs = list({str(case["mechanism"]): case["mechanism"] for case in cases}.values())
    told = [_told(fields) for fields in designs]
    return {"about": about, "cases": list(cases), "told": told, "refused": refused, "exact": list(exact)}


def exact(cases: Sequence[Case]) -> list[Vector]:
    """Return small designs with all their codes, and the random numbers that a draw takes: the same on every path.

    A client in another language can make every draw of such a design, and compare the worst ratio with the odds.
    """
    return [_exact(case.design("1"), case.codes) for case in cases]


def _exact(design: Design, codes: Sequence[Any]) -> Vector:
    from tests.mechanisms.real_law import paths

    [steps] = {tuple(forks.steps) for code in codes for _, forks in paths(design, code)}
    outputs = len({drawn for drawn, _ in paths(design, codes[0])})
    return {
        "mechanism": design.to_json(),
        "codes": [_written(code) for code in codes],
        "steps": [[what, str(number)] for what, number in steps],
        "outputs": outputs,
    }


def _written(code: Any) -> Any:
    if isinstance(code, Fraction):
        return {"min": "0", "max": str(code.denominator), "value": code.numerator}
    return list(code) if isinstance(code, tuple) else code


def drawn(design: Design, code: Any, written: Any, seed: str) -> Vector:
    """Return draws from one stream, and how many bytes they took."""
    source = FixedTestStream(seed)
    draws = [draw(design, source, code) for _ in range(DRAWS)]
    return {"mechanism": design.to_json(), "code": written, "seed": seed, "draws": draws, "bytes": source.taken}


def categories(designs: Sequence[Any]) -> list[Vector]:
    """Return draws for the first, a middle and the last category."""
    return [
        drawn(design, code, code, f"{design.NAME}-{i}-{code}")
        for i, design in enumerate(designs)
        for code in sorted({0, design.size // 2, design.size - 1})
    ]


def ticks(designs: Sequence[Any], answers: Sequence[Sequence[int]]) -> list[Vector]:
    """Return draws for these ticked options."""
    return [
        drawn(design, _bits(design.options, ticked), list(_bits(design.options, ticked)), f"{design.NAME}-{i}-{j}")
        for i, design in enumerate(designs)
        for j, ticked in enumerate(answers)
    ]


def numbers(designs: Sequence[Any]) -> list[Vector]:
    """Return draws for numbers in two ranges, some at the ends and some beyond them."""
    ranges: list[tuple[str, str, list[float]]] = [
        ("0", "40", [0, 40, 7.1, 39.99, -3, 1e300, 20]),
        ("-1.5", "2.25", [0.1, -1.5, 5e-324]),
    ]
    return [
        drawn(design, position(value, Fraction(low), Fraction(high)), {"min": low, "max": high, "value": value}, seed)
        for i, design in enumerate(designs)
        for low, high, values in ranges
        for value in values
        for seed in [f"{design.NAME}-{i}-{low}-{value}"]
    ]


def extras(design: Any) -> list[Vector]:
    """Return draws for extras, whose code is their place among the extras."""
    return [drawn(design, code, code, f"{design.NAME}-extra-{code}") for code in range(design.extras)]


def broken(design: Design, **changes: Any) -> list[Vector]:
    """Return the mechanism with one field wrong at a time, including an epsilon that is too small and a wrong ratio."""
    fields = design.to_json()
    everywhere = {"name": "unknown", "odds": "1:1", "epsilon": "0.0001"}
    cases = [({**fields, key: value}, key) for key, value in {**everywhere, **changes}.items()]
    cases.append(({**fields, "extra": 1}, "extra"))
    cases.append(({key: value for key, value in fields.items() if key != "epsilon"}, "no epsilon"))
    return [{"mechanism": mechanism, "why": why} for mechanism, why in cases]


def _bits(size: int, ticked: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(option in ticked) for option in range(size))


def _told(fields: dict[str, Any]) -> Vector:
    from hushpoll_shared.mechanisms import read_design

    design = read_design(fields)
    sent = {name: design.sent_sentence(name).to_json() for name in ("yes_no", "single_choice")}
    return {"mechanism": fields, "odds": design.odds_sentence().to_json(), "sent": sent}
