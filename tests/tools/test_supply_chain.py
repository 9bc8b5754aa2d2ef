"""What the set-up fetches is what was pinned, or it is not installed; a release is listed and can be repeated."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bootstrap
import pytest
import release
import sbom
from packaging.requirements import Requirement

from hushpoll_server.respond.release import files
from hushpoll_shared.words import known

CONSTRAINTS = bootstrap.CONSTRAINTS.read_text()
SECTIONS = ("build", "server", "dev", "fuzz", "node")


def test_every_package_is_pinned_with_the_hashes_of_its_files() -> None:
    for section in SECTIONS:
        blocks = re.split(r"\n(?=\S)", bootstrap.section_of_constraints(section).strip())
        for block in blocks:
            assert re.fullmatch(r"[\w.-]+==[^\s;]+( ; [^\\]+?)?( \\\n    --hash=sha256:[0-9a-f]{64})+", block), block
    assert all(
        re.fullmatch(r"sha512-[\w+/]{86}==", value) for value in json.loads(bootstrap.INTEGRITY.read_text()).values()
    )


def test_no_list_of_hashes_names_a_registry() -> None:
    for file in (bootstrap.CONSTRAINTS, bootstrap.INTEGRITY):
        assert not re.search(r"https?:|index-url|find-links|resolved", file.read_text()), file


def test_whatever_the_project_and_its_checks_need_is_pinned() -> None:
    project = tomllib.loads((bootstrap.ROOT / "pyproject.toml").read_text())["project"]
    extras = (project["optional-dependencies"][name] for name in ("analysis", "postgres", *bootstrap.EXTRAS))
    wanted = [Requirement(text) for text in (*project["dependencies"], *(item for extra in extras for item in extra))]
    pinned = {bootstrap.normal(name) for name in re.findall(r"^([\w.-]+)==", CONSTRAINTS, re.MULTILINE)}
    assert {bootstrap.normal(requirement.name) for requirement in wanted} - {"hushpoll"} <= pinned


def make_wheel(folder: Path, content: str) -> str:
    """Make a package as a registry would offer it; return its hash."""
    path = folder / "pinned_example-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("pinned_example.py", content)
        wheel.writestr(
            "pinned_example-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pinned-example\nVersion: 1.0\n"
        )
        wheel.writestr(
            "pinned_example-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("pinned_example-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the set-up's pip read one folder only, and install into another; pin the good package."""
    good = make_wheel(tmp_path, "honest = True")
    (tmp_path / "constraints.txt").write_text(f"# [build]\npinned-example==1.0 \\\n    --hash=sha256:{good}\n")
    names = {"CONSTRAINTS": tmp_path / "constraints.txt", "PIP_LOG": tmp_path / "pip.log", "TOOLS": tmp_path}
    for name, value in names.items():
        monkeypatch.setattr(bootstrap, name, value)
    monkeypatch.setattr(bootstrap, "venv_python", lambda: Path(sys.executable))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "installed"))
    (tmp_path / "pip.log").touch()
    return tmp_path


def test_a_package_with_the_pinned_hash_is_installed(registry: Path) -> None:
    bootstrap.install_pinned(bootstrap.Progress(set()), "build")
    assert (registry / "installed" / "pinned_example.py").read_text() == "honest = True"


def test_a_package_that_a_registry_has_exchanged_under_its_version_is_not_installed(registry: Path) -> None:
    make_wheel(registry, "honest = False")
    with pytest.raises(bootstrap.SetupError, match="not the one that was pinned"):
        bootstrap.install_pinned(bootstrap.Progress(set()), "build")
    assert not (registry / "installed").exists()


def npm_installed(folder: Path, package: str, **about: object) -> Path:
    """Write what npm records about a package that it has installed."""
    name, _, version = package.rpartition("@")
    noted = {"packages": {f"node_modules/{name}": {"version": version, **about}}}
    folder.mkdir()
    (folder / ".package-lock.json").write_text(json.dumps(noted))
    return folder


def test_an_npm_package_that_a_registry_has_exchanged_is_removed_before_it_is_run(tmp_path: Path) -> None:
    [(package, integrity), *_] = json.loads(bootstrap.INTEGRITY.read_text()).items()
    bootstrap.check_npm_packages(npm_installed(tmp_path / "good", package, integrity=integrity))
    exchanged = npm_installed(tmp_path / "bad", package, integrity="sha512-" + "A" * 86 + "==")
    with pytest.raises(bootstrap.SetupError, match=r"not what npm-integrity\.json lists"):
        bootstrap.check_npm_packages(exchanged)
    assert not exchanged.exists()


