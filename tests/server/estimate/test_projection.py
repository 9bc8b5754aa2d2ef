"""Shares as a population can have them: the nearest ones, and the most likely ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.statistics.laws import likely_truths, subset

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.projection import likelihood_of_counts, likelihood_of_reports, simplex_projection
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=6), st.data())
def test_no_other_shares_are_nearer_than_the_projection(shares: list[float], data: st.DataObject) -> None:
    raw = np.array(shares)
    nearest = simplex_projection(raw)
    weights = np.array(data.draw(st.lists(st.floats(0.01, 1), min_size=raw.size, max_size=raw.size)))
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(1)
    assert np.linalg.norm(raw - nearest) <= np.linalg.norm(raw - weights / weights.sum()) + 1e-12


def test_possible_shares_are_left_alone() -> None:
    assert simplex_projection(np.array([0.2, 0.5, 0.3])) == pytest.approx([0.2, 0.5, 0.3])


@pytest.mark.parametrize("counts", [(380, 270, 200, 150), (900, 50, 30, 20), (1000, 0, 0, 0), (250, 250, 250, 250)])
def test_the_closed_form_is_where_expectation_maximisation_ends(counts: tuple[int, ...]) -> None:
    design = SupportDesign(math.e / (math.e + 3), 1 / (math.e + 3))
    shares = likelihood_of_counts(np.array(counts), design)
    settled = likelihood_of_reports(np.eye(4, dtype=bool), math.e, counts)
    assert shares.min() >= -1e-12
    assert shares.sum() == pytest.approx(1)
    assert shares == pytest.approx(settled, abs=1e-5)


def test_most_likely_shares_can_be_chosen_as_the_tidy_view() -> None:
    design = SupportDesign(math.e / (math.e + 3), 1 / (math.e + 3))
    cells = [("1", 380, 1000), ("2", 270, 1000), ("3", 200, 1000), ("4", 150, 1000)]
    tidy = [cell.tidy for cell in estimate_shares(cells, design, epsilon=1, tidy="likelihood").cells]
    assert tidy == pytest.approx(likelihood_of_counts(np.array([380, 270, 200, 150]), design))
    empty = estimate_shares([("1", 0, 0), ("2", 0, 0)], design, epsilon=1, tidy="likelihood")
    assert [cell.tidy for cell in empty.cells] == [None, None]


def test_counts_of_sets_are_not_enough_for_the_likelihood() -> None:
    with pytest.raises(EstimateError, match="likelihood_of_reports"):
        likelihood_of_counts(np.array([50, 60, 90]), SupportDesign(0.7, 0.5))


def test_the_likelihood_of_sets_is_at_its_top() -> None:
    law = subset(6, 2, math.e)
    reports = np.random.default_rng(5).multinomial(300, likely_truths(law) @ law.chances)
    shares = likelihood_of_reports(law.supports.astype(bool), math.e, reports)
    # The likelihood is concave: at its maximum no share has a positive slope, and those above 0 have none (KKT).
    gains = (reports / (shares @ law.chances)) @ law.chances.T / 300
    assert gains.max() == pytest.approx(1, abs=1e-4)
    assert gains[shares > 1e-3] == pytest.approx(1, abs=1e-4)


def test_projection_comes_nearer_to_a_spike_than_the_raw_estimates() -> None:
    law, truth = subset(12, 3, math.e), np.eye(12)[0]
    raw = law.tally(law.surveys(truth, 500, 300, np.random.default_rng(6))).share
    tidy = np.array([simplex_projection(row) for row in raw])
    clipped = np.clip(raw, 0, None) / np.clip(raw, 0, None).sum(axis=1, keepdims=True)
    errors = [float(((each - truth) ** 2).sum(axis=1).mean()) for each in (tidy, raw, clipped)]
    assert errors == sorted(errors)
