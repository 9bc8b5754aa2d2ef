"""The dashboard: the estimates of a survey as text, table, chart and JSON."""
