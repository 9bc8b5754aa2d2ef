"""The errors of the shared core.

    HushpollError
    ├── InvalidValue      a number, key or text that is not valid
    ├── ManifestRefused   a manifest that a careful client must not use
    └── ProblemError      a report that a server must not accept (see `problems`)

A message says what was wrong and the cure. It never contains an answer.
"""

from __future__ import annotations


class HushpollError(Exception):
    """The base class of every error that Hushpoll raises on purpose."""


class InvalidValue(HushpollError, ValueError):
    """A value that is not valid."""


class ManifestRefused(HushpollError):
    """A manifest that must not be used."""
