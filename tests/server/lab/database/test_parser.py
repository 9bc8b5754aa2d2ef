"""The grammar is all that can be asked; everything else is refused with its place and a cure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushpoll_server.lab.database.parser import DEEPEST_QUERY, LONGEST_QUERY, MOST_VALUES, QueryRefused, parse


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("select count(*)", "SELECT COUNT(*)"),
        ("SELECT COUNT ( * ) FROM Data ;", "SELECT COUNT(*)"),
        ("Select Sum(income) from data", "SELECT SUM(income)"),
        ('SELECT AVG("net income")', 'SELECT AVG("net income")'),
        ('SELECT HISTOGRAM("count")', 'SELECT HISTOGRAM("count")'),
        ("SELECT MOST COMMON Stadt", "SELECT MOST COMMON Stadt"),
        ("select count(*) where a<>1", "SELECT COUNT(*) WHERE a != 1"),
        (
            "select count(*) where a=1 and b>=-2.5 or c<1e3",
            "SELECT COUNT(*) WHERE ((a = 1) AND (b >= -2.5)) OR (c < 1e3)",
        ),
        ("select count(*) where a=1 and (b=2 or c=3)", "SELECT COUNT(*) WHERE (a = 1) AND ((b = 2) OR (c = 3))"),
        ("select count(*) where not a in ('x', 'it''s')", "SELECT COUNT(*) WHERE NOT (a IN ('x', 'it''s'))"),
        ("select count(*) where a not between 1 and 2", "SELECT COUNT(*) WHERE NOT (a BETWEEN 1 AND 2)"),
        ("select count(*) where größe > 1", "SELECT COUNT(*) WHERE größe > 1"),
    ],
)
def test_what_the_grammar_has_is_read_and_its_one_spelling_reads_the_same(text: str, spelling: str) -> None:
    query = parse(text)
    assert str(query) == spelling
    assert str(parse(spelling)) == spelling


@pytest.mark.parametrize(
    ("text", "place", "cure"),
    [
        ("", 1, "a query starts with"),
        ("DELETE FROM data", 1, "a query starts with"),
        ("SELECT *", 8, "only this can be asked"),
        ("SELECT income", 8, "only this can be asked"),
        ("SELECT MAX(income)", 8, "only this can be asked"),
        ("SELECT COUNT(income)", 14, "write COUNT"),
        ("SELECT COUNT(DISTINCT income)", 14, "write COUNT"),
        ("SELECT SUM(income/0)", 18, "not understood"),
        ("SELECT SUM(sqrt(income))", 16, "write SUM"),
        ("SELECT SUM(income), COUNT(*)", 19, "should end here"),
        ("SELECT COUNT(*) FROM people", 22, "FROM data"),
        ("SELECT COUNT(*) FROM", 21, "FROM data"),
        ("SELECT COUNT(*) FROM data, data", 26, "should end here"),
        ("SELECT COUNT(*); SELECT COUNT(*)", 18, "should end here"),
        ("SELECT COUNT(*) GROUP BY city", 17, "should end here"),
        ("SELECT COUNT(*) -- a comment", 17, "not understood"),
        ("SELECT COUNT(*) WHERE", 22, "name of a column"),
        ("SELECT COUNT(*) WHERE a", 24, "compare by"),
        ("SELECT COUNT(*) WHERE a LIKE 'x%'", 25, "compare by"),
        ("SELECT COUNT(*) WHERE a IS NULL", 25, "compare by"),
        ("SELECT COUNT(*) WHERE a = b", 27, "number such as"),
        ("SELECT COUNT(*) WHERE 1 = 1", 23, "name of a column"),
        ("SELECT COUNT(*) WHERE a = NULL", 27, "number such as"),
        ("SELECT COUNT(*) WHERE a = NaN", 27, "number such as"),
        ("SELECT COUNT(*) WHERE a = 1e", 27, "not a number"),
        ("SELECT COUNT(*) WHERE a = 0x10", 27, "not a number"),
        ("SELECT COUNT(*) WHERE a = ١", 27, "not a number"),
        ("SELECT COUNT(*) WHERE a = 'x", 27, "not understood"),
        ("SELECT COUNT(*) WHERE a IN ()", 29, "number such as"),
        ("SELECT COUNT(*) WHERE a IN (SELECT 1)", 29, "number such as"),
        ("SELECT COUNT(*) WHERE a BETWEEN 1, 2", 34, "write BETWEEN"),
        ("SELECT COUNT(*) WHERE (a = 1", 29, "bracket is open"),
        ("SELECT COUNT(*) WHERE a = 1)", 28, "should end here"),
        ("SELECT COUNT(*) WHERE a NOT 1", 29, "after NOT"),
        ("SELECT COUNT(*) WHERE and = 1", 23, "name of a column"),
        ("SELECT COUNT(*) WHERE a = 1 WHERE b = 2", 29, "should end here"),
    ],
)
def test_everything_else_is_refused_with_its_place(text: str, place: int, cure: str) -> None:
    with pytest.raises(QueryRefused, match=cure) as refused:
        parse(text)
    assert str(refused.value).startswith(f"character {place} of the query: ")


def test_length_depth_and_values_are_bounded() -> None:
    start = "SELECT COUNT(*) WHERE "
    deep = "(" * DEEPEST_QUERY + "a = 1" + ")" * DEEPEST_QUERY
    assert str(parse(start + deep)) == start + "a = 1"
    for text in (f"({deep})", "NOT " * (DEEPEST_QUERY + 1) + "a = 1"):
        with pytest.raises(QueryRefused, match="nested 30 deep"):
            parse(start + text)
    with pytest.raises(QueryRefused, match="500 values"):
        parse(f"{start}a IN ({','.join('1' * (MOST_VALUES + 1))})")
    with pytest.raises(QueryRefused, match="4000 characters"):
        parse(start.ljust(LONGEST_QUERY + 1))


PIECES = ("SELECT", "COUNT", "(", "*", ")", "WHERE", "a", "=", "1", "'", '"', "AND", "NOT", "IN", ";", ",")


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        query = parse(text)
    except QueryRefused:
        return
    assert str(parse(str(query))) == str(query)
