"""Marker answers are found nowhere: not in an error, a log, a value's text or a byte of the state."""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector
from tests.vectors.streams import FixedTestStream

from hushpoll_client import AnswerRefused, Client, Response, ServerUnreachable, Survey

CANARY = "XYZZYCANARY"


class Offline:
    """A transport that looks at the files of the state while a report waits in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, dict[str, bytes]()

    def send(self, method: str, url: str, **_: object) -> Response:
        self.files.update({file.name: file.read_bytes() for file in self.folder.iterdir()})
        raise ServerUnreachable("there is no network here")


class Spelled(dict[str, Any]):
    """Answers that say their names wherever they are written out."""

    def __repr__(self) -> str:
        return CANARY


def test_no_refusal_repeats_an_answer(survey: Survey, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wrong: list[Any] = [
        CANARY,
        {CANARY: CANARY},
        {"cheated": CANARY, "helped": True},
        {"cheated": True, "helped": [CANARY]},
        {"cheated": True, "helped": False, CANARY: CANARY},
        Spelled(cheated=Spelled(), helped=True),
    ]
    for answers in wrong:
        with pytest.raises(AnswerRefused) as caught:
            survey.randomize(answers)
        error = caught.value
        assert error.__context__ is None
        told = [str(error), repr(error), *traceback.format_exception(error), caplog.text]
        assert CANARY not in "".join(told)


def test_values_do_not_write_answers_out(survey: Survey) -> None:
    report = survey.randomize(Spelled(cheated=True, helped=False))
    assert CANARY not in repr(survey) + repr(report) + repr(vars(report))


def stored_bytes(answers: Mapping[str, bool], make_client: MakeClient, folder: Path) -> dict[str, bytes]:
    """Let a device answer offline from a fixed stream; return all files of its state while the report waits."""
    folder.mkdir()
    transport = Offline(folder)
    online = make_client(state=folder / "state")
    survey = online.survey("campus")
    report = survey.randomize(answers, source=FixedTestStream("canary"))
    online._server.transport = transport
    assert online.submit(report).status == "queued"
    online.close()
    return {**transport.files, "state": (folder / "state").read_bytes()}


def test_the_state_holds_the_draw_and_nothing_that_follows_from_the_answer(
    make_client: MakeClient, collector: Collector, tmp_path: Path, survey: Survey
) -> None:
    # Opposite answers whose draws are made equal by the bytes: had the state kept an answer, the files would differ.
    yes, no = {"cheated": True, "helped": True}, {"cheated": False, "helped": False}
    source = FixedTestStream("canary")
    drawn = survey.randomize(yes, source=source)
    mirrored = survey.randomize(no, source=FixedTestStream("canary"))
    assert all({drawn.draws[name], mirrored.draws[name]} == {"0", "1"} for name in yes)
    one = stored_bytes(yes, make_client, tmp_path / "one")
    other = stored_bytes(no, make_client, tmp_path / "other")
    assert one.keys() == other.keys()
    assert drawn.encode() in one["state"]
    masked = {name: data.replace(drawn.encode(), b"") for name, data in one.items()}
    assert masked == {name: data.replace(mirrored.encode(), b"") for name, data in other.items()}


def test_nothing_is_logged_nor_warned_on_the_way_of_an_answer(
    client: Client, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        client.submit(client.survey("campus").randomize(Spelled(cheated=True, helped=False)))
    assert (caplog.records, warned, capsys.readouterr()) == ([], [], ("", ""))
