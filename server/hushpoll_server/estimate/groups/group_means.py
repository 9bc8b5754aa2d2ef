"""The mean of a number in each group, where the groups are answers to a private question.

A report is worth z for a group and w for the number, each unbiased and drawn independently given the answers. So
E[z w]/E[z] is the mean in the group: a ratio of two correlated estimates, with Fieller's limits. Where people may
decline to give a number, z and w are multiplied by whether there is one, and the mean is among those who gave it.

The rule here: the number is measured from the middle of its range, which is added again at the end; neither means nor
limits are clipped to the range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.private import MOST_DIFFERENCES, NOT_ANYTIME, TOO_MANY, group_warnings
from hushpoll_server.estimate.groups.row_ratios import MeansInRows, RowDifference, RowFigure
from hushpoll_server.estimate.intervals import level_of_each, normal_quantile
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.shares import check_coverage
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
    check_level(options.level)
    _check(moments, groups)
    level = level_of_each(options.level, check_coverage(options.coverage), len(groups))
    has_limits = options.coverage != "anytime"
    method = "fieller"
    if not moments.n:
        empty = tuple(GroupMean(group=name, share=RowFigure(), mean=RowFigure()) for name in groups)
        return GroupMeans(
            n=0,
            level=options.level,
            method=method,
            adjustment=adjustment,
            groups=empty,
            names=names,
            warnings=(NO_REPORTS,),
        )
    ratios, quantile = means_in_rows(moments), normal_quantile(level) if has_limits else np.inf
    figures = [line[0] for line in ratios.figures(quantile)]
    number = len(groups) * (len(groups) - 1) // 2
    is_shown = has_limits and number <= MOST_DIFFERENCES
    differences = ratios.differences(groups, [None], quantile, adjustment) if is_shown else ()
    test, no_test = _overall(moments)
    warnings = [] if has_limits else [NOT_ANYTIME]
    warnings += [TOO_MANY.format(number=number, most=MOST_DIFFERENCES)] if number > MOST_DIFFERENCES else []
    warnings += group_warnings(groups, figures) if has_limits else []
    shares = _shares(moments, groups, level)
    return GroupMeans(
        n=moments.n,
        level=options.level,
        method=method,
        adjustment=adjustment,
        groups=tuple(
            GroupMean(group=name, share=share, mean=_moved(figure, centre))
            for name, share, figure in zip(groups, shares, figures, strict=True)
        ),
        differences=tuple(_without_ratio(each) for each in differences),
        overall=test,
        names=names,
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


def _check(moments: TableMoments, groups: Sequence[str]) -> None:
    if moments.sums.shape != (len(groups), 2) or len(groups) < 2:
        raise EstimateError("the moments are not those of two or more groups and a number: give both columns of each")


def _shares(moments: TableMoments, groups: Sequence[str], level: float) -> list[RowFigure]:
    table = JointShares((tuple(groups),), moments.n, moments.means[:, 0], moments.moments[::2, ::2])
    limits = table.limits(level)
    columns = (table.shares, table.errors, limits.low, limits.high)
    rows = zip(*(each.tolist() for each in columns), strict=True)
    return [RowFigure(estimate=estimate, se=se, low=low, high=high) for estimate, se, low, high in rows]


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


def _without_ratio(difference: RowDifference) -> RowDifference:
    """Return a difference without its ratio, which would be that of distances from the middle."""
    return RowDifference(**{**vars(difference), "ratio": None})
