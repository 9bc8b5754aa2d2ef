"""What is printed of a measurement: the figures, their goals and the verdicts."""

from __future__ import annotations

import pytest
from bench import import_time, page, run
from bench.results import Figure, at_least, below

from hushpoll_shared.errors import InvalidValue


def test_a_figure_keeps_or_misses_its_goal() -> None:
    assert Figure(what="ratio", value=0.5, unit="ratio", goal=at_least(0.5)).verdict == "ok"
    assert Figure(what="ratio", value=0.49, unit="ratio", goal=at_least(0.5)).verdict == "missed"
    assert Figure(what="start", value=4.9, unit="s", goal=below(5)).verdict == "ok"
    assert Figure(what="start", value=5.0, unit="s", goal=below(5)).verdict == "missed"


def test_a_figure_without_a_goal_has_no_verdict() -> None:
    assert Figure(what="rate", value=1.0, unit="/s").to_json()["verdict"] is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_a_figure_is_a_finite_number_from_zero_up(value: float) -> None:
    with pytest.raises(InvalidValue, match="rate"):
        Figure(what="rate", value=value, unit="/s")


def test_an_import_counts_without_the_start_of_the_interpreter() -> None:
    [added, bare, ratio] = import_time.figures(20.0, 90.0)
    assert (added.value, added.verdict) == (70.0, "ok")
    assert (bare.value, ratio.value) == (20.0, 3.5)


def test_a_page_names_its_scripts_and_not_its_data() -> None:
    document = """
        <script type="application/json" id="envelope">{"src": "/no.js"}</script>
        <script type="module" src="/js/form.js?v=1"></script>
        <link rel="icon" href="/static/icon.svg">
    """
    assert page.scripts_of(document) == ["/js/form.js"]


def test_the_sizes_of_scripts_add_up_to_the_page() -> None:
    total, plain, *scripts = page.figures({"/js/a.js": b"a" * 5000, "/js/b.js": b"b" * 3000})
    assert plain.value == 8000
    assert total.value == sum(figure.value for figure in scripts) < 200
    assert total.verdict == "ok"


def test_every_benchmark_has_a_name_of_its_own() -> None:
    assert list(run.BENCHMARKS) == ["import", "randomize", "mechanisms", "page", "demo", "ingest", "dashboard"]
