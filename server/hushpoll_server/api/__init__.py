"""The description of the HTTP API for programs."""
