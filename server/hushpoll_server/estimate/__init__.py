"""Estimate true shares from randomized reports: numbers in, frozen results out.

>>> from fractions import Fraction
>>> design = SupportDesign(p=Fraction(3, 4), q=Fraction(1, 4))
>>> yes = estimate_yes_no(400, 1000, design, epsilon=1.0986).cells[0]
>>> round(yes.estimate, 3), round(yes.low, 3), round(yes.high, 3)
(0.3, 0.24, 0.361)
"""

from hushpoll_server.estimate.apart import Apart, Side
from hushpoll_server.estimate.band import Band, manipulation_band
from hushpoll_server.estimate.combine import Combined, difference, difference_between, draws, interval, total
from hushpoll_server.estimate.cross_results import CrossResult, estimate_cross
from hushpoll_server.estimate.crosstable import CrossTable, Independence
from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL, EstimateError
from hushpoll_server.estimate.intervals import METHODS, Interval, Limits, Method, choose_method
from hushpoll_server.estimate.joint import joint_of
from hushpoll_server.estimate.results import COVERAGES, Cell, Coverage, Result
from hushpoll_server.estimate.several import adjusted
from hushpoll_server.estimate.shares import estimate_shares, estimate_yes_no, share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.tidy import likelihood_of_counts, likelihood_of_reports, simplex_projection

__all__ = [
    "COVERAGES",
    "LARGEST_LEVEL",
    "LEAST_LEVEL",
    "METHODS",
    "Apart",
    "Band",
    "Cell",
    "Combined",
    "Coverage",
    "CrossResult",
    "CrossTable",
    "EstimateError",
    "Independence",
    "Interval",
    "Limits",
    "Method",
    "Result",
    "Side",
    "SupportDesign",
    "Tally",
    "adjusted",
    "choose_method",
    "difference",
    "difference_between",
    "draws",
    "estimate_cross",
    "estimate_shares",
    "estimate_yes_no",
    "interval",
    "joint_of",
    "likelihood_of_counts",
    "likelihood_of_reports",
    "manipulation_band",
    "share_limits",
    "simplex_projection",
    "total",
]
