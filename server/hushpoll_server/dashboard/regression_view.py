"""A regression as a page shows it: coefficients and average effects in the survey's own words.

The rule here: every figure says what it compares. A coefficient of a logistic regression is a difference of log-odds;
an effect is a difference of shares, in percentage points, on average over the respondents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.crosstable import chi_squared
from hushpoll_server.dashboard.formatting import Unit
from hushpoll_server.estimate.regression.linear_on_randomized import LinearOnRandomized
from hushpoll_server.estimate.regression.logistic import LogisticRegression
from hushpoll_server.estimate.regression.logistic_on_randomized import LogisticOnRandomized
from hushpoll_server.estimate.regression.model_matrix import INTERCEPT
from hushpoll_server.estimate.regression.predictions import Prediction, adjusted_shares, average_effects
from hushpoll_server.estimate.regression.results import Coefficient, Regression
from hushpoll_shared.manifest import Manifest

ERRORS = {
    "expected": "from the expected information",
    "observed": "from the observed information",
    "outer_product": "from the outer product of the scores",
    "hc3": "HC3, robust to unequal variances",
    "hc1": "HC1, robust to unequal variances",
    "sandwich": "sandwich, robust to unequal variances",
}


@dataclass(frozen=True)
class Words:
    """What people read for covariates and their labels."""

    titles: Mapping[str, str]
    labels: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, manifest: Manifest) -> Words:
        """Return the words of a survey."""
        dimensions = manifest.groups.dimensions if manifest.groups else ()
        questions = manifest.questions
        titles = {each.id: each.text for each in dimensions} | {each.id: each.text for each in questions}
        public = {each.id: {label.id: label.text for label in each.labels} for each in dimensions}
        private = {each.id: dict(zip(each.type.cells, each.type.words, strict=False)) for each in questions}
        return cls(titles, private | public)

    def title(self, name: str) -> str:
        """Return the text of a covariate."""
        return self.titles.get(name, name)

    def label(self, name: str, label: str) -> str:
        """Return the text of a label of a covariate."""
        return self.labels.get(name, {}).get(label, label)

    def labelled(self, name: str, label: str) -> str:
        """Return a covariate with one of its labels."""
        title = self.title(name)
        return f"{title}{' ' if title.endswith('?') else ': '}{self.label(name, label)}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A figure of the regression, with what it compares."""

    name: str
    figure: Coefficient | Prediction


@dataclass(frozen=True, kw_only=True)
class RegressionView:
    """A regression to show."""

    fit: Regression
    words: Words
    unit: Unit

    @property
    def is_logistic(self) -> bool:
        """Return whether the coefficients are log-odds."""
        return isinstance(self.fit, LogisticRegression)

    @property
    def coefficients(self) -> tuple[Row, ...]:
        """Return the coefficients, the intercept first."""
        return tuple(Row(name=self._name(each.name), figure=each) for each in self.fit.coefficients)

    @property
    def effects(self) -> tuple[Row, ...]:
        """Return the average effects of a logistic regression on the share."""
        if not isinstance(self.fit, LogisticRegression):
            return ()
        return tuple(Row(name=self._name(each.name), figure=each) for each in average_effects(self.fit))

    @property
    def adjusted(self) -> tuple[Row, ...]:
        """Return for each label the share if everybody had it and all else were as it is."""
        if not isinstance(self.fit, LogisticRegression):
            return ()
        return tuple(
            Row(name=self.words.labelled(label.name, value), figure=each)
            for label in self.fit.labels
            for value, each in zip(label.labels, adjusted_shares(self.fit, label.name), strict=True)
        )

    @property
    def errors(self) -> str:
        """Return how the standard errors were computed, in words."""
        return ERRORS.get(self.fit.standard_errors, self.fit.standard_errors)

    @property
    def assumed(self) -> str:
        """Return what is assumed about the answers to private covariates; empty without any."""
        return self.fit.assumed if isinstance(self.fit, LogisticOnRandomized | LinearOnRandomized) else ""

    @property
    def tests(self) -> tuple[str, ...]:
        """Return the tests of several coefficients at once, in words."""
        joint = [
            f"Test that all groups or answers of “{self.words.title(name)}” are alike: {chi_squared(test)}."
            for name, test in self.fit.joint_tests.items()
            if test.degrees > 1
        ]
        slopes = self.fit.slopes_test if isinstance(self.fit, LogisticRegression) else None
        return (*joint, *([] if slopes is None else [f"Test that no covariate matters: {chi_squared(slopes)}."]))

    def _name(self, column: str) -> str:
        """Return in words what a coefficient compares."""
        if column == INTERCEPT:
            return "Intercept"
        for label in self.fit.labels:
            if column in label.columns:
                other = label.others[label.columns.index(column)]
                return (
                    f"{self.words.labelled(label.name, other)} against {self.words.label(label.name, label.reference)}"
                )
        return self.words.title(column)


def regression_view(manifest: Manifest, fit: Regression, *, is_share: bool) -> RegressionView:
    """Return the view of a regression; those of a share are linear in percentage points."""
    is_points = is_share and not isinstance(fit, LogisticRegression)
    return RegressionView(fit=fit, words=Words.of(manifest), unit=formatting.SHARE if is_points else formatting.OWN)
