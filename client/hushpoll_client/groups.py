"""The public labels that an app attaches to a report.

The rule here: a label that the survey does not have is refused, and not repeated in the message: an app may have passed
an answer by mistake.
"""

from __future__ import annotations

from collections.abc import Iterable

from hushpoll_client.errors import AnswerRefused
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest


def read_groups(manifest: Manifest, labels: Iterable[str]) -> str:
    """Return the code of labels; without groups in the survey, it is empty."""
    # A single text would be read letter by letter.
    listed = [labels] if isinstance(labels, str) else list(labels)
    if manifest.groups is None:
        if listed:
            raise AnswerRefused("the survey has no groups: leave them out")
        return ""
    try:
        return manifest.groups.code(listed)
    except InvalidValue as error:
        raise AnswerRefused(str(error)) from None
