"""hushpoll posterior: a share, a difference, thresholds, priors, and wrong calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

Command = Callable[..., Result]
Ask = Callable[..., Any]

POSTERIOR = ("posterior", "--design", "warner", "--odds", "3:1")


def test_a_share_has_its_figures_and_the_thresholds_asked_for(ask: Ask, hushpoll: Command) -> None:
    found = ask(*POSTERIOR, "--yes", "400", "--n", "1000", "--above", "1/4", "--above", "0.3")
    # 400 of 1,000: computed by an exact sum of Beta laws in tests/server/estimate/bayes for smaller n
    assert found["mean"] == pytest.approx(0.2994708268, abs=1e-9)
    assert [each["threshold"] for each in found["above"]] == [0.25, 0.3]
    assert found["prior"] == {"a": 0.5, "b": 0.5}
    assert found["highest_density"]["low"] < found["low"] < found["median"]
    shown = hushpoll(*POSTERIOR, "--yes", "400", "--n", "1000", "--above", "1/4").stdout
    assert "share: mean 29.95%  sd 3.10%" in shown
    assert "P(share > 1/4) = 0.945288" in shown


def test_two_counts_are_a_difference(ask: Ask, hushpoll: Command) -> None:
    words = (*POSTERIOR, "--yes", "400,350", "--n", "1000,1000", "--prior", "uniform", "--above", "-0.1")
    found = ask(*words)
    assert found["difference"]["first_is_larger"] == pytest.approx(0.98951767, abs=1e-8)
    assert found["first"]["mean"] - found["second"]["mean"] == pytest.approx(found["difference"]["mean"])
    assert found["above"][0]["probability"] > 0.999
    assert "P(difference > -0.1) = " in hushpoll(*words).stdout


def test_no_reports_give_the_prior_and_a_warning(ask: Ask, hushpoll: Command) -> None:
    found = ask(*POSTERIOR, "--yes", "0", "--n", "0", "--prior", "2,5")
    assert found["mean"] == pytest.approx(2 / 7)
    assert "warning: No reports yet" in hushpoll(*POSTERIOR, "--yes", "0", "--n", "0").stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--yes", "1,2,3", "--n", "3,3,3"), "two with a comma"),
        (("--yes", "1", "--n", "3,3"), "two with a comma"),
        (("--yes", "4", "--n", "3"), "not between 0 and n = 3"),
        (("--yes", "1", "--n", "3", "--prior", "1"), "two weights"),
        (("--yes", "1", "--n", "3", "--prior", "0,0"), "jeffreys"),
        (("--yes", "1", "--n", "3", "--prior", "a,b"), "--prior"),
        (("--yes", "1", "--n", "3", "--above", "nan"), "--above"),
    ],
)
def test_a_wrong_call_is_refused(hushpoll: Command, words: tuple[str, ...], says: str) -> None:
    result = hushpoll(*POSTERIOR, *words)
    assert result.exit_code == 2
    assert says.lower() in result.stderr.lower()
