"""The closed forms that the channel is compared with."""

from __future__ import annotations

import pytest

from hushpoll_server.mechanisms import closed_forms

# Epsilon, then the worst variances of mechanisms.md: Duchi, Piecewise, Hybrid.
TABLE = [
    (0.5, 16.67079, 21.22257, 16.67079),
    (1, 4.68269, 5.22360, 4.28899),
    (2, 1.72406, 1.22756, 1.04234),
    (4, 1.07602, 0.24135, 0.21898),
]


@pytest.mark.parametrize(("epsilon", "duchi", "piecewise", "hybrid"), TABLE)
def test_closed_forms_give_the_values_of_the_table(
    epsilon: float, duchi: float, piecewise: float, hybrid: float
) -> None:
    assert closed_forms.duchi_variance(epsilon) == pytest.approx(duchi, abs=1e-5)
    assert closed_forms.piecewise_variance(epsilon) == pytest.approx(piecewise, abs=1e-5)
    assert closed_forms.hybrid_variance(epsilon) == pytest.approx(hybrid, abs=1e-5)
