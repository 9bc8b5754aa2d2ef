"""What a load balancer asks."""

from __future__ import annotations

from pathlib import Path

from flask.testing import FlaskClient
from postgres_server import PostgresServer
from sqlalchemy.engine import make_url

from hushpoll_server.app import create_app
from hushpoll_server.settings import Settings


def test_a_server_with_its_database_lives_and_is_ready(client: FlaskClient) -> None:
    for path, status in (("/healthz", "ok"), ("/readyz", "ready")):
        response = client.get(path)
        assert response.status_code == 200
        assert response.json == {"status": status}


def test_without_its_database_a_server_lives_but_is_not_ready(postgres_server: PostgresServer, tmp_path: Path) -> None:
    with postgres_server.database() as url:
        app = create_app(Settings(home=tmp_path, db=url))
        client = app.test_client()
        assert client.get("/readyz").status_code == 200
        name = make_url(url).database
        postgres_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres_server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        response = client.get("/readyz")
        assert response.status_code == 503
        assert response.headers["Retry-After"]
        assert client.get("/healthz").status_code == 200
        postgres_server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert client.get("/readyz").status_code == 200
        app.extensions["hushpoll"].close()


def test_health_says_nothing_about_surveys_or_people(client: FlaskClient) -> None:
    for path in ("/healthz", "/readyz"):
        assert client.get(path).json.keys() == {"status"}  # type: ignore[union-attr]
