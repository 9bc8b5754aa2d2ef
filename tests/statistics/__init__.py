"""Simulated surveys: whether the estimates are as good as they claim."""
