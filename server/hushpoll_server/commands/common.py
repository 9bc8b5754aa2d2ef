"""What the commands share: options, the instance they act on, and the way they print."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hushpoll_server.commands.numbers import Finite
from hushpoll_server.settings import Settings, load_settings
from hushpoll_shared.addresses import check_address
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import UNKNOWN_SURVEY, ProblemError

if TYPE_CHECKING:
    from hushpoll_server.counting.crossed import Crossed
    from hushpoll_server.services import Services

DEFAULT_ADDRESS = "http://127.0.0.1:8000"

database_option = click.option("--db", metavar="URL", help="The database, instead of HUSHPOLL_DB.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON with full precision.")


def read_level(_: click.Context, __: click.Parameter, value: float) -> float:
    """Return a confidence level; one that no interval can have is a usage error."""
    # Imported here because most commands estimate nothing and need not wait for SciPy.
    from hushpoll_server.estimate.errors import check_level

    try:
        check_level(value)
    except InvalidValue as error:
        raise click.BadParameter(str(error)) from None
    return value


level_option = click.option(
    "--level",
    type=float,
    callback=read_level,
    default=0.95,
    show_default=True,
    help="Confidence level.",
)
method_option = click.option(
    "--method",
    type=click.Choice(["wilson", "exact", "wald"]),
    help="Interval method; by default Wilson where there are enough reports, exact below.",
)
coverage_option = click.option(
    "--coverage",
    type=click.Choice(["pointwise", "simultaneous", "anytime"]),
    default="pointwise",
    show_default=True,
    help="What the level holds for: each interval, all of a question jointly, or continuous monitoring.",
)
beta_option = click.option(
    "--beta",
    type=Finite(0, 1, max_open=True),
    metavar="B",
    help="Also print the band for this share of made-up reports.",
)
_manifest_option = partial(
    click.option,
    "--manifest",
    "manifest_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The signed manifest.",
)
manifest_option = _manifest_option()
needed_manifest_option = _manifest_option(required=True)


cross_option = click.option(
    "--cross", metavar="ID,ID", multiple=True, help="The cross table of two questions; may be repeated."
)


def read_crossed(cross: Sequence[str], manifest: Manifest) -> list[Crossed]:
    """Read the cross tables named in a call; refuse those that the survey cannot have."""
    from hushpoll_server.counting.crossed import check_crossed

    crossed = [_read_pair(pair) for pair in cross]
    check_crossed(crossed, {question.id: question.type for question in manifest.questions}, ask=manifest.ask)
    return crossed


def _read_pair(text: str) -> Crossed:
    first, comma, second = text.partition(",")
    if not comma or "," in second:
        raise click.UsageError("--cross names two questions with a comma between them: --cross cheated,frequency.")
    return first.strip(), second.strip()


@contextmanager
def instance(db: str | None) -> Iterator[Services]:
    """Open the instance that the environment or --db names."""
    # Imported here because lint, compile and estimate need no database and no web server to start.
    from hushpoll_server.services import Services

    services = Services(load_settings(db=db))
    try:
        yield services
    except ProblemError as error:
        if error.problem is UNKNOWN_SURVEY:
            raise InvalidValue("there is no such survey in this database: hushpoll survey list shows all") from None
        raise
    finally:
        services.close()


def server_address(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the address of a server in its one spelling; an invalid one is a usage error."""
    try:
        return check_address(value) if value else None
    except InvalidValue as error:
        raise click.BadParameter(str(error)) from None


def address(settings: Settings) -> str:
    """Return the address to print in front of paths."""
    return settings.public_url or DEFAULT_ADDRESS


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))
