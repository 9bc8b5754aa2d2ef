"""Accounts on each engine, without an app."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.server.clock import Clock

from hushpoll_server.researchers.service import ResearcherService
from hushpoll_server.store import Store


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()


@pytest.fixture
def researchers(store: Store, clock: Clock) -> ResearcherService:
    return ResearcherService(store, clock)
