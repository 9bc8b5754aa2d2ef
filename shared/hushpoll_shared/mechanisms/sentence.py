"""What people are told about a mechanism: the key of a sentence, and the figures that are filled in.

The sentences of a mechanism are data (client/js/words/mechanisms/), the same for the form, the server's pages and apps.
A design only returns a key and figures, here and in client/js; the test vectors check that both agree. A sentence may
have gaps that the question fills: its range, and what its answers are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Sentence:
    """A sentence by its key, with what fills its gaps.

    `values` are written as they are, `times` as a number of times out of 100; `phrases` are sentences of their own.
    """

    key: str
    values: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[str, int] = field(default_factory=dict)
    phrases: Mapping[str, Sentence] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return the sentence as the test vectors write it."""
        phrases = {name: phrase.to_json() for name, phrase in self.phrases.items()}
        return {"key": self.key, "values": dict(self.values), "times": dict(self.times), "phrases": phrases}


def rounded(number: Fraction) -> int:
    """Return the nearest whole number."""
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


def times_of(keep: Fraction, blind: Fraction | None = None) -> dict[str, int]:
    """Return how many times in 100 a draw is what the sentence says first, and how many times what it says next.

    `blind` is how often it would be what the sentence says first if it were drawn without looking at the answer.
    """
    kept = rounded(100 * keep)
    times = {"kept": kept, "other": 100 - kept}
    return times if blind is None else {**times, "blind": rounded(100 * blind)}


def guesses(odds: Fraction) -> dict[str, Sentence]:
    """Return how many times in 100, at most, a guess between two equally likely answers is right, and wrong."""
    # odds/(odds + 1), rounded up
    right = -(-100 * odds.numerator // (odds.numerator + odds.denominator))
    return {"kept": Sentence("count", {"n": right}), "other": Sentence("count", {"n": 100 - right})}


def rest_of(size: int) -> Sentence:
    """Return the phrase for the answers that are not the real one."""
    return Sentence("rest_one") if size == 2 else Sentence("rest_many", {"others": size - 1})
