"""The numbers of a call: what they may be, so that none of them ends in a traceback or in a figure that means nothing.

The rule here: NaN, infinity and counts that do not fit into 63 bits are wrong calls, refused by the option that holds
them. Counts become 64-bit integers with a sign where they are estimated from.
"""

from __future__ import annotations

import math
from typing import Any

import click

LARGEST_COUNT = 2**63 - 1

# A number of reports or respondents that may be none, and one that may not.
WHOLE = click.IntRange(0, LARGEST_COUNT)
COUNT = click.IntRange(1, LARGEST_COUNT)


class Finite(click.FloatRange):
    """A finite number in a range; click compares with the ends alone, which NaN passes."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; refuse what is none."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


class Wholes(click.ParamType[tuple[int, ...]]):
    """Whole numbers with commas between them, one for each sample."""

    name = "whole numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the numbers; refuse what is none."""
        if isinstance(value, tuple):
            return value
        parts: list[Any] = str(value).split(",")
        return tuple(WHOLE.convert(part, param, ctx) for part in parts)


def read_counts(text: str) -> list[int]:
    """Return the counts of all categories of one question; refuse what is no such list, above all a cross table."""
    if ";" in text:
        raise click.UsageError(
            "--counts with rows (;) is a cross table; --design grr is for one question of which each report names one "
            "category. Cross tables of two questions are made from reports: --manifest, --reports and --cross ID,ID."
        )
    return read_whole_numbers(text, "--counts")


def read_whole_numbers(text: str, option: str) -> list[int]:
    """Return whole numbers with commas between them that fit into 63 bits together."""
    try:
        counts = [int(count) for count in text.split(",")]
    except ValueError:
        raise click.UsageError(f"{option} must be whole numbers with commas between them: 380,270,200,150.") from None
    if sum(map(abs, counts)) > LARGEST_COUNT:
        raise click.UsageError(f"{option} add up to more than {LARGEST_COUNT}: give the reports of one survey.")
    return counts
