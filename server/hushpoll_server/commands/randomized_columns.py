"""Columns that are randomized questions themselves, as `hushpoll regress --randomized` names them.

One text says which column it is and what its draws come from: `helped:odds=3:1`, or with another design than Warner's
`helped:forced,truth=3/4,yes-share=1/2`, or `frequency:grr,epsilon=2,answers=never|once|often`. The rule here: it has
the names of the options of a design, and what a design does not have is a wrong call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import click

from hushpoll_server.commands.columns import Reader, read_label, read_yes_no
from hushpoll_server.commands.designs import YES_NO_DESIGNS, check_grr
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.errors import InvalidValue

_FORM = (
    '--randomized names a column and its design: --randomized "helped:odds=3:1", or '
    '"helped:forced,truth=3/4,yes-share=1/2", or "frequency:grr,epsilon=2,answers=never|once|often".'
)


@dataclass(frozen=True)
class RandomizedColumn:
    """A column with draws, and the design that they come from."""

    name: str
    design: YesNoDesign | MatrixDesign

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the column that a text names."""
        name, _, rest = text.partition(":")
        first, *others = (part.strip() for part in rest.split(","))
        parts = others if "=" not in first else [first, *others]
        stated = {
            key.strip().replace("-", "_"): value.strip() for key, _, value in (part.partition("=") for part in parts)
        }
        if not name.strip() or not parts or len(stated) != len(parts) or not all(stated.values()):
            raise click.UsageError(_FORM)
        return cls(name.strip(), _design("warner" if "=" in first else first, stated))

    @property
    def reader(self) -> Reader:
        """Return what reads a cell: 1 and 0, or the name of an answer."""
        return read_label if isinstance(self.design, MatrixDesign) else read_yes_no


def read_randomized(texts: Sequence[str], others: Sequence[str]) -> list[RandomizedColumn]:
    """Return all randomized columns, each of them named once and nowhere else."""
    columns = [RandomizedColumn.read(text) for text in texts]
    names = [column.name for column in columns]
    if len(set(names)) != len(names) or set(names) & set(others):
        raise click.UsageError("--randomized names each column once, and none of --outcome and --covariates.")
    return columns


def _design(design: str, stated: dict[str, str]) -> YesNoDesign | MatrixDesign:
    if design in YES_NO_DESIGNS:
        return read_design(design, stated)
    if design != "grr":
        raise click.UsageError(f"--randomized knows the designs {', '.join((*YES_NO_DESIGNS, 'grr'))}.")
    answers = [answer.strip() for answer in stated.pop("answers", "").split("|")]
    check_grr(stated)
    if len(answers) < 2 or not all(answers):
        raise click.UsageError("--randomized with grr names all answers of the question: answers=never|once|often.")
    try:
        known = SubsetMechanism.of(Bound.read(stated), len(answers), picks=1)
        return MatrixDesign.names_one(answers, known.p / known.q)
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None
