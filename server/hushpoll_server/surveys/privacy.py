"""Read how much a question may reveal, and make the design that keeps it.

A plain yes/no question may state Warner's own parameters, p or truth; they become odds as soon as another design is
needed. A repeated question states two epsilons: of one wave, and of the permanent draw behind all waves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushpoll_server.plan.choose import choose_design
from hushpoll_server.surveys.fields import Fields
from hushpoll_server.surveys.located import LocatedError
from hushpoll_shared.designs import Bound, Design, Warner
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import MOST_OPTIONS, Choice, Kind, Pair, YesNo

WARNERS_OWN = ("p", "truth")


@dataclass(frozen=True)
class Stated:
    """What a question may reveal: once, over all waves if it is repeated, and as Warner's design if it can be."""

    bound: Bound
    permanent: Bound | None = None
    warner: Warner | None = None

    @property
    def epsilon(self) -> Epsilon:
        """Give the epsilon that a respondent spends."""
        return (self.permanent or self.bound).epsilon

    @classmethod
    def of_epsilon(cls, value: object, kind: Kind) -> Stated:
        """Allow an epsilon."""
        return cls(Bound.of_epsilon(value), warner=Warner.from_epsilon(value) if _is_plain(kind) else None)


def read_privacy(fields: Fields, kind: Kind) -> Stated:
    """Read the privacy of a question."""
    privacy = fields.located("privacy")
    if not isinstance(privacy.value, dict):
        raise InvalidValue('privacy must be a map such as {odds: "3:1"} or {epsilon: "1"}')
    try:
        return _read_stated(privacy.plain(), kind)
    except InvalidValue as error:
        raise LocatedError(privacy.line, str(error)) from None


def make_design(kind: Kind, stated: Stated, mechanism: str | None, *, blank: bool) -> Design:
    """Make the design of a question; `blank` if some devices leave it out, which Warner's draws cannot show."""
    if isinstance(kind, Choice) and len(kind.cells) > MOST_OPTIONS:
        raise InvalidValue(f"there are more than {MOST_OPTIONS} possible answers: ask with fewer options")
    if stated.warner is not None and stated.permanent is None and not blank:
        return stated.warner
    return choose_design(kind, stated.bound, mechanism=mechanism, permanent=stated.permanent)


def _read_stated(privacy: dict[str, Any], kind: Kind) -> Stated:
    always = _read_permanent(privacy.pop("permanent"), kind) if "permanent" in privacy else None
    if not isinstance(kind, YesNo):
        return Stated(_read_bound(privacy), always)
    warner = Warner.from_privacy(privacy)
    # Warner's threshold T has the odds T : M − T; an epsilon stays what was stated.
    bound = Bound.read(privacy) if "epsilon" in privacy else Bound(warner.odds, warner.epsilon)
    return Stated(bound, always, warner if _is_plain(kind) else None)


def _read_permanent(value: object, kind: Kind) -> Bound:
    if isinstance(kind, Pair):
        raise InvalidValue("a pair cannot be repeated: repeat its two questions, each with a permanent epsilon")
    epsilon = Epsilon.parse(value, "permanent")
    return Bound.of_epsilon(str(epsilon))


def _read_bound(privacy: dict[str, Any]) -> Bound:
    if any(name in privacy for name in WARNERS_OWN):
        raise InvalidValue('p and truth go with yes_no: give epsilon or odds here, for example {epsilon: "1"}')
    return Bound.read(privacy)


def _is_plain(kind: Kind) -> bool:
    return isinstance(kind, YesNo) and not kind.extras
