"""Coverage of nominal 95 % limits of comparisons, quantiles, waves, weights and regressions, by the public library.

`python -m tests.statistics.statistics` prints a line for each statistic, at n = 500 and 5,000; it takes some minutes.
Every figure is 1,000 simulated surveys with seed 2026, at odds 3:1 unless the line says otherwise. The pages under
docs/statistics/ have more cases of each; these are repeated whenever the estimators change. An interval that does not
exist, and a regression without a finite fit, count as missing the truth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.analysis import (
    EstimateError,
    Group,
    Panel,
    Side,
    SupportDesign,
    Wave,
    compare_groups,
    estimate_crosstab,
    estimate_shares,
    follow_waves,
    forced,
    logistic_regression,
    logistic_regression_on_randomized,
    poststratify,
    quantiles_of_scale,
    weighted_share,
)
from hushpoll_server.estimate.joint import NAMES_ONE

Random = np.random.Generator
Answers = NDArray[np.bool_]

SURVEYS, SEED, SIZES = 1000, 2026, (500, 5000)
COINS, KNOWN = SupportDesign(0.75, 0.25), forced("1/2", "1/2")
# ε = 3, for what needs more than two coins tell.
STRONG = float(np.exp(3) / (1 + np.exp(3)))


def draws(rng: Random, answers: Answers, p: float = COINS.p) -> Answers:
    """Return Warner's reports to yes/no answers."""
    return np.asarray(answers == (rng.random(answers.size) < p))


def holds(truth: float, low: float | None, high: float | None) -> bool:
    """Return whether an interval exists and has the truth in it."""
    return low is not None and high is not None and low <= truth <= high


def public_difference(rng: Random, n: int) -> bool:
    """Compare two public groups of n with shares .1 and .4."""
    groups = [
        Group(name=name, yes=int(draws(rng, rng.random(n) < share).sum()), n=n, design=KNOWN)
        for name, share in (("a", 0.1), ("b", 0.4))
    ]
    [difference] = compare_groups(groups).differences
    return holds(-0.3, difference.difference.low, difference.difference.high)


def private_groups(rng: Random, n: int) -> tuple[bool, bool]:
    """Cross two questions at ε = 3: 2/3 of the 30 % in one private group say yes, and 2/7 of the others."""
    rows = rng.random(n) < 0.3
    columns = rng.random(n) < np.where(rows, 2 / 3, 2 / 7)
    first, second = draws(rng, rows, STRONG), draws(rng, columns, STRONG)
    counts = [[int((first == row)[second == column].sum()) for column in (True, False)] for row in (True, False)]
    side = Side.yes_no(forced(str(2 * STRONG - 1), "1/2"))
    groups = estimate_crosstab(counts, side, side).groups
    assert groups is not None
    share, gap = groups.percentages[0].figure, groups.differences[0].difference
    return holds(2 / 3, share.low, share.high), holds(2 / 3 - 2 / 7, gap.low, gap.high)


def slope(rng: Random, n: int) -> bool:
    """Regress a yes on a number with slope 1."""
    x = rng.normal(size=n)
    reports = draws(rng, rng.random(n) < 1 / (1 + np.exp(-(x - 1))))
    fit = logistic_regression(reports, {"x": x}, COINS).coefficient("x")
    return holds(1.0, fit.low, fit.high)


def private_slope(rng: Random, n: int) -> bool:
    """Regress a yes on a number and on a randomized question at ε = 3, whose coefficient is 1.2."""
    x, z = rng.normal(size=n), rng.random(n) < 0.4
    answers = rng.random(n) < 1 / (1 + np.exp(-(-0.5 + 0.7 * x + 1.2 * z)))
    design = SupportDesign(STRONG, 1 - STRONG)
    private = {"z": (draws(rng, z, STRONG).astype(int), design)}
    fit = logistic_regression_on_randomized(draws(rng, answers, STRONG), {"x": x}, private, design)
    found = fit.coefficient("z=yes")
    return holds(1.2, found.low, found.high)


