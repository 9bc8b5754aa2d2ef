"""Feed the client and count its draws.

Every line of answers has one input for each question, so that one pass tests them all; a question with fewer inputs
repeats its first, uncounted. This assumes that questions are randomized independently, as a client must do;
`one_at_a_time` keeps all other questions at one answer and assumes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.audit.inputs import Contrast, contrast_of
from hushpoll_server.simulate.respondents import Answers, ClientFailed
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import Report, decode

# How often an input led to a draw, in the runs that are compared with a partner (−1 for none).
Tally = Counter[tuple[int, int, Draw]]


@dataclass(frozen=True)
class Line:
    """The inputs of one line by their questions' positions; all other questions have their first, uncounted."""

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
        """Return the inputs of every question."""
        return tuple(contrast_of(question) for question in self.manifest.questions)

    @cached_property
    def distinct_lines(self) -> list[dict[int, int]]:
        """Return the distinct lines by their inputs."""
        sizes = [len(contrast.inputs) for contrast in self.contrasts]
        if self.one_at_a_time:
            return [{place: tried} for place, size in enumerate(sizes) for tried in range(size)]
        return [{place: tried for place, size in enumerate(sizes) if tried < size} for tried in range(max(sizes))]

    @property
    def rounds(self) -> int:
        """Return how often each line is used: more often if each device answers only some of the questions."""
        questions, ask = len(self.manifest.questions), self.manifest.ask
        return self.runs if ask is None else -(-self.runs * questions // ask)

    @property
    def lines_to_feed(self) -> int:
        """Return the number of lines."""
        return self.rounds * len(self.distinct_lines)

    def lines(self) -> Iterator[Line]:
        """Return the lines in the order in which the client gets them."""
        return (Line(run, inputs) for run in range(self.rounds) for inputs in self.distinct_lines)

    def answers(self) -> Iterator[Answers]:
        """Return the answers of the lines."""
        written = [self._write(inputs) for inputs in self.distinct_lines]
        return (line for _ in range(self.rounds) for line in written)

    def _write(self, inputs: dict[int, int]) -> Answers:
        chosen = (contrast.inputs[inputs.get(place, 0)] for place, contrast in enumerate(self.contrasts))
        return {name: answer for each in chosen for name, answer in each.answers.items()}

    def collect(self, reports: Iterable[bytes]) -> list[Tally]:
        """Return the counts of the draws in the client's reports to these lines, question by question."""
        tallies: list[Tally] = [Counter() for _ in self.contrasts]
        names = [question.id for question in self.manifest.questions]
        for line, report in zip(self.lines(), read_reports(reports, self.manifest), strict=False):
            for place, tried in line.inputs.items():
                partner = self.contrasts[place].partner(tried, line.run)
                tallies[place][tried, partner, report.draws[names[place]]] += 1
        return tallies


def read_reports(reports: Iterable[bytes], manifest: Manifest) -> Iterator[Report]:
    """Yield reports, read strictly: each as the manifest requires, all of one length, no id twice."""
    seen: set[str] = set()
    length = 0
    for number, body in enumerate(reports, start=1):
        report, length = read_report(body, manifest, number), length or len(body)
        if len(body) != length:
            raise ClientFailed(
                f"the client's report {number} has another length than the first: all must be equally long"
            )
        if report.id in seen:
            raise ClientFailed(f"the client's report {number} has the id of another: each id must be new")
        seen.add(report.id)
        yield report


def read_report(body: bytes, manifest: Manifest, number: int) -> Report:
    """Read one report; raise an error with its number if it is not valid."""
    try:
        return decode(body, manifest)
    except ProblemError as error:
        raise ClientFailed(f"the client's report {number} is not valid: {error}") from None
