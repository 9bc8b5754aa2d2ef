"""What a reader types on a page, one command after the other, in one folder and on a real instance.

`hushpoll` runs in this process, everything else as a program. The devices' random bytes are fixed, so that a page can
show figures; whatever else is random (keys, tokens) a page shows as `…`.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.running.server_process import ServerProcess
from tests.vectors.streams import FixedTestStream

from hushpoll_client.cli import main

ADDRESS = "http://127.0.0.1:8000"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECONDS = 60


def shown_commands(page: str) -> Iterator[tuple[str, str]]:
    """Yield each command of the page's console blocks with the output that is shown below it."""
    for kind, text in BLOCK.findall(page):
        for shown in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if kind == "console" else ():
            command, _, output = shown.partition("\n")
            yield command, output


def is_as_shown(shown: str, printed: str) -> bool:
    """Return whether a page tells the truth: `…` stands for text within its line, a line `…` for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…\n" else r"[^\n]*".join(map(re.escape, line.split("…")))
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, printed) is not None


class Console:
    """A terminal in a folder."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        """Begin in the folder, with fixed bytes instead of random ones for each run of `hushpoll randomize`."""
        self._folder, self._patch, self._server = folder, patch, ServerProcess(folder / "home", "")
        for name in [name for name in os.environ if name.startswith("HUSHPOLL_")]:
            patch.delenv(name)
        seeds = count()
        patch.chdir(folder)
        patch.setattr("hushpoll_shared.randomness.SecureBytes", lambda: FixedTestStream(f"walkthrough {next(seeds)}"))

    def type(self, command: str) -> str:
        """Run a command; return what the terminal shows."""
        if assigned := re.fullmatch(r"(\w+)=\$\(hushpoll (.+)\)", command):
            result = self.hushpoll(shlex.split(assigned[2]))
            self._patch.setenv(assigned[1], result.stdout.strip())
            return result.stderr
        if exported := re.fullmatch(r"export (\w+)=(\S+)", command):
            self._patch.setenv(exported[1], str(self._folder / exported[2]))
            return ""
        if command == "hushpoll serve":
            return self._serve()
        return self._redirected(command) if command.startswith("hushpoll ") else self._program(command)

    def hushpoll(self, words: list[str], given: bytes = b"") -> Result:
        """Run `hushpoll` in this process; it must succeed."""
        result = CliRunner().invoke(main, words, input=given, catch_exceptions=False, prog_name="hushpoll")
        assert result.exit_code == 0, result.output
        return result

    def get(self, url: str) -> str:
        """Return what the server responds to an address of the page."""
        return self._program(f"curl --fail --silent '{url}'")

    def close(self) -> None:
        """Stop the server."""
        self._server.kill()

    def _redirected(self, command: str) -> str:
        words, _, target = command.removeprefix("hushpoll ").partition(" >> ")
        words, _, source = words.partition(" < ")
        given = Path(source).read_bytes() if source else b""
        result = self.hushpoll(shlex.split(words), given)
        if not target:
            return result.output
        with Path(target).open("ab") as file:
            file.write(result.stdout_bytes)
        return result.stderr

    def _serve(self) -> str:
        home = Path(os.environ["HUSHPOLL_HOME"])
        self._server = ServerProcess(home, f"sqlite:///{home / 'hushpoll.sqlite'}")
        self._server.start()
        return self._server.log.read_text(encoding="utf-8").replace(self._server.address, ADDRESS)

    def _program(self, command: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command.replace(ADDRESS, self._server.address)],
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout.replace(self._server.address, ADDRESS)
