"""The errors of the Python SDK.

    HushpollError                  (shared) the base class of everything that Hushpoll raises on purpose
    ├── InvalidValue               (shared) a key, address, epsilon or name that is not valid
    ├── ManifestRefused            (shared) a manifest that a careful client must not use
    └── ClientError
        ├── AnswerRefused          answers that do not fit the survey; nothing was drawn
        ├── ReportRefused          a report that this client must not send; nothing was sent
        │   └── AlreadyAnswered    this state already holds another report to the survey
        ├── EpsilonCapExceeded     the survey would cost more than the app allows
        ├── StateFailed            the state file cannot be read or written; nothing was sent
        ├── ServerUnreachable      no reply, or none that can be used: try again later
        └── ServerRefused          the server refused: trying again does not help

The rule here: a message says what was wrong and the cure. It never contains an answer.
"""

from __future__ import annotations

from hushpoll_shared.errors import HushpollError


class ClientError(HushpollError):
    """The base class of the SDK's own errors."""


class AnswerRefused(ClientError):
    """Answers that do not fit the survey."""


class ReportRefused(ClientError):
    """A report that must not be sent."""


class AlreadyAnswered(ReportRefused):
    """A second report to a survey that this state has already answered."""


class EpsilonCapExceeded(ClientError):
    """A survey that would cost more epsilon than the app allows."""


class StateFailed(ClientError):
    """A state that cannot be used."""


class ServerUnreachable(ClientError):
    """A server that did not send a usable reply."""


class ServerRefused(ClientError):
    """A request that the server refused."""
