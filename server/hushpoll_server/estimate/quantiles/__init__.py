"""Quantiles: medians, shares at most a number and standard deviations, of scales and of numbers."""
