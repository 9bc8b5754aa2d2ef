"""Randomized reports as files: NDJSON as they were received, or a table with a row for each report.

A table has the report's id, the label of each public dimension, and for each question the draw as it was sent. The rule
here: reports are written as they come, in memory that does not grow with their number, and a draw stays text, because
programs would read `1e5` or `007` as numbers. What a device was not asked is empty.
"""

from __future__ import annotations

import heapq
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice

from hushpoll_server.export.columns import Column, Row
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import ID_BYTES, Report, decode

# The most reports that are held in memory and sorted at once.
SORTED_AT_A_TIME = 20_000
_ID_DIGITS = 2 * ID_BYTES


def report_columns(manifest: Manifest) -> tuple[Column, ...]:
    """Return the columns of a table of reports."""
    questions = [
        Column(question.id, f"the draw to the question {question.id}; empty if it was not asked")
        for question in manifest.questions
    ]
    return (Column(_id_column(manifest), "the random id of the report"), *_group_columns(manifest), *questions)


def report_rows(manifest: Manifest, reports: Iterable[Report]) -> Iterator[Row]:
    """Yield a row for each report."""
    name, groups = _id_column(manifest), manifest.groups
    blanks = {question.id: question.design.blank for question in manifest.questions}
    labels = {code: groups.labels_of(code) for code in groups.codes} if groups else {"": {}}
    for report in reports:
        row: Row = {name: report.id, **labels[report.groups], **report.draws}
        if manifest.ask is not None:
            row |= {question: None for question, draw in report.draws.items() if draw == blanks[question]}
        yield row


def report_lines(reports: Iterable[Report]) -> Iterator[bytes]:
    """Yield the reports as they were received, one per line."""
    return (report.encode() + b"\n" for report in reports)


def with_new_ids(manifest: Manifest, reports: Iterable[Report]) -> Iterator[Report]:
    """Yield the reports with new ids, in their order, so that no receipt, request or database leads to a row.

    They are sorted in parts that fit into memory, kept in files without a name, and merged.
    """
    renamed = (replace(report, id=secrets.token_hex(ID_BYTES)) for report in reports)
    with ExitStack() as stack:
        parts = []
        while part := sorted(islice(renamed, SORTED_AT_A_TIME), key=lambda report: report.id):
            file = stack.enter_context(tempfile.TemporaryFile())
            file.writelines(report.id.encode() + report.encode() + b"\n" for report in part)
            file.seek(0)
            parts.append(file)
            # Before the next part is read, so that only one is held.
            part.clear()
        for line in heapq.merge(*parts):
            yield decode(line[_ID_DIGITS:-1], manifest)


def _id_column(manifest: Manifest) -> str:
    """Return a name that no question and no dimension has."""
    taken = {question.id for question in manifest.questions} | {column.name for column in _group_columns(manifest)}
    name = "id"
    while name in taken:
        name = f"report_{name}"
    return name


def _group_columns(manifest: Manifest) -> tuple[Column, ...]:
    dimensions = manifest.groups.dimensions if manifest.groups else ()
    return tuple(
        Column(dimension.id, f"the public label of {dimension.id}; empty if the report has none")
        for dimension in dimensions
    )
