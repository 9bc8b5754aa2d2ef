"""Published surveys whose names collide or try to break out: every page, call and export still works."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from tests.samples.surveys import KEY
from tests.server.estimate.estimated import some_answers
from tests.server.nasty_surveys import nasty_survey

from hushpoll_client.cli import main
from hushpoll_client.survey import Survey
from hushpoll_server.app import create_app
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.question_types import Option, Pair, Part, SingleChoice, YesNo
from hushpoll_shared.question_types.pair import combined

EMAIL = "ada@example.org"
QUERIES = ("", "?level=0.999999&coverage=simultaneous&beta=0.1", "?method=wald&level=0.01", "?coverage=anytime")


def test_a_pair_whose_combinations_would_have_equal_names_tells_them_apart() -> None:
    first, second = ("a", "a × b", '"a"'), ("c", "b × c", '"b × c"')
    names = combined(first, second)
    assert len(set(names)) == 9
    assert names[1] == '"a" × "b × c"'
    assert names[3] == '"a × b" × "c"'
    one, two = (Part("part", "Part", SingleChoice(tuple(Option(id_, id_) for id_ in ids))) for ids in (first, second))
    assert Pair((one, two)).cells == names


def test_ordinary_combinations_keep_their_names() -> None:
    assert combined(YesNo().cells, ("x", "y")) == ("no × x", "no × y", "yes × x", "yes × y")


def opened(home: Path, seed: int) -> None:
    """Publish a survey, let devices answer it, and open everything that can be opened."""
    choose = Random(seed)
    compiled = nasty_survey(choose)
    app = create_app(Settings(home=home, db=f"sqlite:///{home / 'hushpoll.db'}"))
    services: Services = app.extensions["hushpoll"]
    try:
        name = services.surveys.publish(compiled.manifest, KEY, compiled.crossed, from_disk=True).name
        device = Survey(compiled.manifest)
        reports = [device.randomize(some_answers(compiled, choose)).encode() for _ in range(choose.choice((0, 1, 40)))]
        services.collect.take(name, reports)
        services.researchers.add(EMAIL)
        _read(app.test_client(), name, services)
    finally:
        services.close()
    _export(home, name)


def _read(client: FlaskClient, name: str, services: Services) -> None:
    token = {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}
    for path in ("", "/privacy", "/privacy?format=json", "/embed", "/page.html"):
        assert client.get(f"/s/{name}{path}").status_code == 200, path
    assert client.get(f"/api/v1/surveys/{name}/manifest").status_code == 200
    _sign_in(client, services)
    assert client.get("/surveys").status_code == 200
    for query in QUERIES:
        page, chart = client.get(f"/surveys/{name}{query}"), client.get(f"/surveys/{name}/chart.svg{query}")
        estimates = client.get(f"/api/v1/surveys/{name}/estimates{query}", headers=token)
        assert {page.status_code, chart.status_code, estimates.status_code} == {200}, query
        ElementTree.fromstring(chart.data)
        json.loads(estimates.data, parse_constant=pytest.fail)


def _sign_in(client: FlaskClient, services: Services) -> None:
    client.post(f"/sign-in/{services.researchers.new_link(EMAIL)}")


def _export(home: Path, name: str) -> None:
    database = f"sqlite:///{home / 'hushpoll.db'}"
    for kind in ("csv", "json", "ndjson"):
        out = str(home / f"export.{kind}")
        done = CliRunner().invoke(main, ["export", name, "--format", kind, "--out", out, "--db", database])
        assert done.exit_code == 0, done.output


@pytest.mark.parametrize("seed", range(6))
def test_a_published_survey_with_nasty_names_can_always_be_opened_and_exported(tmp_path: Path, seed: int) -> None:
    opened(tmp_path, seed)
