"""Build a release into dist/: sdist, wheel, npm package, what browsers load, the bill of materials, and SHA256SUMS.

The rule here: the same commit gives the same bytes, on every machine with the same pinned tools. Times are those of the
commit; uncommitted changes are refused.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from hushpoll_server.respond.release import files

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SUMS = "SHA256SUMS"


def main() -> int:
    """Build everything and print the checksums."""
    if changes := output("git", "status", "--porcelain"):
        print(f"Commit or remove these first; a release is built from a commit:\n{changes}", file=sys.stderr)
        return 1
    os.environ["SOURCE_DATE_EPOCH"] = output("git", "log", "-1", "--format=%ct").strip()
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    build()
    sums = checksums(DIST)
    (DIST / SUMS).write_text(sums)
    print(sums, end="")
    return 0


def build() -> None:
    """Build every file of the release."""
    output(sys.executable, "-m", "hatchling", "build", "--directory", str(DIST))
    set_usual_modes()
    output("npm", "pack", "--silent", "--pack-destination", str(DIST), cwd=ROOT / "client" / "js")
    for path, code in files().items():
        (DIST / Path(path).name).write_bytes(code.plain)
    (DIST / "sbom.cdx.json").write_text(output(sys.executable, str(ROOT / "tools" / "sbom.py")))


def set_usual_modes() -> None:
    """Set the modes of committed files, and of those made from now on, that npm packs on every other machine."""
    os.umask(0o022)
    for name in output("git", "ls-files").splitlines():
        path = ROOT / name
        path.chmod(0o755 if os.access(path, os.X_OK) else 0o644)


def checksums(folder: Path) -> str:
    """Return the hashes of all files as sha256sum writes and checks them."""
    files = sorted(path for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def output(*command: str, cwd: Path = ROOT) -> str:
    """Run a program and return what it prints."""
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
