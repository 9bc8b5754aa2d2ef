"""The contract of every mechanism: privacy, extremes, unbiasedness, variance, vectors, wire, refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from tests.support.laws import Law, law, odds_of
from tests.support.make_design_vectors import exact_channel, wide_channel
from tests.support.streams import FixedTestStream
from tests.support.vectors import vectors

from hushpoll_client.draw import DRAW_OF_DESIGN
from hushpoll_server.estimate.repeats import log_likeliest
from hushpoll_server.plan.choose import choose_design
from hushpoll_shared.designs import (
    DESIGNS,
    Ball,
    Bound,
    Channel,
    Design,
    Padded,
    Projective,
    Repeated,
    Subset,
    Warner,
    Wave,
    read_design,
)
from hushpoll_shared.designs.grid import position
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import EXTRAS, Number, Scale

EPSILONS = ("0.1", "0.5", "1", "2", "4")
DECLINABLE = Scale(1, 5, (), "mean", EXTRAS)
NOTHING, EVERYTHING = "0.0001", "20"


@dataclass(frozen=True)
class Case:
    """A family of designs on a domain that is small enough to be enumerated."""

    name: str
    make: Callable[[Bound], Design]
    codes: tuple[Any, ...]

    def __str__(self) -> str:
        return self.name

    def design(self, epsilon: str) -> Design:
        return self.make(Bound.of_epsilon(epsilon))

    def laws(self, epsilon: str) -> list[Law]:
        design = self.design(epsilon)
        return [law(design, code) for code in self.codes]


def places(count: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(i, count - 1) for i in range(count))


def subsets(size: int, most: int) -> tuple[tuple[int, ...], ...]:
    return tuple(bits for bits in product((0, 1), repeat=size) if sum(bits) <= most)


CATEGORIES = (
    Case("warner", lambda bound: Warner.from_epsilon(str(bound.epsilon)), (0, 1)),
    Case("k-ary", lambda bound: Subset.from_bound(bound, 4, picks=1), tuple(range(4))),
    Case("subset", lambda bound: Subset.from_bound(bound, 5, picks=2), tuple(range(5))),
    Case("best subset", lambda bound: Subset.from_bound(bound, 6), tuple(range(6))),
    Case("projective plane", lambda bound: of_field(bound, 3, 3, 11), tuple(range(11))),
    Case("projective space", lambda bound: of_field(bound, 2, 4, 15), tuple(range(15))),
)
TICKS = (
    Case("ball", lambda bound: Ball.from_bound(bound, 4), subsets(4, 4)),
    Case("padded", lambda bound: Padded.from_bound(bound, 4, 2), subsets(4, 2)),
    Case("padded, many picks", lambda bound: padded_with(bound, 3), subsets(4, 2)),
)
NUMBERS = (
    Case("channel on points", lambda bound: choose_design(Scale(1, 5, (), "mean"), bound), places(5)),
    Case("wave", lambda bound: Wave.from_bound(bound, 6, 1), places(6)),
    Case("wave with extras", lambda bound: Wave.from_bound(bound, 5, 1, 2), (*places(5), 0, 1)),
    Case("channel with extras", lambda bound: choose_design(DECLINABLE, bound), (*places(5), 0, 1)),
)
EVERY = (*CATEGORIES, *TICKS, *NUMBERS)


def of_field(bound: Bound, field: int, dimension: int, size: int) -> Projective:
    from hushpoll_shared.designs.projective import number_of_points
    from hushpoll_shared.designs.two_weights import largest_threshold

    inside = number_of_points(dimension - 1, field)
    return Projective(size, field, dimension, largest_threshold(bound, inside, field ** (dimension - 1)))


def padded_with(bound: Bound, picks: int) -> Padded:
    return Padded._with_picks(bound, 4, 2, picks)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_worst_ratio_of_the_real_draws_is_exactly_the_claimed_odds(case: Case, epsilon: str) -> None:
    laws = case.laws(epsilon)
    assert all(sum(each.values()) == 1 for each in laws)
    assert odds_of(laws) == case.design(epsilon).odds


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_realised_epsilon_is_never_above_the_stated_one_and_close_to_it(case: Case, epsilon: str) -> None:
    stated, realised = Bound.of_epsilon(epsilon).epsilon, case.design(epsilon).epsilon
    assert realised <= stated
    assert float(realised) == pytest.approx(float(stated), abs=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_likeliest_draw_is_exactly_as_likely_as_the_alarm_for_equal_reports_takes_it(
    case: Case, epsilon: str
) -> None:
    design, likeliest = case.design(epsilon), max(max(each.values()) for each in case.laws(epsilon))
    assert math.exp(log_likeliest(design)) == pytest.approx(float(likeliest), rel=1e-12)


def test_every_design_says_how_likely_its_likeliest_draw_is() -> None:
    assert all(log_likeliest.dispatch(design) is not log_likeliest.dispatch(object) for design in DESIGNS.values())


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_an_epsilon_near_zero_teaches_nothing(case: Case) -> None:
    laws = case.laws(NOTHING)
    assert all(sum(abs(each[d] - laws[0][d]) for d in each) / 2 < Fraction(1, 10_000) for each in laws)


@pytest.mark.parametrize("case", CATEGORIES, ids=str)
def test_an_epsilon_of_20_is_the_truth(case: Case) -> None:
    design: Any = case.design(EVERYTHING)
    assert design.p > 1 - Fraction(1, 10**6)


def test_an_epsilon_of_20_is_the_truth_for_ticks_and_numbers() -> None:
    ball: Any = TICKS[0].design(EVERYTHING)
    assert ball.asked == 4
    assert ball.p > 1 - Fraction(1, 10**6)
    assert choose_design(Scale(1, 5, (), "mean"), Bound.of_epsilon(EVERYTHING)).variance() < 1e-6 + 1 / 16
    wave: Any = Wave.from_bound(Bound.of_epsilon(EVERYTHING), 6, 0)
    assert wave.keep > 1 - Fraction(1, 10**6)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", CATEGORIES, ids=str)
def test_a_report_supports_the_truth_with_p_and_every_other_category_with_q(case: Case, epsilon: str) -> None:
    design: Any = case.design(epsilon)
    for truth, each in zip(case.codes, case.laws(epsilon), strict=True):
        for category in case.codes:
            supported = sum(p for drawn, p in each.items() if supports(design, drawn, category))
            assert supported == (design.p if category == truth else design.q)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", TICKS, ids=str)
def test_an_option_is_supported_with_p_if_it_is_ticked_and_with_q_if_not(case: Case, epsilon: str) -> None:
    design: Any = case.design(epsilon)
    for ticks, each in zip(case.codes, case.laws(epsilon), strict=True):
        for option, tick in enumerate(ticks):
            asked = sum(p for drawn, p in each.items() if was_asked(design, drawn, option))
            supported = sum(p for drawn, p in each.items() if str(option) in design.supported_cells(drawn))
            assert supported / asked == (design.p if tick else design.q)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", CATEGORIES, ids=str)
def test_the_stated_variance_is_that_of_the_enumerated_reports(case: Case, epsilon: str) -> None:
    design: Any = case.design(epsilon)
    size = len(case.codes)
    rates = [
        sum(p for each in case.laws(epsilon) for drawn, p in each.items() if supports(design, drawn, category)) / size
        for category in case.codes
    ]
    total = sum(rate * (1 - rate) for rate in rates) / (design.p - design.q) ** 2
    assert design.variance() == pytest.approx(float(total), rel=1e-12)
    assert design.variance() >= design.lower_bound() * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_channel_has_the_truth_as_its_mean_and_the_stated_variance(epsilon: str) -> None:
    [case] = [case for case in NUMBERS if case.name == "channel on points"]
    design: Any = case.design(epsilon)
    for point, each in enumerate(case.laws(epsilon)):
        values = [(Fraction(design.values[int(str(drawn), 16)], design.unit), p) for drawn, p in each.items()]
        mean = sum((value * p for value, p in values), Fraction(0))
        assert abs(mean - point) < Fraction(1, 10**12)
        variance = float(sum((value - mean) ** 2 * p for value, p in values)) / 4
        assert variance <= design.variance_at_points() * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_mean_output_of_a_wave_rises_by_its_slope(epsilon: str) -> None:
    [case] = [case for case in NUMBERS if case.name == "wave"]
    design: Any = case.design(epsilon)
    means = [sum(int(str(drawn), 16) * p for drawn, p in each.items()) for each in case.laws(epsilon)]
    assert {after - before for before, after in pairwise(means)} == {design.slope}


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_wave_of_a_repeated_question_is_the_composition_of_its_two_draws(size: int) -> None:
    design = Repeated.from_bounds(Bound.of_epsilon("1"), Bound.of_epsilon("2"), size)
    first = [law(design.first, code) for code in range(size)]
    second = [law(design.second, code) for code in range(size)]
    composed: list[Law] = [
        {report: sum((p * second[int(str(z), 16)][report] for z, p in each.items()), Fraction(0)) for report in each}
        for each in first
    ]
    assert odds_of(first) == design.odds
    assert odds_of(composed) == design.p / design.q
    assert design.once <= Bound.of_epsilon("1").epsilon
    assert float(design.once) == pytest.approx(1, abs=1e-12)
    assert composed[0][composed_key(size, 0)] == design.p


def composed_key(size: int, code: int) -> str:
    return f"{code:0{len(f'{size - 1:x}')}x}"


def test_laplace_noise_has_the_claimed_odds_over_the_whole_range() -> None:
    design: Any = choose_design(Number("0", "1"), Bound.of_epsilon("1"), mechanism="laplace")
    alpha = Fraction(design.threshold, 2**64)
    # P(noise = k) = (1 − α)/(1 + α)·α^|k|; the tails are gathered at the ends.
    reach, steps = 5, design.steps

    def clamped(truth: int, output: int) -> Fraction:
        if output in (-reach, steps + reach):
            return alpha ** abs(output - truth) / (1 + alpha)
        return alpha ** abs(output - truth) * (1 - alpha) / (1 + alpha)

    outputs = range(-reach, steps + reach + 1)
    assert sum(clamped(3, output) for output in outputs) == 1
    worst = max(clamped(0, o) / clamped(steps, o) for o in outputs)
    assert worst == design.odds
    assert design.epsilon <= Bound.of_epsilon("1").epsilon


def vector_cases() -> Iterator[Any]:
    for name in DESIGNS:
        if name != "warner":
            yield from (pytest.param(case, id=f"{name}-{i}") for i, case in enumerate(vectors(name)["cases"]))


@pytest.mark.parametrize("case", list(vector_cases()))
def test_the_draws_are_those_of_the_vectors(case: Any) -> None:
    design, code = read_design(case["mechanism"]), case["code"]
    if isinstance(code, dict):
        code = position(code["value"], Fraction(code["min"]), Fraction(code["max"]))
    source = FixedTestStream(case["seed"])
    drawn = [DRAW_OF_DESIGN[type(design)](design, source, code) for _ in case["draws"]]
    assert (drawn, source.taken) == (case["draws"], case["bytes"])
    assert design.to_json() == case["mechanism"]
    assert all(design.is_draw(each) and len(str(each)) == design.width for each in drawn)


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "warner"])
def test_a_mechanism_that_claims_what_its_integers_do_not_give_is_refused(name: str) -> None:
    for case in vectors(name)["refused"]:
        with pytest.raises(InvalidValue):
            read_design(case["mechanism"])


@pytest.mark.parametrize("case", [*EVERY, Case("exact channel", lambda _: exact_channel(), places(3))], ids=str)
def test_hostile_draws_are_refused(case: Case) -> None:
    design = case.design("1")
    good = next(iter(law(design, case.codes[0])))
    hostile: list[object] = [
        -1, 2, 1000, 1.0, True, None, [], [0] * 1000, {}, "", "-1", "0" * 1000, "zz", " ", "０", "0x1",
        str(good) + "0", str(good)[:-1], design.blank, str(good).upper() + " ", json.dumps(good) + "\n",
    ]  # fmt: skip
    assert design.is_draw(good)
    assert not [value for value in hostile if design.is_draw(value)]


@pytest.mark.parametrize("case", [case for case in CATEGORIES if "subset" in case.name], ids=str)
def test_a_set_with_too_many_members_or_members_outside_is_refused(case: Case) -> None:
    design: Any = case.design("0.1")
    width = design.width
    assert not design.is_draw("f" * width)
    assert not design.is_draw("0" * width)
    assert not design.is_draw("0" * (width - 1) + "3")


@pytest.mark.parametrize("channel", [exact_channel(), wide_channel()], ids=["exact", "wide"])
def test_a_number_between_two_points_has_no_larger_odds(channel: Channel) -> None:
    between = [law(channel, Fraction(i, 17)) for i in range(18)]
    assert odds_of(between) <= channel.odds


def supports(design: Any, drawn: Any, category: int) -> bool:
    """Tell whether a report supports a category, from the definition of the mechanism."""
    if isinstance(design, Warner):
        return bool(drawn == category)
    if not isinstance(design, Projective):
        return str(category) in design.supported_cells(drawn)
    from hushpoll_shared.designs.projective import point

    one = point(category, design.dimension, design.field)
    other = point(int(drawn, 16), design.dimension, design.field)
    return sum(x * y for x, y in zip(one, other, strict=True)) % design.field == 0


def was_asked(design: Any, drawn: Any, option: int) -> bool:
    return not isinstance(design, Ball) or drawn[option] != "-"
