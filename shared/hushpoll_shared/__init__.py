"""What both sides of Hushpoll must agree on, and nothing else.

Designs (the exact probabilities of every mechanism), manifests, reports and problem types. Standard library
and `cryptography` only. The JavaScript client implements the same ideas; `shared/vectors/` holds both to one truth.
"""