def test_an_npm_package_that_is_not_listed_is_refused_unless_it_is_a_program_for_one_platform(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(bootstrap.SetupError):
        bootstrap.check_npm_packages(npm_installed(tmp_path / "new", "left-pad@1.0.0", integrity="sha512-x"))
    bootstrap.check_npm_packages(npm_installed(tmp_path / "mac", "@x/mac@1", optional=True, os=["darwin"]))
    assert "Not checked: @x/mac@1" in capsys.readouterr().out


def test_an_archive_with_a_browser_that_was_exchanged_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, integrity = tmp_path / "browser.tgz", tmp_path / "integrity.json"
    honest = "sha512-" + base64.b64encode(hashlib.sha512(b"honest").digest()).decode()
    integrity.write_text(json.dumps({"browser@1": honest}))
    monkeypatch.setattr(bootstrap, "INTEGRITY", integrity)
    for content in (b"honest", b"exchanged"):
        # Only the registry is simulated: everything else is real.
        monkeypatch.setattr(bootstrap, "npm", lambda *_, cwd, content=content: archive.write_bytes(content))
        if content == b"honest":
            assert bootstrap.fetch_npm_archive("browser@1", tmp_path) == archive
    with pytest.raises(bootstrap.SetupError, match=r"not what npm-integrity\.json lists"):
        bootstrap.fetch_npm_archive("browser@1", tmp_path)
    assert not archive.exists()


def test_the_bill_of_materials_names_what_is_pinned_and_what_browsers_load() -> None:
    bill = sbom.bill()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    packages = {item["name"]: item["version"] for item in bill["components"] if item["type"] == "library"}
    pinned = bootstrap.section_of_constraints("server")
    for name, version in packages.items():
        assert f"{bootstrap.normal(name)}=={version}" in pinned or f"{name.lower()}=={version}" in pinned, name
    assert {"cryptography", "Flask", "numpy", "SQLAlchemy"} <= packages.keys()
    required = {item["name"] for item in bill["components"] if item.get("scope") == "required"}
    assert {"click", "cryptography"} <= required < packages.keys()
    loaded = {item["name"]: item["hashes"][0]["content"] for item in bill["components"] if item["type"] == "file"}
    assert loaded == {path: code.sha256 for path, code in files().items()}
    references = {item["bom-ref"] for item in (*bill["components"], bill["metadata"]["component"])}
    assert {other for item in bill["dependencies"] for other in (item["ref"], *item["dependsOn"])} <= references


def test_the_same_sources_give_the_same_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for folder in ("first", "second"):
        command = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path / folder)]
        subprocess.run(command, cwd=bootstrap.ROOT, check=True, capture_output=True)
    first, second = (release.checksums(tmp_path / folder) for folder in ("first", "second"))
    assert first == second
    assert first.count("\n") == 2


TELL = """
import hushpoll_shared.words.languages as languages
from hushpoll_shared.words import interface, known
from hushpoll_shared.mechanisms import DESIGNS
print(languages.__file__, *(tag for tag in known() if set(interface(tag).mechanisms) == set(DESIGNS)))
"""


def test_what_is_installed_from_a_wheel_has_the_words_of_every_language_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=bootstrap.ROOT, check=True, capture_output=True)
    [path] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        assert [name for name in wheel.namelist() if name.endswith("/de.js")] == ["hushpoll_shared/js/words/de.js"]
        wheel.extractall(tmp_path / "installed")
    alone = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    run = subprocess.run([sys.executable, "-c", TELL], cwd=tmp_path, env=alone, check=True, capture_output=True)
    file, *tags = run.stdout.decode().split()
    assert Path(file).is_relative_to(tmp_path / "installed")
    assert tuple(tags) == known()


def test_the_npm_package_does_not_depend_on_the_umask_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "module.js").write_text("")
    (tmp_path / "program.mjs").write_text("")
    for name, mode in (("module.js", 0o600), ("program.mjs", 0o700)):
        (tmp_path / name).chmod(mode)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "output", lambda *_: "module.js\nprogram.mjs\n")
    before = os.umask(0o077)
    try:
        release.set_usual_modes()
        (tmp_path / "made.d.ts").write_text("")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("module.js", "program.mjs", "made.d.ts")] == [
        0o644,
        0o755,
        0o644,
    ]
