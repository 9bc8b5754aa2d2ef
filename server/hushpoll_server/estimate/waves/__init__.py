"""Waves: how a share changes between waves of a panel, and its trend over many."""
