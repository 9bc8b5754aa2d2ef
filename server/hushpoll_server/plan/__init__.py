"""Plan a survey: the best designs and what they cost. Numbers in, frozen values out; no web, no database."""
