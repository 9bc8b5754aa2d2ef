"""How far estimates scatter: against the designs' own variances, and against every share and answer tried."""

from __future__ import annotations

import numpy as np
import pytest

from hushpoll_server.plan.spread import MeanSpread, ShareSpread, best_possible, spread_of, without_privacy
from hushpoll_shared.designs import Ball, Bound, Channel, Design, Laplace, Padded, Projective, Subset, Warner, Wave
from hushpoll_shared.questions import Kind, MultiChoice, Number, Option, Scale, SingleChoice, YesNo
from hushpoll_shared.randomness import SPAN

ONE = Bound.of_epsilon(1)
SHARES = np.linspace(0, 1, 1001).tolist()


def options(count: int) -> tuple[Option, ...]:
    return tuple(Option(name, name) for name in map(str, range(count)))


SHARE_DESIGNS: list[tuple[Kind, Design]] = [
    (YesNo(), Warner.from_epsilon(1)),
    (YesNo(), Warner.from_p("1/4")),
    (SingleChoice(options(4)), Subset.from_bound(ONE, 4)),
    (SingleChoice(options(16)), Subset.from_bound(ONE, 16)),
    (SingleChoice(options(3000)), Projective.from_bound(ONE, 3000)),
    (MultiChoice(options(8)), Ball.from_bound(Bound.of_epsilon(2), 8)),
    (MultiChoice(options(8), 2), Padded.from_bound(ONE, 8, 2)),
]


@pytest.mark.parametrize(("kind", "design"), SHARE_DESIGNS)
@pytest.mark.parametrize("unsampled", [0.0, 0.3, 1.0])
def test_no_share_is_worse_than_the_worst(kind: Kind, design: Design, unsampled: float) -> None:
    spread = spread_of(kind, design)
    worst = max(spread.at(share, unsampled) for share in SHARES)
    assert spread.at(None, unsampled) == pytest.approx(worst, rel=1e-5)
    assert spread.at(None, unsampled) >= worst


@pytest.mark.parametrize("size", [2, 4, 16])
def test_the_variances_of_all_categories_add_up_to_that_of_the_design(size: int) -> None:
    design = Subset.from_bound(ONE, size)
    spread = spread_of(SingleChoice(options(size)), design)
    assert size * spread.at(1 / size, 1.0) == pytest.approx(design.variance())


def test_the_variance_of_an_option_is_that_of_the_ball() -> None:
    design = Ball.from_bound(ONE, 8)
    spread = spread_of(MultiChoice(options(8)), design)
    # What mechanisms.md gives for m = 8 at epsilon 1.
    assert spread.at(0.5, 0.0) == pytest.approx(9.1154, abs=5e-5)
    assert spread.at(0.1, 0.0) == pytest.approx(design.variance_at(0.1))


def test_without_privacy_only_the_answers_scatter() -> None:
    assert without_privacy(YesNo()).at(0.1, 1.0) == pytest.approx(0.09)
    assert without_privacy(YesNo()).at(None, 1.0) == 0.25
    assert without_privacy(Number("0", "40")).at(None, 1.0) == 400


@pytest.mark.parametrize(("kind", "design"), SHARE_DESIGNS)
def test_no_design_is_better_than_what_is_possible(kind: Kind, design: Design) -> None:
    possible = best_possible(kind, float(design.odds))
    for share in (0.0, 0.2, 0.5, 1.0):
        assert spread_of(kind, design).at(share, 1.0) >= possible.at(share, 1.0) * (1 - 1e-9)


def two_points() -> Channel:
    """Make Warner's design at odds of 3:1 as a channel on two points: values −0.5 and 1.5 steps."""
    return Channel((-1, 3), 2, ((3 * SPAN // 4,), (SPAN // 4,)))


def test_a_channel_for_two_points_scatters_as_warners_design() -> None:
    spread = spread_of(Scale(0, 1, report="mean"), two_points())
    assert spread.at(None, 1.0) == pytest.approx(1.0)
    assert spread.at(None, 0.0) == pytest.approx(0.75)


def test_between_the_points_of_a_channel_rounding_counts_in_a_census() -> None:
    spread = spread_of(Number("0", "1"), two_points())
    # V = 3/4 at both ends, and 1/4 more in the middle, where a coin chooses between them.
    assert spread.at(None, 0.0) == pytest.approx(1.0)
    assert spread.at(None, 0.0) == pytest.approx(two_points().variance() / 4)


@pytest.mark.parametrize("unsampled", [0.0, 0.4, 1.0])
def test_no_answer_is_worse_than_the_worst(unsampled: float) -> None:
    squares = (2.0, 1.3, 1.5, 1.3, 2.0)
    answers = np.linspace(-1, 1, 4001)
    values = np.interp(answers, np.linspace(-1, 1, 5), squares) - (1 - unsampled) * answers**2
    assert MeanSpread(squares, 3.0, between=True).at(None, unsampled) == pytest.approx(9 * values.max())


def test_laplaces_noise_is_the_same_for_all_answers() -> None:
    design = Laplace.from_bound(ONE)
    spread = spread_of(Number("-1", "1"), design)
    assert spread.at(None, 0.0) == pytest.approx(design.variance())
    assert spread.at(None, 1.0) == pytest.approx(design.variance() - 1 / design.steps**2 + 1)


def test_a_distribution_is_judged_by_its_mean() -> None:
    design = Wave.from_bound(ONE, 16, 4)
    spread = spread_of(Number("0", "10", "distribution"), design)
    assert spread.at(None, 0.0) == pytest.approx(25 * design.variance())
    assert spread.at(None, 1.0) == pytest.approx(25 * (design.variance() + 1))


def test_a_share_at_which_nothing_bends_is_the_worse_end() -> None:
    assert ShareSpread(1.0, 0.5).worst_share(0.0) == 1
    assert ShareSpread(1.0, -0.5).worst_share(0.0) == 0
