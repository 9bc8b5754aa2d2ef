"""Noise without floating point: the discrete Laplace law and a noisy choice, drawn exactly."""
