"""Answer Hushpoll surveys from Python.

    from collections.abc import Callable

    from hushpoll_client import Answer, Client, HushpollError

    SERVER = "https://polls.example.org"
    KEY = "ed25519:A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"  # the publisher's: pin it in your app

    # What somebody types, as an answer: a bool, the id of an option, a list of ids, a point of a scale, a number.
    READ: dict[str, Callable[[str], Answer]] = {
        "yes_no": lambda typed: typed == "y",
        "single_choice": str,
        "multi_choice": str.split,
        "scale": int,
        "number": float,
    }

    with Client(SERVER, key=KEY, max_epsilon="4", state="hushpoll.sqlite") as client:
        try:
            survey = client.survey("campus")  # verified against the pinned key
            answers = {q.id: READ[q.type.NAME](input(f"{q.text} ")) for q in survey.manifest.questions}  # stay here
            report = survey.randomize(answers)  # your device draws once; only the draw is ever sent
            receipt = client.submit(report)  # stored first; every retry sends the same bytes
            print(receipt.status, client.spent)
            client.flush()  # call it again later: it sends what is still queued
        except HushpollError as error:
            print(f"The survey could not be answered: {error}")

`question.type` says what can be answered: options, the ends of a range, extras such as "prefer not to say" (None). It
is one of `YesNo`, `SingleChoice`, `MultiChoice`, `Scale`, `Number` and `Pair`, and type checkers narrow it by class and
by `NAME`. A pair is answered under the ids of its two parts, `question.type.parts`. `question.told("en")` has the
sentences that Hushpoll's own form shows about the question: show them with it.

Your device randomizes each answer before anything leaves it. The app itself is trusted: it sees the answer when it
asks the question. Everything public is listed in `__all__`; the errors are drawn as a tree in `hushpoll_client.errors`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hushpoll_client.backoff import Retry
from hushpoll_client.client import Client
from hushpoll_client.errors import (
    AlreadyAnswered,
    AnswerProblem,
    AnswerRefused,
    ClientError,
    EpsilonCapExceeded,
    ReportRefused,
    ServerRefused,
    ServerUnreachable,
    StateFailed,
    SurveyNotOpen,
)
from hushpoll_client.events import Event
from hushpoll_client.outbox import Receipt
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_client.state import Entry, State
from hushpoll_client.transport import Response, Transport, UrllibTransport
from hushpoll_shared.errors import HushpollError, InvalidValue, ManifestRefused

if TYPE_CHECKING:
    from hushpoll_client.async_client import AsyncClient
    from hushpoll_client.gateway import BatchReceipt, Gateway, Rejected
    from hushpoll_client.key_value_state import KeyValue, KeyValueState
    from hushpoll_client.survey import Survey
    from hushpoll_shared.manifest import Manifest
    from hushpoll_shared.question_types import (
        Answer,
        AnyQuestionType,
        MultiChoice,
        Number,
        Option,
        Pair,
        Part,
        Scale,
        SingleChoice,
        YesNo,
    )
    from hushpoll_shared.questions import Question
    from hushpoll_shared.report import Report
    from hushpoll_shared.words import Told

__all__ = [
    "AlreadyAnswered",
    "Answer",
    "AnswerProblem",
    "AnswerRefused",
    "AnyQuestionType",
    "AsyncClient",
    "BatchReceipt",
    "Client",
    "ClientError",
    "Entry",
    "EpsilonCapExceeded",
    "Event",
    "Gateway",
    "HushpollError",
    "InvalidValue",
    "KeyValue",
    "KeyValueState",
    "Manifest",
    "ManifestRefused",
    "MultiChoice",
    "Number",
    "Option",
    "Pair",
    "Part",
    "Question",
    "Receipt",
    "Rejected",
    "Report",
    "ReportRefused",
    "Response",
    "Retry",
    "SQLiteState",
    "Scale",
    "ServerRefused",
    "ServerUnreachable",
    "SingleChoice",
    "State",
    "StateFailed",
    "Survey",
    "SurveyNotOpen",
    "Told",
    "Transport",
    "UrllibTransport",
    "YesNo",
]

# Loaded on first use: an app that only imports the SDK should not wait for mechanisms, asyncio or what it does not use.
_LAZY = {
    "AsyncClient": "hushpoll_client.async_client",
    "BatchReceipt": "hushpoll_client.gateway",
    "Gateway": "hushpoll_client.gateway",
    "KeyValue": "hushpoll_client.key_value_state",
    "KeyValueState": "hushpoll_client.key_value_state",
    "Manifest": "hushpoll_shared.manifest",
    "Question": "hushpoll_shared.questions",
    "Rejected": "hushpoll_client.gateway",
    "Report": "hushpoll_shared.report",
    "Survey": "hushpoll_client.survey",
    "Told": "hushpoll_shared.words",
}
# All others are types of questions, and what these consist of.
_TYPES = "hushpoll_shared.question_types"


# Hidden from type checkers, which would believe in every name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load a name when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_LAZY.get(name, _TYPES)), name)


def __dir__() -> list[str]:
    """Return the public names, whether they are loaded or not."""
    return sorted(__all__)
