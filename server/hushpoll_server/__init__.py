"""Collect, store, estimate, plan and show. This file imports nothing: a light install can find out what it lacks."""
