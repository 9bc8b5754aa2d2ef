"""Subset selection, k-ary randomized response and Warner's design."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Vector, choices
from tests.mechanisms.laws import SPAN, threshold_of, two_weights, written_set
from tests.vectors.mechanisms import broken, categories, exact, mechanism_vectors
from tests.vectors.read import vectors as read_vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_client.mechanisms import draw
from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.category_bound import best_picks, variance_of_picks, ye_barg_bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Subset, read_design, wire
from hushpoll_shared.question_types import YesNo

EPSILONS = ("0.1", "0.5", "1", "2", "4")
CASES = (
    Case("warner", YesNo(), lambda bound: SubsetMechanism.of(bound, 2), (0, 1)),
    Case("k-ary", choices(4), lambda bound: SubsetMechanism.of(bound, 4, picks=1), tuple(range(4))),
    Case("subset", choices(5), lambda bound: SubsetMechanism.of(bound, 5, picks=2), tuple(range(5))),
    Case("best subset", choices(6), lambda bound: SubsetMechanism.of(bound, 6), tuple(range(6))),
)
STUDIED = {
    "grr": (choices(16), Subset(16, 1, threshold_of(math.exp(3), 1, 15))),
    "subset": (choices(12), Subset(12, 3, threshold_of(math.e, 3, 9))),
}
# Computed independently of this code, before it was written.
PUBLISHED_THRESHOLDS = {"0.5": 11482347978973021681, "1": 13485650502877570762, "2": 16247838278329192790}
PUBLISHED_BITS = "1111101101111111111011111111001011101010111111011110101111111111"

PRIVACIES: list[dict[str, object]] = [
    {"odds": "3:1"}, {"odds": "5:1"}, {"odds": "1:3"}, {"odds": 3}, {"p": "3/4"}, {"p": "0.75"}, {"p": "0.7"},
    {"p": "0.3"}, {"truth": "1/2"}, {"truth": "0.1"}, {"epsilon": "0.000001"}, {"epsilon": "0.1"},
    {"epsilon": "0.5"}, {"epsilon": "1"}, {"epsilon": 1}, {"epsilon": "2"}, {"epsilon": "4"}, {"epsilon": "20"},
]  # fmt: skip
NO_PRIVACIES: list[dict[str, object]] = [
    {}, {"epsilon": "0"}, {"epsilon": "41"}, {"odds": "1:1"}, {"odds": "1:0"}, {"odds": "0:1"}, {"p": "1/2"},
    {"p": "1"}, {"p": "0"}, {"p": "3/2"}, {"truth": "0"}, {"truth": "1"}, {"epsilon": 0.5}, {"epsilon": True},
    {"epsilon": "1", "p": "3/4"}, {"sigma": "1"}, {"epsilon": None}, {"epsilon": "1e-30"}, {"epsilon": "-1"},
]  # fmt: skip


def law(design: Subset, code: int) -> Law:
    """Return the law: sets that contain the answer share the threshold, the others the rest."""
    sets = combinations(range(design.size), design.picks)
    return two_weights(design.threshold, {written_set(chosen, design.size): code in chosen for chosen in sets})


def warner(**privacy: object) -> Subset:
    return SubsetMechanism.of(Spinner.read(privacy).bound, 2)


def vectors() -> Vector:
    designs = [
        SubsetMechanism.of(Bound.of_epsilon("1"), 4),
        SubsetMechanism.of(Bound.of_epsilon("1"), 16),
        SubsetMechanism.of(Bound.of_epsilon("0.5"), 5),
        SubsetMechanism.of(Bound.of_odds("3:1"), 2),
        SubsetMechanism.of(Bound.of_epsilon("1"), 128),
        SubsetMechanism.of(Bound.of_epsilon("20"), 17),
    ]
    wrong = broken(designs[1], size=1, picks=0, threshold="0") + broken(designs[1], size=10**6, picks=16)
    wrong += broken(designs[1], size="16", threshold=1, picks=4.5) + broken(designs[1], threshold=str(SPAN))
    # Below one half the report is more often what the answer is not.
    wrong += broken(designs[3], threshold=str(SPAN // 4))
    about = "keep = [u64 < threshold]; picks of the others by Fisher-Yates; the last becomes the truth if kept"
    return {
        **mechanism_vectors(about, categories(designs), wrong, exact(CASES)),
        "warner": {
            "about": "Warner's own parameters, and his design: the report is the answer if the u64 is below",
            "designs": [{"privacy": each, "mechanism": warner(**each).to_json()} for each in PRIVACIES],
            "refused": NO_PRIVACIES,
            "draws": [warner_draws(epsilon, answer) for epsilon in ("0.5", "1", "2") for answer in (1, 0)],
        },
    }


def warner_draws(epsilon: str, answer: int) -> Vector:
    """Return Warner's draws without the product's code: u64 below the threshold means the answer."""
    design, seed = warner(epsilon=epsilon), f"warner-eps{epsilon}"
    source = FixedTestStream(seed)
    u64s = [int.from_bytes(source.take(8), "big") for _ in range(64)]
    draws = "".join(str(answer if u64 < design.threshold else 1 - answer) for u64 in u64s)
    return {"mechanism": design.to_json(), "answer": answer, "seed": seed, "draws": draws}


VECTORS = read_vectors("subset")["warner"]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("size", [2, 3, 5, 16, 64, 128])
def test_it_attains_the_bound_that_trying_all_picks_finds(size: int, epsilon: str) -> None:
    bound = Bound.of_epsilon(epsilon)
    mechanism = mechanism_for(choices(size), SubsetMechanism.of(bound, size))
    least = min(variance_of_picks(size, picks, float(bound.odds)) for picks in range(1, size))
    assert mechanism.variance() / least == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "size", "picks", "p", "q", "total"),
    [
        ("1", 4, 1, 0.475367, 0.174878, 8.30622),
        ("1", 16, 4, 0.475367, 0.234976, 51.9139),
        ("1", 128, 34, 0.495767, 0.263813, 464.082),
        ("2", 16, 2, 0.513519, 0.099099, 10.1896),
    ],
)
def test_it_has_the_published_figures(epsilon: str, size: int, picks: int, p: float, q: float, total: float) -> None:
    design = SubsetMechanism.of(Bound.of_epsilon(epsilon), size)
    assert design.picks == picks
    assert (float(design.p), float(design.q)) == pytest.approx((p, q), abs=5e-7)
    assert mechanism_for(choices(size), design).variance() == pytest.approx(total, rel=5e-6)


@pytest.mark.parametrize(("epsilon", "largest"), [(0.5, 3), (1, 5), (2, 11), (3, 29), (4, 78)])
def test_one_pick_is_best_exactly_up_to_the_published_sizes(epsilon: float, largest: int) -> None:
    ones = [size for size in range(2, 200) if best_picks(size, math.exp(epsilon)) == 1]
    assert ones == list(range(2, largest + 1))


@pytest.mark.parametrize(("size", "threshold"), [(4, 8768971294881393556), (16, 2830040163897777923)])
def test_k_ary_response_has_the_published_thresholds(size: int, threshold: int) -> None:
    assert SubsetMechanism.of(Bound.of_epsilon("1"), size, picks=1).threshold == threshold


def test_a_privacy_that_no_threshold_can_keep_is_refused() -> None:
    with pytest.raises(InvalidValue):
        SubsetMechanism.of(Bound.of_epsilon("0.00000000000000000001"), 2)


@pytest.mark.parametrize(("size", "members"), [(3, [2]), (12, [0, 7, 8, 11]), (17, [3, 4, 16])])
def test_a_member_of_a_set_is_found_without_reading_all_of_it(size: int, members: list[int]) -> None:
    written = wire.write_set(members, size)
    assert [place for place in range(size) if wire.has_member(written, place, len(members))] == members
    assert wire.read_set(written, len(members)) == members


@pytest.mark.parametrize("case", CASES[2:], ids=str)
def test_a_set_with_too_many_members_or_members_outside_is_refused(case: Case) -> None:
    design = case.design("0.1")
    assert not design.is_draw("f" * design.width)
    assert not design.is_draw("0" * design.width)
    assert not design.is_draw("0" * (design.width - 1) + "3")


# --- Warner's design -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "threshold"), PUBLISHED_THRESHOLDS.items())
def test_warners_threshold_is_the_published_one(epsilon: str, threshold: int) -> None:
    assert warner(epsilon=epsilon).threshold == threshold


def test_warners_draws_are_the_published_ones() -> None:
    design, source = Subset(2, 1, PUBLISHED_THRESHOLDS["1"]), FixedTestStream("warner-eps1")
    assert "".join(draw(design, source, 1) for _ in range(64)) == PUBLISHED_BITS


@pytest.mark.parametrize("case", VECTORS["draws"], ids=lambda case: f"{case['seed']}-{case['answer']}")
def test_warners_draws_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    design, source = read_design(case["mechanism"]), FixedTestStream(case["seed"])
    assert "".join(draw(design, source, case["answer"]) for _ in case["draws"]) == case["draws"]
    assert source.taken == 8 * len(case["draws"])


def test_three_to_one_is_exact() -> None:
    assert warner(odds="3:1") == Subset(2, 1, 3 * 2**62)
    assert warner(odds="3:1").odds == 3


@pytest.mark.parametrize("case", VECTORS["designs"], ids=lambda case: str(case["privacy"]))
def test_each_parameter_of_warners_gives_the_design_of_the_vectors(case: dict[str, Any]) -> None:
    design = warner(**case["privacy"])
    assert design.to_json() == case["mechanism"]
    assert read_design(case["mechanism"]) == design


@pytest.mark.parametrize("privacy", VECTORS["refused"], ids=str)
def test_a_privacy_that_means_nothing_is_refused(privacy: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        warner(**privacy)


@pytest.mark.parametrize("same", [{"odds": "3:1"}, {"p": "3/4"}, {"p": "0.75"}, {"truth": "1/2"}, {"truth": "0.5"}])
def test_two_fair_coins_can_be_written_in_many_ways(same: dict[str, object]) -> None:
    assert warner(**same) == Subset(2, 1, 3 * 2**62)


def test_one_die_is_odds_of_five_to_one() -> None:
    # 1 → yes, 6 → no, else the truth: truth with probability 4/6.
    design = warner(truth="2/3")
    assert design.odds <= 5
    assert design.epsilon <= Epsilon.of_odds(Fraction(5))
    assert 5 - design.odds < Fraction(1, 10**17)


@given(st.integers(1, 40 * 10**6))
def test_the_realised_epsilon_is_never_above_the_stated_one_and_the_next_threshold_would_be(millionths: int) -> None:
    stated = Epsilon.parse(f"{millionths}/1000000")
    design = warner(epsilon=f"{millionths}/1000000")
    assert design.epsilon <= stated
    if design.threshold + 1 < SPAN:
        assert Subset(2, 1, design.threshold + 1).epsilon > stated


@given(st.integers(SPAN // 2 + 1, SPAN - 1))
def test_epsilon_bounds_every_ratio_over_all_answers_and_reports(threshold: int) -> None:
    design = Subset(2, 1, threshold)
    no, yes = (law(design, answer) for answer in (0, 1))
    assert sum(no.values()) == sum(yes.values()) == 1
    worst = max(max(no[report] / yes[report], yes[report] / no[report]) for report in "01")
    assert worst == design.odds
    assert Epsilon.of_odds(worst) == design.epsilon


@given(st.fractions(min_value=0, max_value=1).filter(lambda p: p not in (0, 1) and p != Fraction(1, 2)))
def test_any_probability_is_rounded_toward_one_half(p: Fraction) -> None:
    if not 0 < p * SPAN < SPAN - 1 or abs(p - Fraction(1, 2)) * SPAN <= 2**40:
        return
    design = warner(p=f"{p.numerator}/{p.denominator}")
    assert design.p <= max(p, 1 - p)
    assert max(p, 1 - p) - design.p < Fraction(1, SPAN)


def test_a_spinner_below_one_half_is_the_same_design_with_the_reports_exchanged() -> None:
    below, above = Spinner.read({"p": "1/4"}), Spinner.read({"p": "3/4"})
    assert (below.p, below.bound) == (1 - above.p, above.bound)
    assert warner(p="1/4") == warner(p="3/4")


def test_epsilon_of_twenty_is_nearly_the_truth_and_a_tiny_one_nearly_a_coin() -> None:
    assert 1 - warner(epsilon="20").p < Fraction(1, 10**8)
    assert warner(epsilon="0.000000001").p - Fraction(1, 2) < Fraction(1, 10**9)


# --- the tables of its page ------------------------------------------------------------------------------------------


def subset_rows() -> Iterator[Row]:
    for epsilon, k in product(TABLE_EPSILONS, (4, 16, 128, 2048)):
        design, odds = SubsetMechanism.of(Bound.of_epsilon(epsilon), k), math.exp(float(epsilon))
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


TABLES = {"ε | k | d*": subset_rows, "ε | largest k": one_pick_rows}
