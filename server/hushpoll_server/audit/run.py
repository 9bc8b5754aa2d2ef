"""Feed the client and count its draws.

Every line of answers carries one input for each question, so that one pass tests them all; a question with fewer inputs
repeats its first, uncounted. This supposes that questions are randomized apart, as a client must; `one_at_a_time` holds
all other questions at one answer and supposes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.answers import Answers
from hushpoll_server.audit.inputs import Contrast, contrast_of
from hushpoll_server.respondents import ClientFailed
from hushpoll_shared.designs import Draw
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import Report, decode

# How often a draw was given to an input, in the runs that are compared with a partner (−1 for none).
Tally = Counter[tuple[int, int, Draw]]


@dataclass(frozen=True)
class Line:
    """The inputs of one line by the places of their questions; all other questions have their first, uncounted."""

    run: int
    inputs: dict[int, int]


@dataclass(frozen=True)
class Audit:
    """What is fixed before the client starts: the survey, how many runs each input gets, and in which lines."""

    manifest: Manifest
    runs: int
    one_at_a_time: bool = False

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Give the inputs of every question."""
        return tuple(contrast_of(question) for question in self.manifest.questions)

    @cached_property
    def slots(self) -> list[dict[int, int]]:
        """Give the different lines by the inputs that they carry."""
        sizes = [len(contrast.inputs) for contrast in self.contrasts]
        if self.one_at_a_time:
            return [{place: slot} for place, size in enumerate(sizes) for slot in range(size)]
        return [{place: slot for place, size in enumerate(sizes) if slot < size} for slot in range(max(sizes))]

    @property
    def rounds(self) -> int:
        """Give how often each line is fed: more often if each device answers only some of the questions."""
        questions, ask = len(self.manifest.questions), self.manifest.ask
        return self.runs if ask is None else -(-self.runs * questions // ask)

    @property
    def lines_to_feed(self) -> int:
        """Give the number of lines."""
        return self.rounds * len(self.slots)

    def lines(self) -> Iterator[Line]:
        """Give the lines in the order in which they are fed."""
        return (Line(run, slot) for run in range(self.rounds) for slot in self.slots)

    def answers(self) -> Iterator[Answers]:
        """Give the answers of the lines."""
        written = [self._write(slot) for slot in self.slots]
        return (line for _ in range(self.rounds) for line in written)

    def _write(self, slot: dict[int, int]) -> Answers:
        inputs = (contrast.inputs[slot.get(place, 0)] for place, contrast in enumerate(self.contrasts))
        return {name: answer for given in inputs for name, answer in given.answers.items()}

    def collect(self, reports: Iterable[bytes]) -> list[Tally]:
        """Count the draws in the client's reports to these lines, question by question."""
        tallies: list[Tally] = [Counter() for _ in self.contrasts]
        names = [question.id for question in self.manifest.questions]
        for line, report in zip(self.lines(), read_reports(reports, self.manifest), strict=False):
            for place, slot in line.inputs.items():
                partner = self.contrasts[place].partner(slot, line.run)
                tallies[place][slot, partner, report.answers[names[place]]] += 1
        return tallies


def read_reports(reports: Iterable[bytes], manifest: Manifest) -> Iterator[Report]:
    """Read reports strictly: each of the form that the manifest fixes, all of one length, no id twice."""
    seen: set[str] = set()
    length = 0
    for number, body in enumerate(reports, start=1):
        report, length = read_report(body, manifest, number), length or len(body)
        if len(body) != length:
            raise ClientFailed(f"the client's report {number} has another length than the first: all must be alike")
        if report.id in seen:
            raise ClientFailed(f"the client's report {number} has the id of another: each must be drawn anew")
        seen.add(report.id)
        yield report


def read_report(body: bytes, manifest: Manifest, number: int) -> Report:
    """Read one report; say which it is if it does not fit."""
    try:
        return decode(body, manifest)
    except ProblemError as error:
        raise ClientFailed(f"the client's report {number} is not valid: {error}") from None
