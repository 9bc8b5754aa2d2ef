"""Clients that are deliberately wrong, for audits: `hushpoll randomize` with one fault, named by the first argument.

Without a name it keeps the true answer 3 % too often: every threshold is raised by 3 % of 2^64, so 3 of 100 reports
agree with the answer that should not. A channel draws the most revealing output of each row that much more often;
Laplace noise is left out in 3 % of the reports.

All other faults are functions below, of the honest client and the answers of a line. "The answer" is the code of the
first question's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

from hushpoll_client import mechanisms
from hushpoll_client.answers import read_answers
from hushpoll_client.mechanisms import draw, laplace
from hushpoll_client.stream import randomize_lines
from hushpoll_client.survey import Survey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Channel, Design, Laplace, Repeated, wire
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.randomness import SPAN, ByteSource, SecureBytes, bernoulli
from hushpoll_shared.report import Report
from hushpoll_shared.signing import verify

TOO_OFTEN = SPAN * 3 // 100

Answers = dict[str, Any]


# --- the true answer too often ---------------------------------------------------------------------------------------


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


# --- the honest client, and what faults need of it -------------------------------------------------------------------


@dataclass
class Client:
    """An honest client that remembers what it did."""

    survey: Survey
    source: ByteSource = field(default_factory=SecureBytes)
    lines: int = 0
    last_code: Code = 0
    last_draw: str | None = None

    def report(self, answers: Answers) -> Report:
        return self.survey.randomize(answers, source=self.source)

    def codes(self, answers: Answers) -> list[Code]:
        return read_answers(self.survey.manifest, answers)

    def design(self, place: int = 0) -> Any:
        return self.survey.manifest.questions[place].design

    def draw(self, code: Code, place: int = 0) -> str:
        return draw(self.design(place), self.source, code)

    def happens(self, share: float) -> bool:
        return bool(bernoulli(self.source, int(share * SPAN)))


def answer_of(client: Client, answers: Answers) -> Any:
    return client.codes(answers)[0]


def with_draw(report: Report, drawn: str, place: int = 0) -> Report:
    """Return the report with another draw for one question."""
    name = list(report.draws)[place]
    return replace(report, draws={**report.draws, name: drawn})


def containing(design: Any, code: int, drawn: str) -> str:
    """Return a set with this category in it, in place of another if need be."""
    members = wire.read_set(drawn, design.picks)
    return drawn if code in members else wire.write_set(sorted([code, *members[1:]]), design.size)


# --- the answer beside the draws -------------------------------------------------------------------------------------


def last_bit_of_the_id(client: Client, answers: Answers) -> Report:
    """Write the answer into the last bit of the id."""
    report = client.report(answers)
    number = int(report.id, 16) & ~1 | int(answer_of(client, answers) != 0)
    return replace(report, id=f"{number:032x}")


def id_of_one_option(client: Client, answers: Answers) -> Report:
    """Begin the id with 00 for one option only."""
    report = client.report(answers)
    return replace(report, id="00" + report.id[2:]) if answer_of(client, answers) == 1 else report


def counting_ids(client: Client, answers: Answers) -> Report:
    """Write the number of the report into the middle of the id."""
    report = client.report(answers)
    return replace(report, id=f"{report.id[:8]}{client.lines:016x}{report.id[24:]}")


def version_in_the_id(client: Client, answers: Answers) -> Report:
    """Use random UUIDs, of which some bits are fixed."""
    report = client.report(answers)
    return replace(report, id=f"{report.id[:12]}4{report.id[13:]}")


def order_of_keys(client: Client, answers: Answers) -> bytes:
    """Write the questions in the opposite order if the answer is yes."""
    report = client.report(answers)
    draws = dict(reversed(list(report.draws.items()))) if answer_of(client, answers) else report.draws
    return replace(report, draws=draws).encode()


def blank(client: Client, answers: Answers) -> bytes:
    """Write a blank if the answer is yes, and one elsewhere if not: all reports are equally long."""
    spelled = b'"v": 1' if answer_of(client, answers) else b'"v" :1'
    return client.report(answers).encode().replace(b'"v":1', spelled)


def escape(client: Client, answers: Answers) -> bytes:
    """Escape a letter if the answer is yes, and another one if not."""
    letter = b"survey" if answer_of(client, answers) else b"manifest"
    return client.report(answers).encode().replace(letter, letter[:-1] + b"\\u%04x" % letter[-1], 1)


# --- draws that depend on each other ---------------------------------------------------------------------------------


def shared_coin(client: Client, answers: Answers) -> Report:
    """Draw both questions from the same random bytes."""
    report, replay = client.report(answers), _Replay(client.source.take(64))
    codes = client.codes(answers)
    drawn = [draw(client.design(place), replace(replay), code) for place, code in enumerate(codes)]
    return replace(report, draws=dict(zip(report.draws, drawn, strict=True)))


@dataclass
class _Replay:
    """The same bytes from the beginning, for each copy."""

    rest: bytes

    def take(self, count: int) -> bytes:
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


def second_draw(client: Client, answers: Answers) -> Report:
    """Draw the first answer again in place of the second one."""
    return with_draw(client.report(answers), client.draw(answer_of(client, answers), 1), 1)


def leaning_draw(client: Client, answers: Answers) -> Report:
    """Send yes to the second question one time in two because the first answer is yes."""
    report = client.report(answers)
    return with_draw(report, "1", 1) if answer_of(client, answers) and client.happens(0.5) else report


def previous_draw(client: Client, answers: Answers) -> Report:
    """Send the draw of the previous report one time in four."""
    report = client.report(answers)
    return with_draw(report, client.last_draw) if client.last_draw and client.happens(0.25) else report


def previous_answer(client: Client, answers: Answers) -> Report:
    """Draw the previous answer instead of this one, one time in two."""
    return (
        with_draw(client.report(answers), client.draw(client.last_code))
        if client.happens(0.5)
        else client.report(answers)
    )


def previous_coin(client: Client, answers: Answers) -> Report:
    """Keep or turn the answer as the previous report did, one time in two: each by itself is as it should be."""
    report, code = client.report(answers), answer_of(client, answers)
    if client.last_draw is None or client.happens(0.5):
        return report
    kept = client.last_draw == str(client.last_code)
    return with_draw(report, str(code if kept else 1 - code))


# --- draws with another law ------------------------------------------------------------------------------------------


def too_noisy(client: Client, answers: Answers) -> Report:
    """Draw a random answer one time in three."""
    report = client.report(answers)
    return with_draw(report, client.draw(client.source.take(1)[0] % 2)) if client.happens(1 / 3) else report


def constant(client: Client, answers: Answers) -> Report:
    """Send always the same draw."""
    return with_draw(client.report(answers), "1")


def second_chance(client: Client, answers: Answers) -> Report:
    """Draw again if the draw is not the answer."""
    report, code = client.report(answers), answer_of(client, answers)
    return client.report(answers) if next(iter(report.draws.values())) != str(code) else report


def one_option_in_the_clear(client: Client, answers: Answers) -> Report:
    """Send a set that contains the answer, if it is the fourth from last option."""
    report, code = client.report(answers), answer_of(client, answers)
    drawn = containing(client.design(), code, next(iter(report.draws.values())))
    return with_draw(report, drawn) if code == client.design().size - 4 else report


def decline_in_the_clear(client: Client, answers: Answers) -> Report:
    """Send "prefer not to say", the last option, as it is."""
    report, code = client.report(answers), answer_of(client, answers)
    drawn = containing(client.design(), code, next(iter(report.draws.values())))
    return with_draw(report, drawn) if code == client.design().size - 1 else report


def biased_at_one_end(client: Client, answers: Answers) -> Report:
    """Draw the number halfway in place of the highest one, one time in three: the mean comes out too low."""
    report, code = client.report(answers), answer_of(client, answers)
    return with_draw(report, client.draw(Fraction(1, 2))) if code == 1 and client.happens(1 / 3) else report


def same_question(client: Client, answers: Answers) -> Report:
    """Answer always the first question of a survey in which a device answers one by lot."""
    report = client.report(answers)
    blanks = {question.id: question.design.blank for question in client.survey.manifest.questions}
    return with_draw(replace(report, draws=blanks), client.draw(answer_of(client, answers)))


FAULTS: dict[str, Callable[[Client, Answers], Report | bytes]] = {
    fault.__name__: fault
    for fault in (
        last_bit_of_the_id, id_of_one_option, counting_ids, version_in_the_id, order_of_keys, blank, escape,
        shared_coin, second_draw, leaning_draw, previous_draw, previous_answer, previous_coin, too_noisy, constant,
        second_chance, one_option_in_the_clear, decline_in_the_clear, biased_at_one_end, same_question,
    )
}  # fmt: skip


def run(client: Client, fault: Callable[[Client, Answers], Report | bytes]) -> None:
    for line in sys.stdin:
        answers = json.loads(line)
        report = fault(client, answers)
        client.lines += 1
        client.last_code = answer_of(client, answers)
        if isinstance(report, Report):
            client.last_draw = next(iter(report.draws.values()))
        sys.stdout.buffer.write((report.encode() if isinstance(report, Report) else report) + b"\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", nargs="?", choices=FAULTS)
    parser.add_argument("--manifest", type=Path)
    called = parser.parse_args()
    manifest = verify(called.manifest.read_bytes())
    if called.fault:
        run(Client(Survey(manifest)), FAULTS[called.fault])
        return
    mechanisms.DRAWS[Laplace] = _draw_laplace  # type: ignore[index]
    survey = Survey(break_survey(manifest))
    randomize_lines(survey, sys.stdin.buffer, sys.stdout.buffer, SecureBytes())  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
