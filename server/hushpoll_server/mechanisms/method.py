"""How a mechanism is described in a paper: a sentence for its methods section, the parameters, and what to cite.

The rule here: every mechanism says it of itself, and the sentence has no numbers, so that questions with the same
mechanism share it; the numbers are the parameters of each question. The subject is the respondent's device.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Reference:
    """A publication: as it is cited in a text, and as it stands in a list."""

    cited: str
    entry: str


@dataclass(frozen=True, kw_only=True)
class Method:
    """What a methods section says of a question's mechanism."""

    sentence: str
    parameters: str
    references: tuple[Reference, ...]


WARNER = Reference(
    "Warner 1965",
    "Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias. Journal of the "
    "American Statistical Association 60, 63–69.",
)
KAIROUZ = Reference(
    "Kairouz et al. 2016",
    "Kairouz, P., Bonawitz, K., Ramage, D. (2016). Discrete distribution estimation under local privacy. Proceedings "
    "of ICML, 2436–2444.",
)
YE_BARG = Reference(
    "Ye and Barg 2018",
    "Ye, M., Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally differential privacy. "
    "IEEE Transactions on Information Theory 64, 5662–5676.",
)
FELDMAN = Reference(
    "Feldman et al. 2022",
    "Feldman, V., Nelson, J., Nguyen, H. L., Talwar, K. (2022). Private frequency estimation via projective geometry. "
    "Proceedings of ICML, 6418–6433.",
)
DUCHI = Reference(
    "Duchi et al. 2018",
    "Duchi, J. C., Jordan, M. I., Wainwright, M. J. (2018). Minimax optimal procedures for locally private estimation. "
    "Journal of the American Statistical Association 113, 182–201.",
)
PRIVSET = Reference(
    "Wang et al. 2018",
    "Wang, S., Huang, L., Nie, Y., Wang, P., Xu, H., Yang, W. (2018). PrivSet: set-valued data analyses with local "
    "differential privacy. IEEE INFOCOM, 1088–1096.",
)
SQUARE_WAVE = Reference(
    "Li et al. 2020",
    "Li, Z., Wang, T., Lopuhaä-Zwakenberg, M., Li, N., Škoric, B. (2020). Estimating numerical distributions under "
    "local differential privacy. Proceedings of SIGMOD, 621–635.",
)
LAPLACE = Reference(
    "Dwork et al. 2006",
    "Dwork, C., McSherry, F., Nissim, K., Smith, A. (2006). Calibrating noise to sensitivity in private data analysis. "
    "Theory of Cryptography Conference, 265–284.",
)
GHOSH = Reference(
    "Ghosh et al. 2012",
    "Ghosh, A., Roughgarden, T., Sundararajan, M. (2012). Universally utility-maximizing privacy mechanisms. SIAM "
    "Journal on Computing 41, 1673–1693.",
)
RAPPOR = Reference(
    "Erlingsson et al. 2014",
    "Erlingsson, Ú., Pihur, V., Korolova, A. (2014). RAPPOR: randomized aggregatable privacy-preserving ordinal "
    "response. Proceedings of CCS, 1054–1067.",
)


def chance(probability: Fraction) -> str:
    """Format a probability with four digits."""
    return f"{float(probability):.4g}"


def chances(p: Fraction, q: Fraction) -> str:
    """Format the two probabilities with which a report supports an answer."""
    return f"p = {chance(p)}, q = {chance(q)}"


def value(number: float) -> str:
    """Format the value of an output with four digits."""
    return f"{number:,.4g}".replace("-", "\N{MINUS SIGN}")
