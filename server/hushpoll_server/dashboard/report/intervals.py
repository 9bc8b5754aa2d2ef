"""How the intervals of a report are described in a paper, with what to cite for each method.

The rule here: only methods that the figures of the report were computed by are described, by their own result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hushpoll_server.dashboard import formatting
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import ShownMethod
from hushpoll_server.mechanisms.method import Reference

# What an interval is for: its methods have the same names, and are computed differently.
Kind = Literal["share", "mean", "table"]

WILSON = Reference(
    "Wilson 1927",
    "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the "
    "American Statistical Association 22, 209–212.",
)
CLOPPER_PEARSON = Reference(
    "Clopper and Pearson 1934",
    "Clopper, C. J., Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the "
    "binomial. Biometrika 26, 404–413.",
)
GAFFKE = Reference(
    "Gaffke 2005",
    "Gaffke, N. (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative "
    "variable. Mathematical Methods of Statistics 14, 451–467.",
)
HOWARD = Reference(
    "Howard et al. 2021",
    "Howard, S. R., Ramdas, A., McAuliffe, J., Sekhon, J. (2021). Time-uniform, nonparametric, nonasymptotic "
    "confidence sequences. Annals of Statistics 49, 1055–1080.",
)


@dataclass(frozen=True)
class IntervalWords:
    """A method in words, with what it cites."""

    words: str
    references: tuple[Reference, ...] = ()


_SHARES: Mapping[ShownMethod, IntervalWords] = {
    "wilson": IntervalWords(
        "the score interval (Wilson 1927) of the probability that a report supports the answer, {converted}",
        (WILSON,),
    ),
    "exact": IntervalWords(
        "the exact interval (Clopper and Pearson 1934) of the probability that a report supports the answer, "
        "{converted}",
        (CLOPPER_PEARSON,),
    ),
    "wald": IntervalWords("the estimate plus and minus a normal quantile times the standard error (Wald)"),
    "mixture": IntervalWords("a confidence sequence by the method of mixtures (Howard et al. 2021)", (HOWARD,)),
}
_MEANS: Mapping[ShownMethod, IntervalWords] = {
    "gaffke": IntervalWords(
        "quantiles of a randomly weighted mean of the reports and of one added respondent at the end of the range "
        "(after Gaffke 2005), nowhere inside the limits of a score test",
        (GAFFKE,),
    ),
    "wilson": IntervalWords("a score test with Student’s quantile (after Wilson 1927)", (WILSON,)),
    "exact": IntervalWords("Chernoff’s bound over all answers with the mean in question, valid at every n"),
    "wald": _SHARES["wald"],
    "mixture": IntervalWords("a confidence sequence by betting (Howard et al. 2021)", (HOWARD,)),
}
_TABLES: Mapping[ShownMethod, IntervalWords] = {
    **_MEANS,
    "wilson": IntervalWords("a score test (after Wilson 1927)", (WILSON,)),
    "exact": IntervalWords("the shares that a fair bet on the reports does not reject, valid at every n"),
}
_BY_KIND: Mapping[Kind, Mapping[ShownMethod, IntervalWords]] = {"share": _SHARES, "mean": _MEANS, "table": _TABLES}
_OF: Mapping[Kind, str] = {"share": "shares", "mean": "means", "table": "cells of cross tables"}
_CONVERTED = "converted to the share by the same straight line as the estimate"
_CONVERTED_IF_FINITE = "converted to the share with the variance of a finite population"
_COVERAGE: Mapping[str, str] = {
    "pointwise": "The level holds for each interval by itself, at a time fixed beforehand.",
    "simultaneous": "The level holds for all intervals of a question jointly (Bonferroni), at a time fixed beforehand.",
    "anytime": "The level holds for each interval at all looks during data collection together.",
}


def describe_intervals(
    used: set[tuple[Kind, ShownMethod]], options: Options, *, finite: bool
) -> tuple[str, tuple[Reference, ...]]:
    """Return the sentences about the intervals that are shown, and what they cite; none are shown without figures."""
    if not used:
        return "There are too few reports for intervals yet.", ()
    known = [(kind, _BY_KIND[kind][method]) for kind, method in sorted(used)]
    methods = "; ".join(_together(known)).format(converted=_CONVERTED_IF_FINITE if finite else _CONVERTED)
    rule = " The method for shares was chosen from the counts by a fixed rule." if _by_rule(used, options) else ""
    sentences = f"Intervals are {formatting.level_name(options.level)} confidence intervals: {methods}."
    references = tuple(reference for _, method in known for reference in method.references)
    return f"{sentences}{rule} {_COVERAGE[options.coverage]}", references


def _together(known: Sequence[tuple[Kind, IntervalWords]]) -> Iterator[str]:
    """Return each method once, with all that it is used for."""
    for method in dict.fromkeys(method for _, method in known):
        yield f"for {' and '.join(_OF[kind] for kind, each in known if each == method)}, {method.words}"


def _by_rule(used: set[tuple[Kind, ShownMethod]], options: Options) -> bool:
    return options.method is None and bool(used & {("share", "wilson"), ("share", "exact")})
