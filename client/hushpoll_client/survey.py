"""A verified survey, and the one step in which a raw answer exists.

`Survey.randomize` is pure: answers and random bytes in, a report out. It keeps nothing and sends nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from hushpoll_client.answers import read_answers
from hushpoll_client.draw import DRAW_OF_DESIGN
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.randomness import ByteSource
from hushpoll_shared.report import Report, draw_id


@dataclass(frozen=True)
class Survey:
    """A survey whose manifest was verified against the key of its publisher."""

    manifest: Manifest

    def randomize(self, answers: Mapping[str, object], *, source: ByteSource | None = None) -> Report:
        """Draw the report to these answers: the only place where a raw answer exists.

        Each call is a new draw. Call it once for each respondent and give the report to `Client.submit`; a second
        draw of the same answers would spend epsilon again. `source` is for tests: the default is the operating
        system's secure random bytes.
        """
        codes = read_answers(self.manifest, answers)
        source = _SystemBytes() if source is None else source
        report_id = draw_id(source)
        draws = {
            question.id: DRAW_OF_DESIGN[type(question.design)](question.design, source, code)
            for question, code in zip(self.manifest.questions, codes, strict=True)
        }
        return Report(self.manifest.survey, self.manifest.id, report_id, draws)


class _SystemBytes:
    # No buffer: nothing that two threads or a forked child could hand out twice.
    def take(self, count: int) -> bytes:
        return os.urandom(count)
