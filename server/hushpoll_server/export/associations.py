"""The long table of associations: what the cross tables of a survey show, and how its public groups differ.

Of each table that counters hold (declared cross tables, and pairs) there are the margins, the shares of all pairs of
answers, row percentages with their differences and ratios, odds ratios, the test of independence, and the covariances
of all shares. The rule here: a figure stands as `hushpoll crosstab --json` and `hushpoll compare --json` print it, to
the digit; a covariance stands once, as the matrix is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hushpoll_server.analysis.comparison import QuestionComparison
from hushpoll_server.analysis.tables import Table
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio
from hushpoll_server.estimate.tables.three_way import ThreeWay
from hushpoll_server.export.columns import Column, Row, number, whole
from hushpoll_server.export.figures import GROUP_COLUMNS, Part
from hushpoll_server.export.margins import margin_of
from hushpoll_shared.manifest import Manifest

COLUMNS = (
    Column("survey", "the survey's name"),
    Column("manifest", "the id of the signed manifest that every report names"),
    Column("first", "the question in the rows of the table; of a pair, its first part"),
    Column("second", "the question in its columns; in a comparison of groups, the dimension"),
    Column(
        "kind",
        "row_margin, column_margin, cell, row_percentage, row_difference, row_ratio, odds_ratio, independence or "
        "covariance; of public groups: group_difference, group_ratio or group_test; of a number by groups: mean, "
        "mean_difference and mean_test; of three questions also third_margin",
    ),
    Column("row", "the answer to the first question, or a group"),
    Column("column", "the answer to the second question; in a comparison of groups, the answer that is compared"),
    Column("other_row", "the row, or the group, that `row` is compared with; the row of the other share"),
    Column("other_column", "the column that `column` is compared with; the column of the other share"),
    whole("n", "reports to both questions"),
    whole("count", "reports that support the answer of a margin, where one count has it"),
    number("estimate", "the share, percentage, difference, ratio or covariance; never clipped"),
    number("se", "its standard error; of an odds ratio or a ratio, as the page on estimation says"),
    number("low", "the lower limit of its interval"),
    number("high", "the upper limit of its interval"),
    number("statistic", "the statistic of a test"),
    whole("df", "the degrees of freedom of a test"),
    number("p_value", "the p-value of a test, or of a difference from none"),
    number("adjusted_p_value", "the p-value of a difference, adjusted for all differences of the table together"),
    number("level", "the confidence level"),
    Column("method", "the method of the limits"),
    Column("adjustment", "how p-values are adjusted"),
    *GROUP_COLUMNS,
    Column("third", "the third question, in a table of three"),
    Column("third_answer", "the answer to the third question within which the row holds"),
    number("margin", "the margin of error: half the width of the interval"),
)
_FIGURES = ("estimate", "se", "low", "high", "p_value", "adjusted_p_value")


def table_rows(part: Part, tables: Iterable[Crosstab]) -> Iterator[Row]:
    """Yield all that the tables of a part show."""
    for table in tables:
        assert table.names is not None, "a table of a survey has named questions"
        about = {**_about(part.manifest), "first": table.names[0], "second": table.names[1], "n": table.n}
        about |= {"level": table.level, "method": table.method, **part.group}
        yield from ({**about, **row} for row in _rows(table))


def any_table_rows(part: Part, table: Table) -> Iterator[Row]:
    """Yield all that a table of two or three questions shows, or the means of a number by groups."""
    if isinstance(table, Crosstab):
        yield from table_rows(part, [table])
        return
    about = {**_about(part.manifest), **part.group, "n": table.n, "level": table.level, "method": table.method}
    rows = _mean_rows(table) if isinstance(table, GroupMeans) else _three_way_rows(table)
    yield from ({**about, **row} for row in rows)


def _mean_rows(table: GroupMeans) -> Iterator[Row]:
    groups, number_ = table.names or ("", "")
    about = {"first": groups, "second": number_}
    for each in table.groups:
        yield {**about, "kind": "mean", "row": each.group, **_figures(each.mean.to_json())}
        yield {**about, "kind": "row_margin", "row": each.group, **_figures(each.share.to_json())}
    if table.overall is not None:
        yield {**about, "kind": "mean_test", **_test(table.overall)}
    for difference in table.differences:
        named = {"row": difference.first, "other_row": difference.second, "adjustment": table.adjustment}
        yield {**about, **named, "kind": "mean_difference", **_figures(difference.to_json())}


def _three_way_rows(table: ThreeWay) -> Iterator[Row]:
    first, second, third = table.names
    about = {"first": first, "second": second, "third": third}
    for (row, column, answer), figure in table.cells.items():
        named = {"row": row, "column": column, "third_answer": answer}
        yield {**about, **named, "kind": "cell", **_figures(figure.to_json())}
    places = (("row_margin", "row"), ("column_margin", "column"), ("third_margin", "third_answer"))
    for (kind, place), margin in zip(places, table.margins, strict=True):
        yield from ({**about, "kind": kind, place: each.name, **_figures(vars(each))} for each in margin)
    for within in table.within:
        rows = _related(within.to_json(), within.independence, within.odds_ratios)
        yield from ({**about, **row, "third_answer": within.answer} for row in rows)


def comparison_rows(manifest: Manifest, comparisons: Iterable[QuestionComparison]) -> Iterator[Row]:
    """Yield how the public groups of a dimension differ, question by question."""
    for comparison in comparisons:
        about = {**_about(manifest), "first": comparison.question, "second": comparison.by, "level": comparison.level}
        for cell, test in comparison.overall.items():
            if test is not None:
                yield {**about, "kind": "group_test", "column": cell, **_test(test)}
        for each in comparison.to_json()["differences"]:  # type: ignore[attr-defined] # a list of objects
            named = {"row": each["first"], "other_row": each["second"], "column": each["cell"]}
            yield from _compared({**about, **named, "adjustment": comparison.adjustment}, each, "group")


def _about(manifest: Manifest) -> Row:
    return {"survey": manifest.survey, "manifest": manifest.id}


def _rows(table: Crosstab) -> Iterator[Row]:
    figures: Row = dict(table.to_json())
    for margin, place in (("rows", "row"), ("columns", "column")):
        yield from ({"kind": f"{place}_margin", place: each["name"], **_counted(each)} for each in figures[margin])
    for each in figures["cells"]:
        yield {"kind": "cell", "row": each["row"], "column": each["column"], **_figures(each)}
    ratio = figures["odds_ratio"]
    if ratio is not None:
        places = {"row": table.rows[0], "other_row": table.rows[1]}
        places |= {"column": table.columns[0], "other_column": table.columns[1]}
        yield {"kind": "odds_ratio", **places, **_figures(ratio), "method": ratio["method"]}
    yield from _related(figures, table.independence, table.odds_ratios if ratio is None else ())
    yield from _covariances(table)


def _related(figures: Row, test: Independence | None, ratios: Iterable[OddsRatio]) -> Iterator[Row]:
    """Yield how the rows of a table are related to its columns."""
    if test is not None:
        yield {"kind": "independence", **_test(test)}
    for each in ratios:
        places = {"row": each.rows[0], "other_row": each.rows[1]}
        places |= {"column": each.columns[0], "other_column": each.columns[1]}
        yield {"kind": "odds_ratio", **places, **_figures(dict(each.ratio.to_json())), "method": each.ratio.method}
    method = {"method": figures.get("row_percentages_method")}
    for each_row in figures["row_percentages"]:
        place = {"row": each_row["row"], "column": each_row["column"]}
        yield {"kind": "row_percentage", **place, **_figures(each_row), **method}
    for difference in figures["differences"]:
        named = {"row": difference["first"], "other_row": difference["second"], "column": difference.get("column")}
        yield from _compared({**named, **method, "adjustment": figures["adjustment"]}, difference, "row")


def _compared(about: Row, each: Row, what: str) -> Iterator[Row]:
    yield {**about, "kind": f"{what}_difference", **_figures(each), **_method(each)}
    if (ratio := each["ratio"]) is not None:
        yield {**about, "kind": f"{what}_ratio", **_figures(ratio), **_method(ratio)}


def _covariances(table: Crosstab) -> Iterator[Row]:
    if table.covariances is None:
        return
    pairs = [(row, column) for row in table.rows for column in table.columns]
    for place, (row, column) in enumerate(pairs):
        for other in range(place, len(pairs)):
            places = {"row": row, "column": column, "other_row": pairs[other][0], "other_column": pairs[other][1]}
            # A covariance has no limits, and no method of its own.
            value = float(table.covariances[place, other])
            yield {"kind": "covariance", **places, "estimate": value, "level": None, "method": None}


def _counted(values: Row) -> Row:
    return {"count": values["count"], **_figures(values)}


def _figures(values: Row) -> Row:
    return {name: values.get(name) for name in _FIGURES} | margin_of(values)


def _method(values: Row) -> Row:
    return {"method": values["method"]} if "method" in values else {}


def _test(test: Independence) -> Row:
    # It holds at no level of its own, and has no limits.
    tested = {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value}
    return {**tested, "level": None, "method": None}
