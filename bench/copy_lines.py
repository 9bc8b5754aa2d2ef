"""The floor of `hushpoll randomize` in Python: read each line as JSON, take the random bytes, write a line of JSON."""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Copy the lines of stdin to stdout."""
    for line in sys.stdin.buffer:
        answers = json.loads(line)
        draws = dict.fromkeys(answers, 1)
        report = {"v": 1, "id": os.urandom(16 + 8 * len(answers)).hex(), "answers": draws}
        sys.stdout.buffer.write(json.dumps(report, separators=(",", ":")).encode() + b"\n")


if __name__ == "__main__":
    main()
