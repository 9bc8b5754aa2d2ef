"""Classical designs beyond two probabilities: two samples, a matrix of one's own, and how good a design is."""
