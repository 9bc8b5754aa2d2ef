"""A survey with every type of question, with branches into every type, in three languages."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from typing import Any

from tests.samples.every_type import AGREEMENT, ONE, WAYS, every_type, options

from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import TranslatedQuestion, Translation, When
from hushpoll_shared.question_types import (
    EXTRAS,
    AnyQuestionType,
    MultiChoice,
    Number,
    QuestionType,
    Scale,
    SingleChoice,
    YesNo,
)
from hushpoll_shared.questions import Question, asked

# A picture of 24 by 12 points in one colour.
PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAMCAIAAAD3UuoiAAAAF0lEQVR42mOoko+hCmIYNWjUoFGD8CEA1IUTsLbV/CwAAAAASUVORK5CYII="
)
# What a translated survey calls its questions and its answers.
NAMES = {
    "ar": ("استطلاع", "المشاركة طوعية.", "السؤال", "الجواب"),
    "de": ("Umfrage", "Die Teilnahme ist freiwillig.", "Frage", "Antwort"),
}


def presented(**changes: Any) -> Manifest:
    """Make a survey with every type, every mechanism, branches and translations."""
    plain = every_type()
    questions = (*plain.questions, *branches())
    return every_type(
        **{"survey": "presented", "language": "en", "translations": translations(questions), "questions": questions}
        | changes
    )


def branches() -> tuple[Question, ...]:
    """Make questions of every type that only some are asked, after an answer of every type that can decide it."""
    skipped = EXTRAS[1:]
    reasons = SingleChoice(options("time", "fear", "habit"), skipped)
    towns = SingleChoice(options(*(f"Kingston {i}" for i in range(1, 31))), skipped)
    hours = Number("0", "40", "distribution", skipped)
    return (
        branch("caught", YesNo(skipped), SubsetMechanism.of(ONE, 3), When("cheated", (True,))),
        branch("reason", reasons, SubsetMechanism.of(ONE, 4), When("frequency", ("never", "once"))),
        branch("which", MultiChoice(options(*WAYS), None, skipped), BallMechanism.of(ONE, 7), When("ways", ("phone",))),
        branch("how_fair", Scale(1, 5, AGREEMENT.point_labels, "shares", skipped), SubsetMechanism.of(ONE, 6),
               When("fair", (1, 2))),
        branch("long", hours, SquareWaveMechanism.of(ONE, 16, 4, 1), When("caught", (True,))),
        branch("where", towns, ProjectiveMechanism.of(ONE, 31), When("works", (True,))),
    )  # fmt: skip


def branch(name: str, question_type: AnyQuestionType, design: Any, when: When) -> Question:
    """Make a question that is asked after some answers to another."""
    return Question(name, f"What about {name.replace('_', ' ')}?", question_type, design, when)


def translations(questions: tuple[Question, ...]) -> dict[str, Translation]:
    """Translate the survey: every text has its own number, so that none can stand for another."""
    all_asked = [each for question in questions for each in asked(question.id, question.type).items()]
    return {tag: translate(all_asked, *names) for tag, names in NAMES.items()}


def translate(
    asked: list[tuple[str, QuestionType]], title: str, consent: str, question: str, answer: str
) -> Translation:
    """Write the texts of one language."""

    def texts(number: int, what: Iterable[object]) -> tuple[str, ...]:
        return tuple(f"{answer} {number}.{place}" for place, _ in enumerate(what, start=1))

    translated = {
        name: TranslatedQuestion(
            f"{question} {number}",
            texts(number, question_type.texts.get("options", {})),
            texts(number, question_type.texts.get("labels", {})),
        )
        for number, (name, question_type) in enumerate(asked, start=1)
    }
    return Translation(title, consent, translated)
