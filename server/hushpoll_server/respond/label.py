"""The privacy label of a survey: who could learn what, in words and exact numbers.

The rule here: everything on the label follows from the manifest, and no verdict is milder than the numbers. The words
are data (client/js/words) that the form shows too; a test in a real browser compares the two. The label for programs
is in English.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.words import ENGLISH
from hushpoll_server.words.sentences import times_in_100
from hushpoll_shared.departure import minutes_between
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question
from hushpoll_shared.words import Words

FORMAT: Final = "hushpoll-privacy-label-1"
# Characters.
LONGEST_ODDS: Final = 48

# Bands in which a plain "No" would not be honest: whoever sees the report learns a good deal.
_UNSURE: Final = {"moderate": "perhaps", "weak": "probably", "little protection": "probably"}


@dataclass(frozen=True)
class LabelRow:
    """One row of the label: who, and whether they could learn an answer."""

    who: str
    verdict: str
    reason: str


def verdict(manifest: Manifest) -> str:
    """Return whether somebody with the report could learn an answer: no, perhaps or probably.

    The total decides: questions with the same answer reveal it with all their odds combined, and no single question has
    a larger epsilon.
    """
    return _UNSURE.get(manifest.epsilon.band, "no")


def opening(manifest: Manifest, words: Words = ENGLISH) -> str:
    """Return the first sentence of the form and the label: what the device does, and what it is worth."""
    text: str = words["opening"][verdict(manifest)]
    return text


def rows(manifest: Manifest, words: Words = ENGLISH) -> tuple[LabelRow, ...]:
    """Return who could learn an answer."""
    unsure = verdict(manifest)
    changed = (words[f"verdict_{unsure}"], words[f"reason_{unsure}"]) if unsure != "no" else None
    readers, no_matter_what = words["readers"]
    controller, always = words["controller"]
    return (
        *(LabelRow(who, *(changed or (words["verdict_no"], reason))) for who, reason in words["people"]),
        LabelRow(readers, words["verdict_no"], no_matter_what),
        LabelRow(controller, words["verdict_yes"], always),
    )


def notes(manifest: Manifest, words: Words = ENGLISH) -> tuple[str, ...]:
    """Return notes on the survey as a whole, besides its odds."""
    asking = words.fill("note_asking", ask=manifest.ask or 0, all=len(manifest.questions))
    all_notes = (
        (manifest.ask, f"{asking} {words['note_which']}"),
        (manifest.panel, f"{words['note_waves']} {words['note_changed']} {words['note_forgetting']}"),
        (any(question.when for question in manifest.questions), words["note_branches"]),
        (manifest.groups, words.fill("note_labels", labels=" · ".join(_labels(manifest)))),
    )
    return tuple(note for holds, note in all_notes if holds)


def _labels(manifest: Manifest) -> list[str]:
    dimensions = manifest.groups.dimensions if manifest.groups else ()
    return [label.text for dimension in dimensions for label in dimension.labels]


def not_hidden(manifest: Manifest, words: Words = ENGLISH) -> tuple[str, ...]:
    """Return what others can see, including the time taken."""
    minutes = minutes_between(manifest)
    time = words.fill("time_on_grid", minutes=math.ceil(minutes)) if minutes else words["time_taken"]
    taking_part, *others = words["not_hidden"]
    return (taking_part, time, *others)


def total(manifest: Manifest, words: Words = ENGLISH) -> str:
    """Return what the total protection is for, in words."""
    number = len(manifest.questions)
    if manifest.ask:
        return words.fill("total_asked" if manifest.ask > 1 else "total_asked_one", ask=manifest.ask)
    return words.fill("total_together" if number > 1 else "total_alone", all=number)


def exact_odds(question: Question, words: Words = ENGLISH) -> str:
    """Format the odds exactly, or rounded up where the exact integers are too long to read."""
    odds = question.design.odds
    exact = format_odds(odds)
    if len(exact) <= LONGEST_ODDS:
        return exact
    millionths = -(-odds * 10**6 // 1)
    whole, part = words.number(millionths // 10**6), f"{millionths % 10**6:06d}"
    return words.fill("odds_rounded", odds=f"{whole}{words['decimal']}{part}")


def rounded_up(epsilon: Epsilon, words: Words = ENGLISH) -> str:
    """Format an epsilon with two decimals, rounded up."""
    hundredths = -(-epsilon.units // 10**18)
    return f"{hundredths // 100}{words['decimal']}{hundredths % 100:02d}"


def to_json(survey: PublishedSurvey, *, results: str | None = None) -> dict[str, object]:
    """Return the label for programs: the same facts, the numbers exact; with the path of public results, if any."""
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
        **({"groups": manifest.groups.to_json()} if manifest.groups else {}),
        "opening": opening(manifest),
        "notes": notes(manifest),
        "who_could_learn": [vars(row) for row in rows(manifest)],
        "questions": [_question_to_json(question) for question in manifest.questions],
        **{key: ENGLISH[key] for key in ("stored", "not_stored")},
        "not_hidden": not_hidden(manifest),
        **({"results": results} if results else {}),
    }


def _question_to_json(question: Question) -> dict[str, object]:
    told = question.told(ENGLISH.tag)
    return {
        "id": question.id,
        "text": question.text,
        "type": question.type.NAME,
        "mechanism": mechanism_of(question).name,
        "odds": format_odds(question.design.odds),
        "times_in_100": times_in_100(question),
        "sentence": told.odds,
        "sent": told.sent,
        "epsilon": str(question.design.epsilon),
        "protection": question.design.epsilon.band,
    }
