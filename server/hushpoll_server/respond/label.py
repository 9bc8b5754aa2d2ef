"""The privacy label of a survey: who could learn what, in words and exact numbers.

The law here: everything on the label follows from the manifest, and no verdict is kinder than the numbers. The form
shows the same rows (client/js/form/texts.js) and notes; a test in a real browser compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hushpoll_server.respond.sentences import odds_sentence, sent_phrase, times_in_100
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

FORMAT: Final = "hushpoll-privacy-label-1"
LONGEST_ODDS: Final = 48

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

MECHANISMS: Final = {
    "warner": "randomized response",
    "subset": "subset selection",
    "projective": "projective geometry response",
    "ball": "sampled Hamming ball",
    "padded": "padding and sampling",
    "channel": "finite channel for means",
    "wave": "square wave",
    "laplace": "discrete Laplace distribution",
    "repeated": "randomized response, remembered and repeated",
}
NOTE_ON_WAVES: Final = "All waves together keep these odds; a changed answer costs them again and may show."


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


def notes(manifest: Manifest) -> tuple[str, ...]:
    """Say what holds for the survey as a whole, besides its odds."""
    some = f"Your device reports on {manifest.ask} of the {len(manifest.questions)} questions, chosen at random;"
    asking = (f"{some} the report shows which.",) if manifest.ask else ()
    return asking + ((NOTE_ON_WAVES,) if manifest.panel else ())


def total(manifest: Manifest) -> str:
    """Name what the total protection is for."""
    number = len(manifest.questions)
    if manifest.ask:
        return f"The {manifest.ask} that your device reports on" if manifest.ask > 1 else "The one that it reports on"
    return f"All {number} together" if number > 1 else "In total"


def exact_odds(question: Question) -> str:
    """Write the odds exactly, or rounded up where the exact integers are too long to read."""
    odds = question.design.odds
    exact = format_odds(odds)
    if len(exact) <= LONGEST_ODDS:
        return exact
    return f"{-(-odds * 10**6 // 1) / 10**6:,}:1, rounded up; the integers are in the signed manifest"


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
        "ask": manifest.ask,
        "panel": manifest.panel,
        "notes": notes(manifest),
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
        "type": question.type,
        "mechanism": question.design.NAME,
        "odds": format_odds(question.design.odds),
        "times_in_100": times_in_100(question.design),
        "sentence": odds_sentence(question),
        "sent": sent_phrase(question),
        "epsilon": str(question.design.epsilon),
        "protection": question.design.epsilon.band,
    }
