"""From the other side: what one randomized report tells, and the protocol of two coins, step by step.

A report that is right with probability p = e^ε/(1 + e^ε) multiplies the odds of a guess by e^ε or divides them by it,
and never does more: posterior odds = prior odds · e^±ε (Bayes). At 3:1 even odds become 75 %, and one in a hundred
becomes three in a hundred.

Two fair coins. Heads: answer truly. Tails: the second coin answers. The answer is true with ½ + ½·½ = ¾, so the odds
are 3:1 and ε = ln 3 (Warner 1965; the form is folklore). The share of yes is estimated as f̂ = 2c/n − ½, with standard
error 2√(λ(1 − λ)/n) ≤ 1/√n, where λ = ¼ + f/2. So 95 of 100 times it is within ± c/√n with c = 1.95996 (the quantile
of the normal law) in the worst case, f = ½. Among fixed people, where only the coins are random, c = 1.95996 · √¾ =
1.69739.

References: S. L. Warner (1965), Randomized response, JASA 60; C. Dwork, A. Roth (2014), section 3.2.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from hushpoll_server.lab.attacks.attack import CURVE, Attack, Chosen
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import name_of
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import SeededStream, bits, wholes
from hushpoll_server.mechanisms.bound import Bound

PRIORS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
QUANTILE = float(stats.norm.ppf(0.975))
REPEATED = 2_000
_TRUTH = 0.5
_BELIEFS = 200_000
_TWO_COINS = Bound.of_odds("3:1")


def look(chosen: Chosen) -> AttackResult:
    """Show what one report tells, and what many tell together."""
    stream = SeededStream(chosen.seed, "other side")
    local = Randomizer(chosen.bound)
    return AttackResult(
        name="other-side",
        title="From the other side: what one report tells",
        statement=(
            f"A report is right {local.keep:.2%} of the time: odds of {math.exp(chosen.epsilon):.4g}:1, ε = "
            f"{chosen.epsilon:.4g}. Whoever sees it may multiply the odds of a guess by that figure, and by no more. "
            "Many reports together still tell the share."
        ),
        parameters={"repeated": REPEATED, "keep": local.keep},
        tables=(_posterior_table(local, stream), _odds_table(), _width_table(chosen, stream)),
        verdicts=_verdicts(local),
        picture=_picture(),
        steps=_steps(stream),
    )


def posterior(prior: float, epsilon: float) -> float:
    """Return the belief in yes after a report of yes: posterior odds are prior odds times e^ε."""
    return prior / (prior + (1 - prior) * math.exp(-epsilon))


def _posterior_table(local: Randomizer, stream: SeededStream) -> Table:
    epsilon = float(local.bound.epsilon)
    rows: list[tuple[Value, ...]] = []
    for prior in PRIORS:
        truth = bits(stream, _BELIEFS, prior)
        reports = local.draw(stream, truth)
        measured = [float(truth[reports == report].mean()) for report in (1, 0)]
        rows.append((prior, measured[0], posterior(prior, epsilon), measured[1], posterior(prior, -epsilon)))
    columns = (
        Column("prior", "believed before", "share"),
        Column("yes_measured", "after a yes", "share"),
        Column("yes", "theory", "share"),
        Column("no_measured", "after a no", "share"),
        Column("no", "theory", "share"),
    )
    return Table("posterior", f"Belief that the answer is yes, ε = {epsilon:.4g}", columns, tuple(rows))


def _odds_table() -> Table:
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (f"ε = {each}", *(posterior(prior, float(each)) for prior in PRIORS)) for each in CURVE
    )
    columns = (Column("epsilon", "after a yes"), *(Column(f"prior_{p:g}", f"before {p:.0%}", "share") for p in PRIORS))
    return Table("odds", "The same for other epsilons, in theory", columns, rows)


def _steps(stream: SeededStream) -> tuple[str, ...]:
    """Return what happens when one invented person answers by two coins."""
    [person], [answer, first, second] = wholes(stream, 1, 100), bits(stream, 3)
    said = int(answer if first else second)
    words = ("no", "yes")
    coins = ("tails", "heads")
    return (
        f"1. {name_of(int(person))} is asked a question. The answer is {words[answer]}, and stays where it is.",
        f"2. The first coin falls on {coins[first]}: "
        + ("the report is the answer." if first else "the answer is put aside, and the second coin decides."),
        f"3. The second coin falls on {coins[second]}"
        + (", and is not looked at." if first else f": the report is {words[second]}."),
        f"4. What leaves the device: {words[said]}.",
        (
            f"5. Whoever reads it and believed in a yes with 50 % now believes in it with {75 if said else 25} %. "
            "Odds of 1:1 have become 3:1 or 1:3, so ε = ln 3 = 1.0986."
        ),
        f"6. From n such reports the share is 2c/n − ½, and 95 of 100 times within ± {QUANTILE:.5f}/√n of the truth.",
    )


def _width_table(chosen: Chosen, stream: SeededStream) -> Table:
    """Return how often the estimate of the share is within ± c/√n: measured, exact, and what was asked for."""
    local, rows = Randomizer(_TWO_COINS), []
    for n in (100, chosen.n, 10 * chosen.n):
        reports = local.draw(stream, bits(stream, n * _times(n), _TRUTH)).reshape(-1, n).sum(axis=1)
        within = np.abs(2 * reports / n - 0.5 - _TRUTH) <= QUANTILE / math.sqrt(n)
        rows.append((n, QUANTILE / math.sqrt(n), float(within.mean()), _exact_coverage(n), 0.95))
    columns = (
        Column("n", "n", "count"),
        Column("half_width", "± c/√n", "number"),
        Column("measured", "within it", "share"),
        Column("exact", "exact", "share"),
        Column("level", "asked for", "share"),
    )
    return Table("width", f"Two coins, c = {QUANTILE:.5f}, a share of one half", columns, tuple(rows))


def _times(n: int) -> int:
    return min(REPEATED, 2_000_000 // n)


def _exact_coverage(n: int) -> float:
    """Return P(|2C/n − 1| ≤ c/√n) for C ~ Bin(n, ½), which is the law of the reports at a share of one half."""
    reach = math.floor(n / 2 + QUANTILE * math.sqrt(n) / 2)
    return float(1 - 2 * stats.binom.sf(reach, n, 0.5))


def _verdicts(local: Randomizer) -> tuple[Verdict, ...]:
    none = "One row tells everything."
    return (
        fails(NAMES_REMOVED, none),
        fails(K_ANONYMITY, "The rows of a class that agree tell everything."),
        fails(BOUNDED_NOISE, "Noise at its end tells everything."),
        holds(CALIBRATED_NOISE, "One answer tells as much as one report; the table behind it tells everything."),
        holds(
            LOCAL,
            f"A report is right {local.keep:.2%} of the time, and there is no table behind it.",
        ),
    )


def _picture() -> Picture:
    priors = [place / 50 for place in range(51)]
    lines = [("two coins, 3:1", math.log(3)), *((f"ε = {each}", float(each)) for each in CURVE)]
    series = [
        Series(f"after a yes, {name}", tuple((p, posterior(p, epsilon)) for p in priors)) for name, epsilon in lines
    ]
    return Picture(
        title="From prior to posterior",
        description="Belief in a yes before and after a report of yes: far from the diagonal, much was told.",
        x=Scale("believed before", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
        y=Scale("believed after", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
        series=(Series("before = after", ((0.0, 0.0), (1.0, 1.0))), *series),
    )


OTHER_SIDE = Attack(
    name="other-side",
    title="what one randomized report tells",
    size="respondents of the two-coin survey",
    default=1_000,
    least=100,
    most=10_000,
    attack=look,
    bound=_TWO_COINS,
)
