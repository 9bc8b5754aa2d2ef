"""Read how much a question may reveal, and choose a design within that bound.

A yes/no question may state Warner's own parameters, p or truth. A repeated question states two epsilons: one for
a single wave, and one for the permanent draw behind all waves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushpoll_server.compile.fields import Fields
from hushpoll_server.compile.yaml_with_lines import LocatedError
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_server.plan.choose import choose_design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.question_types import MOST_OPTIONS, QuestionType

WARNER_PARAMETERS = ("p", "truth")


@dataclass(frozen=True)
class StatedPrivacy:
    """What a question may reveal: once, and over all waves if it is repeated."""

    bound: Bound
    permanent: Bound | None = None

    @property
    def epsilon(self) -> Epsilon:
        """Return the epsilon that a respondent spends on the question."""
        return (self.permanent or self.bound).epsilon


def read_privacy(fields: Fields, question_type: QuestionType) -> StatedPrivacy:
    """Read the privacy of a question."""
    privacy = fields.located("privacy")
    if not isinstance(privacy.value, dict):
        raise InvalidValue('privacy must be a map such as {odds: "3:1"} or {epsilon: "1"}')
    try:
        return _read_stated(privacy.plain(), question_type)
    except InvalidValue as error:
        raise LocatedError(privacy.line, str(error)) from None


def make_design(
    question_type: QuestionType, stated: StatedPrivacy, mechanism: str | None, likely_share: AtShare | None
) -> Design:
    """Make the design of a question."""
    if len(question_type.cells) > MOST_OPTIONS:
        raise InvalidValue(f"there are more than {MOST_OPTIONS} possible answers: offer fewer options")
    return choose_design(
        question_type, stated.bound, measure=likely_share, mechanism=mechanism, permanent=stated.permanent
    )


def _read_stated(privacy: dict[str, Any], question_type: QuestionType) -> StatedPrivacy:
    permanent = _read_permanent(privacy.pop("permanent"), question_type) if "permanent" in privacy else None
    if question_type.is_yes_no:
        return StatedPrivacy(Spinner.read(privacy).bound, permanent)
    if any(name in privacy for name in WARNER_PARAMETERS):
        raise InvalidValue('p and truth go with yes_no: give epsilon or odds here, for example {epsilon: "1"}')
    return StatedPrivacy(Bound.read(privacy), permanent)


def _read_permanent(value: object, question_type: QuestionType) -> Bound:
    if question_type.parts:
        raise InvalidValue("a pair cannot be repeated: repeat its two questions, each with a permanent epsilon")
    return Bound.of_epsilon(str(Epsilon.parse(value, "permanent")))
