"""Vectors of reports: their bytes for answers with a fixed stream, and bodies that must be refused."""

from __future__ import annotations

from typing import Any

from tests.mechanisms.cases import Vector
from tests.mechanisms.test_repeated import SECRET
from tests.vectors import groups, presentation
from tests.vectors.keys import KEY
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import survey, surveys

from hushpoll_client.survey import Survey
from hushpoll_shared.signing import sign


def reports() -> Vector:
    """Return reports to a plain survey and to all other surveys, and answers that must be refused."""
    return {
        **plain_reports(),
        "surveys": survey_reports(),
        "refused_answers": refused_answers(),
        "grouped": groups.reports(),
    }


def plain_reports() -> Vector:
    """Return reports to a survey of two yes/no questions, and bodies that are not reports."""
    manifest = survey()
    good: list[dict[str, Any]] = []
    for seed, answers in (("r1", (True, False)), ("r2", (False, False)), ("r3", (True, True)), ("r3", (False, False))):
        good.append({"seed": seed, "answers": dict(zip(("cheated", "copied"), answers, strict=True))})
    for case in good:
        source = FixedTestStream(case["seed"])
        case["body"] = Survey(manifest).randomize(case["answers"], source=source).encode().decode()
    body: str = good[0]["body"]

    def swap(old: str, new: str) -> str:
        return body.replace(old, new, 1)

    draws = body[body.index('"answers"') : -1]
    bad = [
        ("empty", "", "not-json"),
        ("not JSON", "hello", "not-json"),
        ("cut short", body[:-1], "not-json"),
        ("two objects", body + body, "not-json"),
        ("a key twice", swap('"v":1', '"v":1,"v":1'), "not-json"),
        ("NaN as a draw", swap(draws, '"answers":{"cheated":NaN,"copied":"1"}'), "not-json"),
        ("a fraction as a draw", swap(draws, '"answers":{"cheated":1.0,"copied":"1"}'), "not-json"),
        ("a huge number", swap(draws, '"answers":{"cheated":' + "9" * 400 + ',"copied":"1"}'), "not-json"),
        ("deep nesting", "[" * 5000 + "]" * 5000, "not-json"),
        ("a byte order mark", "\ufeff" + body, "not-json"),
        ("an array", "[]", "not-a-report"),
        ("null", "null", "not-a-report"),
        ("a text", '"report"', "not-a-report"),
        ("an extra field", swap('"v":1', '"v":1,"time":1'), "not-a-report"),
        ("no id", body[: body.index('"id"')] + body[body.index('"answers"') :], "not-a-report"),
        ("an id in capitals", body.replace(good[0]["body"].split('"id":"')[1][:32], "A" * 32), "not-a-report"),
        ("a short id", body.replace(good[0]["body"].split('"id":"')[1][:32], "ab"), "not-a-report"),
        ("an id that is a list", body.replace('"' + body.split('"id":"')[1][:32] + '"', "[]"), "not-a-report"),
        ("version 2", swap('"v":1', '"v":2'), "unknown-version"),
        ("version true", swap('"v":1', '"v":true'), "unknown-version"),
        ("another survey", swap('"survey":"campus"', '"survey":"other"'), "wrong-survey"),
        ("another manifest", swap(manifest.id, "0" * 64), "wrong-manifest"),
        ("a question missing", swap(draws, '"answers":{"cheated":"1"}'), "wrong-answers"),
        ("a question too many", swap(draws, '"answers":{"cheated":"1","copied":"1","x":"1"}'), "wrong-answers"),
        ("an unknown question", swap(draws, '"answers":{"cheated":"1","x":"1"}'), "wrong-answers"),
        ("a draw of 2", swap(draws, '"answers":{"cheated":"2","copied":"1"}'), "wrong-answers"),
        ("a draw of -1", swap(draws, '"answers":{"cheated":"-1","copied":"1"}'), "wrong-answers"),
        ("a draw that is true", swap(draws, '"answers":{"cheated":true,"copied":"1"}'), "wrong-answers"),
        ("a draw that is null", swap(draws, '"answers":{"cheated":null,"copied":"1"}'), "wrong-answers"),
        ("a draw that is a number", swap(draws, '"answers":{"cheated":1,"copied":"1"}'), "wrong-answers"),
        ("a draw with two digits", swap(draws, '"answers":{"cheated":"01","copied":"1"}'), "wrong-answers"),
        ("a draw that is a list", swap(draws, '"answers":{"cheated":["1"],"copied":"1"}'), "wrong-answers"),
        ("answers that are a list", swap(draws, '"answers":["1","1"]'), "wrong-answers"),
        ("too large", body + " " * 70_000, "too-large"),
    ]
    return {
        "about": "16 bytes for the id; 32 for a secret if a question is repeated and the device has none; which "
        "questions are asked; then the draws in the manifest's order",
        "key": KEY.public,
        "envelope": sign(manifest, KEY).decode(),
        "good": good,
        "bad": [{"name": name, "body": text, "problem": problem} for name, text, problem in bad],
    }


def survey_reports() -> list[Vector]:
    """Return reports to each survey; those to the panel, except the first, are from a device with its own secret."""
    cases = []
    for name, (manifest, answers) in surveys().items():
        reports = []
        for number, answer in enumerate(answers):
            secret = SECRET if manifest.repeated and number else None
            source = FixedTestStream(f"{name}-{number}")
            report = Survey(manifest, secret).randomize(answer, source=source)
            reports.append({
                "answers": answer, "seed": f"{name}-{number}", "secret": secret.hex() if secret else None,
                "body": report.encode().decode(), "memos": report.memos if secret else {}, "bytes": source.taken,
            })  # fmt: skip
        envelope = sign(manifest, KEY).decode()
        cases.append({"name": name, "envelope": envelope, "id": manifest.id, "epsilon": str(manifest.epsilon),
                      "reports": reports})  # fmt: skip
    return [*cases, presentation.reports()]


def refused_answers() -> list[Vector]:
    """Return answers to the survey of every type that must be refused, one wrong value each."""
    answers = surveys()["everything"][1][0]
    wrong: dict[str, list[Any]] = {
        "cheated": [None, 1, "yes"], "asked": ["maybe", 0], "way": ["Bus", 0, "does_not_apply"], "code": ["c2100", 17],
        "stress": [5, 1.5, "1", True], "pain": [3, None], "ways": ["car", ["car", "car"], ["boat"], [None]],
        "few": [["1", "0", "car"], None], "hours": ["7", None, True, [7]], "height": [{}],
        "income": ["3", True], "age": ["does_not_apply"], "colour": [None, "decline"],
        "both": [1],
    }  # fmt: skip
    return [{**answers, name: value} for name, values in wrong.items() for value in values]
