"""Local, shuffled, central and none: the error of one question, and who must be trusted for it.

All of them estimate the share of yes among the same invented people, again and again; only the noise is random. Beside
each measured error stands the one from theory:

- no privacy: the share itself;
- a trusted server: the count with discrete Laplace noise, variance 2α/(1 − α)² / n², α = e^−ε;
- shuffled reports: Warner's design with the largest ε₀ whose shuffled reports have the wanted ε (plan/shuffling.py),
  variance E₀/(E₀ − 1)² / n;
- local randomization: the same with ε₀ = ε.

So the price of trusting nobody grows like √n: the error of a server is of order 1/(εn), that of devices 1/(ε√n). A
survey of a sample has the error of sampling, √(f(1 − f)/n), on top of each of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hushpoll_server.estimate.results import Json
from hushpoll_server.lab.attacks.attack import rms
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.result import Column, Table, Value
from hushpoll_server.lab.stream import DEFAULT_SEED, Figures, Places, SeededStream, permutation
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.plan.shuffling import Crowd, any_randomizer, central_epsilon, closed_bound, local_epsilon
from hushpoll_shared.errors import InvalidValue

LEAST_N, MOST_N = 100, 1_000_000
LEAST_EPSILON, LARGEST_EPSILON = 0.01, 10.0
DEFAULT_DELTA = 1e-6
SHARE = 0.3
LEVEL = 0.95
_QUANTILE = float(stats.norm.ppf((1 + LEVEL) / 2))
# So many draws in all for one design, and at most so many repetitions.
_DRAWS, _MOST_REPEATED = 40_000_000, 2_000


@dataclass(frozen=True, kw_only=True)
class Design:
    """One way to ask, with the errors of its estimate as measured and from theory."""

    name: str
    trusted: str
    local: float | None
    central: float | None
    rmse: float
    rmse_theory: float
    half_width: float
    half_width_theory: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The designs side by side, with what they were run on."""

    n: int
    epsilon: float
    delta: float
    share: float
    repeated: int
    seed: int
    designs: tuple[Design, ...]
    amplification: Table
    linked: int

    @property
    def sampling(self) -> float:
        """Return the standard error of a sample of n, which comes on top."""
        return math.sqrt(self.share * (1 - self.share) / self.n)

    @property
    def table(self) -> Table:
        """Return the designs as a table."""
        columns = (
            Column("name", "design"),
            Column("rmse", "error (RMSE)", "number"),
            Column("rmse_theory", "theory", "number"),
            Column("half_width", "95 % within ±", "number"),
            Column("half_width_theory", "theory", "number"),
            Column("local", "ε on the device", "number"),
            Column("central", "ε for readers", "number"),
            Column("trusted", "who must be trusted"),
        )
        rows: tuple[tuple[Value, ...], ...] = tuple(
            tuple(getattr(design, column.name) for column in columns) for design in self.designs
        )
        caption = f"The share of yes among {self.n:,} people, ε = {self.epsilon:.4g}"
        return Table("designs", caption, columns, rows)

    def to_json(self) -> Json:
        """Return what `hushpoll lab compare --json` prints."""
        names = ("n", "epsilon", "delta", "share", "repeated", "seed", "sampling", "linked")
        tables = {"designs": self.table, "amplification": self.amplification}
        return {name: getattr(self, name) for name in names} | {name: each.to_json() for name, each in tables.items()}


