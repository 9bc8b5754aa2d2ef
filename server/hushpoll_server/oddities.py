"""Patterns in the reports of a survey that honest devices do not give, in sentences for researchers.

Nothing here changes an estimate, and nothing proves fraud: the sentences say what was seen and what it can mean.
Whoever invents reports one by one and draws them by the design gives no pattern at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from hushpoll_server.collect.draws import read_draws, write_draws
from hushpoll_server.collect.repeats import Repeated, Repeats
from hushpoll_server.estimate.repeats import Part, is_beyond_chance, log_likeliest
from hushpoll_shared import designs
from hushpoll_shared.designs import Draw, SubsetSelection
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

# Designs whose draw names one answer, if they pick one only: it then has one of two chances.
OneAnswer = SubsetSelection | designs.Repeated

MORE_THAN_PEOPLE = (
    "{reports:,} reports came from a declared population of {people:,}: some people answered more than once, or "
    "others did."
)
THE_SAME_AGAIN = (
    "One and the same whole report, the draws of all questions, came {times:,} times among the {reports:,} that were "
    "looked through. Whatever people answered, chance gives this less than once in a thousand million: reports were "
    "made up or copied, and the estimates count them."
)
BURSTS = (
    "{times:,} time(s) reports came far faster than in the hour before: hundreds within a minute. Many people who were "
    "invited at once do this, and so does a program that makes reports up. Compare it with when you invited."
)


def warnings_of(manifest: Manifest, reports: int, repeats: Repeats, bursts: int = 0) -> tuple[str, ...]:
    """Say what is odd about the reports of a survey as a whole."""
    found = []
    if manifest.population is not None and reports > manifest.population:
        found.append(MORE_THAN_PEOPLE.format(reports=reports, people=manifest.population))
    if odd := _odd(manifest, repeats):
        found.append(THE_SAME_AGAIN.format(times=odd.times, reports=repeats.reports))
    if bursts:
        found.append(BURSTS.format(times=bursts))
    return tuple(found)


def repeats_in(reports: Iterable[Mapping[str, Draw]]) -> Repeats:
    """Find what repeats most among reports that are not in a database."""
    return Repeats.of(Counter(map(write_draws, reports)))


def _odd(manifest: Manifest, repeats: Repeats) -> Repeated | None:
    """Return a whole report that came more often than chance gives, if there is one."""
    for each in repeats.most:
        draws = read_draws(each.draws, manifest)
        parts = [
            _part(question, draws[question.id], count)
            for question, count in zip(manifest.questions, each.parts, strict=True)
        ]
        if is_beyond_chance(each.times, repeats.reports, parts, ask=manifest.ask):
            return each
    return None


def _part(question: Question, draw: Draw, count: int) -> Part:
    design = question.design
    if draw != design.blank and isinstance(design, OneAnswer) and getattr(design, "picks", 1) == 1:
        return Part(log_likeliest(design), float(min(design.p, design.q)), design.size, count)
    return Part(log_likeliest(design))
