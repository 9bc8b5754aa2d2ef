"""`hushpoll bench mechanisms`: what is compared with what, and the notes where nothing can be compared."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from bench import mechanisms, rivals
from bench.results import Effort
from bench.rivals import K_ARY, SETS, Way


class Watcher:
    """A watcher that keeps what a benchmark tells it."""

    def __init__(self) -> None:
        self.steps, self.notes = 0, list[str]()

    def step(self, what: str) -> None:
        self.steps += 1

    def note(self, text: str) -> None:
        self.notes.append(text)


def way(family: str, library: str) -> Way:
    return Way(family, library, "draw, count", lambda codes: codes, lambda reports: reports)


def test_the_ratio_is_to_the_fastest_other_of_the_family_round_by_round() -> None:
    ways = way(K_ARY, mechanisms.US), way(K_ARY, "slow"), way(K_ARY, "fast"), way(SETS, "fast")
    rounds = [
        {("randomizing", its): speed for its, speed in zip(ways, speeds, strict=True)}
        for speeds in ((90.0, 1.0, 2.0, 9.0), (80.0, 1.0, 4.0, 9.0), (50.0, 1.0, 2.0, 9.0))
    ]
    ratio, *speeds = mechanisms.figures(rounds)
    # Of 45, 20 and 25 the one in the middle.
    assert (ratio.what, ratio.value, ratio.verdict) == ("k-ary RR, randomizing: / the fastest library", 25.0, "missed")
    assert [speed.value for speed in speeds] == [80.0, 1.0, 2.0, 9.0]


def test_without_the_libraries_there_are_figures_and_a_note_how_to_get_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pure_ldp", "multi_freq_ldpy"):
        monkeypatch.setitem(sys.modules, name, None)
    watcher = Watcher()
    figures = mechanisms.BENCHMARK.measure(Effort.QUICK, watcher)
    assert [figure.unit for figure in figures] == ["/s"] * 5
    assert len(watcher.notes) == 2
    assert all(rivals.INSTALL in note for note in watcher.notes)
    assert watcher.steps == mechanisms.BENCHMARK.steps(Effort.QUICK)


def test_an_installed_library_is_measured_in_the_same_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pure_ldp", None)
    oracles = "multi_freq_ldpy.pure_frequency_oracles"
    for name in ("multi_freq_ldpy", oracles):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for name in ("GRR", "UE", "SS"):
        module = ModuleType(name)
        setattr(module, f"{name}_Client", lambda code, size, epsilon: code)
        setattr(module, f"{name}_Aggregator_MI", lambda reports, *_: len(reports))
        monkeypatch.setitem(sys.modules, f"{oracles}.{name}", module)
    watcher = Watcher()
    figures = mechanisms.BENCHMARK.measure(Effort.QUICK, watcher)
    assert [figure.goal.limit for figure in figures if figure.unit == "×" and figure.goal] == [30, 20, 60, 15]
    assert watcher.steps == mechanisms.BENCHMARK.steps(Effort.QUICK)


def test_what_is_measured_estimates_the_shares() -> None:
    codes = np.repeat(np.arange(4, dtype=np.uint8), 100_000)
    for ours in mechanisms.our_ways():
        shares = np.asarray(ours.aggregate(ours.randomize(codes)))
        # With n = 400,000 and p − q = .013 a standard error of k-ary RR is .0126: eight of them.
        assert np.abs(shares - np.repeat([0.25, 0.0], [4, 124])).max() < 0.1
