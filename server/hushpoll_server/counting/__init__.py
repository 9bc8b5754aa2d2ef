"""From draws to counters, for all questions of a survey: no database, no web."""
