"""How likely a test finds what is there, and how many people that takes."""
