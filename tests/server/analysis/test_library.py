"""The analysis library is a product: a pinned interface that runs without a web framework and a database."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.server.analysis.environment import make_environment
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server import analysis
from hushpoll_server.compile.definition import compile_survey
from hushpoll_shared.signing import SigningKey, sign

DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "analysis.md"
EXAMPLE = DOCS / "examples" / "campus-integrity.yaml"

RUN_PAGE = """
import doctest, pathlib, re, sys
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = "".join(re.findall(r"^```pycon\\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
examples = doctest.DocTestParser().get_doctest(blocks, {}, "analysis.md", "analysis.md", 0)
ran = doctest.DocTestRunner(verbose=False).run(examples)
print(ran.attempted, "examples")
sys.exit(bool(ran.failed))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(tmp_path_factory.mktemp("analysis"), "analysis")


def write_survey(folder: Path) -> None:
    """Write the manifest and the 1,000 reports of docs/data-flow.md."""
    manifest = compile_survey(EXAMPLE.read_text(encoding="utf-8"), EXAMPLE.name).manifest
    (folder / "campus-integrity.json").write_bytes(sign(manifest, SigningKey.generate()))
    survey, others = Survey(manifest), FixedTestStream("the others")
    reports = [survey.randomize({"cheated": True, "helped": False}, source=FixedTestStream("one answer"))]
    truths = ({"cheated": number < 299, "helped": number < 550} for number in range(999))
    reports += [survey.randomize(truth, source=others) for truth in truths]
    (folder / "reports.ndjson").write_bytes(b"".join(report.encode() + b"\n" for report in reports))


def test_its_page_runs_with_nothing_but_the_extra_analysis(python: Path, tmp_path: Path) -> None:
    write_survey(tmp_path)
    ran = subprocess.run(
        [python, "-I", "-W", "error", "-c", RUN_PAGE, PAGE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert int(ran.stdout.split()[0]) > 10


@pytest.mark.parametrize("missing", ["flask", "sqlmodel", "sqlalchemy", "pydantic", "rich", "jinja2"])
def test_the_environment_really_lacks_what_a_server_needs(python: Path, missing: str) -> None:
    ran = subprocess.run([python, "-I", "-c", f"import {missing}"], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in ran.stderr


def test_the_surface_is_exactly_these_names() -> None:
    assert analysis.__all__ == [
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


def test_every_name_of_the_surface_is_on_its_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in analysis.__all__ if not re.search(rf"`[^`]*\b{name}\b[^`]*`", page)] == []
