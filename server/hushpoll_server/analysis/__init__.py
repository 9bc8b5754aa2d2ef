"""The analysis library: from a signed manifest and its reports to figures, in a notebook or a script.

It needs NumPy and SciPy (`pip install 'hushpoll[analysis]'`), no web framework and no database. What is listed here is
its whole public interface; docs/analysis.md explains it. Everything else in this package may change.
"""

from hushpoll_server.analysis.comparison import GroupDifference, GroupFigures, QuestionComparison, compare_by_group
from hushpoll_server.analysis.files import read_manifest, read_reports
from hushpoll_server.analysis.groups import GroupWithheld
from hushpoll_server.analysis.imputation import Imputation, impute
from hushpoll_server.analysis.quantiles import analyse_quantiles
from hushpoll_server.analysis.regression import regress_survey
from hushpoll_server.analysis.survey import Analysis, analyse
from hushpoll_server.analysis.tables import cross_table
from hushpoll_server.analysis.weighting import weigh_survey
from hushpoll_server.estimate.bayes.posterior import (
    JEFFREYS,
    UNIFORM,
    Posterior,
    PosteriorDifference,
    Prior,
    posterior_difference,
    posterior_share,
)
from hushpoll_server.estimate.classical.cheating import CheatingResult, estimate_cheating
from hushpoll_server.estimate.classical.efficiency import efficiency
from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.classical.matrix_shares import MatrixResult, estimate_matrix
from hushpoll_server.estimate.classical.two_samples import TwoSampleResult
from hushpoll_server.estimate.classical.unknown_prevalence import estimate_unrelated
from hushpoll_server.estimate.combine import Combined, draws, interval, total
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.comparison import Comparison, Difference, Group, compare_groups
from hushpoll_server.estimate.groups.differences import difference, difference_between
from hushpoll_server.estimate.groups.group_means import GroupMean, GroupMeans, group_means
from hushpoll_server.estimate.groups.mean_differences import difference_of_means
from hushpoll_server.estimate.groups.multiple_tests import adjusted
from hushpoll_server.estimate.groups.private import PrivateGroups, RowPercentage, private_groups
from hushpoll_server.estimate.groups.row_ratios import RowDifference, RowFigure
from hushpoll_server.estimate.imputation.rubin import Rubin, rubin
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.numbers.distribution import Below, Bin, DistributionResult, Quantile
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import Mean, MeanResult
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.projection import likelihood_of_counts, likelihood_of_reports, simplex_projection
from hushpoll_server.estimate.quantiles.results import (
    AtMost,
    QuantileDifference,
    QuantilesResult,
    ScaleQuantile,
    quantile_difference,
)
from hushpoll_server.estimate.quantiles.scales import quantiles_of_scale
from hushpoll_server.estimate.regression.linear import LinearRegression, linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import (
    LinearOnRandomized,
    linear_regression_on_randomized,
)
from hushpoll_server.estimate.regression.logistic import LogisticRegression, likelihood_ratio_test, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import (
    LogisticOnRandomized,
    logistic_regression_on_randomized,
)
from hushpoll_server.estimate.regression.predictions import (
    Prediction,
    adjusted_shares,
    average_effects,
    predicted_share,
)
from hushpoll_server.estimate.regression.results import Coefficient, HypothesisTest, wald_test
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.shares import estimate_shares, estimate_yes_no
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.estimate.tables.crosstab import Crosstab, estimate_crosstab
from hushpoll_server.estimate.tables.crosstable import CrossTable, Independence
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio
from hushpoll_server.estimate.tables.sides import Side
from hushpoll_server.estimate.tables.three_way import ThreeWay, WithinLevel, three_way
from hushpoll_server.estimate.tables.two_way import two_way
from hushpoll_server.estimate.waves.follow import Change, Wave, WavesResult, follow_linked, follow_waves
from hushpoll_server.estimate.waves.panel import Panel
from hushpoll_server.estimate.waves.trend import Trend, TrendPoint
from hushpoll_server.estimate.weighting.mean import WeightedMean, weighted_mean
from hushpoll_server.estimate.weighting.pooling import Pooled, PooledPart, pool
from hushpoll_server.estimate.weighting.poststrata import Poststratified, Stratum, poststratify
from hushpoll_server.estimate.weighting.raked_share import raked_share
from hushpoll_server.estimate.weighting.raking import Raked, rake
from hushpoll_server.estimate.weighting.results import Weighted, WeightedCell
from hushpoll_server.estimate.weighting.shares import WeightClass, shares_of_classes, weighted_share, weighted_shares
from hushpoll_server.estimate.yes_no_designs import (
    YesNoDesign,
    crosswise,
    estimate_design,
    forced,
    kuk,
    mangat,
    triangular,
    unrelated,
)

