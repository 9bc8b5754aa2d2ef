"""Patterns in the reports of a survey that honest devices do not produce, in sentences for researchers.

Nothing here changes an estimate, and nothing proves fraud: the sentences say what was found and what it can mean.
Somebody who invents reports one by one and draws them by the design leaves no pattern at all.
"""

from __future__ import annotations

from hushpoll_server.counting.equal_reports import EqualReport, EqualReports
from hushpoll_server.counting.stored_draws import read_draws
from hushpoll_server.estimate.equal_reports import DrawChance, is_beyond_chance
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.questions import Question

MORE_THAN_PEOPLE = (
    "{reports:,} reports came from a declared population of {people:,}: some people answered more than once, or "
    "people outside it did."
)
THE_SAME_AGAIN = (
    "The same whole report, equal in the draws to all questions, occurs {times:,} times among the {reports:,} that "
    "were checked. Whatever people answered, the probability of this is below one in a thousand million: reports were "
    "made up or copied, and the estimates include them."
)
BURSTS = (
    "{times:,} time(s) reports came far faster than in the hour before: hundreds within a minute. Many people who were "
    "invited at once can cause this, and so can a program that makes reports up. Compare it with when you invited."
)


def warnings_of(manifest: Manifest, reports: int, equal: EqualReports, bursts: int = 0) -> tuple[str, ...]:
    """Return sentences on what is suspicious about the reports of a survey as a whole."""
    sentences = []
    if manifest.population is not None and reports > manifest.population:
        sentences.append(MORE_THAN_PEOPLE.format(reports=reports, people=manifest.population))
    if repeated := _repeated(manifest, equal):
        sentences.append(THE_SAME_AGAIN.format(times=repeated.times, reports=equal.reports))
    if bursts:
        sentences.append(BURSTS.format(times=bursts))
    return tuple(sentences)


def _repeated(manifest: Manifest, equal: EqualReports) -> EqualReport | None:
    """Return a whole report that occurs more often than by chance, if there is one."""
    for each in equal.most:
        draws = read_draws(each.draws, manifest)
        parts = [
            _part(question, draws[question.id], count)
            for question, count in zip(manifest.questions, each.parts, strict=True)
        ]
        if is_beyond_chance(each.times, equal.reports, parts, ask=manifest.ask):
            return each
    return None


def _part(question: Question, draw: Draw, count: int) -> DrawChance:
    mechanism = mechanism_of(question)
    least = None if draw == question.design.blank else mechanism.least_likely(draw)
    return (
        DrawChance(mechanism.log_likeliest()) if least is None else DrawChance(mechanism.log_likeliest(), *least, count)
    )
