"""No raw answer is anywhere: not on the wire, not in a log, not in a file of the database, not in an export.

The devices draw from bytes that make every draw the opposite of its answer, so wherever a true answer appears, it is a
leak.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.running.server_process import ServerProcess
from tests.samples.canary import LosingStream, canary_survey
from tests.samples.surveys import KEY

from hushpoll_client import Client
from hushpoll_client.transport import Response, UrllibTransport
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

RESPONDENTS = 40
ANSWERS = {"first": True, "second": False}
# How the true answers would look if they were written anywhere, by any of the parts.
LEAKS = (b'"first":"1"', b'"second":"0"', b'"first": "1"', b'"first":1', b'"first":true', b'"second": false', b"True")
DRAWN = b'{"first":"0","second":"1"}'


@dataclass
class WatchedWire:
    """The real transport, with a copy of all that it sends."""

    wire: UrllibTransport = field(default_factory=UrllibTransport)
    sent: list[bytes] = field(default_factory=list)

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout: float, largest: int
    ) -> Response:
        self.sent.append(b" ".join([method.encode(), url.encode(), repr(headers).encode(), body or b""]))
        return self.wire.send(method, url, headers=headers, body=body, timeout=timeout, largest=largest)


def hushpoll(server: ServerProcess, *arguments: str) -> bytes:
    """Run a command on the instance and return all that it prints."""
    environment = {**os.environ, "HUSHPOLL_HOME": str(server.home), "HUSHPOLL_DB": server.database_url}
    command = [sys.executable, "-m", "hushpoll_client", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout + done.stderr


def test_a_raw_answer_is_nowhere(server: ServerProcess, tmp_path: Path) -> None:
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(canary_survey(), KEY)
    server.start()
    seen = answer_all(server, tmp_path)
    printed = [hushpoll(server, "export", "canary", "--format", kind, "--out", str(tmp_path / f"export.{kind}"))
               for kind in ("csv", "json", "ndjson")]  # fmt: skip
    server.stop()
    assert services.collect.number_of_reports("canary") == RESPONDENTS
    # PostgreSQL's own files are out of reach; what it stores is read through it.
    stored = [json.dumps(report.draws, separators=(",", ":")).encode() for report in services.collect.reports("canary")]
    assert stored == [DRAWN] * RESPONDENTS
    services.close()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert server.log in files
    for place, content in [*enumerate([*seen, *printed, *stored]), *files.items()]:
        assert not [leak for leak in LEAKS if leak in content], place
    # The search does find what is there: the draws.
    assert any(DRAWN in content for content in seen)
    assert DRAWN in files[tmp_path / "export.ndjson"]


def answer_all(server: ServerProcess, folder: Path) -> list[bytes]:
    """Let the respondents answer, each with a state file, and return all that went over the wire."""
    wire = WatchedWire()
    for number in range(RESPONDENTS):
        state = folder / f"device-{number}.sqlite"
        with Client(server.address, key=KEY.public, state=state, transport=wire) as client:
            report = client.survey("canary").randomize(ANSWERS, source=LosingStream())
            assert client.submit(report).status == "accepted"
    assert len({len(content) for content in wire.sent if content.startswith(b"POST")}) == 1
    return wire.sent