__all__ = [
    "JEFFREYS",
    "NAMES_ONE",
    "UNIFORM",
    "Analysis",
    "AtMost",
    "Band",
    "Below",
    "Bin",
    "Cell",
    "Change",
    "CheatingResult",
    "Coefficient",
    "Combined",
    "Comparison",
    "CrossResult",
    "CrossTable",
    "Crosstab",
    "Difference",
    "DistributionResult",
    "EstimateError",
    "Group",
    "GroupDifference",
    "GroupFigures",
    "GroupMean",
    "GroupMeans",
    "GroupWithheld",
    "HypothesisTest",
    "Imputation",
    "Independence",
    "Interval",
    "JointShares",
    "LinearOnRandomized",
    "LinearRegression",
    "LogisticOnRandomized",
    "LogisticRegression",
    "MatrixDesign",
    "MatrixResult",
    "Mean",
    "MeanOfSomeResult",
    "MeanResult",
    "OddsRatio",
    "Options",
    "Panel",
    "Pooled",
    "PooledPart",
    "Posterior",
    "PosteriorDifference",
    "Poststratified",
    "Prediction",
    "Prior",
    "PrivateGroups",
    "Quantile",
    "QuantileDifference",
    "QuantilesResult",
    "QuestionComparison",
    "Raked",
    "Result",
    "RowDifference",
    "RowFigure",
    "RowPercentage",
    "Rubin",
    "ScaleQuantile",
    "Side",
    "Stratum",
    "SupportDesign",
    "TableMoments",
    "ThreeWay",
    "Trend",
    "TrendPoint",
    "TwoSampleResult",
    "Wave",
    "WavesResult",
    "WeightClass",
    "Weighted",
    "WeightedCell",
    "WeightedMean",
    "WithinLevel",
    "YesNoDesign",
    "adjusted",
    "adjusted_shares",
    "analyse",
    "analyse_quantiles",
    "average_effects",
    "cell_values",
    "compare_by_group",
    "compare_groups",
    "cross_table",
    "crosswise",
    "difference",
    "difference_between",
    "difference_of_means",
    "draws",
    "efficiency",
    "estimate_cheating",
    "estimate_crosstab",
    "estimate_design",
    "estimate_matrix",
    "estimate_shares",
    "estimate_unrelated",
    "estimate_yes_no",
    "follow_linked",
    "follow_waves",
    "forced",
    "group_means",
    "impute",
    "interval",
    "kuk",
    "likelihood_of_counts",
    "likelihood_of_reports",
    "likelihood_ratio_test",
    "linear_regression",
    "linear_regression_on_randomized",
    "logistic_regression",
    "logistic_regression_on_randomized",
    "mangat",
    "pool",
    "posterior_difference",
    "posterior_share",
    "poststratify",
    "predicted_share",
    "private_groups",
    "quantile_difference",
    "quantiles_of_scale",
    "rake",
    "raked_share",
    "read_manifest",
    "read_reports",
    "regress_survey",
    "rubin",
    "shares_of_classes",
    "simplex_projection",
    "three_way",
    "total",
    "triangular",
    "two_way",
    "unrelated",
    "wald_test",
    "weigh_survey",
    "weighted_mean",
    "weighted_share",
    "weighted_shares",
]
