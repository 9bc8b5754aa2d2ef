"""Groups of people: differences and ratios between them, and tests of many at once."""
