"""hushpoll weigh: the share of yes in a population that the sample differs from, from a CSV file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hushpoll_server.analysis.weighting import weigh_survey
from hushpoll_server.commands.columns import NumberReader, read_labelled, read_number, read_yes_no
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, stated_parameters
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.commands.figures import Figure
from hushpoll_server.commands.numbers import COUNT, Finite
from hushpoll_server.commands.sources import source_options, survey_source
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.weighting.poststrata import Poststratified, poststratify
from hushpoll_server.estimate.weighting.raked_share import raked_share
from hushpoll_server.estimate.weighting.raking import rake
from hushpoll_server.estimate.weighting.results import Weighted, WeightedCell
from hushpoll_server.estimate.weighting.shares import weighted_share
from hushpoll_server.estimate.yes_no_designs import YesNoDesign
from hushpoll_shared.errors import InvalidValue

Labels = dict[str, list[str]]


@dataclass(frozen=True, kw_only=True)
class _Call:
    """The columns of a call and what the population is known to be."""

    outcome: str
    weights: str | None
    strata: str | None
    shares: Mapping[str, str]
    margins: Mapping[str, Mapping[str, str]]
    largest: float | None

    @property
    def numbers(self) -> dict[str, NumberReader]:
        """Return the columns of numbers with their readers."""
        return {self.outcome: read_yes_no, **({} if self.weights is None else {self.weights: read_number})}

    @property
    def labels(self) -> list[str]:
        """Return the columns of labels."""
        return [*self.margins, *([] if self.strata is None else [self.strata])]


@click.command()
@click.option(
    "--csv",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file: a line with the names of the columns, then one line for each report.",
)
@source_options
@click.option(
    "--outcome",
    metavar="Y",
    required=True,
    help="The column with the reports: 1 for yes, 0 for no. Of a survey: a question, or an answer such as often:never.",
)
@design_options(YES_NO_DESIGNS, required=False)
@click.option("--weights", metavar="W", help="The column with the weights; with --rake those to start from.")
@click.option("--strata", metavar="H", help="The column with the strata, which are public labels.")
@click.option("--shares", metavar="A=X,B=Z", help="The share of each stratum in the population.")
@click.option("--rake", "margins", metavar='"H:A=X,B=Z;…"', help="Public variables with the shares of their labels.")
@click.option(
    "--largest-weight",
    "largest",
    type=Finite(1),
    metavar="M",
    help="--rake: trim weights to this multiple of their mean.",
)
@click.option("--population", type=COUNT, metavar="N", help="The size of a finite population.")
@level_option
@json_option
def command(
    path: Path | None,
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    outcome: str,
    design: str | None,
    weights: str | None,
    strata: str | None,
    shares: str | None,
    margins: str | None,
    largest: float | None,
    population: int | None,
    level: float,
    as_json: bool,
    **stated: str | None,
) -> None:
    """Estimate the share of yes in a population from a sample that differs from it.

    Give one of: weights, a column that says how many people each report stands for; strata with their known shares of
    the population; or margins of several public variables, to which weights are raked. The standard error is that of
    the sampling and of the randomizing together.

    With --survey, or --manifest and --reports, strata and variables are dimensions of the survey's public groups, and
    design and population are those of the survey.
    """
    if path is None:
        call = _read_call(outcome, weights, strata, shares, margins, largest)
        if design or population or weights or stated_parameters(stated):
            raise click.UsageError(
                "A survey has its own design and population, and no weights: use --strata or --rake."
            )
        with survey_source(survey, db, manifest_path, reports_path) as source:
            known_margins = call.margins or {str(call.strata): call.shares}
            manifest, reports = source.within()
            weighed = weigh_survey(manifest, reports, outcome, known_margins, largest=largest, level=level)
        _show(weighed, {"weighting": _kind(call)}, {}, as_json=as_json)
        return
    if design is None or survey or db or manifest_path or reports_path:
        raise click.UsageError("--csv goes with --design, and with no survey.")
    known = read_design(design, stated_parameters(stated))
    call = _read_call(outcome, weights, strata, shares, margins, largest)
    numbers, labels = read_labelled(path, call.numbers, call.labels)
    result, more = _estimate(call, numbers, labels, known, {"level": level, "population": population})
    result = result.with_warnings(known.warnings)
    epsilon = None if known.epsilon is None else float(known.epsilon)
    _show(result, {"weighting": _kind(call), "epsilon": epsilon}, more, as_json=as_json)


def _show(result: Weighted, about: Json, more: Json, *, as_json: bool) -> None:
    if as_json:
        print_json({**about, **result.to_json(), **more})
        return
    for line in _lines(result):
        click.echo(line)


def _estimate(
    call: _Call, numbers: Mapping[str, Sequence[float]], labels: Labels, known: YesNoDesign, options: dict[str, Any]
) -> tuple[Weighted, Json]:
    reports, start = numbers[call.outcome], None if call.weights is None else numbers[call.weights]
    if call.strata is not None:
        counts = _count(reports, labels[call.strata], call)
        return poststratify(counts, call.shares, known.support, **options), {}
    if call.margins:
        raked = rake(call.margins, labels, start=start, largest=call.largest)
        return raked_share(reports, raked, known.support, **options), {"raking": raked.to_json()}
    assert start is not None
    return weighted_share(reports, start, known.support, **options), {}


def _count(reports: Sequence[float], strata: Sequence[str], call: _Call) -> dict[str, tuple[int, int]]:
    """Return the reports that say yes and all reports of each stratum."""
    for row, stratum in enumerate(strata, 1):
        if stratum not in call.shares:
            # The label is not repeated: a column named by mistake could hold answers.
            raise InvalidValue(
                f"the stratum in row {row} of column {call.strata} has no share: give that of every stratum in --shares"
            )
    every, yes = Counter(strata), Counter(name for name, report in zip(strata, reports, strict=True) if report)
    return {name: (yes[name], n) for name, n in every.items()}


def _kind(call: _Call) -> str:
    return "strata" if call.strata is not None else "raking" if call.margins else "weights"


def _read_call(
    outcome: str,
    weights: str | None,
    strata: str | None,
    shares: str | None,
    margins: str | None,
    largest: float | None,
) -> _Call:
    if (strata is None) != (shares is None):
        raise click.UsageError("--strata goes with --shares: --strata faculty --shares arts=0.4,law=0.6.")
    if strata is not None and (weights is not None or margins is not None):
        raise click.UsageError("--strata goes without --weights and --rake: use --rake for strata with weights.")
    if strata is None and weights is None and margins is None:
        raise click.UsageError("Say how to weigh: --weights, --strata with --shares, or --rake.")
    if largest is not None and margins is None:
        raise click.UsageError("--largest-weight goes with --rake.")
    call = _Call(
        outcome=outcome,
        weights=weights,
        strata=strata,
        shares={} if shares is None else _read_shares(shares, "--shares"),
        margins={} if margins is None else _read_margins(margins),
        largest=largest,
    )
    columns = [outcome, *call.labels, *([] if weights is None else [weights])]
    if len(set(columns)) < len(columns):
        raise click.UsageError("Each column has one use: name every column once.")
    return call


def _read_margins(text: str) -> dict[str, dict[str, str]]:
    parts = [part.partition(":") for part in text.split(";")]
    margins = {name.strip(): _read_shares(shares, "--rake") for name, _, shares in parts}
    if len(margins) < len(parts) or not all(margins):
        raise click.UsageError(
            '--rake names each variable once: --rake "faculty:arts=0.4,law=0.6;age:young=1/2,old=1/2".'
        )
    return margins


def _read_shares(text: str, option: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.split(",")]
    shares = {name.strip(): share.strip() for name, _, share in parts}
    if len(shares) < len(parts) or not all(shares) or not all(shares.values()):
        raise click.UsageError(f"{option} gives each label one share of the population: arts=0.4,law=0.6.")
    return shares


def _lines(result: Weighted) -> Iterator[str]:
    level = f"{100 * result.level:.6g}%"
    strata = result.strata if isinstance(result, Poststratified) else ()
    for stratum in strata:
        more = f"share of the population {100 * stratum.share:.6g}%"
        yield from _figure("stratum", stratum.cell, f"{level} {stratum.method}", f"{stratum.n}", more)
    cell = result.cell
    more = "" if cell.effective_n is None else f"effective n = {cell.effective_n:.1f}"
    yield from _figure("weighted", cell, f"{level} {result.method}", f"{result.n}", more)
    for warning in result.warnings:
        yield f"warning: {warning}"


def _figure(kind: str, cell: WeightedCell, method: str, n: str, more: str) -> Iterator[str]:
    for line in Figure(label=cell.name, figures=cell, method=method, n=n, more=more).lines():
        yield f"{kind}  {line}"
