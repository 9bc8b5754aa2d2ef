"""Weights for a survey's reports: its public groups, put together as the population has them.

Of the reports the survey knows the labels only, so there are two ways: one dimension as strata, or several to which
weights are raked. The rule here: a group that is too small to be shown does not count, and then a stratum is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from hushpoll_server.analysis.groups import dimension_of
from hushpoll_server.analysis.rows import Rows, read_outcome, read_rows
from hushpoll_server.counting.combinations import Reports
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.weighting.population_shares import Share
from hushpoll_server.estimate.weighting.poststrata import poststratify
from hushpoll_server.estimate.weighting.raked_share import raked_share
from hushpoll_server.estimate.weighting.raking import rake
from hushpoll_server.estimate.weighting.results import Weighted
from hushpoll_shared.manifest import Manifest

Margins = Mapping[str, Mapping[str, Share]]


def weigh_survey(
    manifest: Manifest,
    reports: Reports,
    outcome: str,
    margins: Margins,
    *,
    largest: float | None = None,
    level: float = 0.95,
) -> Weighted:
    """Return the share of an answer in a population whose groups have known shares, by dimension.

    One dimension makes post-strata; to several weights are raked, trimmed to `largest` times their mean if that is set.
    """
    answer = read_outcome(manifest, outcome)
    if answer.design is None:
        raise EstimateError(f"{outcome} is a number: name an answer whose share is weighed")
    dimensions = [dimension_of(manifest, name).id for name in margins]
    rows = read_rows(manifest, reports, answer, dimensions)
    result = _weigh(rows, margins, answer.design, largest, level, manifest.population)
    return result.with_warnings(rows.warnings)


def _weigh(
    rows: Rows, margins: Margins, design: SupportDesign, largest: float | None, level: float, population: int | None
) -> Weighted:
    values = np.repeat(rows.values, rows.times)
    public = {name: np.repeat(column, rows.times).tolist() for name, column in rows.public.items()}
    if len(margins) > 1 or largest is not None:
        raked = rake(margins, public, largest=largest)
        return raked_share(values, raked, design, level=level, population=population)
    [(dimension, shares)] = margins.items()
    labels = public[dimension]
    every, yes = Counter(labels), Counter(label for label, y in zip(labels, values, strict=True) if y)
    counts = {label: (yes[label], n) for label, n in every.items()}
    return poststratify(counts, shares, design, level=level, population=population)
