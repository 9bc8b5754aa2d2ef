"""Share a survey: links that open its figures for somebody without an account, and figures that are public."""
