"""Gateways: programs that may send many reports in one call."""
