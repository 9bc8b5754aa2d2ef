"""All services of one instance, put together in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from hushpoll_server.collect.service import CollectService
from hushpoll_server.collect.writer import Writer
from hushpoll_server.export.service import ExportService
from hushpoll_server.gateways.service import GatewayService
from hushpoll_server.lab_pages.runs import LabRuns
from hushpoll_server.researchers.service import ResearcherService
from hushpoll_server.researchers.sessions import SessionService
from hushpoll_server.respond.page import PageCache
from hushpoll_server.results.service import ResultsService
from hushpoll_server.settings import Settings
from hushpoll_server.sharing.public_results import PublicResultsService
from hushpoll_server.sharing.service import ShareService
from hushpoll_server.store import Store
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import Metrics
from hushpoll_server.web.origins import Origins
from hushpoll_server.web.streams import Streams

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Services:
    """An instance of Hushpoll without its web pages."""

    def __init__(self, settings: Settings, *, clock: Clock = system_clock) -> None:
        """Open the instance that the settings name, and create it if it does not exist yet."""
        self.settings, self.clock = settings, clock
        self.origins = Origins(settings.public_url)
        self.store = Store(settings.database_url)
        self.surveys = SurveyService(self.store, clock)
        self.researchers = ResearcherService(self.store, clock)
        self.sessions = SessionService(self.store, clock)
        self.gateways = GatewayService(self.store)
        self.metrics = Metrics()
        self._writer = Writer(
            self.store, clock, queue_size=settings.queue_size, wait=settings.batch_wait, metrics=self.metrics
        )
        self.collect = CollectService(self.store, self.surveys, self._writer, self.metrics)
        self.results = ResultsService(self.surveys, self.collect)
        self.exports = ExportService(self.surveys, self.collect)
        self.shares = ShareService(self.store, clock)
        self.public_results = PublicResultsService(self.store, self.surveys, self.collect, clock)
        self.pages, self.streams = PageCache(), Streams()
        self.lab_runs = LabRuns()

    def by_class(self) -> Mapping[type[Any], object]:
        """Return the services that views may ask for, by class."""
        services = (
            self.settings,
            self.origins,
            self.surveys,
            self.researchers,
            self.sessions,
            self.gateways,
            self.metrics,
            self.collect,
            self.results,
            self.exports,
            self.shares,
            self.public_results,
            self.pages,
            self.lab_runs,
            self.streams,
        )
        return {type(service): service for service in services}

    def close(self) -> None:
        """Commit what is queued and close the database."""
        self._writer.close()
        self.results.close()
        self.store.close()
