"""What is done to protect a table today, and what this project does instead.

Each module is one defence. The names below are those of the tables and verdicts.
"""

NAMES_REMOVED = "names removed"
K_ANONYMITY = "k-anonymity"
BOUNDED_NOISE = "bounded noise"
CALIBRATED_NOISE = "calibrated noise with a budget"
LOCAL = "local randomization"

DEFENCES = (NAMES_REMOVED, K_ANONYMITY, BOUNDED_NOISE, CALIBRATED_NOISE, LOCAL)
