"""The alarm for equal whole reports: exact bounds, all kinds of honest surveys, and the attack."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest

from hushpoll_server.estimate import equal_reports
from hushpoll_server.estimate.equal_reports import DrawChance, is_beyond_chance

Whole = tuple[int, ...]


def parts_of(whole: Whole, counts: dict[Whole, int], kept: Sequence[float]) -> list[DrawChance]:
    """Return the chances and the counts of the parts of a whole report to yes/no questions."""
    told = []
    for place, (draw, p) in enumerate(zip(whole, kept, strict=True)):
        count = sum(times for other, times in counts.items() if other[place] == draw)
        told.append(DrawChance(math.log(max(p, 1 - p)), min(p, 1 - p), 2, count))
    return told


def raises(counts: dict[Whole, int], kept: Sequence[float]) -> bool:
    reports = sum(counts.values())
    return any(is_beyond_chance(times, reports, parts_of(whole, counts, kept)) for whole, times in counts.items())


def chances_of(answers: dict[Whole, float], kept: Sequence[float]) -> dict[Whole, float]:
    """Return the chance of each whole report if people give these answers with these shares."""
    return {
        whole: sum(
            share * math.prod(p if draw == said else 1 - p for draw, said, p in zip(whole, answer, kept, strict=True))
            for answer, share in answers.items()
        )
        for whole in product((0, 1), repeat=len(kept))
    }


def compositions(total: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, places - 1):
            yield (first, *rest)


@pytest.mark.parametrize(
    "answers", [{(1, 1): 1.0}, {(1, 1): 0.5, (0, 0): 0.5}, {(1, 1): 0.2, (0, 1): 0.3, (0, 0): 0.5}]
)
@pytest.mark.parametrize("kept", [(0.75, 0.73), (0.6, 0.9)])
@pytest.mark.parametrize("alarm", [0.2, 0.01])
def test_the_false_alarm_rate_is_exactly_below_what_is_stated(
    monkeypatch: pytest.MonkeyPatch, answers: dict[Whole, float], kept: tuple[float, float], alarm: float
) -> None:
    """Every possible outcome of 24 honest reports is enumerated with its probability."""
    monkeypatch.setattr(equal_reports, "FALSE_ALARM_PROBABILITY", alarm)
    chances, rate = chances_of(answers, kept), 0.0
    for numbers in compositions(24, 4):
        if raises(dict(zip(chances, numbers, strict=True)), kept):
            ways = math.factorial(24) / math.prod(map(math.factorial, numbers))
            rate += ways * math.prod(chance**number for chance, number in zip(chances.values(), numbers, strict=True))
    assert rate <= alarm


def expected(answers: dict[Whole, float], kept: Sequence[float], reports: int) -> dict[Whole, int]:
    return {whole: round(reports * chance) for whole, chance in chances_of(answers, kept).items()}


@pytest.mark.parametrize("questions", [1, 2, 3, 8])
@pytest.mark.parametrize("p", [0.55, 0.75, 0.95, 0.999])
def test_an_honest_survey_raises_no_alarm_however_alike_people_are(questions: int, p: float) -> None:
    """Everybody says yes to everything, which makes the most equal reports that honest devices can produce."""
    kept = [p] * questions
    for reports in (100, 5_000, 1_000_000):
        assert not raises(expected({(1,) * questions: 1.0}, kept, reports), kept)


@pytest.mark.parametrize(
    ("questions", "p"),
    [(2, 0.6), (2, 0.635), (3, 0.7), (4, 0.75), (6, 0.635), (6, 0.8), (10, 0.75), (10, 0.9)],
)
def test_a_thousand_equal_invented_reports_among_five_thousand_raise_the_alarm(questions: int, p: float) -> None:
    """The attack: 1,000 reports moved an estimate from 20 % to 63 % without a warning."""
    kept = [p] * questions
    honest = {whole: math.prod(0.2 if said else 0.8 for said in whole) for whole in product((0, 1), repeat=questions)}
    counts = expected(honest, kept, 4_000)
    counts[(1,) * questions] += 1_000
    share = (sum(times for whole, times in counts.items() if whole[0]) / sum(counts.values()) - (1 - p)) / (2 * p - 1)
    assert share > 0.3
    assert raises(counts, kept)


def test_one_yes_no_question_tells_nothing_about_equal_reports() -> None:
    for yes in range(0, 1_001, 50):
        assert not raises({(1,): yes, (0,): 1_000 - yes}, [0.999])


def test_copies_of_a_long_report_are_noticed_and_a_few_are_not() -> None:
    parts = [DrawChance(math.log(0.01))] * 20
    assert not is_beyond_chance(4, 1_000, parts)
    assert is_beyond_chance(5, 1_000, parts)


def test_where_devices_answer_some_questions_the_choice_counts_as_chance() -> None:
    parts = [DrawChance(math.log(0.75))] * 6
    # Two of six: 15 choices, each with at most 0.5625 for its most likely pair of draws.
    likely = round(100_000 * 0.5625 / 15)
    assert not is_beyond_chance(likely, 100_000, parts, ask=2)
    assert is_beyond_chance(2 * likely, 100_000, parts, ask=2)


def test_seeded_honest_surveys_of_associated_answers_raise_no_alarm() -> None:
    """Two hundred surveys; with the stated rate a false alarm among them has probability below 2e-7."""
    chance = Random(20261116)
    for _ in range(200):
        kept = [chance.uniform(0.55, 0.95) for _ in range(chance.randint(2, 5))]
        kinds = [tuple(chance.randint(0, 1) for _ in kept) for _ in range(3)]
        counts: dict[Whole, int] = {}
        for _ in range(chance.choice((50, 400))):
            said = chance.choice(kinds)
            drawn = tuple(one if chance.random() < p else 1 - one for one, p in zip(said, kept, strict=True))
            counts[drawn] = counts.get(drawn, 0) + 1
        assert not raises(counts, kept)
