"""A client that keeps the true answer 3 % too often, for audits: `hushpoll randomize`, deliberately wrong.

Every threshold is raised by 3 % of 2^64, so 3 of 100 reports agree with the answer that should not. A channel draws the
most revealing output of each row that much more often; Laplace noise is left out in 3 % of the reports.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from hushpoll_client import mechanisms
from hushpoll_client.mechanisms import laplace
from hushpoll_client.stream import randomize_lines
from hushpoll_client.survey import Survey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Channel, Design, Laplace, Repeated
from hushpoll_shared.randomness import SPAN, ByteSource, SecureBytes, bernoulli
from hushpoll_shared.signing import verify

TOO_OFTEN = SPAN * 3 // 100


def break_survey(manifest: Manifest) -> Manifest:
    """Return the survey with designs that keep the true answer too often, under the same manifest id."""
    questions = tuple(replace(question, design=break_design(question.design)) for question in manifest.questions)
    broken = replace(manifest, questions=questions)
    broken.__dict__["payload"] = manifest.payload
    return broken


def break_design(design: Any) -> Design:
    """Return the design with the probability of the true answer raised by 3 %."""
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
    # The most revealing output of this row; of several, the most likely one.
    telling = max(range(len(weights)), key=lambda output: (round(weights[output] / least[output], 6), weights[output]))
    rest = SPAN - weights[telling]
    lowered = [weight - TOO_OFTEN * weight // rest for weight in weights]
    lowered[telling] += SPAN - sum(lowered)
    return tuple(accumulate(lowered))[:-1]


def _draw_laplace(design: Laplace, source: ByteSource, place: Any) -> str:
    # With the smallest threshold there is no noise.
    return laplace.draw(replace(design, threshold=1) if bernoulli(source, TOO_OFTEN) else design, source, place)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--manifest", type=Path)
    survey = Survey(break_survey(verify(parser.parse_args().manifest.read_bytes())))
    mechanisms.DRAWS[Laplace] = _draw_laplace  # type: ignore[index]
    randomize_lines(survey, sys.stdin.buffer, sys.stdout.buffer, SecureBytes())  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
