"""Data augmentation: its law is the exact posterior, data sets forget each other, and Rubin's rules give the share."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hushpoll_server.estimate.bayes.posterior import UNIFORM, posterior_share
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.imputation.augmentation import Augmentation, Codes, Draws
from hushpoll_server.estimate.imputation.rubin import rubin
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.plan.power.tables import joint_table

WARNER = SupportDesign(0.75, 0.25)


def weights_of(p: float) -> Figures:
    """Return the weights of no and yes for draws of no and yes."""
    return np.array([[p, 1 - p], [1 - p, p]])


def yes_no(draws: Codes, p: float = 0.75) -> Draws:
    return Draws(draws, weights_of(p))


def randomized(answers: Codes, p: float, rng: np.random.Generator) -> Codes:
    return np.where(rng.random(answers.size) < p, answers, 1 - answers)


def test_completed_shares_have_the_law_of_the_exact_posterior() -> None:
    draws = np.repeat([1, 0], [25, 35])
    table, n, m = Augmentation([yes_no(draws)]), 60, 1500
    counts = np.array([cells.sum() for cells in table.data_sets(m, np.random.default_rng(2))])
    exact = posterior_share(25, n, WARNER, prior=UNIFORM)
    # With k holders among the n, the share is Beta(k + 1, n - k + 1): the means agree, and the variances add up.
    means = (counts + 1) / (n + 2)
    within = means * (1 - means) / (n + 3)
    # Four standard errors of 1,500 data sets that are nearly independent: a false alarm once in 16,000 seeds.
    assert means.mean() == pytest.approx(exact.mean, abs=4 * means.std() / math.sqrt(m) * 1.05)
    assert within.mean() + means.var() == pytest.approx(exact.sd**2, rel=4 * math.sqrt(2 / m))
    apart = np.corrcoef(counts[1:], counts[:-1])[0, 1]
    assert abs(apart) < 0.02 + 4 / math.sqrt(m)


def test_the_combined_share_is_near_the_estimate_with_its_standard_error() -> None:
    rng, n = np.random.default_rng(4), 2000
    draws = randomized((rng.random(n) < 0.3).astype(np.intp), 0.75, rng)
    shares = np.array([cells.mean() for cells in Augmentation([yes_no(draws)]).data_sets(60, rng)])
    found = rubin(shares, shares * (1 - shares) / n)
    rate = draws.mean()
    estimate, se = (rate - 0.25) / 0.5, math.sqrt(rate * (1 - rate) / n) / 0.5
    # 60 data sets: their mean is √(B/60) = .11 se from the posterior mean, the total variance is 18 % off at most once.
    assert found.estimate == pytest.approx(estimate, abs=0.45 * se)
    assert found.se == pytest.approx(se, rel=0.3)


def associated(n: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Return two draws of each of n people whose answers have an odds ratio of 4, at odds 9:1."""
    cells = rng.choice(4, size=n, p=joint_table(0.4, 0.5, 4.0).ravel())
    return randomized(1 - cells // 2, 0.9, rng), randomized(1 - cells % 2, 0.9, rng)


def log_odds_ratio(first: Codes, second: Codes) -> tuple[float, float]:
    """Return the log odds ratio of a completed data set, and its variance."""
    counts = np.bincount(2 * first + second, minlength=4) + 0.5
    return float(np.log(counts[3] * counts[0] / (counts[1] * counts[2]))), float((1 / counts).sum())


def test_an_association_survives_if_the_questions_are_imputed_together_and_is_lost_if_not() -> None:
    rng = np.random.default_rng(6)
    first, second = associated(4000, rng)
    one, other = yes_no(first, 0.9), yes_no(second, 0.9)
    together = Augmentation([one, other])
    joint = [log_odds_ratio(*together.answers(cells)) for cells in together.data_sets(20, rng)]
    chains = zip(Augmentation([one]).data_sets(20, rng), Augmentation([other]).data_sets(20, rng), strict=True)
    apart = [log_odds_ratio(*cells) for cells in chains]
    found, lost = (rubin(*zip(*figures, strict=True)) for figures in (joint, apart))
    assert found.low is not None
    assert found.high is not None
    assert found.low < math.log(4) < found.high
    naive, _ = log_odds_ratio(first, second)
    assert 0 < lost.estimate < naive < found.estimate


def test_the_naive_intervals_of_one_data_set_would_be_too_short() -> None:
    rng = np.random.default_rng(9)
    draws = randomized((rng.random(500) < 0.3).astype(np.intp), 0.75, rng)
    shares = np.array([cells.mean() for cells in Augmentation([yes_no(draws)]).data_sets(40, rng)])
    found = rubin(shares, shares * (1 - shares) / 500)
    assert found.se is not None
    assert found.se > 1.7 * math.sqrt(found.within)
    # Of the information about the share, λ(1-λ) = .24 against .25·.21 = .0525: 78 % is missing.
    assert found.missing_information == pytest.approx(0.78, abs=0.1)


def test_rubins_intervals_cover() -> None:
    rng, n, covered, times = np.random.default_rng(1), 500, 0, 120
    for _ in range(times):
        draws = randomized((rng.random(n) < 0.3).astype(np.intp), 0.9, rng)
        shares = np.array([cells.mean() for cells in Augmentation([yes_no(draws, 0.9)]).data_sets(20, rng)])
        found = rubin(shares, shares * (1 - shares) / n)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.3 <= found.high
    # .95 less four standard errors of 120 surveys; docs/statistics/imputation.md has 1,000.
    assert covered / times >= 0.95 - 4 * 0.02


def test_what_reports_tell_less_about_takes_more_steps() -> None:
    draws = np.repeat([1, 0], [250, 250])
    steps = [Augmentation([yes_no(draws, p)]).steps for p in (0.99, 0.75, 0.6)]
    assert steps == sorted(steps)
    # The reports hold (2p - 1)² of the information at a share of one half: .25 and .04.
    assert steps[1:] == [math.ceil(math.log(0.02) / math.log(0.75)), math.ceil(math.log(0.02) / math.log(0.96))]


def test_a_question_that_was_not_asked_is_drawn_from_the_others() -> None:
    draws = np.array([0, 1, 2] * 200)
    rows = np.vstack((weights_of(0.9), np.ones(2)))
    cells = next(Augmentation([Draws(draws, rows)]).data_sets(1, np.random.default_rng(0)))
    assert 0.3 < cells[draws == 2].mean() < 0.7


def test_one_respondent_is_enough_and_one_kind_of_report_too() -> None:
    for draws in (np.array([1]), np.zeros(50, np.intp)):
        for cells in Augmentation([yes_no(draws)]).data_sets(3, np.random.default_rng(0)):
            assert cells.shape == draws.shape


def test_tables_that_are_too_large_and_priors_that_are_none_are_refused() -> None:
    many = Draws(np.zeros(3, np.intp), np.ones((1, 40)))
    with pytest.raises(EstimateError, match="1,600 cells, more than 1,000"):
        Augmentation([many, many])
    with pytest.raises(EstimateError, match="prior"):
        Augmentation([many], 0.0)
    different = Draws(np.arange(3000), np.ones((3000, 900)))
    with pytest.raises(EstimateError, match="too many to hold"):
        Augmentation([different])
