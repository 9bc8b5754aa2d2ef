"""Write the test vectors of shared/vectors/.

Run it only when a vector is added: what is there must not change (`git diff` shows it). The values of the
published mathematics are pinned a second time, by hand, in tests/shared/.
"""

from __future__ import annotations

import base64
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.support.streams import FixedTestStream

from hushpoll_shared import randomness, strict_json
from hushpoll_shared.checks import read_time
from hushpoll_shared.designs import Warner
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question, YesNo
from hushpoll_shared.report import Report, draw_id
from hushpoll_shared.signing import PREFIX, SigningKey, sign

VECTORS = Path(__file__).parents[2] / "shared" / "vectors"
KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
OTHER_KEY = SigningKey(Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33))))

Vector = dict[str, Any]


def streams() -> Vector:
    cases = []
    for seed in ("a", "b", "Grüße"):
        source = FixedTestStream(seed)
        cases.append({"seed": seed, "u64": [str(randomness.u64(source)) for _ in range(8)]})
    return {"about": "block i = SHA-256(prefix, seed, i as 4 bytes big-endian)", "prefix": "ldp-tv-1", "streams": cases}


def uniforms() -> Vector:
    cases = []
    # 2^63 + 1 throws almost every second draw away.
    for size in (1, 2, 3, 10, 128, 2**32 + 1, 2**63 + 1):
        source = FixedTestStream(f"uniform-{size}")
        values = [str(randomness.uniform(source, size)) for _ in range(16)]
        cases.append({"size": str(size), "seed": f"uniform-{size}", "values": values, "bytes": source.taken})
    return {"about": "16 draws below size from one stream, and how many bytes they took", "cases": cases}


def epsilons() -> Vector:
    thresholds = [2**63 + 1, 2**64 - 1, 13485650502877570762, 11482347978973021681, 16247838278329192790]
    odds = [Fraction(1), Fraction(3), Fraction(5), Fraction(2), Fraction(1001, 1000), Fraction(10**12 + 1, 10**12)]
    odds += [Fraction(t, 2**64 - t) for t in thresholds]
    texts = ["0", "1", "0.5", "1.1", "1.10000000000000000001", "2", "4", "4.00000000000000000001", "1/3", "7/2"]
    parsed = [(text, Epsilon.parse(text)) for text in texts]
    return {
        "about": "epsilon = ln(odds) rounded up to 20 decimals; stated values are rounded down to 20 decimals",
        "of_odds": [{"odds": format_odds(o), "epsilon": str(Epsilon.of_odds(o))} for o in odds],
        "parsed": [{"text": text, "epsilon": str(value), "band": value.band} for text, value in parsed],
        "refused": ["", "-1", "1e3", "0x1", "1/0", "NaN", "Infinity", " 1", "1 ", "１", ".5", "1.", "1,5"],
    }


def warner() -> Vector:
    privacies: list[dict[str, object]] = [
        {"odds": "3:1"}, {"odds": "5:1"}, {"odds": "1:3"}, {"odds": 3}, {"p": "3/4"}, {"p": "0.75"}, {"p": "0.7"},
        {"p": "0.3"}, {"truth": "1/2"}, {"truth": "0.1"}, {"epsilon": "0.000001"}, {"epsilon": "0.1"},
        {"epsilon": "0.5"}, {"epsilon": "1"}, {"epsilon": 1}, {"epsilon": "2"}, {"epsilon": "4"}, {"epsilon": "20"},
    ]  # fmt: skip
    refused: list[dict[str, object]] = [
        {}, {"epsilon": "0"}, {"epsilon": "41"}, {"odds": "1:1"}, {"odds": "1:0"}, {"odds": "0:1"}, {"p": "1/2"},
        {"p": "1"}, {"p": "0"}, {"p": "3/2"}, {"truth": "0"}, {"truth": "1"}, {"epsilon": 0.5}, {"epsilon": True},
        {"epsilon": "1", "p": "3/4"}, {"sigma": "1"}, {"epsilon": None}, {"epsilon": "1e-30"}, {"epsilon": "-1"},
    ]  # fmt: skip
    designs = [(privacy, Warner.from_privacy(privacy)) for privacy in privacies]
    return {
        "about": "a design is its threshold over 2^64; draws: the report is the answer if the u64 is below it",
        "designs": [{"privacy": p, "mechanism": d.to_json(), "times_in_100": d.times_in_100} for p, d in designs],
        "refused": refused,
        "draws": [warner_draws(epsilon, answer) for epsilon in ("0.5", "1", "2") for answer in (1, 0)],
    }


def warner_draws(epsilon: str, answer: int) -> Vector:
    design, seed = Warner.from_epsilon(epsilon), f"warner-eps{epsilon}"
    source = FixedTestStream(seed)
    draws = [answer ^ 1 ^ randomness.bernoulli(source, design.threshold) for _ in range(64)]
    return {
        "threshold": str(design.threshold),
        "answer": answer,
        "seed": seed,
        "draws": "".join(map(str, draws)),
    }


