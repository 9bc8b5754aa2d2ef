"""Reconstruction: from many noisy counts back to almost the whole table.

All subsets (Dinur and Nissim 2003; Dwork and Roth 2014, theorem 8.1). Every count is wrong by at most E. The attacker
takes any table whose answers are within E of all those given; the true one is such a table. It differs from the truth
in at most 4E entries. Proof: let S be the people of bit 0 whom the guess gives 1. The guess's count of S is |S|, the
true one 0, and both are within E of the answer, so |S| ≤ 2E; in the same way for people of bit 1. ∎ The bound is
attained: give half of the difference between the truth and a table that exchanges 2E ones and 2E zeros.

With E = n/401 at most 4n/401 < n/100 entries are wrong: 99 % of the table, whatever the noise (Dwork and Roth, after
their theorem 8.1). A mechanism is called blatantly non-private when all but o(n) entries can be recovered; here, for
one n, it is said where at least 99 % are.

O(n) random subsets. Linear programming finds a table that explains the answers, and its entries are rounded. It
recovers almost all of them while the noise is well below √n, and that is as far as noise can be fought: with a
standard deviation of σ, least squares from m questions errs in an entry with probability Φ(−√m/(4σ)).

Against an ε-private mechanism no attack recovers an entry of prior ½ with probability above e^ε/(1 + e^ε).

References: I. Dinur, K. Nissim (2003), PODS; C. Dwork, F. McSherry, K. Talwar (2007), STOC (linear programming); S. P.
Kasiviswanathan, M. Rudelson, A. Smith, J. Ullman (2010), STOC (least squares); C. Dwork, A. Smith, T. Steinke, J.
Ullman (2017), Exposed! A survey of attacks on private data, Annual Review of Statistics 4.
"""

from __future__ import annotations

import math

import numpy as np

from hushpoll_server.lab.attacks.attack import Attack, Chosen, share_right, truthful
from hushpoll_server.lab.attacks.decoding import (
    MOST_EXHAUSTIVE,
    Decoder,
    all_tables,
    consistent,
    nearest,
    random_subsets,
)
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise, variance
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.k_anonymity import REDACTED, coarsen
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import City, invent_city
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import Places, SeededStream, bits, permutation

SMALL, SMALL_BOUNDS = MOST_EXHAUSTIVE, (0, 1, 2)
QUESTIONS_FOR_EACH = 2
BOUNDS = (2, 4, 8, 16, 32)
BOUND = 2
BLATANT = 0.99
PRIORS = (0.5, 0.7, 0.9)
_REPEATED = 200
_CONSTANT = 401


def reconstruct(chosen: Chosen) -> AttackResult:
    """Reconstruct a table of 12 people from all subsets, and one of n from 2n random subsets."""
    stream = SeededStream(chosen.seed, "reconstruction")
    city = invent_city(chosen.n, seed=chosen.seed)
    decoder = Decoder(random_subsets(stream, QUESTIONS_FOR_EACH * chosen.n, chosen.n))
    curve = tuple(_decode(city.answer, decoder, bound, stream) for bound in BOUNDS)
    defences = _defences(chosen, city, decoder, curve, stream)
    questions = len(decoder.questions)
    return AttackResult(
        name="reconstruction",
        title="Reconstruction: the table from many noisy counts",
        statement=(
            "Each question is the number of people with the bit in some subset. Overly accurate answers to too many "
            f"such questions give the whole table away: all 4,096 subsets of {SMALL} people, or {questions:,} "
            f"random subsets of {chosen.n:,} people. It is called blatantly non-private where at least "
            f"{BLATANT:.0%} of the entries are recovered."
        ),
        parameters={
            "questions": questions,
            "n/401": chosen.n / _CONSTANT,
            "sqrt_n": math.sqrt(chosen.n),
        },
        tables=(defences, _small_table(chosen, stream), _curve_table(curve, chosen.n), _priors_table(chosen, stream)),
        verdicts=_verdicts(defences, chosen),
        picture=_picture(curve, decoder, chosen),
    )


