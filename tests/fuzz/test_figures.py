"""The long form of two walks: surveys with nasty names, and figures from few reports at extreme levels."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.estimate.test_every_figure import wander
from tests.server.test_nasty_names import opened


@pytest.mark.slow
def test_few_reports_and_extreme_levels_never_make_a_figure_that_is_no_number_in_a_long_walk() -> None:
    wander(2026, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_a_published_survey_with_nasty_names_can_always_be_opened_in_a_long_walk(tmp_path: Path, seed: int) -> None:
    opened(tmp_path, seed)
