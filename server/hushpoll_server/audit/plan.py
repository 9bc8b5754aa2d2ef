"""Which answers the client gets, line by line: drawn by lot before it starts, and unknown to it.

Every question varies by itself: its inputs are spread evenly over the lines and shuffled, independently of all other
questions. So nothing in a report but a question's own draw may follow its input, and what does is a leak. Half of the
lines go to the inputs that have a partner, where the claim shows, and half to all inputs alike.

With `one_at_a_time`, each line varies one question, and all others stay at one answer, also drawn by lot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.audit.inputs import NO_MATE, Contrast, Places

# A question with more inputs than this shares out the lines that one with this many would get.
MOST_INPUTS = 6

# A source of random bytes, such as os.urandom: the plan must be one that a client cannot foresee.
RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True, eq=False)
class Plan:
    """The input of every question in every line, and the partner it is compared with; NO_MATE for none.

    `varied` says where an input was varied: everywhere, or in one question of each line.
    """

    inputs: Places
    partners: Places
    varied: NDArray[np.bool_]

    @property
    def lines(self) -> int:
        """Return the number of lines."""
        return len(self.inputs)


def lines_for(contrasts: Sequence[Contrast], rounds: int, *, one_at_a_time: bool) -> list[int]:
    """Return how many lines vary each question: all of them, or as many as it has inputs, for each round."""
    sizes = [rounds * min(contrast.size, MOST_INPUTS) for contrast in contrasts]
    return sizes if one_at_a_time else [max(sizes)] * len(sizes)


def draw_plan(contrasts: Sequence[Contrast], rounds: int, random: RandomBytes, *, one_at_a_time: bool = False) -> Plan:
    """Draw the plan of an audit."""
    numbers = lines_for(contrasts, rounds, one_at_a_time=one_at_a_time)
    varied = _varied(numbers, random) if one_at_a_time else np.ones((numbers[0], len(contrasts)), dtype=bool)
    inputs, partners = (np.empty(varied.shape, dtype=np.int32) for _ in range(2))
    for place, contrast in enumerate(contrasts):
        lines = varied[:, place]
        inputs[:, place], partners[:, place] = lots(random, 1)[0] % np.uint64(contrast.size), NO_MATE
        inputs[lines, place] = _spread(contrast, numbers[place], random)
        partners[lines, place] = contrast.partners(inputs[lines, place], lots(random, numbers[place]))
    return Plan(inputs, partners, varied)


def lots(random: RandomBytes, number: int) -> NDArray[np.uint64]:
    """Draw whole numbers below 2^64."""
    return np.frombuffer(random(8 * number), dtype=np.uint64)


def shuffled(values: Places, random: RandomBytes) -> Places:
    """Return the values in random order."""
    return values[np.argsort(lots(random, len(values)))]


def _varied(numbers: Sequence[int], random: RandomBytes) -> NDArray[np.bool_]:
    """Return which question each line varies, in random order."""
    questions = shuffled(np.repeat(np.arange(len(numbers), dtype=np.int32), numbers), random)
    return np.asarray(questions[:, np.newaxis] == np.arange(len(numbers)))


def _spread(contrast: Contrast, number: int, random: RandomBytes) -> Places:
    """Return the inputs of this many lines: half of them compared ones, if not all are, the rest evenly spread."""
    everything, compared = np.arange(contrast.size, dtype=np.int32), contrast.compared
    half = number // 2 if len(compared) < contrast.size else 0
    evenly = [_repeat(compared, half, random), _repeat(everything, number - half, random)]
    return shuffled(np.concatenate(evenly), random)


def _repeat(places: Places, number: int, random: RandomBytes) -> Places:
    """Return each place as often as every other, but for the remainder, which goes to some by lot."""
    return np.resize(shuffled(places, random), number) if number else places[:0]
