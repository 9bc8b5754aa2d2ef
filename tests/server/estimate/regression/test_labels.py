"""Covariates that are labels: columns against a reference, and the closed form where labels are all there is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.labels import MOST_LABELS
from hushpoll_server.estimate.regression.linear import linear_regression
from hushpoll_server.estimate.regression.logistic import LogisticRegression, likelihood_ratio_test, logistic_regression
from hushpoll_server.estimate.regression.predictions import adjusted_shares, average_effects, predicted_share
from hushpoll_server.estimate.regression.results import wald_test
from hushpoll_server.estimate.support import SupportDesign

DESIGN = SupportDesign(0.8, 0.3)
SHARES = {"arts": 0.2, "law": 0.5, "physics": 0.35}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(77)


def survey(rng: np.random.Generator, n: int = 3000) -> tuple[NDArray[np.bool_], list[str]]:
    """Return reports, and a faculty on which the trait depends."""
    faculty = rng.choice(list(SHARES), n, p=[0.5, 0.3, 0.2])
    answers = rng.random(n) < np.array([SHARES[each] for each in faculty])
    return rng.random(n) < np.where(answers, DESIGN.p, DESIGN.q), faculty.tolist()


def closed_form(y: NDArray[np.bool_], faculty: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the log-odds of each faculty and their variances: each rate alone, mapped by the design."""
    groups = np.array(faculty)
    rates = {name: float(y[groups == name].mean()) for name in SHARES}
    shares = {name: (rate - DESIGN.q) / (DESIGN.p - DESIGN.q) for name, rate in rates.items()}
    variances = {
        name: rate
        * (1 - rate)
        / (groups == name).sum()
        / ((DESIGN.p - DESIGN.q) * shares[name] * (1 - shares[name])) ** 2
        for name, rate in rates.items()
    }
    return {name: float(special.logit(share)) for name, share in shares.items()}, variances


def test_with_labels_alone_the_fit_is_the_closed_form_of_each_group(rng: np.random.Generator) -> None:
    y, faculty = survey(rng)
    odds, variances = closed_form(y, faculty)
    fit = logistic_regression(y, {"faculty": faculty}, DESIGN, references={"faculty": "law"})
    assert fit.names == ("intercept", "faculty=arts", "faculty=physics")
    assert fit.references == {"faculty": "law"}
    expected = [odds["law"], odds["arts"] - odds["law"], odds["physics"] - odds["law"]]
    assert fit.estimates == pytest.approx(expected, abs=1e-7)
    assert fit.coefficients[1].se == pytest.approx(np.sqrt(variances["arts"] + variances["law"]), rel=1e-6)
    # Wald's test of k groups is the weighted sum of squares around the weighted mean.
    weights, values = np.array([1 / variances[name] for name in SHARES]), np.array(list(odds.values()))
    statistic = float(weights @ (values - weights @ values / weights.sum()) ** 2)
    test = fit.joint_tests["faculty"]
    assert test.degrees == 2
    assert test.statistic == pytest.approx(statistic, rel=1e-6)
    assert test.p_value == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-5)


def test_the_reference_changes_neither_the_likelihood_nor_the_joint_test(rng: np.random.Generator) -> None:
    y, faculty = survey(rng)
    fits = [logistic_regression(y, {"faculty": faculty}, DESIGN, references={"faculty": name}) for name in SHARES]
    for fit in fits[1:]:
        assert fit.log_likelihood == pytest.approx(fits[0].log_likelihood, abs=1e-8)
        assert fit.joint_tests["faculty"].statistic == pytest.approx(fits[0].joint_tests["faculty"].statistic, rel=1e-6)


def test_labels_are_columns_of_0_and_1_beside_numbers(rng: np.random.Generator) -> None:
    y, faculty = survey(rng)
    age = rng.normal(size=len(y))
    coded = {"age": age, "law": np.array(faculty) == "law", "physics": np.array(faculty) == "physics"}
    for regress in (logistic_regression, linear_regression):
        labelled, by_hand = regress(y, {"age": age, "faculty": faculty}, DESIGN), regress(y, coded, DESIGN)
        assert labelled.estimates == pytest.approx(by_hand.estimates, abs=1e-9)
        assert labelled.covariance == pytest.approx(by_hand.covariance, rel=1e-6)
        assert labelled.references == {"faculty": "arts"}
        assert wald_test(labelled, ["faculty"]) == wald_test(labelled, ["faculty=law", "faculty=physics"])
    fit = logistic_regression(y, {"age": age, "faculty": faculty}, DESIGN)
    smaller = logistic_regression(y, {"age": age}, DESIGN)
    test = likelihood_ratio_test(fit, ["faculty"])
    assert test.degrees == 2
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - smaller.log_likelihood), abs=1e-6)


