"""The `hushpoll` command: what it lists, what it loads, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner, Result
from tests.samples.surveys import KEY

from hushpoll_client import cli
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import decode
from hushpoll_shared.signing import SigningKey, sign

LINE = '{"cheated": true, "helped": false}\n'
HUSHPOLL = (sys.executable, "-m", "hushpoll_client")
# What `pip install hushpoll` does not bring.
NOT_LIGHT = ("alembic", "flask", "granian", "numpy", "platformdirs", "pydantic", "rich", "ruamel", "scipy", "sqlmodel")


@pytest.fixture
def manifest_file(tmp_path: Path, manifest: Manifest) -> Path:
    file = tmp_path / "manifest.json"
    file.write_bytes(sign(manifest, KEY))
    return file


def run(*arguments: object, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments], input=text, prog_name="hushpoll")


def start(*arguments: object) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*HUSHPOLL, *map(str, arguments)], stdin=pipe, stdout=pipe, stderr=pipe)


def streams(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin
    assert process.stdout
    assert process.stderr
    return process.stdin, process.stdout, process.stderr


def test_all_commands_are_listed_with_a_summary() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for name in ("bench", "demo", "estimate", "export", "randomize", "researcher", "serve", "simulate", "survey"):
        assert f"\n  {name} " in result.output


def test_the_version_is_printed() -> None:
    result = run("--version")
    assert (result.exit_code, result.output.split()[0]) == (0, "hushpoll")


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["--nothing"], ["randomize"], ["randomize", "--nothing"]], ids=" ".join
)
def test_a_wrong_call_ends_with_2(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: hushpoll" in result.stderr


def test_a_light_install_names_the_extra_that_is_missing() -> None:
    script = """
import json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from click.testing import CliRunner
from hushpoll_client.cli import COMMANDS, main
results = {name: CliRunner().invoke(main, [name, "--help"]) for name in COMMANDS}
results["--help"] = CliRunner().invoke(main, ["--help"])
results["randomize"] = CliRunner().invoke(main, ["randomize", "--help"])
print(json.dumps({name: [result.exit_code, result.output] for name, result in results.items()}))
"""
    done = subprocess.run([sys.executable, "-c", script, json.dumps(NOT_LIGHT)], capture_output=True, check=True)
    results = json.loads(done.stdout)
    for name in ("--help", "randomize"):
        assert results.pop(name)[0] == 0
    assert results == {
        name: [1, f"hushpoll {name} needs the {command.extra} extra: pip install 'hushpoll[{command.extra}]'\n"]
        for name, command in cli.COMMANDS.items()
    }
    assert {name for name, command in cli.COMMANDS.items() if command.extra != "server"} == {"lab"}


def test_help_loads_no_command() -> None:
    script = """
import sys
from click.testing import CliRunner
from hushpoll_client.cli import main
assert CliRunner().invoke(main, ["--help"]).exit_code == 0
print(sorted(name for name in sys.modules if name.split(".")[0] in ("hushpoll_server", "flask", "cryptography")))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def test_answers_become_reports(manifest_file: Path, manifest: Manifest) -> None:
    result = run("randomize", "--manifest", manifest_file, "--key", KEY.public, text=LINE * 3)
    assert (result.exit_code, result.stderr) == (0, "")
    reports = [decode(line, manifest) for line in result.stdout_bytes.splitlines()]
    assert len({report.id for report in reports}) == 3


def test_a_bad_line_ends_with_1_and_its_number(manifest_file: Path, manifest: Manifest) -> None:
    result = run("randomize", "--manifest", manifest_file, text=LINE + '{"cheated": "XYZZY", "helped": true}\n' + LINE)
    assert result.exit_code == 1
    assert result.stderr.startswith("line 2: question cheated needs True or False")
    assert "XYZZY" not in result.output
    decode(result.stdout_bytes, manifest)


def test_a_manifest_of_another_key_is_refused(manifest_file: Path) -> None:
    result = run("randomize", "--manifest", manifest_file, "--key", SigningKey.generate().public, text=LINE)
    assert result.exit_code == 1
    assert result.output == "the manifest is signed by a key other than the pinned one: ask the publisher why\n"


def test_a_manifest_that_was_changed_is_refused_without_a_key_too(manifest_file: Path) -> None:
    envelope = json.loads(manifest_file.read_bytes())
    manifest_file.write_text(json.dumps({**envelope, "payload": envelope["payload"][:-4] + "AAAA"}))
    result = run("randomize", "--manifest", manifest_file, text=LINE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the signature does not match" in result.stderr


@pytest.mark.parametrize("name", ["nothing.json", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    result = run("randomize", "--manifest", tmp_path / name)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{tmp_path / name}: ")
    assert len(result.stderr.splitlines()) == 1


def test_an_endless_file_is_no_manifest() -> None:
    result = run("randomize", "--manifest", "/dev/zero")
    assert (result.exit_code, result.stderr) == (1, "the envelope is too large to be a manifest\n")


def test_one_line_gives_one_report_at_once(manifest_file: Path, manifest: Manifest) -> None:
    with start("randomize", "--manifest", manifest_file) as process:
        stdin, stdout, stderr = streams(process)
        for _ in range(3):
            stdin.write(LINE.encode())
            stdin.flush()
            decode(stdout.readline(), manifest)
        stdin.close()
        assert (process.wait(), stderr.read()) == (0, b"")


def test_an_interrupt_is_quiet_and_ends_with_130(manifest_file: Path) -> None:
    with start("randomize", "--manifest", manifest_file) as process:
        stdin, stdout, stderr = streams(process)
        stdin.write(LINE.encode())
        stdin.flush()
        stdout.readline()
        process.send_signal(signal.SIGINT)
        assert (process.wait(), stderr.read()) == (130, b"")


def test_a_reader_that_has_seen_enough_is_left_quietly(manifest_file: Path) -> None:
    with start("randomize", "--manifest", manifest_file) as process:
        stdin, stdout, stderr = streams(process)
        stdin.write(LINE.encode())
        stdin.flush()
        stdout.readline()
        stdout.close()
        stdin.write(LINE.encode() * 1000)
        stdin.close()
        assert (process.wait(), stderr.read()) == (1, b"")


def test_somebody_at_a_keyboard_is_told_what_to_type(manifest_file: Path, manifest: Manifest) -> None:
    keyboard, terminal = os.openpty()
    command = [*HUSHPOLL, "randomize", "--manifest", str(manifest_file)]
    with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        os.close(terminal)
        assert process.stderr
        assert b"one object per line" in process.stderr.readline()
        # Ctrl-D at the start of a line is the end.
        os.write(keyboard, LINE.encode() + b"\x04")
        assert process.stdout
        decode(process.stdout.read(), manifest)
        assert process.wait() == 0
    os.close(keyboard)
