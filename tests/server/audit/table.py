"""Print what an audit says of honest and of broken clients at the default number of runs, as a table.

Run it with `python -m tests.server.audit.table`. It takes some minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from tests.running.tools import load_tools
from tests.server.audit.broken_client import FAULTS
from tests.server.audit.test_broken_clients import CASES, PROGRAM, TWO, audit

from hushpoll_server.audit.findings import LEVEL
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.simulate.respondents import OUR_CLIENT, ClientFailed
from hushpoll_shared.manifest import Manifest

ROOT = Path(__file__).parents[3]
RUNS = 10_000
HONEST = {
    "our Python client": OUR_CLIENT,
    "our JavaScript client": (str(load_tools().node), str(ROOT / "client" / "js" / "bin" / "randomize.mjs")),
}
SURVEYS = {
    "the demonstration": ROOT / "server" / "hushpoll_server" / "commands" / "demo.yaml",
    "every-type.yaml": ROOT / "docs" / "examples" / "every-type.yaml",
}


def row(client: str, what: str, manifest: Manifest, program: tuple[str, ...]) -> str:
    """Audit a client and return its row."""
    started = time.monotonic()
    try:
        findings = audit(manifest, RUNS, program, LEVEL).items()
        verdict = ", ".join(f"{name}: {finding.verdict}" for name, finding in findings)
        design = ", ".join(f"{name}: {finding.design}" for name, finding in findings)
    except ClientFailed as error:
        verdict, design = f"stopped: {str(error).split(':')[0]}", ""
    return f"| {client} | {what} | {RUNS} | {verdict} | {design} | {time.monotonic() - started:.0f} s |"


def rows() -> Iterator[str]:
    """Return the table."""
    yield "| client | what it does | runs | verdict | design | time |"
    yield "|---|---|---|---|---|---|"
    for case in CASES:
        what = (FAULTS[case.fault].__doc__ or "").strip(".")
        yield row(case.fault.replace("_", " "), what, case.manifest, (*PROGRAM, case.fault))
    yield row("too often", "Keep the true answer 3 % too often", TWO, PROGRAM)
    for client, program in HONEST.items():
        for name, path in SURVEYS.items():
            manifest = compile_survey(path.read_text(encoding="utf-8"), path.name).manifest
            yield row(client, f"Honest, on {name}", manifest, program)


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
