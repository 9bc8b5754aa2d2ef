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
from hushpoll_server.commands.numbers import COUNT
from hushpoll_server.commands.progress import watched
from hushpoll_server.commands.simulate import client_option, program_of
from hushpoll_server.simulate import respondents
from hushpoll_shared.errors import HushpollError


class ClientRefused(HushpollError):
    """The client reveals more than the manifest claims, or does not follow the stated design."""


@click.command()
@needed_manifest_option
@client_option
@click.option(
    "--runs",
    type=COUNT,
    default=10_000,
    show_default=True,
    help="How often each input is given; questions with more than six share out as many lines as six get.",
)
@click.option(
    "--level",
    type=float,
    callback=read_level,
    default=LEVEL,
    show_default=True,
    help="Confidence level of both verdicts on all questions together.",
)
@click.option(
    "--one-at-a-time",
    is_flag=True,
    help="Vary one question in each line and hold all others at one answer, drawn by lot. Slower; it shows in full "
    "what happens beside these answers, and nothing of what happens beside others.",
)
@json_option
def command(
    manifest_path: Path, client: str | None, runs: int, level: float, one_at_a_time: bool, as_json: bool
) -> None:
    """Audit a client: give it contrasting answers many times, bound its epsilon, and test its design.

    The client is a program that reads and writes the lines of hushpoll randomize, by default ours. Exit code 1 if the
    reports show more than a question claims, or do not follow the stated design.

    No audit supposes nothing. Each line is taken for a new device that does not know that it is tested. Marks of a
    report are looked at alone and in pairs, in one report and in the next: what is spread further, encrypted into an
    id, or told by timing passes.
    """
    manifest, envelope = read_envelope(manifest_path)
    audit = Audit(manifest, runs, one_at_a_time)
    with closing(respondents.randomize(envelope, audit.answers(), program_of(client))) as reports:
        record = audit.collect(watched(reports, "runs", audit.lines_to_feed))
    findings = findings_of(audit, record, level=level)
    if as_json:
        print_json({"level": level, "questions": {name: finding.to_json() for name, finding in findings.items()}})
    else:
        for name, finding in findings.items():
            click.echo(f"{name}  {_describe(finding)}")
    _judge(findings)


def _describe(finding: Finding) -> str:
    upper = "" if finding.upper is None else f"  upper {finding.upper:.4f}"
    wave = " for one wave" if finding.claim == "one wave" else ""
    shown = f" ({finding.difference})" if finding.difference else ""
    return (
        f"{finding.verdict}  claimed {finding.claimed:.4f}{wave}  lower {finding.lower:.4f}{upper}"
        f"  design {finding.design}{shown}  {finding.runs} runs of {finding.inputs} inputs"
    )


def _judge(findings: dict[str, Finding]) -> None:
    violated = [name for name, finding in findings.items() if finding.verdict == "violated"]
    different = [name for name, finding in findings.items() if finding.design == "different"]
    reasons = [f"the client reveals more than the manifest claims: {', '.join(violated)}"] if violated else []
    reasons += [f"the client does not follow the stated design: {', '.join(different)}"] if different else []
    if reasons:
        raise ClientRefused("; ".join(reasons))
