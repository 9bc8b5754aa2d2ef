"""Differencing: the same question before and after one person joined, or about all but one.

The two answers differ by that person's bit b and by the noise: D = b + N₂ − N₁. The law of N₂ − N₁ is symmetric and
has one top, so the best guess is "yes" if D ≥ 1, and it is right with probability

    ½ (1 + P(N₁ = N₂)) = ½ (1 + (1 − α)(1 + α²)/(1 + α)³)          α = e^−ε for each answer

Proof. With f the law of N₂ − N₁, the best guess is right with ½ Σ max(f(k), f(k − 1)). The sum is Σ f(k − 1) plus the
rises f(k) − f(k − 1) up to the top at 0, which add up to f(0). ∎ Whoever knows everybody else needs one answer, not
two, and is right with ½ (1 + P(N = 0)) = e^ε/(1 + e^ε): as often as the report of a device says the truth.

References: D. E. Denning, P. J. Denning, M. D. Schwartz (1979), The tracker: a threat to statistical database
security, ACM Trans. Database Systems 4; C. Dwork, A. Roth (2014), section 1.1.
"""

from __future__ import annotations

import math

import numpy as np

from hushpoll_server.lab.attacks.attack import CURVE, Attack, Chosen, rms, share_right, simulation_error, truthful
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise
from hushpoll_server.lab.defences.bounded import variance as bounded_variance
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.k_anonymity import DEFAULT_K, REDACTED, coarsen
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import INCOME_STEP, MOST_INCOME, City, invent_city
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Verdict, fails, holds
from hushpoll_server.lab.stream import Places, SeededStream, bits, bits_by
from hushpoll_server.mechanisms.bound import Bound

BOUND, SUM_BOUND = 2, 100


def difference(chosen: Chosen) -> AttackResult:
    """Guess the bit of every person of the city by the difference of two counts."""
    city = invent_city(chosen.n, seed=chosen.seed)
    stream = SeededStream(chosen.seed, "differencing")
    curve = [_measure(Bound.of_epsilon(epsilon), city.answer, stream) for epsilon in CURVE]
    defences = _defences(chosen, city, stream)
    return AttackResult(
        name="differencing",
        title="Differencing: two counts that differ by one person",
        statement=(
            "A count is asked twice: before and after one person joined, or about everybody and about everybody but "
            "one. The difference is that person's answer, and only noise can hide it. Each of "
            f"{chosen.n:,} invented people is attacked once; half of them said yes."
        ),
        parameters={"bounded noise up to": BOUND, "k": DEFAULT_K},
        tables=(defences, _sums_table(chosen, city, stream), _curve_table(curve, chosen.n)),
        verdicts=_verdicts(defences, chosen),
        picture=_picture(curve),
    )


def success(noise: CountNoise) -> float:
    """Return how often the best guess from two answers with this noise is right."""
    return (1 + noise.difference_at_zero) / 2


def _guess(bits_: Places, noise: CountNoise, stream: SeededStream) -> float:
    total, count = int(bits_.sum()), len(bits_)
    before = total - bits_ + noise.draw(stream, count)
    after = total + noise.draw(stream, count)
    return share_right(after - before >= 1, bits_ == 1)


def _measure(bound: Bound, answers: Places, stream: SeededStream) -> tuple[float, ...]:
    """Return ε, then measured and expected success for ε in all, for ε in each answer, and for a report."""
    epsilon, local = float(bound.epsilon), Randomizer(bound)
    half, full = CountNoise(epsilon / 2), CountNoise(epsilon)
    return (
        epsilon,
        _guess(answers, half, stream),
        success(half),
        _guess(answers, full, stream),
        success(full),
        share_right(local.draw(stream, answers), answers),
        local.keep,
    )


def _defences(chosen: Chosen, city: City, stream: SeededStream) -> Table:
    answers, count = city.answer, chosen.n
    noise, local = CountNoise(chosen.epsilon / 2), Randomizer(chosen.bound)
    wrong = bounded_noise(stream, count, BOUND) - bounded_noise(stream, count, BOUND)
    noisy = share_right(answers + wrong >= 1, answers == 1)
    rows = (
        (NAMES_REMOVED, 1.0, 1.0),
        (K_ANONYMITY, _by_classes(city, stream), None),
        # P(U₁ = U₂) = 1/(2E + 1)
        (BOUNDED_NOISE, noisy, (1 + 1 / (2 * BOUND + 1)) / 2),
        (CALIBRATED_NOISE, _guess(answers, noise, stream), success(noise)),
        (LOCAL, share_right(local.draw(stream, answers), answers), local.keep),
    )
    columns = (
        Column("defence", "defence"),
        Column("measured", "guessed right", "share"),
        Column("theory", "theory", "share"),
    )
    return Table("defences", f"One person, two counts, ε = {chosen.epsilon:.4g} in all", columns, rows)


