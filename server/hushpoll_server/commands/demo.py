"""hushpoll demo: a running instance with a survey and simulated respondents.

It keeps its data in a folder of its own, so that it never mixes with a real survey; a second start finds it there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click

from hushpoll_server.commands.numbers import WHOLE
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.commands.serve import check_port
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.simulate import respondents
from hushpoll_server.surveys import keys
from hushpoll_server.surveys.service import NameTaken, PublishedSurvey
from hushpoll_shared.errors import HushpollError, InvalidValue

HOST = "127.0.0.1"
EMAIL = "demo@localhost"
DEFINITION = Path(__file__).with_name("demo.yaml")
TRUTH = Path(__file__).with_name("demo-truth.json")
REPORTS_PER_BATCH = 100
STOP_SECONDS = 10
ADDRESSES = """
The respondent's form:  {address}/s/{survey}
The dashboard:          {address}/sign-in/{link}
The publisher's key:    {key}
(The dashboard's link signs in once. Stop with Ctrl-C; the next start keeps the data.)

To answer from Python, in an environment that has Hushpoll (.venv in a checkout):

{program}
"""
# Without a state, every run of it is a new device.
PROGRAM = """\
from hushpoll_client import Client

with Client("{address}", key="{key}") as client:
    survey = client.survey("{survey}")
    report = survey.randomize({answers})
    print(client.submit(report).status)"""


class ServerEnded(HushpollError):
    """The server ended before it was ready."""


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Port to listen on.")
@click.option(
    "--respondents",
    "number_of_reports",
    type=WHOLE,
    default=10_000,
    show_default=True,
    help="How many simulated respondents there should be.",
)
def command(port: int, number_of_reports: int) -> None:
    """Start Hushpoll with a demonstration survey and simulated respondents."""
    check_port(HOST, port)
    settings = _demo_settings(port)
    services = Services(settings)
    survey = _publish(services)
    _simulate(services, survey, number_of_reports)
    services.researchers.add(EMAIL)
    link = services.researchers.new_link(EMAIL)
    services.close()
    with _serving(settings, port) as server:
        click.echo(_directions(settings.public_url or "", survey, link))
        server.wait()


def _directions(address: str, survey: PublishedSurvey, link: str) -> str:
    """Return where to look, and a program that answers as one of the simulated respondents would."""
    [answers] = respondents.draw_answers(respondents.read_truth(TRUTH.read_bytes(), survey.manifest), 1)
    places = {"address": address, "survey": survey.name, "key": survey.key}
    program = textwrap.indent(PROGRAM.format(answers=answers, **places), "    ")
    return ADDRESSES.format(link=link, program=program, **places)


def _demo_settings(port: int) -> Settings:
    home = load_settings().home / "demo"
    database = f"sqlite:///{home / 'hushpoll.sqlite'}"
    return load_settings(home=home, db=database, public_url=f"http://{HOST}:{port}")


def _publish(services: Services) -> PublishedSurvey:
    compiled = compile_survey(DEFINITION.read_text(encoding="utf-8"), DEFINITION.name)
    home = services.settings.home
    try:
        key = keys.signing_key(home / keys.SIGNING_KEY)
        return services.surveys.publish(
            compiled.manifest,
            key,
            compiled.crossed,
            from_disk=compiled.from_disk,
            minimum_reports=compiled.minimum_reports,
        )
    except NameTaken:
        raise InvalidValue(f"{home} holds the demonstration of another version: remove this folder") from None


def _simulate(services: Services, survey: PublishedSurvey, number_of_reports: int) -> None:
    """Let simulated respondents answer until there are this many reports."""
    missing = number_of_reports - services.collect.number_of_reports(survey.name)
    if missing <= 0:
        return
    truth = respondents.read_truth(TRUTH.read_bytes(), survey.manifest)
    randomized = respondents.randomize(survey.envelope, respondents.draw_answers(truth, missing))
    waiting: list[bytes] = []
    with closing(randomized) as reports, progress_bar("simulated respondents", missing) as advance:
        for number, report in enumerate(reports, start=1):
            waiting.append(report)
            if len(waiting) == REPORTS_PER_BATCH or number == missing:
                services.collect.take(survey.name, waiting)
                advance(len(waiting))
                waiting = []


@contextmanager
def _serving(settings: Settings, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run `hushpoll serve` in a process of its own until the block ends; Ctrl-C ends it quietly."""
    instance = {"HOME": settings.home, "DB": settings.database_url, "PUBLIC_URL": settings.public_url}
    environment = {**os.environ, **{f"HUSHPOLL_{name}": str(value) for name, value in instance.items()}}
    command = [sys.executable, "-m", "hushpoll_client", "serve", "--host", HOST, "--port", str(port)]
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)
    # A process group of its own: Ctrl-C reaches only this program, which then stops the server properly.
    server = subprocess.Popen(command, env=environment, process_group=0)  # noqa: S603 (our own program)
    try:
        _wait_until_ready(server, f"{settings.public_url}/readyz")
        yield server
    except KeyboardInterrupt:
        pass
    finally:
        _stop(server)


def _wait_until_ready(server: subprocess.Popen[bytes], probe: str) -> None:
    while not _is_up(probe):
        if server.poll() is not None:
            raise ServerEnded("the server ended before it answered: its own message is above")
        time.sleep(0.05)


def _stop(server: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        server.send_signal(signal.SIGINT)
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()


def _is_up(probe: str) -> bool:
    try:
        with urllib.request.urlopen(probe, timeout=1):  # noqa: S310 (our own address)
            return True
    except (urllib.error.URLError, OSError):
        return False
