"""The report for paper: what a survey asked, how its answers were randomized and estimated, and the figures."""
