"""What a reader may choose: a seed, one of a few epsilons, and one of a few sizes.

The rule here: every choice was measured, and none takes two seconds; whatever is not in these lists is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from werkzeug.datastructures import MultiDict

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import Attack, Setting
from hushpoll_server.lab.stream import DEFAULT_SEED
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.results.query import check_options, read_one, read_one_of
from hushpoll_shared.problems import BAD_QUERY, ProblemError

LARGEST_SEED: Final = 999
EPSILONS: Final = ("0.1", "0.5", "1", "3", "10")
SIZES: Final[Mapping[str, tuple[int, ...]]] = {
    "differencing": (1_000, 20_000, 100_000),
    "averaging": (1_000, 10_000, 50_000),
    "reconstruction": (64, 128, 256),
    "linkage": (2_000, 10_000, 20_000),
    "membership": (20, 100, 200),
    "auxiliary": (1_000, 20_000, 50_000),
    "other-side": (100, 1_000, 10_000),
    "own-reports": (1_000, 10_000, 100_000),
}
# The comparison shows both.
COMPARED: Final = (1_000, 100_000)
COMPARISON_EPSILON: Final = "1"
_SEED: Final = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A run of an attack; an empty epsilon is one that the attack brings as odds."""

    attack: Attack
    seed: int
    epsilon: str
    n: int

    @property
    def key(self) -> tuple[object, ...]:
        """Return what determines the figures."""
        return self.attack.name, self.seed, self.epsilon, self.n

    @property
    def setting(self) -> Setting:
        """Return the setting of the run."""
        return Setting(seed=self.seed, bound=_bound(self.epsilon) or self.attack.bound, n=self.n)

    @property
    def command(self) -> str:
        """Return the command that prints the same figures."""
        own = own_epsilon(self.attack)
        options = (
            f" --epsilon {self.epsilon}" * (self.epsilon != own),
            f" --n {self.n}" * (self.n != self.attack.default),
            f" --seed {self.seed}" * (self.seed != DEFAULT_SEED),
        )
        return f"hushpoll lab attack {self.attack.name}{''.join(options)}"


def read_choice(attack: Attack, query: MultiDict[str, str]) -> Choice:
    """Read what a reader chose; what is left out is the attack's own."""
    check_options(query, ("seed", "epsilon", "n"))
    n = read_one_of(tuple(str(size) for size in SIZES[attack.name]), query, "n")
    return Choice(
        attack=attack,
        seed=read_seed(query),
        epsilon=read_one_of(EPSILONS, query, "epsilon") or own_epsilon(attack),
        n=int(n) if n else attack.default,
    )


def read_comparison(query: MultiDict[str, str]) -> tuple[int, str]:
    """Read the seed and the epsilon of the comparison."""
    check_options(query, ("seed", "epsilon"))
    return read_seed(query), read_one_of(EPSILONS, query, "epsilon") or COMPARISON_EPSILON


def own_epsilon(attack: Attack) -> str:
    """Return the attack's own epsilon if it is in the list, else an empty text."""
    return next((epsilon for epsilon in EPSILONS if _bound(epsilon) == attack.bound), "")


def epsilon_options(attack: Attack) -> Sequence[tuple[str, str]]:
    """Return the values of the field for epsilon, and what people read."""
    listed = tuple((epsilon, epsilon) for epsilon in EPSILONS)
    return listed if own_epsilon(attack) else (("", f"ln {attack.bound.odds} (odds {attack.bound.odds}:1)"), *listed)


def _bound(epsilon: str) -> Bound | None:
    return Bound.of_epsilon(epsilon) if epsilon else None


def read_seed(query: MultiDict[str, str]) -> int:
    """Read the seed; the default one if there is none."""
    text = read_one(query, "seed") or str(DEFAULT_SEED)
    if not _SEED.fullmatch(text):
        raise ProblemError(BAD_QUERY)
    return int(text)


assert set(SIZES) == set(ATTACKS), "every attack has its sizes"
