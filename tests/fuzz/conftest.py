"""Properties are proved for some hundred inputs in every test run; `make fuzz` tries many more and prints a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

QUICK, LONG = 150, 5_000
LONG_FORM = [pytest.mark.slow, pytest.mark.timeout(3600)]
# Real inputs are large, and an example may begin with a transaction.
UNCHECKED = [HealthCheck.too_slow, HealthCheck.data_too_large]

# Hypothesis makes every choice itself, so that it can look for the smallest input that fails.
randoms = st.randoms(use_true_random=False)

_FIGURES = "fuzz"


class Figures(Protocol):
    """Add a row to the table."""

    def __call__(self, what: str, inputs: int, **others: object) -> None: ...


class Prove(Protocol):
    """Search for an input that breaks a property."""

    def __call__(
        self, holds: Callable[..., None], *, quick: int = QUICK, long: int = LONG, **inputs: SearchStrategy[Any]
    ) -> None: ...


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    def record(what: str, inputs: int, **others: object) -> None:
        record_property(_FIGURES, (what, inputs, ", ".join(f"{name} {value}" for name, value in others.items())))

    return record


@pytest.fixture(params=["quick", pytest.param("long", marks=LONG_FORM)])
def prove(request: pytest.FixtureRequest, figures: Figures) -> Prove:
    """Prove by Hypothesis, with the same inputs in every run."""

    def prove(
        holds: Callable[..., None], *, quick: int = QUICK, long: int = LONG, **inputs: SearchStrategy[Any]
    ) -> None:
        examples = quick if request.param == "quick" else long
        with_settings = settings(
            max_examples=examples, derandomize=True, database=None, deadline=None, suppress_health_check=UNCHECKED
        )
        with_settings(given(**inputs)(holds))()
        name = request.node.originalname.removeprefix("test_").replace("_", " ")
        figures(f"Hypothesis: {name}", examples)

    return prove


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the table of what was tried."""
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    rows = [row for report in reports for name, row in report.user_properties if name == _FIGURES]
    if not rows or terminalreporter.config.getoption("markexpr") != "slow":
        return
    terminalreporter.section("inputs tried")
    for what, inputs, others in sorted(rows):
        terminalreporter.write_line(f"{inputs:>11,}  {what}{f': {others}' if others else ''}")
    terminalreporter.write_line(f"{sum(inputs for _, inputs, _ in rows):>11,}  in all")
