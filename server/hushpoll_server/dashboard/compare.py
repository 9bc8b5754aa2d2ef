"""The page that compares a question between groups: public ones, or the answers to another question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, Response, request

from hushpoll_server.analysis.comparison import (
    QuestionComparison,
    compare_grouped_counts,
    graded_by_group,
    question_of,
)
from hushpoll_server.analysis.tables import Table
from hushpoll_server.analysis.tabulated import Tabulated
from hushpoll_server.analysis.variables import read_variables
from hushpoll_server.dashboard.choices import (
    Choice,
    check_variables,
    part_choices,
    title_of,
    variable_choices,
    words_of,
)
from hushpoll_server.dashboard.comparison_cards import Card, equal_words, public_cards
from hushpoll_server.dashboard.exploring import Exploration, or_reason, read_exploration
from hushpoll_server.dashboard.group_filter import GroupFilter
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import shown_levels
from hushpoll_server.dashboard.private_cards import mean_cards, private_cards
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.results.query import read_one
from hushpoll_server.results.scans import Scan
from hushpoll_server.results.service import ResultsService
from hushpoll_server.sharing.access import may_read
from hushpoll_server.web.current import current
from hushpoll_shared.manifest import Manifest

blueprint = Blueprint("compare", __name__)

# The cards, the warnings about all of them, and the tests of all of them.
Compared = tuple[tuple[Card, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared between which groups; `chosen` are the groups of the address."""

    asked: Exploration
    chosen: GroupFilter
    question: str
    by: str

    @property
    def dimensions(self) -> dict[str, str]:
        """Return the public dimensions with their texts."""
        return {dimension.id: dimension.text for dimension in self.asked.whose.dimensions}

    @property
    def is_public(self) -> bool:
        """Return whether the groups are public."""
        return self.by in self.dimensions

    @property
    def is_chosen(self) -> bool:
        """Return whether there is something to compare."""
        return bool(self.question and self.by) and not self.asked.whose.withheld

    @property
    def query(self) -> dict[str, object]:
        """Return the options that the address of a file repeats."""
        return {**self.asked.query, "question": self.question, "by": self.by}

    def compare(self) -> Compared:
        """Return the cards with what is said of all of them."""
        compare = _compare_public if self.is_public else _compare_private
        return compare(self.asked, self.question, self.by)

    def figures(self) -> QuestionComparison | Table:
        """Return the figures that the cards are made of."""
        asked = self.asked
        return (_public_figures if self.is_public else _table)(asked, self.question, self.by, asked.options)


def read_question(name: str) -> Question:
    """Read what is to be compared; names that do not exist are refused."""
    asked = read_exploration(name)
    question, by = read_one(request.args, "question"), read_one(request.args, "by")
    dimensions = {dimension.id: dimension.text for dimension in asked.whose.dimensions}
    _check(asked.manifest, question, by, dimensions)
    without = replace(asked, whose=asked.whose.without(by))
    return Question(asked=without, chosen=asked.whose, question=question, by=by)


@blueprint.get("/surveys/<name>/compare")
@may_read("figures")
def page(name: str) -> str | Response:
    """Show one question in all groups of a dimension, or by the answers to another question."""
    wanted = read_question(name)
    asked, question, by = wanted.asked, wanted.question, wanted.by

    def find() -> dict[str, object]:
        compared, reason = or_reason(wanted.compare) if wanted.is_chosen else (None, "")
        cards, warnings, sentences = compared or ((), (), ())
        return {"reason": reason, "cards": cards, "warnings": warnings, "sentences": sentences}

    def begin() -> Scan[Tabulated] | None:
        is_private = wanted.is_chosen and not wanted.is_public
        return current(ResultsService).begin_table(asked.reading, [by, question]) if is_private else None

    return asked.show(
        "compare",
        begin=begin,
        find=find,
        question=question,
        by=by,
        title=_title(asked.manifest, question),
        by_title=wanted.dimensions.get(by) or _title(asked.manifest, by),
        is_public=wanted.is_public,
        # All groups of a dimension are compared, so none of them is a filter.
        unfiltered=[wanted.chosen.texts[label] for label in wanted.chosen.labels if label not in asked.whose.labels],
        questions=[Choice(each.id, each.text) for each in asked.manifest.questions],
        parts=part_choices(asked.manifest),
        dimensions=wanted.dimensions,
        private=[each for each in variable_choices(asked.manifest) if _has_answers(asked.manifest, each)],
        is_chosen=wanted.is_chosen,
        query=wanted.query,
    )


def _check(manifest: Manifest, question: str, by: str, dimensions: dict[str, str]) -> None:
    """Refuse names that are no question, part or option, and no groups."""
    ids = {each.id for each in manifest.questions}
    check_variables(manifest, [each for each in (question, by) if each and each not in ids and each not in dimensions])
    if question in dimensions:
        check_variables(manifest, [question])


def _compare_public(asked: Exploration, question: str, by: str) -> Compared:
    manifest, options = asked.manifest, asked.options
    comparison = _public_figures(asked, question, by, options)
    grouped, labels = asked.reading.grouped, asked.whose.labels
    graded = graded_by_group(
        manifest, grouped, question, by, labels=labels, levels=shown_levels(options), options=options
    )
    return public_cards(question_of(manifest, question), graded, comparison), comparison.warnings, ()


def _public_figures(asked: Exploration, question: str, by: str, options: Options) -> QuestionComparison:
    if question not in {each.id for each in asked.manifest.questions}:
        raise EstimateError("public groups are compared on whole questions: choose the question that it is a part of")
    grouped, labels = asked.reading.grouped, asked.whose.labels
    return compare_grouped_counts(
        asked.manifest, grouped, question, by, labels=labels, adjustment=asked.adjustment, options=options
    )


def _compare_private(asked: Exploration, question: str, by: str) -> Compared:
    groups, compared = read_variables(asked.manifest, [by, question])
    table, levels = _table(asked, question, by, asked.options), shown_levels(asked.options)
    if isinstance(table, GroupMeans):
        graded = [
            _table(asked, question, by, Options(level=level, coverage=asked.options.coverage)) for level in levels
        ]
        means = [each for each in graded if isinstance(each, GroupMeans)]
        return mean_cards(table, means, words_of(groups), compared), table.warnings, ()
    assert isinstance(table, Crosstab), "two questions make up a table, or a mean by groups"
    # Odds ratios are on the page of cross tables.
    warnings = tuple(warning for warning in table.warnings if "odds ratio" not in warning)
    tested = equal_words(table.independence, "shares") if table.n >= TOO_EARLY_BELOW else ()
    return private_cards(table, (groups, compared), asked.options, levels), warnings, tested


def _table(asked: Exploration, question: str, by: str, options: Options) -> Table:
    [groups] = read_variables(asked.manifest, [by])
    if groups.is_number:
        raise EstimateError(f"{by} is a number, so it makes up no groups: choose a question with a few answers")
    return current(ResultsService).table(asked.reading, [by, question], asked.adjustment, options)


def _title(manifest: Manifest, name: str) -> str:
    """Return what people read for a question, a part or an option."""
    texts = {question.id: question.text for question in manifest.questions}
    if not name or name in texts:
        return texts.get(name, "")
    [variable] = check_variables(manifest, [name])
    return title_of(variable)


def _has_answers(manifest: Manifest, choice: Choice) -> bool:
    [variable] = check_variables(manifest, [choice.name])
    return not variable.is_number
