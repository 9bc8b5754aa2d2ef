"""The share of people who tick an option of a question, as its author expects it: read it, and say what it buys.

Which design is best for ticks depends on that share; how private it is does not. So it is read here, used when the
design is chosen, and not published: the manifest has the integers of the design.
"""

from __future__ import annotations

from collections.abc import Iterator

from hushpoll_server.compile.fields import Fields
from hushpoll_server.compile.yaml_with_lines import Inexact
from hushpoll_server.mechanisms import Mechanism, mechanism_for, mechanism_of
from hushpoll_server.mechanisms.ticks import HALF, has_ticks, usual_measure
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.plan.choose import design_again
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.questions import Question

ANY = "any"
WORST, RARE = AtShare(None), AtShare(0.1)
# Stating a share is proposed if without it so many more respondents are needed where few people tick an option.
WORTH_STATING = 0.05


def read_likely_share(fields: Fields) -> AtShare | None:
    """Read the share that the options are likely to have, exactly; `any` plans for the worst."""
    if "likely_share" not in fields:
        return None
    value = fields["likely_share"]
    if value == ANY:
        return WORST
    try:
        share = parse_number(value.text if isinstance(value, Inexact) else value, "likely_share")
    except InvalidValue:
        share = None
    if share is None or share > 1:
        raise InvalidValue('likely_share must be a share from 0 to 1, such as 0.1 or "1/10", or any')
    return AtShare(float(share))


def notes_on_share(question: Question, stated: AtShare | None) -> Iterator[str]:
    """Return what a stated share buys; without one, what the design is for and whether stating it would help."""
    if not has_ticks(question.type):
        return
    mechanism, usual = mechanism_of(question), usual_measure(question.type)
    if stated is not None:
        yield f"likely_share: {_what_it_buys(mechanism, stated)}"
    elif usual != HALF and _again(mechanism, WORST).design != mechanism.design:
        yield f"the design is for options that {_percent(usual)} tick, as max_picks allows; likely_share states another"
    elif _more(mechanism, rare := _again(mechanism, RARE), RARE) > WORTH_STATING:
        fewer = f"{_respondents(rare, mechanism, RARE)} respondents for the same accuracy"
        yield f"if about {_percent(RARE)} tick an option, likely_share: {RARE.share} would need {fewer}"


def _what_it_buys(mechanism: Mechanism[Design], stated: AtShare) -> str:
    without = _again(mechanism, None)
    if without.design == mechanism.design:
        return "the design is the same without it"
    compared = f"for the same accuracy it needs {_respondents(mechanism, without, stated)} respondents than without it"
    if stated == WORST:
        return f"{compared} at the worst share"
    worst = f"{_respondents(mechanism, without, WORST)} at the worst share"
    return f"{compared} if {_percent(stated)} tick an option, {worst}"


def _again(mechanism: Mechanism[Design], measure: AtShare | None) -> Mechanism[Design]:
    """Return the design that another share would have given."""
    return mechanism_for(mechanism.type, design_again(mechanism, mechanism.type, measure))


def _more(one: Mechanism[Design], other: Mechanism[Design], measure: AtShare) -> float:
    """Return by which part one design needs more respondents than another for the same accuracy."""
    return measure(one.variance_by_answer()) / measure(other.variance_by_answer()) - 1


def _respondents(one: Mechanism[Design], other: Mechanism[Design], measure: AtShare) -> str:
    more = _more(one, other, measure)
    return f"{100 * abs(more):.0f} % {'more' if more > 0 else 'fewer'}"


def _percent(measure: AtShare) -> str:
    return f"{100 * (measure.share or 0):.3g} %"
