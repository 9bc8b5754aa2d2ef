"""The long table of figures: a row for each cell, bin, quantile and mean, for each cell of a cross table.

The rule here: a figure stands in the table as `hushpoll estimate --json` prints it, to the digit. A column keeps its
place and its meaning; new ones are appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hushpoll_server.analysis.results import Results
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.export.columns import Column, Row, number, whole
from hushpoll_server.export.figures import GROUP_COLUMNS, Figures, Part
from hushpoll_server.export.margins import margins_in, margins_of, without_randomizing
from hushpoll_server.export.relations import cross_relation, pair_relation, relation_rows
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

COLUMNS = (
    Column("survey", "the survey's name"),
    Column("manifest", "the id of the signed manifest that every report names"),
    Column("question", "the question's id; in a cross table that of the first question"),
    Column("text", "the question's text"),
    whole("n", "reports to the question"),
    Column("cell", "the answer, quantile, edge or bin that the row is about; empty for a mean"),
    whole("count", "reports that support the answer"),
    number("estimate", "the estimate: unbiased and never clipped, so it may be below 0 or above 1"),
    number("se", "its standard error"),
    number("low", "the lower limit of its interval, not clipped"),
    number("high", "the upper limit of its interval, not clipped"),
    number("tidy", "the nearest possible value, for reading only"),
    number("level", "the confidence level"),
    Column("method", "the method of the limits; with a mean, that of the mean's limits"),
    whole("population", "the declared size of the population; empty if there is none"),
    Column("mechanism", "the design that randomizes the answers"),
    number("p", "the probability that a report supports an answer that is true"),
    number("q", "the probability that a report supports an answer that is not true"),
    number("epsilon", "what one respondent spends on the question; in a cross table, on both"),
    Column("coverage", "what the level holds for: pointwise, simultaneous or anytime"),
    Column("type", "the type of the question"),
    whole("asked", "reports that asked about this answer, if not all did"),
    number("from", "the lower end of a bin"),
    number("to", "the upper end of a bin, or the edge of a share below it"),
    number("price_of_privacy", "the fraction of the variance that the randomizing causes"),
    number("beta", "the share of made-up reports that the band allows for"),
    number("band_low", "the lower end of the band"),
    number("band_high", "the upper end of the band"),
    Column(
        "kind",
        "cell, mean, sd, quantile, below, bin, cross, or withheld for a group with too few reports; of pairs and cross "
        "tables also row_margin, column_margin, independence and odds_ratio",
    ),
    Column("second", "the second question of a cross table"),
    Column("second_cell", "the answer to the second question"),
    number("constrained_low", "the lower limit among possible shares, where the interval reaches beyond 0 or 1"),
    number("constrained_high", "the upper limit among possible shares"),
    *GROUP_COLUMNS,
    Column("label", "what people read for the answer"),
    Column("second_text", "the text of the second question"),
    Column("second_label", "what people read for the answer to the second question"),
    Column("cells_method", "beside a mean: the method of the limits of its shares"),
    number("share", "of a quantile: the share of numbers below it"),
    number("margin", "the margin of error: half the width of the interval"),
    number("sampling_low", "the lower limit that the interval would have without the randomizing"),
    number("sampling_high", "the upper limit that the interval would have without the randomizing"),
    number("sampling_margin", "the margin of error that there would be without the randomizing"),
    number("odds", "what the answer to the question can change of the odds of any guess, at most"),
    number("statistic", "the statistic of a test of independence"),
    whole("df", "its degrees of freedom"),
    number("p_value", "its p-value"),
)
_CONSTRAINED = ("constrained_low", "constrained_high")


def long_rows(every: Iterable[Figures]) -> Iterator[Row]:
    """Yield the rows of all parts."""
    for figures in every:
        if figures.results is None:
            yield from withheld_rows(figures.part)
            continue
        group = figures.part.group
        for question in questions_of(figures.part.manifest, figures.results):
            yield from ({**row, **group} for row in _question_rows(figures.part.manifest, question))
        for table in tables_of(figures.part.manifest, figures.tables):
            yield from ({**row, **group} for row in _table_rows(figures.part.manifest, table))


def questions_of(manifest: Manifest, results: Results) -> Iterator[Row]:
    """Yield the questions as their results are documented, with text, type and mechanism."""
    for question in manifest.questions:
        if (result := results.get(question.id)) is None:
            continue
        figures: Row = dict(result.to_json())
        shown = {"margins": margins_in(figures), "sampling": without_randomizing(question, result)}
        relation = pair_relation(question, result)
        related = {} if relation is None else {"relation": relation}
        yield {**about_question(question), **figures, "odds": float(question.design.odds), **shown, **related}


def tables_of(manifest: Manifest, tables: Iterable[CrossResult]) -> Iterator[Row]:
    """Yield the cross tables as they are documented, with what one respondent spends on both, and their relation."""
    spent = {question.id: question.design.epsilon for question in manifest.questions}
    for table in tables:
        first, second = table.names
        yield {**table.to_json(), "epsilon": float(spent[first] + spent[second]), "relation": cross_relation(table)}


def about_question(question: Question) -> Row:
    """Return what a row says of a question apart from its figures."""
    about = {"question": question.id, "text": question.text, "type": question.type.NAME}
    return {**about, "mechanism": mechanism_of(question).name}


def withheld_rows(part: Part) -> Iterator[Row]:
    """Yield a row without figures for each question of a group that has too few reports."""
    for question in part.manifest.questions:
        yield {**_about(part.manifest), **about_question(question), **part.group, "kind": "withheld"}


def _about(manifest: Manifest) -> Row:
    return {"survey": manifest.survey, "manifest": manifest.id}


def _question_rows(manifest: Manifest, question: Row) -> Iterator[Row]:
    about, labels = {**_about(manifest), **question}, _labels(manifest, question["question"])
    yield from ({**row, **margins_of(row, question["sampling"])} for row in _plain_rows(about, question, labels))


def _plain_rows(about: Row, question: Row, labels: Mapping[str, str]) -> Iterator[Row]:
    if "mean" in question:
        yield {**about, **question["mean"], **_band(question), "kind": "mean"}
    if "sd" in question:
        yield {**about, **question["sd"], "kind": "sd"}
    # The price and the band of a number are those of its mean.
    about = {key: value for key, value in about.items() if key != "price_of_privacy"}
    for cell in question.get("cells", []):
        named = {"cell": cell["name"], "label": labels.get(cell["name"], cell["name"]), "kind": "cell"}
        yield {**about, **cell, **_band(cell), **_constrained(cell), **named}
    for item in question.get("quantiles", []):
        yield {**about, **item, "cell": f"{item['share']:.0%} below", "kind": "quantile"}
    for item in question.get("cumulative", []):
        yield {**about, **item, "to": item["below"], "cell": f"below {item['below']:g}", "kind": "below"}
    for item in question.get("bins", []):
        yield {**about, **item, "cell": item["name"], "kind": "bin"}
    for row in relation_rows(question.get("relation")):
        yield {**about, **row, "second": question["relation"]["second"]}


def _table_rows(manifest: Manifest, table: Row) -> Iterator[Row]:
    """Yield a row for each cell of a cross table: the first question's columns, and the second's beside them."""
    questions = {question.id: question for question in manifest.questions}
    first, second = questions[table["first"]], questions[table["second"]]
    about: Row = {**_about(manifest), **about_question(first), "second": second.id, "second_text": second.text}
    about |= {"kind": "cross"}
    rows, columns = first.type.labels, second.type.labels
    for cell in table["cells"]:
        one, other = cell["first"], cell["second"]
        pair = {"cell": one, "label": rows.get(one, one)}
        pair |= {"second_cell": other, "second_label": columns.get(other, other)}
        row = {**table, **cell, **_band(cell), **about, **pair}
        yield {**row, **margins_of(row, {})}
    for row in relation_rows(table["relation"]):
        row = {**table, **about, **row, **_band(row)}
        yield {**row, **margins_of(row, {})}


def _labels(manifest: Manifest, name: str) -> Mapping[str, str]:
    [labels] = (question.type.labels for question in manifest.questions if question.id == name)
    return labels


def _constrained(cell: Row) -> Row:
    limits = cell["constrained"]
    return {} if limits is None else dict(zip(_CONSTRAINED, (limits["low"], limits["high"]), strict=True))


def _band(item: Row) -> Row:
    band = item.get("band")
    return {} if band is None else {"beta": band["beta"], "band_low": band["low"], "band_high": band["high"]}
