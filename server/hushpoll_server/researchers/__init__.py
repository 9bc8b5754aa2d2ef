"""Researchers: who may see the estimates, and how they prove who they are."""
