"""The designs that counts come from, as options: `--design` and the parameters of each.

The rule here: a parameter that a design does not have is a wrong call, never ignored; numbers are read exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from hushpoll_server.estimate.yes_no_designs import CLASSICAL_DESIGNS, YesNoDesign
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

YES_NO_DESIGNS = ("warner", *CLASSICAL_DESIGNS)

_PARAMETERS = (
    click.option("--epsilon", metavar="E", help="warner, grr: the design by its epsilon."),
    click.option("--odds", metavar="A:B", help="warner, grr: the design by its odds, such as 3:1."),
    click.option(
        "--p",
        metavar="P",
        help="warner, mangat: the spinner's probability; unrelated: that of the sensitive question; crosswise, "
        "triangular: the share of the harmless attribute.",
    ),
    click.option(
        "--truth", metavar="R", help="warner, forced: the probability of the truth; warner: else a fair coin."
    ),
    click.option("--yes-share", metavar="T", help="forced: the probability that a forced answer is yes."),
    click.option("--prevalence", metavar="U", help="unrelated: the known share of yes to the unrelated question."),
    click.option("--p1", metavar="A", help="kuk: the probability of a yes report if the answer is yes."),
    click.option("--p0", metavar="B", help="kuk: the probability of a yes report if the answer is no."),
)


def design_options(designs: Sequence[str], *, required: bool = True) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds `--design` and the parameters of these designs."""
    design = click.option(
        "--design", type=click.Choice(designs), required=required, help="The design that the counts come from."
    )

    def decorate(function: Decorated) -> Decorated:
        for option in reversed((design, *_PARAMETERS)):
            function = option(function)
        return function

    return decorate


def stated_parameters(options: Mapping[str, str | None]) -> dict[str, str]:
    """Return the parameters of a design that a call has."""
    return {name: value for name, value in options.items() if value is not None}


def read_yes_no(design: str, stated: Mapping[str, str]) -> YesNoDesign:
    """Return the design of a yes/no question; a wrong parameter is a wrong call."""
    if design == "warner":
        _check_one_of(design, stated, ("epsilon", "odds", "p", "truth"))
    else:
        _check_all_of(design, stated, CLASSICAL_DESIGNS[design][0])
    try:
        return _warner(stated) if design == "warner" else _classical(design, stated)
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None


def check_grr(stated: Mapping[str, str]) -> None:
    """Refuse a k-ary design that is not given by its epsilon or its odds alone."""
    _check_one_of("grr", stated, ("epsilon", "odds"))


def _warner(stated: Mapping[str, str]) -> YesNoDesign:
    spinner = Spinner.read(stated)
    return YesNoDesign(spinner.p, 1 - spinner.p, spinner.bound.epsilon)


def _classical(design: str, stated: Mapping[str, str]) -> YesNoDesign:
    names, make = CLASSICAL_DESIGNS[design]
    return make(*(parse_number(stated[name], _option(name)) for name in names))


def _check_one_of(design: str, stated: Mapping[str, str], names: Sequence[str]) -> None:
    if len(stated) != 1 or not stated.keys() <= set(names):
        raise click.UsageError(f"--design {design} needs exactly one of {', '.join(map(_option, names))}.")


def _check_all_of(design: str, stated: Mapping[str, str], names: Sequence[str]) -> None:
    if stated.keys() != set(names):
        raise click.UsageError(f"--design {design} needs {' and '.join(map(_option, names))}, and nothing else.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
