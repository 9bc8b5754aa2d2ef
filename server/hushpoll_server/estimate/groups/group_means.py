"""The mean of a number in each group, where the groups are answers to a private question.

A report is worth z for a group and w for the number, each unbiased and drawn independently given the answers. So
E[z w]/E[z] is the mean in the group: a ratio of two correlated estimates, with Fieller's limits. Where people may
decline to give a number, z and w are multiplied by whether there is one, and the mean is among those who gave it.

The rule here: the number is measured from the middle of its range, which is added again at the end; neither means nor
limits are clipped to the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.private import compared_rows, group_warnings, quantile_of_each
from hushpoll_server.estimate.groups.row_ratios import MeansInRows, RowDifference, RowFigure
from hushpoll_server.estimate.intervals import level_of_each
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.indicators import TableMoments
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.joint_tests import equal_means


@dataclass(frozen=True, kw_only=True)
class GroupMean:
    """The mean in one group, and the share of the people who are in it and gave a number."""

    group: str
    share: RowFigure
    mean: RowFigure

    def to_json(self) -> Json:
        """Return the figures by name; those of the mean are on top."""
        return {"group": self.group, **self.mean.to_json(), "share": self.share.to_json()}


@dataclass(frozen=True, kw_only=True)
class GroupMeans:
    """The means of all groups, the differences between two of them, and the test that all are equal."""

    n: int
    level: float
    method: str
    adjustment: str
    groups: tuple[GroupMean, ...]
    differences: tuple[RowDifference, ...] = ()
    overall: Independence | None = None
    names: tuple[str, str] | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll crosstab --json` prints for a number."""
        test = self.overall
        named: Json = {} if self.names is None else {"groups_of": self.names[0], "mean_of": self.names[1]}
        return named | {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "standard_errors": "delta",
            "means": [each.to_json() for each in self.groups],
            "differences": [each.to_json() for each in self.differences],
            "adjustment": self.adjustment,
            "overall": None
            if test is None
            else {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value},
            "warnings": list(self.warnings),
        }


def group_means(
    moments: TableMoments,
    groups: Sequence[str],
    *,
    centre: float,
    names: tuple[str, str] | None = None,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> GroupMeans:
    """Estimate the mean in each group.

    The cells of the moments are the groups by two columns: whether there is a number, and its distance from `centre`.
    """
    _check(moments, groups, options)
    quantile = quantile_of_each(options, len(groups))
    empty = GroupMeans(
        n=moments.n,
        level=options.level,
        method="fieller",
        adjustment=adjustment,
        groups=tuple(GroupMean(group=name, share=RowFigure(), mean=RowFigure()) for name in groups),
        names=names,
        warnings=(NO_REPORTS,),
    )
    if not moments.n:
        return empty
    ratios = means_in_rows(moments)
    figures = [line[0] for line in ratios.figures(quantile)]
    differences, warnings = compared_rows(ratios, groups, [None], quantile, adjustment)
    warnings += group_warnings(groups, figures) if np.isfinite(quantile) else []
    test, no_test = _overall(moments)
    rows = zip(groups, _shares(moments, groups, options), figures, strict=True)
    return replace(
        empty,
        groups=tuple(GroupMean(group=name, share=share, mean=_moved(mean, centre)) for name, share, mean in rows),
        # Their ratios would be those of distances from the middle.
        differences=tuple(replace(each, ratio=None) for each in differences),
        overall=test,
        warnings=tuple(sentence for sentence in (*warnings, no_test) if sentence),
    )


def means_in_rows(moments: TableMoments) -> MeansInRows:
    """Return the ratios of the numbers to the people, for each group."""
    people, numbers = moments.means.T
    products = moments.moments.reshape(len(people), 2, len(people), 2)
    return MeansInRows(
        n=moments.n,
        top=numbers[:, np.newaxis],
        bottom=people[:, np.newaxis],
        tops=products[:, 1, :, 1, np.newaxis],
        crossed=products[:, 1, :, 0, np.newaxis],
        bottoms=products[:, 0, :, 0, np.newaxis],
    )


def _check(moments: TableMoments, groups: Sequence[str], options: Options) -> None:
    if options.method is not None:
        raise EstimateError("means in private groups have Fieller's limits and no others: leave the method out")
    if moments.sums.shape != (len(groups), 2) or len(groups) < 2:
        raise EstimateError("the moments are not those of two or more groups and a number: give both columns of each")


def _shares(moments: TableMoments, groups: Sequence[str], options: Options) -> list[RowFigure]:
    level = level_of_each(options.level, options.coverage, len(groups))
    table = JointShares((tuple(groups),), moments.n, moments.means[:, 0], moments.moments[::2, ::2])
    limits, is_anytime = table.limits(level), options.coverage == "anytime"
    columns = (table.shares, table.errors, limits.low, limits.high)
    rows = zip(*(each.tolist() for each in columns), strict=True)
    figures = [RowFigure(estimate=estimate, se=se, low=low, high=high) for estimate, se, low, high in rows]
    return [replace(figure, low=None, high=None) for figure in figures] if is_anytime else figures


def _overall(moments: TableMoments) -> tuple[Independence | None, str]:
    try:
        return equal_means(moments), ""
    except EstimateError as error:
        return None, f"There is no test that all means are equal: {error}."


def _moved(figure: RowFigure, centre: float) -> RowFigure:
    estimate, low, high = (
        None if each is None else each + centre for each in (figure.estimate, figure.low, figure.high)
    )
    return RowFigure(estimate=estimate, se=figure.se, low=low, high=high)
