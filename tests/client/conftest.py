"""A survey, a collector that serves it, and clients of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.client.servers import Collector
from tests.client.wsgi_transport import WSGITransport
from tests.samples.surveys import KEY, two_questions

from hushpoll_client import Client, Survey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import sign

MakeClient = Callable[..., Client]


@pytest.fixture
def manifest() -> Manifest:
    return two_questions()


@pytest.fixture
def survey(manifest: Manifest) -> Survey:
    return Survey(manifest)


@pytest.fixture
def collector(manifest: Manifest) -> Collector:
    other = two_questions(survey="library")
    return Collector({"campus": sign(manifest, KEY), "library": sign(other, KEY)})


@pytest.fixture
def state_file(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


@pytest.fixture
def make_client(collector: Collector, state_file: Path) -> Iterator[MakeClient]:
    """Open clients of the collector on the same state file; close them all afterwards."""
    with ExitStack() as clients:

        def make(**options: Any) -> Client:
            defaults = {"key": KEY.public, "state": state_file, "transport": WSGITransport(collector)}
            return clients.enter_context(Client("http://localhost", **{**defaults, **options}))

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> Client:
    return make_client()
