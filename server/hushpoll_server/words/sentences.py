"""What a device sends for a question and how often it is true, in a sentence of its mechanism.

The rule here: every number follows from the integers of the design, and a number that sounds small comes with the one
that pure chance would give. The form fills the same sentences with the same numbers, and a test in a real browser
compares the two.
"""

from __future__ import annotations

from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.words.languages import ENGLISH, Words
from hushpoll_shared.mechanisms.sentence import Sentence
from hushpoll_shared.questions import Question


def odds_sentence(question: Question, words: Words = ENGLISH) -> str:
    """Return the odds of a question in words, as whole numbers out of 100."""
    return _fill(question.design.odds_sentence(), question, words)


def sent_sentence(question: Question, words: Words = ENGLISH) -> str:
    """Return what the report holds for a question, in words."""
    return _fill(question.design.sent_sentence(question.type.NAME), question, words)


def times_in_100(question: Question) -> int | None:
    """Return how often in 100 the first case of the sentence occurs; None where the sentence is about a guess."""
    return question.design.odds_sentence().times.get("kept")


def mechanism_name(question: Question, words: Words = ENGLISH) -> str:
    """Return the name of a question's mechanism, in words for people."""
    name: str = words.mechanism(question.design.NAME)["names"][mechanism_of(question).name]
    return name


def _fill(sentence: Sentence, question: Question, words: Words) -> str:
    own = words.mechanism(question.design.NAME)
    answer = "pair" if question.type.parts else "answer"
    return words.write(
        own.get(sentence.key) or words[sentence.key],
        {
            "yours": words[f"your_{answer}"],
            "answers": words[f"{answer}s"],
            **question.type.range_texts,
            **sentence.values,
            **{name: words.count(number) for name, number in sentence.times.items()},
            **{name: _fill(phrase, question, words) for name, phrase in sentence.phrases.items()},
        },
    )
