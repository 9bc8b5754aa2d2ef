"""Read the reports of one survey: bytes become an entry for the writer, or a problem.

All reports to a manifest have the same shape, so the usual spelling, that of our clients, is one pattern, which reads
in a third of the time of a general reader. The law here: the pattern only says yes, and only where the strict reader
of `hushpoll_shared.report` says the same; whatever else comes is left to that one. A test compares the two on good,
bad and mutilated reports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hushpoll_server.collect.batch import Entry
from hushpoll_server.collect.draws import write_draws
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.designs import Draw
from hushpoll_shared.problems import Problem, ProblemError
from hushpoll_shared.report import VERSION, check_answers, decode, report_length

# A whole number or a text, as JSON spells a draw; nothing in it is ever escaped.
_DRAW = '(0|[1-9][0-9]{0,14}|"[0-9a-f-]*")'
# Draws that are remembered for each question; most questions have fewer.
_REMEMBERED = 1_000


class Reader:
    """The way to read the reports of a survey."""

    def __init__(self, rules: Rules) -> None:
        """Put the pattern of the usual spelling together."""
        self._rules, self._manifest = rules, rules.manifest
        self.report_length, self.origins = report_length(rules.manifest), rules.origins
        self._names = [question.id for question in self._manifest.questions]
        # Draws that fit their question, once they were checked.
        self._seen: list[dict[str, Draw]] = [{} for _ in self._names]
        head = f'{{"v":{VERSION},"survey":"{self._manifest.survey}","manifest":"{self._manifest.id}","id":"'
        draws = ",".join(f'"{re.escape(name)}":{_DRAW}' for name in self._names)
        self._usual = re.compile(f'{re.escape(head)}([0-9a-f]{{32}})","answers":{{{draws}}}}}')

    def read(self, body: bytes) -> Entry | Problem:
        """Read a report, or tell what is wrong with it."""
        try:
            return self.read_usual(body) or self._read_any(body)
        except ProblemError as error:
            return error.problem

    def read_usual(self, body: bytes) -> Entry | None:
        """Read a report in the usual spelling; give nothing if it is not one."""
        # One letter for each byte: what is not plain ASCII matches nothing.
        found = self._usual.fullmatch(body.decode("latin-1"))
        if found is None:
            return None
        report_id, *draws = found.groups()
        try:
            answers = dict(
                zip(self._names, [seen[draw] for seen, draw in zip(self._seen, draws, strict=True)], strict=True)
            )
        except KeyError:
            answers = self._check(draws)
        return self._entry(report_id, answers, f"[{','.join(draws)}]") if answers else None

    def _read_any(self, body: bytes) -> Entry:
        report = decode(body, self._manifest)
        return self._entry(report.id, report.answers, write_draws(report.answers))

    def _entry(self, report_id: str, answers: Mapping[str, Draw], draws: str) -> Entry:
        return Entry((self._manifest.survey, bytes.fromhex(report_id)), draws, answers, self._rules)

    def _check(self, draws: Sequence[str]) -> dict[str, Draw]:
        """Read draws that were not all seen before; give nothing if they do not fit."""
        answers = {name: _draw(text) for name, text in zip(self._names, draws, strict=True)}
        try:
            check_answers(answers, self._manifest)
        except ProblemError:
            return {}
        # Where each device answers only some questions, whether a draw fits depends on the others.
        if self._manifest.ask is None:
            for seen, text, draw in zip(self._seen, draws, answers.values(), strict=True):
                if len(seen) < _REMEMBERED:
                    seen[text] = draw
        return answers


def _draw(text: str) -> Draw:
    return text[1:-1] if text[0] == '"' else int(text)
