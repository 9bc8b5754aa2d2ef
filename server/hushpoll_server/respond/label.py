"""The privacy label of a survey: who could learn what, in words and exact numbers.

The law here: everything on the label follows from the manifest, and no verdict is kinder than the numbers. The form
shows the same rows (client/js/form/texts.js); a test in a real browser compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.manifest import Manifest, Question

FORMAT: Final = "hushpoll-privacy-label-1"

STORED: Final = (
    "For each report: the randomized answer to every question, a random report number, and the survey's fingerprint.",
    "For each survey: its questions as they were signed, and counts of the randomized answers.",
)
NOT_STORED: Final = (
    "Your answers: they never leave your device.",
    "Time, address, browser, order of arrival, cookies, how long you took, which answers you changed.",
)
NOT_HIDDEN: Final = (
    "That someone took part from your connection, and roughly when: whoever watches the network can see it.",
    "What you choose, from someone who controls your device or looks over your shoulder.",
    "The page's code itself: a browser cannot prove that its own server sends the code that it should.",
)


@dataclass(frozen=True)
class Row:
    """One line of the label: somebody, and whether they could learn an answer."""

    who: str
    verdict: str
    reason: str


def rows(manifest: Manifest) -> tuple[Row, ...]:
    """Say who could learn an answer to the least protected question."""
    people = (
        ("The people who run this survey", "They only get randomized answers."),
        ("The server's operator or an intruder", "Your answers never get there."),
        ("Someone with a legal order", "There are no answers to hand over."),
        ("Someone who gets the data", "Any answer in it may be random."),
    )
    changed = _VERDICTS.get(least_protected(manifest).design.epsilon.band)
    return (
        *(Row(who, *(changed or ("No", reason))) for who, reason in people),
        Row("Readers of the results", "No", "They see only estimates."),
        Row("Whoever controls your device or this page", "Yes", "They could read what you choose."),
    )


# Bands in which a plain "No" would not be honest: someone who sees the report has learnt a good deal.
_VERDICTS: Final = {
    "moderate": ("Perhaps", "Randomized answers may differ."),
    "weak": ("Probably", "The odds give it away."),
    "little protection": ("Probably", "The odds give it away."),
}


def least_protected(manifest: Manifest) -> Question:
    """Find the question with the largest epsilon."""
    return max(manifest.questions, key=lambda question: question.design.epsilon)


def odds_sentence(question: Question) -> str:
    """Put the odds of a question into whole numbers out of 100."""
    times = question.design.times_in_100
    return f"Your device sends your real answer {_times(times)} in 100, the other one {_times(100 - times)}."


def _times(times: int) -> str:
    edge = {0: "less than once", 1: "once", 100: "more than 99 times"}
    return edge.get(times, f"{times} times")


def rounded_up(epsilon: Epsilon) -> str:
    """Write an epsilon with two decimals, never smaller than it is."""
    hundredths = -(-epsilon.units // 10**18)
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def to_json(survey: PublishedSurvey) -> dict[str, object]:
    """Give the label for programs: the same facts, the numbers exact."""
    manifest = survey.manifest
    return {
        "format": FORMAT,
        "survey": survey.name,
        "title": manifest.title,
        "manifest": manifest.id,
        "key": survey.key,
        "epsilon": str(manifest.epsilon),
        "protection": manifest.epsilon.band,
        "who_could_learn": [vars(row) for row in rows(manifest)],
        "questions": [_question_to_json(question) for question in manifest.questions],
        "stored": STORED,
        "not_stored": NOT_STORED,
        "not_hidden": NOT_HIDDEN,
    }


def _question_to_json(question: Question) -> dict[str, object]:
    return {
        "id": question.id,
        "text": question.text,
        "mechanism": question.design.NAME,
        "odds": format_odds(question.design.odds),
        "times_in_100": question.design.times_in_100,
        "epsilon": str(question.design.epsilon),
        "protection": question.design.epsilon.band,
    }
