"""Tests on estimates with a known covariance matrix: independence of two questions, equal means in all groups.

Both ask whether some differences of products g(f), which are 0 under the hypothesis, are 0. With the covariances V of
g(f̂) for one report by the delta method, W = n gᵀV⁻¹g follows the law of χ². The statistic here is W/(1 + W/n): it
measures the spread of the reports around 0 instead of around g, and rejects less often when there are few. No division
by a share is involved, so rare groups do no harm. The rule here: where the matrix cannot be inverted there is no test.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.indicators import TableMoments
from hushpoll_server.estimate.tables.joint_shares import JointShares

# With fewer reports for each degree of freedom the estimated matrix is not trusted.
FEWEST_REPORTS = 10
# A smaller variance, as a part of the largest one, is that of rounding.
_LEAST_PART = 1e-10


def independence_of(table: JointShares) -> Independence:
    """Test whether two questions are independent; a level of a third one may be given, as its shares need not add to 1.

    g_ij = f_ij f.. - f_i. f._j for all rows and columns but the last.
    """
    f = table.shares
    rows, columns = f.shape
    total, row, column = f.sum(), f.sum(axis=1), f.sum(axis=0)
    gaps = (f * total - np.outer(row, column))[:-1, :-1].ravel()
    # ∂g_ij/∂f_kl = f..[k=i][l=j] + f_ij - [k=i] f._j - f_i. [l=j]
    same_row, same_column = np.eye(rows)[:-1], np.eye(columns)[:-1]
    gradient = (
        total * np.einsum("ik,jl->ijkl", same_row, same_column)
        + f[:-1, :-1, np.newaxis, np.newaxis]
        - np.einsum("ik,j,l->ijkl", same_row, column[:-1], np.ones(columns))
        - np.einsum("i,k,jl->ijkl", row[:-1], np.ones(rows), same_column)
    ).reshape(gaps.size, f.size)
    return _test(gaps, gradient, table.moments - np.outer(f.ravel(), f.ravel()), table.n)


def equal_means(moments: TableMoments) -> Independence:
    """Test whether a number has the same mean in all groups; the columns are whether there is one, and its value."""
    people, numbers = moments.means.T
    flat = moments.means.ravel()
    gaps = (numbers * people.sum() - people * numbers.sum())[:-1]
    # ∂g_i/∂b_k = t_i - [k=i] t.        ∂g_i/∂t_k = b.[k=i] - b_i
    own = np.eye(len(people))[:-1]
    gradient = np.stack(
        (numbers[:-1, np.newaxis] - own * numbers.sum(), own * people.sum() - people[:-1, np.newaxis]), axis=2
    ).reshape(gaps.size, flat.size)
    return _test(gaps, gradient, moments.moments - np.outer(flat, flat), moments.n)


def _test(gaps: Figures, gradient: Figures, unit_covariances: Figures, n: int) -> Independence:
    degrees = gaps.size
    if n < FEWEST_REPORTS * degrees:
        raise EstimateError(f"a test of {degrees} differences needs {FEWEST_REPORTS * degrees:,} reports: collect more")
    matrix = gradient @ unit_covariances @ gradient.T
    scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    if not (scale > _LEAST_PART * np.abs(gradient).max() ** 2).all():
        raise EstimateError("some answers are too rare for a test: collect more reports")
    try:
        root = linalg.cholesky(matrix / np.outer(scale, scale) + _LEAST_PART * np.eye(degrees), lower=True)
    except linalg.LinAlgError:
        raise EstimateError("some answers are too rare for a test: collect more reports") from None
    whitened = linalg.solve_triangular(root, gaps / scale, lower=True)
    wald = n * float(whitened @ whitened)
    statistic = wald / (1 + wald / n)
    return Independence(statistic=statistic, degrees=degrees, p_value=float(special.chdtrc(degrees, statistic)))
