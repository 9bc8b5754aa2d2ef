"""Coverage of nominal 95 % limits in tables with randomized rows: prints the figures of docs/statistics/tables.md.

`python -m tests.statistics.tables` takes some minutes. Every line is 1,000 simulated surveys with seed 15, and of hard
cases 2,000 with seed 77. An interval that does not exist, because the group could be empty, counts as covering; how
often that happens stands beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.groups.group_means import means_in_rows
from hushpoll_server.estimate.groups.private import shares_in_rows
from hushpoll_server.estimate.groups.row_ratios import RowRatios
from hushpoll_server.estimate.intervals import Limits, normal_quantile
from hushpoll_server.estimate.ratios import Spread, fieller_limits
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.joint_tests import equal_means, independence_of
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.channel import ChannelMechanism
from hushpoll_shared.question_types import Number

Figures = NDArray[np.float64]
TIMES, SEED, Z = 1000, 15, normal_quantile(0.95)
FIRST = np.array([0])
# Rows are the private group, columns the other answer: associated, associated with a rare group, independent.
TRUTHS = {
    "⅔ of 30 %, 2/7 of 70 %": np.array([[0.2, 0.1], [0.2, 0.5]]),
    "80 % of 10 %, 30 % of 90 %": np.array([[0.08, 0.02], [0.27, 0.63]]),
    "30 % of 20 %, 30 % of 80 %": np.array([[0.06, 0.14], [0.24, 0.56]]),
}


# Rare rows, in which nobody or everybody holds an answer.
HARD = (
    np.array([[0.1, 0.0], [0.05, 0.85]]),
    np.array([[0.05, 0.0], [0.0, 0.95]]),
    np.array([[0.003, 0.027], [0.3, 0.67]]),
)


def spinner(epsilon: float) -> Figures:
    p = 1 / (1 + np.exp(-epsilon))
    return np.array([[p, 1 - p], [1 - p, p]])


def tables(
    truth: Figures, epsilon: float, n: int, times: int = TIMES, seed: int = SEED
) -> Iterator[tuple[JointShares, Figures]]:
    """Yield the estimated tables of yes/no questions, and the counted reports."""
    matrix = spinner(epsilon)
    for _ in truth.shape[1:]:
        matrix = np.asarray(np.kron(matrix, spinner(epsilon)), np.float64)
    inverse, rng = np.linalg.inv(matrix), np.random.default_rng(seed)
    axes = (("yes", "no"),) * truth.ndim
    for counts in rng.multinomial(n, matrix @ truth.ravel(), times):
        rates = counts / n
        yield JointShares(axes, n, (inverse @ rates).reshape(truth.shape), inverse * rates @ inverse.T), counts


def covers(limits: Limits, truth: float) -> tuple[bool, bool]:
    low, high = float(limits.low.ravel()[0]), float(limits.high.ravel()[0])
    return bool(np.isnan(low) or low <= truth <= high), bool(np.isnan(low))


def plain_fieller(ratios: RowRatios) -> Limits:
    """Return the limits from the observed covariances alone."""
    a, b, n = ratios.top[0, 0], ratios.bottom[0, 0], ratios.n
    moments = (each[0, 0, 0] for each in (ratios.tops, ratios.crossed, ratios.bottoms))
    centred = (moment - product for moment, product in zip(moments, (a * a, a * b, b * b), strict=True))
    return fieller_limits(np.array(a), np.array(b), Spread(*(np.array(each / n) for each in centred)), Z)


def of_ratios(ratios: RowRatios, truths: tuple[float, float]) -> dict[str, float]:
    """Return what is covered in one survey: the figure of the first row, and how it differs from the second."""
    compared = ratios.compared(FIRST, 1 + FIRST, FIRST, Z)
    gap, error = truths[0] - truths[1], ratios.errors
    covariance = ratios.covariances[0, 1, 0]
    delta = np.sqrt(max(0.0, error[0, 0] ** 2 + error[1, 0] ** 2 - 2 * covariance))
    inside, none = covers(compared.first_limits, truths[0])
    between, no_gap = covers(compared.difference(), gap)
    ratio = compared.ratio()
    times, no_ratio = covers(ratio, truths[0] / truths[1])
    return {
        "row": inside,
        "row, plain Fieller": covers(plain_fieller(ratios), truths[0])[0],
        "row, delta": bool(abs(compared.first[0] - truths[0]) <= Z * error[0, 0]),
        "no limits": none,
        "difference": between,
        "difference, delta": bool(abs(compared.first[0] - compared.second[0] - gap) <= Z * delta),
        "no limits of it": no_gap,
        "ratio": np.nan if no_ratio else times,
        "no ratio": no_ratio,
    }


def naive(counts: Figures, gap: float) -> tuple[float, bool]:
    """Return the difference of the randomized table read as if it were true, and whether its interval covers."""
    table = counts.reshape(2, 2)
    people, shares = table.sum(axis=1), table[:, 0] / table.sum(axis=1)
    error = np.sqrt((shares * (1 - shares) / people).sum())
    return float(shares[0] - shares[1]), bool(abs(shares[0] - shares[1] - gap) <= Z * error)


def rows_of(truth: Figures, epsilon: float, n: int) -> dict[str, float]:
    shares, found = truth[:, 0] / truth.sum(axis=1), []
    for table, counts in tables(truth, epsilon, n):
        attenuated, inside = naive(counts, float(shares[0] - shares[1]))
        rejected = independence_of(table).p_value < 0.05
        both = of_ratios(shares_in_rows(table), (float(shares[0]), float(shares[1])))
        found.append(both | {"naive": inside, "naive mean": attenuated, "rejected": rejected})
    return average(found)


def hard_rows_of(truth: Figures, epsilon: float, n: int) -> dict[str, float]:
    """Return the coverage where rows are rare and nobody or everybody in them holds an answer; 2,000 surveys."""
    shares = truth[:, 0] / truth.sum(axis=1)
    # A ratio to a share of 0 does not exist.
    truths = float(shares[0]), max(float(shares[1]), 1e-300)
    return average([of_ratios(shares_in_rows(table), truths) for table, _ in tables(truth, epsilon, n, 2000, 77)])


def within_levels(epsilon: float, n: int) -> dict[str, float]:
    """Return the coverage within one answer (40 %) of a third question, and of the cells of the whole table."""
    inside = TRUTHS["⅔ of 30 %, 2/7 of 70 %"]
    truth, found = np.stack((0.4 * inside, 0.6 * np.full((2, 2), 0.25)), axis=2), []
    for table, _ in tables(truth, epsilon, n):
        level, limits = table.given(2, 0), table.limits(0.95)
        cells = (limits.low <= truth) & (truth <= limits.high)
        figures = of_ratios(shares_in_rows(level), (2 / 3, 2 / 7))
        rejected = independence_of(table.given(2, 1)).p_value < 0.05
        found.append(figures | {"cells": float(cells.mean()), "rejected at the other level": rejected})
    return average(found)


def means(epsilon: float, n: int) -> dict[str, float]:
    """Return the coverage of the mean of a number from 0 to 40 in a group of 30 %, by a real channel."""
    kind = Number("0", "40")
    design = ChannelMechanism.best(kind, Bound.of_epsilon(str(epsilon)))
    assert design is not None
    mechanism, rng = ChannelMechanism(kind, design), np.random.default_rng(SEED)
    scores = mechanism.scores([mechanism.written(output) for output in range(mechanism.outputs)])
    rows = np.array(design.weights, float)
    rows /= rows.sum(axis=1, keepdims=True)
    matrix, found = spinner(epsilon), []
    points = np.arange(design.inputs)
    # In the group people study less: the shares fall over the points of the grid; in the other one they rise.
    laws = [np.linspace(2, 0.5, design.inputs), np.linspace(0.5, 2, design.inputs)]
    laws = [law / law.sum() for law in laws]
    truths = tuple(float(law @ points / design.steps * 40 - 20) for law in laws)
    joint = np.einsum("g,gx,gr,xo->ro", [0.3, 0.7], np.array(laws), matrix, rows)
    indicators = (np.eye(2) - matrix[0, 1]) / (matrix[0, 0] - matrix[0, 1])
    places = np.indices(joint.shape).reshape(2, -1)
    values = cell_values([indicators[places[0]], scores[places[1]]])
    for counts in rng.multinomial(n, joint.ravel(), TIMES):
        moments = TableMoments.of(values, counts)
        figures = of_ratios(means_in_rows(moments), (truths[0], truths[1]))
        # Ratios of distances from the middle of a range are of no use.
        del figures["ratio"], figures["no ratio"]
        found.append(figures | {"rejected": equal_means(moments).p_value < 0.05})
    return average(found)


def average(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.nanmean([each[name] for each in found] or [0])) for name in found[0]}


def main() -> None:
    jobs: list[tuple[str, Callable[[float, int], dict[str, float]]]] = [
        *((name, partial(rows_of, truth)) for name, truth in TRUTHS.items()),
        ("within a level", within_levels),
        ("mean in a group", means),
    ]
    for name, job in jobs:
        for epsilon in (2, 4):
            for n in (500, 5000):
                figures = "  ".join(f"{key} {value:.3f}" for key, value in job(epsilon, n).items())
                sys.stdout.write(f"{name}  ε = {epsilon}  n = {n}  {figures}\n")
                sys.stdout.flush()
    for truth in HARD:
        for epsilon, n in product((2, 4, 6, 8), (100, 500)):
            figures = "  ".join(f"{key} {value:.3f}" for key, value in hard_rows_of(truth, epsilon, n).items())
            sys.stdout.write(f"{truth.tolist()}  ε = {epsilon}  n = {n}  {figures}\n")


if __name__ == "__main__":
    main()
