"""Reports: what a device sends, and the strict reading of it.

A report holds draws, never answers. All reports to a manifest have the same shape and byte length. Reading ends
in a `Report` that fits its manifest or in a problem from the closed list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hushpoll_shared import problems, strict_json
from hushpoll_shared.designs import Draw, Warner
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.randomness import ByteSource

VERSION = 1
LARGEST_REPORT = 64 * 1024
ID_BYTES = 16

_KEYS = ("v", "survey", "manifest", "id", "answers")
_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True)
class Report:
    """One respondent's draws, in the order of the manifest's questions.

    `memos` are the tags of repeated answers, by question, for the ledger of the device that drew them. They must never
    be sent.
    """

    survey: str
    manifest: str
    id: str
    answers: Mapping[str, Draw]
    memos: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def encode(self) -> bytes:
        """Give the bytes that are sent, on the first try and on every retry.

        Names, ids and draws are of characters that JSON never escapes, so they are put together here, which takes a
        third of the time of a general writer.
        """
        draws = ",".join(
            [f'"{name}":{draw}' if type(draw) is int else f'"{name}":"{draw}"' for name, draw in self.answers.items()]
        )
        head = f'"v":{VERSION},"survey":"{self.survey}","manifest":"{self.manifest}","id":"{self.id}"'
        return f'{{{head},"answers":{{{draws}}}}}'.encode()


def report_length(manifest: Manifest) -> int:
    """Return the number of bytes of every report to a manifest; other spellings of it are longer."""
    widths = {question.id: question.design.width for question in manifest.questions}
    plain = {question.id for question in manifest.questions if isinstance(question.design, Warner)}
    draws: dict[str, Draw] = {name: 0 if name in plain else "0" * width for name, width in widths.items()}
    return len(Report(manifest.survey, manifest.id, "0" * 2 * ID_BYTES, draws).encode())


def draw_id(source: ByteSource) -> str:
    """Draw a report's id: 128 random bits in hexadecimal."""
    return source.take(ID_BYTES).hex()


def decode(body: bytes, manifest: Manifest) -> Report:
    """Read a report to this manifest; raise a `ProblemError` for anything else."""
    if len(body) > LARGEST_REPORT:
        raise ProblemError(problems.TOO_LARGE)
    fields = _read_fields(body)
    if fields["v"] != VERSION or type(fields["v"]) is not int:
        raise ProblemError(problems.UNKNOWN_VERSION)
    if fields["survey"] != manifest.survey:
        raise ProblemError(problems.WRONG_SURVEY)
    if fields["manifest"] != manifest.id:
        raise ProblemError(problems.WRONG_MANIFEST)
    if not isinstance(fields["id"], str) or not _ID.fullmatch(fields["id"]):
        raise ProblemError(problems.NOT_A_REPORT)
    return Report(manifest.survey, manifest.id, fields["id"], check_answers(fields["answers"], manifest))


def check_answers(answers: Any, manifest: Manifest) -> dict[str, Draw]:
    """Give the draws in the manifest's order if there is a possible one for each question."""
    if not isinstance(answers, dict) or len(answers) != len(manifest.questions):
        raise ProblemError(problems.WRONG_ANSWERS)
    blank = 0
    for question in manifest.questions:
        draw = answers.get(question.id)
        if manifest.ask is not None and draw == question.design.blank:
            blank += 1
        elif not question.design.is_draw(draw):
            raise ProblemError(problems.WRONG_ANSWERS)
    if manifest.ask is not None and len(answers) - blank != manifest.ask:
        raise ProblemError(problems.WRONG_ANSWERS)
    # The manifest's order, whatever order was sent: equal reports are equal bytes.
    return {question.id: answers[question.id] for question in manifest.questions}


def _read_fields(body: bytes) -> dict[str, Any]:
    try:
        fields = strict_json.loads(body)
    except strict_json.StrictJSONError:
        raise ProblemError(problems.NOT_JSON) from None
    if not isinstance(fields, dict) or fields.keys() != set(_KEYS):
        raise ProblemError(problems.NOT_A_REPORT)
    return fields
