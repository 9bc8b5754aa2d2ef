"""The surveys of the vectors: plain ones, and one with a question of every type and mechanism."""

from __future__ import annotations

from typing import Any

from tests.mechanisms.test_channel import channel_with_extras, exact_channel, wide_channel
from tests.samples.designs import warner

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.checks import read_time
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import (
    MultiChoice,
    Number,
    Option,
    Pair,
    Part,
    Scale,
    SingleChoice,
    YesNo,
)
from hushpoll_shared.questions import Question

epsilon = Bound.of_epsilon


def survey(**changes: Any) -> Manifest:
    questions = (
        Question("cheated", "Have you ever cheated in an exam here?", YesNo(), warner(odds="3:1")),
        Question("copied", "Haben Sie je abgeschrieben? – «ja» / „nein“ 🙂", YesNo(), warner(epsilon="1")),
    )
    fields = {
        "survey": "campus",
        "title": "Campus integrity",
        "consent": 'Line one.\nLine two.\t"quoted" \\ \x7f\u2028',
    }
    return Manifest(**{**fields, "questions": questions, **changes})


def large_survey() -> Manifest:
    questions = tuple(Question(f"q{i}", f"Question {i}?", YesNo(), warner(epsilon=f"0.{i + 1}")) for i in range(9))
    times = {"opens": read_time("2026-01-01T00:00:00Z", ""), "closes": read_time("2099-12-31T23:59:59Z", "")}
    return survey(survey="nine-questions", questions=questions, population=12000, **times)


def every_type() -> tuple[Question, ...]:
    """Return one question of every type and design."""
    colours = tuple(Option(name, name) for name in ("red", "green", "blue"))
    named = (Option("1", "Bus"), Option("0", "Tram – «gelb»"), Option("car", "Car"), Option("on foot", "on foot"))
    both = ("decline", "does_not_apply")
    pair = Pair((Part("smokes", "Do you?", YesNo(("decline",))), Part("colour", "Which?", SingleChoice(colours))))
    age = SquareWaveMechanism.of(epsilon("1"), 16, 4, 1)
    drinks = Number("0", "20", "distribution", ("decline",), ("0", "0.1"))
    codebook = SingleChoice(tuple(Option(f"c{i}", f"c{i}") for i in range(2100)))
    return (
        Question("cheated", "Have you?", YesNo(), warner(odds="3:1")),
        Question("asked", "Were you?", YesNo(both), SubsetMechanism.of(epsilon("1"), 4)),
        Question("way", "How do you come?", SingleChoice(named, ("decline",)), SubsetMechanism.of(epsilon("0.5"), 5)),
        Question("code", "Which code?", codebook, ProjectiveMechanism.of(epsilon("1"), 2100)),
        Question("stress", "How much?", Scale(-1, 4, ((-1, "none"), (4, "much"))), SubsetMechanism.of(epsilon("1"), 6)),
        Question("pain", "How much?", Scale(0, 2, (), "mean"), exact_channel()),
        Question("ways", "Which?", MultiChoice(named, None, both), BallMechanism.of(epsilon("2"), 6)),
        Question("few", "Which two?", MultiChoice(named, 2), PrivSetMechanism.of(epsilon("1"), 4, 2)),
        Question("hours", "How long?", Number("0", "40"), wide_channel()),
        Question(
            "height", "How tall?", Number("-1.5", "2.25", "distribution"), SquareWaveMechanism.of(epsilon("1"), 16, 4)
        ),
        Question("noise", "How loud?", Number("0", "1"), LaplaceMechanism.of(epsilon("1"))),
        Question("income", "How much?", Number("0", "9", "mean", both), channel_with_extras()),
        Question("age", "How old?", Number("0", "99", "distribution", ("decline",)), age),
        Question("drinks", "How many drinks?", drinks, SquareWaveMechanism.of(epsilon("1"), 16, 4, 3)),
        Question("both", "Both", pair, SubsetMechanism.of(epsilon("1"), 9)),
    )


def surveys() -> dict[str, tuple[Manifest, list[dict[str, Any]]]]:
    """Return all surveys of the vectors, with answers to each."""
    full: dict[str, Any] = {
        "cheated": True, "asked": False, "way": "0", "code": "c17", "stress": 4, "pain": 1, "ways": ["car", "1"],
        "few": ["on foot"], "hours": 7.1, "height": -2, "noise": 0.3, "income": 3, "age": None, "drinks": 0,
        "smokes": True,
        "colour": "blue",
    }  # fmt: skip
    other: dict[str, Any] = {
        **full, "cheated": False, "asked": "does_not_apply", "way": None, "stress": -1, "ways": None, "few": [],
        "hours": 40, "height": 2, "income": "does_not_apply", "age": 50.5, "drinks": 0.1, "smokes": "decline",
        "colour": "red", "pain": 2,
    }  # fmt: skip
    everything = Manifest(
        "everything", "Everything", "Please.", every_type(), 500, read_time("2026-01-01T00:00:00Z", "opens"), None
    )
    some = tuple(question for question in every_type() if question.id in ("asked", "ways", "hours"))
    waves = (
        Question("mood", "Good?", YesNo(("decline",)), RepeatedMechanism.of(epsilon("1"), epsilon("2"), 3)),
        Question("sure", "Sure?", YesNo(), warner(epsilon="0.5")),
    )
    return {
        "everything": (everything, [full, other]),
        "some": (
            Manifest("some", "Some", "Please.", some, ask=1),
            [{name: full[name] for name in ("asked", "ways", "hours")}] * 3,
        ),
        "panel": (
            Manifest("wave-2", "Wave 2", "Please.", waves, panel="mood-panel"),
            [{"mood": True, "sure": False}, {"mood": None, "sure": True}],
        ),
    }
