"""Simulated surveys: what the estimates promise against what they keep."""
