"""hushpoll quantiles: medians, shares at most a number and standard deviations, from counts or a file of reports."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import click

from hushpoll_server.analysis.comparison import question_of
from hushpoll_server.analysis.groups import shown_counts
from hushpoll_server.analysis.quantiles import quantiles_of
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import check_grr, design_options, stated_parameters
from hushpoll_server.commands.figures import Figure
from hushpoll_server.commands.numbers import read_counts
from hushpoll_server.commands.sources import group_option, read_labels, source_options, survey_source
from hushpoll_server.counting.tally import NO_COUNTERS
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.numbers.distribution import Quantile
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.quantiles.results import QuantilesResult, ScaleQuantile
from hushpoll_server.estimate.quantiles.scales import quantiles_of_scale
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue

_plain = "{:z.6g}".format


@click.command()
@source_options
@group_option
@click.option("--question", metavar="ID", help="The question: a scale or a number.")
@design_options(("grr",), required=False)
@click.option("--counts", metavar="C1,C2,…", help="grr: reports that name each point of a scale, in its order.")
@click.option("--points", metavar="P1,P2,…", help="grr: the points of the scale; by default 1, 2, ….")
@click.option("--shares", metavar="S1,S2,…", help="The shares whose quantiles are wanted; by default 0.25,0.5,0.75.")
@click.option("--at", metavar="T1,T2,…", help="The numbers up to which shares are wanted; by default every point.")
@level_option
@json_option
def command(
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    group: tuple[str, ...],
    question: str | None,
    design: str | None,
    counts: str | None,
    points: str | None,
    shares: str | None,
    at: str | None,
    level: float,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Estimate medians and other quantiles of a scale or a number.

    Either --question with --survey, or with --manifest and --reports; or --design grr with --epsilon or --odds and
    --counts, of a scale of which each report names one point.
    """
    wanted = None if shares is None else [float(share) for share in _read_numbers(shares, "--shares")]
    numbers = None if at is None else _read_numbers(at, "--at")
    stated = stated_parameters(parameters)
    if design is None:
        if question is None or stated or counts or points:
            raise click.UsageError(
                "Give a survey's reports with --question, or --design grr with its parameter and --counts."
            )
        with survey_source(survey, db, manifest_path, reports_path) as source:
            asked, labels = question_of(source.manifest, question), read_labels(group)
            counted = shown_counts(source.manifest, source.grouped, labels).get(question, NO_COUNTERS)
            # How large the population of a group is, is not known.
            within = Options(level=level, population=None if labels else source.manifest.population)
        _show(quantiles_of(asked, counted, shares=wanted, at=numbers, options=within), as_json)
        return
    if survey or db or manifest_path or reports_path or group or question:
        raise click.UsageError("--design goes with counts: leave out the survey and --question.")
    if counts is None:
        raise click.UsageError("--design grr needs --counts, one for each point: 380,270,200,150.")
    check_grr(stated)
    try:
        _show(_of_counts(stated, read_counts(counts), points, wanted, numbers, level), as_json)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _of_counts(
    stated: dict[str, str],
    counts: list[int],
    points: str | None,
    shares: list[float] | None,
    at: list[Fraction] | None,
    level: float,
) -> QuantilesResult:
    scale = list(range(1, len(counts) + 1)) if points is None else _read_numbers(points, "--points")
    if len(scale) != len(counts):
        raise click.UsageError("--points needs one number for each of --counts, with commas between them.")
    design = SubsetMechanism.of(Bound.read(stated), len(counts), picks=1)
    cells = [(str(place), count, sum(counts)) for place, count in enumerate(counts, start=1)]
    support, epsilon = SupportDesign(design.p, design.q), float(design.epsilon)
    result = estimate_shares(cells, support, epsilon=epsilon, joint=NAMES_ONE, level=level)
    return quantiles_of_scale(result, [float(point) for point in scale], shares=shares, at=at)


def _read_numbers(text: str, option: str) -> list[Fraction]:
    try:
        return [_read_number(number.strip(), option) for number in text.split(",")]
    except InvalidValue:
        raise click.UsageError(f"{option} needs numbers such as 2 or 0.75 with commas between them.") from None


def _read_number(text: str, option: str) -> Fraction:
    return -parse_number(text[1:], option) if text.startswith("-") else parse_number(text, option)


def _show(result: QuantilesResult, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
        return
    for figure in _figures(result):
        for line in figure.lines():
            click.echo(line)
    for warning in result.warnings:
        click.echo(f"warning: {warning}")


def _figures(result: QuantilesResult) -> Iterator[Figure]:
    level, n = f"{100 * result.level:.6g}%", f"{result.n}"
    for quantile in result.quantiles:
        label, method = f"quantile {quantile.share:.6g}", f"{level} {result.method}"
        yield Figure(label=label, figures=quantile, method=method, n=n, write=_plain, more=_interpolated(quantile))
    for each in result.at:
        yield Figure(label=f"at most {each.at:g}", figures=each, method=f"{level} {each.method}", n=n)
    for label, mean in (("mean", result.mean), ("standard deviation", result.deviation)):
        yield Figure(label=label, figures=mean, method=level, n=n, write=_plain)


def _interpolated(quantile: Quantile) -> str:
    if not isinstance(quantile, ScaleQuantile) or quantile.interpolated.estimate is None:
        return ""
    figures = quantile.interpolated
    return f"interpolated {figures.estimate:.4g}, {figures.low:.4g} to {figures.high:.4g}"
