"""The errors of the Python SDK.

    HushpollError                  (shared) stands above everything that Hushpoll raises on purpose
    ├── InvalidValue               (shared) a key, address, epsilon or name that cannot be one
    ├── ManifestRefused            (shared) a manifest that a careful client must not use
    └── ClientError
        ├── AnswerRefused          answers that do not fit the survey; nothing was drawn
        ├── ReportRefused          a report that this client must not send; nothing was sent
        │   └── AlreadyAnswered    this state already holds another report to the survey
        ├── EpsilonCapExceeded     the survey would cost more than the app allows
        ├── StateFailed            the state file cannot be read or written; nothing was sent
        ├── ServerUnreachable      no answer, or none that can be used: try again later
        └── ServerRefused          the server answered that it will not: trying again does not help

The law here: a message says what was wrong and the cure. It never holds an answer.
"""

from __future__ import annotations

from hushpoll_shared.errors import HushpollError


class ClientError(HushpollError):
    """Stand above every error of the SDK."""


class AnswerRefused(ClientError):
    """Say which question cannot take the answer it was given."""


class ReportRefused(ClientError):
    """Say why a report must not be sent."""


class AlreadyAnswered(ReportRefused):
    """Say that another report to the same survey was made before."""


class EpsilonCapExceeded(ClientError):
    """Say that a survey would cost more privacy than is allowed."""


class StateFailed(ClientError):
    """Say why the state cannot be used."""


class ServerUnreachable(ClientError):
    """Say why there is no answer that could be used."""


class ServerRefused(ClientError):
    """Say what the server will not do."""
