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

from hushpoll_client.backoff import Retry
from hushpoll_client.charges import entry_of, memos_of
from hushpoll_client.errors import AlreadyAnswered, EpsilonCapExceeded, ReportRefused, ServerUnreachable
from hushpoll_client.events import Event, OnEvent, ignore
from hushpoll_client.opening import check_open
from hushpoll_client.outbox import Outbox, Receipt
from hushpoll_client.panels import check_panel, earlier_of, most_added, most_spent, new_questions, wave_of
from hushpoll_client.server import Server
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_client.state import State, check_total
from hushpoll_client.transport import Transport, UrllibTransport
from hushpoll_shared.addresses import check_address
from hushpoll_shared.checks import check_name
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import ManifestRefused

if TYPE_CHECKING:
    from hushpoll_client.panels import Wave
    from hushpoll_client.survey import Survey
    from hushpoll_shared.manifest import Manifest
    from hushpoll_shared.report import Report


NO_RETRY = Retry()


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
        timeout: float = 10.0,
        retry: Retry = NO_RETRY,
        on_event: OnEvent = ignore,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Set up the client; nothing is sent yet.

        `key` is the publisher's public key, pinned by the app. `max_epsilon` is the most that one survey may cost,
        `max_total_epsilon` the most that all surveys in the state may cost together, whatever is answered.
        `max_panel_epsilon` is the most that the questions of one panel may cost, each counted once; without it, 8 or
        twice what the panel's first wave costs, whichever is more. `state` is the path of a SQLite file; without one,
        everything is forgotten when the process ends. Give each respondent a state of their own. `timeout` is the most
        seconds that a request may take, `retry` how often a call tries, and `on_event` is told what happened; no event
        has a place for an answer.
        """
        # Loaded here and in `survey`: an app that only imports the SDK should not wait for cryptography and mechanisms.
        from hushpoll_shared.signing import check_key

        self._key = check_key(key)
        self._server = Server(check_address(url), transport or UrllibTransport(), timeout, on_event)
        self._cap = Epsilon.parse(max_epsilon, "max_epsilon")
        self._total = _limit(max_total_epsilon, "max_total_epsilon")
        self._panel = _limit(max_panel_epsilon, "max_panel_epsilon")
        self._owns_state = state is None or isinstance(state, str | os.PathLike)
        self._state: State = SQLiteState(state) if state is None or isinstance(state, str | os.PathLike) else state
        self._outbox = Outbox(self._key, self._state, self._server.post, clock, sleep, retry)
        self._clock, self._sleep, self._retry = clock, sleep, retry
        self._verified: dict[str, Manifest] = {}

    def survey(self, name: str) -> Survey:
        """Fetch a survey and verify it; offline, use the one that was verified last.

        Raise `ManifestRefused` if the manifest must not be trusted, `EpsilonCapExceeded` if it costs too much, and
        `SurveyNotOpen` if it has not opened yet or is closed.
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

        Raise `AlreadyAnswered` if the state holds another report to the survey, and `SurveyNotOpen` if it holds none
        and the survey was closed since `survey` returned it.
        """
        manifest = self._verified.get(report.manifest)
        if manifest is None:
            raise ReportRefused(
                f'this client has not verified the manifest of the report: call client.survey("{report.survey}") first',
                survey=report.survey,
            )
        entry, memos = entry_of(report, manifest, self._key), memos_of(report, manifest)
        is_new = self._state.find(self._key, report.survey, report.manifest) is None
        if is_new:
            check_open(manifest, self._clock())
        wave = wave_of(manifest, self._key, self._state.waves())
        entry = self._state.claim(entry, most=self._total, memos=memos, wave=wave, panel_most=self._panel)
        if entry.report != report.id:
            raise AlreadyAnswered(
                f"this state holds another report to survey {report.survey}: a device draws once for each survey; "
                "use a separate state for each respondent",
                survey=report.survey,
            )
        if is_new:
            self._server.on_event(Event("queued", entry.survey, entry.status))
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
        pauses = self._retry.pauses_between_attempts()
        attempt = 1
        while True:
            try:
                return self._server.fetch(name, attempt)
            except ServerUnreachable as error:
                if stored := self._state.find_envelope(self._key, name):
                    return stored
                if error.retry_after or (pause := next(pauses, None)) is None:
                    raise
            self._sleep(pause)
            attempt += 1

    def _check(self, name: str, manifest: Manifest) -> None:
        if manifest.survey != name:
            raise ManifestRefused(f"the server returned a survey other than {name}: ask the publisher why")
        if manifest.epsilon > self._cap:
            raise EpsilonCapExceeded(
                f"survey {name} costs epsilon {manifest.epsilon}, more than max_epsilon {self._cap}: "
                "skip it, or choose a larger max_epsilon",
                survey=name,
                epsilon=str(manifest.epsilon),
                cap=str(self._cap),
                option="max_epsilon",
            )
        answered = self._state.find(self._key, name, manifest.id)
        if answered is None:
            check_open(manifest, self._clock())
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


def _limit(value: str | int | None, what: str) -> Epsilon | None:
    return None if value is None else Epsilon.parse(value, what)
