"""hushpoll pool: one question asked under several designs, as one share, from counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.figures import Figure
from hushpoll_server.commands.numbers import LARGEST_COUNT
from hushpoll_server.estimate.weighting.pooling import Pooled, PooledPart, pool
from hushpoll_shared.errors import InvalidValue

_EXAMPLE = '--part "odds=3:1,yes=400,n=1000"'
_PARAMETERS = ("epsilon", "odds", "p", "truth", "yes_share", "prevalence", "p1", "p0")
_KEYS = ("name", "design", "yes", "n", *_PARAMETERS)


@click.command()
@click.option(
    "--part",
    "texts",
    metavar='"odds=A:B,yes=C,n=N"',
    multiple=True,
    required=True,
    help="A part: reports that say yes, all reports, and what is its own of name, design and parameters; repeated.",
)
@design_options(YES_NO_DESIGNS, required=False)
@level_option
@json_option
def command(texts: tuple[str, ...], design: str | None, level: float, as_json: bool, **parameters: str | None) -> None:
    """Pool one yes/no question that was asked under several designs.

    Parts are different people: two epsilons, two waves with new respondents, two modes. Each has a --part. A design and
    parameters outside hold for the parts that state none of their own.
    """
    stated = stated_parameters(parameters)
    parts = [_read_part(text, f"{place}", design, stated) for place, text in enumerate(texts, 1)]
    try:
        pooled = pool(parts, level=level)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    if as_json:
        print_json(pooled.to_json())
        return
    for line in _lines(pooled):
        click.echo(line)


def _read_part(text: str, place: str, design: str | None, outside: Mapping[str, str]) -> PooledPart:
    fields = _read_fields(text)
    known = fields.get("design", design)
    if known not in YES_NO_DESIGNS:
        raise click.UsageError(f"Every part needs a design, in --design or in its --part: {', '.join(YES_NO_DESIGNS)}.")
    own = {name: fields[name] for name in _PARAMETERS if name in fields}
    return PooledPart(
        name=fields.get("name", place),
        yes=_read_whole(fields["yes"]),
        n=_read_whole(fields["n"]),
        design=read_yes_no(known, own or outside),
    )


def _read_fields(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    fields = {name.strip().replace("-", "_"): value.strip() for name, _, value in pairs}
    if len(fields) < len(pairs) or not all(fields.values()) or not {"yes", "n"} <= fields.keys() <= set(_KEYS):
        raise click.UsageError(f"--part has yes, n and perhaps {', '.join(_KEYS)}, each once: {_EXAMPLE}.")
    return fields


def _read_whole(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise click.UsageError(f"yes and n of a --part are whole numbers: {_EXAMPLE}.") from None
    if number > LARGEST_COUNT:
        raise click.UsageError(f"a --part has more than {LARGEST_COUNT} reports: give those of one survey.")
    return number


def _lines(pooled: Pooled) -> Iterator[str]:
    level = f"{100 * pooled.level:.6g}%"
    for result, information in zip(pooled.parts, pooled.information, strict=True):
        [cell] = result.cells
        more = f"{information:.1%} of the information"
        figure = Figure(label=cell.name, figures=cell, method=f"{level} {result.method}", n=f"{result.n}", more=more)
        yield from (f"part  {line}" for line in figure.lines())
    figure = Figure(label="yes", figures=pooled.cell, method=f"{level} {pooled.method}", n=f"{pooled.n}")
    yield from (f"pooled  {line}" for line in figure.lines())
    if (test := pooled.heterogeneity) is not None:
        yield f"all equal  χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}"
    yield from (f"warning: {warning}" for warning in pooled.warnings)
