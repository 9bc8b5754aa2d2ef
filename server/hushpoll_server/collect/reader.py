"""Read the reports of one survey: bytes become an entry for the writer, or a problem.

All reports to a manifest have the same shape, so the usual spelling, that of our clients, is one pattern, which reads
them in a third of the time of a general reader. The rule here: the pattern only accepts, and only what the strict
reader of `hushpoll_shared.report` also accepts; everything else is left to that reader. A test compares the two on
good, bad and mutilated reports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hushpoll_server.collect.batch import CheckedReport
from hushpoll_server.counting.stored_draws import write_draws
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import Problem, ProblemError
from hushpoll_shared.report import VERSION, check_draws, decode, report_length

# A draw as JSON spells it; nothing in it is ever escaped.
_DRAW = '"([0-9a-f-]*)"'
# The most draws that are remembered for each question; most questions have fewer.
_MOST_REMEMBERED_DRAWS = 1_000


class Reader:
    """A reader of the reports to one survey."""

    def __init__(self, rules: Rules) -> None:
        """Compile the pattern of the usual spelling."""
        self._rules, self._manifest = rules, rules.manifest
        self.report_length, self.origins = report_length(rules.manifest), rules.origins
        self._names = [question.id for question in self._manifest.questions]
        # Draws that were checked and fit their question.
        self._fitting: list[set[Draw]] = [set() for _ in self._names]
        # Without groups, the one code is empty.
        groups = self._manifest.groups
        self._codes = groups.codes if groups else {""}
        head = f'{{"v":{VERSION},"survey":"{self._manifest.survey}","manifest":"{self._manifest.id}","id":"'
        code = '","groups":"([0-9-]*)' if groups else "()"
        draws = ",".join(f'"{re.escape(name)}":{_DRAW}' for name in self._names)
        self._usual = re.compile(f'{re.escape(head)}([0-9a-f]{{32}}){code}","answers":{{{draws}}}}}')

    def read(self, body: bytes) -> CheckedReport | Problem:
        """Read a report; return the problem if something is wrong with it."""
        try:
            return self.read_usual(body) or self._read_any(body)
        except ProblemError as error:
            return error.problem

    def read_usual(self, body: bytes) -> CheckedReport | None:
        """Read a report in the usual spelling; return None if it is not one."""
        # One character for each byte: what is not plain ASCII does not match.
        usual = self._usual.fullmatch(body.decode("latin-1"))
        if usual is None:
            return None
        report_id, code, *listed = usual.groups()
        if code not in self._codes:
            return None
        draws = dict(zip(self._names, listed, strict=True))
        is_known = all(map(set.__contains__, self._fitting, listed))
        return self._entry(report_id, code, draws) if is_known or self._fit(draws) else None

    def _read_any(self, body: bytes) -> CheckedReport:
        report = decode(body, self._manifest)
        return self._entry(report.id, report.groups, report.draws)

    def _entry(self, report_id: str, code: str, draws: Mapping[str, Draw]) -> CheckedReport:
        key = self._manifest.survey, bytes.fromhex(report_id)
        return CheckedReport(key, write_draws(draws), draws, code, self._rules)

    def _fit(self, draws: Mapping[str, Draw]) -> bool:
        """Return whether draws fit, of which some were not seen before."""
        try:
            check_draws(draws, self._manifest)
        except ProblemError:
            return False
        # Where each device answers only some questions, whether a draw fits depends on the others.
        if self._manifest.ask is None:
            for known, draw in zip(self._fitting, draws.values(), strict=True):
                if len(known) < _MOST_REMEMBERED_DRAWS:
                    known.add(draw)
        return True