def survey(**changes: Any) -> Manifest:
    questions = (
        Question("cheated", "Have you ever cheated in an exam here?", YesNo(), Warner.from_odds("3:1")),
        Question("copied", "Haben Sie je abgeschrieben? – «ja» / „nein“ 🙂", YesNo(), Warner.from_epsilon("1")),
    )
    fields = {
        "survey": "campus",
        "title": "Campus integrity",
        "consent": 'Line one.\nLine two.\t"quoted" \\ \x7f\u2028',
    }
    return Manifest(**{**fields, "questions": questions, **changes})


def large_survey() -> Manifest:
    questions = tuple(Question(f"q{i}", f"Question {i}?", YesNo(), Warner.from_epsilon(f"0.{i + 1}")) for i in range(9))
    times = {"opens": read_time("2026-01-01T00:00:00Z", ""), "closes": read_time("2099-12-31T23:59:59Z", "")}
    return survey(survey="nine-questions", questions=questions, population=12000, **times)


def signed(payload: bytes, key: SigningKey = KEY, prefix: bytes = PREFIX) -> str:
    """Sign any bytes as an attacker with the key could."""
    envelope = {
        "payload": base64url(payload),
        "signature": base64url(key.private.sign(prefix + payload)),
        "key": key.public,
    }
    return strict_json.dumps(envelope).decode()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def changed(old: bytes, new: bytes) -> str:
    payload = survey().payload
    assert old in payload, old
    return signed(payload.replace(old, new, 1))


def manifests() -> Vector:
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
        "the mechanism has another name": changed(b'"warner"', b'"wanner"'),
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
        "about": "good: verified against the pinned key; bad: each must be refused",
        "key": KEY.public,
        "good": accepted,
        "bad": [{"name": name, "envelope": envelope} for name, envelope in bad.items()],
    }  # fmt: skip


def reports() -> Vector:
    manifest = survey()
    good: list[dict[str, Any]] = []
    for seed, answers in (("r1", (True, False)), ("r2", (False, False)), ("r3", (True, True)), ("r3", (False, False))):
        good.append({"seed": seed, "answers": dict(zip(("cheated", "copied"), answers, strict=True))})
    for case in good:
        case["body"] = report(manifest, case["seed"], case["answers"]).encode().decode()
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
        ("NaN as a draw", swap(draws, '"answers":{"cheated":NaN,"copied":1}'), "not-json"),
        ("a fraction as a draw", swap(draws, '"answers":{"cheated":1.0,"copied":1}'), "not-json"),
        ("a huge number", swap(draws, '"answers":{"cheated":' + "9" * 400 + ',"copied":1}'), "not-json"),
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
        ("a question missing", swap(draws, '"answers":{"cheated":1}'), "wrong-answers"),
        ("a question too many", swap(draws, '"answers":{"cheated":1,"copied":1,"x":1}'), "wrong-answers"),
        ("an unknown question", swap(draws, '"answers":{"cheated":1,"x":1}'), "wrong-answers"),
        ("a draw of 2", swap(draws, '"answers":{"cheated":2,"copied":1}'), "wrong-answers"),
        ("a draw of -1", swap(draws, '"answers":{"cheated":-1,"copied":1}'), "wrong-answers"),
        ("a draw that is true", swap(draws, '"answers":{"cheated":true,"copied":1}'), "wrong-answers"),
        ("a draw that is null", swap(draws, '"answers":{"cheated":null,"copied":1}'), "wrong-answers"),
        ("a draw that is a text", swap(draws, '"answers":{"cheated":"1","copied":1}'), "wrong-answers"),
        ("a draw that is a list", swap(draws, '"answers":{"cheated":[1],"copied":1}'), "wrong-answers"),
        ("answers that are a list", swap(draws, '"answers":[1,1]'), "wrong-answers"),
        ("too large", body + " " * 70_000, "too-large"),
    ]
    return {
        "about": "draw order: 16 bytes for the id, then 8 bytes for each question in the manifest's order",
        "key": KEY.public,
        "envelope": sign(manifest, KEY).decode(),
        "good": good,
        "bad": [{"name": name, "body": text, "problem": problem} for name, text, problem in bad],
    }


def report(manifest: Manifest, seed: str, answers: dict[str, bool]) -> Report:
    source = FixedTestStream(seed)
    report_id = draw_id(source)
    draws = {
        question.id: int(answers[question.id]) ^ 1 ^ randomness.bernoulli(source, question.design.threshold)
        for question in manifest.questions
        if isinstance(question.design, Warner)
    }
    return Report(manifest.survey, manifest.id, report_id, draws)


def main() -> None:
    for make in (streams, uniforms, epsilons, warner, manifests, reports):
        text = json.dumps(make(), indent=1, ensure_ascii=False)
        (VECTORS / f"{make.__name__}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
