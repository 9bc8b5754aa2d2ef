"""Regression with a randomized outcome."""
