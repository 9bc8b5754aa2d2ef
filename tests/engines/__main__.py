"""Try the form in every engine that is installed, and say which were missing. Run by `make browsers`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from tests.engines.installed import ENGINES, Engine


def main(options: list[str]) -> int:
    """Run the sentences with options of pytest; return 1 if one does not hold, or if there is no engine to try."""
    absent = [missing for engine in ENGINES if (missing := engine.missing())]
    tried = [described(engine) for engine in ENGINES if not engine.missing()]
    print("\n".join([*absent, *(f"{engine} is tried." for engine in tried)]), flush=True)
    failed = bool(pytest.main(["tests/engines", "-m", "engines", "-v", *options])) if tried else True
    # Again, below everything that was printed meanwhile: nobody should believe that more was tried.
    print(f"Tried: {', '.join(tried) or 'no engine at all'}.", *absent, sep="\n", flush=True)
    return int(failed)


def described(engine: Engine) -> str:
    """Return the name and the version of an engine, after having started it."""
    with tempfile.TemporaryDirectory() as folder, engine.start(Path(folder)) as driver:
        return f"{engine.name} {driver.version}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
