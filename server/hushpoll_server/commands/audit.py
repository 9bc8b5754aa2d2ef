"""hushpoll audit: test any client's privacy from the outside."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from hushpoll_server.analysis.files import read_envelope
from hushpoll_server.audit.findings import LEVEL, Finding, findings_of
from hushpoll_server.audit.run import Audit
from hushpoll_server.commands.common import (
    json_option,
    needed_manifest_option,
    print_json,
    read_level,
)
from hushpoll_server.commands.progress import watched
from hushpoll_server.commands.simulate import client_option, program_of
from hushpoll_server.simulate import respondents
from hushpoll_shared.errors import HushpollError


class ClaimViolated(HushpollError):
    """Some questions reveal more than they claim."""


@click.command()
@needed_manifest_option
@client_option
@click.option(
    "--runs", type=click.IntRange(min=1), default=10_000, show_default=True, help="How often each input is given."
)
@click.option(
    "--level",
    type=float,
    callback=read_level,
    default=LEVEL,
    show_default=True,
    help="Confidence level of all bounds together.",
)
@click.option("--one-at-a-time", is_flag=True, help="Vary one question in each line. Slower; assumes nothing.")
@json_option
def command(
    manifest_path: Path, client: str | None, runs: int, level: float, one_at_a_time: bool, as_json: bool
) -> None:
    """Audit a client: give it contrasting answers many times and bound its epsilon from the reports.

    The client is a program that reads and writes the lines of hushpoll randomize, by default ours. Exit code 1 if the
    lower bound of a question is above its claim.
    """
    manifest, envelope = read_envelope(manifest_path)
    audit = Audit(manifest, runs, one_at_a_time)
    with closing(respondents.randomize(envelope, audit.answers(), program_of(client))) as reports:
        tallies = audit.collect(watched(reports, "runs", audit.lines_to_feed))
    findings = findings_of(audit, tallies, level=level)
    if as_json:
        print_json({"level": level, "questions": {name: finding.to_json() for name, finding in findings.items()}})
    else:
        for name, finding in findings.items():
            click.echo(f"{name}  {_describe(finding)}")
    _judge(findings)


def _describe(finding: Finding) -> str:
    upper = "" if finding.upper is None else f"  upper {finding.upper:.4f}"
    wave = " for one wave" if finding.claim == "one wave" else ""
    return (
        f"{finding.verdict}  claimed {finding.claimed:.4f}{wave}  lower {finding.lower:.4f}{upper}"
        f"  {finding.runs} runs of {finding.inputs} inputs"
    )


def _judge(findings: dict[str, Finding]) -> None:
    violated = [name for name, finding in findings.items() if finding.verdict == "violated"]
    if violated:
        raise ClaimViolated(f"the client reveals more than the manifest claims: {', '.join(violated)}")
