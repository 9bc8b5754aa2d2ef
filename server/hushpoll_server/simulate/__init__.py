"""People who do not exist: a population with known answers, and respondents who send real reports."""
