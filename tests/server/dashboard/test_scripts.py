"""The modules of the researcher's pages: which pages load them, how they are sent, and what the policy allows."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.scripts import script_folder

FOLDER = script_folder() / "dashboard"
TAGS = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL)
WITH_SCRIPT = ("/surveys/campus", *(f"/surveys/campus/{page}" for page in ("compare", "cross", "regression")))
WITHOUT_SCRIPT = ("/surveys", "/surveys/campus/report", "/surveys/nowhere")
# What the browser loads, with all comments: nothing is packed. Without them it is less than three quarters.
MOST_BYTES = 20_000


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    return sign_in(client, services)


@pytest.mark.parametrize("path", WITH_SCRIPT)
def test_the_pages_with_figures_load_one_module_and_may_ask_their_server_only(
    researcher: FlaskClient, survey: PublishedSurvey, path: str
) -> None:
    response = researcher.get(path)
    assert TAGS.findall(response.text) == ['<script type="module" src="/js/dashboard/main.js"></script>']
    policy = response.headers["Content-Security-Policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert {"script-src 'self'", "connect-src 'self'", "require-trusted-types-for 'script'"} <= set(policy)
    assert "trusted-types 'none'" in policy


@pytest.mark.parametrize("path", WITHOUT_SCRIPT)
def test_no_other_page_of_researchers_may_run_a_script(
    researcher: FlaskClient, survey: PublishedSurvey, path: str
) -> None:
    response = researcher.get(path)
    assert "<script" not in response.text
    assert "script-src" not in response.headers["Content-Security-Policy"]


def test_a_page_that_asks_for_a_sign_in_runs_no_script(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = client.get("/surveys/campus")
    assert response.status_code == 401
    assert "script-src" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.js")))
def test_a_module_is_sent_as_it_is_in_the_repository_and_asked_for_again(client: FlaskClient, name: str) -> None:
    with client.get(f"/js/dashboard/{name}") as response:
        assert response.data == (FOLDER / name).read_bytes()
        assert response.mimetype == "text/javascript"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Cache-Control"] == "no-cache"
        tag = response.headers["ETag"]
    with client.get(f"/js/dashboard/{name}", headers={"If-None-Match": tag}) as again:
        assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("name", ["none.js", "main.ts", "../form/main.js", "..%2Fform%2Fmain.js", "%2e%2e/package.js"])
def test_nothing_else_is_sent(client: FlaskClient, name: str) -> None:
    assert client.get(f"/js/dashboard/{name}").status_code == 404


def test_all_modules_together_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.js")) < MOST_BYTES
