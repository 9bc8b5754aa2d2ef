"""The one script of the respondent's page: what runs is what lies in the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from hushpoll_server.paths import script_folder
from hushpoll_server.respond import joined
from hushpoll_server.respond.joined import Code, form_script, join, modules

GOAL_BYTES, ROOM_BYTES = 20_000, 1_000
SOURCES = {module.path: (script_folder() / module.path).read_text(encoding="utf-8") for module in modules()}
LINES = form_script().plain.decode().splitlines()

Write = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Join modules that the test writes; the last one is the first to be run."""
    monkeypatch.setattr(joined, "script_folder", lambda: tmp_path)

    def write(**sources: str) -> str:
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return join(modules(PurePosixPath(f"{list(sources)[-1]}.js"))).plain.decode()

    return write


def test_the_script_has_room_below_20_kilobytes_with_every_question_and_every_mechanism() -> None:
    assert form_script().packed_size <= GOAL_BYTES - ROOM_BYTES
    mechanisms = {path.name for path in (script_folder() / "src" / "designs").glob("*.js")}
    assert mechanisms <= {module.name for module in SOURCES}


def test_every_line_is_a_line_of_a_module_without_its_types() -> None:
    given = {_bare(line) for source in SOURCES.values() for line in source.splitlines()}
    names = {f"// client/js/{module}" for module in SOURCES}
    assert [line for line in LINES if _bare(line) not in given | names] == []


def _bare(line: str) -> str:
    return re.sub(r"/\*\* @.*?\*/ ?", "", line).removeprefix("export ")


def test_every_line_that_does_something_is_there_in_its_order() -> None:
    for module, source in SOURCES.items():
        code = re.sub(r"/\*\*(?:(?!\*/).)*@.*?\*/ ?", "", source, flags=re.DOTALL)
        code = re.sub(r"^import[^;]*;$", "", code, flags=re.MULTILINE)
        code = re.sub(r"^export ", "", code, flags=re.MULTILINE)
        start = LINES.index(f"// client/js/{module}")
        rest = iter(LINES[start:])
        missing = [line for line in code.splitlines() if line.strip() and not any(line == found for found in rest)]
        assert missing == [], module


def test_a_module_stands_after_all_that_it_imports() -> None:
    order = [line for line in LINES if line.startswith("// client/js/")]
    for module in modules():
        for needed in module.imports:
            assert order.index(f"// client/js/{needed}") < order.index(f"// client/js/{module.path}"), module.path


def test_nothing_is_loaded_later_and_nothing_has_a_second_name() -> None:
    assert [line for line in LINES if line.startswith(("import", "export"))] == []
    for module, source in SOURCES.items():
        code = re.sub(r"/\*\*.*?\*/", "", source, flags=re.DOTALL)
        assert not re.search(r"\bimport\s*\(|\bimport\.meta\b|^export (default|\{|\*)", code, re.MULTILINE), module
        for statement in re.findall(r"^import[^;]*;", code, re.MULTILINE):
            assert not re.search(r"\*| as ", statement), module


# A name that two modules declare is a syntax error in a module.
def test_node_accepts_it_as_one_module(tmp_path: Path) -> None:
    assert _check(tmp_path, form_script().plain) == ""
    assert "has already been declared" in _check(tmp_path, form_script().plain + b"const HushpollError = 1;\n")


def _check(folder: Path, script: bytes) -> str:
    node = shutil.which("node")
    assert node
    (folder / "form.mjs").write_bytes(script)
    run = subprocess.run([node, "--check", folder / "form.mjs"], capture_output=True, text=True, check=False)
    return run.stderr


def test_it_can_stand_inside_a_page() -> None:
    assert not re.search(rb"</script|<!--", form_script().plain, re.IGNORECASE)


def test_imports_exports_and_types_are_left_out_and_reasons_stay(written: Write) -> None:
    script = written(
        low='/** What it is for. */\n\n// The reason.\nexport const low = 1;\nexport async function go() {}\n',
        high=(
            'import {\n  go,\n  low,\n} from "./low.js";\nimport "./low.js";\n\n\n'
            "/**\n * @param {number} x\n */\nexport class High {\n  /** @type {number} */ field = low;\n"
            "  other = /** @type {any} */ (go); /** @see low */\n}\n"
        ),
    )  # fmt: skip
    assert script == (
        "// client/js/low.js\n/** What it is for. */\n\n// The reason.\nconst low = 1;\nasync function go() {}\n"
        "\n// client/js/high.js\nclass High {\n  field = low;\n  other = (go); \n}\n"
    )


def test_a_changed_module_gives_a_new_script(written: Write, tmp_path: Path) -> None:
    written(low="first();\n", high='import "./low.js";\n')
    first = join(modules(PurePosixPath("high.js")))
    assert join(modules(PurePosixPath("high.js"))) is first
    (tmp_path / "low.js").write_text("second();\n")
    os.utime(tmp_path / "low.js", ns=(1, 1))
    assert b"second" in join(modules(PurePosixPath("high.js"))).plain


def test_the_fingerprint_is_the_one_that_browsers_compute() -> None:
    script = Code(b"alert('Hello, world.');")
    assert script.integrity == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
    assert script.packed == Code(b"alert('Hello, world.');").packed


def test_the_sizes_are_printed() -> None:
    run = subprocess.run([sys.executable, "-m", joined.__name__], capture_output=True, text=True, check=True)
    assert f"{form_script().packed_size:,} {form_script().size:,} plain, packed" in run.stdout
    assert "form/main.js" in run.stdout
