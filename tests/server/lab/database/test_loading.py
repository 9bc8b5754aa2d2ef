"""A file is loaded whole, exactly and by what is declared, or refused with the line, the column and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.lab.database.tables import PEOPLE, SCHEMA, people, write

from hushpoll_server.lab.database import Schema, load
from hushpoll_shared.errors import InvalidValue


def codes(path: Path, schema: Schema, **options: object) -> list[list[int]]:
    return [list(column.codes) for column in load(path, schema, **options).columns]  # type: ignore[arg-type]


def test_cells_become_whole_numbers_that_are_clamped_and_rounded(tmp_path: Path) -> None:
    path = write(tmp_path, "x\n0.24\n0.26\n-7\n1e3\n+0.5\n007\n")
    schema = Schema.of(bounds={"x": "-1:2.5"}, step={"x": "0.5"})
    assert codes(path, schema) == [[0, 1, -2, 5, 1, 5]]


def test_the_step_follows_the_bounds_and_nothing_else(tmp_path: Path) -> None:
    for bounds, cell, steps in (("0:200000", "1", 10), ("0:1", "1", 10**6), ("0:0.00000025", "0.00000025", 25 * 10**5)):
        assert codes(write(tmp_path, f"x\n{cell}\n"), Schema.of(bounds={"x": bounds})) == [[steps]]


def test_a_copy_has_the_same_hash_and_a_change_another(tmp_path: Path) -> None:
    first = people(tmp_path)
    assert load(write(tmp_path, PEOPLE, "copy.csv"), SCHEMA).hash == first.hash
    assert load(write(tmp_path, PEOPLE + "\n"), SCHEMA).hash != first.hash
    assert load(write(tmp_path, "\ufeff" + PEOPLE), SCHEMA).rows == first.rows == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a column has no name"),
        ("a,\n1,2\n", "a column has no name"),
        ("a,b,a\n1,2,3\n", "two columns have the same name"),
        ("a,a\u200b\n1,2\n", "two columns have the same name"),
        ("x,y\n1,2\n3\n", "line 3: there are 1 cells for 2 columns"),
        ("x,y\n1,2,3\n", "line 2: there are 3 cells for 2 columns"),
        ("x,y\n1,\n", "line 2: the cell of column y is missing: .* --missing drop"),
        ("x,y\n1,\u200b \n", "line 2: the cell of column y is missing"),
        ("x,y\nNaN,1\n", "line 2: the cell of column x is missing"),
        ("x,y\ninf,1\n", "line 2: the cell of column x is not a number"),
        ("x,y\n1_0,1\n", "line 2: the cell of column x is not a number"),
        ('x,y\n"1,1\n', "line 2: this is not CSV"),
        ("y\n1\n", "no column x as declared: the columns are y"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        load(write(tmp_path, text), Schema.of(bounds={"x": "0:9"}) if "x" in text or text == "y\n1\n" else Schema())


def test_a_cell_is_never_repeated(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue) as refused:
        load(write(tmp_path, "x\nsecret\n"), Schema.of(bounds={"x": "0:9"}))
    assert "secret" not in str(refused.value)
    with pytest.raises(InvalidValue, match="none of the declared categories") as refused:
        load(write(tmp_path, "x\nsecret\n"), Schema.of(categories={"x": "a,b"}))
    assert "secret" not in str(refused.value)


def test_other_encodings_and_endless_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"x\nK\xf6ln\n")
    with pytest.raises(InvalidValue, match="line 2: not text in UTF-8"):
        load(path, Schema())
    path.write_bytes(b"x\n" + b"1" * 1_500_000)
    with pytest.raises(InvalidValue, match="longer than 1000000 bytes"):
        load(path, Schema())
    path.write_bytes(b"x\n" + b"1" * 200_000)
    with pytest.raises(InvalidValue, match="not CSV"):
        load(path, Schema())


def test_dropping_looks_at_one_row_at_a_time(tmp_path: Path) -> None:
    schema = Schema.of(bounds={"x": "0:9"}, step={"x": "1"})
    path = write(tmp_path, "x,y\n1,NA\n,b\nna,b\n2,\n3,c\n\n")
    assert codes(path, schema, missing="drop") == [[1, 3], [0, 1]]


def test_a_file_without_rows_is_a_table(tmp_path: Path) -> None:
    assert load(write(tmp_path, "x,y\n"), Schema()).rows == 0


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ({"bounds": {"x": "5:1"}}, "column x: the lower bound must be below"),
        ({"bounds": {"x": "5"}}, "a lower and an upper bound"),
        ({"bounds": {"x": "0:nan"}}, "decimal numbers"),
        ({"bounds": {"x": "0:1e999"}}, "too fine"),
        ({"bounds": {"x": "0:1"}, "step": {"x": "0"}}, "above 0"),
        ({"bounds": {"x": "0:1"}, "step": {"x": "0.3"}}, "multiples of the step"),
        ({"bounds": {"x": "0:1"}, "step": {"x": "1e-13"}}, "too fine"),
        ({"bins": {"x": "0,1"}}, "a lower and an upper bound"),
        ({"bounds": {"x": "0:9"}, "bins": {"x": "0,5"}}, "edge of the bins must be the bounds"),
        ({"bounds": {"x": "0:9"}, "bins": {"x": "0,5,5,9"}}, "must rise"),
        ({"categories": {"x": "a,,b"}}, "none may be empty"),
        ({"categories": {"x": "a,b,a"}}, "must be different"),
        ({"categories": {"x": "a,b"}, "bounds": {"x": "0:1"}}, "either categories or bounds"),
        ({"categories": {"x": ",".join(map(str, range(1001)))}}, "more than 1000 groups"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused(declared: dict[str, dict[str, str]], reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        Schema.of(**declared)


def test_a_schema_file_says_the_same_as_the_options(tmp_path: Path) -> None:
    text = """\
columns:
  age: {bounds: "0:120", step: 1, bins: [0, 18, 65, 120]}
  debt: {bounds: "-2:1", step: 1}
  city: {categories: [Aachen, Bonn, Köln]}
"""
    assert Schema.read(write(tmp_path, text, "schema.yaml")) == SCHEMA


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("age: 1\n", "line 1: write columns:"),
        ("columns:\n  age: {bounds: '5:1'}\n", "line 2: column age: the lower bound"),
        ("columns:\n  age: {bonds: '0:1'}\n", "line 2: .*bounds, step, bins, categories"),
        ("columns: [", "line 1"),
    ],
)
def test_a_schema_file_that_is_wrong_names_the_line(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        Schema.read(write(tmp_path, text, "schema.yaml"))
