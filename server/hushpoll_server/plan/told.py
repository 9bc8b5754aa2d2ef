"""What a design does to an answer, in one short sentence for researchers.

Law kept here: the sentence follows from the design's integers, and every number in it is the nearest whole one.
"""

from __future__ import annotations

from fractions import Fraction

from hushpoll_shared.designs import Ball, Design, Padded, Projective, SubsetSelection


def told(design: Design) -> str:
    """Return the sentence for a design."""
    if isinstance(design, SubsetSelection):
        return _told_of_set(design)
    if isinstance(design, Projective):
        return (
            f"Your device sends a code that fits your answer {_often(design.p)} and other answers {_often(design.q)}."
        )
    if isinstance(design, Ball):
        return _told_of_ball(design)
    if isinstance(design, Padded):
        return (
            f"What your device sends contains an option {_often(design.p)} if you ticked it, {_often(design.q)} if not."
        )
    return f"What your device sends is at most {float(design.odds):.3g} times as likely for your answer as for another."


def _told_of_set(design: SubsetSelection) -> str:
    if design.picks == 1:
        other = "the other one" if design.size == 2 else "another one"
        return f"Your device sends your real answer {_often(design.p)}, {other} {_often(1 - design.p, unit='')}."
    return f"Your device sends {design.picks} of the {design.size} answers; yours is among them {_often(design.p)}."


def _told_of_ball(design: Ball) -> str:
    drawn = f"Your device draws {design.asked} of the {design.options} options at random"
    each = "" if design.asked == 1 else ", for each,"
    return f"{drawn} and sends{each} what you really chose {_often(design.p)}."


def _often(probability: Fraction, *, unit: str = " in 100") -> str:
    times = round(100 * probability)
    edge = {0: "less than once", 1: "once", 100: "more than 99 times"}
    return edge.get(times, f"{times} times") + unit
