"""What was written about each attack first, as its page lists it; docs/lab/ has the full list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_FOUNDATIONS: Final = "C. Dwork, A. Roth (2014). The Algorithmic Foundations of Differential Privacy."
_WARNER: Final = "S. L. Warner (1965). Randomized response. Journal of the American Statistical Association 60."

REFERENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "differencing": (
        "D. E. Denning, P. J. Denning, M. D. Schwartz (1979). The tracker. ACM Transactions on Database Systems 4.",
        _FOUNDATIONS,
    ),
    "averaging": (
        "D. E. Denning (1980). Secure statistical databases with random sample queries. ACM TODS 5.",
        "C. Dwork, F. McSherry, K. Nissim, A. Smith (2006). Calibrating noise to sensitivity. TCC.",
    ),
    "reconstruction": (
        "I. Dinur, K. Nissim (2003). Revealing information while preserving privacy. PODS.",
        "C. Dwork, F. McSherry, K. Talwar (2007). The price of privacy and the limits of LP decoding. STOC.",
        _FOUNDATIONS,
    ),
    "linkage": (
        "L. Sweeney (2002). k-anonymity: a model for protecting privacy. IJUFKS 10.",
        "S. R. Ganta, S. P. Kasiviswanathan, A. Smith (2008). Composition attacks and auxiliary information. KDD.",
    ),
    "membership": (
        "N. Homer and others (2008). Resolving individuals in highly complex mixtures of DNA. PLoS Genetics 4.",
        "C. Dwork, A. Smith, T. Steinke, J. Ullman, S. Vadhan (2015). Robust traceability from trace amounts. FOCS.",
    ),
    "auxiliary": (
        "C. Dwork (2006). Differential privacy. ICALP.",
        "C. Dwork, M. Naor (2010). On the difficulties of disclosure prevention in statistical databases. JPC 2.",
    ),
    "other-side": (_WARNER, _FOUNDATIONS),
    "own-reports": (
        _WARNER,
        "A. Evfimievski, J. Gehrke, R. Srikant (2003). Limiting privacy breaches. PODS.",
    ),
    "comparison": (
        "V. Feldman, A. McMillan, K. Talwar (2021). Hiding among the clones. FOCS.",
        "B. Balle, J. Bell, A. Gascón, K. Nissim (2019). The privacy blanket of the shuffle model. CRYPTO.",
    ),
}
