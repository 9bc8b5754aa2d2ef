"""The files that a survey is handed over in: figures, tests, randomized reports, a codebook, scripts that check them.

Everything here is a pure function of a manifest, counters and reports, so a command and a page can offer the same file.
"""
