"""Surveys: their definition by a researcher, their publication, their life."""
