"""An instance on each engine, an app over it, and a survey to answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, two_questions
from tests.server.clock import Clock

from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    return Settings(home=tmp_path / "home", db=database_url)


@pytest.fixture
def app(settings: Settings, clock: Clock) -> Iterator[Flask]:
    app = create_app(settings, clock=clock)
    app.testing = False
    yield app
    app.extensions["hushpoll"].close()


@pytest.fixture
def services(app: Flask) -> Services:
    instance: Services = app.extensions["hushpoll"]
    return instance


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def survey(services: Services) -> PublishedSurvey:
    return services.surveys.publish(two_questions(), KEY)
