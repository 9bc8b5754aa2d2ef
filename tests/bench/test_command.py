"""`hushpoll bench`: what it prints, what it refuses, and that it leaves nothing running."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from bench import processes
from bench.results import BenchError
from click.testing import CliRunner

from hushpoll_client.cli import main
from hushpoll_server.commands import bench


def test_the_size_of_the_page_is_printed_as_json() -> None:
    result = CliRunner().invoke(main, ["bench", "page", "--quick", "--json"])
    assert result.exit_code == 0
    found = json.loads(result.stdout)["benchmarks"]["page"]
    assert found["error"] is None
    assert "/js/form.js" in {figure["what"].strip() for figure in found["figures"]}
    assert found["figures"][0]["goal"] == "< 20000"


def test_the_figures_are_printed_as_a_table() -> None:
    result = CliRunner().invoke(main, ["bench", "import", "--quick"])
    assert result.exit_code == 0
    assert "import hushpoll_client" in result.stdout
    assert "< 150" in result.stdout


def test_an_unknown_name_is_a_wrong_call_that_names_the_right_ones() -> None:
    result = CliRunner().invoke(main, ["bench", "speed"])
    assert result.exit_code == 2
    assert "import, randomize, mechanisms, page, demo, ingest, dashboard" in result.stderr


def test_outside_a_checkout_one_sentence_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "bench_folder", lambda: tmp_path / "bench")
    result = CliRunner().invoke(main, ["bench"])
    assert result.exit_code == 1
    assert result.stderr.strip().splitlines() == [
        "hushpoll bench needs a checkout of Hushpoll: run it there, after pip install --editable ."
    ]


def test_a_program_and_what_it_started_end_with_the_block() -> None:
    child = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    with (
        pytest.raises(ZeroDivisionError),
        processes.started([sys.executable, "-c", f"{child}; time.sleep(60)"]) as process,
    ):
        _wait_for(process.pid, 2)
        raise ZeroDivisionError
    assert process.poll() is not None
    # A process ends a moment after the signal was sent.
    _wait_for(process.pid, 0)


def test_a_program_that_fails_says_why() -> None:
    with pytest.raises(BenchError, match="out of luck"):
        processes.output_of([sys.executable, "-c", "raise SystemExit('out of luck')"])


def test_the_memory_of_a_program_is_that_of_all_it_started() -> None:
    hold = "import time; held = b'x' * 50_000_000; time.sleep(60)"
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    with processes.started([sys.executable, "-c", start]) as process:
        _wait_for(process.pid, 2)
        end = time.monotonic() + 20
        while (processes.memory_of(process) or 0) < 50_000_000 and time.monotonic() < end:
            time.sleep(0.01)
        assert 50_000_000 < (processes.memory_of(process) or 0) < 500_000_000


@pytest.mark.loopback
def test_a_server_that_ends_before_it_answers_is_an_error_with_its_last_words() -> None:
    with (
        pytest.raises(BenchError, match=r"(?s)exit code 3.*no such thing"),
        processes.started([sys.executable, "-c", "print('no such thing'); raise SystemExit(3)"]) as process,
    ):
        processes.wait_until_ready(process, "http://127.0.0.1:9/")


def _wait_for(group: int, number: int) -> None:
    """Wait until a group has this many living processes; without a signal they live for a minute."""
    end = time.monotonic() + 20
    while len(_group(group)) != number and time.monotonic() < end:
        time.sleep(0.01)
    assert len(_group(group)) == number


def _group(group: int) -> list[int]:
    """Return the living processes of a group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group, *_ = entry.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(its_group) == group and state != "Z":
            found.append(int(entry.parent.name))
    return found
