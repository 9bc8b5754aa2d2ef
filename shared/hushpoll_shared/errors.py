"""The errors of the shared core.

    HushpollError
    ├── InvalidValue      a number, key or text that cannot be what it should be
    ├── ManifestRefused   a manifest that a careful client must not use
    └── ProblemError      a report that a server must not take (see `problems`)

A message says what was wrong and the cure. It never holds an answer.
"""

from __future__ import annotations


class HushpollError(Exception):
    """Stand above every error that Hushpoll raises on purpose."""


class InvalidValue(HushpollError, ValueError):
    """Say that a value is not of the kind that is needed."""


class ManifestRefused(HushpollError):
    """Say why a manifest must not be used."""
