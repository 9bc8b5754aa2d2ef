"""Classical yes/no designs: their probabilities by playing the procedure through, their epsilon, their estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.yes_no_designs import (
    CLASSICAL_DESIGNS,
    NO_EPSILON,
    YesNoDesign,
    crosswise,
    estimate_design,
    forced,
    kuk,
    mangat,
    triangular,
    unrelated,
)

HALF, THREE_QUARTERS = Fraction(1, 2), Fraction(3, 4)
percent = st.integers(1, 99).map(lambda number: Fraction(number, 100))


def chance_of_yes(design: str, answer: bool, *figures: Fraction) -> Fraction:
    """Play the procedure of a design through, branch by branch, with one person's answer."""
    first, second = (*figures, Fraction(0))[:2]
    device = [(first, True), (1 - first, False)]
    other = [(second, True), (1 - second, False)]
    branches = [(a * b, x, y) for a, x in device for b, y in other]
    reports: dict[str, Callable[[bool, bool], bool]] = {
        "forced": lambda truth, says: answer if truth else says,
        "unrelated": lambda sensitive, harmless: answer if sensitive else harmless,
        "crosswise": lambda harmless, _: answer == harmless,
        "triangular": lambda harmless, _: answer or harmless,
        "mangat": lambda statement, _: answer or answer == statement,
    }
    return sum((chance for chance, x, y in branches if reports[design](x, y)), Fraction(0))


@pytest.mark.parametrize("name", ["forced", "unrelated", "crosswise", "triangular", "mangat"])
@given(st.data())
def test_the_probabilities_are_those_of_the_procedure(name: str, data: st.DataObject) -> None:
    parameters, make = CLASSICAL_DESIGNS[name]
    figures = tuple(data.draw(percent.filter(lambda figure: figure != HALF)) for _ in parameters)
    design = make(*figures)
    assert (design.p, design.q) == tuple(chance_of_yes(name, answer, *figures) for answer in (True, False))


@pytest.mark.parametrize(
    ("design", "epsilon"),
    [
        (forced(THREE_QUARTERS, HALF), math.log(7)),
        (forced(0.5, 0.5), math.log(3)),
        (unrelated("0.7", "0.3"), math.log(79 / 9)),
        (unrelated("0.7", "0.7"), math.log(79 / 9)),
        (crosswise("1/4"), math.log(3)),
        (kuk("0.8", "0.3"), math.log(3.5)),
        (kuk("0.3", "0.8"), math.log(3.5)),
        (kuk("0.2", "0.1"), math.log(2)),
    ],
)
def test_epsilon_is_the_largest_log_ratio_over_both_answers_and_both_reports(
    design: YesNoDesign, epsilon: float
) -> None:
    ratios = [a / b for p, q in ((design.p, design.q), (1 - design.p, 1 - design.q)) for a, b in ((p, q), (q, p))]
    assert design.epsilon is not None
    assert float(design.epsilon) == pytest.approx(epsilon, rel=1e-15)
    assert float(design.epsilon) == pytest.approx(max(math.log(ratio) for ratio in ratios), rel=1e-14)


@pytest.mark.parametrize(
    "design", [mangat("0.7"), triangular("0.25"), forced("0.7", 1), unrelated("0.7", 0), kuk(1, 0), forced(1, "0.2")]
)
def test_a_report_that_rules_an_answer_out_has_no_epsilon_and_says_so(design: YesNoDesign) -> None:
    result = estimate_design(400, 1000, design)
    assert design.epsilon is None
    assert result.to_json()["epsilon"] is None
    assert NO_EPSILON in result.warnings


@pytest.mark.parametrize(
    ("design", "closed_form"),
    [
        # (λ - (1-r)t)/r
        (forced("0.75", "0.5"), (0.4 - 0.125) / 0.75),
        # (λ - (1-p)π_u)/p
        (unrelated("0.7", "0.3"), (0.4 - 0.09) / 0.7),
        # (λ + p - 1)/(2p - 1)
        (crosswise("0.2"), (0.4 + 0.2 - 1) / (0.4 - 1)),
        # (λ - p)/(1 - p)
        (triangular("0.25"), (0.4 - 0.25) / 0.75),
        # (λ - p0)/(p1 - p0)
        (kuk("0.8", "0.2"), (0.4 - 0.2) / 0.6),
        # (λ - 1 + p)/p
        (mangat("0.7"), (0.4 - 1 + 0.7) / 0.7),
    ],
)
def test_the_estimate_and_its_error_are_the_closed_forms(design: YesNoDesign, closed_form: float) -> None:
    [cell] = estimate_design(400, 1000, design).cells
    assert cell.estimate == pytest.approx(closed_form, rel=1e-12)
    assert cell.se == pytest.approx(math.sqrt(0.4 * 0.6 / 1000) / abs(float(design.p - design.q)), rel=1e-12)


def test_forced_response_with_a_fair_coin_has_the_published_figures_of_warner() -> None:
    [cell] = estimate_design(400, 1000, forced(HALF, HALF)).cells
    assert f"{cell.estimate:.6f} {cell.se:.6f} {cell.low:.6f} {cell.high:.6f}" == "0.300000 0.030984 0.240150 0.361381"


@pytest.mark.parametrize("design", [forced("0.75", "0.5"), mangat("0.7"), triangular("0.25"), kuk("0.2", "0.8")])
@pytest.mark.parametrize(("count", "n"), [(0, 0), (0, 1), (1, 1), (0, 500), (500, 500)])
def test_counts_at_the_boundary_have_figures_that_can_be_read(design: YesNoDesign, count: int, n: int) -> None:
    for method in (None, "wald", "wilson"):
        [cell] = estimate_design(count, n, design, options=Options(method=method)).cells
        if not n:
            assert (cell.estimate, cell.se, cell.low, cell.high) == (None, None, None, None)
            continue
        assert cell.estimate is not None
        assert cell.se is not None
        # Half a report in n, as a share, is the least that an error can be.
        assert cell.se >= 0.5 / (n + 1)
        assert (cell.low or 0) <= cell.estimate + 1e-12
        assert cell.estimate <= (cell.high or 0) + 1e-12
        assert (cell.high or 0) - (cell.low or 0) > 1 / n / 2


def test_unanimous_reports_have_the_error_of_the_nearest_share_that_is_possible() -> None:
    # At a share of 1 three of four reports say yes: √(3/4·1/4/1000)/(1/2)
    [cell] = estimate_design(1000, 1000, forced(HALF, HALF)).cells
    assert cell.se == pytest.approx(math.sqrt(3 / 16 / 1000) / 0.5)


@pytest.mark.parametrize("value", ["many", float("nan"), float("inf"), "1/0", -0.1, "1.5", None])
def test_a_parameter_that_is_no_probability_is_refused(value: str) -> None:
    with pytest.raises(EstimateError, match="give a probability"):
        mangat(value)


@pytest.mark.parametrize("make", [lambda: forced(0, HALF), lambda: crosswise(HALF), lambda: kuk("0.3", "0.3")])
def test_a_design_whose_reports_say_nothing_is_refused(make: Callable[[], YesNoDesign]) -> None:
    with pytest.raises(EstimateError, match="nothing can be estimated"):
        make()
