"""The documents are true: what exists is documented, and what they name exists.

Settings are compared with their page by tests/server/test_settings.py.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from sqlmodel import SQLModel
from tests.vectors.read import vectors

from hushpoll_client.cli import main
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_server.app import create_app
from hushpoll_server.compile.definition import QUESTION_KEYS, SURVEY_KEYS, DefinitionError, compile_survey
from hushpoll_server.settings import Settings
from hushpoll_shared import problems
from hushpoll_shared.mechanisms import DESIGNS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), ROOT / "client" / "js" / "README.md"])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
# A path in backquotes that starts in a folder of the repository, perhaps with the name of a test.
NAMED = re.compile(r"`((?:bench|client|docs|server|shared|templates|tests|tools)/[\w./-]*)(?:::(\w+))?`")
# Where a document names a module by its short path, it lies in one of these.
PACKAGES = (ROOT / "server" / "hushpoll_server", ROOT / "client" / "hushpoll_client", ROOT / "shared")
ROOMS = sorted(path.parent.name for path in PACKAGES[0].glob("*/__init__.py"))
SHORT = re.compile(rf"`((?:{'|'.join(ROOMS)}|form|hushpoll_client|hushpoll_shared|js|question_types)/[\w./]+)`")
SHORT_ROOTS = (*PACKAGES, ROOT / "client", ROOT / "client" / "js", ROOT / "shared" / "hushpoll_shared")
# k-anonymity is the name of a defence that the lab attacks.
TOO_MUCH = re.compile(r"(?<![k\d][-_])anonym|guarantee|military|\bfake|noise is added", re.IGNORECASE)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def commands(group: click.Group = main, path: str = "hushpoll") -> Iterator[tuple[str, click.Command]]:
    """Return every command that somebody can type, with its full name."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def section(page: str, heading: str) -> str:
    """Return the part of a page below a heading of the second level."""
    [_, after] = page.split(f"\n## {heading}\n", 1)
    return after.split("\n## ", 1)[0]


def test_every_command_and_every_option_is_documented() -> None:
    page = text_of(DOCS / "command-line.md")
    for name, command in commands():
        part = section(page, " ".join(name.split()[:2]))
        assert f"`{name}" in page, name
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        missing = [option for option in options if not re.search(rf"`{option}[ `]", part)]
        assert missing == [], name


def test_no_option_is_documented_that_does_not_exist() -> None:
    page = text_of(DOCS / "command-line.md")
    known = {"--help", "--version"}
    for _, command in commands():
        known |= {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"`(--[a-z-]+)", page)) <= known


def test_the_table_of_problems_is_the_closed_list() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \| (.+) \|$", text_of(DOCS / "http-api.md"), re.MULTILINE)
    assert sorted(rows) == sorted((problem.name, str(problem.status), problem.title) for problem in problems.ALL)


def test_every_page_and_call_is_documented_with_its_method(tmp_path: Path) -> None:
    app = create_app(Settings(home=tmp_path))
    app.extensions["hushpoll"].close()
    page = text_of(DOCS / "http-api.md")
    routes = {f"{method} {rule.rule}" for rule in app.url_map.iter_rules() for method in (rule.methods or ())}
    wanted = {route for route in routes if route.split()[0] not in ("HEAD", "OPTIONS")}
    assert wanted == set(re.findall(r"^\| `((?:GET|POST|PUT|DELETE|PATCH) [^`]+)`", page, re.MULTILINE))


def test_every_field_of_a_survey_file_is_documented() -> None:
    page = text_of(DOCS / "surveys.md")
    for heading, keys in (("Fields of a survey", SURVEY_KEYS), ("Fields of a question", QUESTION_KEYS)):
        assert tuple(re.findall(r"^\| `(\w+)` \|", section(page, heading), re.MULTILINE)) == keys


def test_the_example_stands_in_the_page_about_surveys() -> None:
    example = text_of(DOCS / "examples" / "campus-integrity.yaml").split("\n", 1)[1]
    assert f"```yaml\n{example}```" in text_of(DOCS / "surveys.md")


