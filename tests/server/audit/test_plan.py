"""The plan: every input is tried, every question varies by itself, and nobody can foresee it."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from tests.mechanisms.cases import choices
from tests.samples.surveys import two_questions
from tests.vectors.surveys import epsilon, surveys

from hushpoll_server.audit.inputs import NO_MATE, contrast_of
from hushpoll_server.audit.plan import Plan, draw_plan
from hushpoll_server.audit.run import Audit
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

EVERYTHING = surveys()["everything"][0]
TWO = [contrast_of(question) for question in two_questions().questions]
TWELVE = Question("twelve", "Which?", choices(12), SubsetMechanism.of(epsilon("1"), 12))


def seeded(seed: int = 1) -> Audit:
    return Audit(EVERYTHING, 50, random=random.Random(seed).randbytes)


def plan_of(manifest: Manifest, runs: int, *, one_at_a_time: bool = False) -> Plan:
    return Audit(manifest, runs, one_at_a_time, random.Random(3).randbytes).plan


def test_there_are_as_many_lines_as_six_inputs_take() -> None:
    assert plan_of(EVERYTHING, 10).lines == 60
    assert plan_of(two_questions(), 10).lines == 20
    assert plan_of(surveys()["panel"][0], 10).lines == 30
    # A pass for each question, for six of its inputs at most.
    assert plan_of(surveys()["panel"][0], 10, one_at_a_time=True).lines == 30 + 20


def test_devices_that_answer_one_of_three_questions_are_fed_three_times_as_often() -> None:
    assert plan_of(surveys()["some"][0], 10).lines == 3 * 60


def test_categories_are_tried_equally_often() -> None:
    for size, number in ((2, 10), (4, 5), (12, 2)):
        contrast = contrast_of(Question("q", "?", choices(size), SubsetMechanism.of(epsilon("1"), size)))
        plan = draw_plan([contrast, contrast_of(TWELVE)], 4, random.Random(size).randbytes)
        runs = np.bincount(plan.inputs[:, 0])
        assert len(runs) == size
        assert runs.max() - runs.min() <= 1
        assert runs.min() in (number, 24 // size)


def test_a_codebook_with_more_options_than_lines_is_tried_by_lot_without_repeats() -> None:
    code = EVERYTHING.questions[3]
    plan = draw_plan([contrast_of(code)], 100, random.Random(5).randbytes)
    assert len(set(plan.inputs[:, 0].tolist())) == plan.lines == 600


def test_partners_are_never_the_input_itself_and_mates_are_kept() -> None:
    plan, contrasts = seeded().plan, seeded().contrasts
    for place, contrast in enumerate(contrasts):
        inputs, partners = plan.inputs[:, place], plan.partners[:, place]
        assert (inputs != partners).all()
        if contrast.mates is not None:
            assert [contrast.mates[given] for given in inputs.tolist()] == partners.tolist()


def test_questions_vary_independently() -> None:
    # 20,000 lines: the two inputs agree in one half of them, within 5 standard errors.
    plan = draw_plan(TWO, 10_000, random.Random(9).randbytes)
    agree = (plan.inputs[:, 0] == plan.inputs[:, 1]).mean()
    assert agree == pytest.approx(0.5, abs=5 * 0.5 / 20_000**0.5)
    # And so do an input and the one before it.
    again = (plan.inputs[1:, 0] == plan.inputs[:-1, 0]).mean()
    assert again == pytest.approx(0.5, abs=5 * 0.5 / 20_000**0.5)


def test_a_seed_gives_the_same_plan_and_the_default_is_a_cryptographic_source() -> None:
    assert (seeded(1).plan.inputs == seeded(1).plan.inputs).all()
    assert (seeded(1).plan.inputs != seeded(2).plan.inputs).any()
    assert Audit(EVERYTHING, 50).random is os.urandom


def test_one_at_a_time_varies_one_question_in_each_line_and_holds_the_others_still() -> None:
    plan = draw_plan(TWO, 500, random.Random(4).randbytes, one_at_a_time=True)
    assert plan.varied.sum(axis=1).tolist() == [1] * 2000
    for place in range(2):
        varied, held = plan.varied[:, place], ~plan.varied[:, place]
        assert np.bincount(plan.inputs[varied, place]).tolist() == [500, 500]
        assert len(set(plan.inputs[held, place].tolist())) == 1
        assert set(plan.partners[held, place].tolist()) == {NO_MATE}


def test_the_answers_of_a_line_are_those_of_its_inputs() -> None:
    audit = seeded()
    first = next(audit.answers())
    for place, contrast in enumerate(audit.contrasts):
        assert contrast.inputs[audit.plan.inputs[0, place]].answers.items() <= first.items()
