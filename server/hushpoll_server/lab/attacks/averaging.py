"""Averaging: the same question asked again and again until the noise is gone.

The attacker knows everybody else and asks for the count that includes one more bit. Of an answer with discrete Laplace
noise, all that matters is whether it is above the count of the others: the likelihood ratio of the two bits is e^ε or
e^−ε and nothing between, because |k| and |k − 1| differ by 1. So one noisy count tells exactly what one report of a
device tells, and t of them are as many tosses: the best guess is their majority, right with

    P(Bin(t, p) > t/2) + ½ P(Bin(t, p) = t/2)          p = e^ε/(1 + e^ε)

What stops it is not the noise but who counts: a budget divides ε by the number of answers, or ends after the first; an
answer that is remembered is the same each time. Eleven fresh draws at 3:1 reveal an answer to 96.57 %, one remembered
draw to 75 % for ever.

References: D. E. Denning (1980), Secure statistical databases with random sample queries, ACM Trans. Database Systems
5; C. Dwork, F. McSherry, K. Nissim, A. Smith (2006), TCC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import stats

from hushpoll_server.lab.attacks.attack import Attack, Chosen, share_right, simulation_error, truthful
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise, success_of_repeating
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import Places, SeededStream, bits
from hushpoll_server.mechanisms.bound import Bound

TIMES = (1, 3, 5, 11, 25, 51, 101)
SHOWN = 11
BOUND = 2


def majority(p: float, times: int) -> float:
    """Return how often the majority of tosses is right; an even split is decided by a fair coin."""
    ahead = float(stats.binom.sf(times // 2, times, p))
    return ahead + (float(stats.binom.pmf(times // 2, times, p)) / 2 if times % 2 == 0 else 0.0)


def average(chosen: Chosen) -> AttackResult:
    """Guess the bit of each person from up to 101 answers to the same question."""
    stream = SeededStream(chosen.seed, "averaging")
    truth = bits(stream, chosen.n)
    # Drawn once, and sent whenever it is asked for.
    remembered = share_right(Randomizer(chosen.bound).draw(stream, truth), truth)
    curve = [(*_measure(times, chosen, truth, stream), remembered, truthful(chosen.epsilon)) for times in TIMES]
    shown = curve[TIMES.index(SHOWN)]
    return AttackResult(
        name="averaging",
        title="Averaging: the same question again and again",
        statement=(
            "The same count is asked again and again by somebody who knows all other answers. Fresh noise averages "
            "out, and fresh draws of one device do so in the same way. Each of "
            f"{chosen.n:,} invented people is attacked from {TIMES[0]} to {TIMES[-1]} times."
        ),
        parameters={"bounded noise up to": BOUND, "shown": SHOWN},
        tables=(_defences(chosen, shown), _curve_table(curve, chosen.n)),
        verdicts=_verdicts(shown),
        picture=_picture(chosen, curve),
    )


def _measure(times: int, chosen: Chosen, truth: Places, stream: SeededStream) -> tuple[float, ...]:
    """Return the number of answers, then measured and expected success: bounded, fresh, budget, fresh draws."""
    share, noise = CountNoise(chosen.epsilon / times), CountNoise(chosen.epsilon)
    local = Randomizer(chosen.bound)
    return (
        times,
        _decide(lambda: _bounded_votes(truth, stream), times, truth, stream),
        success_of_repeating(BOUND, times),
        _decide(lambda: _votes(truth, noise, stream), times, truth, stream),
        majority(truthful(chosen.epsilon), times),
        _decide(lambda: _votes(truth, share, stream), times, truth, stream),
        majority(truthful(chosen.epsilon / times), times),
        _decide(lambda: 2 * local.draw(stream, truth) - 1, times, truth, stream),
        majority(local.keep, times),
    )


def _decide(vote: Callable[[], Places], times: int, truth: Places, stream: SeededStream) -> float:
    """Return how often the sign of the votes is the truth; a coin decides where there is none."""
    votes: Places = np.zeros(len(truth), np.int64)
    for _ in range(times):
        votes += vote()
    undecided = votes == 0
    votes[undecided] = 2 * bits(stream, int(undecided.sum())) - 1
    return share_right(votes > 0, truth == 1)


def _votes(truth: Places, noise: CountNoise, stream: SeededStream) -> Places:
    return np.where(truth + noise.draw(stream, len(truth)) >= 1, 1, -1)


def _bounded_votes(truth: Places, stream: SeededStream) -> Places:
    # Only an answer that the other bit cannot give decides.
    answers = truth + bounded_noise(stream, len(truth), BOUND)
    return np.asarray((answers == BOUND + 1).astype(np.int64) - (answers == -BOUND))


_COLUMNS = (
    Column("times", "answers", "count"),
    Column("bounded_measured", "bounded", "share"),
    Column("bounded_theory", "theory", "share"),
    Column("fresh_measured", "fresh noise", "share"),
    Column("fresh_theory", "theory", "share"),
    Column("budget_measured", "budget", "share"),
    Column("budget_theory", "theory", "share"),
    Column("draws_measured", "fresh draws", "share"),
    Column("draws_theory", "theory", "share"),
    Column("remembered_measured", "remembered", "share"),
    Column("remembered_theory", "theory", "share"),
)


def _curve_table(curve: Sequence[tuple[float, ...]], trials: int) -> Table:
    error = simulation_error(0.5, trials)
    caption = f"Guessed right; ε for each fresh answer, or for all by a budget; standard deviation up to {error:.4f}"
    return Table("curve", caption, _COLUMNS, tuple((int(row[0]), *row[1:]) for row in curve))


def _defences(chosen: Chosen, shown: tuple[float, ...]) -> Table:
    bounded, budget, remembered = shown[1:3], shown[5:7], shown[9:11]
    rows: tuple[tuple[Value, ...], ...] = (
        (NAMES_REMOVED, 1.0, 1.0),
        (K_ANONYMITY, 1.0, 1.0),
        (BOUNDED_NOISE, *bounded),
        (CALIBRATED_NOISE, *budget),
        (LOCAL, *remembered),
    )
    columns = (
        Column("defence", "defence"),
        Column("measured", "guessed right", "share"),
        Column("theory", "theory", "share"),
    )
    return Table("defences", f"{SHOWN} answers, ε = {chosen.epsilon:.4g} in all", columns, rows)


def _verdicts(shown: tuple[float, ...]) -> tuple[Verdict, ...]:
    return (
        fails(NAMES_REMOVED, "One exact count and everybody else's answer give the last answer away."),
        fails(K_ANONYMITY, "The counts of a released class are exact: asking once is enough."),
        fails(
            BOUNDED_NOISE,
            f"After {SHOWN} answers {shown[1]:.1%} are right, after {TIMES[-1]} all: the noise has an end.",
        ),
        holds(
            CALIBRATED_NOISE,
            f"Because the budget divides ε: {shown[5]:.1%} after {SHOWN} answers. The same noise without a budget "
            f"gives {shown[3]:.1%}.",
        ),
        holds(
            LOCAL,
            f"Because the draw is remembered: {shown[9]:.1%} however often it is sent. {SHOWN} fresh draws would give "
            f"{shown[7]:.1%} of the answers away, which is why a device draws once.",
        ),
    )


def _picture(chosen: Chosen, curve: Sequence[tuple[float, ...]]) -> Picture:
    times, epsilon = range(1, TIMES[-1] + 1, 2), chosen.epsilon
    keep = Randomizer(chosen.bound).keep
    return Picture(
        title="How often one person's answer is guessed right",
        description=(
            f"Against the number of answers, from 1 to {TIMES[-1]}: fresh noise and fresh draws rise to 1, a budget "
            "and a remembered draw do not."
        ),
        x=Scale("answers to the same question", 1, 101, (1, 3, 11, 31, 101), logarithmic=True),
        y=Scale("guessed right", 0.5, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        series=(
            Series("bounded noise", tuple((t, success_of_repeating(BOUND, t)) for t in times)),
            Series("fresh noise or fresh draws", tuple((t, majority(truthful(epsilon), t)) for t in times)),
            Series("budget", tuple((t, majority(truthful(epsilon / t), t)) for t in times)),
            Series("remembered draw", tuple((t, keep) for t in times)),
            Series("bounded noise: measured", tuple((row[0], row[1]) for row in curve), dots=True),
            Series("fresh draws: measured", tuple((row[0], row[7]) for row in curve), dots=True),
            Series("budget: measured", tuple((row[0], row[5]) for row in curve), dots=True),
            Series("remembered draw: measured", tuple((row[0], row[9]) for row in curve), dots=True),
        ),
    )


AVERAGING = Attack(
    name="averaging",
    title="the same question again and again",
    size="invented people, each attacked once",
    default=10_000,
    least=1_000,
    most=50_000,
    attack=average,
    bound=Bound.of_odds("3:1"),
)
