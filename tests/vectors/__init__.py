"""The vectors that Python and JavaScript share: one generator writes them all, `python -m tests.vectors`."""
