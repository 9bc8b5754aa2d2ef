"""hushpoll posterior: what a prior and the counts say about a share, or about the difference of two."""

from __future__ import annotations

import click

from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.numbers import read_whole_numbers
from hushpoll_server.estimate.bayes.posterior import (
    JEFFREYS,
    UNIFORM,
    Posterior,
    PosteriorDifference,
    Prior,
    posterior_difference,
    posterior_share,
)
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.yes_no_designs import YesNoDesign
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue

_NAMED = {"jeffreys": JEFFREYS, "uniform": UNIFORM}


@click.command()
@design_options(YES_NO_DESIGNS)
@click.option("--yes", metavar="C[,C2]", required=True, help="Reports that say yes; of two groups for a difference.")
@click.option("--n", metavar="N[,N2]", required=True, help="All reports; of two groups for a difference.")
@click.option(
    "--prior",
    metavar="A,B",
    default="jeffreys",
    show_default=True,
    help="The weights of a Beta prior, such as 1/2,1/2; or jeffreys, or uniform.",
)
@click.option("--above", metavar="T", multiple=True, help="Also the probability of more than this; may be repeated.")
@level_option
@json_option
def command(
    design: str,
    yes: str,
    n: str,
    prior: str,
    above: tuple[str, ...],
    level: float,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Print the posterior of a share, or of the first group's share minus the second's.

    The prior is a Beta law of the true share. Both groups were asked with the same design and have the same prior.
    """
    known = read_yes_no(design, stated_parameters(parameters))
    counts, totals = read_whole_numbers(yes, "--yes"), read_whole_numbers(n, "--n")
    if len(counts) != len(totals) or len(counts) not in (1, 2):
        raise click.UsageError("--yes and --n need one figure each, or two with a comma between them for a difference.")
    try:
        thresholds = [(text, _read_threshold(text)) for text in above]
        found = _find(list(zip(counts, totals, strict=True)), known, _read_prior(prior), level)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    exceeded = [(text, value, found.above(value)) for text, value in thresholds]
    if as_json:
        print_json(found.to_json() | {"above": [_above_to_json(value, chance) for _, value, chance in exceeded]})
        return
    _print(found)
    for text, _, chance in exceeded:
        click.echo(f"P({_what(found)} > {text}) = {chance:.6g}")
    for warning in found.warnings:
        click.echo(f"warning: {warning}")


def _find(
    counted: list[tuple[int, int]], design: YesNoDesign, prior: Prior, level: float
) -> Posterior | PosteriorDifference:
    shares = [posterior_share(yes, n, design, prior=prior, level=level) for yes, n in counted]
    return posterior_difference(*shares) if len(shares) == 2 else shares[0]


def _read_prior(text: str) -> Prior:
    if text in _NAMED:
        return _NAMED[text]
    weights = [float(parse_number(weight, "--prior")) for weight in text.split(",")]
    if len(weights) != 2:
        raise InvalidValue("--prior needs two weights with a comma between them, such as 1/2,1/2; or jeffreys, uniform")
    return Prior(*weights)


def _read_threshold(text: str) -> float:
    """Return a share or a difference, which may be negative."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    return sign * float(parse_number(digits, "--above"))


def _above_to_json(threshold: float, chance: float) -> Json:
    return {"threshold": threshold, "probability": chance}


def _what(found: Posterior | PosteriorDifference) -> str:
    return "share" if isinstance(found, Posterior) else "difference"


def _print(found: Posterior | PosteriorDifference) -> None:
    if isinstance(found, Posterior):
        _print_share("share", found)
        return
    _print_share("first", found.first)
    _print_share("second", found.second)
    click.echo(f"difference: {_figures(found)}")
    click.echo(f"P(first > second) = {found.first_is_larger:.6g}")


def _print_share(label: str, share: Posterior) -> None:
    shortest = f"shortest {share.highest_density.low:.2%} to {share.highest_density.high:.2%}"
    click.echo(f"{label}: {_figures(share)}  {shortest}  n = {share.n}")


def _figures(found: Posterior | PosteriorDifference) -> str:
    level = f"{100 * found.level:.6g}%"
    return (
        f"mean {found.mean:z.2%}  sd {found.sd:.2%}  median {found.median:z.2%}  "
        f"{level} {found.low:z.2%} to {found.high:z.2%}"
    )
