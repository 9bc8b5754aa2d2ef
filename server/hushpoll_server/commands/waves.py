"""hushpoll waves: how a share changes over the waves of a survey, from counts or from reports that somebody linked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from hushpoll_server.commands.columns import read_number, read_optional_columns, read_yes_no
from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, stated_parameters
from hushpoll_server.commands.designs import read_yes_no as read_design
from hushpoll_server.commands.figures import Figure
from hushpoll_server.commands.numbers import Finite, read_whole_numbers
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.waves.follow import Wave, WavesResult, follow_linked, follow_waves
from hushpoll_server.estimate.waves.panel import Panel
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.repeated import LARGEST

_plain = "{:z.6g}".format


@dataclass(frozen=True)
class _Design:
    """The design of one wave, and that of remembered draws if there are any."""

    wave: SupportDesign
    permanent: SupportDesign | None


@click.command()
@design_options((*YES_NO_DESIGNS, "repeated"))
@click.option("--permanent", metavar="E", help="repeated: the epsilon of the permanent draw; --epsilon is one wave's.")
@click.option(
    "--answers",
    metavar="K",
    type=click.IntRange(2, LARGEST),
    help="repeated: the number of possible answers, of which --yes counts one; 2 by default.",
)
@click.option("--yes", metavar="C1,C2,…", help="Reports that say yes, in each wave.")
@click.option("--n", metavar="N1,N2,…", help="All reports, in each wave.")
@click.option(
    "--csv", "path", type=click.Path(dir_okay=False, path_type=Path), help="Linked reports, one person a line."
)
@click.option("--columns", metavar="A,B,…", help="With --csv: the columns of the waves, in their order.")
@click.option("--names", metavar="A,B,…", help="The names of the waves; by default 1, 2, … or those of the columns.")
@click.option("--times", metavar="T1,T2,…", help="The times of the waves, in any unit; by default 1, 2, ….")
@click.option(
    "--overlap", metavar="S", type=Finite(0, 1), help="The share of people in both of two waves; 0: different people."
)
@click.option(
    "--changed",
    metavar="S",
    type=Finite(0, 1),
    help="With --overlap: the largest share of them whose answer changed between two waves.",
)
@level_option
@json_option
def command(
    design: str,
    permanent: str | None,
    answers: int | None,
    yes: str | None,
    n: str | None,
    path: Path | None,
    columns: str | None,
    names: str | None,
    times: str | None,
    overlap: float | None,
    changed: float | None,
    level: float,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Follow a share over the waves of a survey: changes, a test of no change, and the trend.

    Either --yes and --n, with --overlap and --changed if the same people answered; or --csv with --columns, where 1 is
    a report of yes, 0 of no, and an empty cell none.
    """
    known = _read_design(design, stated_parameters(parameters), permanent, answers)
    if path is not None:
        if columns is None or (yes, n, overlap, changed) != (None, None, None, None):
            raise click.UsageError("--csv needs --columns, and no --yes, --n, --overlap or --changed.")
        labels = [name.strip() for name in columns.split(",")]
        read = read_optional_columns(path, dict.fromkeys(labels, read_yes_no))
        reports = list(zip(*(read[label] for label in labels), strict=True))
        shown = labels if names is None else names.split(",")
        moments = _read_times(times, len(labels))
        _show(
            follow_linked(reports, known.wave, names=shown, times=moments, permanent=known.permanent, level=level),
            as_json,
        )
        return
    if yes is None or n is None or columns is not None:
        raise click.UsageError("Give --yes and --n, one figure for each wave, or --csv with --columns.")
    waves = _read_waves(known.wave, yes, n, names, times)
    try:
        panel = Panel(overlap=overlap, changed=1.0 if changed is None else changed, permanent=known.permanent)
        _show(follow_waves(waves, panel=panel, level=level), as_json)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _read_design(design: str, stated: Mapping[str, str], permanent: str | None, answers: int | None) -> _Design:
    if design != "repeated":
        if permanent is not None or answers is not None:
            raise click.UsageError("--permanent and --answers go with --design repeated.")
        return _Design(read_design(design, stated).support, None)
    if permanent is None:
        raise click.UsageError("--design repeated needs --permanent, and --epsilon or --odds of one wave.")
    try:
        made = RepeatedMechanism.of(Bound.read(stated), Bound.of_epsilon(permanent), answers or 2)
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None
    return _Design(SupportDesign(made.p, made.q), SupportDesign(made.first.p, made.first.q))


def _read_waves(design: SupportDesign, yes: str, n: str, names: str | None, times: str | None) -> list[Wave]:
    counts, totals = read_whole_numbers(yes, "--yes"), read_whole_numbers(n, "--n")
    labels = [str(place) for place in range(1, len(counts) + 1)] if names is None else names.split(",")
    if not len(counts) == len(totals) == len(labels):
        raise click.UsageError("--yes, --n and --names need one figure for each wave, with commas between them.")
    rows = zip(labels, counts, totals, _read_times(times, len(counts)), strict=True)
    return [Wave(name=name.strip(), yes=count, n=total, design=design, time=time) for name, count, total, time in rows]


def _read_times(times: str | None, waves: int) -> list[float]:
    if times is None:
        return [float(place) for place in range(1, waves + 1)]
    try:
        read = [read_number(time) for time in times.split(",")]
    except InvalidValue:
        raise click.UsageError("--times must be numbers with commas between them: 2024,2025.5,2026.") from None
    if len(read) != waves:
        raise click.UsageError("--times needs one number for each wave, with commas between them.")
    return read


def _show(result: WavesResult, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
        return
    for kind, figure in _figures(result):
        for line in figure.lines():
            click.echo(f"{kind}  {line}")
    if (test := result.overall) is not None:
        click.echo(f"no change  χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    if result.trend is not None:
        test = result.trend.straight
        click.echo(f"straight line  χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    for warning in result.warnings:
        click.echo(f"warning: {warning}")


def _figures(result: WavesResult) -> Iterator[tuple[str, Figure]]:
    level = f"{100 * result.level:.6g}%"
    for wave in result.waves:
        [cell] = wave.cells
        yield "wave", Figure(label=cell.name, figures=cell, method=f"{level} {wave.method}", n=f"{wave.n}")
    for each in result.changes:
        label, more = f"{each.first} → {each.second}", f"p = {each.change.p_value:.3g}"
        yield "change", Figure(label=label, figures=each.change, method=f"{level} {each.change.method}", more=more)
    if result.trend is None:
        return
    slope = result.trend.slope
    more = f"p = {slope.p_value:.3g}"
    yield "trend", Figure(label="for each unit of time", figures=slope, method=f"{level} {slope.method}", more=more)
    for point in result.trend.points:
        more = f"band {100 * point.band_low:z.2f}% to {100 * point.band_high:z.2f}%"
        yield "trend", Figure(label=f"at {_plain(point.time)}", figures=point, method=level, more=more)
