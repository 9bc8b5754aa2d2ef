"""Estimate true shares from randomized reports: numbers in, frozen results out.

>>> from fractions import Fraction
>>> design = SupportDesign(p=Fraction(3, 4), q=Fraction(1, 4))
>>> yes = estimate_yes_no(400, 1000, design, epsilon=1.0986).cells[0]
>>> round(yes.estimate, 3), round(yes.low, 3), round(yes.high, 3)
(0.3, 0.24, 0.361)
"""

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import METHODS, Interval, Method, choose_method
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.shares import estimate_yes_no, share_interval
from hushpoll_server.estimate.support import SupportDesign, Tally

__all__ = [
    "METHODS",
    "Cell",
    "EstimateError",
    "Interval",
    "Method",
    "Result",
    "SupportDesign",
    "Tally",
    "choose_method",
    "estimate_yes_no",
    "share_interval",
]
