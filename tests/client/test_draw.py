"""Draws are exact, take the same bytes whatever the answer is, and agree with the vectors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.support.streams import FixedTestStream
from tests.support.vectors import vectors

from hushpoll_client.draw import DRAW_OF_DESIGN, draw_subset, draw_warner
from hushpoll_shared.designs import (
    DESIGNS,
    Ball,
    Bound,
    Channel,
    Design,
    Laplace,
    Padded,
    Projective,
    Repeated,
    Subset,
    Warner,
    Wave,
    read_design,
)
from hushpoll_shared.errors import InvalidValue


class Constant:
    """A source whose 64-bit draws all have one value."""

    def __init__(self, value: int) -> None:
        self.value = value

    def take(self, count: int) -> bytes:
        assert count == 8
        return self.value.to_bytes(8, "big")


@pytest.mark.parametrize("case", vectors("warner")["draws"], ids=lambda case: f"{case['seed']}-{case['answer']}")
def test_warner_draws_the_bits_of_the_vectors(case: dict[str, Any]) -> None:
    design, source = Warner(int(case["threshold"])), FixedTestStream(case["seed"])
    draws = [draw_warner(design, source, case["answer"]) for _ in case["draws"]]
    assert "".join(map(str, draws)) == case["draws"]
    assert source.taken == 8 * len(draws)


def test_warner_draws_the_published_bits() -> None:
    design, source = Warner(13485650502877570762), FixedTestStream("warner-eps1")
    draws = "".join(str(draw_warner(design, source, 1)) for _ in range(64))
    assert draws == "1111101101111111111011111111001011101010111111011110101111111111"


@pytest.mark.parametrize("answer", [0, 1])
def test_the_answer_is_drawn_just_below_the_threshold_and_its_opposite_from_there(answer: int) -> None:
    design = Warner.from_odds("3:1")
    assert draw_warner(design, Constant(design.threshold - 1), answer) == answer
    assert draw_warner(design, Constant(design.threshold), answer) == 1 - answer
    assert draw_warner(design, Constant(0), answer) == answer
    assert draw_warner(design, Constant(2**64 - 1), answer) == 1 - answer


def test_every_design_of_the_shared_core_has_a_draw() -> None:
    assert set(DRAW_OF_DESIGN) == set(DESIGNS.values())


@pytest.mark.parametrize("answer", [0, 1])
def test_warner_is_subset_selection_with_two_categories_from_the_same_bytes(answer: int) -> None:
    warner, subset = Warner.from_odds("3:1"), Subset.from_bound(Bound.of_odds("3:1"), 2)
    assert warner.threshold == subset.threshold
    one, other = FixedTestStream("case"), FixedTestStream("case")
    for _ in range(64):
        assert str(draw_warner(warner, one, answer)) == draw_subset(subset, other, answer)
    assert one.taken == other.taken


def outside(design: Design) -> list[Any]:
    """List codes that are next to the domain of a design, or of another kind."""
    match design:
        case Subset() | Projective() | Repeated():
            return [-1, design.size, design.size + 1, 0.5, True, None]
        case Warner():
            return [-1, 2, 3, 0.5, True, None]
        case Ball():
            return [(), (0,) * (design.options + 1), (2,) * design.options, (-1,) * design.options]
        case Padded():
            many = (1,) * (design.most + 1) + (0,) * (design.options - design.most - 1)
            return [(), (0,) * (design.options + 1), (2,) + (0,) * (design.options - 1), many]
        case Channel() | Wave():
            return [-1, design.extras, Fraction(-1, 2), Fraction(3, 2)]
        case Laplace():
            return [-1, 0, Fraction(-1, 2), Fraction(3, 2)]
    raise AssertionError(design)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_code_outside_the_design_is_refused_before_a_byte_is_drawn(name: str) -> None:
    cases = [] if name == "warner" else vectors(name)["cases"]
    designs = [read_design(case["mechanism"]) for case in cases] or [Warner.from_odds("3:1")]
    for design in designs:
        for code in outside(design):
            source = FixedTestStream("outside")
            with pytest.raises(InvalidValue, match="mechanism"):
                DRAW_OF_DESIGN[type(design)](design, source, code)
            assert source.taken == 0
