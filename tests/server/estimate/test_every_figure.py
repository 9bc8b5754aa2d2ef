"""Few reports, extreme levels, every design, method and coverage: each figure is a number, or null with a reason."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace

import pytest
from tests.server.estimate.estimated import EPSILONS, PROMISES, every_design, no_numbers, some_counts

from hushpoll_server.analysis.results import Results, cross_results_of, results_of
from hushpoll_server.analysis.survey import Analysis
from hushpoll_server.commands.figures import print_result, print_table
from hushpoll_server.counting.tally import number_of_reports
from hushpoll_server.estimate.combine import draws, total
from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL, EstimateError
from hushpoll_server.estimate.groups.differences import difference
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.tables.cross_results import CrossResult

LEVELS = (LEAST_LEVEL, 0.5, 0.95, 0.9999, LARGEST_LEVEL)
# As the attack sent them.
EXTREME = (1e-300, 1e-16, 0.0099, 0.9999991, 0.9999999999999999, 1 - 2**-53, 0.0, 1.0, float("nan"), float("inf"))
# As Python writes what is not a number; no name in the survey contains it.
NO_NUMBER = re.compile(r"\b(nan|inf)\b", re.IGNORECASE)
BETAS = (None, 0.0, 0.5, 1 - 2**-53)


def wander(seed: int, rounds: int) -> int:
    """Estimate surveys of every design from random counts, levels, methods and populations; return how many figures."""
    choose, figures = random.Random(seed), 0
    for _ in range(rounds):
        compiled, n = every_design(choose.choice(EPSILONS)), choose.choice((0, 1, 2, 3, 29, 30, 31))
        counts = some_counts(compiled, n, choose)
        reports = number_of_reports(compiled.manifest, counts)
        population = choose.choice((None, max(reports, 1), reports + 1, 10**10))
        manifest = replace(compiled.manifest, population=population)
        (method, coverage), level, beta = choose.choice(PROMISES), choose.choice(LEVELS), choose.choice(BETAS)
        options = Options(level=level, method=method, coverage=coverage, beta=beta)
        results = results_of(manifest, counts, options)
        tables = cross_results_of(manifest, counts, compiled.crossed, options)
        written = Analysis(results, tables).to_json()
        assert not list(no_numbers(written)), (options, n, population)
        json.dumps(written, allow_nan=False)
        assert not NO_NUMBER.search(printed(results, tables)), (options, n, population)
        figures += sum(result.figures for result in results.values()) + sum(table.figures for table in tables)
    return figures


def printed(results: Results, tables: Sequence[CrossResult]) -> str:
    """Return what people read, and what is combined from it."""
    out = io.StringIO()
    with redirect_stdout(out):
        for name, result in results.items():
            print_result(name, result)
            if isinstance(result, Result):
                print(*combinations_of(result), sep="\n")
        for table in tables:
            print_table(table)
            with suppress(EstimateError):
                (first, second, *_), (one, other, *_) = table.table.rows, table.table.columns
                print(table.table.odds_ratio((first, second), (one, other), level=table.level))
    return out.getvalue()


def combinations_of(result: Result) -> Iterator[object]:
    """Return a sum, a difference and draws of a question's cells, as far as they are not refused."""
    names = [cell.name for cell in result.cells]
    for combine in (
        lambda: total(result, names[:2]),
        lambda: difference(result, *names[:2]),
        lambda: draws(result, 2, seed=1, names=names[:2]).tolist(),
    ):
        with suppress(EstimateError, TypeError):
            yield combine()


@pytest.mark.parametrize("seed", range(4))
def test_few_reports_and_extreme_levels_never_make_a_figure_that_is_no_number(seed: int) -> None:
    assert wander(seed, 2) > 500


@pytest.mark.parametrize("level", EXTREME)
def test_a_level_that_leaves_no_interval_is_refused_by_every_estimator(level: float) -> None:
    compiled = every_design("1")
    counts = some_counts(compiled, 3, random.Random(1))
    for question in compiled.manifest.questions:
        with pytest.raises(EstimateError, match=r"between 0\.01 and 0\.999999"):
            results_of(replace(compiled.manifest, questions=(question,)), counts, Options(level=level))
    with pytest.raises(EstimateError, match=r"between 0\.01 and 0\.999999"):
        cross_results_of(compiled.manifest, counts, compiled.crossed, Options(level=level))
