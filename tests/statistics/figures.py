"""Print figures from simulated surveys of every mechanism: error against theory, bias, coverage.

`python -m tests.statistics.figures`. 200 surveys for each design and size; for means 200 for each of twelve
populations, because a survey has one interval for a mean and one for each cell of a choice. All draws are seeded.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
import numpy as np
from numpy.typing import NDArray
from tests.statistics.laws import LAWS, Law, likely_truths
from tests.statistics.test_coverage import SEED, SIZES, true_variance

from hushpoll_server.estimate.estimands import DistributionEstimand, MeanEstimand
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.means import estimate_mean
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.question_types import Number

SURVEYS = 200
EPSILONS = ("0.5", "1", "2", "4")
MEAN, SHAPE = Number("0", "40"), Number("0", "40", "distribution")
Floats = NDArray[np.float64]


def main() -> None:
    """Print one line for each mechanism and size."""
    click.echo(f"{'mechanism':24} {'n':>5} {'MSE/theory':>10} {'worst bias/se':>13} {'coverage':>8} {'exact':>6}")
    for name, n, figures in (*shares(), *means()):
        mse, bias, coverage, exact = figures
        click.echo(f"{name:24} {n:5} {mse:10.3f} {bias:13.2f} {coverage:8.4f} {exact:6.4f}")


def shares() -> Iterator[tuple[str, int, tuple[float, ...]]]:
    """Return the figures of the designs whose reports support categories."""
    for name, law in LAWS.items():
        for n in SIZES:
            yield name, n, of_shares(law, n)


def of_shares(law: Law, n: int) -> tuple[float, ...]:
    truths = likely_truths(law)
    true = law.shares(truths)
    reports = law.surveys(truths, n, SURVEYS, np.random.default_rng(SEED))
    cells = [law.estimate(each).cells for each in reports]
    found, low, high = (
        np.array([[getattr(c, key) for c in row] for row in cells]) for key in ("estimate", "low", "high")
    )
    theory = true_variance(law, true, n)
    exact = share_limits(law.tally(reports), 0.95, "exact")
    return (
        float(((found - true) ** 2).mean() / theory.mean()),
        float((np.abs(found.mean(axis=0) - true) / np.sqrt(theory / SURVEYS)).max()),
        float(((low <= true) & (true <= high)).mean()),
        float(((exact.low <= true) & (true <= exact.high)).mean()),
    )


def means() -> Iterator[tuple[str, int, tuple[float, ...]]]:
    """Return the figures of the designs for means."""
    for epsilon in EPSILONS:
        for name, design in designs(epsilon):
            for n in SIZES:
                yield f"{name}, epsilon {epsilon}", n, of_means(design, n)


def designs(epsilon: str) -> Iterator[tuple[str, MeanDesign]]:
    """Return the designs of a number question at an epsilon; a square wave is judged by its mean."""
    bound = Bound.of_epsilon(epsilon)
    yield "channel", mean_design(choose_mechanism(MEAN, bound))
    yield "laplace", mean_design(choose_mechanism(MEAN, bound, mechanism="laplace"))
    yield "square wave", mean_design(choose_mechanism(SHAPE, bound))


def mean_design(mechanism: Mechanism[Design]) -> MeanDesign:
    """Return what the estimation of a mean knows of a mechanism."""
    estimand = mechanism.estimand({})
    mean = estimand.mean if isinstance(estimand, DistributionEstimand) else estimand
    assert isinstance(mean, MeanEstimand)
    return mean.design


def of_means(design: MeanDesign, n: int) -> tuple[float, ...]:
    random = np.random.default_rng(SEED)
    ratios, biases, held, sure = [], [], [], []
    for truths in random.dirichlet(np.ones(len(design.points)), size=12):
        true = float(truths @ design.points)
        theory = float(truths @ design.squares - true**2) / n
        chances = truths @ design.rows
        surveys = random.multinomial(n, chances / chances.sum(), size=SURVEYS)
        results = [estimate_mean(each.tolist(), design, epsilon=1).mean for each in surveys]
        found = np.array([result.estimate for result in results], float)
        ratios.append(((found - true) ** 2).mean() / theory)
        biases.append(abs(found.mean() - true) / (theory / SURVEYS) ** 0.5)
        held += [(result.low or 0) <= true <= (result.high or 0) for result in results]
        exact = [estimate_mean(each.tolist(), design, epsilon=1, method="exact").mean for each in surveys[:8]]
        sure += [(result.low or 0) <= true <= (result.high or 0) for result in exact]
    return float(np.mean(ratios)), float(np.max(biases)), float(np.mean(held)), float(np.mean(sure))


if __name__ == "__main__":
    main()
