"""Coverage-guided fuzzing by Atheris: `python -m tests.fuzz.atheris_decoder RUNS`.

Atheris has no wheel for every machine; `make fuzz` installs it, and `make test` never needs it. It keeps inputs that
reach new code and changes them further. A crash ends the program with a code that is not 0.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hushpoll_shared", "hushpoll_server.collect.body", "json"]):
    from tests.fuzz import target as fuzz_target

SEEDS = 200
LARGEST = 2048


def main(runs: int) -> None:
    """Fuzz from the seeds; Atheris prints its figures and ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(fuzz_target.seeds(SEEDS)):
            (Path(folder) / str(number)).write_bytes(seed[:LARGEST])
        limits = [f"-runs={runs}", f"-max_len={LARGEST}", "-timeout=5", "-rss_limit_mb=1024", "-seed=20261116"]
        options = ["-print_final_stats=1", f"-artifact_prefix={folder}/"]
        atheris.Setup([sys.argv[0], *limits, *options, folder], fuzz_target.try_one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(int(sys.argv[1]))
