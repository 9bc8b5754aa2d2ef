"""What is worked out for each question before a page is rendered."""

from __future__ import annotations

import math

import pytest
from tests.support.surveys import two_questions

from hushpoll_server.collect.tally import TOTAL, Counts
from hushpoll_server.dashboard.panels import Panel, make_panels, sampling_interval
from hushpoll_server.dashboard.query import Choice
from hushpoll_server.results import Results, results_of


def panels(yes: int, n: int, *, level: float = 0.95, population: int | None = None) -> list[Panel]:
    manifest = two_questions(population=population)
    counts: Counts = Counts()
    for question in manifest.questions:
        counts[question.id, "yes"], counts[question.id, TOTAL] = yes, n

    def estimate(at: float) -> Results:
        return results_of(manifest, counts, level=at)

    return make_panels(manifest, estimate, Choice(level=level))


def test_panels_follow_the_manifest() -> None:
    assert [panel.question.id for panel in panels(400, 1000)] == ["cheated", "helped"]


@pytest.mark.parametrize(
    ("level", "drawn"), [(0.95, [0.5, 0.8, 0.95]), (0.5, [0.5, 0.8, 0.95]), (0.99, [0.5, 0.8, 0.95, 0.99])]
)
def test_the_chosen_level_is_always_among_those_drawn(level: float, drawn: list[float]) -> None:
    [panel, _] = panels(400, 1000, level=level)
    assert [result.level for result in panel.graded] == drawn
    assert panel.result.level == level


def test_an_empty_panel_leaves_it_to_the_page_to_say_so() -> None:
    [panel, _] = panels(0, 0)
    assert panel.empty
    assert panel.early
    assert panel.warnings == ()


def test_sampling_alone_gives_the_textbook_interval() -> None:
    [panel, _] = panels(400, 1000)
    alone = sampling_interval(panel.result.cells[0], panel.result)
    assert alone is not None
    # f = 0.3: 1.959964 √(0.3 · 0.7 / 1000)
    assert alone.high - 0.3 == pytest.approx(1.959964 * math.sqrt(0.21 / 1000), rel=1e-6)


def test_a_census_has_no_sampling_error() -> None:
    [panel, _] = panels(400, 1000, population=1000)
    alone = sampling_interval(panel.result.cells[0], panel.result)
    assert alone is not None
    assert alone.low == alone.high


@pytest.mark.parametrize("yes", [200, 250, 750, 800])
def test_at_and_beyond_the_edge_nothing_is_claimed_about_sampling(yes: int) -> None:
    [panel, _] = panels(yes, 1000)
    assert sampling_interval(panel.result.cells[0], panel.result) is None
