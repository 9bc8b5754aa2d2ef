"""A survey with every type of question and every mechanism, and two ways to answer it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.browser.form import Given
from tests.mechanisms.test_channel import channel_with_extras
from tests.samples.designs import warner

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Channel
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Number, Option, Pair, Part, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.randomness import SPAN

ONE = Bound.of_epsilon("1")
TWO = Bound.of_epsilon("2")
WAYS = ["phone", "notes", "neighbour", "essay mill", "smart watch", "a friend outside"]
AGREEMENT = Scale(1, 5, ((1, "not at all"), (5, "completely")))
STRESS = Scale(0, 10, ((0, "not at all"), (10, "so much that it is hard to bear")), "mean")
PAY = Number("-1.5", "100", "distribution")
# Five points, two outputs: 6/8 … 2/8 of all draws give the first.
TABLE = tuple((SPAN // 8 * weight,) for weight in (6, 5, 4, 3, 2))

FIRST: tuple[Given, ...] = (
    "Yes", "Yes", "never", ("kings", "Kingston 7"), ("42", "42"), "1 – not at all", "9", ["phone"], ["notes", "phone"],
    3, 0.5, 7.5, ["Prefer not to say"], "4", "Yes", "5 – completely", "weekly",
)  # fmt: skip
SECOND: tuple[Given, ...] = (
    "No", "Prefer not to say", "often", ("", "Does not apply"), ("100", "100"), "4", "0 – not at all",
    ["Prefer not to say"], [], 39.75, 100, ["Does not apply"], 20, "2", "No", "2", "never",
)  # fmt: skip


def every_type(**changes: Any) -> Manifest:
    """Make a survey with every type of question and every mechanism."""
    survey = Manifest(
        "all",
        "Everything at once",
        "Taking part is voluntary.",
        (*plain_and_choices(), *scales_and_ticks(), *numbers(), *joined()),
        panel="students",
    )
    return replace(survey, **changes)


def plain_and_choices() -> tuple[Question, ...]:
    """Make questions with one answer of some or many."""
    often = SingleChoice(options("never", "once", "a few times", "often"))
    places = SingleChoice(options(*(f"Kingston {i}" for i in range(1, 301))), EXTRAS[1:])
    points = Scale(0, 100)
    return (
        Question("cheated", "Have you ever cheated in an exam here?", YesNo(), warner(odds="3:1")),
        Question("helped", "Have you ever helped someone to cheat?", YesNo(EXTRAS), SubsetMechanism.of(ONE, 4)),
        Question("frequency", "How often have you copied from a neighbour?", often, SubsetMechanism.of(TWO, 4)),
        Question("town", "Where did you go to school?", places, ProjectiveMechanism.of(ONE, 301)),
        Question("mark", "Which mark did you get last?", points, SubsetMechanism.of(ONE, 101)),
    )


def scales_and_ticks() -> tuple[Question, ...]:
    """Make questions with points on a scale and with several answers."""
    ways = MultiChoice(options(*WAYS), None, EXTRAS[:1])
    two = MultiChoice(options(*WAYS), 2)
    return (
        Question("fair", "Are exams here fair?", AGREEMENT, SubsetMechanism.of(ONE, 5)),
        Question("stress", "How stressed are you?", STRESS, LaplaceMechanism.of(ONE)),
        Question("ways", "Which ways have you used?", ways, BallMechanism.of(TWO, 7)),
        Question("best", "Which ways work best?", two, PrivSetMechanism.of(TWO, 6, 2)),
    )


def numbers() -> tuple[Question, ...]:
    """Make questions with numbers."""
    channel = Channel((-2, 6), 1, TABLE)
    ages = SquareWaveMechanism.of(ONE, 16, 4, 1)
    return (
        Question("hours", "How many hours do you study in a week?", Number("0", "40"), channel),
        Question("pay", "What do you earn in an hour?", PAY, SquareWaveMechanism.of(ONE, 64, 16)),
        Question("income", "What is your income in a month?", Number("0", "9", "mean", EXTRAS), channel_with_extras()),
        Question("age", "How old are you?", Number("15", "99", "distribution", EXTRAS[:1]), ages),
        Question("mood", "How is your mood today?", replace(AGREEMENT, point_labels=(), report="mean"), channel),
    )


def joined() -> tuple[Question, ...]:
    """Make a pair and a repeated question."""
    pair = Pair((Part("works", "Do you have a job?", YesNo()), Part("tired", "Are you tired?", AGREEMENT)))
    often = SingleChoice(options("never", "monthly", "weekly"))
    return (
        Question("job_and_sleep", "Job and sleep", pair, SubsetMechanism.of(ONE, 10)),
        Question("drinks", "How often do you drink?", often, RepeatedMechanism.of(ONE, TWO, 3)),
    )


def options(*texts: str) -> tuple[Option, ...]:
    """Make options whose ids are their texts."""
    return tuple(Option(text, text) for text in texts)
