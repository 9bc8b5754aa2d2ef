"""PrivSet for questions with few answers out of many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, compress, product

import pytest
from tests.mechanisms.cases import Case, Law, Row, Vector, choices
from tests.mechanisms.laws import threshold_of, two_weights, written_set
from tests.mechanisms.test_ball import ball_of
from tests.vectors.mechanisms import broken, exact, mechanism_vectors, ticks

from hushpoll_server.estimate.combine import total
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_shared.mechanisms import PrivSet
from hushpoll_shared.question_types import MultiChoice


def at_most(most: int, options: int) -> tuple[tuple[int, ...], ...]:
    """Return all answers with at most this many ticks."""
    return tuple(bits for bits in product((0, 1), repeat=options) if sum(bits) <= most)


def few(options: int, most: int) -> MultiChoice:
    return MultiChoice(choices(options).options, most)


CASES = (
    Case("privset", few(4, 2), lambda bound: PrivSetMechanism.of(bound, 4, 2), at_most(2, 4)),
    Case("privset, two picks", few(4, 2), lambda bound: PrivSetMechanism.of(bound, 4, 2, 2), at_most(2, 4)),
    Case("privset, more picks than ticks", few(4, 1), lambda bound: PrivSetMechanism.of(bound, 4, 1, 3), at_most(1, 4)),
    Case("privset, all picks", few(2, 2), lambda bound: PrivSetMechanism.of(bound, 2, 2, 2), at_most(2, 2)),
)
STUDIED = {
    "privset": (few(12, 3), PrivSet(12, 3, 3, threshold_of(math.exp(2), math.comb(15, 3) - math.comb(12, 3), 220)))
}


def law(design: PrivSet, code: tuple[int, ...]) -> Law:
    """Return the law: sets that meet the filled-up answer share the threshold, the others the rest."""
    ticked = list(compress(range(design.options), code))
    answer = {*ticked, *range(design.options + len(ticked), design.options + design.most)}
    size = design.options + design.most
    sets = combinations(range(size), design.picks)
    return two_weights(design.threshold, {written_set(chosen, size): bool(answer & {*chosen}) for chosen in sets})


def vectors() -> Vector:
    sizes = (("1", 8, 2), ("1", 16, 2), ("0.1", 30, 3), ("0.01", 256, 1), ("1", 120, 20))
    designs = [PrivSetMechanism.of(Bound.of_epsilon(epsilon), options, most) for epsilon, options, most in sizes]
    # The sets with some of the answer are more than 2^64: one 64-bit number does not choose among them.
    assert designs[3].inside > 2**64
    wrong = broken(designs[0], most=9, picks=9, options=1) + broken(designs[0], threshold="99")
    about = (
        "keep = [u64 < threshold]; uniform(inside) says how many of the answer are in the set; "
        "the answer in random order; picks of the others in random order"
    )
    return mechanism_vectors(about, ticks(designs, [[], [0], [7]]), wrong, exact(CASES))


# ε, m, L, d and the variance, computed independently of this code, before it was written.
PUBLISHED = [
    ("1", 16, 2, 2, 6.52), ("1", 30, 3, 3, 10.5), ("1", 64, 3, 6, 11.3), ("1", 128, 3, 11, 11.7),
    ("0.5", 64, 3, 8, 50.7), ("2", 128, 3, 5, 2.16),
]  # fmt: skip


def mechanism_of(epsilon: str, options: int, most: int, picks: int | None = None) -> PrivSetMechanism:
    design = PrivSetMechanism.of(Bound.of_epsilon(epsilon), options, most, picks)
    mechanism = mechanism_for(few(options, most), design)
    assert isinstance(mechanism, PrivSetMechanism)
    return mechanism


def likely_variance(mechanism: PrivSetMechanism) -> float:
    """Return the variance, given the answers, at the share that so few ticks allow."""
    return mechanism.variance_at(min(0.5, mechanism.design.most / mechanism.design.options))


def padded_variance(epsilon: str, options: int, most: int) -> float:
    """Return the least variance of padding and sampling: one of the answer, by lot, is reported by subset selection."""
    odds, size, share = math.exp(float(epsilon)), options + most, min(0.5, most / options)
    least = math.inf
    for picks in range(1, options + 1):
        inner = 1 + (odds - 1) * most / min(picks, most)
        keep = picks * inner / (picks * inner + size - picks)
        q = (keep * (picks - 1) + (1 - keep) * picks) / (size - 1)
        gap = (keep - q) / most
        rate = q + share * gap
        least = min(least, rate * (1 - rate) / gap**2 - share * (1 - share))
    return least


@pytest.mark.parametrize(("epsilon", "options", "most", "picks", "variance"), PUBLISHED)
def test_it_has_the_published_picks_and_variances(
    epsilon: str, options: int, most: int, picks: int, variance: float
) -> None:
    mechanism = mechanism_of(epsilon, options, most)
    assert mechanism.design.picks == picks
    assert likely_variance(mechanism) == pytest.approx(variance, rel=5e-3)


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "3", "4", "8"])
def test_it_is_never_worse_than_padding_and_sampling(epsilon: str) -> None:
    for options, most in product((2, 3, 5, 8, 16, 30, 64, 128), (1, 2, 3, 5, 10)):
        if most <= options:
            variance = likely_variance(mechanism_of(epsilon, options, most))
            assert variance <= padded_variance(epsilon, options, most) * (1 + 1e-9)


def test_with_one_pick_it_is_padding_and_sampling() -> None:
    for options, most in ((8, 2), (30, 3), (64, 3)):
        mechanism = mechanism_of("3", options, most)
        assert mechanism.design.picks == 1
        assert likely_variance(mechanism) == pytest.approx(padded_variance("3", options, most), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.5", "2", "4"])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, None])
def test_the_number_of_picks_is_the_best_at_the_share_that_it_is_chosen_for(share: float | None, epsilon: str) -> None:
    measure = AtShare(share)
    for options, most in ((4, 1), (8, 2), (16, 3), (64, 3)):
        each = [mechanism_of(epsilon, options, most, picks) for picks in range(1, options + 1)]
        least = min(measure(mechanism.variance_by_answer()) for mechanism in each)
        design = PrivSetMechanism.of(Bound.of_epsilon(epsilon), options, most, measure=measure)
        chosen = mechanism_for(few(options, most), design)
        assert measure(chosen.variance_by_answer()) == pytest.approx(least, rel=1e-9)


def test_the_best_number_of_picks_is_found_where_some_have_a_variance_beyond_floats() -> None:
    for epsilon in ("0.000000001", "40"):
        for measure in (None, AtShare(0.01), AtShare(None)):
            assert PrivSetMechanism.of(Bound.of_epsilon(epsilon), 256, 256, measure=measure).picks < 256


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
@pytest.mark.parametrize(("options", "most"), [(4, 1), (5, 2), (6, 3)])
def test_the_best_number_of_picks_is_that_of_trying_all_with_the_enumerated_law(
    options: int, most: int, epsilon: str
) -> None:
    variances = {
        picks: enumerated_variance(mechanism_of(epsilon, options, most, picks)) for picks in range(1, options + 1)
    }
    best = mechanism_of(epsilon, options, most)
    assert variances[best.design.picks] == min(variances.values())
    assert likely_variance(best) == pytest.approx(min(variances.values()), rel=1e-9)


def enumerated_variance(mechanism: PrivSetMechanism) -> float:
    """Return the variance of the first option given the answers, from the probabilities of all draws."""
    design = mechanism.design
    share = min(Fraction(1, 2), Fraction(design.most, design.options))
    others = (0,) * (design.options - 1)
    p, q = (
        sum(chance for drawn, chance in law(design, (tick, *others)).items() if "0" in mechanism.counters(drawn))
        for tick in (1, 0)
    )
    return float((share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2)


@pytest.mark.parametrize(("options", "most", "wins"), [(30, 1, True), (8, 2, True), (8, 8, False)])
def test_it_is_better_than_the_ball_if_few_of_many_may_be_ticked(options: int, most: int, wins: bool) -> None:
    mechanism = mechanism_of("1", options, most)
    share = min(0.5, most / options)
    assert (likely_variance(mechanism) < ball_of("1", options).variance_at(share)) == wins


def test_shares_of_options_need_not_add_up_to_one_even_if_one_may_be_ticked() -> None:
    mechanism = mechanism_of("1", 3, 1)
    design = mechanism.design
    cells = [(name, 300, 1000) for name in "abc"]
    result = estimate_shares(cells, SupportDesign(design.p, design.q), epsilon=1, joint=mechanism.joint)
    assert total(result, ["a", "b", "c"]).se > 0


# --- the tables of its page ------------------------------------------------------------------------------------------


def privset_rows() -> Iterator[Row]:
    sizes = [("0.5", 64, 3), ("1", 8, 2), ("1", 16, 2), ("1", 30, 3), ("1", 64, 3), ("1", 128, 3), ("1", 8, 8)]
    sizes += [("2", 8, 2), ("2", 64, 3), ("2", 128, 3), ("2", 8, 8), ("4", 8, 2), ("4", 64, 3), ("4", 128, 3)]
    for epsilon, m, most in sizes:
        variance, padded = likely_variance(mechanism_of(epsilon, m, most)), padded_variance(epsilon, m, most)
        ball = ball_of(epsilon, m).variance_at(min(0.5, most / m))
        figures = (
            f"{variance:.4f}",
            f"{padded:.4f}",
            f"{ball:.4f}",
            f"{padded / variance:.2f}",
            f"{ball / variance:.2f}",
        )
        yield [epsilon, str(m), str(most), str(mechanism_of(epsilon, m, most).design.picks), *figures]


TABLES = {"ε | m | L": privset_rows}
