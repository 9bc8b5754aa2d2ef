"""A verified survey, and the one step in which a raw answer exists.

`Survey.randomize` is pure: answers and random bytes in, a report out. It keeps nothing and sends nothing.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from hushpoll_client.answers import read_answers
from hushpoll_client.groups import read_groups
from hushpoll_client.mechanisms import draw
from hushpoll_client.permanent import Memory
from hushpoll_client.state import SECRET_BYTES
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.randomness import ByteSource, choose
from hushpoll_shared.report import Report, draw_id


@dataclass(frozen=True)
class Survey:
    """A survey whose manifest was verified against the key of its publisher.

    `secret` is the device's, for questions that are repeated in waves. Without one, each report is like a new device's.
    `knows_panel` says whether the state answered an earlier wave: if not, someone who took part before pays again.
    `new_questions` are the ids of the repeated questions that are new to the state in a panel that it knows: they were
    added, reworded or signed by another key, and cost again. Tell respondents about both before you ask.
    """

    manifest: Manifest
    secret: bytes | None = field(default=None, repr=False)
    knows_panel: bool = False
    new_questions: tuple[str, ...] = ()

    def randomize(
        self, answers: Mapping[str, object], *, groups: Iterable[str] = (), source: ByteSource | None = None
    ) -> Report:
        """Draw the report to these answers: the only place where a raw answer exists.

        Each call is a new draw. Call it once for each respondent and pass the report to `Client.submit`; a second
        draw of the same answers would spend epsilon again. `groups` are the public labels of this respondent, at most
        one of each dimension: they are sent as they are, so show them before you ask. `source` is for tests: the
        default is the operating system's secure random bytes.
        """
        codes, code = read_answers(self.manifest, answers), read_groups(self.manifest, groups)
        source = _SystemBytes() if source is None else source
        report_id = draw_id(source)
        memos: dict[str, str] = {}
        if self.manifest.repeated:
            codes, memos = self._remember(codes, self.secret or source.take(SECRET_BYTES))
        draws = self._draw(codes, source, _draw_asked(self.manifest, source))
        return Report(self.manifest.survey, self.manifest.id, report_id, draws, code, memos)

    def _remember(self, codes: list[Code], secret: bytes) -> tuple[list[Code], dict[str, str]]:
        """Return the codes with each repeated answer replaced by its permanent draw, and the tags for the ledger."""
        codes, memos = list(codes), {}
        for place, question in enumerate(self.manifest.questions):
            if question.id in self.manifest.repeated:
                memory, code = Memory.of(secret, self.manifest, question), codes[place]
                assert isinstance(code, int), "the code of a choice is a place"
                codes[place], memos[question.id] = memory.draws()[code], memory.tag(code)
        return codes, memos

    def _draw(self, codes: list[Code], source: ByteSource, asked: Container[int]) -> dict[str, Draw]:
        draws: dict[str, Draw] = {}
        for place, question in enumerate(self.manifest.questions):
            design = question.design
            draws[question.id] = draw(design, source, codes[place]) if place in asked else design.blank
        return draws


def _draw_asked(manifest: Manifest, source: ByteSource) -> Container[int]:
    """Draw which questions this device answers, without looking at the answers."""
    everything = range(len(manifest.questions))
    return everything if manifest.ask is None else choose(source, len(everything), manifest.ask)


class _SystemBytes:
    # No buffer, so that two threads or a forked child cannot use the same bytes twice.
    def take(self, count: int) -> bytes:
        return os.urandom(count)
