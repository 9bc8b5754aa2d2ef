"""What the server's pages say about the mechanism of a question, beside what everybody is told (`question.told`)."""

from __future__ import annotations

from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.words.languages import ENGLISH
from hushpoll_shared.questions import Question
from hushpoll_shared.words import Words


def times_in_100(question: Question) -> int | None:
    """Return how often in 100 the first case of the sentence occurs; None where the sentence is about a guess."""
    return question.design.odds_sentence().times.get("kept")


def mechanism_name(question: Question, words: Words = ENGLISH) -> str:
    """Return the name of a question's mechanism, in words for people."""
    name: str = words.mechanism(question.design.NAME)["names"][mechanism_of(question).name]
    return name
