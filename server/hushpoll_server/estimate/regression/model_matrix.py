"""The covariates of a regression as a matrix, checked before anything is fitted.

The rule here: whatever would give coefficients without meaning is refused with the names of the columns. Fitting works
on columns with mean 0 and standard deviation 1, so that the units of a covariate change no digit of the result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.labels import LabelCovariate, label_columns
from hushpoll_server.estimate.support import Figures

INTERCEPT = "intercept"
# Squares of numbers within these are ordinary floats.
_LARGEST, _SMALLEST = 1e100, 1e-100
# Below this fraction of its size the spread of a column is rounding.
_CONSTANT = 1e-12
# The smallest singular value of standardized columns, relative to the largest, that more than rounding can give.
_DEPENDENT = 1e-7
# A column takes part in a dependence if its weight is at least this fraction of the largest.
_TAKES_PART = 1e-3


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """A column of ones and the covariates: as they are, and standardized for fitting."""

    names: tuple[str, ...]
    values: Figures
    standard: Figures
    # Turns coefficients of the standardized columns into those of the columns.
    back: Figures
    # The covariates that are labels, each of which has a column for every label but its reference.
    labels: tuple[LabelCovariate, ...] = ()

    @classmethod
    def of(
        cls,
        covariates: Mapping[str, ArrayLike],
        rows: int,
        references: Mapping[str, str] | None = None,
        times: Figures | None = None,
    ) -> "ModelMatrix":
        """Return the matrix of these covariates, numbers or labels; refuse those that leave a coefficient open.

        `times` says how often each row occurs, if not once.
        """
        times = np.ones(rows) if times is None else times
        given, labels = label_columns(covariates, references or {})
        columns = [_column(name, values, rows) for name, values in given.items()]
        names = (INTERCEPT, *given)
        check_rows(int(times.sum()), names)
        centres, spreads = _standards(names[1:], columns, times)
        values = np.column_stack([np.ones(rows), *columns])
        standard = np.column_stack(
            [np.ones(rows), *((column - c) / s for column, c, s in zip(columns, centres, spreads, strict=True))]
        )
        check_independent(names, standard, times)
        return cls(names, values, standard, _back(centres, spreads), labels)

    @property
    def covariates(self) -> tuple[str, ...]:
        """Return the names of the covariates: one for all columns of a covariate of labels."""
        owners = {column: label.name for label in self.labels for column in label.columns}
        return tuple(dict.fromkeys(owners.get(name, name) for name in self.names[1:]))

    def row(self, at: Mapping[str, float | str]) -> Figures:
        """Return the row of the matrix for these values of the covariates: a number, or one of its labels."""
        if set(at) != set(self.covariates):
            raise EstimateError(f"give a value for each covariate and no other: {_listed(self.covariates)}")
        places = dict(at)
        for label in self.labels:
            places |= label.place(places.pop(label.name))
        try:
            row = np.array([1.0, *(float(places[name]) for name in self.names[1:])])
        except ValueError:
            raise EstimateError("a covariate of numbers has a value that is none: give a number") from None
        if not np.isfinite(row).all() or np.abs(row).max() > _LARGEST:
            raise EstimateError("a covariate has a value that is not an ordinary number: give finite numbers")
        return row

    def without(self, names: Sequence[str]) -> dict[str, Figures]:
        """Return the covariates but these by name."""
        return {name: self.values[:, place] for place, name in enumerate(self.names) if place and name not in names}


def check_rows(rows: int, names: Sequence[str]) -> None:
    """Refuse fewer rows than would determine the coefficients and leave one to spare."""
    if rows <= len(names):
        raise EstimateError(
            f"there are {rows} rows for {len(names)} coefficients ({_listed(names)}): a regression needs more rows "
            "than coefficients, and a useful one many times more; collect more reports or leave out covariates"
        )


def check_independent(names: Sequence[str], standard: Figures, times: Figures) -> None:
    """Refuse columns of which one follows from the others."""
    weighted = standard * np.sqrt(times / times.sum())[:, np.newaxis]
    # Rows of zeros change nothing, and show the directions that fewer different rows than columns leave out.
    filled = np.pad(weighted, ((0, max(0, standard.shape[1] - len(standard))), (0, 0)))
    _, singular, weights = np.linalg.svd(filled, full_matrices=False)
    if singular[-1] > _DEPENDENT * singular[0]:
        return
    part = np.abs(weights[-1]) > _TAKES_PART * np.abs(weights[-1]).max()
    guilty = [name for name, involved in zip(names, part, strict=True) if involved]
    raise EstimateError(
        f"the columns {_listed(guilty)} are collinear: each follows from the others, so their coefficients cannot be "
        "told apart; leave one of them out"
    )


def _column(name: str, values: ArrayLike, rows: int) -> Figures:
    if name == INTERCEPT:
        raise EstimateError(
            f"a covariate is called {INTERCEPT}, which is the name of the constant: rename the covariate"
        )
    try:
        column = np.asarray(values, float)
    except (TypeError, ValueError):
        raise EstimateError(f"the covariate {name} holds something that is not a number: give numbers") from None
    if column.shape != (rows,):
        raise EstimateError(
            f"the covariate {name} does not have one number for each of the {rows} outcomes: give as many"
        )
    if not np.isfinite(column).all():
        place = int(np.flatnonzero(~np.isfinite(column))[0]) + 1
        raise EstimateError(
            f"the covariate {name} has no finite number in row {place}: fill it in or leave the row out"
        )
    return column


def _standards(names: Sequence[str], columns: Sequence[Figures], times: Figures) -> tuple[Figures, Figures]:
    pairs = [_standard(name, column, times) for name, column in zip(names, columns, strict=True)]
    return np.array([centre for centre, _ in pairs]), np.array([spread for _, spread in pairs])


def _standard(name: str, column: Figures, times: Figures) -> tuple[float, float]:
    """Return the mean and the standard deviation of a covariate that varies."""
    size = float(np.abs(column).max())
    if np.ptp(column) <= _CONSTANT * size:
        raise EstimateError(
            f"the covariate {name} is constant: it has the same value in every row and cannot be told from the "
            "intercept; leave it out"
        )
    if not _SMALLEST < size < _LARGEST:
        raise EstimateError(f"the numbers of the covariate {name} are too large or too small: use another unit")
    return mean_of(column, times), spread_of(column, times)


def mean_of(values: Figures, times: Figures) -> float:
    """Return the mean of values that occur this often."""
    return float(np.average(values, weights=times))


def spread_of(values: Figures, times: Figures) -> float:
    """Return the standard deviation of values that occur this often."""
    return float(np.sqrt(np.average((values - mean_of(values, times)) ** 2, weights=times)))


def _back(centres: Figures, spreads: Figures) -> Figures:
    # b_j = c_j / s_j   and   b_0 = c_0 - Σ c_j m_j / s_j
    back = np.diag([1.0, *(1 / spreads)])
    back[0, 1:] = -centres / spreads
    return back


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
