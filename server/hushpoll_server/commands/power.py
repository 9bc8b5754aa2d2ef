"""hushpoll power: how likely a test finds what is there, or how many people that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from hushpoll_server.commands.common import json_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.numbers import COUNT, Finite
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.plan.power.case import Case, Power
from hushpoll_server.plan.power.numbers import MeanCase, SlopeCase, noise_of
from hushpoll_server.plan.power.shares import ChangeCase, DifferenceCase, ShareCase
from hushpoll_server.plan.power.tables import GroupsCase, IndependenceCase
from hushpoll_server.plan.questions import make_type
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue

DEFAULT_POWER = 0.8

# The options of each test: those that it needs, and those that it may have.
OPTIONS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "share": (("share", "value"), ()),
    "difference": (("shares",), ("ratio",)),
    "groups": (("shares",), ()),
    "independence": (("shares", "odds_ratio"), ()),
    "mean": (("difference", "sd"), ("min", "max", "ratio")),
    "regression": (("share", "odds_ratio"), ("covariate", "covariate_share", "statistic")),
    "change": (("shares",), ("correlation",)),
}
_METHODS = {"exact": "exact enumeration of the test", "normal": "normal approximation"}
_FINITE = Finite()


@click.command()
@click.option("--test", type=click.Choice(list(OPTIONS)), required=True, help="What is tested.")
@design_options(YES_NO_DESIGNS, required=False)
@click.option("--n", metavar="N", type=COUNT, help="Respondents, in the first or in each group; gives the power.")
@click.option(
    "--power", metavar="P", type=Finite(0, 1), help="The power that is wanted; 0.8 if --n is left out. Gives n."
)
@click.option("--alpha", metavar="A", type=_FINITE, default=0.05, show_default=True, help="Size of the test.")
@click.option("--share", metavar="F", help="share: the true share; regression: that where the covariate is 0.")
@click.option("--value", metavar="F", help="share: the value that it is tested against.")
@click.option("--shares", metavar="F1,F2,…", help="The true shares of the groups, questions or waves.")
@click.option("--odds-ratio", metavar="R", help="independence: of the two answers; regression: for one unit.")
@click.option("--ratio", metavar="K", help="difference, mean: the second group is so many times as large; 1.")
@click.option("--difference", metavar="D", help="mean: the difference of the means.")
@click.option("--sd", metavar="S", help="mean: standard deviation of the true answers.")
@click.option("--min", "min_", metavar="A", help="mean: the smallest answer; with --max and --epsilon or --odds.")
@click.option("--max", "max_", metavar="B", help="mean: the largest answer.")
@click.option("--covariate", type=click.Choice(["binary", "normal"]), help="regression: what it is; binary.")
@click.option("--covariate-share", metavar="R", help="regression: the share of people whose covariate is 1; 1/2.")
@click.option("--statistic", type=click.Choice(["wald", "likelihood_ratio"]), help="regression: which test; wald.")
@click.option("--correlation", metavar="C", help="change: of a person's two reports; 0.")
@json_option
def command(
    test: str,
    design: str | None,
    n: int | None,
    power: float | None,
    alpha: float,
    min_: str | None,
    max_: str | None,
    as_json: bool,
    **texts: str | None,
) -> None:
    """Compute the power of a test with N respondents, or the smallest N with a power.

    All tests but mean need --design with its parameters. mean takes --epsilon or --odds with --min and --max, or
    nothing for answers that are not randomized.
    """
    if n is not None and power is not None:
        raise click.UsageError("Give --n, which gives the power, or --power, which gives n: not both.")
    parameters = {name: texts.pop(name) for name in _PARAMETERS}
    stated = {name: text for name, text in {**texts, "min": min_, "max": max_}.items() if text is not None}
    try:
        _check_options(test, stated)
        case = _CASES[test](stated, alpha, _Design(design, stated_parameters(parameters)))
        found = case.smallest(DEFAULT_POWER if power is None else power) if n is None else case.at(n)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    if as_json:
        print_json(found.to_json())
        return
    click.echo(_describe(found))
    for warning in found.warnings:
        click.echo(f"warning: {warning}")


_PARAMETERS = ("epsilon", "odds", "p", "truth", "yes_share", "prevalence", "p1", "p0")


class _Design:
    """The design of a call, read where a test needs it."""

    def __init__(self, name: str | None, stated: Mapping[str, str]) -> None:
        self.name, self.stated = name, stated

    def support(self, test: str) -> SupportDesign:
        """Return the design of a yes/no question."""
        if self.name is None:
            raise click.UsageError(f"--test {test} needs --design with its parameters.")
        return read_yes_no(self.name, self.stated).support

    def noise(self, stated: Mapping[str, str]) -> float:
        """Return what randomizing adds to a report of a number; nothing without an epsilon."""
        if self.name is not None:
            raise click.UsageError("--test mean takes --epsilon or --odds with --min and --max, and no --design.")
        if bool(self.stated) != ("min" in stated) or ("min" in stated) != ("max" in stated):
            raise click.UsageError("--test mean needs --min and --max with --epsilon or --odds, or none of them.")
        if not self.stated:
            return 0.0
        question_type = make_type("number", {"min": stated["min"], "max": stated["max"]})
        return noise_of(question_type, Bound.read(self.stated))


def _share(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    share, value = (_number(stated, name) for name in ("share", "value"))
    return ShareCase(share=share, value=value, design=design.support("share"), alpha=alpha)


def _difference(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    known = design.support("difference")
    ratio = _number(stated, "ratio", 1.0)
    return DifferenceCase(shares=_two_shares(stated), designs=(known, known), ratio=ratio, alpha=alpha)


def _groups(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    shares = _numbers(stated, "shares")
    return GroupsCase(shares=shares, designs=(design.support("groups"),) * len(shares), alpha=alpha)


def _independence(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    known, ratio = design.support("independence"), _number(stated, "odds_ratio")
    return IndependenceCase(shares=_two_shares(stated), odds_ratio=ratio, designs=(known, known), alpha=alpha)


def _mean(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    difference, sd, ratio = (_number(stated, name, 1.0) for name in ("difference", "sd", "ratio"))
    return MeanCase(difference=difference, sd=sd, noise=design.noise(stated), ratio=ratio, alpha=alpha)


def _regression(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    covariate: Any = stated.get("covariate", "binary")
    statistic: Any = stated.get("statistic", "wald")
    if covariate == "normal" and "covariate_share" in stated:
        raise click.UsageError("--covariate-share goes with a binary covariate.")
    return SlopeCase(
        share=_number(stated, "share"),
        odds_ratio=_number(stated, "odds_ratio"),
        design=design.support("regression"),
        covariate=covariate,
        covariate_share=_number(stated, "covariate_share", 0.5),
        statistic=statistic,
        alpha=alpha,
    )


def _change(stated: Mapping[str, str], alpha: float, design: _Design) -> Case:
    known, correlation = design.support("change"), _number(stated, "correlation", 0.0)
    return ChangeCase(shares=_two_shares(stated), design=known, correlation=correlation, alpha=alpha)


_CASES: Mapping[str, Callable[[Mapping[str, str], float, _Design], Case]] = {
    "share": _share,
    "difference": _difference,
    "groups": _groups,
    "independence": _independence,
    "mean": _mean,
    "regression": _regression,
    "change": _change,
}


def _check_options(test: str, stated: Mapping[str, str]) -> None:
    needed, more = OPTIONS[test]
    missing, wrong = set(needed) - stated.keys(), stated.keys() - {*needed, *more}
    if missing:
        raise click.UsageError(f"--test {test} needs {', '.join(_option(name) for name in sorted(missing))}.")
    if wrong:
        raise click.UsageError(
            f"--test {test} has no {', '.join(_option(name) for name in sorted(wrong))}: leave it out."
        )


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _number(stated: Mapping[str, str], name: str, default: float = 0.0) -> float:
    """Return a number of the call, which may be negative, or the default."""
    text = stated.get(name)
    if text is None:
        return default
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    return sign * float(parse_number(digits, _option(name)))


def _numbers(stated: Mapping[str, str], name: str) -> tuple[float, ...]:
    return tuple(float(parse_number(text, _option(name))) for text in stated[name].split(","))


def _two_shares(stated: Mapping[str, str]) -> tuple[float, float]:
    shares = _numbers(stated, "shares")
    if len(shares) != 2:
        raise click.UsageError("--shares needs two shares with a comma between them: --shares 0.3,0.2.")
    return shares[0], shares[1]


def _describe(found: Power) -> str:
    who = f"{found.n[0]:,} respondents"
    if len(found.n) > 1:
        groups = " and ".join(f"{size:,}" for size in dict.fromkeys(found.n))
        each = " in each group" if len(set(found.n)) == 1 else ""
        who = f"{groups}{each}, {sum(found.n):,} respondents in all,"
    return (
        f"{found.test}: {who} give a power of {found.power:.4f} at alpha {found.alpha:g} "
        f"({_METHODS.get(found.method, f'{found.method} approximation')})"
    )
