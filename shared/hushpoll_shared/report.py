"""Reports: what a device sends, and the strict reading of it.

A report holds draws, never answers, and in a survey with groups the code of its public labels. All reports to a
manifest have the same shape and byte length. Reading one gives either a `Report` that fits its manifest or a problem
from the closed list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hushpoll_shared import problems, strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.randomness import ByteSource

VERSION = 1
LARGEST_REPORT = 64 * 1024
ID_BYTES = 16

_KEYS = ("v", "survey", "manifest", "id", "answers")
_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True)
class Report:
    """One respondent's draws, in the order of the manifest's questions, and the code of the public groups, if any.

    `memos` are the tags of repeated answers, by question, for the ledger of the device that drew them. They must never
    be sent.
    """

    survey: str
    manifest: str
    id: str
    draws: Mapping[str, Draw]
    groups: str = ""
    memos: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def encode(self) -> bytes:
        """Return the bytes that are sent, on the first try and on every retry.

        Names, ids and draws contain only characters that JSON never escapes, so the text is assembled here. This takes
        a third of the time of a general JSON writer.
        """
        draws = ",".join([f'"{name}":"{draw}"' for name, draw in self.draws.items()])
        head = f'"v":{VERSION},"survey":"{self.survey}","manifest":"{self.manifest}","id":"{self.id}"'
        if self.groups:
            head += f',"groups":"{self.groups}"'
        return f'{{{head},"answers":{{{draws}}}}}'.encode()


def report_length(manifest: Manifest) -> int:
    """Return the length in bytes of every report to a manifest; any other spelling of a report is longer."""
    draws = {question.id: "0" * question.design.width for question in manifest.questions}
    groups = "0" * manifest.groups.width if manifest.groups else ""
    return len(Report(manifest.survey, manifest.id, "0" * 2 * ID_BYTES, draws, groups).encode())


def draw_id(source: ByteSource) -> str:
    """Draw a report's id: 128 random bits in hexadecimal."""
    return source.take(ID_BYTES).hex()


def decode(body: bytes, manifest: Manifest) -> Report:
    """Read a report to this manifest; raise `ProblemError` for anything else."""
    if len(body) > LARGEST_REPORT:
        raise ProblemError(problems.TOO_LARGE)
    fields = _read_fields(body, manifest)
    if fields["v"] != VERSION or type(fields["v"]) is not int:
        raise ProblemError(problems.UNKNOWN_VERSION)
    if fields["survey"] != manifest.survey:
        raise ProblemError(problems.WRONG_SURVEY)
    if fields["manifest"] != manifest.id:
        raise ProblemError(problems.WRONG_MANIFEST)
    if not isinstance(fields["id"], str) or not _ID.fullmatch(fields["id"]):
        raise ProblemError(problems.NOT_A_REPORT)
    draws, groups = check_draws(fields["answers"], manifest), fields.get("groups", "")
    if manifest.groups and not manifest.groups.is_code(groups):
        raise ProblemError(problems.WRONG_GROUPS)
    return Report(manifest.survey, manifest.id, fields["id"], draws, groups)


def check_draws(draws: Any, manifest: Manifest) -> dict[str, Draw]:
    """Return the draws in the manifest's order; refuse them unless each question has a possible one."""
    if not isinstance(draws, dict) or len(draws) != len(manifest.questions):
        raise ProblemError(problems.WRONG_ANSWERS)
    blank = 0
    for question in manifest.questions:
        draw = draws.get(question.id)
        if manifest.ask is not None and draw == question.design.blank:
            blank += 1
        elif not question.design.is_draw(draw):
            raise ProblemError(problems.WRONG_ANSWERS)
    if manifest.ask is not None and len(draws) - blank != manifest.ask:
        raise ProblemError(problems.WRONG_ANSWERS)
    # In the manifest's order, whatever order was sent, so that equal reports have equal bytes.
    return {question.id: draws[question.id] for question in manifest.questions}


def _read_fields(body: bytes, manifest: Manifest) -> dict[str, Any]:
    try:
        fields = strict_json.loads(body)
    except strict_json.StrictJSONError:
        raise ProblemError(problems.NOT_JSON) from None
    keys = {*_KEYS, "groups"} if manifest.groups else set(_KEYS)
    if not isinstance(fields, dict) or fields.keys() != keys:
        raise ProblemError(problems.NOT_A_REPORT)
    return fields
