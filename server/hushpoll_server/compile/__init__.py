"""Compiling a survey: from a researcher's YAML definition to a manifest."""
