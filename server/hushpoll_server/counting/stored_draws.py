"""The draws of a stored report: compact JSON, a list in the order of the manifest's questions.

The questions' names are in the manifest, once. In every row they would be most of what is stored, and writing
four times as much takes a database twice the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from hushpoll_shared import strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import NOT_JSON, WRONG_ANSWERS, ProblemError
from hushpoll_shared.report import check_draws


def write_draws(draws: Mapping[str, Draw]) -> str:
    """Write the draws of a checked report; JSON never escapes their characters."""
    return "[" + ",".join([f'"{draw}"' for draw in draws.values()]) + "]"


def places_of(manifest: Manifest) -> dict[str, slice]:
    """Return where each question's draw is in a stored text: all reports to a manifest have the same shape."""
    places, start = {}, len('["')
    for question in manifest.questions:
        places[question.id] = slice(start, start + question.design.width)
        start += question.design.width + len('","')
    return places


def read_draws(text: str, manifest: Manifest) -> dict[str, Draw]:
    """Read a row as strictly as its report was read."""
    try:
        draws = strict_json.loads(text.encode())
    except strict_json.StrictJSONError:
        raise ProblemError(NOT_JSON) from None
    if not isinstance(draws, list) or len(draws) != len(manifest.questions):
        raise ProblemError(WRONG_ANSWERS)
    return check_draws({question.id: draw for question, draw in zip(manifest.questions, draws, strict=True)}, manifest)
