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

from hushpoll_server.respond import bundle
from hushpoll_server.respond.bundle import Code, form_script, join, modules
from hushpoll_shared.scripts import script_folder

GOAL_BYTES, ROOM_BYTES = 20_000, 400
SOURCES = {module.path: (script_folder() / module.path).read_text(encoding="utf-8") for module in modules()}
LINES = form_script().plain.decode().split("\n")

_BLOCK_COMMENT = re.compile(r"/\*.*?\*/[ ]?", re.DOTALL)
_LINE_COMMENT = re.compile(r"(?:^|(?<=[ ]))// .*$", re.MULTILINE)
_IMPORT = re.compile(r"^import[^;]*;$", re.MULTILINE)

Write = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Join modules that the test writes; the last one is the first to be run."""
    monkeypatch.setattr(bundle, "script_folder", lambda: tmp_path)

    def write(**sources: str) -> str:
        for name, source in sources.items():
            (tmp_path / f"{name}.js").write_text(source, encoding="utf-8")
        return join(modules(PurePosixPath(f"{list(sources)[-1]}.js"))).plain.decode()

    return write


def test_the_script_has_room_below_20_kilobytes_with_every_question_and_every_mechanism() -> None:
    assert form_script().packed_size <= GOAL_BYTES - ROOM_BYTES
    rooms = ("mechanisms", "question_types")
    homes = {
        PurePosixPath("src", room, path.name) for room in rooms for path in (script_folder() / "src" / room).glob("*")
    }
    assert len(homes) > 20
    assert homes <= set(SOURCES)


def test_it_is_the_lines_of_all_modules_without_their_comments_in_their_order_and_nothing_else() -> None:
    lines = [line for source in SOURCES.values() for line in _code_lines(source)]
    assert [line for line in LINES if line] == lines


def _code_lines(source: str) -> list[str]:
    """Leave comments out by a rule that is simpler than the joiner's, and that all modules keep: see the next test."""
    code = _IMPORT.sub("", _LINE_COMMENT.sub("", _BLOCK_COMMENT.sub(_hollow, source)))
    lines = (line.removeprefix("export ").strip() for line in code.split("\n"))
    return [line for line in lines if line]


def _hollow(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")


def test_no_comment_is_left_and_nothing_that_looks_like_one_is_in_a_text_or_a_regular_expression() -> None:
    assert [line for line in LINES if _LINE_COMMENT.search(line) or _BLOCK_COMMENT.search(line)] == []
    assert [line for line in LINES if "//" in line or "/*" in line] == []


def test_a_module_stands_after_all_that_it_imports() -> None:
    order = [module.path for module in modules()]
    for module in modules():
        assert all(order.index(needed) < order.index(module.path) for needed in module.imports), module.path


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


def test_imports_exports_and_comments_are_left_out(written: Write) -> None:
    script = written(
        low='/** What it is for. */\n\n// The reason.\nexport const low = 1; // one\nexport async function go() {}\n',
        high=(
            'import {\n  go,\n  low,\n} from "./low.js";\nimport "./low.js";\n\n\n'
            "/**\n * @param {number} x\n */\nexport class High {\n  /** @type {number} */ field = low;\n"
            "  other = /** @type {any} */ (go); /** @see low */\n  // The last word.\n}\n"
        ),
    )  # fmt: skip
    assert script == ("const low = 1;\nasync function go() {}\n\nclass High {\nfield = low;\nother = (go);\n}\n")


# Each line, and what is left of it: what only looks like a comment stays.
TRICKY = {
    'const a = "https://example.org"; // a link': 'const a = "https://example.org";',
    "const b = '/* not */'; /* but this */": "const b = '/* not */';",
    r'const c = "\"// still"; // c': r'const c = "\"// still";',
    "const d = `// ${a /* gap */ + `/* ${b} // */`} //`; // d": "const d = `// ${a + `/* ${b} // */`} //`;",
    "const e = `${{ f: { g: 1 } }.f.g}//`; // e": "const e = `${{ f: { g: 1 } }.f.g}//`;",
    r"const h = /[/*]\/\//u.test(a); // h": r"const h = /[/*]\/\//u.test(a);",
    r"const i = a.replace(/\/\*/g, '//'); /* i */": r"const i = a.replace(/\/\*/g, '//');",
    "const j = [4 / 2 / 1, (4) / 2 /* j */ / 1]; // 2 / 1": "const j = [4 / 2 / 1, (4) / 2 / 1];",
    'const k = (() => { return /"\\/"/ /* k */; })();': 'const k = (() => { return /"\\/"/ ; })();',
    r"const l = `\`// ${`}//`} \${//}`; // l": r"const l = `\`// ${`}//`} \${//}`;",
    "const m = 1 /* over\ntwo lines */\nconst n = 2": "const m = 1\nconst n = 2",
    "const o = `first\n\n\n\n// fourth`; // o": "const o = `first\n\n\n\n// fourth`;",
    "const q = [\n  1, // one\n  2,\n];": "const q = [\n1,\n2,\n];",
    "const r = `first\n  second`; // r": "const r = `first\n  second`;",
    "const p = `import q from 'q';\nexport q;`; /* p */": "const p = `import q from 'q';\nexport q;`;",
}


@pytest.mark.parametrize(("line", "left"), TRICKY.items())
def test_what_only_looks_like_a_comment_stays(written: Write, line: str, left: str) -> None:
    assert written(tricky=f"{line}\n") == f"{left}\n"


def test_tricky_lines_mean_the_same_without_their_comments(written: Write, tmp_path: Path) -> None:
    source = "\n".join(TRICKY) + "\n"
    names = re.findall(r"^const (\w)", source, re.MULTILINE)
    shown = f"console.log(JSON.stringify([{', '.join(names)}].map(String)));\n"
    assert _run(tmp_path, written(tricky=source) + shown) == _run(tmp_path, source + shown) != ""


def test_a_script_that_cannot_be_read_is_an_error(written: Write) -> None:
    for source in ("const a = `open;\n", "const a = 'open;\n", "const a = `${`open`;\n"):
        with pytest.raises(ValueError, match="a script cannot be read"):
            written(broken=source)


def _run(folder: Path, script: str) -> str:
    node = shutil.which("node")
    assert node
    (folder / "tricky.mjs").write_text(script, encoding="utf-8")
    return subprocess.run([node, folder / "tricky.mjs"], capture_output=True, text=True, check=True).stdout


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
    run = subprocess.run([sys.executable, "-m", bundle.__name__], capture_output=True, text=True, check=True)
    assert f"{form_script().packed_size:,} {form_script().size:,} plain, packed" in run.stdout
    assert "form/main.js" in run.stdout
