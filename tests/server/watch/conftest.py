"""An instance whose operator asked for figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from hushpoll_server.settings import Settings

TOKEN = "a-token-for-tests"


@pytest.fixture
def settings(tmp_path: Path, sqlite_url: str) -> Settings:
    return Settings(home=tmp_path / "home", db=sqlite_url, metrics_token=TOKEN)
