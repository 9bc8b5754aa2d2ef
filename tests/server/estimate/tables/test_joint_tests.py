"""Tests on joint shares: against Pearson's χ², Welch's analysis of variance, and their size among simulated tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.joint_tests import equal_means, independence_of

RANDOMIZED = np.array([[3.0, 1.0], [1.0, 3.0]]) / 4


def known(counts: Figures) -> JointShares:
    """Return the table of answers that were not randomized."""
    shares = counts / counts.sum()
    axes = tuple(tuple(map(str, range(size))) for size in counts.shape)
    return JointShares(axes, int(counts.sum()), shares, np.diag(shares.ravel()))


def test_near_independence_the_test_is_pearsons() -> None:
    counts = np.array([[2100.0, 3080, 990], [1050, 1490, 520]])
    found, expected = independence_of(known(counts)), stats.chi2_contingency(counts, correction=False)
    assert found.degrees == 2
    assert found.statistic == pytest.approx(float(expected.statistic), rel=0.02)


def test_a_level_of_a_third_question_is_tested_alike() -> None:
    # The shares of a level do not add up to 1: the rest of the people is in other levels.
    counts = np.array([[210.0, 308], [105, 189]])
    inside = known(counts)
    apart = JointShares(inside.axes, 2 * inside.n, inside.shares / 2, inside.moments / 2)
    assert independence_of(apart).statistic == pytest.approx(independence_of(inside).statistic, rel=0.01)


def test_randomized_tables_are_rejected_as_often_as_the_level_says() -> None:
    # Seeded: 600 independent tables of 400; 5 % ± 4 errors of .0089.
    inverse = np.linalg.inv(np.kron(RANDOMIZED, RANDOMIZED))
    rates = np.kron(RANDOMIZED @ [0.3, 0.7], RANDOMIZED @ [0.2, 0.8])
    rejected = 0
    for counts in np.random.default_rng(6).multinomial(400, rates, 600):
        seen = counts / 400
        table = JointShares((("a", "b"), ("c", "d")), 400, (inverse @ seen).reshape(2, 2), inverse * seen @ inverse.T)
        rejected += independence_of(table).p_value < 0.05
    assert 0.015 < rejected / 600 < 0.086


def test_equal_means_is_welchs_test_where_groups_are_known() -> None:
    rng = np.random.default_rng(7)
    groups = np.eye(2)[rng.integers(0, 2, 3000)]
    numbers = rng.normal(size=3000) * (1 + groups[:, 0]) + 0.1 * groups[:, 0]
    moments = TableMoments.of(cell_values([groups, np.column_stack((np.ones(3000), numbers))]))
    expected = stats.ttest_ind(numbers[groups[:, 0] == 1], numbers[groups[:, 0] == 0], equal_var=False)
    assert equal_means(moments).statistic == pytest.approx(expected.statistic**2, rel=0.01)


def test_too_few_or_equal_reports_give_no_test() -> None:
    for counts in (np.array([[1.0, 0], [0, 1]]), np.array([[50.0, 0], [0, 0]])):
        with pytest.raises(EstimateError, match="collect more"):
            independence_of(known(counts))
