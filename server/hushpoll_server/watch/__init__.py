"""What an operator can see of a running server: metrics and log lines, and never a person."""