def adversarial_answers(truth: Places, bound: int, stream: SeededStream) -> Places:
    """Return answers, wrong by at most the bound, that a table with as many wrong entries as possible explains, too.

    They lie halfway between the true ones and those of a table that exchanges up to 2E ones and as many zeros.
    """
    order = permutation(stream, len(truth))
    ones, zeros = ([place for place in order if truth[place] == bit] for bit in (1, 0))
    exchanged = min(2 * bound, len(ones), len(zeros))
    other = truth.copy()
    other[ones[:exchanged]], other[zeros[:exchanged]] = 0, 1
    subsets = all_tables(len(truth))
    return np.asarray((subsets @ truth + subsets @ other) // 2)


def _small_table(chosen: Chosen, stream: SeededStream) -> Table:
    truth = (permutation(stream, SMALL) < SMALL // 2).astype(np.int64)
    exact = all_tables(SMALL) @ truth
    rows: list[tuple[Value, ...]] = []
    for bound in SMALL_BOUNDS:
        answers = {
            "random": exact + bounded_noise(stream, len(exact), bound),
            "worst": adversarial_answers(truth, bound, stream),
        }
        for noise, given in answers.items():
            wrong = np.abs(consistent(given, bound, SMALL) - truth).sum(axis=1)
            rows.append((bound, noise, len(wrong), int(wrong.max()), float(wrong.mean()), 4 * bound))
    noisy = exact + CountNoise(chosen.epsilon / len(exact)).draw(stream, len(exact))
    wrong_by_noise = int(np.abs(nearest(noisy, SMALL) - truth).sum())
    rows.append((None, f"budget ε = {chosen.epsilon:.4g}", 1, wrong_by_noise, float(wrong_by_noise), None))
    columns = (
        Column("bound", "wrong by at most", "count"),
        Column("noise", "noise"),
        Column("consistent", "tables that fit", "count"),
        Column("most_wrong", "most wrong entries", "count"),
        Column("mean_wrong", "mean", "number"),
        Column("limit", "4E", "count"),
    )
    return Table("small", f"All {len(exact):,} subsets of {SMALL} people", columns, tuple(rows))


def _decode(truth: Places, decoder: Decoder, bound: int, stream: SeededStream) -> tuple[Value, ...]:
    exact, deviation = decoder.questions @ truth, math.sqrt(variance(bound))
    answers = exact + bounded_noise(stream, len(exact), bound)
    share = share_right(decoder.by_programming(answers), truth)
    squares = share_right(decoder.by_squares(answers), truth)
    return bound, deviation, share, squares, decoder.expected_by_squares(deviation), share >= BLATANT


def _curve_table(curve: tuple[tuple[Value, ...], ...], n: int) -> Table:
    columns = (
        Column("bound", "wrong by at most", "count"),
        Column("deviation", "standard deviation", "number"),
        Column("programming", "linear programming", "share"),
        Column("squares", "least squares", "share"),
        Column("squares_theory", "theory", "share"),
        Column("blatant", "blatantly non-private", "yes"),
    )
    caption = f"Recovered share of {n:,} entries; n/401 = {n / _CONSTANT:.3g}, √n = {math.sqrt(n):.3g}"
    return Table("curve", caption, columns, curve)


def _defences(
    chosen: Chosen, city: City, decoder: Decoder, curve: tuple[tuple[Value, ...], ...], stream: SeededStream
) -> Table:
    budget, expected = _with_budget(chosen, city.answer, decoder, stream)
    repeated = bits(stream, _REPEATED * chosen.n)
    local = Randomizer(chosen.bound)
    bounded = curve[BOUNDS.index(BOUND)]
    shares: tuple[tuple[str, Value, Value], ...] = (
        (NAMES_REMOVED, 1.0, 1.0),
        (K_ANONYMITY, _by_classes(city), None),
        (BOUNDED_NOISE, bounded[2], bounded[4]),
        (CALIBRATED_NOISE, budget, expected),
        (LOCAL, share_right(local.draw(stream, repeated), repeated), local.keep),
    )
    rows = tuple((name, share, theory, float(share or 0) >= BLATANT) for name, share, theory in shares)
    columns = (
        Column("defence", "defence"),
        Column("recovered", "recovered", "share"),
        Column("theory", "theory", "share"),
        Column("blatant", "blatantly non-private", "yes"),
    )
    caption = f"Recovered share of {chosen.n:,} entries, ε = {chosen.epsilon:.4g}, bounded noise up to {BOUND}"
    return Table("defences", caption, columns, rows)


def _with_budget(chosen: Chosen, truth: Places, decoder: Decoder, stream: SeededStream) -> tuple[float, float]:
    """Return the share recovered when ε is divided by the number of questions, on average, and its expectation."""
    exact = decoder.questions @ truth
    noise = CountNoise(chosen.epsilon / len(exact))
    answers = exact[:, np.newaxis] + noise.draw(stream, _REPEATED * len(exact)).reshape(len(exact), _REPEATED)
    share = share_right(decoder.by_squares(answers), truth[:, np.newaxis])
    return share, decoder.expected_by_squares(math.sqrt(noise.variance))


def _by_classes(city: City) -> float:
    """Return the share that is right when everybody is given the majority of their class."""
    own = coarsen(city).classes
    sizes, yes = np.bincount(own + 1), np.bincount(own + 1, city.answer)
    guesses = (2 * yes > sizes).astype(np.int64)
    guesses[REDACTED + 1] = 0
    return share_right(guesses[own + 1], city.answer)


def _priors_table(chosen: Chosen, stream: SeededStream) -> Table:
    """Return how much of the local reports' table is recovered when the attacker knows the share of ones."""
    local, rows = Randomizer(chosen.bound), []
    for prior in PRIORS:
        truth = bits(stream, _REPEATED * chosen.n, prior)
        reports = local.draw(stream, truth)
        # The posterior of a 1 after a report of 0 is above ½ if the prior odds are above e^ε.
        guesses = reports if prior <= local.keep else np.ones_like(truth)
        rows.append((prior, share_right(guesses, truth), max(prior, local.keep), prior))
    columns = (
        Column("prior", "share of ones", "number"),
        Column("recovered", "recovered", "share"),
        Column("theory", "theory", "share"),
        Column("without", "without any report", "share"),
    )
    caption = f"Local randomization at ε = {chosen.epsilon:.4g}: what an attacker with a prior recovers"
    return Table("priors", caption, columns, tuple(rows))


def _verdicts(defences: Table, chosen: Chosen) -> tuple[Verdict, ...]:
    shares = {str(row[0]): float(row[1] or 0) for row in defences.rows}
    limit = truthful(chosen.epsilon)
    return (
        fails(NAMES_REMOVED, "The counts are exact: n questions about one person each would do."),
        fails(
            K_ANONYMITY,
            f"Whoever knows the coarsened columns gets {shares[K_ANONYMITY]:.1%} by the majority of each class, and "
            "everything where a class agrees. Nothing bounds this share.",
        ),
        fails(
            BOUNDED_NOISE,
            f"{shares[BOUNDED_NOISE]:.1%} of the entries: noise of this size is no protection against many questions.",
        ),
        holds(
            CALIBRATED_NOISE,
            f"{shares[CALIBRATED_NOISE]:.1%}: the budget is divided by so many questions that each answer says "
            f"almost nothing. No attack gets above {limit:.1%} on average.",
        ),
        holds(
            LOCAL,
            f"{shares[LOCAL]:.1%}, and {limit:.1%} in expectation: the best attack keeps each report as it is. "
            "Everything that can be counted later is made of the same reports and adds nothing.",
        ),
    )


def _picture(curve: tuple[tuple[Value, ...], ...], decoder: Decoder, chosen: Chosen) -> Picture:
    n, keep = chosen.n, truthful(chosen.epsilon)
    deviations = [2 ** (power / 4) for power in range(-4, 21)]
    low, high = deviations[0], deviations[-1]
    measured = tuple((float(row[1] or 0), float(row[2] or 0)) for row in curve if row[1])
    return Picture(
        title="Share of the table that is recovered",
        description=(
            "Against the standard deviation of the noise: almost everything below a quarter of √n, falling to one "
            "half far above it. Local randomization is a level line."
        ),
        x=Scale("standard deviation of the noise", low, high, (0.5, 1, 2, 5, 10, 20), logarithmic=True),
        y=Scale("recovered", 0.5, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        series=(
            Series(
                "least squares: theory",
                tuple((sigma, decoder.expected_by_squares(sigma)) for sigma in deviations),
            ),
            Series("local randomization", ((low, keep), (high, keep))),
            Series("linear programming: measured", measured, dots=True),
        ),
        marks=((n / _CONSTANT, "n/401"), (math.sqrt(n), "√n")),
    )


RECONSTRUCTION = Attack(
    name="reconstruction",
    title="the table from many noisy counts",
    size="invented people in the table",
    default=256,
    least=32,
    most=320,
    attack=reconstruct,
)
