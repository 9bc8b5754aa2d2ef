"""Two questions as a pair: what a cell of their cross table and a share of one of them cost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.plan.pairs import pair_cost
from hushpoll_shared.epsilon import Epsilon


def test_the_check_values_of_two_yes_no_questions_at_epsilon_1() -> None:
    cost = pair_cost(2, 2, Epsilon.parse("1"))
    # mechanisms.md: 2.1 against 19.5
    assert (cost.cell, cost.cell_apart) == pytest.approx((2.0766, 19.4536), abs=1e-4)
    # Warner's variance at half of the epsilon
    assert cost.share_apart == pytest.approx(4.1676981)


@pytest.mark.parametrize(("first", "second", "epsilon"), [(2, 2, "1"), (2, 3, "1"), (3, 4, "0.5"), (3, 2, "3")])
def test_the_share_of_a_pair_has_the_variance_of_its_reports(first: int, second: int, epsilon: str) -> None:
    size = first * second
    design = SubsetMechanism.of(Bound.of_epsilon(epsilon), size)
    sets = list(itertools.combinations(range(size), design.picks))
    member = np.array([[cell in chosen for cell in range(size)] for chosen in sets], dtype=float)
    inside, outside = member.sum(axis=0)[0], len(sets) - member.sum(axis=0)[0]
    keep = float(design.keep)
    probability = np.where(member == 1, keep / inside, (1 - keep) / outside).mean(axis=1)
    # The estimate that one report gives for the first answer of the first question: a sum over `second` cells.
    estimate = ((member - float(design.q)) / float(design.p - design.q))[:, :second].sum(axis=1)
    variance = probability @ estimate**2 - (probability @ estimate) ** 2
    assert pair_cost(first, second, Epsilon.parse(epsilon)).share == pytest.approx(variance, rel=1e-9)
