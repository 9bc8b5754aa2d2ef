"""Covariates that are randomized questions themselves: what each row's draws say about the answers behind them.

The answers are never known. Of a row there are its draws, and for every combination of answers to the randomized
covariates the probability of just these draws. The rule here: questions were randomized separately, so that draws are
independent given the answers; each covariate has a column for every answer but its reference, as labels have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.labels import LabelCovariate
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign

Design = MatrixDesign | YesNoDesign | SupportDesign
Randomized = Mapping[str, tuple[ArrayLike, Design]]

# Each combination has a distribution of its own to be estimated, and takes a pass over all rows.
MOST_COMBINATIONS = 64


@dataclass(frozen=True, eq=False)
class PrivateCovariate:
    """One randomized covariate: its answers against a reference, its design, and the draw of each row."""

    label: LabelCovariate
    design: MatrixDesign
    draws: NDArray[np.intp]

    @property
    def chances(self) -> Figures:
        """Return for each row the probability of its draw, for every answer."""
        return np.asarray(self.design.matrix.T[self.draws])

    @property
    def unbiased(self) -> Figures:
        """Return for each row a number for each column whose expected value is 1 or 0, as the answer is."""
        places = [self.design.answers.index(answer) for answer in self.label.others]
        return np.asarray(self.design.values[self.draws][:, places])

    def indicators(self, place: int) -> tuple[float, ...]:
        """Return the columns for the answer at this place."""
        return tuple(float(other == self.design.answers[place]) for other in self.label.others)


@dataclass(frozen=True, eq=False)
class PrivateCovariates:
    """All randomized covariates, with every combination of their answers."""

    each: tuple[PrivateCovariate, ...]

    @classmethod
    def of(cls, randomized: Randomized, references: Mapping[str, str], rows: int) -> "PrivateCovariates":
        """Return the covariates; refuse draws that the designs cannot give."""
        if not randomized:
            raise EstimateError("there is no randomized covariate: name one, or use the regression without them")
        each = tuple(
            _covariate(name, draws, design, references.get(name), rows) for name, (draws, design) in randomized.items()
        )
        made = cls(each)
        if len(made.combinations) > MOST_COMBINATIONS:
            raise EstimateError(
                f"the randomized covariates have {len(made.combinations)} combinations of answers, more than "
                f"{MOST_COMBINATIONS}: leave out some, or join rare answers"
            )
        return made

    @property
    def labels(self) -> tuple[LabelCovariate, ...]:
        """Return the covariates as labels."""
        return tuple(covariate.label for covariate in self.each)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(column for label in self.labels for column in label.columns)

    @property
    def combinations(self) -> list[tuple[int, ...]]:
        """Return all combinations of answers, each as places."""
        return list(product(*(range(len(covariate.design.answers)) for covariate in self.each)))

    @property
    def columns(self) -> Figures:
        """Return the columns for every combination, one in each row."""
        return np.array(
            [
                [
                    figure
                    for covariate, place in zip(self.each, places, strict=True)
                    for figure in covariate.indicators(place)
                ]
                for places in self.combinations
            ]
        )

    @property
    def chances(self) -> Figures:
        """Return for each row the probability of its draws, for every combination."""
        parts = [covariate.chances for covariate in self.each]
        return np.stack(
            [
                np.prod([part[:, place] for part, place in zip(parts, places, strict=True)], axis=0)
                for places in self.combinations
            ],
            axis=1,
        )

    @property
    def unbiased(self) -> Figures:
        """Return for each row a number for each column whose expected value is that of the answer."""
        return np.hstack([covariate.unbiased for covariate in self.each])

    @property
    def owners(self) -> NDArray[np.intp]:
        """Return for each column the place of its covariate."""
        return np.repeat(np.arange(len(self.each)), [len(label.columns) for label in self.labels])


def _covariate(name: str, draws: ArrayLike, design: Design, reference: str | None, rows: int) -> PrivateCovariate:
    matrix = design if isinstance(design, MatrixDesign) else MatrixDesign.yes_no(design)
    if reference is not None and reference not in matrix.answers:
        raise EstimateError(
            f"the reference of {name} is none of its answers: choose one of {', '.join(matrix.answers)}"
        )
    places = _places(name, draws, matrix.reports, numbers=not isinstance(design, MatrixDesign))
    if len(places) != rows:
        raise EstimateError(
            f"the randomized covariate {name} has {len(places)} draws for {rows} outcomes: give as many"
        )
    label = LabelCovariate(name, matrix.answers, reference or matrix.answers[0])
    return PrivateCovariate(label, matrix, places)


def _places(name: str, draws: ArrayLike, reports: Sequence[str], *, numbers: bool) -> NDArray[np.intp]:
    values = np.asarray(draws)
    if values.ndim != 1:
        raise EstimateError(f"the draws of {name} are not a list: give one for each row")
    known = np.array([float(report) for report in reports]) if numbers else np.array(reports)
    try:
        matches = (values.astype(float) if numbers else values.astype(str))[:, np.newaxis] == known
    except (TypeError, ValueError):
        matches = np.zeros((len(values), len(known)), bool)
    wrong = np.flatnonzero(~matches.any(axis=1))
    if wrong.size:
        raise EstimateError(
            f"the draw of {name} in row {wrong[0] + 1} is none that its design can give: give one of "
            f"{', '.join(reports)}"
        )
    return np.asarray(matches.argmax(axis=1), np.intp)
