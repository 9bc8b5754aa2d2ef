"""hushpoll demo: a running instance with a survey and simulated respondents.

It keeps its data in a folder of its own, so that it never mixes with a real survey; a second start finds them there.
"""

from __future__ import annotations

import os
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from hushpoll_server import keys, respondents
from hushpoll_server.commands.serve import check_port, run
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.surveys.definition import compile_survey
from hushpoll_server.surveys.service import NameTaken, PublishedSurvey
from hushpoll_shared.errors import InvalidValue

HOST = "127.0.0.1"
EMAIL = "demo@localhost"
TRUTH = {"cheated": Fraction(30, 100), "helped": Fraction(55, 100), "reported": Fraction(4, 100)}
DEFINITION = Path(__file__).with_name("demo.yaml")
SEND_AT_ONCE = 100


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option(
    "--respondents",
    "wanted",
    type=click.IntRange(min=0),
    default=2000,
    show_default=True,
    help="How many simulated respondents there shall be.",
)
def command(port: int, wanted: int) -> None:
    """Start Hushpoll with a demonstration survey and simulated respondents."""
    check_port(HOST, port)
    settings = _demo_settings(port)
    services = Services(settings)
    survey = _publish(services)
    _simulate(services, survey, wanted)
    services.researchers.add(EMAIL)
    link = services.researchers.new_link(EMAIL)
    services.close()
    _announce_when_ready(f"http://{HOST}:{port}", survey.name, link)
    os.environ.update(
        HUSHPOLL_HOME=str(settings.home), HUSHPOLL_DB=settings.database_url, HUSHPOLL_PUBLIC_URL=settings.public_url
    )
    run(HOST, port, workers=1)


def _demo_settings(port: int) -> Settings:
    home = load_settings().home / "demo"
    database = f"sqlite:///{home / 'hushpoll.sqlite'}"
    return load_settings(home=home, db=database, public_url=f"http://{HOST}:{port}")


def _publish(services: Services) -> PublishedSurvey:
    manifest = compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name).manifest
    home = services.settings.home
    try:
        return services.surveys.publish(manifest, keys.signing_key(home / keys.SIGNING_KEY))
    except NameTaken:
        raise InvalidValue(f"the demonstration of another version lies in {home}: remove this folder") from None


def _simulate(services: Services, survey: PublishedSurvey, wanted: int) -> None:
    """Let invented respondents answer until there are as many reports as wanted."""
    missing = wanted - services.collect.number_of_reports(survey.name)
    if missing <= 0:
        return
    asked = respondents.randomize(survey.envelope, respondents.draw_answers(TRUTH, missing))
    waiting: list[bytes] = []
    with closing(asked) as reports, Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("simulated respondents", total=missing)
        for number, report in enumerate(reports, start=1):
            waiting.append(report)
            if len(waiting) == SEND_AT_ONCE or number == missing:
                services.collect.take(survey.name, waiting)
                progress.advance(bar, len(waiting))
                waiting = []


def _announce_when_ready(address: str, survey: str, link: str) -> None:
    text = (
        f"\nThe respondent's form:  {address}/s/{survey}\n"
        f"The dashboard:          {address}/sign-in/{link}\n"
        "(The dashboard's link signs in once. Stop with Ctrl-C; the next start keeps the data.)\n"
    )
    threading.Thread(target=_announce, args=(f"{address}/readyz", text), daemon=True).start()


def _announce(probe: str, text: str) -> None:
    while not _is_up(probe):
        time.sleep(0.05)
    click.echo(text)


def _is_up(probe: str) -> bool:
    try:
        with urllib.request.urlopen(probe, timeout=1):  # noqa: S310 (our own address)
            return True
    except (urllib.error.URLError, OSError):
        return False
