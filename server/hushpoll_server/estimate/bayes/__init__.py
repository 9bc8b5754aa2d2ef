"""What a prior and the reports say together: the posterior of a share, and of a difference of two."""
