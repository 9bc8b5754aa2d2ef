"""The mean among those who gave a number: unbiased scores, limits that hold, extras as shares."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.mechanisms.cases import places
from tests.statistics.laws import chances_of_outputs

from hushpoll_server.estimate.numbers.gaffke import ratio_high
from hushpoll_server.estimate.numbers.mean_of_some import (
    TOO_FEW_NUMBERS,
    MeanOfSomeResult,
    Scores,
    estimate_mean_of_some,
)
from hushpoll_server.estimate.shares import estimate_yes_no
from hushpoll_server.mechanisms import Bound, square_wave
from hushpoll_server.mechanisms import channel as channels
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.plan.choose import choose_design
from hushpoll_shared.mechanisms import Channel
from hushpoll_shared.question_types import Number

Floats = NDArray[np.float64]
LOW, HIGH = Fraction(0), Fraction(10)
Make = Callable[..., tuple[Scores, Floats, Floats]]


def channel(epsilon: str, *extras: str) -> tuple[Scores, Floats, Floats]:
    """Return the scores of a channel with the chances of its outputs, by its law, and the numbers of its points."""
    design = choose_design(Number("0", "10", "mean", extras), Bound.of_epsilon(epsilon))
    assert isinstance(design, Channel)
    rows = chances_of_outputs(design, [*places(design.inputs), *range(len(extras))])
    return channels.scores_of(design, LOW, HIGH), rows, np.linspace(0, 10, design.inputs)


def square_wave_of_eight(epsilon: str, *extras: str) -> tuple[Scores, Floats, Floats]:
    """Return the same for a square wave of eight bins."""
    design = SquareWaveMechanism.of(Bound.of_epsilon(epsilon), 8, 2, len(extras))
    rows = chances_of_outputs(design, [*(Fraction(place, 8) for place in range(8)), *range(len(extras))])
    return square_wave.scores_of(design, square_wave.law_of(design), LOW, HIGH), rows, (np.arange(8) + 0.5) * 10 / 8


MAKERS = pytest.mark.parametrize("make", [channel, square_wave_of_eight])
EXTRAS = pytest.mark.parametrize("extras", [("decline",), ("decline", "does_not_apply")], ids=len)


@MAKERS
@EXTRAS
@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_scores_are_unbiased_for_every_answer(make: Make, extras: tuple[str, ...], epsilon: str) -> None:
    scores, rows, points = make(epsilon, *extras)
    given = len(points)
    assert rows.sum(axis=1) == pytest.approx(1)
    assert (rows @ scores.numbers)[:given] == pytest.approx(points - 5)
    assert (rows @ scores.numbers)[given:] == pytest.approx(0, abs=1e-9)
    assert (rows @ scores.answered)[:given] == pytest.approx(1)
    assert (rows @ scores.answered)[given:] == pytest.approx(0, abs=1e-9)


def truths(points: Floats, extras: int, declined: float) -> Floats:
    """Return true shares: larger numbers are more frequent, and only the first extra occurs."""
    shares = np.linspace(1, 3, len(points))
    return np.concatenate((shares / shares.sum() * (1 - declined), [declined], np.zeros(extras - 1)))


def estimates(make: Make, n: int, surveys: int, method: str | None = None) -> tuple[float, list[MeanOfSomeResult]]:
    scores, rows, points = make("2", "decline", "does_not_apply")
    shares = truths(points, 2, 0.2)
    random = np.random.default_rng(7)
    chances = shares @ rows
    drawn = random.multinomial(n, chances / chances.sum(), size=surveys)
    names = ("decline", "does_not_apply")
    true = float(shares[: len(points)] @ points / shares[: len(points)].sum())
    return true, [estimate_mean_of_some(d.tolist(), scores, names, epsilon=2, method=method) for d in drawn]


@MAKERS
def test_limits_of_the_mean_hold_and_the_standard_error_is_the_spread(make: Make) -> None:
    true, results = estimates(make, 2000, 200)
    means = np.array([result.mean.estimate for result in results], float)
    errors = np.array([result.mean.se for result in results], float)
    held = [(result.mean.low or -9e9) <= true <= (result.mean.high or 9e9) for result in results]
    assert abs(means.mean() - true) < 4 * means.std() / 200**0.5
    assert means.std() == pytest.approx(errors.mean(), rel=0.2)
    assert 0.9 <= np.mean(held) <= 0.99


@pytest.mark.parametrize("method", ["wald", "exact"])
def test_other_methods_hold_too(method: str) -> None:
    true, results = estimates(channel, 1500, 20, method)
    held = [(result.mean.low or -9e9) <= true <= (result.mean.high or 9e9) for result in results]
    assert np.mean(held) >= 0.85


@MAKERS
def test_the_share_of_those_who_declined_is_estimated(make: Make) -> None:
    _, results = estimates(make, 2000, 100)
    declined = np.array([result.cells[0].estimate for result in results], float)
    never = np.array([result.cells[1].estimate for result in results], float)
    assert abs(declined.mean() - 0.2) < 4 * declined.std() / 10
    assert abs(never.mean()) < 4 * never.std() / 10


def test_without_anybody_who_gave_a_number_there_is_no_interval() -> None:
    scores, rows, points = channel("1", "decline")
    counts = np.round(rows[len(points)] * 300).astype(int).tolist()
    result = estimate_mean_of_some(counts, scores, ("decline",), epsilon=1)
    assert TOO_FEW_NUMBERS in result.warnings
    assert result.mean.high is None


def test_without_reports_every_figure_is_none() -> None:
    scores, _, _ = channel("1", "decline")
    result = estimate_mean_of_some([0] * len(scores.numbers), scores, ("decline",), epsilon=1)
    assert result.mean.estimate is None
    assert result.cells[0].estimate is None
    assert result.to_json()["cells"]


@pytest.mark.parametrize("method", ["wilson", "exact", "wald"])
def test_the_extras_have_the_method_that_is_asked_for(method: str) -> None:
    # All methods gave the same limits, and the result named another.
    scores, rows, points = channel("2", "decline")
    counts = np.round(truths(points, 1, 0.3) @ rows * 60).astype(int).tolist()
    result = estimate_mean_of_some(counts, scores, ("decline",), epsilon=2, method=method)
    cell = result.cells[0]
    alone = estimate_yes_no(cell.count, cell.asked or result.n, scores.support, epsilon=2, method=method).cells[0]
    assert (cell.low, cell.high) == (alone.low, alone.high)
    assert result.to_json()["cells_method"] == method


def test_the_mean_and_the_extras_hold_together() -> None:
    scores, rows, points = channel("2", "decline", "does_not_apply")
    counts = np.round(truths(points, 2, 0.3) @ rows * 5000).astype(int).tolist()
    names = ("decline", "does_not_apply")
    alone, together = (
        estimate_mean_of_some(counts, scores, names, epsilon=2, coverage=coverage)
        for coverage in ("pointwise", "simultaneous")
    )
    third = estimate_mean_of_some(counts, scores, names, epsilon=2, level=1 - 0.05 / 3)
    assert together.level == 0.95
    assert (together.mean.low, together.mean.high) == (third.mean.low, third.mean.high)
    assert together.cells == third.cells
    assert (together.mean.low or 0) < (alone.mean.low or 0)


def test_a_limit_that_jumps_at_the_largest_number_is_found() -> None:
    # One report says that there is a number and one that there is none; no number was reported. The limit then is the
    # end of the range, where the added respondent no longer has a number.
    scores, rows, _ = channel("30", "decline")
    counts = np.zeros((len(scores.numbers), 1))
    counts[[scores.among.start, scores.among.stop - 1]] = 1
    numbers, answered = scores.numbers[:, np.newaxis], scores.answered[:, np.newaxis]
    for sign in (-1, 1):
        [limit] = ratio_high(sign * numbers, answered, counts, rows, 5e-7, far=500.0)
        assert limit == pytest.approx(float(HIGH) - scores.centre, rel=1e-6)
