"""What the server's pages say about a mechanism, beside what everybody is told."""

from __future__ import annotations

from tests.samples.every_type import every_type

from hushpoll_server.words.sentences import mechanism_name, times_in_100


def test_a_number_around_the_answer_is_not_counted_as_the_answer() -> None:
    times = {question.design.NAME: times_in_100(question) for question in every_type().questions}
    assert (times["channel"], times["laplace"]) == (None, None)
    assert (times["repeated"], times["projective"]) == (79, 58)


def test_what_people_call_a_mechanism_is_said_by_the_answers_where_there_are_two() -> None:
    names = {question.id: mechanism_name(question) for question in every_type().questions}
    assert (names["cheated"], names["helped"]) == ("randomized response", "subset selection")
