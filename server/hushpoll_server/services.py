"""All services of one instance, put together in one place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

from flask import current_app

from hushpoll_server.collect.origins import Origins
from hushpoll_server.collect.service import CollectService
from hushpoll_server.collect.tally import Counts, number_of_reports
from hushpoll_server.collect.writer import Writer
from hushpoll_server.gateways.service import GatewayService
from hushpoll_server.memory import Memory
from hushpoll_server.oddities import warnings_of
from hushpoll_server.remembered import RememberedResults
from hushpoll_server.researchers.service import ResearcherService
from hushpoll_server.researchers.sessions import SessionService
from hushpoll_server.results import Results
from hushpoll_server.settings import Settings
from hushpoll_server.store import Store
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import Metrics

# Of forms that are remembered, in each process.
MOST_BYTES_OF_PAGES = 32_000_000

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Tell the time in UTC."""
    return datetime.now(UTC)


class Services:
    """An instance of Hushpoll without its web pages."""

    def __init__(self, settings: Settings, *, clock: Clock = system_clock) -> None:
        """Open the instance that the settings name; nothing must be run before."""
        self.settings, self.clock = settings, clock
        self.origins = Origins(settings.public_url)
        self.store = Store(settings.database_url)
        self.surveys = SurveyService(self.store)
        self.researchers = ResearcherService(self.store, clock)
        self.sessions = SessionService(self.store, clock)
        self.results = RememberedResults()
        self.pages = Memory(most_bytes=MOST_BYTES_OF_PAGES)
        self.gateways = GatewayService(self.store)
        self.metrics = Metrics()
        self._writer = Writer(
            self.store, clock, queue_size=settings.queue_size, wait=settings.batch_wait, metrics=self.metrics
        )
        self.collect = CollectService(self.store, self.surveys, self._writer, self.metrics)

    def estimates(self, survey: str, **options: Any) -> Results:
        """Estimate every question of a survey from its counters."""
        return self.results.results_of(self.surveys.manifest(survey), self.collect.counts(survey), **options)

    def warnings(self, survey: str, counts: Counts) -> tuple[str, ...]:
        """Say what is odd about the reports of a survey as a whole."""
        manifest = self.surveys.manifest(survey)
        reports = number_of_reports(manifest, counts)
        return warnings_of(manifest, reports, self.collect.repeats(survey, reports), self.collect.bursts(survey))

    def close(self) -> None:
        """Commit what waits and close the database."""
        self._writer.close()
        self.store.close()


def services() -> Services:
    """Give the services of the app that answers this request."""
    return cast(Services, current_app.extensions["hushpoll"])
