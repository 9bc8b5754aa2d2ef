"""The mechanism of a question: the best one for its type, or the one that a survey file asks for."""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import choices

from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import MECHANISMS, Bound, mechanism_for
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.ticks import usual_measure
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.plan.choose import NAMED, choose_design, choose_mechanism, design_again
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Ball, Channel, Design, Laplace, PrivSet, Projective, SquareWave, Subset
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Number, Pair, Part, QuestionType, Scale, YesNo

ONE, TWO = Bound.of_epsilon("1"), Bound.of_epsilon("2")
TYPES: list[tuple[QuestionType, type[Design]]] = [
    (YesNo(), Subset),
    (YesNo(EXTRAS), Subset),
    (choices(2048), Subset),
    (choices(2049), Projective),
    (MultiChoice(choices(8).options), Ball),
    (MultiChoice(choices(8).options, 2), PrivSet),
    (MultiChoice(choices(8).options, 8), Ball),
    (Scale(1, 5), Subset),
    (Scale(1, 5, report="mean"), Channel),
    (Number("0", "40"), Channel),
    (Number("0", "40", "mean", EXTRAS), Channel),
    (Number("0", "40", "distribution", EXTRAS), SquareWave),
    (Pair((Part("a", "A?", YesNo()), Part("b", "B?", choices(5)))), Subset),
]


@pytest.mark.parametrize(("question_type", "design"), TYPES)
def test_every_type_gets_the_best_mechanism_that_competes_for_it(
    question_type: QuestionType, design: type[Design]
) -> None:
    chosen = choose_mechanism(question_type, ONE)
    assert type(chosen.design) is design
    assert chosen.design.epsilon <= ONE.epsilon
    assert chosen.design.domain.covers(question_type.domain)
    rivals = (half.best(question_type, ONE) for half in MECHANISMS.values() if not half.BY_NAME)
    measure = usual_measure(question_type)
    ranks = [mechanism_for(question_type, rival).compared_by(measure) for rival in rivals if rival is not None]
    assert chosen.compared_by(measure) == min(ranks)


@pytest.mark.parametrize("share", [0.02, 0.25, 0.6, None])
@pytest.mark.parametrize("most", [None, 2])
def test_ticks_get_the_best_design_at_the_share_that_is_stated(most: int | None, share: float | None) -> None:
    question_type, measure = MultiChoice(choices(8).options, most), AtShare(share)
    for epsilon in ("1", "3", "6"):
        bound = Bound.of_epsilon(epsilon)
        chosen = choose_mechanism(question_type, bound, measure=measure)
        for other in (None, AtShare(0.02), AtShare(0.5), AtShare(None)):
            rival = choose_mechanism(question_type, bound, measure=other)
            assert measure(chosen.variance_by_answer()) <= measure(rival.variance_by_answer()) * (1 + 1e-12)


def test_no_share_makes_another_design_better_for_all_categories_together() -> None:
    # Σλ(1 − λ)/(p − q)² = a number of the design − Σf²: what people answer shifts all designs alike.
    shares = [[0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.1, 0.1], [1.0, 0.0, 0.0, 0.0]]
    for picks in (1, 2, 3):
        design = SubsetMechanism.of(ONE, 4, picks)
        support = SupportDesign(design.p, design.q)
        rates = [[support.rate(share) for share in each] for each in shares]
        totals = [sum(rate * (1 - rate) for rate in each) / support.gap**2 for each in rates]
        shifted = [total + sum(share**2 for share in each) for total, each in zip(totals, shares, strict=True)]
        assert shifted == pytest.approx([shifted[0]] * 3)
    for measure in (AtShare(0.01), AtShare(0.9), AtShare(None)):
        assert choose_design(choices(16), ONE, measure=measure) == choose_design(choices(16), ONE)


def test_a_mechanism_that_is_asked_for_by_name_does_not_compete() -> None:
    assert NAMED == ("laplace",)
    assert isinstance(choose_design(Number("0", "40"), ONE, mechanism="laplace"), Laplace)


@pytest.mark.parametrize("name", ["gauss", "channel", "subset", ""])
def test_only_some_mechanisms_can_be_asked_for_by_name(name: str) -> None:
    with pytest.raises(InvalidValue, match="mechanism must be laplace, or be left out"):
        choose_design(Number("0", "40"), ONE, mechanism=name)


@pytest.mark.parametrize(
    "question_type", [YesNo(), Number("0", "40", "distribution"), Number("0", "40", "mean", EXTRAS), Scale(1, 5)]
)
def test_a_named_mechanism_that_does_not_fit_is_refused_with_the_cure(question_type: QuestionType) -> None:
    with pytest.raises(InvalidValue, match="laplace is for report: mean without decline"):
        choose_design(question_type, ONE, mechanism="laplace")


def test_a_second_bound_gives_repeated_draws_to_questions_with_one_true_answer() -> None:
    for question_type in (YesNo(), YesNo(EXTRAS), choices(5), Scale(1, 5)):
        expected = RepeatedMechanism.of(ONE, TWO, len(question_type.cells))
        assert choose_design(question_type, ONE, permanent=TWO) == expected


@pytest.mark.parametrize(
    "question_type",
    [MultiChoice(choices(3).options), Number("0", "40"), Scale(1, 5, report="mean"), TYPES[-1][0]],
)
def test_other_questions_cannot_be_repeated(question_type: QuestionType) -> None:
    with pytest.raises(InvalidValue, match="repeated waves are for yes_no, single_choice and scale"):
        choose_design(question_type, ONE, permanent=TWO)


def test_another_type_gets_a_design_with_the_same_privacy() -> None:
    plain = choose_mechanism(YesNo(EXTRAS), ONE)
    again = design_again(plain, YesNo())
    assert isinstance(again, Subset)
    assert (again.size, again.epsilon <= plain.design.epsilon) == (2, True)
    waves = mechanism_for(choices(4), RepeatedMechanism.of(ONE, TWO, 4))
    repeated = design_again(waves, choices(3))
    assert float(repeated.epsilon) == pytest.approx(2, abs=1e-9)
    assert float(mechanism_for(choices(3), repeated).claim[0]) == pytest.approx(1, abs=1e-9)
