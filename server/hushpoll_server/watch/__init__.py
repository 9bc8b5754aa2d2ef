"""What an operator can see of a running server: figures, the API's description, log lines. Never a person."""
