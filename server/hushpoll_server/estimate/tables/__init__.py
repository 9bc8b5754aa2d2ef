"""Cross tables: two questions asked as one or separately, with limits, tests and odds ratios."""
