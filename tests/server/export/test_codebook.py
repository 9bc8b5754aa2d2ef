"""The codebook: with it and a file of reports, the figures can be computed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.samples.exported import bodies_of, everything

from hushpoll_server.analysis import analyse
from hushpoll_server.estimate.options import DEFAULT
from hushpoll_server.export.codebook import codebook
from hushpoll_server.export.documents import write_json
from hushpoll_shared.report import Report, decode

KEY = "ed25519:0"


@pytest.fixture(scope="module")
def book() -> Any:
    return json.loads(write_json(codebook(everything(), KEY, DEFAULT)))


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    manifest = everything()
    return [decode(body, manifest) for body in bodies_of(manifest, 150)]


def test_it_names_the_survey_the_design_and_every_column(book: Any) -> None:
    manifest = everything()
    assert (book["survey"], book["manifest"], book["key"], book["level"]) == ("everything", manifest.id, KEY, 0.95)
    assert [each["question"] for each in book["questions"]] == [question.id for question in manifest.questions]
    names = [column["name"] for column in book["files"]["reports"]]
    assert names == ["id", "faculty", "years", *(question.id for question in manifest.questions)]
    assert all(column["meaning"] for columns in book["files"].values() for column in columns)
    [faculty, _] = book["groups"]["dimensions"]
    assert faculty["labels"][0] == {"label": "arts", "text": "Arts"}
    cheated = book["questions"][0]
    assert (cheated["text"], cheated["type"], cheated["mechanism"]["name"]) == ("Have you?", "yes_no", "warner")
    assert (cheated["mechanism"]["p"], cheated["mechanism"]["q"]) == (0.75, 0.25)
    way = book["questions"][2]
    assert way["answers"][0] == {"code": 0, "name": "1", "label": "Bus"}
    assert way["answers"][-1] == {"code": 4, "name": "decline", "label": "prefer not to say"}


def supports(notation: str, draw: str, code: int) -> bool:
    """Return whether a draw supports an answer, by the sentences of the codebook alone."""
    if notation == "place":
        return int(draw, 16) == code
    if notation == "set":
        return bool(int(draw[code // 4], 16) >> (3 - code % 4) & 1)
    return draw[code] == "1"


def test_its_sentences_are_enough_to_compute_every_share_and_mean(book: Any, reports: list[Report]) -> None:
    figures: Any = analyse(everything(), reports).to_json()["questions"]
    seen: Counter[str] = Counter()
    for question in book["questions"]:
        name, notation = question["question"], question["draw"]["notation"]
        draws, result, recipe = [report.draws[name] for report in reports], figures[name], question["recipe"]
        seen[recipe["kind"] if recipe else "none"] += 1
        if recipe is None:
            assert (name, notation) == ("code", "point")
            continue
        if recipe["kind"] == "mean":
            assert np.mean([recipe["values"][int(draw, 16)] for draw in draws]) == pytest.approx(
                result["mean"]["estimate"], abs=1e-9
            )
        elif recipe["kind"] == "mean_of_some":
            outputs = [int(draw, 16) for draw in draws]
            top, bottom = (sum(recipe[each][output] for output in outputs) for each in ("numbers", "answered"))
            if bottom > 0:
                assert recipe["centre"] + top / bottom == pytest.approx(result["mean"]["estimate"], abs=1e-9)
        else:
            codes = {answer["name"]: answer["code"] for answer in question["answers"]}
            p, q = question["mechanism"]["p"], question["mechanism"]["q"]
            for cell in result["cells"]:
                code = codes[cell["name"]]
                asked = [draw for draw in draws if notation != "marks" or draw[code] != "-"]
                count = sum(supports(notation, draw, code) for draw in asked)
                assert count == cell["count"]
                assert (count / len(asked) - q) / (p - q) == pytest.approx(cell["estimate"], abs=1e-12)
    assert seen == {"shares": 8, "mean": 4, "mean_of_some": 3, "none": 1}
