"""Membership: from the averages of many attributes, whether one person is among those averaged.

The attacker knows the person's attributes y and their frequencies p in the population, and adds up T = Σ (y_j −
p_j)(m_j − p_j) over the published averages m of n people. If the person is not among them, T is 0 on average; if so, Σ
v_j/n with v_j = p_j(1 − p_j), because they are one part in n of each average. With noise of variance τ² in each
average the standard deviation is √(Σ v_j (v_j/n + τ²)), so for the threshold halfway

    P(right) ≈ Φ(½ Σ (v_j/n) / √(Σ v_j (v_j/n + τ²)))          ½ √(d/n) inside Φ without noise

No single average tells anything, but d of them do as soon as d is a few times n. A budget makes τ grow with d.

Averages with and without one person give their value: n·m_n − (n − 1)·m_(n−1).

References: N. Homer et al. (2008), Resolving individuals contributing trace amounts of DNA to highly complex mixtures,
PLoS Genetics 4; S. Sankararaman et al. (2009), Nature Genetics 41; C. Dwork, A. Smith, T. Steinke, J. Ullman, S.
Vadhan (2015), Robust traceability from trace amounts, FOCS.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from hushpoll_server.lab.attacks.attack import Attack, Chosen, rms, simulation_error
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise
from hushpoll_server.lab.defences.bounded import variance as bounded_variance
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import HEIGHT_RANGE, invent_city
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import Figures, Places, SeededStream, fractions
from hushpoll_server.mechanisms.bound import Bound

ATTRIBUTES = (10, 100, 500, 2_000)
BOUND = 2
GROUPS = 4
# The heights are published in tenths of a centimetre, with which the noise is counted.
_TENTHS = 10
_REPEATED = 2_000

# From the attributes of all members to the noisy sums over them.
Release = Callable[[Places], Figures]


def trace(chosen: Chosen) -> AttackResult:
    """Guess of members and of others whether they are in a group, from the averages of its attributes."""
    stream = SeededStream(chosen.seed, "membership")
    curves = {count: _measure(count, chosen, stream) for count in ATTRIBUTES}
    most = curves[ATTRIBUTES[-1]]
    return AttackResult(
        name="membership",
        title="Membership: who is in the group behind the averages",
        statement=(
            f"A study of {chosen.n:,} people publishes nothing but the averages of many attributes. The attacker "
            "knows one person's attributes and how frequent each is in the population. Half of the people attacked "
            "are members."
        ),
        parameters={"groups": GROUPS, "bounded noise up to": BOUND},
        tables=(_defences(most, chosen), _curve_table(curves, chosen), _one_out(chosen, stream)),
        verdicts=_verdicts(most, chosen),
        picture=_picture(curves, chosen),
    )


def success(frequencies: Figures, n: int, variance: float) -> float:
    """Return how often the guess is right, by the normal law; the variance is that of the noise in one average."""
    spread = frequencies * (1 - frequencies)
    return float(special.ndtr((spread / n).sum() / 2 / math.sqrt((spread * (spread / n + variance)).sum())))


def _releases(count: int, chosen: Chosen, stream: SeededStream) -> dict[str, tuple[Release, float]]:
    """Return for each defence how the sums are published, and the variance of the noise in one average."""
    n, noise = chosen.n, CountNoise(chosen.epsilon / count)
    local = Randomizer(Bound.of_epsilon(f"{chosen.epsilon / count:.12f}"))

    def by_reports(members: Places) -> Figures:
        reports = local.draw(stream, members.reshape(-1)).reshape(members.shape)
        return np.asarray(n * local.estimate(reports.mean(axis=0)))

    return {
        NAMES_REMOVED: (lambda members: members.sum(axis=0), 0.0),
        BOUNDED_NOISE: (
            lambda members: members.sum(axis=0) + bounded_noise(stream, count, BOUND),
            bounded_variance(BOUND) / n**2,
        ),
        CALIBRATED_NOISE: (lambda members: members.sum(axis=0) + noise.draw(stream, count), noise.variance / n**2),
        LOCAL: (by_reports, local.variance / n),
    }


def _measure(count: int, chosen: Chosen, stream: SeededStream) -> dict[str, tuple[float, float]]:
    """Return measured and expected success for each defence."""
    releases = _releases(count, chosen, stream)
    right: dict[str, list[float]] = {name: [] for name in releases}
    expected = dict.fromkeys(releases, 0.0)
    for _ in range(GROUPS):
        frequencies = 0.1 + 0.8 * fractions(stream, count)
        people = (fractions(stream, 2 * chosen.n * count).reshape(-1, count) < frequencies).astype(np.int64)
        members = people[: chosen.n]
        threshold = (frequencies * (1 - frequencies)).sum() / chosen.n / 2
        for name, (release, variance) in releases.items():
            inner = (people - frequencies) @ (release(members) / chosen.n - frequencies)
            right[name].append(float(np.mean((inner > threshold) == (np.arange(len(people)) < chosen.n))))
            expected[name] += success(frequencies, chosen.n, variance) / GROUPS
    return {name: (float(np.mean(right[name])), expected[name]) for name in releases}


def _defences(most: dict[str, tuple[float, float]], chosen: Chosen) -> Table:
    # Averages of whole groups are k-anonymous for every k up to their size.
    rows = [(name, *figures) for name, figures in most.items()]
    rows.insert(1, (K_ANONYMITY, *most[NAMES_REMOVED]))
    columns = (
        Column("defence", "defence"),
        Column("measured", "guessed right", "share"),
        Column("theory", "theory", "share"),
    )
    caption = f"{ATTRIBUTES[-1]:,} averages of {chosen.n:,} people, ε = {chosen.epsilon:.4g} for all of them"
    return Table("defences", caption, columns, tuple(rows))


def _curve_table(curves: dict[int, dict[str, tuple[float, float]]], chosen: Chosen) -> Table:
    columns = (
        Column("attributes", "averages", "count"),
        Column("exact_measured", "exact", "share"),
        Column("exact_theory", "theory", "share"),
        Column("bounded_measured", "bounded noise", "share"),
        Column("bounded_theory", "theory", "share"),
        Column("budget_measured", "budget", "share"),
        Column("budget_theory", "theory", "share"),
        Column("local_measured", "local", "share"),
        Column("local_theory", "theory", "share"),
    )
    rows = tuple((count, *(figure for pair in curve.values() for figure in pair)) for count, curve in curves.items())
    error = simulation_error(0.5, 2 * GROUPS * chosen.n)
    caption = f"Guessed right against the number of averages; standard deviation at most about {error:.4f}"
    return Table("curve", caption, columns, rows)


def _one_out(chosen: Chosen, stream: SeededStream) -> Table:
    """Return how far off the height is that follows from the averages with and without one person."""
    city = invent_city(max(chosen.n, 100), seed=chosen.seed)
    heights = city.height[: chosen.n]
    low, high = HEIGHT_RANGE
    noise = CountNoise(chosen.epsilon / 2, round((high - low) / 2 * _TENTHS))
    errors = (noise.draw(stream, _REPEATED) - noise.draw(stream, _REPEATED)) / _TENTHS
    others = heights.sum() - heights
    rounded = chosen.n * np.round(heights.mean(), 1) - (chosen.n - 1) * np.round(others / (chosen.n - 1), 1)
    rows: tuple[tuple[Value, ...], ...] = (
        ("exact averages", 0.0, 0.0),
        # Two roundings, each uniform in ±0.05, times n and n − 1.
        ("rounded to 0.1 cm", rms(rounded - heights), None),
        (CALIBRATED_NOISE, rms(errors), math.sqrt(2 * noise.variance) / _TENTHS),
        ("guessing the average", rms(heights - heights.mean()), None),
    )
    columns = (
        Column("release", "two averages of height"),
        Column("error", "error of one person's height, cm", "number"),
        Column("theory", "theory", "number"),
    )
    return Table("one_out", f"The average of {chosen.n:,} people and of all but one", columns, rows)


def _verdicts(most: dict[str, tuple[float, float]], chosen: Chosen) -> tuple[Verdict, ...]:
    return (
        fails(
            NAMES_REMOVED,
            f"There were no names, only {ATTRIBUTES[-1]:,} averages: {most[NAMES_REMOVED][0]:.1%} right.",
        ),
        fails(K_ANONYMITY, f"An average of {chosen.n:,} people hides among {chosen.n:,}, and does not help."),
        fails(
            BOUNDED_NOISE,
            f"{most[BOUNDED_NOISE][0]:.1%} right: noise that stays small is outnumbered by attributes.",
        ),
        holds(
            CALIBRATED_NOISE,
            f"{most[CALIBRATED_NOISE][0]:.1%} right, because noise grows with the number of averages.",
        ),
        holds(
            LOCAL,
            f"{most[LOCAL][0]:.1%} right from the estimates. Only the answers are hidden: that somebody took part is "
            "seen by whoever watches the network.",
        ),
    )


def _picture(curves: dict[int, dict[str, tuple[float, float]]], chosen: Chosen) -> Picture:
    counts = [round(10 ** (power / 8)) for power in range(8, 28)]
    # Frequencies spread evenly over .1 to .9, as they are drawn.
    spread = {count: 0.1 + 0.8 * (np.arange(count) + 0.5) / count for count in counts}
    noise = {count: CountNoise(chosen.epsilon / count).variance / chosen.n**2 for count in counts}
    bounded = bounded_variance(BOUND) / chosen.n**2

    def measured(name: str) -> tuple[tuple[float, float], ...]:
        return tuple((count, curve[name][0]) for count, curve in curves.items())

    return Picture(
        title="How often membership is guessed right",
        description="Against the number of averages: exact ones and bounded noise rise to 1, a budget does not.",
        x=Scale("averages", 10, 2_000, (10, 50, 200, 1_000), logarithmic=True),
        y=Scale("guessed right", 0.5, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        series=(
            Series("exact: theory", tuple((d, success(spread[d], chosen.n, 0.0)) for d in counts)),
            Series("bounded noise: theory", tuple((d, success(spread[d], chosen.n, bounded)) for d in counts)),
            Series("budget: theory", tuple((d, success(spread[d], chosen.n, noise[d])) for d in counts)),
            Series("exact: measured", measured(NAMES_REMOVED), dots=True),
            Series("bounded noise: measured", measured(BOUNDED_NOISE), dots=True),
            Series("budget: measured", measured(CALIBRATED_NOISE), dots=True),
            Series("local: measured", measured(LOCAL), dots=True),
        ),
        marks=((chosen.n, "n"),),
    )


MEMBERSHIP = Attack(
    name="membership",
    title="who is in the group behind many averages",
    size="people in the group",
    default=100,
    least=20,
    most=200,
    attack=trace,
)
