"""The covariance of two waves: against the enumeration of every draw of small designs, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.waves.panel import (
    Panel,
    covariances_of_panel,
    covariances_of_reports,
    most_changed,
    wave_covariance,
)
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.mechanisms import Repeated


def design(size: int, once: str = "1", always: str = "2") -> Repeated:
    return RepeatedMechanism.of(Bound.of_epsilon(once), Bound.of_epsilon(always), size)


def permanent(made: Repeated) -> SupportDesign:
    return SupportDesign(made.first.p, made.first.q)


def every_pair(made: Repeated, joint: dict[tuple[int, int], Fraction]) -> Iterator[tuple[Fraction, int, int]]:
    """Yield every pair of reports of one person in two waves with its probability, draw by draw.

    A person has one permanent draw for each answer, whatever the answers are; each wave draws from that of its answer.
    """
    answers = range(made.size)

    def chance(first: bool, source: int, drawn: int) -> Fraction:
        step = made.first if first else made.second
        return step.p if source == drawn else step.q

    for (x, later), share in joint.items():
        for remembered in product(answers, repeat=made.size):
            kept = share
            for answer, drawn in enumerate(remembered):
                kept *= chance(True, answer, drawn)
            for one, other in product(answers, repeat=2):
                yield kept * chance(False, remembered[x], one) * chance(False, remembered[later], other), one, other


def enumerated_covariance(made: Repeated, joint: dict[tuple[int, int], Fraction]) -> Fraction:
    """Return the covariance of the estimates of answer 0 from one person in both waves."""
    pairs = list(every_pair(made, joint))
    assert sum(weight for weight, _, _ in pairs) == 1
    both = sum(weight for weight, one, other in pairs if one == other == 0)
    first = sum(weight for weight, one, _ in pairs if one == 0)
    second = sum(weight for weight, _, other in pairs if other == 0)
    return (both - first * second) / (made.p - made.q) ** 2


def some_joint(size: int, seed: int) -> dict[tuple[int, int], Fraction]:
    """Return a joint distribution of the answers in two waves."""
    cells = np.random.default_rng(seed).integers(1, 20, size=(size, size))
    return {(x, y): Fraction(int(cells[x, y]), int(cells.sum())) for x in range(size) for y in range(size)}


@pytest.mark.parametrize(("size", "seed"), [(2, 1), (2, 2), (3, 3), (3, 4)])
@pytest.mark.parametrize(("once", "always"), [("1", "2"), ("0.5", "4")])
def test_the_formula_is_the_law_of_all_draws(size: int, seed: int, once: str, always: str) -> None:
    made, joint = design(size, once, always), some_joint(size, seed)
    f = float(sum(share for (x, _), share in joint.items() if x == 0))
    g = float(sum(share for (_, y), share in joint.items() if y == 0))
    others = float(sum(joint[x, x] for x in range(1, size)))
    exact = float(enumerated_covariance(made, joint))
    assert wave_covariance(float(joint[0, 0]), others, f, g, permanent(made)) == pytest.approx(exact, abs=1e-12)


def test_fresh_draws_leave_the_covariance_of_the_answers() -> None:
    assert wave_covariance(0.2, 0.5, 0.3, 0.4, None) == pytest.approx(0.2 - 0.12)


def tallies(made: Repeated, shares: tuple[float, float], n: int = 10**6) -> list[Tally]:
    support = SupportDesign(made.p, made.q)
    return [Tally([round(n * support.rate(share))], [n], support) for share in shares]


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("changed", [0.15, 0.4, 1.0])
@pytest.mark.parametrize("shares", [(0.3, 0.35), (0.7, 0.6), (0.02, 0.1), (0.5, 0.5)])
def test_no_people_covary_less_or_more_than_the_bounds(size: int, changed: float, shares: tuple[float, float]) -> None:
    made = design(size)
    one, other = tallies(made, shares)
    bounds = Panel(overlap=1.0, changed=changed, permanent=permanent(made)).covariance(one, other)
    f, g = float(one.share[0]), float(other.share[0])
    # Who holds the answer in both waves; who holds another; who changed among the others
    found = []
    for both in np.linspace(max(0.0, f + g - 1), min(f, g), 60):
        neither = 1 - f - g + both
        for moved in np.linspace(0, neither if size > 2 else 0, 30):
            if f + g - 2 * both + moved <= changed + 1e-12:
                found.append(wave_covariance(both, neither - moved, f, g, permanent(made)))
    n = float(one.n[0])
    assert min(found) * (1 + 1e-9) + 1e-9 >= float(bounds.low) * n
    assert max(found) <= float(bounds.high) * n + 1e-9
    # The lower bound is attained, up to the grid; the upper one if the shares are equal.
    assert min(found) == pytest.approx(float(bounds.low) * n, abs=0.03)
    if f == g:
        assert max(found) == pytest.approx(float(bounds.high) * n, abs=1e-9)


def test_independence_is_cautious_up_to_the_stated_share_of_changes() -> None:
    made = design(2)
    one, other = tallies(made, (0.3, 0.35))
    most = most_changed(one, other, permanent(made))
    noise = made.first.p * (1 - made.first.p) / (made.first.p - made.first.q) ** 2
    f, g = float(one.share[0]), float(other.share[0])
    # c = [V + (f + g)/2 - f g]/(V + ½), from the covariance V(1 - c) + (f + g - c)/2 - f g
    assert most == pytest.approx((float(noise) + (f + g) / 2 - f * g) / (float(noise) + 0.5), abs=1e-6)
    for changed, sign in ((most - 0.01, 1), (most + 0.01, -1)):
        bounds = Panel(overlap=1.0, changed=changed, permanent=permanent(made)).covariance(one, other)
        assert float(bounds.low) * sign > 0
    nobody, again = tallies(made, (0.0, 0.0))
    assert most_changed(nobody, again, permanent(made)) == 1


def test_without_an_overlap_the_covariance_is_between_none_and_that_of_the_same_people() -> None:
    made = design(2)
    one, other = tallies(made, (0.3, 0.35))
    unknown = Panel(permanent=permanent(made)).covariance(one, other)
    same = Panel(overlap=1.0, changed=0.0, permanent=permanent(made)).covariance(one, other)
    assert (float(unknown.low), float(unknown.high)) == (0.0, float(same.high))
    apart = Panel(overlap=0.0, permanent=permanent(made)).covariance(one, other)
    assert (float(apart.low), float(apart.high)) == (0.0, 0.0)


def test_half_of_the_people_in_both_waves_covary_half_as_much() -> None:
    made = design(2)
    one, other = tallies(made, (0.3, 0.35))
    whole, half = (Panel(overlap=part, changed=0.1).covariance(one, other) for part in (1.0, 0.5))
    assert float(half.low) == pytest.approx(float(whole.low) / 2)


def test_the_matrix_of_linked_reports_is_that_of_numpy() -> None:
    made, rng = design(2), np.random.default_rng(3)
    support = SupportDesign(made.p, made.q)
    first = rng.random(400) < 0.5
    reports = np.column_stack([np.where(rng.random(400) < 0.6, first, rng.random(400) < 0.5) for _ in range(3)]) * 1.0
    counted = [Tally([int(column.sum())], [400], support) for column in reports.T]
    matrix = covariances_of_reports(reports, counted, permanent(made)).low
    known = np.cov(reports.T, bias=True) / 400 / support.gap**2
    assert np.diag(matrix) == pytest.approx(np.diag(known))
    highest = covariances_of_panel(counted, Panel(overlap=1.0, permanent=permanent(made))).high
    assert matrix == pytest.approx(np.minimum(known, highest))
    # Somebody who missed a wave counts in the others.
    reports[:100, 1] = np.nan
    counted[1] = Tally([int(np.nansum(reports[:, 1]))], [300], support)
    rates = np.nanmean(reports, axis=0)
    summed = np.nansum((reports[:, 0] - rates[0]) * (reports[:, 1] - rates[1])) / (400 * 300 * support.gap**2)
    found = covariances_of_reports(reports, counted, permanent(made)).low[0, 1]
    assert found == pytest.approx(
        min(summed, float(Panel(overlap=1.0, permanent=permanent(made)).covariance(*counted[:2]).high))
    )


@pytest.mark.parametrize(("overlap", "changed"), [(1.1, 1.0), (1.0, -0.1), (None, 0.1)])
def test_what_is_no_share_is_refused(overlap: float | None, changed: float) -> None:
    with pytest.raises(EstimateError, match=r"between 0 and 1|without the overlap"):
        Panel(overlap=overlap, changed=changed)
