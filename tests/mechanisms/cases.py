"""What the module of each mechanism provides for the tests that all mechanisms must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Protocol

from hushpoll_server.mechanisms import Bound, Mechanism, mechanism_for
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import DESIGNS, Design, Draw
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.question_types import AnyQuestionType, Number, Option, SingleChoice

Law = Mapping[Draw, Fraction]
Studied = Mapping[str, tuple[AnyQuestionType, SupportingDesign]]
Vector = dict[str, Any]
# The rows of a table on a page, as they are written.
Row = list[str]
TABLE_EPSILONS = ("0.5", "1", "2", "4")


@dataclass(frozen=True)
class Case:
    """A family of designs on a domain that is small enough to enumerate."""

    name: str
    type: AnyQuestionType
    make: Callable[[Bound], Design]
    codes: tuple[Any, ...]

    def __str__(self) -> str:
        return self.name

    def design(self, epsilon: str) -> Design:
        return self.make(Bound.of_epsilon(epsilon))

    def mechanism(self, epsilon: str) -> Mechanism[Any]:
        return mechanism_for(self.type, self.design(epsilon))


class Home(Protocol):
    """The tests' module of a mechanism."""

    CASES: tuple[Case, ...]
    # If draws support answers, designs with 12 to 40 of them, for simulated surveys (tests/statistics).
    STUDIED: Studied
    # The tables of its page, by the first cells of their heads: the rows, worked out from the code.
    TABLES: Mapping[str, Callable[[], Iterator[Row]]]

    @staticmethod
    def law(design: Any, code: Any) -> Law:
        """Return the probability of every draw to a code, from the definition of the mechanism and its integers."""

    @staticmethod
    def vectors() -> Vector:
        """Return the vectors that both languages share."""


def home(name: str) -> Home:
    """Return the tests' module of a mechanism; a mechanism without one fails here."""
    module: Any = import_module(f"tests.mechanisms.test_{name}")
    return module  # type: ignore[no-any-return]


def every_case() -> Iterator[Case]:
    """Return the cases of all mechanisms."""
    for name in DESIGNS:
        yield from home(name).CASES


def law_of(design: Design, code: Any) -> Law:
    """Return the law of any design, as the tests write it down."""
    return home(design.NAME).law(design, code)


def choices(size: int) -> SingleChoice:
    """Return a question with this many options."""
    return SingleChoice(tuple(Option(f"o{place}", f"o{place}") for place in range(size)))


def places(count: int) -> tuple[Fraction, ...]:
    """Return equally spaced places in a range, including its ends."""
    return tuple(Fraction(place, count - 1) for place in range(count))


def for_mean(epsilon: str, name: str | None = None) -> Mechanism[Any]:
    """Return the mechanism for the mean of a number: the best one, or that of this name."""
    return choose_mechanism(Number("-1", "1"), Bound.of_epsilon(epsilon), mechanism=name)
