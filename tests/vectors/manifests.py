"""Vectors of manifests: valid envelopes and payloads, and invalid ones with one thing wrong each."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from tests.mechanisms.cases import Vector
from tests.vectors import groups, presentation
from tests.vectors.keys import KEY, OTHER_KEY, signed
from tests.vectors.surveys import every_type, large_survey, survey, surveys

from hushpoll_shared import strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import sign


def manifests() -> Vector:
    """Return envelopes, and payloads whose signature is not checked."""
    payload = everything().payload.decode()
    return {
        "about": "envelopes: good ones are verified against the pinned key, bad ones must be refused; payloads alike",
        "key": KEY.public,
        **envelopes(),
        "payloads": {
            "good": [payload, *presentation.good(), *groups.good()],
            "refused": [*refused_questions(), *presentation.refused(), *groups.refused()],
        },
    }


def changed(old: bytes, new: bytes) -> str:
    payload = survey().payload
    assert old in payload, old
    return signed(payload.replace(old, new, 1))


def envelopes() -> Vector:
    """Return envelopes that are valid, and some that must be refused."""
    good = [("two questions", survey()), ("nine questions, times and population", large_survey())]
    generous = json.loads(survey().payload)
    generous["epsilon"] = "5"
    envelope = sign(survey(), KEY).decode()
    fields = json.loads(envelope)
    flipped = fields["signature"][:-3] + ("AAA" if not fields["signature"].endswith("AAA") else "BBA")
    bad = {
        "another key than the pinned one": signed(survey().payload, OTHER_KEY),
        "the signature is of other bytes": json.dumps({**fields, "payload": json.loads(signed(large_survey().payload))["payload"]}),
        "the signature is damaged": json.dumps({**fields, "signature": flipped}),
        "signed without the prefix": signed(survey().payload, prefix=b""),
        "the key names another algorithm": json.dumps({**fields, "key": fields["key"].replace("ed25519", "rsa")}),
        "padding in the payload": json.dumps({**fields, "payload": fields["payload"] + "="}),
        "standard base64 letters": json.dumps({**fields, "signature": fields["signature"].replace("-", "+").replace("_", "/") + "+"}),
        "an extra field in the envelope": json.dumps({**fields, "note": "hello"}),
        "a missing field in the envelope": json.dumps({"payload": fields["payload"], "key": fields["key"]}),
        "a number instead of a text": json.dumps({**fields, "signature": 1}),
        "not an object": "[]",
        "not JSON": "{",
        "a format from the future": changed(b"hushpoll-manifest-1", b"hushpoll-manifest-9"),
        "the total epsilon is claimed too small": changed(str(survey().epsilon).encode(), b"2"),
        "a question's epsilon is claimed too small": changed(b'"odds":"3:1","epsilon":"1.0986122886681096914"', b'"odds":"3:1","epsilon":"1.0986122886681096913"'),
        "the odds are claimed smaller": changed(b'"odds":"3:1"', b'"odds":"2:1"'),
        "the odds are not reduced": changed(b'"odds":"3:1"', b'"odds":"6:2"'),
        "the threshold reveals the answer": changed(b'"13835058055282163712"', b'"18446744073709551616"'),
        "the threshold says nothing": changed(b'"13835058055282163712"', b'"9223372036854775808"'),
        "the threshold is a number": changed(b'"13835058055282163712"', b"1234567"),
        "the threshold is negative": changed(b'"13835058055282163712"', b'"-13835058055282163712"'),
        "the threshold has a leading zero": changed(b'"13835058055282163712"', b'"013835058055282163712"'),
        "the mechanism has another name": changed(b'"subset"', b'"supset"'),
        "the mechanism has an extra field": changed(b'"odds":"3:1"', b'"odds":"3:1","x":"1"'),
        "the question type is unknown": changed(b'"yes_no"', b'"yes_no_maybe"'),
        "two questions with one id": changed(b'"copied"', b'"cheated"'),
        "a question id that JavaScript would reorder": changed(b'"copied"', b'"1"'),
        "a question without a text": changed(b'"Have you ever cheated in an exam here?"', b'""'),
        "a title that is a number": changed(b'"Campus integrity"', b"1"),
        "no questions": signed(strict_json.dumps({**json.loads(survey().payload), "epsilon": "0", "questions": []})),
        "questions that are an object": signed(strict_json.dumps({**json.loads(survey().payload), "questions": {}})),
        "a negative population": changed(b'"population":null', b'"population":-1'),
        "a population that is true": changed(b'"population":null', b'"population":true'),
        "a day that does not exist": changed(b'"opens":null', b'"opens":"2026-02-30T00:00:00Z"'),
        "a local time": changed(b'"opens":null', b'"opens":"2026-02-03T00:00:00+01:00"'),
        "closing before opening": changed(b'"opens":null,"closes":null', b'"opens":"2026-02-03T00:00:00Z","closes":"2026-02-02T00:00:00Z"'),
        "white space in the payload": changed(b'"title":', b'"title": '),
        "a key twice": changed(b'"title":', b'"title":"x","title":'),
        "keys in another order": signed(strict_json.dumps(dict(reversed(json.loads(survey().payload).items())))),
        "an escape where none is needed": changed(b"Campus integrity", b"\\u0043ampus integrity"),
        "an unknown key": changed(b'"title":', b'"extra":1,"title":'),
        "a missing key": changed(b'"population":null,', b""),
        "a fraction": changed(b'"population":null', b'"population":1.5'),
        "half a character": changed(b"Campus integrity", b"\\ud800"),
        "not UTF-8": changed(b"Campus integrity", b"\xff\xfe"),
        "a byte order mark": signed(b"\xef\xbb\xbf" + survey().payload),
        "NaN": changed(b'"population":null', b'"population":NaN'),
    }  # fmt: skip
    accepted = [
        {"name": name, "envelope": sign(m, KEY).decode(), "id": m.id, "epsilon": str(m.epsilon)} for name, m in good
    ]
    payload = strict_json.dumps(generous)
    read = Manifest.read(payload)
    accepted.append(
        {
            "name": "a total claimed larger than it is",
            "envelope": signed(payload),
            "id": read.id,
            "epsilon": str(read.epsilon),
        }
    )
    return {
        "good": accepted,
        "bad": [{"name": name, "envelope": envelope} for name, envelope in bad.items()],
    }  # fmt: skip


def everything() -> Manifest:
    """Return the survey with every type, without its codebook, which is very long."""
    questions = tuple(question for question in every_type() if question.id != "code")
    return replace(surveys()["everything"][0], questions=questions)


def refused_questions() -> list[Vector]:
    """Return payloads that must be refused for their questions, each with one thing wrong."""
    manifest = everything()
    good = json.loads(manifest.payload)
    refused = []

    def refuse(why: str, change: Any) -> None:
        fields = json.loads(manifest.payload)
        change(fields)
        refused.append({"why": why, "payload": strict_json.dumps(fields).decode()})

    def question(name: str, **changes: Any) -> Any:
        def change(fields: Any) -> None:
            [found] = [each for each in fields["questions"] if each["id"] == name]
            found.update(changes)

        return change

    def same_parts(fields: Any) -> None:
        parts = fields["questions"][-1]["parts"]
        parts[1]["id"] = parts[0]["id"]

    refuse("a format that there never was", lambda f: f.update(format="hushpoll-manifest-2"))
    refuse("ask as large as the survey", lambda f: f.update(ask=len(good["questions"])))
    refuse("a panel without repeated questions", lambda f: f.update(panel="p"))
    refuse("a total that is too small", lambda f: f.update(epsilon="1"))
    refuse("an unknown type", question("asked", type="essay"))
    refuse("a mechanism for another size", question("asked", extras=[]))
    refuse("extras in another order", question("asked", extras=["does_not_apply", "decline"]))
    refuse("a design on two for yes, no and decline", question("cheated", extras=["decline"]))
    refuse("an option twice", question("way", options=["a", "b", "a", "c"]))
    refuse("an option that is a number", question("way", options=["a", "b", 3, "c"]))
    refuse("an option whose id is its text, written twice", question("way", options=[["a", "a"], "b", "c", "d"]))
    refuse("an option whose id is null", question("way", options=["a", "b", [None, "c"], "d"]))
    refuse("an option with an empty id", question("ways", options=["a", "b", ["", "c"], "d"]))
    refuse("an option that can be ticked twice", question("few", options=["a", "b", "a", "c"]))
    refuse("two options with one text", question("way", options=["a", ["b", "a"], "c", "d"]))
    refuse("options that differ in what cannot be seen", question("way", options=["a", ["b", " a\u200b"], "c", "d"]))
    refuse("an option that cannot be seen", question("way", options=["a", ["b", "\u2060"], "c", "d"]))
    refuse("an extra twice", question("asked", extras=["decline", "decline"]))
    refuse("an extra that is null", question("asked", extras=["decline", None]))
    refuse("a range that is no number", question("hours", max="1.5.5"))
    refuse("a range beyond all numbers", question("hours", max="9" * 400))
    refuse("a reserved option", question("way", options=["decline", "b", "c", "d"]))
    refuse("a scale upside down", question("stress", min=4, max=-1))
    refuse("a label outside the scale", question("stress", labels=[[9, "nine"]]))
    refuse("labels in the wrong order", question("stress", labels=[[2, "two"], [1, "one"]]))
    refuse("extras that the channel does not know", question("pain", extras=["decline"]))
    refuse("a channel for other extras", question("income", extras=["decline"]))
    refuse("a square wave without its extra", question("age", extras=[]))
    refuse("an unknown report", question("pain", report="median"))
    refuse("too many picks", question("few", most=5))
    refuse("sets for few ticks without a limit", question("few", most=None))
    refuse("a range without width", question("hours", min="40"))
    refuse("a range with spare zeros", question("hours", min="0.0"))
    refuse("a range that is a number", question("hours", min=0))
    refuse("a distribution by a channel", question("hours", report="distribution"))
    refuse("a pair with three parts", question("both", parts=[{}, {}, {}]))
    refuse("two questions with one id", question("asked", id="colour"))
    refuse("a pair whose parts have one id", same_parts)
    refuse("a key too many", question("asked", note=""))
    return refused