def test_lint_says_of_the_bad_example_what_the_page_says() -> None:
    [bad] = [block for block in blocks("surveys.md", "yaml") if "tekst" in block]
    with pytest.raises(DefinitionError) as refused:
        compile_survey(bad, "bad.yaml")
    assert f"{refused.value}\n" in blocks("surveys.md", "")


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page in this language."""
    # The end of one block looks like the start of another: all blocks are read in turn.
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text_of(DOCS / page), re.DOTALL | re.MULTILINE)
    return [text for kind, text in found if kind == language]


def test_every_column_of_the_server_is_documented() -> None:
    page = text_of(DOCS / "data-model.md")
    for name, table in SQLModel.metadata.tables.items():
        part = page.split(f"\n### {name}\n", 1)[1].split("\n### ", 1)[0]
        assert columns_in(part) == [column.name for column in table.columns], name


def test_every_column_of_a_device_is_documented(tmp_path: Path) -> None:
    SQLiteState(tmp_path / "state").close()
    page = text_of(DOCS / "data-model.md")
    state = sqlite3.connect(tmp_path / "state")
    for (name,) in state.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        part = page.split(f"\nTable `{name}`", 1)[1].split("\nTable `", 1)[0]
        assert columns_in(part) == [row[1] for row in state.execute(f"PRAGMA table_info({name})")], name
    state.close()


@pytest.mark.parametrize("name", sorted(DESIGNS))
def test_the_page_of_a_mechanism_says_what_is_on_the_wire(name: str) -> None:
    keys = list(vectors(name)["cases"][0]["mechanism"])[1:-2]
    on_the_wire = section(text_of(DOCS / "mechanisms" / f"{name}.md"), "On the wire")
    assert re.findall(r"^\| `(\w+)` \|", on_the_wire, re.MULTILINE) == keys
    assert "A draw is " in on_the_wire or "A draw has " in on_the_wire
    assert "Order of the bytes: " in on_the_wire
    assert "draw counts " in on_the_wire.replace("\n", " ")


def test_every_room_and_every_module_beside_the_rooms_is_in_the_architecture() -> None:
    rooms = section(text_of(DOCS / "architecture.md"), "Rooms")
    folders = [path.parent for path in (ROOT / "server" / "hushpoll_server").glob("*/__init__.py")]
    modules = [
        path
        for package in ("shared/hushpoll_shared", "client/hushpoll_client", "server/hushpoll_server")
        for path in (ROOT / package).glob("[!_]*.py")
    ]
    missing = [f"{folder.name}/" for folder in folders if f" {folder.name}/ " not in rooms]
    missing += [path.name for path in modules if not re.search(rf"[ `]{path.name}\b", rooms)]
    assert missing == []


def columns_in(part: str) -> list[str]:
    """Return the names in the first column of the first table."""
    lines = part.split("\n| column |", 1)[1].split("\n")[2:]
    return [re.findall(r"`(\w+)`", line)[0] for line in lines[: lines.index("")]]


def test_every_document_is_in_the_index() -> None:
    indexes = (DOCS / "README.md", DOCS / "mechanisms" / "README.md", DOCS / "lab" / "README.md")
    linked = {(index.parent / target).resolve() for index in indexes for target in LINK.findall(text_of(index))}
    assert {page for page in DOCS.rglob("*.md") if page.name != "README.md"} <= linked


@every_page
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(CODE.sub("", text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings as the usual viewers make them."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_every_path_and_every_test_that_is_named_exists(page: Path) -> None:
    text = text_of(page)
    for path, test in NAMED.findall(text):
        assert (ROOT / path).exists(), path
        assert not test or re.search(rf"^def {test}\(", text_of(ROOT / path), re.MULTILINE), test
    for path in SHORT.findall(text):
        assert any((root / path).exists() for root in SHORT_ROOTS), path


def test_every_invariant_points_to_tests() -> None:
    rows = re.findall(r"^\| (\d+) \| .+? \| (.+) \|$", text_of(DOCS / "threat-model.md"), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 13))
    assert all(NAMED.search(tests) for _, tests in rows)


@every_page
def test_no_document_names_a_place_that_is_not_for_everybody(page: Path) -> None:
    assert re.findall(r"/(?:root|work|home|tmp)/\w?|pypi\.|registry\.|npmjs", text_of(page)) == []


def test_no_text_of_the_product_promises_too_much() -> None:
    sources = [*(ROOT / "templates").rglob("*.*"), *(ROOT / "client" / "js" / "form").rglob("*.js"), *PAGES]
    sources += [*(ROOT / "server" / "hushpoll_server" / "commands").glob("*")]
    found = {
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in sources
        if file.is_file()
        for line in text_of(file).splitlines()
        if TOO_MUCH.search(line) and not says_what_is_not_said(line)
    }
    assert found == set()


def says_what_is_not_said(line: str) -> bool:
    """Return whether a line states the rule itself."""
    return "never says" in line or "do not promise" in line
