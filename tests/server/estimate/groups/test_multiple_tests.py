"""Many tests at once."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.multiple_tests import adjusted


def test_holm_is_the_step_down_of_bonferroni() -> None:
    # sorted: .005·4, .01·3, .03·2, .04·1, then never falling
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_is_scipys() -> None:
    p_values = np.random.default_rng(1).random(40) ** 2
    assert adjusted(p_values, "benjamini-hochberg") == pytest.approx(stats.false_discovery_control(p_values))


def test_holm_keeps_false_alarms_of_the_family_below_the_level() -> None:
    # Seeded: 5,000 families of ten true hypotheses; the rate is known to .3 points.
    families = np.random.default_rng(2).random((5_000, 10))
    alarms = np.mean([adjusted(family).min() <= 0.05 for family in families])
    assert alarms == pytest.approx(1 - 0.995**10, abs=0.01)


def test_adjusted_values_stay_values() -> None:
    assert adjusted([0.9, 1.0, 0.8]).max() <= 1
    assert adjusted([]).size == 0


@pytest.mark.parametrize(("values", "method"), [([1.2], "holm"), ([float("nan")], "holm"), ([0.1], "bonferroni")])
def test_what_is_no_p_value_or_no_adjustment_is_refused(values: list[float], method: str) -> None:
    with pytest.raises(EstimateError):
        adjusted(values, method)