@pytest.fixture
def fit(rng: np.random.Generator) -> LogisticRegression:
    y, faculty = survey(rng)
    return logistic_regression(y, {"age": rng.normal(size=len(y)), "faculty": faculty}, DESIGN)


def test_predicted_and_adjusted_shares_of_labels_are_those_of_the_groups(rng: np.random.Generator) -> None:
    y, faculty = survey(rng)
    odds, variances = closed_form(y, faculty)
    fit = logistic_regression(y, {"faculty": faculty}, DESIGN)
    for adjusted in adjusted_shares(fit, "faculty"):
        name = str(adjusted.at["faculty"])
        predicted = predicted_share(fit, {"faculty": name})
        assert (adjusted.estimate, predicted.estimate) == pytest.approx((special.expit(odds[name]),) * 2, abs=1e-8)
        low = special.expit(odds[name] - 1.959964 * np.sqrt(variances[name]))
        assert (adjusted.low, predicted.low) == pytest.approx((low, low), abs=1e-6)


def test_the_effect_of_a_label_is_a_difference_of_adjusted_shares(fit: LogisticRegression) -> None:
    effects = {effect.name: effect for effect in average_effects(fit)}
    shares = {share.at["faculty"]: share for share in adjusted_shares(fit, "faculty")}
    difference = shares["law"].estimate - shares["arts"].estimate
    assert effects["faculty=law"].estimate == pytest.approx(difference, abs=1e-12)

    def mean_difference(b: NDArray[np.float64]) -> float:
        rows = fit.matrix.values.copy()
        rows[:, 2:] = 0
        down = special.expit(rows @ b).mean()
        rows[:, 2] = 1
        return float(special.expit(rows @ b).mean() - down)

    steps = 1e-5 * np.eye(len(fit.estimates))
    gradient = [(mean_difference(fit.estimates + s) - mean_difference(fit.estimates - s)) / 2e-5 for s in steps]
    assert effects["faculty=law"].se == pytest.approx(np.sqrt(gradient @ fit.covariance @ gradient), rel=1e-6)


@pytest.mark.parametrize(
    ("labels", "references", "sentence"),
    [
        (["a", "b"] * 10, {"faculty": "c"}, "none of its labels: choose one of a, b"),
        (["a", "b"] * 10, {"age": "c"}, "age, which has no labels"),
        (["a"] * 20, {}, "faculty is constant"),
        (["a", ""] * 10, {}, "empty label"),
        ([f"{place}" for place in range(MOST_LABELS + 1)], {}, "51 different labels"),
        (["a", "b"] * 9, {}, "does not have one number for each of the 20"),
        (["a", 1.0] * 10, {}, "not a number"),
    ],
)
def test_labels_that_say_nothing_are_refused_with_the_cure(
    labels: list[str], references: dict[str, str], sentence: str
) -> None:
    n = max(20, len(labels))
    y, age = np.arange(n) % 3 == 0, np.arange(n) % 7
    with pytest.raises(EstimateError, match=sentence):
        logistic_regression(y, {"age": age, "faculty": labels}, DESIGN, references=references)


def test_a_number_cannot_have_the_name_of_a_label_s_column(rng: np.random.Generator) -> None:
    y, faculty = survey(rng, 300)
    with pytest.raises(EstimateError, match="two columns are called faculty=law"):
        logistic_regression(y, {"faculty": faculty, "faculty=law": rng.normal(size=300)}, DESIGN)


def test_a_label_that_nobody_has_and_a_coefficient_of_many_are_refused(fit: LogisticRegression) -> None:
    with pytest.raises(EstimateError, match="no such label: choose one of arts, law, physics"):
        predicted_share(fit, {"age": 0.0, "faculty": "medicine"})
    with pytest.raises(EstimateError, match="a value for each covariate and no other: age, faculty"):
        predicted_share(fit, {"age": 0.0, "faculty=law": 1.0})
    with pytest.raises(EstimateError, match="faculty has a coefficient for each label"):
        fit.coefficient("faculty")
    with pytest.raises(EstimateError, match="no covariate of labels: faculty"):
        adjusted_shares(fit, "age")
