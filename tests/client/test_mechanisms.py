"""The device's half of the mechanisms: where the coin turns, and that it takes the same bytes whatever the answer is.

That the draws have their law, and that codes outside the domain are refused, is tested for all of them in
tests/mechanisms/test_contract.py.
"""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import Case, every_case
from tests.samples.designs import warner
from tests.vectors.streams import FixedTestStream

from hushpoll_client.mechanisms import DRAWS, draw
from hushpoll_shared.mechanisms import DESIGNS, Subset, wire


class Constant:
    """A source whose 64-bit draws all have one value."""

    def __init__(self, value: int) -> None:
        self.value = value

    def take(self, count: int) -> bytes:
        assert count == 8
        return self.value.to_bytes(8, "big")


def test_every_design_of_the_shared_core_has_a_draw() -> None:
    assert set(DRAWS) == set(DESIGNS.values())


@pytest.mark.parametrize("answer", [0, 1])
def test_the_answer_is_drawn_just_below_the_threshold_and_its_opposite_from_there(answer: int) -> None:
    design = warner(odds="3:1")
    assert draw(design, Constant(design.threshold - 1), answer) == str(answer)
    assert draw(design, Constant(design.threshold), answer) == str(1 - answer)
    assert draw(design, Constant(0), answer) == str(answer)
    assert draw(design, Constant(2**64 - 1), answer) == str(1 - answer)


@pytest.mark.parametrize("answer", [0, 1])
def test_the_short_way_of_two_categories_gives_the_draws_of_the_general_one(answer: int) -> None:
    from hushpoll_client.mechanisms.subset import draw_members

    design: Subset = warner(odds="3:1")
    short, general = FixedTestStream("case"), FixedTestStream("case")
    for _ in range(64):
        assert draw(design, short, answer) == wire.write_set(draw_members(design, general, answer), design.size)
    assert short.taken == general.taken


@pytest.mark.parametrize("case", list(every_case()), ids=str)
def test_how_many_bytes_a_draw_takes_does_not_depend_on_the_answer(case: Case) -> None:
    design = case.design("1")
    for seed in ("one", "another"):
        taken = set()
        for code in case.codes:
            source = FixedTestStream(seed)
            draw(design, source, code)
            taken.add(source.taken)
        assert len(taken) == 1
