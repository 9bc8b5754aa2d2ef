"""Surveys that are legal and whose names, options and texts are chosen to collide or to break out."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

from hushpoll_server.compile.definition import Compiled, DefinitionError, compile_survey

# Names of routes, of files that pages use, of fields in results, of built-ins of JavaScript.
NAMES = (
    "n", "mean", "new", "privacy", "embed", "manifest", "reports", "estimates", "static", "surveys", "chart", "level",
    "cells", "questions", "cross_tables", "constructor", "tostring", "decline", "does_not_apply", "yes", "x-", "a" * 64,
)  # fmt: skip
TEXTS = (
    "a", "a × b", "b × c", "c", "a × b × c", " × ", "×", "A", " a", "a ", "a\u00a0", "a\u200b", "n", "n?", "0", "0?",
    "1", "01", "yes", "no", "true", "null", "mean", "total", "prefer not to say", "does not apply", "Decline",
    "__proto__", "constructor", "toString", "=1+1", "\t=1", "+1", "-1", "@x", '"', "'", "`", '"a"', '"a" × "b"', "\\",
    "a,b", "a;b", "a\nb", "<b>a</b>", "</script><script>alert(1)</script>", "&amp;", "{{ a }}", "{% x %}", "${a}", "%s",
    "\u202ea", "\u0001", "\u0000", "\ufffe", "\U0001f600", "ä", "a\u0308", "العربية", "x" * 200, "w " * 90, "]]>",
    "<!--",
)  # fmt: skip
_TYPES = ("yes_no", "single_choice", "multi_choice", "scale", "number")
_PAIRED = ("yes_no", "single_choice", "scale")


def nasty_survey(choose: Random) -> Compiled:
    """Compile one of these surveys; one that lint refuses is replaced by another."""
    while True:
        with suppress(DefinitionError):
            return compile_survey(_definition(choose), "nasty.yaml")


def _definition(choose: Random) -> str:
    ids = iter(choose.sample(NAMES, len(NAMES)))
    questions = [_question(choose, next(ids), _TYPES) for _ in range(choose.randint(1, 4))]
    parts = [_question(choose, next(ids), _PAIRED) for _ in range(2)]
    for part in parts:
        part.pop("privacy")
    pair = {"id": next(ids), "pair": [part["id"] for part in parts], "privacy": {"epsilon": choose.choice(("1", "30"))}}
    crossed = [question["id"] for question in questions if question["type"] in _PAIRED and "report" not in question][:2]
    survey = {
        "survey": choose.choice(NAMES),
        "title": _text(choose),
        "consent": _text(choose),
        "population": choose.choice((None, 1, 10**10)),
        "embed": ["https://example.org"],
        "cross_tables": [crossed] if len(crossed) == 2 else None,
        "questions": [*questions, *parts, pair],
    }
    return json.dumps({key: value for key, value in survey.items() if value}, ensure_ascii=False)


def _question(choose: Random, name: str, types: tuple[str, ...]) -> dict[str, Any]:
    question: dict[str, Any] = {"id": name, "text": _text(choose), "type": choose.choice(types)}
    question |= {"privacy": {"epsilon": choose.choice(("0.5", "8", "30"))}, "decline": choose.random() < 0.5}
    if question["type"] in ("single_choice", "multi_choice"):
        question["options"] = _options(choose)
    if question["type"] == "scale":
        question |= {"min": 1, "max": 3, "labels": [_text(choose) for _ in range(3)]}
    if question["type"] == "number":
        question |= {"min": 0, "max": 40, "report": choose.choice(("mean", "distribution"))}
    return question


def _options(choose: Random) -> list[str] | dict[str, str]:
    names = [text for text in choose.sample(TEXTS, choose.randint(2, 6)) if text.isprintable() and text.strip()]
    names = [*dict.fromkeys([*names, "a", "a × b", "b × c", "c"])]
    texts = choose.sample([text for text in TEXTS if text.strip()], len(names))
    return names if choose.random() < 0.5 else dict(zip(names, texts, strict=True))


def _text(choose: Random) -> str:
    return choose.choice([text for text in TEXTS if text.strip()])
