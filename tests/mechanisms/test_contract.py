"""What every mechanism must fulfil: privacy, extremes, unbiasedness, variance, vectors, wire format, refusals.

A mechanism is included by its module in this folder (see cases.py) and its file in shared/vectors/.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import Case, every_case, home
from tests.mechanisms.real_law import odds_of, real_law
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_client.mechanisms import draw
from hushpoll_server.mechanisms import MECHANISMS, Bound, Mechanism
from hushpoll_server.mechanisms.numbers import Numeric
from hushpoll_server.mechanisms.supporting import Categorical, Supporting
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import DESIGNS, Draw, read_design
from hushpoll_shared.mechanisms.grid import position

EPSILONS = ("0.1", "0.5", "1", "2", "4")
NOTHING, EVERYTHING = "0.0001", "20"

EVERY = tuple(every_case())
SUPPORTING = tuple(case for case in EVERY if isinstance(case.mechanism("1"), Supporting))
NUMERIC = tuple(case for case in EVERY if isinstance(case.mechanism("1"), Numeric))
CATEGORICAL = tuple(case for case in EVERY if isinstance(case.mechanism("1"), Categorical))


@pytest.mark.parametrize("name", DESIGNS)
def test_every_mechanism_has_all_its_homes(name: str) -> None:
    assert name == DESIGNS[name].NAME
    assert MECHANISMS[DESIGNS[name]].DESIGN is DESIGNS[name]
    assert home(name).law is not None
    assert vectors(name)["cases"]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_real_draws_have_the_law_that_is_written_down_independently(case: Case, epsilon: str) -> None:
    design = case.design(epsilon)
    for code in case.codes:
        assert real_law(design, code) == home(design.NAME).law(design, code)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_weights_of_the_answers_behind_a_draw_are_proportional_to_the_law(case: Case, epsilon: str) -> None:
    mechanism = case.mechanism(epsilon)
    laws = [home(mechanism.design.NAME).law(mechanism.design, code) for code in case.codes]
    draws = list(laws[0])
    weights = mechanism.answer_weights(draws)
    if not case.type.is_exclusive or (not isinstance(mechanism, Categorical) and case.type.points is None):
        assert weights is None
        return
    assert weights is not None
    wanted = np.array([[float(law[draw]) for law in laws] for draw in draws])
    assert weights.shape == wanted.shape
    # A row may have any factor.
    assert weights / weights.sum(axis=1, keepdims=True) == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_worst_ratio_of_the_real_draws_is_exactly_the_claimed_odds(case: Case, epsilon: str) -> None:
    design = case.design(epsilon)
    laws = [real_law(design, code) for code in case.codes]
    assert all(sum(each.values()) == 1 for each in laws)
    assert odds_of(laws) == design.odds


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_realised_epsilon_is_never_above_the_stated_one_and_close_to_it(case: Case, epsilon: str) -> None:
    stated, realised = Bound.of_epsilon(epsilon).epsilon, case.design(epsilon).epsilon
    assert realised <= stated
    assert float(realised) == pytest.approx(float(stated), abs=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_likeliest_draw_is_exactly_as_likely_as_the_alarm_for_equal_reports_takes_it(
    case: Case, epsilon: str
) -> None:
    mechanism = case.mechanism(epsilon)
    laws = [home(mechanism.design.NAME).law(mechanism.design, code) for code in case.codes]
    likeliest, least = (pick(pick(each.values()) for each in laws) for pick in (max, min))
    assert math.exp(mechanism.log_likeliest()) == pytest.approx(float(likeliest), rel=1e-12)
    for drawn in laws[0]:
        if (known := mechanism.least_likely(drawn)) is not None:
            chance, draws = known
            assert chance == pytest.approx(float(least), rel=1e-12)
            assert draws == len(laws[0])


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_an_epsilon_near_zero_teaches_nothing(case: Case) -> None:
    design = case.design(NOTHING)
    laws = [home(design.NAME).law(design, code) for code in case.codes]
    assert all(sum(abs(each[d] - laws[0][d]) for d in each) / 2 < Fraction(1, 10_000) for each in laws)


@pytest.mark.parametrize("case", CATEGORICAL, ids=str)
def test_an_epsilon_of_20_is_the_truth(case: Case) -> None:
    assert case.mechanism(EVERYTHING).design.p > 1 - Fraction(1, 10**6)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", SUPPORTING, ids=str)
def test_an_answer_is_supported_with_p_if_it_is_true_and_with_q_if_not(case: Case, epsilon: str) -> None:
    mechanism = case.mechanism(epsilon)
    for code in case.codes:
        for answer, (supported, asked) in enumerate(chances_of_support(mechanism, code)):
            assert supported / asked == (mechanism.design.p if holds(code, answer) else mechanism.design.q)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", SUPPORTING, ids=str)
def test_the_scores_of_enumerated_draws_average_to_1_for_what_is_true_and_0_for_all_else(
    case: Case, epsilon: str
) -> None:
    mechanism = case.mechanism(epsilon)
    for code in case.codes:
        average = average_scores(mechanism, code)
        assert average == pytest.approx([float(holds(code, answer)) for answer in range(average.size)], abs=1e-7)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", NUMERIC, ids=str)
def test_the_scores_of_enumerated_draws_average_to_the_number(case: Case, epsilon: str) -> None:
    mechanism = case.mechanism(epsilon)
    low, high = map(float, case.type.range)
    for code in case.codes:
        is_number, centred = average_scores(mechanism, code)
        masses = [float(mass) for mass in case.type.point_masses]
        if isinstance(code, int) and code >= len(masses):
            assert (is_number, centred) == pytest.approx((0, 0), abs=1e-6 * (high - low))
            continue
        place = (masses[code] - low) / (high - low) if isinstance(code, int) else float(code)
        if mechanism.design.NAME == "square_wave" and not isinstance(code, int):
            # A number counts as the middle of its bin.
            place = (min(int(place * mechanism.design.bins), mechanism.design.bins - 1) + 0.5) / mechanism.design.bins
        assert is_number == pytest.approx(1, abs=1e-6)
        assert centred == pytest.approx((place - 0.5) * (high - low), abs=1e-6 * (high - low))


def average_scores(mechanism: Mechanism[Any], code: Any) -> Any:
    """Return the averages over all draws to a code, for each score over the draws that ask it."""
    law = home(mechanism.design.NAME).law(mechanism.design, code)
    scores, chances = mechanism.scores(list(law)), np.array([float(chance) for chance in law.values()])
    asked = np.isfinite(scores)
    return (chances @ np.where(asked, scores, 0)) / (chances @ asked)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", CATEGORICAL, ids=str)
def test_the_stated_variance_is_that_of_the_enumerated_draws(case: Case, epsilon: str) -> None:
    mechanism = case.mechanism(epsilon)
    chances = [chances_of_support(mechanism, code) for code in case.codes]
    rates = [sum(supported for supported, _ in column) / len(column) for column in zip(*chances, strict=True)]
    total = sum(rate * (1 - rate) for rate in rates) / (mechanism.design.p - mechanism.design.q) ** 2
    assert mechanism.variance() == pytest.approx(float(total), rel=1e-12)
    assert mechanism.variance() >= mechanism.lower_bound() * (1 - 1e-12)


@pytest.mark.parametrize("case", CATEGORICAL, ids=str)
def test_a_draw_supports_the_same_answers_alone_and_among_many(case: Case) -> None:
    mechanism: Any = case.mechanism("1")
    draws = list(home(mechanism.design.NAME).law(mechanism.design, case.codes[0]))
    rows = [mechanism.supports(Counter([*mechanism.counters(drawn), "n"])) for drawn in draws]
    assert mechanism.support_rows(draws).tolist() == rows


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_counting_many_draws_is_counting_each(case: Case) -> None:
    mechanism = case.mechanism("1")
    draws = list(home(mechanism.design.NAME).law(mechanism.design, case.codes[0]))
    times = Counter({drawn: place + 1 for place, drawn in enumerate(draws)})
    alone: Counter[str] = Counter()
    for drawn, number in times.items():
        alone.update(dict.fromkeys(mechanism.counters(drawn), number))
    assert mechanism.count(times) == alone


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_draw_for_one_answer_and_against_another_is_as_much_likelier_as_the_odds_say(
    case: Case, epsilon: str
) -> None:
    mechanism = case.mechanism(epsilon)
    laws = [home(mechanism.design.NAME).law(mechanism.design, code) for code in case.codes]
    telling = 0
    for drawn in laws[0]:
        sides = [mechanism.side(code, drawn) for code in case.codes]
        for one, first in zip(sides, laws, strict=True):
            for other, second in zip(sides, laws, strict=True):
                if one > 0 > other:
                    telling += 1
                    assert float(first[drawn] / second[drawn]) == pytest.approx(float(mechanism.design.odds), rel=3e-6)
    assert telling


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("case", EVERY, ids=str)
def test_what_an_audit_looks_for_in_a_draw_is_as_likely_as_it_expects(case: Case, epsilon: str) -> None:
    mechanism = case.mechanism(epsilon)
    for code in case.codes:
        law = home(mechanism.design.NAME).law(mechanism.design, code)
        expected = mechanism.part_chances(code)
        assert len(expected) == mechanism.number_of_parts
        for part, chance in expected.items():
            assert chance == pytest.approx(
                float(sum(p for d, p in law.items() if part in mechanism.parts(d))), abs=1e-12
            )
        assert not expected or {part for drawn in law for part in mechanism.parts(drawn)} == expected.keys()
        told = sum(p for d, p in law.items() if mechanism.side(code, d) > 0)
        assert mechanism.chance_for(code) == pytest.approx(float(told), abs=1e-12)
        exact = sum(p for d, p in law.items() if mechanism.is_exact(code, d))
        assert mechanism.chance_exact(code) == pytest.approx(float(exact), abs=1e-12)


def vector_cases() -> Iterator[Any]:
    for name in DESIGNS:
        yield from (pytest.param(case, id=f"{name}-{i}") for i, case in enumerate(vectors(name)["cases"]))


@pytest.mark.parametrize("case", list(vector_cases()))
def test_the_draws_are_those_of_the_vectors(case: Any) -> None:
    design, source = read_design(case["mechanism"]), FixedTestStream(case["seed"])
    drawn = [draw(design, source, code_of(case["code"])) for _ in case["draws"]]
    assert (drawn, source.taken) == (case["draws"], case["bytes"])
    assert design.to_json() == case["mechanism"]
    assert all(design.is_draw(each) and len(each) == design.width for each in drawn)


@pytest.mark.parametrize("name", DESIGNS)
def test_people_are_told_what_the_vectors_say(name: str) -> None:
    for case in vectors(name)["told"]:
        design = read_design(case["mechanism"])
        assert design.odds_sentence().to_json() == case["odds"]
        assert {kind: design.sent_sentence(kind).to_json() for kind in case["sent"]} == case["sent"]


@pytest.mark.parametrize("name", DESIGNS)
def test_a_mechanism_that_claims_what_its_integers_do_not_give_is_refused(name: str) -> None:
    for case in vectors(name)["refused"]:
        with pytest.raises(InvalidValue):
            read_design(case["mechanism"])


@pytest.mark.parametrize("name", DESIGNS)
def test_a_code_outside_the_domain_is_refused_before_a_byte_is_drawn(name: str) -> None:
    source = FixedTestStream("unused")
    hostile: list[object] = [
        -1, 10**6, True, 1.0, 0.5, None, "0", "", [], [0], (), (2,), (True,), (-1,) * 8, (1,) * 300,
        Fraction(-1, 2), Fraction(3, 2),
    ]  # fmt: skip
    for case in vectors(name)["cases"]:
        design = read_design(case["mechanism"])
        for code in hostile:
            with pytest.raises(InvalidValue, match="outside the domain"):
                draw(design, source, code)
    assert source.taken == 0


@pytest.mark.parametrize("name", DESIGNS)
def test_hostile_draws_are_refused(name: str) -> None:
    for case in vectors(name)["cases"]:
        design, good = read_design(case["mechanism"]), case["draws"][0]
        hostile: list[object] = [
            -1, 0, 1, 2, 1000, 1.0, True, None, [], [0] * 1000, {}, "", "-1", "0" * 1000, "zz", " ", "０", "0x1",
            good + "0", good[:-1], design.blank, good.upper() + " ", json.dumps(good) + "\n", good + "\n",
        ]  # fmt: skip
        assert design.is_draw(good)
        assert not [value for value in hostile if design.is_draw(value)]


def chances_of_support(mechanism: Any, code: Any) -> list[tuple[Fraction, Fraction]]:
    """Return, for each answer, the chances that a draw to the code supports it and that it asks about it."""
    chances = [(Fraction(0), Fraction(0)) for _ in mechanism.type.cells]
    for drawn, chance in home(mechanism.design.NAME).law(mechanism.design, code).items():
        counted = one_report(mechanism, drawn)
        supports = mechanism.supports(counted)
        chances = [
            (supported + chance * supports[answer], asked + chance * mechanism.asked(counted, answer))
            for answer, (supported, asked) in enumerate(chances)
        ]
    return chances


def one_report(mechanism: Mechanism[Any], drawn: Draw) -> Counter[str]:
    return Counter([*mechanism.counters(drawn), "n"])


def holds(code: Any, answer: int) -> bool:
    return bool(code[answer]) if isinstance(code, tuple) else code == answer


def code_of(written: Any) -> Any:
    if isinstance(written, dict):
        return position(written["value"], Fraction(written["min"]), Fraction(written["max"]))
    return tuple(written) if isinstance(written, list) else written
