"""People who answer a survey with a branch at an assumed pace, and somebody who guesses the branch from their times.

The assumption: every screen takes a lognormal time (sigma 0.6; median 20 s for the first, 5 s for a question, 4 s for
the review), and a person's own pace (sigma 0.35) multiplies all of them. The guesser knows all of this, and the grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tests.samples.designs import warner
from tests.samples.every_type import ONE
from tests.samples.surveys import two_questions

from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.departure import minutes_between
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import DOES_NOT_APPLY, YesNo
from hushpoll_shared.questions import Question

FIRST_SECONDS, QUESTION_SECONDS, REVIEW_SECONDS = 20.0, 5.0, 4.0
SCREEN_SIGMA, PACE_SIGMA = 0.6, 0.35
FOLLOW_UPS = 5
# A report leaves at the next point, or by lot at the one after it, or at the one after that.
LOT = (224 / 256, 28 / 256, 4 / 256)

Times = NDArray[np.float64]


def with_follow_ups(number: int = FOLLOW_UPS) -> Manifest:
    """Make a survey with one gate and some questions that only "Yes" leads to."""
    kind, design = YesNo((DOES_NOT_APPLY,)), SubsetMechanism.of(ONE, 3)
    gate = Question("gate", "Have you cheated?", YesNo(), warner(odds="3:1"))
    more = (Question(f"more{n}", f"Follow-up {n}?", kind, design, When("gate", (True,))) for n in range(number))
    return two_questions(questions=(gate, *more))


def grid_seconds(number: int = FOLLOW_UPS) -> float:
    """Return the seconds from one point of that survey's grid to the next."""
    minutes = minutes_between(with_follow_ups(number))
    assert minutes
    return float(60 * minutes)


def reading_times(random: np.random.Generator, questions: int, people: int) -> Times:
    """Draw the seconds that people spend on the first screen, each question and the review: a row for each person."""
    medians = np.array([FIRST_SECONDS, *[QUESTION_SECONDS] * questions, REVIEW_SECONDS])
    screens = medians * np.exp(SCREEN_SIGMA * random.standard_normal((people, len(medians))))
    pace = np.exp(PACE_SIGMA * random.standard_normal((people, 1)))
    return np.asarray(pace * screens)


@dataclass(frozen=True)
class Guesser:
    """Somebody who knows how likely each time is on both paths, and names the likelier path."""

    edges: Times
    short: Times
    long: Times

    @classmethod
    def trained(cls, short: Times, long: Times, edges: Times) -> Guesser:
        """Learn from the times of many people on both paths, sorted into bins."""
        bins = np.array([0, *edges, np.inf])
        return cls(bins, *(np.histogram(times, bins)[0] / len(times) for times in (short, long)))

    @property
    def gain(self) -> float:
        """Return by how many points a guess is better than chance, both paths being equally likely."""
        return float(25 * np.abs(self.short - self.long).sum())

    def right(self, short: Times, long: Times) -> float:
        """Return the share of right guesses, each path weighing the same."""
        says_long = self.long > self.short
        shares = [says_long[np.searchsorted(self.edges, times) - 1].mean() for times in (short, long)]
        return float((1 - shares[0] + shares[1]) / 2)


def knows_the_press(random: np.random.Generator, number: int = FOLLOW_UPS, people: int = 200_000) -> Guesser:
    """Make a guesser who sees when Send was pressed."""
    short, long = (reading_times(random, questions, people).sum(axis=1) for questions in (1, 1 + number))
    return Guesser.trained(short, long, np.geomspace(5, 2000, 200))


def gain_on_grid(short: Times, long: Times, step: float) -> float:
    """Return the gain of a guesser who sees at which point of the grid each report left, the lot included."""
    laws = [_law_of_points(times, step) for times in (short, long)]
    return float(25 * np.abs(laws[0] - laws[1]).sum())


def _law_of_points(times: Times, step: float) -> Times:
    pressed = np.bincount(np.minimum(np.ceil(times / step), 50).astype(int), minlength=51) / len(times)
    return np.convolve(pressed, LOT)
