"""One module for each mechanism: designs to try, its law written down independently, its vectors, its tests."""
