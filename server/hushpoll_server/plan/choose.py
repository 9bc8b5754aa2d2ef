"""Choose the mechanism of a question: the best one known for its type, its answers and its privacy.

The rule here: every choice is computed, never a rule of thumb. What a researcher asks for by name, or by a second bound
for repeated waves, is used if it fits the question.
"""

from __future__ import annotations

from hushpoll_server.mechanisms import MECHANISMS, Bound, Mechanism, mechanism_for
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.ticks import has_ticks, usual_measure
from hushpoll_server.mechanisms.variance import AtShare, Measure
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import DESIGNS, Design
from hushpoll_shared.mechanisms.domains import Categories
from hushpoll_shared.question_types import QuestionType

# The mechanisms that a survey file may ask for.
NAMED = tuple(name for name, design in DESIGNS.items() if MECHANISMS[design].BY_NAME)


def choose_design(
    question_type: QuestionType,
    bound: Bound,
    *,
    measure: Measure | None = None,
    mechanism: str | None = None,
    permanent: Bound | None = None,
) -> Design:
    """Return the best design for a question, or the one that is asked for by name or by a permanent bound.

    What is best for ticks depends on how many people tick an option: the measure decides, or the share that is likely.
    """
    if permanent is not None:
        return _repeated(question_type, bound, permanent)
    if mechanism is not None:
        return _named(question_type, bound, mechanism)
    judge = measure or usual_measure(question_type)
    competing = (half.best_by(question_type, bound, judge) for half in MECHANISMS.values() if not half.BY_NAME)
    designs = [design for design in competing if design is not None]
    best: Design = min(designs, key=lambda design: mechanism_for(question_type, design).compared_by(judge))
    return best


def choose_mechanism(
    question_type: QuestionType, bound: Bound, *, measure: Measure | None = None, mechanism: str | None = None
) -> Mechanism[Design]:
    """Return the server's half of the best design."""
    return mechanism_for(question_type, choose_design(question_type, bound, measure=measure, mechanism=mechanism))


def design_again(mechanism: Mechanism[Design], question_type: QuestionType, measure: Measure | None = None) -> Design:
    """Return the design with the same privacy for another type of question."""
    once, always = mechanism.bounds
    return choose_design(question_type, once, measure=measure, permanent=always)


def typical_variance(mechanism: Mechanism[Design], measure: AtShare | None = None) -> float:
    """Return the variance of a typical figure for each respondent: of ticks at the share that the design is for."""
    if not has_ticks(mechanism.type):
        return mechanism.figure_variance()
    return (measure or usual_measure(mechanism.type))(mechanism.variance_by_answer())


def _named(question_type: QuestionType, bound: Bound, name: str) -> Design:
    if name not in NAMED:
        raise InvalidValue(f"mechanism must be {' or '.join(NAMED)}, or be left out: the best one is chosen")
    design: Design | None = MECHANISMS[DESIGNS[name]].best(question_type, bound)
    if design is None:
        raise InvalidValue(f"mechanism: {name} is for report: mean without decline: leave the mechanism or decline out")
    return design


def _repeated(question_type: QuestionType, once: Bound, always: Bound) -> Design:
    match question_type.domain:
        case Categories(size) if not question_type.parts:
            return RepeatedMechanism.of(once, always, size)
    raise InvalidValue("repeated waves are for yes_no, single_choice and scale (shares)")
