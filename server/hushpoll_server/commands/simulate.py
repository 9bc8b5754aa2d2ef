"""hushpoll simulate: what the dashboard would look like."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import click

from hushpoll_server.analysis.files import read_envelope
from hushpoll_server.analysis.results import results_of
from hushpoll_server.audit.run import read_report
from hushpoll_server.commands.common import (
    json_option,
    level_option,
    method_option,
    needed_manifest_option,
)
from hushpoll_server.commands.figures import print_results
from hushpoll_server.commands.numbers import COUNT
from hushpoll_server.commands.progress import watched
from hushpoll_server.counting.tally import tally
from hushpoll_server.estimate.options import Options
from hushpoll_server.simulate import respondents
from hushpoll_server.simulate.population import Truth
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw

# The truth about a codebook would fill the screen: only its largest shares are shown.
MOST_SHOWN = 12

client_option = click.option(
    "--client", metavar="COMMAND", help="Another client program that reads and writes the lines of hushpoll randomize."
)


@click.command()
@needed_manifest_option
@click.option(
    "--truth",
    "truth_path",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help='What people really think, as JSON: {"cheated": 0.3}.',
)
@click.option("--n", type=COUNT, required=True, help="How many respondents.")
@client_option
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
    manifest, envelope = read_envelope(manifest_path)
    truth = respondents.read_truth(truth_path.read_bytes(), manifest)
    with closing(respondents.randomize(envelope, respondents.draw_answers(truth, n), program_of(client))) as reports:
        counts = tally(manifest, _draws(watched(reports, "respondents", n), manifest))
    results = results_of(manifest, counts, Options(level=level, method=method))
    if as_json:
        print_results(results, {question: {"truth": about.shown} for question, about in truth.items()}, as_json=True)
        return
    for question, result in results.items():
        print_results({question: result}, {}, as_json=False)
        click.echo(f"{question}  truth: {describe(truth[question])}")


def program_of(client: str | None) -> Sequence[str]:
    """Return the client's command as a list of words; by default our own client's."""
    if client is None:
        return respondents.OUR_CLIENT
    try:
        words = shlex.split(client)
    except ValueError as error:
        raise click.BadParameter(f"{error}: write the command as in a shell", param_hint="--client") from None
    if not words:
        raise click.BadParameter("it is empty: name a program", param_hint="--client")
    return words


def _draws(reports: Iterable[bytes], manifest: Manifest) -> Iterator[Mapping[str, Draw]]:
    for number, report in enumerate(reports, start=1):
        yield read_report(report, manifest, number).draws


def describe(truth: Truth) -> str:
    """Return the truth about a question in one line."""
    shown = truth.shown
    if isinstance(shown, float):
        return f"yes {shown:.2%}"
    if "mean" not in shown:
        return _list_shares(shown)
    extras = {name: share for name, share in shown.items() if name != "mean"}
    return ", ".join(filter(None, (f"mean {shown['mean']:.6g}", _list_shares(extras))))


def _list_shares(shares: Mapping[str, float]) -> str:
    more = len(shares) - MOST_SHOWN
    cells = sorted(shares, key=lambda cell: -shares[cell])[:MOST_SHOWN] if more > 0 else shares
    return ", ".join(f"{cell} {shares[cell]:.2%}" for cell in cells) + (f" and {more} more" if more > 0 else "")
