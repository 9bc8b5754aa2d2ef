"""Reports side by side: views, the bits of ids, and counts of things that came together, counted again one by one."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from tests.server.audit.test_honest_clients import SOME, Seeded

from hushpoll_client.survey import Survey
from hushpoll_server.audit import reports as reports_module
from hushpoll_server.audit.comparisons import Kind, groups_of, sets_of
from hushpoll_server.audit.elsewhere import echoes_of
from hushpoll_server.audit.reports import SAME, VIEWS, Ids, Reports, Rows
from hushpoll_server.audit.run import Audit


def reports_of_some(runs: int = 6) -> Reports:
    source, survey = Seeded(5), Survey(SOME)
    audit = Audit(SOME, runs, random=source.take)
    return Reports.of(audit, audit.collect(survey.randomize(line, source=source).encode() for line in audit.answers()))


REPORTS = reports_of_some()


def test_successive_reports_are_taken_two_by_two() -> None:
    pairs = [[each.tolist() for each in view.pairs(6)] for view in VIEWS]
    assert pairs == [[[0, 1, 2, 3, 4, 5]] * 2, [[0, 2, 4], [1, 3, 5]], [[1, 3], [2, 4]]]


@pytest.mark.parametrize("lines", [1, 63, 64, 200])
def test_bits_of_ids_are_counted_together(lines: int) -> None:
    ids = Ids(np.frombuffer(random.Random(lines).randbytes(16 * lines), dtype=np.uint8).reshape(lines, 16))
    bits = np.unpackbits(ids.bytes, axis=1).astype(int)
    here, there = VIEWS[1].pairs(lines)
    assert (ids.both(here, here) == bits[here].T @ bits[here]).all()
    assert (ids.both(here, there) == bits[here].T @ bits[there]).all()


@pytest.mark.parametrize("small_table", [0, 1 << 30], ids=["by entries", "as a whole"])
@pytest.mark.parametrize("view", VIEWS, ids=["same", "even", "odd"])
def test_marks_are_counted_by_the_runs_of_a_question(
    view: reports_module.View, small_table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports_module, "_SMALL_TABLE", small_table)
    here, there = view.pairs(REPORTS.lines)
    for first, second in product(REPORTS.draws, REPORTS.parts):
        by, expected = Rows.of(first, here), np.zeros((len(first.runs.places), len(second.marks)))
        for one, other in zip(here, there, strict=True):
            bits = np.unpackbits(second.bytes[other]) if isinstance(second, Ids) else second.marked[second.where[other]]
            expected[first.where[one]] += bits
        assert (second.occurred(by, there) == expected).all()


def test_lines_in_which_a_question_was_not_varied_do_not_count() -> None:
    [draws, *_] = REPORTS.draws
    lines, _ = SAME.pairs(REPORTS.lines)
    by = Rows.of(draws, lines)
    assert by.sizes.tolist() == draws.runs.times.tolist()
    some = by.only(lines < 10)
    assert (some.sizes.sum(), by.sizes.sum()) == (10, REPORTS.lines)


def test_inputs_are_compared_one_by_one_or_digit_by_digit() -> None:
    assert groups_of(2).T.tolist() == [[False, True]]
    assert (groups_of(5) == np.eye(5)).all()
    digits = groups_of(100)
    assert digits.shape == (100, 7)
    # No two inputs are on the same side everywhere.
    assert len({tuple(row) for row in digits.tolist()}) == 100


def test_the_sets_of_a_question_are_what_they_are_called() -> None:
    for draws in REPORTS.draws:
        runs, groups = draws.runs, groups_of(len(draws.runs.events.codes))
        sets = sets_of(runs).reshape(len(runs.places), len(Kind), -1)
        for run, group in product(range(len(runs.places)), range(groups.shape[1])):
            here, partner = groups[runs.places[run], group], runs.partners[run]
            across = bool(partner >= 0 and groups[partner, group] != here)
            own, other = across and runs.for_own[run], across and runs.for_partner[run]
            expected = [here, not here, here and own, not here and other, not here and own, here and other]
            assert sets[run, :, group].tolist() == [*expected, here and across, not here and across]


def test_a_draw_that_cannot_be_read_as_one_to_the_question_is_no_echo() -> None:
    first, *_ = REPORTS.draws
    ways, hours, *_ = echoes_of(REPORTS, first)
    # Six marks cannot be read as one digit; a digit can.
    assert (ways.runs, hours.runs) == (0, REPORTS.lines)


def test_the_next_draw_to_the_same_question_is_an_echo() -> None:
    first, *_ = REPORTS.draws
    *_, even, odd = echoes_of(REPORTS, first)
    assert even.name == odd.name == "next report: asked is a second draw"
    assert even.runs + odd.runs == REPORTS.lines - 1
