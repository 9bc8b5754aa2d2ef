"""docs/data-flow.md follows one answer with real bytes: here the code walks the same way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.models import ReportRow
from hushpoll_server.compile.definition import Compiled, compile_survey
from hushpoll_server.dashboard import formatting
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Subset
from hushpoll_shared.signing import SigningKey

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = DOCS / "examples" / "campus-integrity.yaml"
EVERY_TYPE = DOCS / "examples" / "every-type.yaml"
PAGE = (DOCS / "data-flow.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())
ANSWERS = {"cheated": True, "helped": False}


def compiled() -> Compiled:
    return compile_survey(EXAMPLE.read_text(encoding="utf-8"), EXAMPLE.name)


@pytest.fixture
def manifest() -> Manifest:
    return compiled().manifest


@pytest.fixture
def services(tmp_path: Path, manifest: Manifest) -> Iterator[Services]:
    services = Services(Settings(home=tmp_path))
    services.surveys.publish(manifest, SigningKey.generate())
    yield services
    services.close()


def test_the_example_lints_without_a_warning() -> None:
    assert compiled().warnings == ()


def test_the_manifest_is_the_one_on_the_page(manifest: Manifest) -> None:
    assert f"```json\n{manifest.payload.decode()}\n```" in PAGE
    assert f"{len(manifest.payload)} bytes:" in WORDS
    assert manifest.id in PAGE
    for question in manifest.questions:
        assert isinstance(question.design, Subset)
        assert f"| {question.design.threshold} | {question.design.epsilon} |" in PAGE


def test_the_draw_and_the_report_are_those_on_the_page(manifest: Manifest) -> None:
    source, stream = FixedTestStream("one answer"), FixedTestStream("one answer")
    report = Survey(manifest).randomize(ANSWERS, source=source)
    assert stream.take(16).hex() == report.id
    for _ in manifest.questions:
        taken = stream.take(8)
        assert f"| `{taken.hex()}` | {int.from_bytes(taken, 'big')} |" in PAGE
    assert source.taken == stream.taken
    assert f"```json\n{report.encode().decode()}\n```" in PAGE
    assert f"writes {len(report.encode())} bytes" in WORDS


def test_the_row_the_counters_and_the_estimates_are_those_on_the_page(manifest: Manifest, services: Services) -> None:
    survey = Survey(manifest)
    report = survey.randomize(ANSWERS, source=FixedTestStream("one answer"))
    assert services.collect.take(manifest.survey, [report.encode()]) == [Stored.ACCEPTED]
    with services.store.reading() as session:
        row = session.get_one(ReportRow, (manifest.survey, bytes.fromhex(report.id)))
        assert f"| `{row.survey}` | `X'{row.id.hex().upper()}'` | `{row.draws}` |" in PAGE
    for question, counters in services.collect.counts(manifest.survey).items():
        for name, count in counters.items():
            assert f"| `{question}` | `{name}` | {count} |" in PAGE

    others = FixedTestStream("the others")
    truths = ({"cheated": number < 299, "helped": number < 550} for number in range(999))
    services.collect.take(manifest.survey, [survey.randomize(truth, source=others).encode() for truth in truths])
    counts = services.collect.counts(manifest.survey)
    for question, result in services.results.results(services.results.read(manifest.survey), Options()).items():
        assert isinstance(result, Result)
        [cell] = result.cells
        no, yes, total = (counts[question][name] for name in ("0", "1", "n"))
        assert f"| `{question}` | {total} | {no} | {yes} |" in PAGE
        line = (
            f"| {cell.estimate:.6f} | {cell.se:.6f} | {cell.low:.6f} to {cell.high:.6f} | {cell.price_of_privacy:.3f} |"
        )
        assert f"| `{question}` {line}" in PAGE
        assert formatting.headline(cell).replace("\N{NO-BREAK SPACE}", " ") in WORDS


def test_the_draws_and_counters_of_every_type_are_those_on_the_page() -> None:
    manifest = compile_survey(EVERY_TYPE.read_text(encoding="utf-8"), EVERY_TYPE.name).manifest
    [answers, draws] = [json.loads(block) for block in re.findall(r'^{"cheated":.*}$', PAGE, re.MULTILINE)[-2:]]
    report = Survey(manifest).randomize(answers, source=FixedTestStream("every type"))
    assert report.draws == draws
    for question in manifest.questions:
        draw = report.draws[question.id]
        counters = ", ".join(f"`{name}`" for name in mechanism_of(question).counters(draw))
        row = rf"\| `{question.id}` \| {question.design.NAME} \| .* \| `{draw}` \| .* \| {re.escape(counters)} \|"
        assert re.search(row, PAGE), question.id
