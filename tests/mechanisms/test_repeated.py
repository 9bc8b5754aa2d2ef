"""Repeated waves: a permanent draw, and a fresh draw of it in every wave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import pytest
from tests.mechanisms import test_subset
from tests.mechanisms.cases import Case, Law, Row, Vector, choices
from tests.mechanisms.laws import mixture, threshold_of
from tests.mechanisms.real_law import odds_of, real_law
from tests.vectors.mechanisms import broken, drawn, mechanism_vectors

from hushpoll_client.permanent import Memory
from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Repeated, Subset

# The code of a real draw is the permanent draw, so the two are composed below and not enumerated as one.
CASES: tuple[Case, ...] = ()
STUDIED = {
    "repeated": (choices(16), Repeated(16, *(threshold_of(math.exp(epsilon), 1, 15) for epsilon in (4, 3)))),
}
SECRET = bytes(range(32))


def of(once: str, always: str, size: int) -> Repeated:
    return RepeatedMechanism.of(Bound.of_epsilon(once), Bound.of_epsilon(always), size)


def law(design: Repeated, code: int) -> Law:
    """Return the law: k-ary randomized response twice in a row."""
    first, second = (Subset(design.size, 1, threshold) for threshold in (design.permanent, design.instant))
    return mixture(
        (chance, test_subset.law(second, int(permanent, 16)))
        for permanent, chance in test_subset.law(first, code).items()
    )


def vectors() -> Vector:
    cases = []
    for size in (2, 4, 30):
        design = of("1", "2", size)
        memory = Memory(SECRET, "panel-a", f'{{"id":"question-{size}","text":"Grün?"}}', design)
        permanent, tags = memory.draws(), [memory.tag(code) for code in range(size)]
        case = drawn(design, permanent[size - 1], permanent[size - 1], f"repeated-{size}")
        about = {"secret": SECRET.hex(), "panel": memory.panel, "question": memory.question}
        cases.append({**about, "permanent": permanent, "tags": tags, "wave_epsilon": str(design.once), **case})
    wrong = broken(design, size=1, permanent="0", instant="1") + broken(design, permanent="5")
    about_all = "permanent draws of all answers by HMAC; then subset selection; code is the permanent draw"
    return mechanism_vectors(about_all, cases, wrong)


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_wave_is_the_composition_of_the_two_real_draws(size: int) -> None:
    design = of("1", "2", size)
    first = [real_law(design.first, code) for code in range(size)]
    composed = [
        mixture((chance, real_law(design, int(permanent, 16))) for permanent, chance in each.items()) for each in first
    ]
    assert composed == [law(design, code) for code in range(size)]
    assert odds_of(first) == design.odds
    assert odds_of(composed) == design.p / design.q
    assert composed[0]["0" * design.width] == design.p


@pytest.mark.parametrize("size", [2, 5, 16])
def test_one_wave_and_all_waves_have_the_stated_epsilons(size: int) -> None:
    design = of("1", "2.5", size)
    assert design.once <= Bound.of_epsilon("1").epsilon
    assert float(design.once) == pytest.approx(1, abs=1e-12)
    assert float(design.epsilon) == pytest.approx(2.5, abs=1e-12)
    if size == 2:
        assert math.tanh(0.5) == pytest.approx(math.tanh(1.25) * math.tanh(float(design.second.epsilon) / 2))


def test_a_wave_needs_a_smaller_epsilon_than_all_waves() -> None:
    with pytest.raises(InvalidValue, match="permanent epsilon must be above"):
        of("2", "2", 4)


# --- the tables of its page ------------------------------------------------------------------------------------------


def repeated_rows() -> Iterator[Row]:
    for size, (always, once) in product((2, 4, 16), (("2", "1"), ("4", "1"), ("4", "2"))):
        design = RepeatedMechanism.of(Bound.of_epsilon(once), Bound.of_epsilon(always), size)
        mechanism = mechanism_for(choices(size), design)
        epsilons = (f"{float(design.second.epsilon):.6f}", f"{float(design.once):.6f}")
        figures = (f"{mechanism.variance():.4f}", f"{mechanism.variance() / mechanism.lower_bound():.3f}")
        yield [str(size), always, once, *epsilons, *figures]


TABLES = {"k | ε∞": repeated_rows}
