"""What both sides of Hushpoll must agree on, and nothing else.

Designs (the exact probabilities of every mechanism), manifests, reports and problem types. It depends on the standard
library and `cryptography` only. The JavaScript client implements the same; the test vectors in `shared/vectors/` check
that the two agree.
"""
