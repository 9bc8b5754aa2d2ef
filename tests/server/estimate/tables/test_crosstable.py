"""The cross table of a pair: margins, independence, odds ratios."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from tests.statistics import laws
from tests.statistics.laws import Law

from hushpoll_server.analysis.results import results_of
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.tables.crosstable import CrossTable, odds_ratio_of

ROWS, COLUMNS = ("no", "yes"), ("low", "middle", "high")
FIRST, SECOND = np.array([0.4, 0.6]), np.array([0.2, 0.5, 0.3])
ONE_NAMED, SETS = laws.subset(6, 1, math.e), laws.subset(6, 2, math.e)
ALMOST_CERTAIN = """
survey: pair
title: Pair
consent: Taking part is voluntary.
questions:
  - {id: one, text: One?, type: yes_no}
  - {id: two, text: Two?, type: yes_no}
  - {id: both, pair: [one, two], privacy: {epsilon: "39"}}
"""


def table_of(law: Law, reports: np.ndarray) -> CrossTable:
    """Return the table of a pair's reports, with two rows and three columns."""
    return CrossTable(law.estimate(reports), ROWS, COLUMNS)


def expected(law: Law, truths: np.ndarray, n: int = 10**7) -> CrossTable:
    """Return the table of a survey whose counts are their expectations."""
    return table_of(law, np.rint(n * (truths.ravel() @ law.chances)).astype(int))


@pytest.mark.parametrize("law", [ONE_NAMED, SETS])
def test_margins_are_the_shares_of_each_question(law: Law) -> None:
    table = expected(law, np.outer(FIRST, SECOND))
    rows, columns = table.row_margins(), table.column_margins(level=0.5)
    assert [rows[row].estimate for row in ROWS] == pytest.approx(FIRST, abs=1e-5)
    assert [columns[column].estimate for column in COLUMNS] == pytest.approx(SECOND, abs=1e-5)
    assert rows["no"].estimate + rows["yes"].estimate == pytest.approx(1)
    assert rows["no"].se == pytest.approx(rows["yes"].se)


@pytest.mark.parametrize("law", [ONE_NAMED, SETS])
@pytest.mark.parametrize("n", [400, 3000])
def test_independent_answers_are_rejected_as_rarely_as_the_level_says(law: Law, n: int) -> None:
    # Seeded; the standard errors over 250 tests are 1.4 points for a size of .05 and .13 for the mean of χ²₂.
    surveys = law.surveys(np.outer(FIRST, SECOND).ravel(), n, 250, np.random.default_rng(12))
    outcomes = [table_of(law, reports).independence() for reports in surveys]
    assert outcomes[0].degrees == 2
    assert np.mean([outcome.p_value < 0.05 for outcome in outcomes]) <= 0.09
    assert 1.5 <= np.mean([outcome.statistic for outcome in outcomes]) <= 2.4


def test_answers_that_go_together_are_noticed() -> None:
    together = np.array([[0.3, 0.05, 0.05], [0.05, 0.05, 0.5]])
    surveys = SETS.surveys(together.ravel(), 3000, 20, np.random.default_rng(13))
    outcomes = [table_of(SETS, reports).independence().to_json() for reports in surveys]
    assert np.mean([float(str(outcome["p_value"])) < 0.01 for outcome in outcomes]) >= 0.9


def test_pearsons_test_on_the_randomized_pair_would_reject_independent_answers() -> None:
    # The reason for a test of our own: a report of the pair does not randomize the two answers separately.
    rates = ONE_NAMED.support.rate(np.outer([0.9, 0.1], [0.05, 0.05, 0.9]))
    factored = np.outer(rates.sum(axis=1), rates.sum(axis=0))
    assert 10_000 * ((rates - factored) ** 2 / factored).sum() > 50


def test_odds_ratio_is_that_of_the_estimated_table() -> None:
    truths = np.array([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    found = expected(SETS, truths).odds_ratio(("no", "yes"), ("low", "middle"))
    assert found.estimate == pytest.approx(6, rel=1e-3)
    assert found.low < 6 < found.high
    assert found.low * found.high == pytest.approx(found.estimate**2)


def test_odds_ratios_hold_the_truth_as_often_as_they_say() -> None:
    truths = np.array([[0.3, 0.1, 0.1], [0.1, 0.2, 0.2]])
    surveys = SETS.surveys(truths.ravel(), 20_000, 200, np.random.default_rng(14))
    ratios = [table_of(SETS, reports).odds_ratio(("no", "yes"), ("low", "middle")) for reports in surveys]
    assert np.mean([ratio.low <= 6 <= ratio.high for ratio in ratios]) >= 0.9


def test_no_odds_ratio_is_made_from_a_cell_that_is_not_positive() -> None:
    reports = np.array([500, 10, 100, 100, 100, 100])
    with pytest.raises(EstimateError, match="not positive"):
        table_of(ONE_NAMED, reports).odds_ratio(("no", "yes"), ("low", "middle"))


def test_tables_that_cannot_be_are_refused() -> None:
    result = expected(SETS, np.outer(FIRST, SECOND)).result
    with pytest.raises(EstimateError, match="do not make up"):
        CrossTable(result, ROWS, ("low", "high"))
    with pytest.raises(EstimateError, match="no such row"):
        CrossTable(result, ROWS, COLUMNS).name("maybe", "low")


def test_independence_is_not_tested_where_the_covariances_are_only_bounded() -> None:
    law = laws.projective(6, 2, 3, math.e)
    assert not law.mechanism.joint.exact
    with pytest.raises(EstimateError, match="subset selection"):
        expected(law, np.outer(FIRST, SECOND)).independence()


def test_a_pair_whose_answers_are_too_rare_to_test_says_so() -> None:
    # At a large epsilon a cell that nobody reports has a rate of almost 0, and its covariances cannot be inverted.
    counts = {"both": Counter({"n": 1000, "0": 1000})}
    result = results_of(compile_survey(ALMOST_CERTAIN, "pair.yaml").manifest, counts)["both"]
    assert isinstance(result, Result)
    with pytest.raises(EstimateError, match="too rare to test"):
        CrossTable(result, ("no", "yes"), ("no", "yes")).independence()


@pytest.mark.parametrize("se", [1e3, 1e150])
def test_an_odds_ratio_that_no_number_can_hold_is_refused(se: float) -> None:
    with pytest.raises(EstimateError, match="too uncertain"):
        odds_ratio_of(np.full(4, 0.25), lambda _: se**2, 0.95)
