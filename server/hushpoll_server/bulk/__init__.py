"""Many reports at once, with NumPy: counting what was received, and randomizing for studies."""
