"""The draws of small designs, by the law that their tests write down and the counters that the server keeps.

A survey is then one multinomial draw over the possible draws, which is both exact and fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.mechanisms import cases as drawn
from tests.mechanisms.cases import choices, home, law_of
from tests.mechanisms.laws import threshold_of

from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.mechanisms import mechanism_for
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_shared.mechanisms import DESIGNS, Ball, Design, Draw, PrivSet, Projective, Repeated, Subset
from hushpoll_shared.mechanisms.ball import ball_size
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Categories, Code, Ticks
from hushpoll_shared.mechanisms.projective import number_of_points
from hushpoll_shared.question_types import MultiChoice, QuestionType

Figures = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """A mechanism whose draws support answers; matrices have a row for each true code, or for each draw."""

    mechanism: Supporting[Any]

    @cached_property
    def codes(self) -> list[Code]:
        """Return all codes."""
        return list(codes_of(self.mechanism.type))

    @cached_property
    def draws(self) -> list[Draw]:
        """Return the possible draws."""
        return list(law_of(self.mechanism.design, self.codes[0]))

    @cached_property
    def chances(self) -> Figures:
        """Return the chance of each draw (column) for each code (row)."""
        return np.array([self._chances_of(law_of(self.mechanism.design, code)) for code in self.codes])

    def _chances_of(self, law: drawn.Law) -> list[float]:
        assert len(law) == len(self.draws), "a draw is possible under one answer only"
        return [float(law[draw]) for draw in self.draws]

    @cached_property
    def supports(self) -> Figures:
        """Return which cells each draw supports, as the server counts them."""
        return np.array([self.mechanism.supports(counters) for counters in self._counters], float)

    @cached_property
    def asks(self) -> Figures:
        """Return which cells each draw asks."""
        cells = range(len(self.mechanism.type.cells))
        return np.array([[self.mechanism.asked(each, cell) for cell in cells] for each in self._counters], float)

    @property
    def _counters(self) -> list[Counter[str]]:
        return [Counter([*self.mechanism.counters(draw), TOTAL]) for draw in self.draws]

    @cached_property
    def holds(self) -> Figures:
        """Return which cells each code holds."""
        cells = range(len(self.mechanism.type.cells))
        return np.array([[_is_held(code, cell) for cell in cells] for code in self.codes], float)

    @property
    def support(self) -> SupportDesign:
        """Return the two probabilities that estimation uses."""
        return SupportDesign(self.mechanism.design.p, self.mechanism.design.q)

    def shares(self, truths: Figures) -> Figures:
        """Return the share of each cell for this distribution of the codes."""
        return truths @ self.holds

    def surveys(self, truths: Figures, n: int, times: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the number of each possible draw in this many simulated surveys of n people, one survey per row."""
        return random.multinomial(n, truths @ self.chances, size=times)

    def tally(self, draws: NDArray[np.int64]) -> Tally:
        """Return the tally of the supporting draws of all surveys."""
        return Tally(draws @ self.supports.astype(int), draws @ self.asks.astype(int), self.support)

    def estimate(self, draws: NDArray[np.int64], **options: object) -> Result:
        """Return the estimates from the number of each possible draw."""
        tally = self.tally(draws)
        return estimate_shares(
            zip(map(str, range(tally.n.size)), tally.count.tolist(), tally.n.tolist(), strict=True),
            self.support,
            n=int(draws.sum()),
            epsilon=1,
            joint=self.mechanism.joint,
            **options,  # type: ignore[arg-type]
        )


def law_for(question_type: QuestionType, design: SupportingDesign) -> Law:
    """Return the law of a design of any mechanism."""
    mechanism = mechanism_for(question_type, design)
    assert isinstance(mechanism, Supporting), "its draws support answers"
    return Law(mechanism)


def chances_of_outputs(design: Design, codes: Sequence[Code]) -> Figures:
    """Return the chance of each output (column) for each code (row), for designs whose draws are numbered outputs."""
    laws = [law_of(design, code) for code in codes]
    outputs = sorted(laws[0], key=lambda draw: int(draw, 16))
    return np.array([[float(law[output]) for output in outputs] for law in laws])


def codes_of(question_type: QuestionType) -> Iterator[Code]:
    """Return all codes of a question with cells; with limited ticks, those with the fewest first."""
    match question_type.domain:
        case Categories(size):
            yield from range(size)
        case Ticks(options, None):
            yield from product((0, 1), repeat=options)
        case Ticks(options, int(most)):
            ticked = (chosen for number in range(most + 1) for chosen in combinations(range(options), number))
            yield from (tuple(int(option in chosen) for option in range(options)) for chosen in ticked)


def _is_held(code: Code, cell: int) -> bool:
    return bool(code[cell]) if isinstance(code, tuple) else code == cell


def subset(size: int, picks: int, odds: float) -> Law:
    """Return subset selection: sets of `picks` categories, of which those with the true one are more likely."""
    return law_for(choices(size), Subset(size, picks, threshold_of(odds, picks, size - picks)))


def projective(size: int, field: int, dimension: int, odds: float) -> Law:
    """Return projective geometry response: points, of which those orthogonal to the true one are more likely."""
    inside, outside = number_of_points(dimension - 1, field), field ** (dimension - 1)
    return law_for(choices(size), Projective(size, field, dimension, threshold_of(odds, inside, outside)))


def repeated(size: int, always: float, instant: float) -> Law:
    """Return k-ary randomized response twice in a row."""
    return law_for(choices(size), Repeated(size, *(threshold_of(odds, 1, size - 1) for odds in (always, instant))))


def ball(options: int, asked: int, agree: int, odds: float) -> Law:
    """Return the Hamming ball: patterns on every choice of options, more likely if they agree with the answer."""
    inside = ball_size(asked, agree)
    design = Ball(options, asked, agree, threshold_of(odds, inside, 2**asked - inside))
    return law_for(MultiChoice(choices(options).options), design)


def privset(options: int, most: int, picks: int, odds: float) -> Law:
    """Return PrivSet: sets of options and blanks, of which those with some of the answer are more likely."""
    outside = comb(options, picks)
    inside = comb(options + most, picks) - outside
    design = PrivSet(options, most, picks, threshold_of(odds, inside, outside))
    return law_for(MultiChoice(choices(options).options, most), design)


# Each has enough cells to be judged by 200 surveys (test_coverage.py).
LAWS = {name: law_for(*studied) for design in DESIGNS for name, studied in home(design).STUDIED.items()}


def likely_truths(law: Law) -> Figures:
    """Return an uneven distribution over the codes: the first is twenty times as frequent as the last."""
    weights = np.exp(-3 * np.linspace(0, 1, len(law.holds)))
    return np.asarray(weights / weights.sum())
