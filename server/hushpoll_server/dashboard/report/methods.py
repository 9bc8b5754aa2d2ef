"""The methods paragraph of a report, as a journal would take it, and its references.

The rule here: the text is about this survey. A mechanism, an estimator or an interval that was not used is not
mentioned, and nothing is left for the author to fill in. What a mechanism does is said by the mechanism itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.cross_panel import CrossPanel
from hushpoll_server.dashboard.mean_panel import MeanPanel
from hushpoll_server.dashboard.panels import AnyPanel
from hushpoll_server.dashboard.report.intervals import Kind, describe_intervals
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.method import Method, Reference
from hushpoll_shared.manifest import Manifest

LOCAL_PRIVACY = Reference(
    "Dwork and Roth 2014",
    "Dwork, C., Roth, A. (2014). The algorithmic foundations of differential privacy. Foundations and Trends in "
    "Theoretical Computer Science 9, 211–407.",
)

_SHARES = (
    "The share of an answer was estimated as (c/n − q)/(p − q): the part c/n of the n reports that support the "
    "answer, minus the part q that would support it if it were true of nobody, divided by the difference of the two "
    "probabilities. This estimator is unbiased."
)
_MEANS = (
    "The mean of a number was estimated as the average of the values that stand for the reports, which is unbiased by "
    "the design of these values."
)
_SOME = (
    "Where a number could be declined, did not apply or could be an answer of its own beside the range, the mean was "
    "estimated by a ratio of two unbiased averages."
)
_DISTRIBUTIONS = (
    "For distributions a number counts as the middle of its bin. The bins are the most plausible shares given the "
    "reports, a picture without limits; the limits of quartiles and of shares below a number hold for every shape of "
    "the distribution."
)
_TABLES = (
    "Cells of cross tables of questions that were asked separately are averages over the reports of products of two "
    "such figures, and unbiased, too."
)
_UNCLIPPED = (
    "Neither estimates nor limits were clipped to the possible range, so a share may be below 0 or above 100 %."
)


@dataclass(frozen=True)
class Methods:
    """The paragraphs, and the references in the order of the alphabet."""

    paragraphs: tuple[str, ...]
    references: tuple[Reference, ...]


def describe_methods(manifest: Manifest, shown: Sequence[AnyPanel | CrossPanel], options: Options) -> Methods:
    """Return what a journal needs to know of a survey whose figures are those of the panels that are shown."""
    intervals, cited = describe_intervals(_methods_used(shown), options, finite=manifest.population is not None)
    methods = [mechanism_of(question).method for question in manifest.questions]
    references = {LOCAL_PRIVACY, *cited, *(reference for method in methods for reference in method.references)}
    paragraphs = (
        f"{_randomizing(manifest)} {_mechanisms(methods)}",
        " ".join(_estimators(manifest, shown)),
        f"{intervals} {_variance(manifest, options)}",
    )
    return Methods(paragraphs, tuple(sorted(references, key=lambda reference: reference.entry)))


def _randomizing(manifest: Manifest) -> str:
    asked = (
        f" Each device answered {manifest.ask} of the {len(manifest.questions)} questions, chosen at random."
        if manifest.ask
        else ""
    )
    return (
        "Answers were randomized on each respondent’s own device before anything was sent, by the designs in the "
        "table; the researchers’ server received only the randomized reports. Each design satisfies local "
        "differential privacy (Dwork and Roth 2014): whatever is reported, its probabilities under two answers differ "
        f"at most by the factor e^ε, the odds in the table.{asked} The probabilities are ratios of integers that were "
        "fixed and signed before the first report."
    )


def _mechanisms(methods: Sequence[Method]) -> str:
    """Return a sentence for each kind of randomizing, with the numbers of its questions."""
    questions: dict[str, list[int]] = {}
    for number, method in enumerate(methods, start=1):
        questions.setdefault(method.sentence, []).append(number)
    if len(questions) == 1:
        return f"In {'every' if len(methods) > 1 else 'the only'} question, {methods[0].sentence}."
    return " ".join(f"In {_numbered(numbers)}, {sentence}." for sentence, numbers in questions.items())


def _numbered(numbers: Sequence[int]) -> str:
    """Return the numbers of questions in words, neighbours as a range: questions 1–3 and 7."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    *most, last = ["–".join(map(str, ends)) for ends in ranges]
    listed = f"{', '.join(most)} and {last}" if most else last
    return f"question{'s' if len(numbers) > 1 else ''} {listed}"


def _estimators(manifest: Manifest, shown: Iterable[AnyPanel | CrossPanel]) -> Iterable[str]:
    types = [question.type for question in manifest.questions]
    some = [bool(each.extras or each.point_masses) for each in types if each.report != "shares"]
    uses = (
        (any(each.report == "shares" for each in types), _SHARES),
        (not all(some), _MEANS),
        (any(some), _SOME),
        (any(each.report == "distribution" for each in types), _DISTRIBUTIONS),
        (any(isinstance(panel, CrossPanel) for panel in shown), _TABLES),
        (True, _UNCLIPPED),
    )
    return (sentence for holds, sentence in uses if holds)


def _variance(manifest: Manifest, options: Options) -> str:
    parts = (
        "Standard errors include both the variance of sampling respondents and the variance that the randomizing "
        "adds; the part of the second in their sum is given with the figures as the price of privacy."
    )
    if manifest.population is None:
        return f"{parts} The population was taken as infinite."
    unused = " The intervals, which hold at every look, make no use of it." if options.coverage == "anytime" else ""
    return (
        f"{parts} The population has {formatting.whole(manifest.population)} members. The correction 1 − n/N for a "
        "finite population was applied to the variance of sampling alone, because asking everybody does not undo the "
        f"randomizing.{unused}"
    )


def _methods_used(shown: Iterable[AnyPanel | CrossPanel]) -> set[tuple[Kind, ShownMethod]]:
    return {used for panel in shown for used in _methods_of(panel)}


def _methods_of(panel: AnyPanel | CrossPanel) -> Iterator[tuple[Kind, ShownMethod]]:
    if isinstance(panel, CrossPanel):
        yield "table", panel.result.method
    elif isinstance(panel, MeanPanel):
        yield "mean", panel.result.method
        if isinstance(panel.result, MeanOfSomeResult):
            yield "share", panel.result.cells_method
    else:
        yield "share", panel.result.method
