"""Researchers: who may look at the estimates, and how they prove it."""
