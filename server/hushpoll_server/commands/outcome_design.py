"""The design of a yes/no outcome as options of a command: Warner's by its parameters, or any by two probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

import click

from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms.warner import PARAMETERS, Spinner
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue

Command = TypeVar("Command", bound=Callable[..., Any])


def design_options(command: Command) -> Command:
    """Add the options that state a design."""
    options = [
        click.option("--design", type=click.Choice(list(_READERS)), help="The design that randomized the outcome."),
        click.option("--epsilon", metavar="E", help="warner: by its epsilon."),
        click.option("--odds", metavar="A:B", help="warner: by its odds, such as 3:1."),
        click.option("--p", metavar="P", help="warner: by the spinner's probability."),
        click.option("--truth", metavar="R", help="warner: by the probability of the truth, else a fair coin."),
        click.option("--p1", metavar="A", help="kuk: the probability of a yes if the answer is yes."),
        click.option("--p0", metavar="B", help="kuk: the probability of a yes if the answer is no."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_design(design: str, stated: Mapping[str, str]) -> SupportDesign:
    """Return the probabilities of a yes under a design; parameters that do not fit are a usage error."""
    try:
        return _READERS[design](stated)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _warner(stated: Mapping[str, str]) -> SupportDesign:
    if len(stated) != 1 or not stated.keys() <= set(PARAMETERS):
        raise click.UsageError("--design warner needs exactly one of --epsilon, --odds, --p, --truth.")
    spinner = Spinner.read(stated)
    return SupportDesign(spinner.p, 1 - spinner.p)


def _kuk(stated: Mapping[str, str]) -> SupportDesign:
    if stated.keys() != {"p1", "p0"}:
        raise click.UsageError("--design kuk needs --p1 and --p0, and nothing else.")
    return SupportDesign(_probability(stated, "p1"), _probability(stated, "p0"))


def _probability(stated: Mapping[str, str], name: str) -> Fraction:
    value = parse_number(stated[name], name)
    if not 0 < value < 1:
        raise InvalidValue(f"--{name} must be above 0 and below 1: give the probability of a yes")
    return value


_READERS: Mapping[str, Callable[[Mapping[str, str]], SupportDesign]] = {"warner": _warner, "kuk": _kuk}
