"""Figures and associations as one JSON document, with what is needed to check them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hushpoll_server.analysis.comparison import QuestionComparison
from hushpoll_server.analysis.survey import Analysis
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.export.columns import Row
from hushpoll_server.export.figures import Figures, Part
from hushpoll_server.export.tables import questions_of
from hushpoll_shared.manifest import Manifest


def write_json(value: object) -> bytes:
    """Return the bytes of a document; NaN is not JSON."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def estimates_document(manifest: Manifest, key: str, every: Sequence[Figures], *, by: str | None = None) -> Row:
    """Return the figures of all reports or of one group; by a dimension, those of each of its groups in a list."""
    if by is None:
        [figures] = every
        return {**_about(manifest, key), **figures.part.group, **_estimates(figures)}
    groups = [{**each.part.group, "withheld": each.results is None, **_estimates(each)} for each in every]
    return {**_about(manifest, key), "by": by, "groups": groups}


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
    return {**_about(manifest, key), "tables": tables, **compared}


def _about(manifest: Manifest, key: str) -> Row:
    return {"survey": manifest.survey, "manifest": manifest.id, "key": key}


def _estimates(figures: Figures) -> Row:
    if figures.results is None:
        return {}
    questions = {each["question"]: each for each in questions_of(figures.part.manifest, figures.results)}
    return {**Analysis(figures.results, figures.tables).to_json(), "questions": questions}
