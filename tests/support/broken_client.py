"""A client that keeps the truth 3 % too often, for audits: the lines of `hushpoll randomize`, deliberately wrong.

Of 100 reports, three that should not have been inside for the truth are: every threshold is raised by 3 % of 2^64. A
channel gives the most telling output of each row so much more often; Laplace noise is left out in 3 % of the reports.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from hushpoll_client import draw
from hushpoll_client.stream import randomize_lines
from hushpoll_client.survey import Survey
from hushpoll_shared.designs import Channel, Design, Laplace, Repeated
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.randomness import SPAN, ByteSource, SecureBytes, bernoulli
from hushpoll_shared.signing import verify

TOO_OFTEN = SPAN * 3 // 100


def break_survey(manifest: Manifest) -> Manifest:
    """Give the survey with designs that keep the truth too often, under the same manifest id."""
    questions = tuple(replace(question, design=break_design(question.design)) for question in manifest.questions)
    broken = replace(manifest, questions=questions)
    broken.__dict__["payload"] = manifest.payload
    return broken


def break_design(design: Any) -> Design:
    """Raise the probability of the truth by 3 %."""
    if isinstance(design, Repeated):
        return replace(design, permanent=_raised(design.permanent), instant=_raised(design.instant))
    if isinstance(design, Channel):
        least = [min(column) for column in zip(*design.weights, strict=True)]
        return replace(design, table=tuple(_raised_row(row, least) for row in design.weights))
    if isinstance(design, Laplace):
        return design
    broken: Design = replace(design, threshold=_raised(design.threshold))
    return broken


def _raised(threshold: int) -> int:
    return min(SPAN - 1, threshold + TOO_OFTEN)


def _raised_row(weights: tuple[int, ...], least: list[int]) -> tuple[int, ...]:
    # The output that tells most for this row; of several, the most likely one.
    telling = max(range(len(weights)), key=lambda output: (round(weights[output] / least[output], 6), weights[output]))
    rest = SPAN - weights[telling]
    lowered = [weight - TOO_OFTEN * weight // rest for weight in weights]
    lowered[telling] += SPAN - sum(lowered)
    return tuple(accumulate(lowered))[:-1]


def _draw_laplace(design: Laplace, source: ByteSource, place: Any) -> str:
    # With the smallest threshold there is no noise.
    return draw.draw_laplace(replace(design, threshold=1) if bernoulli(source, TOO_OFTEN) else design, source, place)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", type=Path)
    survey = Survey(break_survey(verify(parser.parse_args().manifest.read_bytes())))
    draw.DRAW_OF_DESIGN[Laplace] = _draw_laplace  # type: ignore[index]
    randomize_lines(survey, sys.stdin.buffer, sys.stdout.buffer, SecureBytes())  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
