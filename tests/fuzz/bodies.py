"""Bodies that nobody honest would send: real reports of a survey with every type of question, spoiled in known ways.

All chance comes from the `Random` that is passed in: seeded for long runs, Hypothesis's own where it is to shrink.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from tests.samples.every_type import every_type

from hushpoll_client.survey import Survey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

# Whoever finds this in an answer of the server has found an echo of what was sent.
CANARY = "kanarienvogel"

ANSWERS = {
    "cheated": True, "helped": None, "frequency": "once", "town": "Kingston 7", "mark": 42, "fair": 1, "stress": 9,
    "ways": ["phone"], "best": ["notes", "phone"], "hours": 3, "pay": 0.5, "income": 7.5, "age": None, "mood": 4,
    "works": True, "tired": 5, "drinks": "weekly",
}  # fmt: skip
# Values as JSON, some of which only Python reads.
VALUES = (
    "null", "true", "false", "0", "1", "2", "-1", "-0", "1.0", "1e0", "1E+2", "1e999", "-1e999", "0.1", "NaN",
    "Infinity", "-Infinity", "9007199254740991", "9007199254740992", "-9007199254740993", "1" + "0" * 19, "9" * 400,
    "1" + "0" * 5000, '""', '"1"', '"0"', '"00"', '"0x1"', '"1_0"', '"\\u0031"', '"١"', '"１"', '"\\u0000"',
    '"\\ud800"', '"\\udfff\\ud800"', '"\U0001f600"', '"-"', '"--------"', '"ffffffffffffffff"', '"\\n"', "[]", "{}",
    "[0]", "[1,1]", '{"":0}', '{"a":{"a":{}}}', "[[[[[[[[[[0]]]]]]]]]]", "01", "+1", ".5", "1.", "0x1", "1_000",
    "'1'", "undefined", "//", "/**/0", f'"{CANARY}"', f'{{"{CANARY}":"{CANARY}"}}',
)  # fmt: skip
CODECS = ("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7", "cp037", "latin-1")
REPORTS = 64
# Above the limit of a report; much more than that is for other tests.
LARGEST = 100_000
DEPTHS = (10, 100, 990, 1_000, 5_000, 30_000)
PIECES = (
    b"\x00", b"\xff", b"\xc3\x28", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\\", b'"',
    b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r", b"\t", b" ", b"\x0b", b"\xc2\xa0", b"\xe2\x80\xa8", b"e", b"-",
    b"9" * 25, b"\\u", b"\\ud83d", b"null", b"NaN", CANARY.encode(),
)  # fmt: skip

Spoil = Callable[[Random, bytes], bytes]


class SeededBytes:
    """Bytes that are NOT random: never give them to a client that people use."""

    def __init__(self, random: Random) -> None:
        self.take = random.randbytes


@cache
def everything() -> Manifest:
    """Return the survey that all these reports are for."""
    return every_type()


_drawn: dict[str, tuple[Report, ...]] = {}


def reports(manifest: Manifest) -> tuple[Report, ...]:
    """Return real reports of this survey, drawn by the real client; always the same."""
    if manifest.id not in _drawn:
        asked = {name for question in manifest.questions for name in _names(question)}
        answers = {name: answer for name, answer in ANSWERS.items() if name in asked}
        source = SeededBytes(Random(20261116))
        _drawn[manifest.id] = tuple(Survey(manifest).randomize(answers, source=source) for _ in range(REPORTS))
    return _drawn[manifest.id]


def _names(question: Any) -> list[str]:
    return [part.id for part in getattr(question.type, "parts", ())] or [question.id]


def good(random: Random, manifest: Manifest) -> bytes:
    """Return a report that must be taken; its id is seldom one that was there before."""
    report = random.choice(reports(manifest))
    return report.encode().replace(report.id.encode(), f"{random.getrandbits(128):032x}".encode())


def known(random: Random, manifest: Manifest) -> bytes:
    """Return one of few reports: mostly a duplicate, or the same id with other draws."""
    first, second = (random.choice(reports(manifest)[:8]) for _ in range(2))
    return first.encode().replace(first.id.encode(), second.id.encode())


def spoiled(random: Random, manifest: Manifest) -> bytes:
    """Return a report with one to three things wrong."""
    body = good(random, manifest)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        body = random.choice(SPOILS)(random, body)
    return body[:LARGEST]


def body(random: Random, manifest: Manifest) -> bytes:
    """Return any of these."""
    return random.choice((good, known, spoiled, spoiled, spoiled, spoiled))(random, manifest)


def _replace_value(random: Random, body: bytes) -> bytes:
    """Replace a value, at the top or among the answers, by any text: it may not even be JSON."""
    fields = _fields(body)
    if not fields:
        return body
    if isinstance(fields.get("answers"), dict) and fields["answers"] and random.random() < 0.7:
        key = random.choice([*fields["answers"]])
        fields["answers"][key] = marked = f"@{random.getrandbits(64):x}@"
    else:
        key = random.choice([*fields])
        fields[key] = marked = f"@{random.getrandbits(64):x}@"
    return _write(fields).replace(f'"{marked}"'.encode(), random.choice(VALUES).encode())


def _change_keys(random: Random, body: bytes) -> bytes:
    """Leave a key out, add one, rename one, or put them in another order."""
    fields = _fields(body)
    if not fields:
        return body
    part = fields["answers"] if isinstance(fields.get("answers"), dict) and random.random() < 0.5 else fields
    keys = [*part]
    random.shuffle(keys)
    shuffled = {key: part[key] for key in keys}
    way = random.randrange(4)
    if way in (1, 3) and keys:
        del shuffled[keys[0]]
    if way in (2, 3):
        shuffled[random.choice(("", CANARY, "v ", "V", "time", "__proto__", "x" * 5000))] = random.choice(
            (0, "1", None)
        )
    part.clear()
    part.update(shuffled)
    return _write(fields)


def _duplicate_key(random: Random, body: bytes) -> bytes:
    """Write a key twice, perhaps in another spelling."""
    spelled = random.choice((b'"v":1', b'"\\u0076":1', b'"id":"00"', b'"answers":{}', b'"x":1,"x":1'))
    return b"{" + spelled + b"," + body[1:]


def respell(random: Random, body: bytes) -> bytes:
    """Write the same value in another way: it must be read as the same report."""
    fields = _fields(body)
    if random.random() < 0.5:
        return json.dumps(fields, indent=random.choice((0, 1, "\t"))).encode()
    return body.replace(b'"v"', b'"\\u0076"').replace(b'"cheated"', b'"\\u0063heated"')


def _nest(random: Random, body: bytes) -> bytes:
    """Replace a value, or everything, by deep nesting."""
    depth = random.choice(DEPTHS)
    opened, closed = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[[", b"]"), (b"[{", b"")))
    deep = opened * depth + b"1" + closed * random.choice((0, depth))
    return deep if random.random() < 0.5 else body.replace(b'"v":1', b'"v":' + deep)


def _recode(random: Random, body: bytes) -> bytes:
    """Write it in an encoding that is not UTF-8, or not quite."""
    return body.decode("utf-8", "replace").encode(random.choice(CODECS), "replace")


def _edit_bytes(random: Random, body: bytes) -> bytes:
    """Change some bytes somewhere."""
    start = random.randrange(len(body) + 1)
    end = min(len(body), start + random.choice((0, 0, 1, 1, 2, 8, 100)))
    piece = random.choice((b"", random.randbytes(1), random.choice(PIECES), body[start:end] * 2))
    return body[:start] + piece + body[end:]


def _cut(random: Random, body: bytes) -> bytes:
    return body[: random.randrange(len(body) + 1)]


def _repeat(random: Random, body: bytes) -> bytes:
    between = random.choice((b"", b"\n", b"\r\n", b",", b"\x00", b"\x1e"))
    return between.join([body] * random.choice((2, 3, 50)))


def _surround(random: Random, body: bytes) -> bytes:
    before, after = (random.choice((b"", b" ", b"\n\n", b"\xef\xbb\xbf", b"\x00", b"[", b"]", b"/")) for _ in range(2))
    return before + body + after


def _anything(random: Random, _: bytes) -> bytes:
    return random.randbytes(random.choice((0, 1, 2, 10, 100, 3000)))


def _lone_value(random: Random, _: bytes) -> bytes:
    return random.choice(VALUES).encode()


def _pad(random: Random, body: bytes) -> bytes:
    """Make it large: just below, at and above the limit of a report."""
    return body + b" " * max(0, random.choice((60_000, 65_536, 65_537, 70_000)) - len(body))


SPOILS: tuple[Spoil, ...] = (
    _replace_value, _replace_value, _replace_value, _replace_value, _change_keys, _change_keys, _duplicate_key,
    respell, _nest, _recode, _edit_bytes, _edit_bytes, _edit_bytes, _cut, _repeat, _surround, _anything, _lone_value,
    _pad,
)  # fmt: skip


def _fields(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode("utf-8", "replace")
