"""The errors of the Python SDK.

    HushpollError                  (shared) the base class of everything that Hushpoll raises on purpose
    ├── InvalidValue               (shared) a key, address, epsilon or name that is not valid
    ├── ManifestRefused            (shared) a manifest that a careful client must not use
    └── ClientError
        ├── AnswerRefused          answers that do not fit the survey; nothing was drawn
        ├── SurveyNotOpen          a survey that has not opened yet or is closed; nothing was charged
        ├── ReportRefused          a report that this client must not send; nothing was sent
        │   └── AlreadyAnswered    this state already holds another report to the survey
        ├── EpsilonCapExceeded     the survey would cost more than the app allows
        ├── StateFailed            the state file cannot be read or written; nothing was sent
        ├── ServerUnreachable      no reply, or none that can be used: try again later
        └── ServerRefused          the server refused: trying again does not help

The rule here: a message says what was wrong and the cure, and fields say it to programs. Neither ever contains an
answer. If another error was the cause, it is the `__cause__`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushpoll_shared.errors import HushpollError

if TYPE_CHECKING:
    from datetime import datetime

    from hushpoll_shared.question_types import Answer


@dataclass(frozen=True)
class AnswerProblem:
    """One thing that is wrong with a set of answers, without any of them.

    `question` is the id under which the question is answered; None if the answers as a whole are wrong. `allowed` lists
    what can be answered or ticked: ids of options, points of a scale, extras. It is empty where that is a range.
    """

    question: str | None
    message: str
    allowed: tuple[Answer, ...] = ()


class ClientError(HushpollError):
    """The base class of the SDK's own errors."""


class AnswerRefused(ClientError):
    """Answers that do not fit the survey, with all that is wrong with them."""

    def __init__(self, message: str, *, problems: tuple[AnswerProblem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class SurveyNotOpen(ClientError):
    """A survey that does not take reports at this time; `problem` is the type that its server would name."""

    def __init__(
        self,
        message: str,
        *,
        survey: str | None = None,
        problem: str | None = None,
        opens: datetime | None = None,
        closes: datetime | None = None,
    ) -> None:
        super().__init__(message)
        self.survey, self.problem, self.opens, self.closes = survey, problem, opens, closes


class ReportRefused(ClientError):
    """A report that must not be sent."""

    def __init__(self, message: str, *, survey: str | None = None) -> None:
        super().__init__(message)
        self.survey = survey


class AlreadyAnswered(ReportRefused):
    """A second report to a survey that this state has already answered."""


class EpsilonCapExceeded(ClientError):
    """A survey that would cost more epsilon than the app allows.

    `epsilon` is what would be spent, `cap` the most that may be, both as exact decimals; `option` names the cap.
    """

    def __init__(
        self,
        message: str,
        *,
        survey: str | None = None,
        epsilon: str | None = None,
        cap: str | None = None,
        option: str | None = None,
    ) -> None:
        super().__init__(message)
        self.survey, self.epsilon, self.cap, self.option = survey, epsilon, cap, option


class StateFailed(ClientError):
    """A state that cannot be used."""


class ServerUnreachable(ClientError):
    """A server that did not send a usable reply.

    `status` is that of the reply, None without one; `retry_after` the seconds that the server asked for, if it did.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


class ServerRefused(ClientError):
    """A request that the server refused; `problem` is the type of the reason, None if it named none of the list."""

    def __init__(
        self, message: str, *, survey: str | None = None, status: int | None = None, problem: str | None = None
    ) -> None:
        super().__init__(message)
        self.survey, self.status, self.problem = survey, status, problem
