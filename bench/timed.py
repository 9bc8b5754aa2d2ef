"""Run a command on a file, discard its output, and print how long it took and its peak memory.

A separate program, because the system counts the memory of the parent in the peak of its child, and this one is small.
It loads the standard library only and runs as `python -I -S bench/timed.py INPUT COMMAND…`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time


def main() -> int:
    """Run the command and print one JSON object."""
    input_file, *command = sys.argv[1:]
    began = time.perf_counter()
    with open(input_file, "rb") as answers:  # noqa: PTH123 (pathlib would double this program's memory)
        done = subprocess.run(command, stdin=answers, stdout=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # Linux counts in kilobytes, macOS in bytes.
    print(json.dumps({"seconds": seconds, "peak": peak * (1 if sys.platform == "darwin" else 1024)}))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
