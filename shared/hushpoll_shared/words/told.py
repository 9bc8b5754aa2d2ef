"""What people are told about a question: how chance changes an answer, how often, and what is sent.

The rule here: every number follows from the integers of the design, and a number that sounds small comes with the one
that pure chance would give. JavaScript fills the same sentences with the same numbers (client/js/src/sentences.js); the
test vectors hold both to the letter, and a test in a real browser compares the form with this.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_shared.mechanisms import Design
from hushpoll_shared.mechanisms.sentence import Sentence
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.words.languages import interface


@dataclass(frozen=True)
class Told:
    """What the form tells about one question, in one language."""

    # Under the question: chance may change the answer.
    short: str
    # Names what leads to the odds.
    how: str
    # How often the draw is the answer, in whole numbers out of 100.
    odds: str
    # What the report holds for the question.
    sent: str
    # The tag of the sentences' own language, which may be another one than was asked for: for the attribute `lang`.
    language: str
    # `ltr`, or `rtl` for a language that is written from right to left.
    direction: str


def tell(design: Design, question_type: QuestionType, language: str) -> Told:
    """Return what people are told about a question of this type with this design."""
    words = interface(language)
    own = words.mechanism(design.NAME)
    answer = "pair" if question_type.parts else "answer"
    called = {"yours": words[f"your_{answer}"], "answers": words[f"{answer}s"], **question_type.range_texts}

    def say(sentence: Sentence) -> str:
        counts = {name: words.count(number) for name, number in sentence.times.items()}
        phrases = {name: say(phrase) for name, phrase in sentence.phrases.items()}
        text = own.get(sentence.key) or words[sentence.key]
        return words.write(text, {**called, **sentence.values, **counts, **phrases})

    return Told(
        short=words["about"],
        how=words["how"],
        odds=say(design.odds_sentence()),
        sent=say(design.sent_sentence(question_type.NAME)),
        language=words.tag,
        direction=words["direction"],
    )
