"""hushpoll estimate: shares with intervals from counts or from a file of reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hushpoll_server.analysis.survey import analyse
from hushpoll_server.commands.classical import Samples, needs_two_samples, own_matrix, two_samples
from hushpoll_server.commands.common import (
    beta_option,
    coverage_option,
    cross_option,
    json_option,
    level_option,
    method_option,
    print_json,
    read_crossed,
)
from hushpoll_server.commands.designs import (
    YES_NO_DESIGNS,
    check_grr,
    design_options,
    read_yes_no,
    stated_parameters,
)
from hushpoll_server.commands.figures import print_result, print_results, print_table
from hushpoll_server.commands.numbers import COUNT, Wholes, read_counts
from hushpoll_server.commands.sources import Source, group_option, read_labels, source_options, survey_source
from hushpoll_server.estimate.classical.efficiency import efficiency
from hushpoll_server.estimate.classical.matrix_shares import MatrixResult
from hushpoll_server.estimate.classical.two_samples import TwoSampleResult
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.yes_no_designs import YesNoDesign, estimate_design
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.errors import InvalidValue

# Printed with the figures: nothing in the counts can tell the two cases apart.
_AS_GOOD_AS_BEST = 0.99995
ASSUMED = (
    "each report names one of the {k} categories of one question. A cross table of two questions has another design: "
    "use --manifest, --reports and --cross"
)


@click.command()
@source_options
@design_options((*YES_NO_DESIGNS, "grr", "matrix", "cheating"), required=False)
@click.option("--yes", metavar="C", type=Wholes(), help="Yes/no designs: reports that say yes, of each sample.")
@click.option("--n", metavar="N", type=Wholes(), help="Yes/no designs: all reports, of each sample.")
@click.option(
    "--counts", metavar="C1,C2,…", help="grr, matrix: reports that name each category of one question, or each column."
)
@click.option("--matrix", metavar='"A,B;C,D"', help="matrix: the probabilities of all reports, a row for each answer.")
@click.option("--population", metavar="N", type=COUNT, help="Size of the population, if it is finite.")
@cross_option
@group_option
@level_option
@method_option
@coverage_option
@beta_option
@json_option
def command(
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    cross: tuple[str, ...],
    group: tuple[str, ...],
    design: str | None,
    yes: tuple[int, ...] | None,
    n: tuple[int, ...] | None,
    counts: str | None,
    matrix: str | None,
    population: int | None,
    level: float,
    method: str | None,
    coverage: str,
    beta: float | None,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Estimate true shares and means from randomized reports.

    Either --survey, or --manifest with --reports; or --design with its parameters and the counts.

    Yes/no designs take --yes and --n: warner with one of --epsilon, --odds, --p, --truth; forced with --truth and
    --yes-share; unrelated with --p and --prevalence; crosswise, where --yes counts "both the same", triangular, where
    it counts "at least one yes", and mangat with --p; kuk, or two probabilities of your own, with --p1 and --p0.

    Two samples take two of each, with a comma between them: unrelated with --p alone, if the prevalence is not known;
    cheating, the check for people who say no whatever forced response tells them, with --truth and --yes-share.

    grr (k-ary randomized response) takes --epsilon or --odds and --counts, of one question of which each report names
    one category. The counts of a cross table of two questions have another design: use hushpoll crosstab, or --cross
    with reports. matrix takes --matrix, any probabilities of your own, and --counts.
    """
    stated = stated_parameters(parameters)
    options = Options(level=level, method=method, coverage=coverage, beta=beta, population=population)
    if design is None:
        if not (survey or (manifest_path and reports_path)) or stated or any((yes, n, counts, matrix)):
            raise click.UsageError("Give --manifest with --reports, or --design with its parameter and its counts.")
        if population is not None:
            raise click.UsageError("--population goes with --design; a manifest holds its own.")
        with survey_source(survey, db, manifest_path, reports_path) as source:
            _estimate_survey(source, cross, read_labels(group), options, as_json=as_json)
        return
    if survey or db or manifest_path or reports_path or cross or group:
        raise click.UsageError("--design goes with counts: leave out --manifest, --reports, --cross and --group.")
    if matrix is not None and design != "matrix":
        raise click.UsageError("--matrix goes with --design matrix.")
    try:
        if design == "grr":
            result = _estimate_grr(stated, counts, (yes, n), options)
            _show(design, result, {"assumed": ASSUMED.format(k=len(result.cells))}, as_json=as_json)
        elif design == "matrix":
            shares = own_matrix(matrix, counts, stated, yes, n, options)
            efficient = efficiency(shares.design, shares.cells[0].tidy or 0.0) if shares.n else None
            _show(design, shares, {"efficiency": efficient}, as_json=as_json)
        elif needs_two_samples(design, stated):
            _show(design, two_samples(design, stated, yes, n, options), {}, as_json=as_json)
        else:
            known = read_yes_no(design, stated)
            result = _estimate_yes_no(design, known, (yes, n), counts, options)
            efficient = efficiency(known, result.cells[0].tidy or 0.0) if result.n else None
            _show(design, result, {"efficiency": efficient}, as_json=as_json)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _show(
    design: str, result: Result | MatrixResult | TwoSampleResult, about: dict[str, Any], *, as_json: bool
) -> None:
    if as_json:
        print_json(result.to_json() | about)
        return
    print_result(design, result)
    if (assumed := about.get("assumed")) is not None:
        click.echo(f"{design}  assumed: {assumed}")
    # Warner's own design is the best, and needs no line that says so.
    if (part := about.get("efficiency")) is not None and part < _AS_GOOD_AS_BEST:
        click.echo(f"{design}  efficiency: {part:.2%} of the best design with the same epsilon, Warner's")


def _estimate_yes_no(
    design: str, known: YesNoDesign, counted: tuple[Samples, Samples], counts: str | None, options: Options
) -> Result:
    yes, n = counted
    if yes is None or n is None or counts is not None:
        raise click.UsageError(f"--design {design} needs --yes and --n, and no --counts.")
    if len(yes) != 1 or len(n) != 1:
        raise click.UsageError(f"--design {design} needs one sample: one number for --yes and one for --n.")
    return estimate_design(yes[0], n[0], known, options=options)


def _estimate_grr(
    stated: dict[str, str], counts: str | None, others: tuple[Samples, Samples], options: Options
) -> Result:
    check_grr(stated)
    if counts is None or others != (None, None):
        raise click.UsageError(
            "--design grr needs --counts, one for each category: 380,270,200,150, and neither --yes nor --n."
        )
    numbers = read_counts(counts)
    design = SubsetMechanism.of(Bound.read(stated), len(numbers), picks=1)
    cells = [(str(place), count, sum(numbers)) for place, count in enumerate(numbers, start=1)]
    support, epsilon = SupportDesign(design.p, design.q), float(design.epsilon)
    return estimate_shares(cells, support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))


def _estimate_survey(
    source: Source, cross: Sequence[str], labels: Sequence[str], options: Options, *, as_json: bool
) -> None:
    crossed = read_crossed(cross, source.manifest)
    analysis = analyse(source.manifest, source.reports(), crossed=crossed, labels=labels, options=options)
    if as_json:
        print_json(analysis.to_json())
        return
    print_results(analysis.results, {}, as_json=False)
    for table in analysis.tables:
        print_table(table)
    for warning in analysis.warnings:
        click.echo(f"warning: {warning}")
