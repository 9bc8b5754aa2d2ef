"""`hushpoll bench ingest`: what is compared with what."""

from __future__ import annotations

import pytest
from bench import batches, growth, ingest, singles
from bench.instance import POSTGRES, SQLITE
from bench.load import Outcome
from bench.results import Effort, Figure


def outcome(rate: float, *, stored: float = 1.0, busy: float = 0.1, p50: float = 0.001, p99: float = 0.01) -> Outcome:
    requests = int(rate * 10)
    return Outcome(
        requests=requests,
        stored=int(requests * stored),
        seconds=10.0,
        busy=busy,
        p50=p50,
        p99=p99,
        statuses={"201": requests},
    )


def found(figures: list[Figure], what: str) -> Figure:
    [figure] = [figure for figure in figures if figure.what == what]
    return figure


def point(stored: int, *, singles: float, megabytes: float | None) -> growth.Point:
    return growth.Point(stored=stored, singles=singles, batches=0.4, reading=20.0, megabytes=megabytes)


def test_reports_are_compared_with_the_other_servers_round_by_round() -> None:
    rounds = [
        singles.Round(empty=outcome(empty), same_server=outcome(empty / 2), report=outcome(report), orm=outcome(orm))
        for empty, report, orm in ((1000, 1500, 100), (4000, 2000, 100), (1000, 1200, 400))
    ]
    figures = singles.figures(SQLITE, rounds, outcome(600))
    # Of 1.5, 0.5 and 1.2 the one in the middle; of 15, 20 and 3.
    ratio = found(figures, "SQLite: reports / Flask's 204s, alone")
    assert (round(ratio.value, 9), ratio.verdict) == (1.2, "ok")
    assert found(figures, "SQLite: its lowest of 3 rounds, alone").value == pytest.approx(0.5)
    # On the same server an empty response takes twice as long here.
    assert found(figures, "SQLite: reports / Flask's 204s, same server").value == pytest.approx(2.4)
    assert found(figures, "SQLite: group commit / ORM commits").value == pytest.approx(15)


def test_each_engine_has_its_own_goal() -> None:
    rounds = [singles.Round(empty=outcome(1000), same_server=outcome(500), report=outcome(1050), orm=outcome(100))]
    wanted = "reports / Flask's 204s, alone"
    verdicts = {
        engine: found(singles.figures(engine, rounds, outcome(500)), f"{engine}: {wanted}").verdict
        for engine in (SQLITE, POSTGRES)
    }
    assert verdicts == {SQLITE: "missed", POSTGRES: "ok"}


def test_the_slowest_hundredth_at_half_of_saturation_has_a_goal_in_milliseconds() -> None:
    rounds = [singles.Round(empty=outcome(1000), same_server=outcome(500), report=outcome(1000), orm=outcome(100))]
    p99 = "SQLite: at half of it, p99"
    assert found(singles.figures(SQLITE, rounds, outcome(500, p99=0.049)), p99).verdict == "ok"
    assert found(singles.figures(SQLITE, rounds, outcome(500, p99=0.051)), p99).verdict == "missed"


def test_a_batch_is_compared_by_the_reports_that_were_stored() -> None:
    rounds = [
        batches.Round(
            raw=100_000.0,
            copied=200_000.0,
            thousand=outcome(40, stored=1000),
            compressed=outcome(30, stored=1000),
            hundred=outcome(200, stored=100),
        )
    ]
    figures = batches.figures(POSTGRES, rounds)
    assert [figure.value for figure in figures[:3]] == pytest.approx([0.4, 0.3, 0.2])
    assert [figure.verdict for figure in figures[:3]] == ["ok", "", ""]
    assert found(figures, "PostgreSQL: batches of 1,000 / COPY").value == pytest.approx(0.2)


def test_growth_is_the_cost_at_the_last_size_by_that_at_the_first() -> None:
    points = [point(10_000, singles=1.2, megabytes=100), point(1_000_000, singles=0.6, megabytes=105)]
    figures = growth.figures(SQLITE, points)
    assert found(figures, "SQLite: cost of a report, n = 1,000,000 / n = 10,000").value == pytest.approx(2.0)
    assert found(figures, "SQLite: of one in a batch, n = 1,000,000 / n = 10,000").value == pytest.approx(1.0)
    memory = found(figures, "SQLite: memory, n = 1,000,000 / n = 10,000")
    assert (round(memory.value, 9), memory.verdict) == (1.05, "ok")
    assert found(figures, "SQLite, n = 10,000: memory").unit == "MB"


def test_where_the_system_does_not_tell_the_memory_there_is_no_figure_of_it() -> None:
    points = [point(10_000, singles=1.2, megabytes=None), point(1_000_000, singles=0.6, megabytes=None)]
    assert not any("memory" in figure.what for figure in growth.figures(SQLITE, points))


def test_a_quick_run_announces_fewer_steps_and_smaller_sizes() -> None:
    assert ingest.BENCHMARK.steps(Effort.QUICK) < ingest.BENCHMARK.steps(Effort.FULL)
    assert growth.sizes(Effort.FULL) == [10_000, 100_000, 1_000_000]
    assert max(growth.sizes(Effort.QUICK)) < 100_000
