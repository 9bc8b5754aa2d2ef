"""Too early: what a page says instead of figures while there are too few reports for them.

The rule here: figures that a reader would only misread are not shown unless they are asked for (`?early=1`): those of
fewer reports than any design needs, and all figures of a survey below the minimum that it was published with. The page
says how wide the interval would be, and how many reports it takes. Both follow from the design and the number of
reports alone, by the planner's own computation; no estimate is used for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW
from hushpoll_server.dashboard.panels import AnyPanel
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.plan.sizes import MarginGoal, PlanError, Sample, smallest_n
from hushpoll_server.plan.variances import is_mean
from hushpoll_server.results.query import read_one_of
from hushpoll_server.results.service import Reading
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.questions import Question

OPTION, ASKED_FOR = "early", "1"
# The margin of error that the sentence about the needed reports is for, as a part of the range of a share or a mean.
GOAL = 0.1
# An interval of at least this part of the range covers nearly all of it.
NEARLY_EVERYTHING = 0.8
_SPACE = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Early:
    """Whether figures of few reports are shown, from how many on they always are, and the address with them."""

    shown: bool
    link: str
    below: int = TOO_EARLY_BELOW

    def hides(self, n: int) -> bool:
        """Return whether the figures of this many reports are not shown."""
        return not self.shown and 0 < n < self.below

    def why(self, panel: AnyPanel) -> str:
        """Return why it is too early, and how many reports it takes."""
        result = panel.result
        looks = " for one look" if result.coverage == "anytime" else ""
        return why_early(panel.question, result.n, Sample(result.level, result.population), looks=looks)


def least_reports(survey: PublishedSurvey, reading: Reading) -> int:
    """Return from how many reports on figures are shown: of a survey that has its minimum, no group needs as many."""
    return survey.minimum_reports if reading.everybody < survey.minimum_reports else TOO_EARLY_BELOW


def read_early(query: MultiDict[str, str], survey: PublishedSurvey, reading: Reading) -> Early:
    """Read whether figures of few reports are asked for; the link keeps all other options."""
    shown = read_one_of((ASKED_FOR,), query, OPTION) is not None
    others = [(name, value) for name, value in query.items(multi=True) if name != OPTION]
    return Early(shown, "?" + urlencode([*others, (OPTION, ASKED_FOR)]), least_reports(survey, reading))


def why_early(question: Question, n: int, sample: Sample, *, looks: str = "") -> str:
    """Return how wide the interval of this many reports would be, and how many reports narrow it.

    The planner knows intervals for one look only; where a page has others, `looks` says so.
    """
    variance, span = mechanism_of(question).variance_by_answer(), _span(question)
    part = sample.margin(variance, n) / span
    judged = "it covers nearly everything" if 2 * part >= NEARLY_EVERYTHING else "it says little"
    level = formatting.level_name(sample.level)
    width = f"With {formatting.reports(n)} the {level} interval{looks} is about {_points(question, part)}: {judged}."
    return f"{width} {_needed(question, sample, span)}"


def _needed(question: Question, sample: Sample, span: float) -> str:
    goal = MarginGoal(sample, GOAL * span)
    try:
        n = smallest_n(mechanism_of(question).variance_by_answer(), goal)
    except PlanError:
        return f"The randomizing leaves more than {_points(question, GOAL)} even if the whole population answers."
    return f"About {formatting.reports(_rounded_up(n))} give {_points(question, GOAL)}."


def _points(question: Question, part: float) -> str:
    """Format a margin of error: in points of a share, or for a mean as a part of its range."""
    unit = f"{_SPACE}% of the range" if is_mean(question.type) else " points"
    return f"±{_SPACE}{formatting.number(part, 0)}{unit}"


def _span(question: Question) -> float:
    return 2 * question.type.half_range if is_mean(question.type) else 1.0


def _rounded_up(number: int) -> int:
    """Round up to two digits: a plan is not more exact than that."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step
