"""Covariates that are public labels, such as a faculty or an arm of a trial, as columns of a regression.

A covariate of k labels becomes k - 1 columns of 0 and 1, one for each label but the reference: `faculty=law` is the
difference of law to the reference. The rule here: texts are labels and numbers stay numbers; nothing is guessed from
how a number looks, and every result names its references.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError

# More labels than this are names or dates rather than groups: each of them would have its own coefficient.
MOST_LABELS = 50


@dataclass(frozen=True)
class LabelCovariate:
    """A covariate of labels: all of them in alphabetical order, and the one that the others are compared with."""

    name: str
    labels: tuple[str, ...]
    reference: str

    @classmethod
    def of(cls, name: str, values: Sequence[str], reference: str | None) -> "LabelCovariate":
        """Return the covariate with these labels; its reference is the first of them unless another is named."""
        labels = tuple(sorted(set(values)))
        if len(labels) > MOST_LABELS:
            raise EstimateError(
                f"the covariate {name} has {len(labels)} different labels, more than {MOST_LABELS}: join rare ones, or "
                "write numbers as numbers"
            )
        if "" in labels:
            raise EstimateError(f"the covariate {name} has an empty label: name it or leave the row out")
        if reference is not None and reference not in labels:
            raise EstimateError(f"the reference of {name} is none of its labels: choose one of {', '.join(labels)}")
        return cls(name, labels, labels[0] if reference is None else reference)

    @property
    def others(self) -> tuple[str, ...]:
        """Return the labels but the reference."""
        return tuple(label for label in self.labels if label != self.reference)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(f"{self.name}={label}" for label in self.others)

    def indicators(self, values: Sequence[str]) -> dict[str, ArrayLike]:
        """Return the columns by name: 1 where the label is that of the column, 0 elsewhere."""
        texts = np.array(values)
        if len(self.labels) == 1:
            # One constant column, which is refused by the name of the covariate.
            return {self.name: np.ones(len(texts))}
        return {column: (texts == label) * 1.0 for column, label in zip(self.columns, self.others, strict=True)}

    def place(self, label: object) -> dict[str, float]:
        """Return the values of the columns for one label."""
        if label not in self.labels:
            raise EstimateError(f"{self.name} has no such label: choose one of {', '.join(self.labels)}")
        return {column: float(other == label) for column, other in zip(self.columns, self.others, strict=True)}


def label_columns(
    covariates: Mapping[str, ArrayLike], references: Mapping[str, str]
) -> tuple[dict[str, ArrayLike], tuple[LabelCovariate, ...]]:
    """Return the covariates with those of labels replaced by their columns, and what those were."""
    texts = {name: texts for name, values in covariates.items() if (texts := _texts(values)) is not None}
    if strangers := [name for name in references if name not in texts]:
        raise EstimateError(f"a reference is given for {', '.join(strangers)}, which has no labels: give texts there")
    labels = {name: LabelCovariate.of(name, values, references.get(name)) for name, values in texts.items()}
    columns: dict[str, ArrayLike] = {}
    for name, values in covariates.items():
        new = labels[name].indicators(texts[name]) if name in labels else {name: values}
        if same := columns.keys() & new.keys():
            raise EstimateError(f"two columns are called {', '.join(sorted(same))}: rename a covariate")
        columns |= new
    return columns, tuple(labels.values())


def _texts(values: ArrayLike) -> list[str] | None:
    """Return the values if all of them are texts."""
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str) or not len(values):
        return None
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return listed if all(isinstance(value, str) for value in listed) else None
