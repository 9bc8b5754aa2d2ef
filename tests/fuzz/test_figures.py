"""The long form of two walks: surveys with nasty names, and figures from few reports at extreme levels."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.estimate.test_every_figure import wander
from tests.server.test_nasty_names import opened


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2026, 2036))
def test_few_reports_and_extreme_levels_never_make_a_figure_that_is_no_number_in_a_long_walk(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = wander(seed, 100)
    with capsys.disabled():
        print(f"\n100 surveys of every design from few reports, {figures:,} figures, none of them NaN or infinite")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_a_published_survey_with_nasty_names_can_always_be_opened_in_a_long_walk(tmp_path: Path, seed: int) -> None:
    opened(tmp_path, seed)
