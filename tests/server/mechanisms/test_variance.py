"""The variance by answer: against the mechanisms' own variances, and against every share and answer tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import choices
from tests.samples.designs import warner

from hushpoll_server.mechanisms import Bound, Mechanism, mechanism_for
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.variance import MeanVariance, ShareVariance
from hushpoll_server.plan.variances import best_possible
from hushpoll_shared.mechanisms import Channel
from hushpoll_shared.question_types import MultiChoice, Number, Scale, YesNo
from hushpoll_shared.randomness import SPAN

ONE, TWO = Bound.of_epsilon(1), Bound.of_epsilon(2)
EIGHT = choices(8).options
SHARES = np.linspace(0, 1, 1001).tolist()

SHARE_MECHANISMS: list[Mechanism[Any]] = [
    mechanism_for(YesNo(), warner(epsilon=1)),
    mechanism_for(choices(4), SubsetMechanism.of(ONE, 4)),
    mechanism_for(choices(16), SubsetMechanism.of(ONE, 16)),
    mechanism_for(choices(5), RepeatedMechanism.of(ONE, TWO, 5)),
    mechanism_for(choices(3000), ProjectiveMechanism.of(ONE, 3000)),
    mechanism_for(MultiChoice(EIGHT), BallMechanism.of(TWO, 8)),
    mechanism_for(MultiChoice(EIGHT, 2), PrivSetMechanism.of(ONE, 8, 2)),
]
EACH = pytest.mark.parametrize("mechanism", SHARE_MECHANISMS, ids=lambda each: f"{each.name} of {len(each.type.cells)}")


@EACH
@pytest.mark.parametrize("unsampled", [0.0, 0.3, 1.0])
def test_no_share_is_worse_than_the_worst(mechanism: Mechanism[Any], unsampled: float) -> None:
    variance = mechanism.variance_by_answer()
    worst = max(variance.at(share, unsampled) for share in SHARES)
    assert variance.at(None, unsampled) == pytest.approx(worst, rel=1e-5)
    assert variance.at(None, unsampled) >= worst


@pytest.mark.parametrize("size", [2, 4, 16])
def test_the_variances_of_all_categories_add_up_to_that_of_the_mechanism(size: int) -> None:
    mechanism = mechanism_for(choices(size), SubsetMechanism.of(ONE, size))
    assert size * mechanism.variance_by_answer().at(1 / size, 1.0) == pytest.approx(mechanism.variance())


def test_the_variance_of_an_option_is_that_of_the_ball() -> None:
    mechanism = mechanism_for(MultiChoice(EIGHT), BallMechanism.of(ONE, 8))
    assert isinstance(mechanism, BallMechanism)
    # What mechanisms.md gives for m = 8 at epsilon 1.
    assert mechanism.variance_by_answer().at(0.5, 0.0) == pytest.approx(9.1154, abs=5e-5)
    assert mechanism.variance_by_answer().at(0.1, 0.0) == pytest.approx(mechanism.variance_at(0.1))


@EACH
def test_no_mechanism_is_better_than_what_is_possible(mechanism: Mechanism[Any]) -> None:
    possible = best_possible(mechanism.type, float(mechanism.design.odds))
    for share in (0.0, 0.2, 0.5, 1.0):
        assert mechanism.variance_by_answer().at(share, 1.0) >= possible.at(share, 1.0) * (1 - 1e-9)


def two_points() -> Channel:
    """Return Warner's design at odds of 3:1 as a channel on two points: values −0.5 and 1.5 steps."""
    return Channel((-1, 3), 2, ((3 * SPAN // 4,), (SPAN // 4,)))


def test_a_channel_for_two_points_has_the_variance_of_warners_design() -> None:
    variance = mechanism_for(Scale(0, 1, report="mean"), two_points()).variance_by_answer()
    assert variance.at(None, 1.0) == pytest.approx(1.0)
    assert variance.at(None, 0.0) == pytest.approx(0.75)


def test_between_the_points_of_a_channel_rounding_counts_in_a_census() -> None:
    mechanism = mechanism_for(Number("0", "1"), two_points())
    # V = 3/4 at both ends, and 1/4 more in the middle, where one of them is chosen at random.
    assert mechanism.variance_by_answer().at(None, 0.0) == pytest.approx(1.0)
    assert mechanism.variance_by_answer().at(None, 0.0) == pytest.approx(mechanism.variance() / 4)


@pytest.mark.parametrize("unsampled", [0.0, 0.4, 1.0])
def test_no_answer_is_worse_than_the_worst(unsampled: float) -> None:
    squares = (2.0, 1.3, 1.5, 1.3, 2.0)
    answers = np.linspace(-1, 1, 4001)
    values = np.interp(answers, np.linspace(-1, 1, 5), squares) - (1 - unsampled) * answers**2
    assert MeanVariance(squares, 3.0, between=True).at(None, unsampled) == pytest.approx(9 * values.max())


def test_laplaces_noise_is_the_same_for_all_answers() -> None:
    mechanism = mechanism_for(Number("-1", "1"), LaplaceMechanism.of(ONE))
    variance = mechanism.variance_by_answer()
    assert variance.at(None, 0.0) == pytest.approx(mechanism.variance())
    assert variance.at(None, 1.0) == pytest.approx(mechanism.variance() - 1 / mechanism.design.steps**2 + 1)


def test_a_distribution_is_judged_by_its_mean() -> None:
    mechanism = mechanism_for(Number("0", "10", "distribution"), SquareWaveMechanism.of(ONE, 16, 4))
    assert mechanism.variance_by_answer().at(None, 0.0) == pytest.approx(25 * mechanism.variance())
    assert mechanism.variance_by_answer().at(None, 1.0) == pytest.approx(25 * (mechanism.variance() + 1))


def test_a_share_at_which_nothing_bends_is_the_worse_end() -> None:
    assert ShareVariance(1.0, 0.5).worst_share(0.0) == 1
    assert ShareVariance(1.0, -0.5).worst_share(0.0) == 0
