"""Completed data sets: answers drawn from what the reports and their joint law make of them, and Rubin's rules."""
