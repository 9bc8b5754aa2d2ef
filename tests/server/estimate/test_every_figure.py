"""Few reports, extreme levels, every design, method and coverage: each figure is a number, or null with a reason."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from tests.server.estimate.estimated import EPSILONS, PROMISES, every_design, no_numbers, some_counts

from hushpoll_server.analysis.results import cross_results_of, results_of
from hushpoll_server.analysis.survey import Analysis
from hushpoll_server.counting.tally import number_of_reports
from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL, EstimateError
from hushpoll_server.estimate.options import Options

LEVELS = (LEAST_LEVEL, 0.5, 0.95, 0.9999, LARGEST_LEVEL)
# As the attack sent them.
EXTREME = (1e-300, 1e-16, 0.0099, 0.9999991, 0.9999999999999999, 1 - 2**-53, 0.0, 1.0, float("nan"), float("inf"))
BETAS = (None, 0.0, 0.5, 1 - 2**-53)


def wander(seed: int, rounds: int) -> None:
    """Estimate surveys of every design from random counts, levels, methods and populations."""
    choose = random.Random(seed)
    for _ in range(rounds):
        compiled, n = every_design(choose.choice(EPSILONS)), choose.choice((0, 1, 2, 3, 29, 30, 31))
        counts = some_counts(compiled, n, choose)
        reports = number_of_reports(compiled.manifest, counts)
        population = choose.choice((None, max(reports, 1), reports + 1, 10**10))
        manifest = replace(compiled.manifest, population=population)
        (method, coverage), level, beta = choose.choice(PROMISES), choose.choice(LEVELS), choose.choice(BETAS)
        options = Options(level=level, method=method, coverage=coverage, beta=beta)
        results = results_of(manifest, counts, options)
        written = Analysis(results, cross_results_of(manifest, counts, compiled.crossed, options)).to_json()
        assert not list(no_numbers(written)), (options, n, population)
        json.dumps(written, allow_nan=False)


@pytest.mark.parametrize("seed", range(4))
def test_few_reports_and_extreme_levels_never_make_a_figure_that_is_no_number(seed: int) -> None:
    wander(seed, 5)


@pytest.mark.parametrize("level", EXTREME)
def test_a_level_that_leaves_no_interval_is_refused_by_every_estimator(level: float) -> None:
    compiled = every_design("1")
    counts = some_counts(compiled, 3, random.Random(1))
    for question in compiled.manifest.questions:
        with pytest.raises(EstimateError, match=r"between 0\.01 and 0\.999999"):
            results_of(replace(compiled.manifest, questions=(question,)), counts, Options(level=level))
    with pytest.raises(EstimateError, match=r"between 0\.01 and 0\.999999"):
        cross_results_of(compiled.manifest, counts, compiled.crossed, Options(level=level))
