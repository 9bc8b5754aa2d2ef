"""The tables of docs/mechanisms/ and docs/estimation.md, worked out from the code: rows as they are written.

Those of a mechanism's own page are in its home, tests/mechanisms/test_<name>.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from tests.mechanisms.cases import TABLE_EPSILONS, Row, home
from tests.statistics.laws import LAWS, likely_truths

from hushpoll_server.estimate.intervals import Method
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.plan.budget import Wish, compare, curve_of
from hushpoll_server.plan.pairs import pair_cost
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.mechanisms import DESIGNS
from hushpoll_shared.question_types import YesNo

SURVEYS = 1000
EXACT: Method = "exact"
WILSON: Method = "wilson"


def pair_rows() -> Iterator[Row]:
    for (first, second), epsilon in product(((2, 2), (2, 5), (5, 5)), TABLE_EPSILONS):
        cost = pair_cost(first, second, Epsilon.parse(epsilon))
        figures = (cost.cell, cost.cell_apart, cost.share, cost.share_apart)
        yield [f"{first} × {second}", epsilon, *(f"{figure:.4f}" for figure in figures)]


def budget_rows() -> Iterator[Row]:
    for total, questions, n in (("1", 2, 1000), ("1", 5, 2000), ("2", 10, 3000), ("4", 4, 1000), ("4", 10, 3000)):
        found = compare(Epsilon.parse(total), [Wish(curve_of(YesNo()))] * questions, n)
        one = compare(Epsilon.parse(total), [Wish(curve_of(YesNo()))] * questions, n, 1)
        margins = (f"±{100 * margin:.2f}" for margin in (found.split, one.asked, found.asked))
        yield [total, str(questions), f"{n:,}", *margins, str(found.ask)]


def coverage_rows() -> Iterator[Row]:
    for name in ("grr", "subset", "projective", "privset", "ball", "repeated"):
        law = LAWS[name]
        truths = likely_truths(law)
        shares, cells = law.shares(truths), [name, str(law.holds.shape[1])]
        for n, method in ((200, EXACT), (2000, EXACT), (2000, WILSON)):
            tally = law.tally(law.surveys(truths, n, SURVEYS, np.random.default_rng(20)))
            limits = share_limits(tally, 0.95, method)
            cells.append(f"{((limits.low <= shares) & (shares <= limits.high)).mean():.3f}"[1:])
        yield cells


def together_rows() -> Iterator[Row]:
    shares, design = np.array([0.5, 0.3, 0.15, 0.05, 0.0]), SupportDesign(math.e / (math.e + 4), 1 / (math.e + 4))
    for n, method in ((200, EXACT), (1000, WILSON), (5000, WILSON)):
        counts = np.random.default_rng(8).multinomial(n, design.rate(shares), size=4000)
        limits = (share_limits(Tally(counts, n, design), level, method) for level in (0.95, 1 - 0.05 / 5))
        held = (((each.low <= shares) & (shares <= each.high)).all(axis=1).mean() for each in limits)
        yield [f"{n:,}", f"`{method}`", *(f"{100 * share:.1f} %" for share in held)]


def looks_rows() -> Iterator[Row]:
    design, looks = SupportDesign(0.75, 0.25), np.unique(np.geomspace(20, 2000, 60).astype(int))
    random = np.random.default_rng(9)
    supporting = np.cumsum(random.random((1500, 2000)) < design.rate(0.3), axis=1)[:, looks - 1]
    tally = Tally(supporting, np.broadcast_to(looks, supporting.shape), design)
    names: list[tuple[str, ShownMethod]] = [("fixed 95 % (Wilson)", WILSON), ("anytime 95 %", "mixture")]
    for name, method in names:
        limits = share_limits(tally, 0.95, method)
        missed = ((limits.low > 0.3) | (limits.high < 0.3)).any(axis=1).mean()
        yield [name, f"{100 * missed:.1f} %"]


TABLES: dict[tuple[str, str], Callable[[], Iterator[Row]]] = {
    **{(f"{name}.md", head): rows for name in DESIGNS for head, rows in home(name).TABLES.items()},
    ("pair.md", "table | ε"): pair_rows,
    ("budget.md", "total ε | questions"): budget_rows,
    ("estimation.md", "design | cells"): coverage_rows,
    ("estimation.md", "reports | method"): together_rows,
    ("estimation.md", "interval | missed the truth at some look"): looks_rows,
}
