"""The page that crosses two or three questions, parts of pairs and options included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, Response, request

from hushpoll_server.analysis.tables import Table
from hushpoll_server.analysis.variables import Variable
from hushpoll_server.dashboard.choices import check_variables, title_of, variable_choices, words_of
from hushpoll_server.dashboard.comparison_cards import Card
from hushpoll_server.dashboard.cross_views import TableView, is_readable, three_way_views, two_way_view
from hushpoll_server.dashboard.exploring import Exploration, or_reason, read_exploration
from hushpoll_server.dashboard.panels import shown_levels
from hushpoll_server.dashboard.private_cards import mean_cards
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.three_way import ThreeWay
from hushpoll_server.results.query import read_several
from hushpoll_server.results.service import ResultsService
from hushpoll_server.sharing.access import may_read
from hushpoll_server.web.current import current
from hushpoll_shared.question_types.pair import combined

blueprint = Blueprint("cross", __name__)


@dataclass(frozen=True, kw_only=True)
class Crossed:
    """What a page shows of a table: views of it, or the means in groups; `margins` are those of three questions."""

    n: int
    views: tuple[TableView, ...] = ()
    means: tuple[Card, ...] = ()
    margins: tuple[tuple[str, tuple[tuple[str, object], ...]], ...] = ()
    warnings: tuple[str, ...] = ()


@blueprint.get("/surveys/<name>/cross")
@may_read("figures")
def page(name: str) -> str | Response:
    """Show a table of two or three questions."""
    asked, variables = read_questions(name)
    names, is_chosen = [variable.name for variable in variables], len(variables) > 1 and not asked.whose.withheld

    def find() -> dict[str, object]:
        crossed, reason = or_reason(lambda: cross(asked, variables)) if is_chosen else (None, "")
        return {"crossed": crossed, "reason": reason}

    return asked.show(
        "cross",
        begin=lambda: current(ResultsService).begin_table(asked.reading, names) if is_chosen else None,
        find=find,
        names=names,
        titles=[title_of(variable) for variable in variables],
        choices=variable_choices(asked.manifest),
        is_chosen=is_chosen,
        query={**asked.query, "questions": names},
    )


def read_questions(name: str) -> tuple[Exploration, Sequence[Variable]]:
    """Read what is to be crossed; names that do not exist are refused."""
    asked = read_exploration(name)
    return asked, check_variables(asked.manifest, read_several(request.args, "questions"))


def cross(asked: Exploration, variables: Sequence[Variable]) -> Crossed | None:
    """Return what to show of the table; None if nobody could read it."""
    table = table_of(asked, variables)
    if isinstance(table, GroupMeans):
        return _means(asked, variables, table)
    if not is_readable(variables):
        return None
    if isinstance(table, Crosstab):
        return Crossed(n=table.n, views=(two_way_view(table, variables),), warnings=table.warnings)
    views = three_way_views(table, variables)
    return Crossed(n=table.n, views=views, margins=_margins(table, variables), warnings=table.warnings)


def table_of(asked: Exploration, variables: Sequence[Variable]) -> Table:
    """Return the figures of the table, or the means in groups."""
    names = [variable.name for variable in variables]
    return current(ResultsService).table(asked.reading, names, asked.adjustment, asked.options)


def _means(asked: Exploration, variables: Sequence[Variable], table: GroupMeans) -> Crossed:
    [number], groups = (
        [each for each in variables if each.is_number],
        [each for each in variables if not each.is_number],
    )
    names = words_of(groups[0]) if len(groups) == 1 else combined(words_of(groups[0]), words_of(groups[1]))
    graded = [
        table_of(replace(asked, options=replace(asked.options, level=level)), variables)
        for level in shown_levels(asked.options)
    ]
    means = [each for each in graded if isinstance(each, GroupMeans)]
    return Crossed(n=table.n, means=mean_cards(table, means, names, number), warnings=table.warnings)


def _margins(table: ThreeWay, variables: Sequence[Variable]) -> tuple[tuple[str, tuple[tuple[str, object], ...]], ...]:
    """Return the shares of each of three questions alone."""
    return tuple(
        (title_of(variable), tuple(zip(words_of(variable), shares, strict=True)))
        for variable, shares in zip(variables, table.margins, strict=True)
        if shares
    )
