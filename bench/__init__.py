"""Benchmarks: what Hushpoll costs, as ratios within one run. `hushpoll bench` runs them; no test fails on a time."""
