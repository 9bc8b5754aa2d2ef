"""What respondents see: the form and the public privacy label."""
