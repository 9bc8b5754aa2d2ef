"""Multiple imputation of a survey: every type with a few answers, questions not asked, public columns, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.samples.every_type import every_type
from tests.samples.surveys import two_questions
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.mechanisms import draw
from hushpoll_client.survey import Survey
from hushpoll_server.analysis.imputation import SEPARATE, SIMULATED, Imputation, impute
from hushpoll_server.analysis.survey import analyse
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Result
from hushpoll_shared.groups import Dimension, Groups, Label
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

FEW_ANSWERS = ("cheated", "helped", "frequency", "fair", "mood", "drinks", "stress")


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return two_questions()


@pytest.fixture(scope="module")
def reports(manifest: Manifest) -> list[Report]:
    """Return 600 reports: 40 % cheated, and everybody who did also helped, 30 % of the others."""
    survey, source = Survey(manifest), FixedTestStream("imputation")
    answers = [{"cheated": place % 5 < 2, "helped": place % 5 < 2 or place % 10 in (3, 7)} for place in range(600)]
    return [survey.randomize(answer, source=source) for answer in answers]


def both(drawn: Imputation) -> float:
    """Return the average share of respondents with two times yes."""
    return float((drawn.codes == 1).all(axis=2).mean())


def test_the_combined_shares_are_near_the_estimates(manifest: Manifest, reports: list[Report]) -> None:
    drawn = impute(manifest, reports, ["cheated", "helped"], m=30, seed=1, separately=True)
    for name in ("cheated", "helped"):
        result = analyse(manifest, reports).results[name]
        assert isinstance(result, Result)
        [cell], share = result.cells, drawn.share(name, "yes")
        assert cell.estimate is not None
        assert cell.se is not None
        assert share.se is not None
        # The uniform prior and 30 data sets move the estimate by half a standard error at most once in 10,000 seeds.
        assert abs(share.estimate - cell.estimate) < 0.5 * cell.se
        assert 0.65 < share.se / cell.se < 1.4


def test_the_association_is_kept_unless_questions_are_imputed_separately(
    manifest: Manifest, reports: list[Report]
) -> None:
    together = impute(manifest, reports, ["cheated", "helped"], seed=1)
    apart = impute(manifest, reports, ["cheated", "helped"], seed=1, separately=True)
    # The true share of both is .40; independent answers with these shares would have .24.
    assert both(together) > 0.32
    assert both(apart) < 0.3
    assert (together.warnings, apart.warnings) == ((SIMULATED,), (SIMULATED, SEPARATE))


def test_the_same_seed_gives_the_same_data_sets(manifest: Manifest, reports: list[Report]) -> None:
    one, same, other = (impute(manifest, reports, ["cheated"], m=3, seed=seed) for seed in (1, 1, 2))
    assert (one.codes == same.codes).all()
    assert not (one.codes == other.codes).all()


def test_public_columns_stay_with_their_respondents(manifest: Manifest, reports: list[Report]) -> None:
    groups = ["arts", "law"] * 300
    drawn = impute(manifest, reports, ["cheated"], m=2, seed=1, columns={"faculty": groups})
    assert drawn.data_set(2)["faculty"] == groups
    rows = list(drawn.rows())
    assert len(rows) == 1200
    assert list(rows[0]) == ["imputation", "respondent", "faculty", "cheated"]
    assert (rows[601]["imputation"], rows[601]["respondent"], rows[601]["faculty"]) == (2, 2, "law")
    assert {row["cheated"] for row in rows} == {"no", "yes"}


def alone(question: str) -> Manifest:
    """Return a survey with one question of the sample that has every type."""
    survey = every_type()
    panel = survey.panel if question == "drinks" else None
    return replace(survey, questions=tuple(each for each in survey.questions if each.id == question), panel=panel)


@pytest.mark.parametrize("question", FEW_ANSWERS)
def test_every_type_with_a_few_answers_can_be_imputed(question: str) -> None:
    survey = alone(question)
    [wanted] = survey.questions
    code, source = wanted.type.code_of(question, wanted.type.answers[0]), FixedTestStream(question)
    draws = [draw(wanted.design, source, code) for _ in range(400)]
    reports = [Report(survey.survey, survey.id, f"{place:032x}", {question: each}) for place, each in enumerate(draws)]
    drawn = impute(survey, reports, [question], m=5, seed=3)
    names = drawn.answers[0]
    shares = [float(np.mean(drawn.codes == code)) for code in range(len(names))]
    assert sum(shares) == pytest.approx(1)
    # Everybody gave the first answer: more than an equal share of them is drawn.
    assert shares[0] > 1.2 / len(names)
    json.dumps(drawn.to_json(), allow_nan=False)


def test_a_question_that_a_device_was_not_asked_is_filled_in(manifest: Manifest) -> None:
    some = replace(manifest, ask=1)
    survey, source = Survey(some), FixedTestStream("some")
    reports = [survey.randomize({"cheated": True, "helped": False}, source=source) for _ in range(300)]
    drawn = impute(some, reports, ["cheated", "helped"], m=10, seed=1)
    assert drawn.codes.shape == (10, 300, 2)
    assert drawn.share("cheated", "yes").estimate > 0.7


def test_one_report_gives_data_sets_and_wide_figures(manifest: Manifest, reports: list[Report]) -> None:
    drawn = impute(manifest, reports[:1], ["cheated"], m=10, seed=1)
    share = drawn.share("cheated", "yes")
    assert drawn.n == 1
    assert share.se is None or share.se > 0.1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"questions": ["nothing"]}, "cheated, helped"),
        ({"questions": []}, "cheated, helped"),
        ({"questions": ["cheated", "cheated"]}, "each once"),
        ({"m": 1}, "draw 2 to"),
        ({"reports": []}, "no reports"),
        ({"columns": {"faculty": ["arts"]}}, "public column"),
        ({"prior": -1.0}, "prior"),
    ],
)
def test_what_cannot_be_imputed_is_refused_with_the_cure(
    changes: dict[str, object], says: str, manifest: Manifest, reports: list[Report]
) -> None:
    arguments: dict[str, object] = {"reports": reports, "questions": ["cheated"], "seed": 1, **changes}
    with pytest.raises(EstimateError, match=says):
        impute(manifest, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["ways", "hours", "pay"])
def test_ticks_and_numbers_of_a_range_are_refused(question: str) -> None:
    survey = alone(question)
    report = Report(survey.survey, survey.id, "0" * 32, {question: survey.questions[0].design.blank})
    with pytest.raises(EstimateError, match="exclude each other"):
        impute(survey, [report], [question], m=2, seed=1)


def test_unknown_answers_and_data_sets_are_refused(manifest: Manifest, reports: list[Report]) -> None:
    drawn = impute(manifest, reports, ["cheated"], m=2, seed=1)
    with pytest.raises(EstimateError, match="no answer 'perhaps'"):
        drawn.share("cheated", "perhaps")
    with pytest.raises(EstimateError, match="no data set 3"):
        drawn.data_set(3)


@pytest.fixture(scope="module")
def grouped() -> tuple[Manifest, list[Report]]:
    """Return 600 reports of a faculty where nobody cheated, 600 of one where everybody did, 3 of a third, 9 of none."""
    labels = tuple(Label(name, name.capitalize()) for name in ("arts", "law", "physics"))
    manifest = two_questions(groups=Groups((Dimension("faculty", "Faculty", labels),), 10))
    survey, source = Survey(manifest), FixedTestStream("groups")
    faculties = ["arts", "law"] * 600 + ["physics"] * 3 + [""] * 9
    answers = [{"cheated": faculty == "law", "helped": False} for faculty in faculties]
    rows = zip(answers, faculties, strict=True)
    return manifest, [
        survey.randomize(answer, source=source, groups=[faculty] if faculty else []) for answer, faculty in rows
    ]


def test_differences_between_groups_survive_within_them_and_small_groups_have_no_label(
    grouped: tuple[Manifest, list[Report]],
) -> None:
    manifest, reports = grouped
    within = impute(manifest, reports, ["cheated"], m=5, seed=1, groups=["faculty"])
    faculties = within.data_set(1)["faculty"]
    assert (faculties[:2], set(faculties[1200:])) == (["arts", "law"], {""})
    arts, law = (within.codes[:, place:1200:2, 0].mean() for place in (0, 1))
    assert law - arts > 0.8
    without = impute(manifest, reports, ["cheated"], m=5, seed=1)
    arts, law = (without.codes[:, place:1200:2, 0].mean() for place in (0, 1))
    # Without the groups a draw depends on the report alone, and a quarter of the difference is left.
    assert 0.1 < law - arts < 0.4


def test_a_small_group_that_nobody_without_a_group_hides_is_refused(grouped: tuple[Manifest, list[Report]]) -> None:
    manifest, reports = grouped
    with pytest.raises(EstimateError, match="name fewer dimensions"):
        impute(manifest, reports[:-9], ["cheated"], m=2, seed=1, groups=["faculty"])


def test_unknown_groups_are_refused(manifest: Manifest, grouped: tuple[Manifest, list[Report]]) -> None:
    with pytest.raises(EstimateError, match="each once: faculty"):
        impute(*grouped, ["cheated"], seed=1, groups=["age"])
    with pytest.raises(EstimateError, match="it has none"):
        impute(manifest, [], ["cheated"], seed=1, groups=["faculty"])


def test_a_prior_that_outweighs_what_the_reports_say_is_named() -> None:
    manifest, [full, _] = surveys()["everything"]
    reports = [Survey(manifest).randomize(full) for _ in range(150)]
    light = impute(manifest, reports, ["cheated"], m=2, seed=1, prior=0.1)
    assert not any("The prior counts" in each for each in light.warnings)
    heavy = impute(manifest, reports, ["cheated", "asked"], m=2, seed=1)
    assert any("The prior counts as 8 respondents" in each for each in heavy.warnings)
