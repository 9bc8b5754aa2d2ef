"""The options in a query string."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import MultiDict

from hushpoll_server.estimate.options import Options
from hushpoll_server.results.query import read_options, read_page_options
from hushpoll_shared.problems import BAD_QUERY, ProblemError


def test_without_a_choice_each_interval_is_of_95_percent_at_one_look() -> None:
    assert read_options(MultiDict()) == Options(level=0.95, method=None, coverage="pointwise", beta=None)


def test_everything_can_be_chosen() -> None:
    query = MultiDict({"level": "0.9", "method": "exact", "coverage": "simultaneous", "beta": "0.05"})
    expected = Options(level=0.9, method="exact", coverage="simultaneous", beta=0.05)
    assert read_options(query) == read_page_options(query) == expected


def test_fields_left_empty_choose_nothing() -> None:
    query = MultiDict({"level": "", "method": "", "coverage": "", "beta": ""})
    assert read_options(query) == read_page_options(query) == Options()


@pytest.mark.parametrize("wrong", [{"coverage": "always"}, {"beta": "1"}, {"beta": "-0.1"}, {"beta": "nan"}])
def test_what_is_no_choice_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ProblemError) as caught:
        read_options(MultiDict(wrong))
    assert caught.value.problem is BAD_QUERY


def test_a_program_that_names_a_method_for_every_look_is_refused_and_a_form_is_forgiven() -> None:
    query = MultiDict({"coverage": "anytime", "method": "wald"})
    with pytest.raises(ProblemError):
        read_options(query)
    assert read_page_options(query) == Options(coverage="anytime")


def test_a_page_has_a_coverage_of_its_own_where_none_is_chosen() -> None:
    assert read_page_options(MultiDict({"coverage": ""}), "anytime") == Options(coverage="anytime")
    assert read_page_options(MultiDict({"coverage": "pointwise"}), "anytime") == Options()


def test_a_form_has_the_made_up_reports_in_percent_and_a_link_as_a_share() -> None:
    assert read_page_options(MultiDict({"made_up": "2.5"})) == Options(beta=0.025)
    assert read_page_options(MultiDict({"made_up": "7", "beta": ""})) == read_page_options(MultiDict({"beta": "0.07"}))
    assert read_page_options(MultiDict({"made_up": "0"})) == read_page_options(MultiDict({"made_up": ""})) == Options()


@pytest.mark.parametrize(
    "wrong",
    [{"made_up": "100"}, {"made_up": "-1"}, {"made_up": "nan"}, {"made_up": "5 %"}, {"made_up": "5", "beta": "0.05"}],
)
def test_a_percentage_that_is_none_or_said_twice_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ProblemError) as caught:
        read_page_options(MultiDict(wrong))
    assert caught.value.problem is BAD_QUERY


def test_that_nobody_cheats_needs_no_band_on_a_page_but_is_told_to_programs() -> None:
    query = MultiDict({"beta": "0"})
    assert read_page_options(query).beta is None
    assert read_options(query).beta == 0
