"""A survey with reports, a backup of it, and instances to restore it into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.samples.surveys import make_report

from hushpoll_server.operate.backup import backup
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.report import Report


@pytest.fixture
def reports(services: Services, survey: PublishedSurvey) -> list[Report]:
    reports = [make_report(survey.manifest) for _ in range(25)]
    services.collect.take("campus", [report.encode() for report in reports])
    services.researchers.add("ada@example.org")
    return reports


@pytest.fixture
def file(services: Services, reports: list[Report], tmp_path: Path) -> Path:
    assert reports
    path = tmp_path / "hushpoll.backup"
    backup(services.store, path, force=False, progress=lambda _: None)
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    """Make an empty instance on each engine, whichever the backup came from."""
    url = f"sqlite:///{tmp_path / 'empty.db'}"
    if request.param == "sqlite":
        yield from opened(tmp_path, url)
        return
    with request.getfixturevalue("postgres_server").database() as url:
        yield from opened(tmp_path, url)


def opened(folder: Path, url: str) -> Iterator[Services]:
    services = Services(Settings(home=folder / "other", db=url))
    yield services
    services.close()


@pytest.fixture
def blank(tmp_path: Path) -> Iterator[Services]:
    yield from opened(tmp_path, f"sqlite:///{tmp_path / 'blank.db'}")
