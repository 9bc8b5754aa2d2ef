"""The closed list of things that can be wrong with a request (RFC 9457).

Every refusal over HTTP has a `type` from this list. A name is never reused with another meaning. The sentences say
what was wrong and the cure; they are fixed texts, so they cannot repeat anything that was sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hushpoll_shared.errors import HushpollError

PREFIX: Final = "urn:hushpoll:problem:"


@dataclass(frozen=True)
class Problem:
    """One kind of refusal."""

    name: str
    status: int
    title: str
    detail: str

    @property
    def type(self) -> str:
        """Return the URI that identifies this problem."""
        return PREFIX + self.name

    def to_json(self) -> dict[str, object]:
        """Return the body of an `application/problem+json` response."""
        return {"type": self.type, "title": self.title, "status": self.status, "detail": self.detail}


class ProblemError(HushpollError):
    """An error that carries a problem from where it was found to where the response is made."""

    def __init__(self, problem: Problem) -> None:
        """Store the problem; the message is its fixed text."""
        super().__init__(f"{problem.title} {problem.detail}")
        self.problem = problem


NOT_JSON = Problem(
    "not-json",
    400,
    "The body is not strict JSON.",
    "Send one JSON object in UTF-8: no duplicate keys, no NaN, whole numbers only, no deep nesting.",
)
NOT_A_REPORT = Problem(
    "not-a-report",
    400,
    "The object is not a report.",
    "A report has exactly the fields v, survey, manifest, id and answers, and groups where the survey has them. Let an "
    "SDK build it.",
)
UNKNOWN_VERSION = Problem(
    "unknown-version",
    400,
    "The report has a version that this server does not know.",
    "Send reports of version 1, or update the server.",
)
WRONG_SURVEY = Problem(
    "wrong-survey",
    400,
    "The report is for a different survey than this address.",
    "Post the report to the address of its own survey.",
)
WRONG_MANIFEST = Problem(
    "wrong-manifest",
    400,
    "The report was made with a different manifest than the survey's.",
    "Fetch the manifest of this survey and check who signed it. Do not draw the report again.",
)
WRONG_ANSWERS = Problem(
    "wrong-answers",
    400,
    "The draws in the report do not fit the survey's questions.",
    "Report every question of the manifest once, each in the form of its mechanism. Let an SDK build it.",
)
WRONG_GROUPS = Problem(
    "wrong-groups",
    400,
    "The groups in the report are not those of the survey.",
    "Send the code of one label, or of none, for each dimension of the manifest. Let an SDK build it.",
)
REPORTS_PURGED = Problem(
    "reports-purged",
    410,
    "The single reports of this survey were purged.",
    "Ask for figures that come from counters: estimates, comparisons, quantiles, and declared cross tables.",
)
GROUP_WITHHELD = Problem(
    "group-withheld",
    403,
    "The group has too few reports to show anything of it.",
    "Wait for more reports, or ask for a larger group: the manifest says how many there must be.",
)
NOT_A_BATCH = Problem(
    "not-a-batch",
    400,
    "The body is not a batch of reports to this survey.",
    "None of its first hundred lines is a report, or it has far more lines than it could hold reports to this survey. "
    "Nothing was stored.",
)
BAD_LENGTH = Problem(
    "bad-length",
    400,
    "The body does not have the length that was announced.",
    "Send the correct Content-Length.",
)
BAD_ENCODING = Problem(
    "bad-encoding",
    400,
    "The body cannot be decompressed.",
    "Send it as plain bytes, or as one gzip stream with Content-Encoding: gzip.",
)
BAD_REQUEST = Problem(
    "bad-request",
    400,
    "The request cannot be understood.",
    "Send it as the API's description says, or let an SDK do it.",
)
BAD_QUERY = Problem(
    "bad-query",
    400,
    "The part of the address after the question mark is not valid.",
    "An option is missing, unknown, given twice, or has a value that it cannot have: the description of the API lists "
    "them, and the manifest names questions and groups.",
)
SIGN_IN_NEEDED = Problem(
    "sign-in-needed",
    401,
    "This needs a researcher's token.",
    "Send Authorization: Bearer with a token made by: hushpoll researcher token EMAIL.",
)
GATEWAY_NEEDED = Problem(
    "gateway-needed",
    401,
    "Many reports at once need a gateway's token.",
    "Send Authorization: Bearer with a token made by: hushpoll gateway add NAME. Or send one report at a time, as "
    "application/json.",
)
BAD_FORM = Problem(
    "bad-form",
    400,
    "The form is out of date.",
    "Go back, reload the page and send it again.",
)
ORIGIN_REFUSED = Problem(
    "origin-refused",
    403,
    "Pages of this origin may not send reports to the survey.",
    "Use the survey's own form, or name the origin under embed in the survey file (from_disk: true for a form that is "
    "opened from a disk).",
)
NOT_OPEN = Problem(
    "survey-not-open",
    403,
    "The survey has not opened yet.",
    "Keep the report and send the same bytes after the opening time of the manifest.",
)
CLOSED = Problem(
    "survey-closed",
    403,
    "The survey is closed.",
    "Reports are no longer accepted. Nothing was stored.",
)
UNKNOWN_SURVEY = Problem(
    "unknown-survey",
    404,
    "There is no such survey here.",
    "Check the survey's name and the server's address.",
)
NOT_FOUND = Problem(
    "not-found",
    404,
    "There is no such page.",
    "Check the address.",
)
WRONG_METHOD = Problem(
    "wrong-method",
    405,
    "This address does not accept that method.",
    "The Allow header lists the methods that it accepts.",
)
CONFLICT = Problem(
    "conflict",
    409,
    "A different report with this id was stored before.",
    "The first one stands. Send the same bytes on every retry.",
)
TOO_LARGE = Problem(
    "too-large",
    413,
    "The body is too large.",
    "Send one report, or fewer reports at a time.",
)
WRONG_HOST = Problem(
    "wrong-host",
    421,
    "The server does not go by this name.",
    "Send it to the server's public address, which its operator sets as public_url.",
)
WRONG_MEDIA_TYPE = Problem(
    "wrong-media-type",
    415,
    "The body has a media type that is not accepted here.",
    "Send application/json (one report) or application/x-ndjson (many), plain or with Content-Encoding: gzip.",
)
TRY_LATER = Problem(
    "try-later",
    503,
    "The server cannot store reports right now.",
    "Send the same bytes again after the time in Retry-After.",
)
UNEXPECTED = Problem(
    "unexpected",
    500,
    "The server had an internal error.",
    "Nothing was acknowledged. Send the same bytes again later.",
)

ALL: Final = tuple(value for value in list(globals().values()) if isinstance(value, Problem))
