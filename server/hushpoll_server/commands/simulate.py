"""hushpoll simulate: what the dashboard would look like."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from hushpoll_server import respondents
from hushpoll_server.collect.tally import tally
from hushpoll_server.commands.common import json_option, level_option, method_option, read_manifest
from hushpoll_server.commands.estimate import print_results
from hushpoll_server.results import results_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import decode


@click.command()
@click.option(
    "--manifest",
    "manifest_path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The signed manifest.",
)
@click.option(
    "--truth",
    "truth_path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help='True shares of yes, as JSON: {"cheated": 0.3}.',
)
@click.option("--n", type=click.IntRange(min=1), required=True, help="How many respondents.")
@click.option("--client", metavar="COMMAND", help="Another client program that speaks the lines of hushpoll randomize.")
@level_option
@method_option
@json_option
def command(
    manifest_path: Path,
    truth_path: Path,
    n: int,
    client: str | None,
    level: float,
    method: str | None,
    as_json: bool,
) -> None:
    """Simulate a survey: invented respondents, a real client, the real estimates."""
    manifest, envelope = read_manifest(manifest_path)
    truth = respondents.read_truth(truth_path.read_bytes(), manifest)
    with closing(respondents.randomize(envelope, respondents.draw_answers(truth, n), _program(client))) as reports:
        counts = tally(manifest, _draws(_watch(reports, n), manifest))
    extra = {question: {"truth": float(share)} for question, share in truth.items()}
    print_results(results_of(manifest, counts, level=level, method=method), extra, as_json=as_json)


def _program(client: str | None) -> Sequence[str]:
    if client is None:
        return respondents.OUR_CLIENT
    try:
        words = shlex.split(client)
    except ValueError as error:
        raise click.BadParameter(f"{error}: write the command as in a shell", param_hint="--client") from None
    if not words:
        raise click.BadParameter("it is empty: name a program", param_hint="--client")
    return words


def _watch(reports: Iterable[bytes], n: int) -> Iterable[bytes]:
    console = Console(stderr=True)
    quiet = not console.is_terminal
    return track(reports, "respondents", total=n, console=console, transient=True, disable=quiet)


def _draws(reports: Iterable[bytes], manifest: Manifest) -> Iterator[dict[str, int]]:
    for number, report in enumerate(reports, start=1):
        try:
            yield decode(report, manifest).answers
        except ProblemError as error:
            raise respondents.ClientFailed(f"the client's report {number} is not valid: {error}") from None
