"""Weights, post-strata and raking for samples that differ from the population, and pooled designs of one question."""
