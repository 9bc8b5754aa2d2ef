"""Feed the client with the planned answers, and record its reports.

The rule here: a report is read strictly and must be the bytes that encoding it again gives. A blank, an escape or
another order of keys would be room for an answer, which no count of draws could show.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.audit.inputs import Contrast, Places, contrast_of
from hushpoll_server.audit.plan import Plan, RandomBytes, draw_plan
from hushpoll_server.simulate.respondents import Answers, ClientFailed
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import ID_BYTES, Report, decode


@dataclass(frozen=True, eq=False)
class Record:
    """The client's reports, line by line: the bytes of the ids, and draws by their places among those that occurred."""

    ids: NDArray[np.uint8]
    draws: Places
    occurred: tuple[tuple[Draw, ...], ...]


@dataclass(frozen=True, eq=False)
class Audit:
    """What is fixed before the client starts: the survey, how many runs there are, and the answers in every line."""

    manifest: Manifest
    runs: int
    one_at_a_time: bool = False
    random: RandomBytes = os.urandom

    @cached_property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Return the inputs of every question."""
        return tuple(contrast_of(question) for question in self.manifest.questions)

    @cached_property
    def plan(self) -> Plan:
        """Return the inputs of every line, drawn once."""
        return draw_plan(self.contrasts, self.rounds, self.random, one_at_a_time=self.one_at_a_time)

    @property
    def rounds(self) -> int:
        """Return how often an input is used: more often if each device answers only some of the questions."""
        questions, ask = len(self.manifest.questions), self.manifest.ask
        return self.runs if ask is None else -(-self.runs * questions // ask)

    @property
    def lines_to_feed(self) -> int:
        """Return the number of lines."""
        return self.plan.lines

    def answers(self) -> Iterator[Answers]:
        """Return the answers of the lines, in the order in which the client gets them."""
        written = [[each.answers for each in contrast.inputs] for contrast in self.contrasts]
        for line in self.plan.inputs.tolist():
            chosen = (answers[place] for answers, place in zip(written, line, strict=True))
            yield {name: answer for each in chosen for name, answer in each.items()}

    def collect(self, reports: Iterable[bytes]) -> Record:
        """Record the client's reports to these lines; a report too many is an error."""
        names = [question.id for question in self.manifest.questions]
        places: list[dict[Draw, int]] = [{} for _ in names]
        draws, ids = np.zeros((self.plan.lines, len(names)), dtype=np.int32), bytearray()
        # Read to the end, so that the end of the client's program is checked too.
        for line, report in enumerate(read_reports(reports, self.manifest)):
            if line == self.plan.lines:
                raise ClientFailed("the client gave more reports than it got answers: it must give one for each line")
            ids += bytes.fromhex(report.id)
            drawn = zip(places, report.draws.values(), strict=True)
            draws[line] = [known.setdefault(draw, len(known)) for known, draw in drawn]
        recorded = np.frombuffer(bytes(ids), dtype=np.uint8).reshape(-1, ID_BYTES)
        return Record(recorded, draws, tuple(tuple(known) for known in places))


def read_reports(reports: Iterable[bytes], manifest: Manifest) -> Iterator[Report]:
    """Yield reports, read strictly: each as the manifest requires, in its one spelling, no id twice."""
    seen: set[str] = set()
    for number, body in enumerate(reports, start=1):
        report = read_report(body, manifest, number)
        if report.encode() != body:
            raise ClientFailed(
                f"the client's report {number} is not in the one spelling of a report: write the keys in the order of "
                "the manifest, without blanks and escapes"
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