def median(rng: Random, n: int) -> tuple[bool, bool]:
    """Estimate the median (3) and the standard deviation of a scale of five points, each report naming one."""
    shares = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    answers = rng.choice(5, n, p=shares)
    p = 3 / (3 + 4)
    named = np.where(rng.random(n) < p, answers, (answers + rng.integers(1, 5, n)) % 5)
    cells = [(str(point), int((named == point).sum()), n) for point in range(5)]
    result = estimate_shares(cells, SupportDesign(p, (1 - p) / 4), epsilon=float(np.log(3)), joint=NAMES_ONE)
    found = quantiles_of_scale(result, [1, 2, 3, 4, 5], shares=[0.5])
    return (
        holds(3.0, found.quantiles[0].low, found.quantiles[0].high),
        holds(float(np.sqrt(1.2)), found.deviation.low, found.deviation.high),
    )


def change(rng: Random, n: int) -> tuple[bool, bool]:
    """Follow n people, a tenth of whom turn to yes, with draws remembered at odds 9:1; then with nothing stated."""
    before = rng.random(n) < 0.3
    after = before | (rng.random(n) < 0.1)
    remembered = rng.random((2, n)) < 0.9
    waves = []
    for time, answers in enumerate((before, after)):
        # What a device remembers is one draw for each answer.
        permanent = answers == np.where(answers, *remembered)
        yes = int((permanent == (rng.random(n) < 0.8125)).sum())
        # .9 · .8125 + .1 · .1875 = .75
        waves.append(Wave(name=str(time), yes=yes, n=n, design=COINS, time=float(time)))
    panel = Panel(overlap=1.0, changed=0.07 + 1e-9, permanent=SupportDesign(0.9, 0.1))
    stated, unstated = (follow_waves(waves, panel=each).changes[0].change for each in (panel, Panel()))
    return holds(0.07, stated.low, stated.high), holds(0.07, unstated.low, unstated.high)


def weights(rng: Random, n: int) -> tuple[bool, bool]:
    """Weigh a sample with a quarter of those who make up half of the population: by weights, and by strata."""
    rare = rng.random(n) < 0.25
    reports = draws(rng, rng.random(n) < np.where(rare, 0.5, 0.2))
    weighted = weighted_share(reports.astype(float), np.where(rare, 2.0, 2 / 3), COINS).cell
    strata = {name: (int(reports[rows].sum()), int(rows.sum())) for name, rows in (("rare", rare), ("usual", ~rare))}
    whole = poststratify(strata, {"rare": "1/2", "usual": "1/2"}, COINS).cell
    return holds(0.35, weighted.low, weighted.high), holds(0.35, whole.low, whole.high)


Survey = Callable[[Random, int], bool | tuple[bool, ...]]
STATISTICS: dict[Survey, str] = {
    public_difference: "difference of public groups",
    private_groups: "row percentage; difference of private groups (ε = 3)",
    slope: "slope of a logistic regression",
    private_slope: "slope on a private covariate (ε = 3)",
    median: "median; standard deviation of a scale",
    change: "change between waves: overlap and changes stated; nothing stated",
    weights: "weighted share; post-strata",
}


def coverage(survey: Survey, n: int, surveys: int) -> list[float]:
    """Return how many of the simulated surveys have the truth in each of their intervals."""
    rng = np.random.default_rng((SEED, n))
    held = np.array([_held(survey, rng, n) for _ in range(surveys)], float)
    return [float(share) for share in held.mean(axis=0)]


def _held(survey: Survey, rng: Random, n: int) -> tuple[bool, ...]:
    try:
        held = survey(rng, n)
    except EstimateError:
        # No statistic here has two figures of which one can be refused.
        return (False,)
    return held if isinstance(held, tuple) else (held,)


def main(surveys: int, names: Sequence[str]) -> None:
    """Print the coverage of all statistics, or of those whose functions are named."""
    for survey, text in STATISTICS.items():
        if not names or survey.__name__ in names:
            sizes = ("; ".join(f"{each:.3f}" for each in coverage(survey, n, surveys)) for n in SIZES)
            print(f"{text}: {' | '.join(sizes)}", flush=True)


if __name__ == "__main__":
    main(SURVEYS, sys.argv[1:])
