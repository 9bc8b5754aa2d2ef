"""What apps rely on: the list of names, the example at the top, and a light import."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.client.servers import Collector, serving
from tests.samples.surveys import KEY

import hushpoll_client
from hushpoll_client import errors
from hushpoll_shared.errors import HushpollError

HEAVY = ("alembic", "flask", "hushpoll_server", "numpy", "pydantic", "scipy", "sqlalchemy", "sqlmodel")
SLOW = ("asyncio", "click", "cryptography", "http.client", "ssl", "urllib.request")


def test_the_public_names_are_exactly_these() -> None:
    assert hushpoll_client.__all__ == [
        "AlreadyAnswered",
        "Answer",
        "AnswerProblem",
        "AnswerRefused",
        "AnyQuestionType",
        "AsyncClient",
        "BatchReceipt",
        "Client",
        "ClientError",
        "Entry",
        "EpsilonCapExceeded",
        "Event",
        "Gateway",
        "HushpollError",
        "InvalidValue",
        "KeyValue",
        "KeyValueState",
        "Manifest",
        "ManifestRefused",
        "MultiChoice",
        "Number",
        "Option",
        "Pair",
        "Part",
        "Question",
        "Receipt",
        "Rejected",
        "Report",
        "ReportRefused",
        "Response",
        "Retry",
        "SQLiteState",
        "Scale",
        "ServerRefused",
        "ServerUnreachable",
        "SingleChoice",
        "State",
        "StateFailed",
        "Survey",
        "SurveyNotOpen",
        "Told",
        "Transport",
        "UrllibTransport",
        "YesNo",
    ]
    assert all(hasattr(hushpoll_client, name) for name in hushpoll_client.__all__)
    assert dir(hushpoll_client) == sorted(hushpoll_client.__all__)


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'QuestionType'"):
        hushpoll_client.QuestionType  # type: ignore[attr-defined]  # noqa: B018 (looking it up is the test)


CAPS = ("max_epsilon", "max_total_epsilon", "max_panel_epsilon")


def test_the_calls_take_exactly_these_arguments() -> None:
    signatures = {
        call.__qualname__: list(inspect.signature(call).parameters)
        for call in (
            hushpoll_client.Client,
            hushpoll_client.Client.survey,
            hushpoll_client.Client.submit,
            hushpoll_client.Client.flush,
            hushpoll_client.Client.receipt,
            hushpoll_client.Survey.randomize,
            hushpoll_client.Receipt,
            hushpoll_client.Question.told,
            hushpoll_client.Told,
        )
    }
    assert signatures == {
        "Client": ["url", "key", *CAPS, "state", "transport", "timeout", "retry", "on_event", "clock", "sleep"],
        "Client.survey": ["self", "name"],
        "Client.submit": ["self", "report"],
        "Client.flush": ["self", "wait_seconds", "send_together"],
        "Client.receipt": ["self", "name"],
        "Survey.randomize": ["self", "answers", "groups", "source"],
        "Receipt": ["status", "survey", "id", "problem", "retry_after"],
        "Question.told": ["self", "language"],
        "Told": ["short", "how", "odds", "sent", "language", "direction"],
    }


def test_every_error_is_public_and_drawn_in_the_tree() -> None:
    kinds = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, HushpollError)]
    for kind in kinds:
        assert kind.__name__ in hushpoll_client.__all__
        assert kind.__name__ in (errors.__doc__ or "")


def example() -> str:
    """Take the code from the top of the package's documentation."""
    text = inspect.getdoc(hushpoll_client) or ""
    indented = [line for line in text.splitlines()[2:] if line.startswith("    ") or not line]
    return textwrap.dedent("\n".join(indented)).strip()


def test_the_example_has_about_twenty_lines() -> None:
    assert 15 <= len([line for line in example().splitlines() if line]) <= 22


@pytest.mark.loopback
def test_the_example_runs_as_it_stands(collector: Collector, tmp_path: Path) -> None:
    with serving(collector) as url:
        code = example().replace("https://polls.example.org", url)
        lines = [f'KEY = "{KEY.public}"' if line.startswith("KEY =") else line for line in code.splitlines()]
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(lines)],
            input="y\nn\n",
            text=True,
            capture_output=True,
            cwd=tmp_path,
            check=True,
        )
    assert done.stdout.endswith("accepted 2.09861228866810969137\n")
    assert done.stderr == ""
    assert len(collector.stored) == 1
    assert (tmp_path / "hushpoll.sqlite").exists()


def test_importing_loads_nothing_heavy_and_nothing_slow() -> None:
    script = "import sys, hushpoll_client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {*HEAVY, *SLOW} & set(done.stdout.split()) == set()


def test_no_words_are_read_before_they_are_needed() -> None:
    script = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from hushpoll_client import Manifest, Question, Survey, Told
print(*(path for path in opened if path.endswith(".js")))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_answering_and_sending_loads_nothing_heavy() -> None:
    script = """
import sys, hushpoll_client, hushpoll_client.cli, hushpoll_client.stream, hushpoll_shared.signing
try:
    with hushpoll_client.Client("http://localhost:1", key=sys.argv[1]) as client:
        client.survey("campus")
except hushpoll_client.ServerUnreachable:
    print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script, KEY.public], capture_output=True, text=True, check=True)
    assert "urllib.request" in done.stdout.split()
    assert set(HEAVY) & set(done.stdout.split()) == set()
