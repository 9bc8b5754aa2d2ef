"""The client: fetch and verify surveys, keep what was drawn, send it, send it again.

The rules here: only a manifest signed by the pinned key is used, and only within the app's own caps; a report is in the
state before its first byte is sent; every retry sends the stored bytes; a device has one draw for each survey.

A client may be shared by threads. Two that submit the same report at once may both send it: that is harmless, because
the bytes are the same and the server counts an id once.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hushpoll_client.errors import (
    AlreadyAnswered,
    EpsilonCapExceeded,
    ReportRefused,
    ServerRefused,
    ServerUnreachable,
)
from hushpoll_client.outbox import Outbox, Receipt
from hushpoll_client.panels import check_panel, earlier_of, most_added, most_spent, new_questions, wave_of
from hushpoll_client.replies import is_refusal
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_client.state import Entry, State, check_total
from hushpoll_client.transport import Response, Transport, UrllibTransport
from hushpoll_shared.addresses import check_address
from hushpoll_shared.checks import check_name
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import ManifestRefused
from hushpoll_shared.problems import ProblemError

if TYPE_CHECKING:
    from hushpoll_client.panels import Wave
    from hushpoll_client.survey import Survey
    from hushpoll_shared.manifest import Manifest
    from hushpoll_shared.questions import Question
    from hushpoll_shared.report import Report

TIMEOUT_SECONDS = 10.0
LARGEST_MANIFEST = 6_000_000
LARGEST_REPLY = 64 * 1024
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}


class Client:
    """A device that answers the surveys of one publisher."""

    def __init__(
        self,
        url: str,
        *,
        key: str,
        max_epsilon: str | int = "4",
        max_total_epsilon: str | int | None = None,
        max_panel_epsilon: str | int | None = None,
        state: State | str | os.PathLike[str] | None = None,
        transport: Transport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Set up the client; nothing is sent yet.

        `key` is the publisher's public key, pinned by the app. `max_epsilon` is the most that one survey may cost,
        `max_total_epsilon` the most that all surveys in the state may cost together, whatever is answered.
        `max_panel_epsilon` is the most that the questions of one panel may cost, each counted once; without it, 8 or
        twice what the panel's first wave costs, whichever is more. `state` is the path of a SQLite file; without one,
        everything is forgotten when the process ends. Give each respondent a state of their own.
        """
        # Loaded here and in `survey`: an app that only imports the SDK should not wait for cryptography and mechanisms.
        from hushpoll_shared.signing import check_key

        self._url, self._key = check_address(url), check_key(key)
        self._cap = Epsilon.parse(max_epsilon, "max_epsilon")
        self._total = _limit(max_total_epsilon, "max_total_epsilon")
        self._panel = _limit(max_panel_epsilon, "max_panel_epsilon")
        self._transport = transport or UrllibTransport()
        self._owns_state = state is None or isinstance(state, str | os.PathLike)
        self._state: State = SQLiteState(state) if state is None or isinstance(state, str | os.PathLike) else state
        self._outbox = Outbox(self._key, self._state, self._post, clock, sleep)
        self._verified: dict[str, Manifest] = {}

    def survey(self, name: str) -> Survey:
        """Fetch a survey and verify it; offline, use the one that was verified last.

        Raise `ManifestRefused` if the manifest must not be trusted, `EpsilonCapExceeded` if it costs too much.
        """
        from hushpoll_client.permanent import secret_for
        from hushpoll_client.survey import Survey
        from hushpoll_shared.signing import verify

        check_name(name, "a survey's name")
        envelope = self._envelope(name)
        manifest = verify(envelope, self._key)
        self._check(name, manifest)
        self._state.keep_envelope(self._key, name, envelope)
        self._verified[manifest.id] = manifest
        if not manifest.repeated:
            return Survey(manifest)
        earlier = self._earlier(manifest)
        news = new_questions(manifest, self._key, earlier) if earlier else ()
        secret = secret_for(self._state.secret(), self._key)
        return Survey(manifest, secret, knows_panel=bool(earlier), new_questions=news)

    def submit(self, report: Report) -> Receipt:
        """Store the report, then send it; for the same report again, send the same bytes or return its receipt.

        Raise `AlreadyAnswered` if the state holds another report to the survey.
        """
        entry, memos = self._entry(report), self._memos(report)
        wave = wave_of(self._verified[report.manifest], self._key, self._state.waves())
        entry = self._state.claim(entry, most=self._total, memos=memos, wave=wave, panel_most=self._panel)
        if entry.report != report.id:
            raise AlreadyAnswered(
                f"this state holds another report to survey {report.survey}: a device draws once for each survey; "
                "use a separate state for each respondent"
            )
        return self._outbox.submit(entry)

    def flush(self, *, wait_seconds: float = 0, send_together: bool = False) -> list[Receipt]:
        """Send one of the queued reports; schedule each of the others for a time of its own within the hour.

        A later call sends what is due then. Reports that arrive together can be linked to one device: with
        `send_together` all are sent at once, and the server and anyone who watches the network learn the link. With
        `wait_seconds`, wait for those times, and for a server that is unreachable or asked for time: the randomized
        pauses take at most this long in all. Without it, nothing sleeps. Return a receipt for each report in the queue.
        """
        return self._outbox.flush(wait_seconds, send_together=send_together)

    def receipt(self, name: str) -> Receipt | None:
        """Return the receipt of this state's report to a survey, if there is one."""
        entry = self._state.find(self._key, name)
        return self._outbox.receipt(entry) if entry else None

    @property
    def spent(self) -> str:
        """Return the total epsilon of all reports in the state, as an exact decimal."""
        return str(self._state.spent())

    def close(self) -> None:
        """Close the state that this client opened; what is queued stays in its file."""
        if self._owns_state:
            self._state.close()

    def __enter__(self) -> Self:
        """Use the client in a `with` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client at the end of the block."""
        self.close()

    def _envelope(self, name: str) -> bytes:
        try:
            return self._fetch(name)
        except ServerUnreachable:
            if stored := self._state.find_envelope(self._key, name):
                return stored
            raise

    def _fetch(self, name: str) -> bytes:
        response = self._request("GET", f"{name}/manifest", {"Accept": "application/json"}, None, LARGEST_MANIFEST)
        if response.status == 200:
            return response.body
        refusal = f"the server does not provide survey {name} (status {response.status})"
        if is_refusal(response):
            raise ServerRefused(f"{refusal}: check the survey's name and the server's address")
        raise ServerUnreachable(f"{refusal}: try again later")

    def _check(self, name: str, manifest: Manifest) -> None:
        if manifest.survey != name:
            raise ManifestRefused(f"the server returned a survey other than {name}: ask the publisher why")
        if manifest.epsilon > self._cap:
            raise EpsilonCapExceeded(
                f"survey {name} costs epsilon {manifest.epsilon}, more than max_epsilon {self._cap}: "
                "skip it, or choose a larger max_epsilon"
            )
        answered = self._state.find(self._key, name, manifest.id)
        if answered is None:
            self._check_caps(manifest)
        elif answered.manifest != manifest.id:
            raise ManifestRefused(
                f"the manifest of survey {name} changed after this device answered it: ask the publisher why"
            )

    def _check_caps(self, manifest: Manifest) -> None:
        waves = self._state.waves()
        if wave := wave_of(manifest, self._key, waves):
            check_panel(wave, waves, self._panel)
        cost = most_added(manifest.epsilon, wave, waves)
        check_total(manifest.survey, cost, spent=self._state.spent_alone() + most_spent(waves), most=self._total)

    def _earlier(self, manifest: Manifest) -> list[Wave]:
        """Return the waves of a panel that this state answered before."""
        waves = [wave for wave in self._state.waves() if wave.survey != manifest.survey]
        wave = wave_of(manifest, self._key, waves)
        return earlier_of(wave.panel, wave.key, wave.rows, waves) if wave else []

    def _entry(self, report: Report) -> Entry:
        from hushpoll_shared.report import decode

        manifest = self._verified.get(report.manifest)
        if manifest is None:
            raise ReportRefused(
                f'this client has not verified the manifest of the report: call client.survey("{report.survey}") first'
            )
        body = report.encode()
        try:
            decode(body, manifest)
        except ProblemError:
            raise ReportRefused("the report does not fit its manifest: let survey.randomize make it") from None
        if report.memos.keys() != manifest.repeated.keys():
            raise ReportRefused("the report was not drawn by this device: let survey.randomize make it")
        fresh = (question for question in _asked(manifest, report) if question.id not in manifest.repeated)
        cost = sum((question.design.epsilon for question in fresh), start=Epsilon(0))
        return Entry(self._key, report.survey, report.manifest, cost, report.id, body)

    def _memos(self, report: Report) -> dict[str, Epsilon]:
        """Return what each repeated answer of a report costs if it was not charged before, by its tag."""
        asked = _asked(self._verified[report.manifest], report)
        return {report.memos[each.id]: each.design.epsilon for each in asked if each.id in report.memos}

    def _post(self, entry: Entry) -> Response:
        return self._request("POST", f"{entry.survey}/reports", _JSON, entry.body, LARGEST_REPLY)

    def _request(self, method: str, path: str, headers: dict[str, str], body: bytes | None, largest: int) -> Response:
        url = f"{self._url}/api/v1/surveys/{path}"
        return self._transport.send(method, url, headers=headers, body=body, timeout=TIMEOUT_SECONDS, largest=largest)


def _limit(value: str | int | None, what: str) -> Epsilon | None:
    return None if value is None else Epsilon.parse(value, what)


def _asked(manifest: Manifest, report: Report) -> list[Question]:
    """Return the questions that a report answers."""
    if manifest.ask is None:
        return list(manifest.questions)
    return [question for question in manifest.questions if report.draws[question.id] != question.design.blank]
