"""`hushpoll demo` as a newcomer runs it: two addresses that open, Ctrl-C, and a second start that keeps the data."""

from __future__ import annotations

import html
import http.cookiejar
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest

from hushpoll_server.commands.demo import DEFINITION, TRUTH
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.compile.question_types import FIELDS_OF_TYPE
from hushpoll_server.simulate import respondents

QUESTIONS = {
    question.id: question.text
    for question in compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name).manifest.questions
}
README = Path(__file__).parents[2] / "README.md"
START_SECONDS = 60
STOP_SECONDS = 20


class Demo:
    """A running demonstration."""

    def __init__(self, home: Path, port: int, respondents: int) -> None:
        self.began = time.monotonic()
        self.port = port
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hushpoll_client", "demo", "--port", str(port), "--respondents", str(respondents)],
            env={**os.environ, "HUSHPOLL_HOME": str(home), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._lines: Queue[str] = Queue()
        self.said: list[str] = []
        self.complained: list[str] = []
        self._threads = [
            threading.Thread(target=self._listen, args=(self.process.stdout, self._lines.put)),
            threading.Thread(target=self._listen, args=(self.process.stderr, self.complained.append)),
        ]
        for thread in self._threads:
            thread.start()
        self.form = self._wait_for(r"form: +(\S+)")
        self.dashboard = self._wait_for(r"dashboard: +(\S+)")
        self.key = self._wait_for(r"key: +(ed25519:\S+)")
        self._wait_for(r"^ +(print)")
        self.seconds_to_start = time.monotonic() - self.began

    @property
    def program(self) -> str:
        """Return the program that it printed."""
        return textwrap.dedent("".join(line for line in self.said if line.startswith("    ") or line == "\n"))

    @staticmethod
    def _listen(stream: Iterator[str] | None, tell: Callable[[str], None]) -> None:
        assert stream is not None
        for line in stream:
            tell(line)

    def _wait_for(self, pattern: str) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                self.said.append(self._lines.get(timeout=0.2))
            except Empty:
                if self.process.poll() is not None:
                    break
                continue
            if found := re.search(pattern, self.said[-1]):
                return found[1]
        self.kill()
        raise AssertionError(f"the demonstration did not start: {self.said} {self.complained}")

    def interrupt(self) -> float:
        """Press Ctrl-C, which a terminal sends to all processes; return the seconds until the program ended."""
        began = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(STOP_SECONDS)
        self._join()
        return time.monotonic() - began

    def kill(self) -> None:
        """End the program whatever it does; on SIGTERM it also ends its server, which has its own process group."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._join()

    def _join(self) -> None:
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Demo]]:
    """Start the demonstration in this test's own home, on a free port."""
    demos: list[Demo] = []

    def begin() -> Demo:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        demos.append(Demo(tmp_path / "home", port, respondents=200))
        return demos[-1]

    yield begin
    for demo in demos:
        if demo.process.poll() is None:
            demo.kill()


def read(address: str, opener: urllib.request.OpenerDirector | None = None, form: bytes | None = None) -> str:
    """Open an address, or send it a form; return the page, which must have the status 200."""
    with (opener or urllib.request.build_opener()).open(address, form, timeout=10) as response:
        assert response.status == 200
        text: str = response.read().decode()
        return text


def sign_in(demo: Demo) -> tuple[str, urllib.request.OpenerDirector]:
    """Open the link and press its button; return the list of surveys and the session."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    assert '<form method="post">' in read(demo.dashboard, opener)
    return read(demo.dashboard, opener, form=b""), opener


def test_the_demonstration_shows_one_question_of_every_type_within_its_cap() -> None:
    compiled = compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name)
    assert compiled.warnings == ()
    assert [question.type.NAME for question in compiled.manifest.questions] == [*FIELDS_OF_TYPE]
    assert respondents.read_truth(TRUTH.read_bytes(), compiled.manifest).keys() == QUESTIONS.keys()


def check(demo: Demo) -> None:
    """Check both addresses: the form is there, and the dashboard shows every question and counts 200 reports."""
    assert demo.form == f"http://127.0.0.1:{demo.port}/s/campus-integrity"
    assert "campus-integrity" in read(demo.form)
    surveys, opener = sign_in(demo)
    assert "/surveys/campus-integrity" in surveys
    dashboard = read(f"http://127.0.0.1:{demo.port}/surveys/campus-integrity", opener)
    assert re.search(r"\b200\b", re.sub(r"<[^>]+>", " ", dashboard))
    assert all(html.escape(text) in dashboard for text in QUESTIONS.values())


def readme_example(demo: Demo) -> str:
    """Return the first example of README.md with the address and the key of this demonstration."""
    [code] = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert "http://127.0.0.1:8000" in code
    return str(code).replace("http://127.0.0.1:8000", f"http://127.0.0.1:{demo.port}").replace("ed25519:…", demo.key)


def run(program: str, folder: Path) -> str:
    """Run a program as its reader would; return what it prints."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def check_quiet_end(demo: Demo) -> None:
    print(f"started in {demo.seconds_to_start:.1f} s, stopped in {demo.interrupt():.1f} s")
    assert demo.process.returncode in (0, 130)
    assert "Traceback" not in "".join(demo.complained)


def test_the_demonstration_starts_stops_and_keeps_its_data(start: Callable[[], Demo], tmp_path: Path) -> None:
    first = start()
    check(first)
    check_quiet_end(first)
    second = start()
    check(second)
    assert second.key == first.key
    assert second.dashboard.rsplit("/", 1)[1] != first.dashboard.rsplit("/", 1)[1]
    # Nothing was simulated again, so no progress was shown.
    assert "simulated respondents" not in "".join(second.complained)
    check_quiet_end(second)
    assert [folder.name for folder in (tmp_path / "home").iterdir()] == ["demo"]


def test_the_programs_that_newcomers_read_first_answer_the_demonstration(
    start: Callable[[], Demo], tmp_path: Path
) -> None:
    demo = start()
    assert run(demo.program, tmp_path) == "accepted\n"
    # Without a state, each run is a new device.
    assert run(demo.program, tmp_path) == "accepted\n"
    assert run(readme_example(demo), tmp_path).startswith("accepted\nepsilon spent so far: ")
