"""The Python programs in the documents satisfy a strict type checker, as an app's own code would."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import hushpoll_client
from hushpoll_client import KeyValue, State

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/python-sdk.md")
# A cache of its own: the options differ from those of `make check`.
CACHE = ROOT / ".mypy_cache" / "examples"

NARROWING = """
from typing import assert_never
from hushpoll_client import AnyQuestionType, MultiChoice, Number, Option, Pair
from hushpoll_client import Part, Question, Scale, SingleChoice, YesNo

def by_name(question: Question) -> tuple[Option, ...]:
    return question.type.options if question.type.NAME == "single_choice" else ()

def by_class(of: AnyQuestionType) -> int | str | tuple[Option, ...] | tuple[Part, ...]:
    match of:
        case YesNo():
            return of.NAME
        case SingleChoice() | MultiChoice():
            return of.options
        case Scale():
            return of.min + of.max
        case Number():
            return of.min + of.max
        case Pair():
            return of.parts
    assert_never(of)
"""


def programs() -> dict[str, str]:
    """Return the blocks of Python that can be run as they are, by the name in their first line or by their place."""
    found = {"narrowing": NARROWING, "docstring": docstring_example()}
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for place, block in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)):
            name = re.match(r"# (\w+)\.py\n", block)
            found[name[1] if name else re.sub(r"\W", "_", f"{page}_{place}")] = block
    return found


def docstring_example() -> str:
    """Return the example at the top of the package."""
    lines = (hushpoll_client.__doc__ or "").splitlines()[2:]
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    ") or not line))


def check(code: dict[str, str], folder: Path) -> str:
    """Check all programs at once; return what the type checker says about them."""
    for name, text in code.items():
        # FastAPI is not among what tests need: what it decorates is checked, its own types are not.
        allowed = "# mypy: disable-error-code=import-not-found, allow-untyped-decorators\n" if "fastapi" in name else ""
        (folder / f"{name}.py").write_text(allowed + text, encoding="utf-8")
    options = ["--strict", "--config-file=", f"--cache-dir={CACHE}"]
    command = [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in code)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_every_program_in_the_documents_passes_a_strict_type_checker(tmp_path: Path) -> None:
    code = programs()
    assert {"docstring", "fastapi_app", "flask_app", "narrowing", "rows"} < code.keys()
    assert check(code, tmp_path).startswith("Success: no issues")


@pytest.mark.parametrize("protocol", [State, KeyValue])
def test_every_method_of_a_protocol_is_documented_with_what_it_must_keep(protocol: type) -> None:
    rows = re.findall(
        r"^\| (`\w+\(.*?) \| .+ \|$", (ROOT / "docs/python-sdk.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    documented = {name for row in rows for name in re.findall(r"`(\w+)\(", row)}
    assert {
        name for name, value in vars(protocol).items() if inspect.isfunction(value) and name[0] != "_"
    } <= documented


def test_the_transport_of_the_page_is_that_of_the_sdk(tmp_path: Path) -> None:
    [written] = [code for code in programs().values() if "class Transport(Protocol)" in code]
    both = "import hushpoll_client\n\ndef check(one: Transport, other: hushpoll_client.Transport) -> None:\n"
    same = "    first: hushpoll_client.Transport = one\n    second: Transport = other\n"
    assert check({"transport": written + both + same}, tmp_path).startswith("Success")


@pytest.mark.parametrize(
    ("was", "wrong"),
    [
        ('"single_choice"', '"scale"'),
        ("        case Pair():\n            return of.parts\n", ""),
        ("case SingleChoice() | MultiChoice()", "case SingleChoice() | YesNo()"),
    ],
    ids=["another name", "a type left out", "another class"],
)
def test_a_type_that_does_not_have_it_is_found(tmp_path: Path, was: str, wrong: str) -> None:
    assert was in NARROWING
    assert "error:" in check({"narrowing": NARROWING.replace(was, wrong)}, tmp_path)