def compare(*, bound: Bound, n: int, delta: float = DEFAULT_DELTA, seed: int = DEFAULT_SEED) -> Comparison:
    """Measure the error of all designs on the same people."""
    epsilon = float(bound.epsilon)
    if not LEAST_N <= n <= MOST_N:
        raise InvalidValue(f"n is the number of people: from {LEAST_N:,} to {MOST_N:,}")
    if not LEAST_EPSILON <= epsilon <= LARGEST_EPSILON:
        raise InvalidValue(f"the comparison is for epsilons from {LEAST_EPSILON:g} to {LARGEST_EPSILON:g}")
    stream, crowd = SeededStream(seed, "comparison"), Crowd(n, delta)
    people = np.zeros(n, np.int64)
    people[permutation(stream, n)[: round(SHARE * n)]] = 1
    repeated = min(_MOST_REPEATED, _DRAWS // n)
    largest = local_epsilon(epsilon, crowd)
    shuffled = Randomizer(_rounded_down(largest))
    return Comparison(
        n=n,
        epsilon=epsilon,
        delta=delta,
        share=float(people.mean()),
        repeated=repeated,
        seed=seed,
        designs=(
            _none(),
            _trusted(people, epsilon, repeated, stream),
            _shuffled(people, shuffled, epsilon, repeated, stream),
            _local(people, Randomizer(bound), repeated, stream),
        ),
        amplification=_amplification(epsilon, largest, crowd),
        linked=int((permutation(stream, n) == np.arange(n)).sum()),
    )


def _none() -> Design:
    trusted = "whoever holds the table, and whoever reads or steals it"
    return Design(
        name="no privacy",
        trusted=trusted,
        local=None,
        central=None,
        rmse=0.0,
        rmse_theory=0.0,
        half_width=0.0,
        half_width_theory=0.0,
    )


def _trusted(people: Places, epsilon: float, repeated: int, stream: SeededStream) -> Design:
    noise, n = CountNoise(epsilon), len(people)
    errors = noise.draw(stream, repeated) / n
    return Design(
        name="a trusted server",
        trusted="the server, which holds every answer, with its operators and its backups",
        local=None,
        central=epsilon,
        rmse=rms(errors),
        rmse_theory=math.sqrt(noise.variance) / n,
        half_width=_width(errors),
        half_width_theory=noise.half_width(LEVEL) / n,
    )


def _shuffled(people: Places, local: Randomizer, epsilon: float, repeated: int, stream: SeededStream) -> Design:
    trusted = "the shuffler, not to work together with the server"
    return _randomized("shuffled reports", trusted, people, local, epsilon, repeated, stream)


def _local(people: Places, local: Randomizer, repeated: int, stream: SeededStream) -> Design:
    name, trusted = "local randomization", "nobody: only one's own device"
    return _randomized(name, trusted, people, local, float(local.bound.epsilon), repeated, stream)


def _randomized(
    name: str, trusted: str, people: Places, local: Randomizer, central: float, repeated: int, stream: SeededStream
) -> Design:
    """Return the errors of Warner's design; what is counted does not depend on the order of the reports."""
    supporting = np.array([local.draw(stream, people).mean() for _ in range(repeated)])
    errors = local.estimate(supporting) - people.mean()
    deviation = math.sqrt(local.variance / len(people))
    return Design(
        name=name,
        trusted=trusted,
        local=float(local.bound.epsilon),
        central=central,
        rmse=rms(errors),
        rmse_theory=deviation,
        half_width=_width(errors),
        half_width_theory=_QUANTILE * deviation,
    )


def _amplification(epsilon: float, largest: float, crowd: Crowd) -> Table:
    """Return what shuffling makes of the wanted epsilon on the device, and of the largest one, by each bound."""
    rows = tuple(
        (
            local,
            closed_bound(local, crowd),
            central_epsilon(local, crowd, hiding=any_randomizer),
            central_epsilon(local, crowd),
        )
        for local in (epsilon, largest)
    )
    columns = (
        Column("local", "ε on the device", "number"),
        Column("closed", "closed form", "number"),
        Column("numerical", "numerical", "number"),
        Column("blanket", "Warner's blanket", "number"),
    )
    caption = f"The ε of {crowd.n:,} shuffled reports, δ = {crowd.delta:g}"
    return Table("amplification", caption, columns, rows)


def _rounded_down(epsilon: float) -> Bound:
    return Bound.of_epsilon(f"{math.floor(epsilon * 10**6) / 10**6:.6f}")


def _width(errors: Figures) -> float:
    return float(np.quantile(np.abs(errors), LEVEL))
