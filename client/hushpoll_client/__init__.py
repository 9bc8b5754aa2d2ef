"""Answer Hushpoll surveys from Python.

    from hushpoll_client import Client, HushpollError

    SERVER = "https://polls.example.org"
    KEY = "ed25519:A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"  # the publisher's: pin it in your app

    # What somebody types, as an answer: a bool, the id of an option, a list of ids, a point of a scale, a number.
    READ = {
        "yes_no": lambda typed: typed == "y",
        "single_choice": str,
        "multi_choice": str.split,
        "scale": int,
        "number": float,
    }

    with Client(SERVER, key=KEY, max_epsilon="4", state="hushpoll.sqlite") as client:
        try:
            survey = client.survey("campus")  # verified against the pinned key
            asked = survey.manifest.questions
            answers = {each.id: READ[each.type.NAME](input(f"{each.text} ")) for each in asked}  # stay on this device
            report = survey.randomize(answers)  # your device draws once; only the draw is ever sent
            receipt = client.submit(report)  # stored first; every retry sends the same bytes
            print(receipt.status, client.spent)
            client.flush()  # call it again later: it sends what is still queued
        except HushpollError as error:
            print(f"The survey could not be answered: {error}")

`question.type` says what can be answered: options, the ends of a range, extras such as "prefer not to say" (None). A
pair is answered under the ids of its two parts, `question.type.parts`.

Your device randomizes each answer before anything leaves it. The app itself is trusted: it sees the answer when it
asks the question. Everything public is listed in `__all__`; the errors are drawn as a tree in `hushpoll_client.errors`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushpoll_client.client import Client
from hushpoll_client.errors import (
    AlreadyAnswered,
    AnswerRefused,
    ClientError,
    EpsilonCapExceeded,
    ReportRefused,
    ServerRefused,
    ServerUnreachable,
    StateFailed,
)
from hushpoll_client.outbox import Receipt
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_client.state import Entry, State
from hushpoll_client.transport import Response, Transport, UrllibTransport
from hushpoll_shared.errors import HushpollError, InvalidValue, ManifestRefused

if TYPE_CHECKING:
    from hushpoll_client.survey import Survey
    from hushpoll_shared.report import Report

__all__ = [
    "AlreadyAnswered",
    "AnswerRefused",
    "Client",
    "ClientError",
    "Entry",
    "EpsilonCapExceeded",
    "HushpollError",
    "InvalidValue",
    "ManifestRefused",
    "Receipt",
    "Report",
    "ReportRefused",
    "Response",
    "SQLiteState",
    "ServerRefused",
    "ServerUnreachable",
    "State",
    "StateFailed",
    "Survey",
    "Transport",
    "UrllibTransport",
]

# Loaded on first use, because they load all mechanisms: an app that only imports the SDK should not wait for those.
_LAZY = {"Report": "hushpoll_shared.report", "Survey": "hushpoll_client.survey"}


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
