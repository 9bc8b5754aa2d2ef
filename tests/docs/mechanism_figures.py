"""The tables of docs/mechanisms/ and docs/estimation.md, worked out from the code: rows as they are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import choices
from tests.statistics.laws import LAWS, likely_truths

from hushpoll_server.estimate.intervals import Method
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.mechanisms import Bound, Mechanism, mechanism_for
from hushpoll_server.mechanisms.ball import BallMechanism, contrast, option_variance
from hushpoll_server.mechanisms.category_bound import best_picks, variance_of_picks, ye_barg_bound
from hushpoll_server.mechanisms.channel_bound import variance_bound
from hushpoll_server.mechanisms.closed_forms import duchi_variance, hybrid_variance, piecewise_variance
from hushpoll_server.mechanisms.padded import PaddedMechanism, variance_at
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.ticks import likely_share
from hushpoll_server.plan.budget import Wish, compare, curve_of
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.pairs import pair_cost
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.question_types import MultiChoice, Number, Scale, YesNo

EPSILONS = ("0.5", "1", "2", "4")
SURVEYS = 1000
EXACT: Method = "exact"
WILSON: Method = "wilson"

Row = list[str]


def bound(epsilon: str) -> Bound:
    return Bound.of_epsilon(epsilon)


def subset_rows() -> Iterator[Row]:
    for epsilon, k in product(EPSILONS, (4, 16, 128, 2048)):
        design, odds = SubsetMechanism.of(bound(epsilon), k), math.exp(float(epsilon))
        least, one = ye_barg_bound(k, odds), variance_of_picks(k, 1, odds)
        assert mechanism_for(choices(k), design).variance() == pytest.approx(least)
        # Optimised unary encoding: p = 1/2, q = 1/(E + 1)
        q = 1 / (odds + 1)
        rate = (0.5 + (k - 1) * q) / k
        unary = k * rate * (1 - rate) / (0.5 - q) ** 2
        figures = (f"{float(design.p):.6f}", f"{float(design.q):.6f}", f"{least:.6g}")
        yield [epsilon, f"{k:,}", str(design.picks), *figures, f"{one / least:.3f}", f"{unary / least:.3f}"]


def one_pick_rows() -> Iterator[Row]:
    for epsilon in ("0.5", "1", "2", "3", "4"):
        odds = math.exp(float(epsilon))
        best = [k for k in range(2, 200) if best_picks(k, odds) == 1]
        assert best == [
            k for k in range(2, 200) if 2 * (k - 2) * (odds + k - 1) ** 2 <= (k - 1) * (2 * odds + k - 2) ** 2
        ]
        yield [epsilon, str(max(best))]


def projective_rows() -> Iterator[Row]:
    for epsilon, k in product((*EPSILONS, "6"), (2049, 10_000, 100_000)):
        design = ProjectiveMechanism.of(bound(epsilon), k)
        mechanism = mechanism_for(choices(k), design)
        space = (str(design.field), str(design.dimension), f"{design.points:,}")
        figures = (
            f"{float(design.p):.6f}",
            f"{float(design.q):.6f}",
            f"{mechanism.variance() / mechanism.lower_bound():.4f}",
        )
        yield [epsilon, f"{k:,}", *space, *figures, str(design.width), f"{wire.mask_width(k):,}"]


def least_of_all_sets(m: int, odds: float) -> float:
    """Return the least variance of any design on m options: try every set of answers that a report could favour."""
    answers = np.array(list(product((-1, 1), repeat=m)))
    sets = (np.arange(1, 2 ** len(answers) - 1)[:, np.newaxis] >> np.arange(len(answers)) & 1).astype(np.int8)
    centres, shares = sets @ answers / len(answers), sets.mean(axis=1)
    told = ((odds - 1) / (1 + (odds - 1) * shares)) ** 2 * (centres**2).sum(axis=1)
    return float(m / (4 * told.max()) - 0.25)


def ball_of(epsilon: str, m: int) -> BallMechanism:
    ball = mechanism_for(MultiChoice(choices(m).options), BallMechanism.of(bound(epsilon), m))
    assert isinstance(ball, BallMechanism)
    return ball


def ball_exact_rows() -> Iterator[Row]:
    for m, epsilon in product((2, 3, 4), EPSILONS):
        ball = ball_of(epsilon, m)
        design, least = ball.design, least_of_all_sets(m, float(ball.design.odds))
        assert ball.variance() == pytest.approx(least, rel=1e-9)
        figures = (ball.variance(), least, ball.lower_bound())
        yield [str(m), epsilon, str(design.asked), str(design.agree), *(f"{figure:.4f}" for figure in figures)]


def ball_rows() -> Iterator[Row]:
    for m, epsilon in product((8, 32, 128), EPSILONS):
        ball, odds = ball_of(epsilon, m), math.exp(float(epsilon))
        design = ball.design
        one = option_variance(m, 1, contrast(1, 1, odds))
        divided = 1 / (4 * math.sinh(float(epsilon) / m / 2) ** 2)
        figures = (f"{float(design.p - design.q):.6f}", f"{ball.variance():.4f}", f"{one:.4f}", f"{divided:.4f}")
        size = (str(m), epsilon, str(design.asked), str(design.agree))
        yield [*size, *figures, f"{ball.variance() / ball.lower_bound():.3f}"]


def padded_rows() -> Iterator[Row]:
    for epsilon, (m, most) in product(("1", "2", "4"), ((8, 2), (16, 3), (64, 3), (128, 3), (8, 8))):
        padded, ball = PaddedMechanism.of(bound(epsilon), m, most), ball_of(epsilon, m)
        f = likely_share(MultiChoice(choices(m).options, most))
        one, other = variance_at(padded, f), ball.variance_at(f)
        inner = f"{float(padded.inner.odds):.4f}"
        yield [epsilon, str(m), str(most), str(padded.picks), inner, f"{one:.4f}", f"{other:.4f}", f"{other / one:.2f}"]


def for_mean(epsilon: str, name: str | None = None) -> Mechanism[Any]:
    return choose_mechanism(Number("-1", "1"), bound(epsilon), mechanism=name)


def channel_rows() -> Iterator[Row]:
    for epsilon in EPSILONS:
        channel, e = for_mean(epsilon), float(epsilon)
        least, rivals = variance_bound(math.exp(e)), (duchi_variance(e), piecewise_variance(e), hybrid_variance(e))
        figures = (channel.variance(), least, *rivals, channel.variance() / least)
        yield [epsilon, str(channel.design.inputs), *(f"{figure:.4f}" for figure in figures)]


def scale_rows() -> Iterator[Row]:
    for points, epsilon in product((2, 5, 11), ("1", "2")):
        channel = choose_mechanism(Scale(1, points, report="mean"), bound(epsilon))
        variance, least = channel.variance(), variance_bound(float(channel.design.odds), points)
        assert channel.lower_bound() == least
        yield [str(points), epsilon, *(f"{figure:.4f}" for figure in (variance, least, variance / least))]


def square_wave_rows() -> Iterator[Row]:
    for epsilon in EPSILONS:
        wave: Mechanism[Any] = choose_mechanism(Number("-1", "1", "distribution"), bound(epsilon))
        design, variance = wave.design, wave.variance()
        sizes = (str(design.half), str(design.outputs))
        figures = (f"{float(design.keep):.6f}", f"{float(design.slope):.6f}", f"{variance:.4f}")
        yield [epsilon, *sizes, *figures, f"{variance / for_mean(epsilon).variance():.2f}"]


def laplace_rows() -> Iterator[Row]:
    for epsilon in EPSILONS:
        laplace = for_mean(epsilon, "laplace")
        design, variance = laplace.design, laplace.variance()
        size = (str(design.threshold), str(design.reach), f"{design.outputs:,}")
        yield [epsilon, *size, f"{variance:.4f}", f"{variance / for_mean(epsilon).variance():.2f}"]


def repeated_rows() -> Iterator[Row]:
    for size, (always, once) in product((2, 4, 16), (("2", "1"), ("4", "1"), ("4", "2"))):
        design = RepeatedMechanism.of(bound(once), bound(always), size)
        mechanism = mechanism_for(choices(size), design)
        epsilons = (f"{float(design.second.epsilon):.6f}", f"{float(design.once):.6f}")
        figures = (f"{mechanism.variance():.4f}", f"{mechanism.variance() / mechanism.lower_bound():.3f}")
        yield [str(size), always, once, *epsilons, *figures]


def pair_rows() -> Iterator[Row]:
    for (first, second), epsilon in product(((2, 2), (2, 5), (5, 5)), EPSILONS):
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
    for name in ("grr", "subset", "projective", "padded", "ball", "repeated"):
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
    ("subset.md", "ε | k | d*"): subset_rows,
    ("subset.md", "ε | largest k"): one_pick_rows,
    ("projective.md", "ε | k | F"): projective_rows,
    ("ball.md", "m | ε | t | τ | ball"): ball_exact_rows,
    ("ball.md", "m | ε | t | τ | c"): ball_rows,
    ("padded.md", "ε | m | L"): padded_rows,
    ("channel.md", "ε | points | channel"): channel_rows,
    ("channel.md", "points | ε"): scale_rows,
    ("square_wave.md", "ε | h"): square_wave_rows,
    ("laplace.md", "ε | A"): laplace_rows,
    ("repeated.md", "k | ε∞"): repeated_rows,
    ("pair.md", "table | ε"): pair_rows,
    ("budget.md", "total ε | questions"): budget_rows,
    ("estimation.md", "design | cells"): coverage_rows,
    ("estimation.md", "reports | method"): together_rows,
    ("estimation.md", "interval | missed the truth at some look"): looks_rows,
}
