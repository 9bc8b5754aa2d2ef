"""Figures and associations as one JSON document, with what is needed to check them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from hushpoll_server.analysis.comparison import QuestionComparison
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.export.columns import Row
from hushpoll_server.export.figures import Figures, Part
from hushpoll_server.export.tables import questions_of, tables_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import Problem


def write_json(value: object) -> bytes:
    """Return the bytes of a document; NaN is not JSON."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def estimates_document(
    manifest: Manifest, key: str, every: Sequence[Figures], *, by: str | None = None, stored: Row | None = None
) -> Row:
    """Return the figures of all reports or of one group; by a dimension, those of each of its groups in a list.

    `stored` is what is known of the reports as a whole.
    """
    about = {**about_survey(manifest, key), **(stored or {})}
    if by is None:
        [figures] = every
        return {**about, **figures.part.group, **_estimates(figures)}
    groups = [{**each.part.group, "withheld": each.results is None, **_estimates(each)} for each in every]
    return {**about, "by": by, "groups": groups}


def about_reports(manifest: Manifest, reports: int, rejected: Mapping[Problem, int], warnings: Sequence[str]) -> Row:
    """Return what is known of the reports as a whole: how many there are, how many were refused and why, warnings."""
    rate = None if manifest.population is None else reports / manifest.population
    return {
        "reports": reports,
        "population": manifest.population,
        "response_rate": rate,
        "epsilon": float(manifest.epsilon),
        "rejected": {problem.name: number for problem, number in rejected.items()},
        "warnings": list(warnings),
    }


def associations_document(
    manifest: Manifest,
    key: str,
    every: Sequence[tuple[Part, Sequence[Crosstab]]],
    *,
    comparisons: Sequence[QuestionComparison] = (),
) -> Row:
    """Return the tables of all reports or of one group; by a dimension, those of its groups, and how these differ."""
    tables = [{**part.group, **table.to_json()} for part, each in every for table in each]
    compared = {"comparisons": [comparison.to_json() for comparison in comparisons]} if comparisons else {}
    return {**about_survey(manifest, key), "tables": tables, **compared}


def about_survey(manifest: Manifest, key: str) -> Row:
    """Return which survey a document is about, and who published it."""
    return {"survey": manifest.survey, "manifest": manifest.id, "key": key}


def _estimates(figures: Figures) -> Row:
    if figures.results is None:
        return {}
    questions = {each["question"]: each for each in questions_of(figures.part.manifest, figures.results)}
    crossed = {"cross_tables": list(tables_of(figures.part.manifest, figures.tables))} if figures.tables else {}
    return {"questions": questions, **crossed}
