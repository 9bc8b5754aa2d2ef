"""Own reports: the attack on what this project publishes, made by whoever reads it.

Reports may be published, row by row. The attacker has all of them, knows whose each one is, and guesses each answer. Of
one person's answer the other reports tell nothing but the share f of yes, so the best guess is that of Bayes: the
report, unless the answer of the majority is likelier still. It is right with probability

    max(p, f, 1 − f)          p = e^ε/(1 + e^ε)

Proof: let f ≤ ½. After a no, no is likelier. After a yes, yes is likelier if f p > (1 − f)(1 − p), that is p > 1 − f.
Then the guess is the report, right with p; otherwise it is always no, right with 1 − f. ∎

So where an answer is rarer than 1 − p, knowing everybody's report is worth nothing: the best guess is the same for all.

References: S. L. Warner (1965), Randomized response, JASA 60; A. Evfimievski, J. Gehrke, R. Srikant (2003), Limiting
privacy breaches in privacy preserving data mining, PODS.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hushpoll_server.lab.attacks.attack import CURVE, Attack, Chosen, share_right, simulation_error, truthful
from hushpoll_server.lab.attacks.other_side import posterior
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import name_of
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import Places, SeededStream, bits
from hushpoll_server.mechanisms.bound import Bound

# The share of yes in the survey, and others to compare.
SHARE, SHARES = 0.3, (0.5, 0.3, 0.2, 0.1)
_SHOWN = 10
_WORDS = ("no", "yes")

Row = tuple[Value, ...]


def read_reports(chosen: Chosen) -> AttackResult:
    """Guess the answer of each person from all published reports."""
    stream, local = SeededStream(chosen.seed, "own reports"), Randomizer(chosen.bound)
    truth = bits(stream, chosen.n, SHARE)
    reports = local.draw(stream, truth)
    curve = [_measure(Randomizer(Bound.of_epsilon(each)), chosen.n, SHARE, stream) for each in CURVE]
    shares = [_measure(local, chosen.n, share, stream) for share in SHARES]
    right = share_right(best_guesses(reports, local), truth)
    return AttackResult(
        name="own-reports",
        title="Own reports: the attack on what is published here",
        statement=(
            f"{chosen.n:,} invented people answer “Have you ever cheated in an exam here?” as in the demonstration, "
            f"and {SHARE:.0%} would have to say yes. All their reports are published, with the names on them. The "
            "attacker guesses each answer as well as anybody can."
        ),
        parameters={"keep": local.keep, "right": right},
        tables=(_shares_table(shares, chosen), _people(truth, reports, local), _curve_table(curve, chosen.n)),
        verdicts=_verdicts(right, truth, local),
        picture=_picture(curve),
    )


def best_guesses(reports: Places, local: Randomizer) -> Places:
    """Return the likelier answer after each report, with the share of yes as the reports themselves show it."""
    share = float(np.clip(local.estimate(reports.mean()), 0, 1))
    likely = [posterior(share, sign * float(local.bound.epsilon)) if 0 < share < 1 else share for sign in (-1, 1)]
    return np.asarray((np.array(likely) > 0.5).astype(np.int64)[reports])


def limit(share: float, epsilon: float) -> float:
    """Return how often the best guess is right: max(p, f, 1 − f)."""
    return max(truthful(epsilon), share, 1 - share)


def _measure(local: Randomizer, n: int, share: float, stream: SeededStream) -> tuple[float, float, float, float, float]:
    """Return the share, ε, and how often guesses are right: measured, expected, and of one who looks at no report."""
    truth, epsilon = bits(stream, n, share), float(local.bound.epsilon)
    right = share_right(best_guesses(local.draw(stream, truth), local), truth)
    return share, epsilon, right, limit(share, epsilon), max(share, 1 - share)


def _people(truth: Places, reports: Places, local: Randomizer) -> Table:
    guesses, epsilon = best_guesses(reports, local), float(local.bound.epsilon)
    share = min(1 - 1e-9, max(1e-9, float(local.estimate(reports.mean()))))
    rows: list[Row] = []
    for place in range(_SHOWN):
        belief = posterior(share, epsilon if reports[place] else -epsilon)
        words = [_WORDS[int(column[place])] for column in (reports, guesses, truth)]
        rows.append((name_of(place), words[0], belief, words[1], words[2], bool(guesses[place] == truth[place])))
    columns = (
        Column("person", "person"),
        Column("report", "published report"),
        Column("belief", "belief in a yes", "share"),
        Column("guess", "best guess"),
        Column("answer", "answer, never published"),
        Column("right", "guessed right", "yes"),
    )
    return Table("people", f"The first {_SHOWN} people, ε = {epsilon:.4g}", columns, tuple(rows))


_GUESSES = (
    Column("measured", "guessed right", "share"),
    Column("theory", "theory", "share"),
    Column("majority", "without any report", "share"),
)


def _shares_table(shares: Sequence[Row], chosen: Chosen) -> Table:
    columns = (Column("share", "share of yes", "share"), *_GUESSES)
    rows = tuple((row[0], *row[2:]) for row in shares)
    return Table("shares", f"{chosen.n:,} reports, ε = {chosen.epsilon:.4g}", columns, rows)


def _curve_table(curve: Sequence[Row], n: int) -> Table:
    caption = f"A share of {SHARE:.0%}, by ε; standard deviation up to {simulation_error(0.5, n):.4f}"
    return Table("curve", caption, (Column("epsilon", "ε", "number"), *_GUESSES), tuple(row[1:] for row in curve))


def _verdicts(right: float, truth: Places, local: Randomizer) -> tuple[Verdict, ...]:
    majority = float(max(truth.mean(), 1 - truth.mean()))
    return (
        fails(NAMES_REMOVED, "The rows are the answers: whoever finds a row has one."),
        fails(K_ANONYMITY, "The rows of a class are the answers, and where they agree nothing is hidden."),
        fails(BOUNDED_NOISE, "A row whose noise is at its end is an answer."),
        holds(CALIBRATED_NOISE, "No row is published, only counts. The answers are still held by somebody."),
        holds(
            LOCAL,
            f"{right:.1%} are guessed right; whoever looks at no report and always says no has {majority:.1%}. The "
            f"limit is {limit(SHARE, float(local.bound.epsilon)):.1%}, with every report and every name.",
        ),
    )


def _picture(curve: Sequence[tuple[float, float, float, float, float]]) -> Picture:
    epsilons = [10 ** (place / 20 - 1) for place in range(41)]
    return Picture(
        title="How often the best guess of a published report's answer is right",
        description=(
            f"Against ε, for a share of {SHARE:.0%}: up to about ε = 0.85 all reports together are worth no more than "
            "always guessing no."
        ),
        x=Scale("ε of each report", 0.1, 10, (0.1, 0.3, 1, 3, 10), logarithmic=True),
        y=Scale("guessed right", 0.5, 1, (0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        series=(
            Series("best guess: theory", tuple((epsilon, limit(SHARE, epsilon)) for epsilon in epsilons)),
            Series("without any report", ((0.1, 1 - SHARE), (10.0, 1 - SHARE))),
            Series("best guess: measured", tuple((row[1], row[2]) for row in curve), dots=True),
        ),
    )


OWN_REPORTS = Attack(
    name="own-reports",
    title="what is published here",
    size="invented people whose reports are published",
    default=10_000,
    least=1_000,
    most=100_000,
    attack=read_reports,
    bound=Bound.of_odds("3:1"),
)
