"""The draws of a stored report: compact JSON, a list in the order of the manifest's questions.

The questions' names are in the manifest, once. In every row they would be most of what is stored, and a database that
writes four times as much takes twice the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from hushpoll_shared import strict_json
from hushpoll_shared.designs import Draw
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import NOT_JSON, WRONG_ANSWERS, ProblemError
from hushpoll_shared.report import check_answers


def write_draws(answers: Mapping[str, Draw]) -> str:
    """Spell the draws of a checked report; they are of characters that JSON never escapes."""
    return "[" + ",".join([str(draw) if type(draw) is int else f'"{draw}"' for draw in answers.values()]) + "]"


def read_draws(text: str, manifest: Manifest) -> dict[str, Draw]:
    """Read a row as strictly as the report was read that it came from."""
    try:
        draws = strict_json.loads(text.encode())
    except strict_json.StrictJSONError:
        raise ProblemError(NOT_JSON) from None
    if not isinstance(draws, list) or len(draws) != len(manifest.questions):
        raise ProblemError(WRONG_ANSWERS)
    return check_answers(
        {question.id: draw for question, draw in zip(manifest.questions, draws, strict=True)}, manifest
    )
