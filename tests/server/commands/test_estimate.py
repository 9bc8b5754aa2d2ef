"""hushpoll estimate: from counts, and from a file of reports."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from tests.samples.surveys import make_report

from hushpoll_server.analysis.files import read_reports
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import verify

Command = Callable[..., Result]
Ask = Callable[..., Any]

COUNTS = ("estimate", "--design", "warner", "--odds", "3:1", "--n", 1000)


@pytest.fixture
def manifest(manifest_file: Path) -> Manifest:
    return verify(manifest_file.read_bytes())


@pytest.fixture
def estimate(hushpoll: Command, manifest_file: Path, tmp_path: Path) -> Command:
    """Estimate from these lines of reports."""

    def call(*lines: bytes, end: bytes = b"\n") -> Result:
        (tmp_path / "reports.ndjson").write_bytes(b"\n".join(lines) + end)
        return hushpoll("estimate", "--manifest", manifest_file, "--reports", "reports.ndjson", "--json")

    return call


def test_the_figures_of_the_issue(ask: Ask) -> None:
    result = ask(*COUNTS, "--yes", 400)
    [cell] = result["cells"]
    assert (cell["name"], cell["count"], result["n"], result["level"]) == ("yes", 400, 1000, 0.95)
    assert (cell["estimate"], cell["tidy"]) == (pytest.approx(0.3), pytest.approx(0.3))
    assert f"{cell['se']:.6f}" == "0.030984"
    assert (f"{cell['low']:.6f}", f"{cell['high']:.6f}") == ("0.240150", "0.361381")
    assert (result["method"], result["warnings"]) == ("wilson", [])
    [exact] = ask(*COUNTS, "--yes", 400, "--method", "exact")["cells"]
    assert (f"{exact['low']:.6f}", f"{exact['high']:.6f}") == ("0.238938", "0.362243")


def test_impossible_counts_warn_and_are_not_clipped(ask: Ask, hushpoll: Command) -> None:
    result = ask(*COUNTS, "--yes", 200)
    [cell] = result["cells"]
    assert cell["estimate"] == pytest.approx(-0.1)
    assert cell["low"] < cell["high"] < 0
    assert cell["tidy"] == 0
    assert result["warnings"]
    assert "warning: " in hushpoll(*COUNTS, "--yes", 200).stdout


@pytest.mark.parametrize(
    "parameter", [("--odds", "3:1"), ("--p", "3/4"), ("--p", "0.75"), ("--truth", "1/2"), ("--truth", "0.5")]
)
def test_all_parameterisations_of_one_design_give_the_same_figures(ask: Ask, parameter: tuple[str, str]) -> None:
    assert ask("estimate", "--design", "warner", *parameter, "--yes", 400, "--n", 1000) == ask(*COUNTS, "--yes", 400)


def test_a_design_without_epsilon_says_so_and_estimates_all_the_same(ask: Ask) -> None:
    result = ask("estimate", "--design", "mangat", "--p", "0.7", "--yes", 400, "--n", 1000)
    assert result["epsilon"] is None
    assert "no finite epsilon" in result["warnings"][0]
    assert result["cells"][0]["estimate"] == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("design", "estimate"),
    [
        (("forced", "--truth", "3/4", "--yes-share", "1/2"), 11 / 30),
        (("unrelated", "--p", "0.7", "--prevalence", "0.3"), 31 / 70),
        (("crosswise", "--p", "1/4"), 0.7),
        (("kuk", "--p1", "0.8", "--p0", "0.2"), 1 / 3),
    ],
)
def test_classical_designs_are_estimated_from_counts(ask: Ask, design: tuple[str, ...], estimate: float) -> None:
    result = ask("estimate", "--design", *design, "--yes", 400, "--n", 1000)
    assert result["cells"][0]["estimate"] == pytest.approx(estimate)
    assert result["epsilon"] > 1


@pytest.mark.parametrize(
    ("design", "part"),
    [
        (("warner", "--odds", "3:1"), 1),
        (("unrelated", "--p", "0.7", "--prevalence", "0.3"), None),
        (("mangat", "--p", "0.7"), "null"),
    ],
)
def test_efficiency_is_the_part_of_the_best_design_with_the_same_epsilon(
    ask: Ask, hushpoll: Command, design: tuple[str, ...], part: object
) -> None:
    words = ("estimate", "--design", *design, "--yes", 400, "--n", 1000)
    shown = ask(*words)["efficiency"]
    if part == "null":
        assert shown is None
    elif part == 1:
        assert shown == 1
        assert "efficiency" not in hushpoll(*words).stdout
    else:
        assert 0.5 < shown < 1
        assert f"unrelated  efficiency: {shown:.2%} of the best design" in hushpoll(*words).stdout


def test_two_samples_estimate_a_prevalence_that_is_not_known(ask: Ask, hushpoll: Command) -> None:
    words = ("estimate", "--design", "unrelated", "--p", "0.7,3/10", "--yes", "400,300", "--n", "1000,1000")
    result = ask(*words)
    assert [cell["name"] for cell in result["cells"]] == ["yes", "unrelated"]
    assert [cell["estimate"] for cell in result["cells"]] == pytest.approx([0.475, 0.225])
    assert result["n"] == 2000
    assert "Epsilon depends on the share" in hushpoll(*words).stdout


def test_two_samples_find_cheaters(ask: Ask, hushpoll: Command) -> None:
    shares = ("--truth", "3/4,1/2", "--yes-share", "1,1")
    words = ("estimate", "--design", "cheating", *shares, "--yes", "350,500", "--n", "1000,1000")
    result = ask(*words)
    assert [cell["name"] for cell in result["cells"]] == ["honest yes", "honest no", "cheaters"]
    assert [cell["estimate"] for cell in result["cells"]] == pytest.approx([0.2, 0.6, 0.2])
    assert result["no_cheating"]["p_value"] < 0.001
    assert "cheating  no cheaters: χ² = 12.8, df = 1, p = 0.000347" in hushpoll(*words).stdout


def test_a_matrix_of_ones_own_is_read_exactly(ask: Ask, hushpoll: Command) -> None:
    words = ("estimate", "--design", "matrix", "--matrix", "2/3, 1/3; 0.25, 0.75", "--counts", "400,600")
    result = ask(*words)
    assert [cell["name"] for cell in result["cells"]] == ["1", "2"]
    assert result["cells"][0]["estimate"] == pytest.approx((0.4 - 0.25) / (2 / 3 - 0.25))
    assert {"count", "se", "low", "high", "tidy"} <= result["cells"][0].keys()
    assert 0 < result["efficiency"] < 1
    assert hushpoll(*words).stdout.startswith("matrix  1:  36.00%")
    more = ask("estimate", "--design", "matrix", "--matrix", "1/2,1/4,1/4;1/8,1/8,3/4", "--counts", "40,30,30")
    assert [cell["count"] for cell in more["cells"]] == [None, None]


def test_a_declared_population_narrows_the_interval(ask: Ask) -> None:
    [without] = ask(*COUNTS, "--yes", 400)["cells"]
    [within] = ask(*COUNTS, "--yes", 400, "--population", 1200)["cells"]
    assert within["se"] < without["se"]


def test_people_read_one_line_for_each_question(hushpoll: Command) -> None:
    shown = hushpoll(*COUNTS, "--yes", 400, "--level", "0.99").stdout
    assert shown == "warner  yes:  30.00%  se 3.10%  99% wilson 22.18% to 38.09%  n = 1000\n"


def test_no_reports_give_a_warning_and_no_figures(ask: Ask) -> None:
    result = ask("estimate", "--design", "warner", "--epsilon", "1", "--yes", 0, "--n", 0)
    assert result["cells"][0]["estimate"] is None
    assert "No reports yet" in result["warnings"][0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Give --manifest with --reports, or --design"),
        (["--design", "warner"], "--design warner needs exactly one of"),
        (["--design", "warner", "--odds", "3:1", "--p", "1/4", "--yes", "1", "--n", "2"], "exactly one of"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1"], "--yes and --n"),
        (["--design", "warner", "--odds", "three", "--yes", "1", "--n", "2"], 'must be written as "3:1"'),
        (["--design", "warner", "--epsilon", "1e3", "--yes", "1", "--n", "2"], "positive number"),
        (["--design", "warner", "--p", "1/2", "--yes", "1", "--n", "2"], "p must not be 1/2"),
        (["--design", "warner", "--odds", "3:1", "--yes", "3", "--n", "2"], "not between 0 and n = 2"),
        (["--design", "warner", "--odds", "3:1", "--yes", "-1", "--n", "2"], "--yes"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--level", "95"], "--level"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--level", "1e-16"], "between 0.01 and"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--level", "nan"], "the level nan"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--population", "1"], "smaller than n"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--method", "bayes"], "--method"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1", "--n", "2", "--counts", "1,1"], "no --counts"),
        (["--design", "grr", "--odds", "3:1", "--counts", "1,1", "--n", "2"], "neither --yes nor --n"),
        (["--design", "grr", "--odds", "3:1", "--yes", "1", "--n", "2"], "needs --counts"),
        (["--design", "grr", "--odds", "3:1", "--counts", "40,10;10,40"], "--reports and --cross ID,ID"),
        (["--design", "forced", "--truth", "3/4", "--yes", "1", "--n", "2"], "needs --truth and --yes-share"),
        (["--design", "warner", "--odds", "3:1", "--yes", "1,2", "--n", "3,4"], "one sample"),
        (["--design", "unrelated", "--p", "0.7", "--yes", "1", "--n", "2"], "a number for each of the two samples"),
        (["--design", "unrelated", "--p", "0.7,0.3", "--yes", "1", "--n", "2"], "two samples with --p P1,P2"),
        (["--design", "unrelated", "--p", "0.7,0.7", "--yes", "1,1", "--n", "2,2"], "same probability"),
        (["--design", "cheating", "--truth", "3/4,1/2", "--yes", "1,1", "--n", "2,2"], "needs two of each"),
        (
            ["--design", "unrelated", "--p", "0.7,0.3", "--yes", "1,1", "--n", "2,2", "--beta", "0.1"],
            "with two samples has no",
        ),
        (["--design", "matrix", "--counts", "1,2"], "--design matrix needs --matrix"),
        (["--design", "matrix", "--matrix", "1/2,1/2;1/2,1/2", "--counts", "1,2"], "cannot tell the answers apart"),
        (["--design", "matrix", "--matrix", "1/2;x", "--counts", "1,2"], "--matrix must be"),
        (
            ["--design", "warner", "--odds", "3:1", "--matrix", "1", "--yes", "1", "--n", "2"],
            "goes with --design matrix",
        ),
        (["--design", "mangat", "--p", "3/4", "--p1", "1", "--yes", "1", "--n", "2"], "needs --p, and nothing else"),
        (["--design", "kuk", "--p1", "3/2", "--p0", "0", "--yes", "1", "--n", "2"], "not between 0 and 1"),
        (["--design", "kuk", "--p1", "0.5", "--p0", "0.5", "--yes", "1", "--n", "2"], "nothing can be estimated"),
        (["--design", "crosswise", "--p", "nan", "--yes", "1", "--n", "2"], "--p must be a positive number"),
        (["--design", "unrelated", "--p", "0.7", "--prevalence", "0.3", "--counts", "1,1"], "needs --yes and --n"),
        (["--design", "grr", "--p", "3/4", "--counts", "1,1"], "--design grr needs exactly one of --epsilon, --odds"),
        (["--design", "cards"], "'--design'"),
        (["--manifest", "m.json"], "Give --manifest with --reports"),
        (["--manifest", "m.json", "--reports", "r", "--odds", "3:1"], "Give --manifest with --reports"),
        (["--manifest", "m.json", "--reports", "r", "--population", "9"], "a manifest holds its own"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_is_right(hushpoll: Command, words: list[str], says: str) -> None:
    result = hushpoll("estimate", *words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert says in result.stderr


def test_counts_of_categories_say_that_they_are_those_of_one_question(ask: Ask, hushpoll: Command) -> None:
    # The expected table of two questions at odds of 3:1 each, with 40 % in both cells of the diagonal and 10 % in the
    # others: 0.75²·40 + 2·0.75·0.25·10 + 0.25²·40 = 28.75. Taken for one question, the 40 % become 36 % or 31 %.
    counts = ("--counts", "2875,2125,2125,2875")
    for odds, share in (("3:1", 0.3625), ("9:1", 0.3063)):
        result = ask("estimate", "--design", "grr", "--odds", odds, *counts)
        assert result["cells"][0]["estimate"] == pytest.approx(share, abs=1e-3)
        assert result["assumed"].startswith("each report names one of the 4 categories of one question.")
    assert hushpoll("estimate", "--design", "grr", "--odds", "3:1", *counts).stdout.splitlines()[-1] == (
        f"grr  assumed: {result['assumed']}"
    )
    assert "assumed" not in ask(*COUNTS, "--yes", 400)


def test_reports_are_counted_question_by_question(ask: Ask, estimate: Command, manifest: Manifest) -> None:
    draws = [(1, 1)] * 60 + [(1, 0)] * 40 + [(0, 0)] * 100
    result = estimate(*(make_report(manifest, *pair).encode() for pair in draws))
    assert result.exit_code == 0, result.stderr
    for name, count, parameter in (("cheated", 100, ("--odds", "3:1")), ("helped", 60, ("--epsilon", "1"))):
        expected = ask("estimate", "--design", "warner", *parameter, "--yes", count, "--n", 200)
        assert json.loads(result.stdout)["questions"][name] | {"efficiency": 1.0} == expected


def test_blank_lines_and_a_missing_last_line_end_do_no_harm(estimate: Command, manifest: Manifest) -> None:
    lines = [make_report(manifest, 1, 1).encode() for _ in range(3)]
    assert '"n": 3' in estimate(b"", lines[0], b"  ", lines[1], b"\r", lines[2] + b"\r", end=b"").stdout


def test_a_report_that_stands_there_twice_counts_once(estimate: Command, manifest: Manifest) -> None:
    report = make_report(manifest, 1, 1).encode()
    result = estimate(report, make_report(manifest, 0, 1).encode(), report)
    assert '"n": 2' in result.stdout


def test_two_different_reports_with_one_id_are_refused(estimate: Command, manifest: Manifest) -> None:
    first, second = (make_report(manifest, draw, 1, report_id="0" * 32).encode() for draw in (0, 1))
    result = estimate(first, second)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "reports.ndjson, line 2: another report with this id came before: remove one\n"


def test_a_bad_line_is_named_and_never_shown(estimate: Command, manifest: Manifest) -> None:
    good = make_report(manifest, 1, 1).encode()
    other = make_report(manifest, 1, 1).encode().replace(manifest.id.encode(), b"0" * 64)
    for bad in (
        b"{",
        b'{"swordfish": 1}',
        b"\xff",
        other,
        good.replace(b'"cheated":"1"', b'"cheated":"2"'),
        b"[" * 70_000,
    ):
        result = estimate(good, bad)
        assert (result.exit_code, result.stdout) == (1, "")
        [line] = result.stderr.splitlines()
        assert line.startswith("reports.ndjson, line 2: ")
        assert "swordfish" not in line


def test_a_line_without_an_end_is_not_read_into_memory(manifest: Manifest, tmp_path: Path) -> None:
    """The attack on the server, now on the command: a file of one huge line."""
    file = tmp_path / "reports.ndjson"
    file.write_bytes(make_report(manifest, 1, 1).encode() + b"\n" + b"x" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(InvalidValue, match=r"line 2: The body is too large\."):
        list(read_reports(file, manifest))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_an_empty_file_gives_warnings_not_figures(estimate: Command) -> None:
    result = estimate(b"")
    assert result.exit_code == 0
    assert "No reports yet" in result.stdout


def test_a_wrong_manifest_is_refused_by_its_name(hushpoll: Command, manifest_file: Path, survey_file: Path) -> None:
    survey_file.rename("plain.yaml")
    for name, words in (("plain.yaml", "this is not JSON"), ("nowhere.json", "No such file or directory")):
        result = hushpoll("estimate", "--manifest", name, "--reports", "plain.yaml")
        assert result.exit_code == 1
        assert result.stderr.startswith(f"{name}: ")
        assert words in result.stderr


def test_a_manifest_that_was_changed_after_signing_is_refused(hushpoll: Command, manifest_file: Path) -> None:
    envelope = manifest_file.read_bytes()
    manifest_file.write_bytes(
        envelope.replace(b'"signature":"', b'"signature":"A', 1).replace(b'","key"', b'"  ,"key"')
    )
    result = hushpoll("estimate", "--manifest", manifest_file, "--reports", manifest_file)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{manifest_file}: ")
