"""Both clients, as programs, draw by the whole perturbation matrix of every mechanism.

Each randomizes 130,000 answers, 1,200,000 in the long form. Nothing is seeded: the programs take their bytes from the
system. Each fit is judged by a bound that holds for every number of draws (matrices.py), divided over all fits:
together they raise a false alarm in less than one of a million runs.

What they detect: a threshold that is 3 % of 2^64 too high, in the long form for every mechanism; in the quick form
three times out of four for Warner's design, and rarely for the others. Wrong answers, sets or patterns, in both forms.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.mechanisms.cases import choices, every_case, law_of, places
from tests.running.tools import load_tools
from tests.samples.every_type import ONE, TWO
from tests.samples.surveys import KEY
from tests.server.audit.broken_client import break_survey
from tests.statistics.matrices import Fit, fit_of

from hushpoll_client.survey import Survey
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.simulate.respondents import Answers
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import DESIGNS, Draw, Repeated
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Pair, Part, Scale, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import sign

FALSE_ALARM = 1e-6
ROOT = Path(__file__).parents[2]
COMMANDS = {
    "python": [sys.executable, "-m", "hushpoll_client", "randomize"],
    "javascript": [str(load_tools().node), str(ROOT / "client" / "js" / "bin" / "randomize.mjs")],
}


@dataclass(frozen=True)
class Asked:
    """A question, and the codes of the answers, which are used in turn."""

    question: Question
    codes: Sequence[Code]

    @property
    def answers(self) -> list[Answers]:
        """Return what an app would pass for each code."""
        return [self.question.type.invent_answers(self.question.id, code) for code in self.codes]


WAYS = MultiChoice(choices(2).options, None, EXTRAS[:1])
PAIR = Pair((Part("works", "Do you have a job?", YesNo()), Part("tired", "Are you tired?", YesNo())))
# A pair, and extras beside ticks; then every mechanism.
TYPES = (
    Asked(Question("pair", "Job and sleep", PAIR, SubsetMechanism.of(ONE, 4)), range(4)),
    Asked(
        Question("extra", "Which ways?", WAYS, BallMechanism.of(TWO, 3)), [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 1)]
    ),
)
SURVEY = (
    *(
        Asked(Question(f"case{place}", case.name, case.type, case.design("1")), case.codes)
        for place, case in enumerate(every_case())
    ),
    *TYPES,
)
# Their draws take longer, or do not come directly from their answers.
SLOW_SURVEY = (
    Asked(Question("laplace", "How stressed?", Scale(0, 8, (), "mean"), LaplaceMechanism.of(TWO, 4)), places(9)),
    Asked(Question("repeated", "How often?", choices(4), RepeatedMechanism.of(ONE, TWO, 4)), range(4)),
)


def manifest_of(survey: tuple[Asked, ...]) -> Manifest:
    questions = tuple(asked.question for asked in survey)
    panel = "students" if any(isinstance(each.design, Repeated) for each in questions) else None
    return Manifest("matrix", "The whole matrix", "Taking part is voluntary.", questions, panel=panel)


def lines_of(survey: tuple[Asked, ...], reports: int) -> Iterator[Answers]:
    """Yield lines that use all answers to each question in turn."""
    answers = [asked.answers for asked in survey]
    for turn in range(reports):
        parts = (each[turn % len(each)] for each in answers)
        yield {name: answer for part in parts for name, answer in part.items()}


def fits_of(survey: tuple[Asked, ...], drawn: list[Mapping[str, Draw]]) -> dict[str, Fit]:
    """Return the fit of each question, with every draw counted for the answer of its line."""
    fits = {}
    for name, codes, design in ((asked.question.id, asked.codes, asked.question.design) for asked in survey):
        counts = [Counter(draws[name] for draws in drawn[turn :: len(codes)]) for turn in range(len(codes))]
        fits[name] = fit_of(zip(counts, (law_of(design, code) for code in codes), strict=True))
    return fits


# The quick form and the long one.
FORMS = [
    pytest.param(SURVEY, 12_000, id="usual"),
    pytest.param(SLOW_SURVEY, 5_000, id="slow"),
    pytest.param(SURVEY, 100_000, id="usual, long", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    pytest.param(SLOW_SURVEY, 100_000, id="slow, long", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
]
FITS = len(COMMANDS) * 2 * (len(SURVEY) + len(SLOW_SURVEY))


def is_refused(fit: Fit) -> bool:
    return fit.bound < FALSE_ALARM / FITS


def run(command: list[str], survey: tuple[Asked, ...], reports: int, folder: Path) -> dict[str, Fit]:
    """Return the fits of a client's reports, made by one program from all answers."""
    manifest = folder / "manifest.json"
    manifest.write_bytes(sign(manifest_of(survey), KEY))
    answers = "".join(json.dumps(line) + "\n" for line in lines_of(survey, reports))
    done = subprocess.run([*command, "--manifest", manifest], input=answers.encode(), capture_output=True, check=True)
    return fits_of(survey, [json.loads(line)["answers"] for line in done.stdout.splitlines()])


@pytest.mark.parametrize(("survey", "reports"), FORMS)
@pytest.mark.parametrize("language", COMMANDS)
def test_every_draw_is_as_frequent_as_the_matrix_says(
    language: str, survey: tuple[Asked, ...], reports: int, tmp_path: Path
) -> None:
    fits = run(COMMANDS[language], survey, reports, tmp_path)
    for name, fit in fits.items():
        print(f"{language:10} {name:14} {fit}")
    assert [name for name, fit in fits.items() if is_refused(fit)] == []


def test_every_mechanism_is_drawn_from() -> None:
    assert {asked.question.design.NAME for asked in (*SURVEY, *SLOW_SURVEY)} == set(DESIGNS)


def test_the_laws_are_laws() -> None:
    for asked in (*SURVEY, *SLOW_SURVEY):
        for code in asked.codes:
            assert float(sum(law_of(asked.question.design, code).values())) == pytest.approx(1, abs=1e-12)


# The test can fail.


class Seeded:
    """Bytes that are the same in every run."""

    def __init__(self) -> None:
        self._random = random.Random(20261116)

    def take(self, count: int) -> bytes:
        return self._random.randbytes(count)


def draw_seeded(survey: tuple[Asked, ...], manifest: Manifest, lines: Iterable[Answers]) -> dict[str, Fit]:
    drawing, source = Survey(manifest), Seeded()
    return fits_of(survey, [drawing.randomize(line, source=source).draws for line in lines])


def test_a_client_that_keeps_the_truth_three_percent_too_often_is_found() -> None:
    survey = SURVEY[:3]
    fits = draw_seeded(survey, break_survey(manifest_of(survey)), lines_of(survey, 50_000))
    assert all(is_refused(fit) for fit in fits.values()), list(map(str, fits.values()))


def test_a_client_that_swaps_two_answers_is_found() -> None:
    survey = SURVEY[:1]
    swapped: list[Answers] = [{name: not answer for name, answer in line.items()} for line in lines_of(survey, 2_000)]
    [fit] = draw_seeded(survey, manifest_of(survey), swapped).values()
    assert is_refused(fit)
