"""hushpoll simulate: what the dashboard would look like."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from hushpoll_server import respondents
from hushpoll_server.collect.tally import tally
from hushpoll_server.commands.common import json_option, level_option, method_option
from hushpoll_server.commands.estimate import print_results
from hushpoll_server.results import results_of
from hushpoll_shared.report import decode
from hushpoll_shared.signing import verify


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
@click.option("--client", help="Another client program that speaks the lines of hushpoll randomize.")
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
    envelope = manifest_path.read_bytes()
    manifest = verify(envelope)
    truth = respondents.read_truth(truth_path.read_text(encoding="utf-8"), manifest)
    program = shlex.split(client) if client else respondents.OUR_CLIENT
    reports = respondents.randomize(envelope, respondents.draw_answers(truth, n), program)
    watched = track(reports, "respondents", total=n, console=Console(stderr=True), transient=True)
    counts = tally(manifest, (decode(report, manifest).answers for report in watched))
    extra = {question: {"truth": float(share)} for question, share in truth.items()}
    print_results(results_of(manifest, counts, level=level, method=method), extra, as_json=as_json)