def _sums_table(chosen: Chosen, city: City, stream: SeededStream) -> Table:
    """Return how far off a person's income is that follows from two sums, and from one report of a device."""
    noise, local = CountNoise(chosen.epsilon / 2, MOST_INCOME // INCOME_STEP), Randomizer(chosen.bound)
    errors = INCOME_STEP * (noise.draw(stream, chosen.n) - noise.draw(stream, chosen.n))
    bounded = bounded_noise(stream, chosen.n, SUM_BOUND) - bounded_noise(stream, chosen.n, SUM_BOUND)
    # One bit, as in auxiliary: the income rounded to 0 or the largest by lot, then randomized.
    places = city.income / MOST_INCOME
    reports = local.draw(stream, bits_by(stream, places))
    chances = float(local.design.q) + local.gap * places
    spread = math.sqrt(float((chances * (1 - chances)).mean())) / local.gap * MOST_INCOME
    rows = (
        (NAMES_REMOVED, 0.0, 0.0),
        (BOUNDED_NOISE, rms(bounded), math.sqrt(2 * bounded_variance(SUM_BOUND))),
        (CALIBRATED_NOISE, rms(errors), INCOME_STEP * math.sqrt(2 * noise.variance)),
        (LOCAL, rms(local.estimate(reports) * MOST_INCOME - city.income), spread),
        ("guessing the average", rms(city.income - city.income.mean()), None),
    )
    columns = (
        Column("defence", "defence"),
        Column("error", "error of one income", "number"),
        Column("theory", "theory", "number"),
    )
    caption = f"The same with a sum of incomes from 0 to {MOST_INCOME:,}, bounded noise up to {SUM_BOUND}"
    return Table("sums", caption, columns, rows)


def _by_classes(city: City, stream: SeededStream) -> float:
    """Return how often the difference of two k-anonymous tables, without and with a person, tells the answer.

    In a class of more than k the counts of both tables are there. A class of exactly k appears when its last member
    joins: the best guess is its majority. Of a smaller class nothing is known.
    """
    release = coarsen(city)
    sizes, own = release.sizes, release.classes
    yes = np.bincount(own[own != REDACTED], city.answer[own != REDACTED])
    guesses = bits(stream, city.people)
    appears = (own != REDACTED) & (sizes[own] == release.k)
    guesses[appears] = 2 * yes[own[appears]] > sizes[own[appears]]
    known = (own != REDACTED) & (sizes[own] > release.k)
    guesses[known] = city.answer[known]
    return share_right(guesses, city.answer)


def _curve_table(curve: list[tuple[float, ...]], trials: int) -> Table:
    columns = (
        Column("epsilon", "ε", "number"),
        Column("half_measured", "ε for both", "share"),
        Column("half_theory", "theory", "share"),
        Column("each_measured", "ε for each", "share"),
        Column("each_theory", "theory", "share"),
        Column("local_measured", "a report", "share"),
        Column("local_theory", "theory, the limit", "share"),
    )
    error = simulation_error(0.5, trials)
    caption = f"Guessed right against ε; a measured share has a standard deviation of at most {error:.4f}"
    return Table("curve", caption, columns, tuple(curve))


def _verdicts(defences: Table, chosen: Chosen) -> tuple[Verdict, ...]:
    measured = {str(row[0]): float(row[1] or 0) for row in defences.rows}
    limit = truthful(chosen.epsilon)
    return (
        fails(NAMES_REMOVED, "The difference of two exact counts is the answer: nobody's name is needed."),
        fails(
            K_ANONYMITY,
            f"Both tables are k-anonymous, and their difference gives {measured[K_ANONYMITY]:.1%} of the answers away.",
        ),
        fails(
            BOUNDED_NOISE,
            f"{measured[BOUNDED_NOISE]:.1%} right from two answers, certain wherever the noise is at its end, and "
            "more with every further answer: nothing is promised.",
        ),
        holds(
            CALIBRATED_NOISE,
            f"{measured[CALIBRATED_NOISE]:.1%} right, and {limit:.1%} is the most that any attack gets from these ε.",
        ),
        holds(
            LOCAL,
            f"The difference is the person's report, which is right {measured[LOCAL]:.1%} of the time: the two counts "
            "add nothing to what the report says anyway.",
        ),
    )


def _picture(curve: list[tuple[float, ...]]) -> Picture:
    points = [10 ** (power / 20) for power in range(-20, 21)]
    return Picture(
        title="How often one person's answer is guessed right",
        description=(
            "Against ε from 0.1 to 10: the limit for any attack, which local randomization attains, rises from one "
            "half to 1; the difference of two noisy counts stays below it."
        ),
        x=Scale("ε", 0.1, 10, (0.1, 0.3, 1, 3, 10), logarithmic=True),
        y=Scale("guessed right", 0.5, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        series=(
            Series("a report, and the limit: theory", tuple((x, truthful(x)) for x in points)),
            Series("ε for each answer: theory", tuple((x, success(CountNoise(x))) for x in points)),
            Series("ε for both answers: theory", tuple((x, success(CountNoise(x / 2))) for x in points)),
            Series("a report: measured", tuple((row[0], row[5]) for row in curve), dots=True),
            Series("ε for each answer: measured", tuple((row[0], row[3]) for row in curve), dots=True),
            Series("ε for both answers: measured", tuple((row[0], row[1]) for row in curve), dots=True),
        ),
    )


DIFFERENCING = Attack(
    name="differencing",
    title="two counts that differ by one person",
    size="invented people, each attacked once",
    default=20_000,
    least=1_000,
    most=200_000,
    attack=difference,
)
