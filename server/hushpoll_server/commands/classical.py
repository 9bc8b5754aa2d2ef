"""Counts of classical designs that need more than two probabilities, as `hushpoll estimate` reads them.

The rule here: what a design has no use for is a wrong call, never ignored; probabilities are read exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import click

from hushpoll_server.commands.numbers import read_counts
from hushpoll_server.estimate.classical.cheating import estimate_cheating
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.classical.matrix_shares import MatrixResult, estimate_matrix
from hushpoll_server.estimate.classical.two_samples import TwoSampleResult
from hushpoll_server.estimate.classical.unknown_prevalence import estimate_unrelated
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.yes_no_designs import forced
from hushpoll_shared.epsilon import parse_number

Samples = Sequence[int] | None


def needs_two_samples(design: str, stated: Mapping[str, str]) -> bool:
    """Return whether the counts are those of two samples: `cheating`, or `unrelated` without a prevalence."""
    return design == "cheating" or (design == "unrelated" and "prevalence" not in stated)


def two_samples(design: str, stated: Mapping[str, str], yes: Samples, n: Samples, options: Options) -> TwoSampleResult:
    """Return the figures of two samples."""
    _check_options(design, options)
    names = ("truth", "yes_share") if design == "cheating" else ("p",)
    pairs = {name: _pair(stated[name], name) for name in names if name in stated}
    if stated.keys() != set(names) or yes is None or n is None or len(yes) != 2 or len(n) != 2:
        raise click.UsageError(_NEEDS[design])
    if design == "unrelated":
        return estimate_unrelated(yes, n, pairs["p"], level=options.level, method=options.method)
    designs = [forced(truth, share) for truth, share in zip(pairs["truth"], pairs["yes_share"], strict=True)]
    return estimate_cheating(yes, n, designs, level=options.level, method=options.method)


def own_matrix(
    matrix: str | None, counts: str | None, stated: Mapping[str, str], yes: Samples, n: Samples, options: Options
) -> MatrixResult:
    """Return the shares under a matrix of one's own."""
    if matrix is None or counts is None or stated or yes is not None or n is not None:
        raise click.UsageError(
            '--design matrix needs --matrix "3/4,1/4;1/4,3/4" with a row for each answer, and --counts with the '
            "reports of each column; nothing else."
        )
    rows = [[parse_number(each.strip(), "--matrix") for each in row.split(",")] for row in matrix.split(";")]
    return estimate_matrix(read_counts(counts), MatrixDesign.of(rows), options=options)


_NEEDS = {
    "unrelated": (
        "--design unrelated needs --p and --prevalence, and nothing else; or, if the prevalence is not known, two "
        "samples with --p P1,P2 --yes C1,C2 --n N1,N2."
    ),
    "cheating": "--design cheating needs two of each: --truth R1,R2 --yes-share T1,T2 --yes C1,C2 --n N1,N2.",
}


def _check_options(design: str, options: Options) -> None:
    if options.population is not None or options.beta is not None or options.coverage != "pointwise":
        raise click.UsageError(
            f"--design {design} with two samples has no --population, no --beta and no --coverage but pointwise."
        )


def _pair(text: str, name: str) -> list[Fraction]:
    option = f"--{name.replace('_', '-')}"
    numbers = [parse_number(part.strip(), option) for part in text.split(",")]
    if len(numbers) != 2:
        raise click.UsageError(f"{option} needs a number for each of the two samples: {option} 0.7,0.3.")
    return numbers
