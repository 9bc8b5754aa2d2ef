"""What Atheris starts from ends as it should; the long form lets it look for what does not."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import pytest
from tests.fuzz import target as fuzz_target
from tests.fuzz.conftest import Figures

RUNS = 500_000
LAST_LINE = re.compile(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)")
FIRST_LINE = re.compile(r"#\d+\s+INITED\s+cov: (\d+)")
PEAK = re.compile(r"stat::peak_rss_mb:\s+(\d+)")


def test_every_seed_is_read_or_is_a_problem() -> None:
    before = fuzz_target.outcomes.copy()
    for seed in fuzz_target.seeds(100):
        fuzz_target.try_one(seed)
    assert {"read", "not-json", "not-a-report", "wrong-answers"} <= (fuzz_target.outcomes - before).keys()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_half_a_million_inputs_that_look_for_new_code(figures: Figures) -> None:
    assert importlib.util.find_spec("atheris"), "Atheris is not installed: run make fuzz, which installs it"
    command = [sys.executable, "-m", "tests.fuzz.atheris_decoder", str(RUNS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    first, last, peak = (pattern.search(done.stderr) for pattern in (FIRST_LINE, LAST_LINE, PEAK))
    assert first is not None, done.stderr[-2000:]
    assert last is not None
    assert peak is not None
    found = {"coverage": f"{first[1]} to {last[2]}", "corpus": last[4], "crashes": 0, "peak memory": f"{peak[1]} MB"}
    figures("Atheris", int(last[1]), **found)
