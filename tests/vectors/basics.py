"""Vectors of the basics: streams, uniform draws, epsilons."""

from __future__ import annotations

from fractions import Fraction

from tests.mechanisms.cases import Vector
from tests.vectors.streams import FixedTestStream

from hushpoll_shared import randomness
from hushpoll_shared.epsilon import Epsilon, format_odds


def streams() -> Vector:
    cases = []
    for seed in ("a", "b", "Grüße"):
        source = FixedTestStream(seed)
        cases.append({"seed": seed, "u64": [str(randomness.u64(source)) for _ in range(8)]})
    return {"about": "block i = SHA-256(prefix, seed, i as 4 bytes big-endian)", "prefix": "ldp-tv-1", "streams": cases}


def uniforms() -> Vector:
    cases = []
    # 2^63 + 1 rejects almost every second draw; from 2^64 on one 64-bit number is not enough.
    for size in (1, 2, 3, 10, 128, 2**32 + 1, 2**63 + 1, 2**64, 2**64 + 1, 3 * 2**126):
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
