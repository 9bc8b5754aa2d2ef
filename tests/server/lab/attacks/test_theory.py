"""What the attacks state is true: enumerated, computed in another way, or measured at a fixed seed.

A measured share must be within five standard deviations of the stated one. The seeds are fixed, so no run fails by
chance.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import CURVE, Setting, truthful
from hushpoll_server.lab.attacks.averaging import majority
from hushpoll_server.lab.attacks.decoding import Decoder, all_tables, consistent, nearest, random_subsets
from hushpoll_server.lab.attacks.differencing import success
from hushpoll_server.lab.attacks.membership import success as membership_success
from hushpoll_server.lab.attacks.other_side import QUANTILE, posterior
from hushpoll_server.lab.attacks.reconstruction import adversarial_answers
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.result import AttackResult, Table, Value
from hushpoll_server.lab.stream import SeededStream, bits
from hushpoll_server.mechanisms.bound import Bound

DEVIATIONS = 5


def run(name: str, **settings: object) -> AttackResult:
    return ATTACKS[name].run(Setting(**settings))  # type: ignore[arg-type]


def table(result: AttackResult, name: str) -> Table:
    [found] = [table for table in result.tables if table.name == name]
    return found


def rows(result: AttackResult, name: str) -> list[dict[str, Value]]:
    found = table(result, name)
    return [dict(zip([column.name for column in found.columns], row, strict=True)) for row in found.rows]


def agree(measured: Value, expected: Value, trials: int) -> bool:
    share, stated = float(measured or 0), float(expected or 0)
    return abs(share - stated) <= DEVIATIONS * math.sqrt(stated * (1 - stated) / trials) + 1 / trials


@pytest.mark.parametrize("epsilon", [float(each) for each in CURVE] + [0.05, 0.5])
def test_the_best_guess_from_a_difference_is_right_as_often_as_stated(epsilon: float) -> None:
    reach = math.ceil(45 / epsilon)
    law = math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(np.arange(-reach, reach + 1)))
    difference = np.convolve(law, law)
    # Every rule guesses one of the bits at each value; the best one takes the likelier
    best = (np.maximum(np.append(difference, 0), np.append(0, difference)).sum()) / 2
    assert success(CountNoise(epsilon)) == pytest.approx(best, abs=1e-12)
    # Whoever knows all others needs one answer: the limit, and the truth of a report
    one = (np.maximum(np.append(law, 0), np.append(0, law)).sum()) / 2
    assert truthful(epsilon) == pytest.approx(one, abs=1e-12)
    assert success(CountNoise(epsilon)) <= truthful(epsilon)


def test_differencing_measures_what_theory_says() -> None:
    result = run("differencing", seed=2)
    for row in rows(result, "curve"):
        for name in ("half", "each", "local"):
            assert agree(row[f"{name}_measured"], row[f"{name}_theory"], 20_000), (row["epsilon"], name)
    for row in rows(result, "defences"):
        assert row["theory"] is None or agree(row["measured"], row["theory"], 20_000), row["defence"]
    for row in rows(result, "sums"):
        # The relative standard deviation of an RMSE of 20,000 Laplace errors is below one in a hundred
        assert row["theory"] is None or row["error"] == pytest.approx(float(row["theory"] or 0), rel=0.05)


def test_eleven_fresh_draws_at_three_to_one_reveal_an_answer_to_97_percent() -> None:
    exact = sum(math.comb(11, k) * 3**k for k in range(6, 12)) / 4**11
    assert majority(0.75, 11) == pytest.approx(exact, abs=1e-14)
    assert round(exact, 4) == 0.9657
    assert majority(0.75, 2) == pytest.approx(0.75)


def test_many_answers_say_no_more_than_their_majority() -> None:
    # The best guess from three noisy counts, over all that can happen, against the majority of three tosses
    epsilon, reach = 0.9, 22
    values = np.arange(-reach, reach + 2)
    law = [math.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(values - bit)) for bit in (0, 1)]
    joint = [np.einsum("i,j,k->ijk", one, one, one) for one in law]
    best = float(np.sum(np.maximum(joint[0], joint[1]))) / 2
    assert best == pytest.approx(majority(truthful(epsilon), 3), abs=1e-7)


def test_averaging_measures_what_theory_says() -> None:
    result = run("averaging", seed=2, n=20_000)
    for row in rows(result, "curve"):
        for name in ("bounded", "fresh", "budget", "draws", "remembered"):
            assert agree(row[f"{name}_measured"], row[f"{name}_theory"], 20_000), (row["times"], name)


@pytest.mark.parametrize("bound", [0, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_table_within_the_bound_has_at_most_4e_wrong_entries(bound: int, seed: int) -> None:
    stream = SeededStream(seed, "bound")
    truth = bits(stream, 9)
    exact = all_tables(9) @ truth
    answers = adversarial_answers(truth, bound, stream)
    assert np.abs(answers - exact).max() <= bound
    explained = consistent(answers, bound, 9)
    assert (np.abs(explained - truth).sum(axis=1) == 0).any()
    assert np.abs(explained - truth).sum(axis=1).max() <= 4 * bound
    by_hand = [c for c in product((0, 1), repeat=9) if np.abs(all_tables(9) @ c - answers).max() <= bound]
    assert sorted(by_hand) == sorted(map(tuple, explained.tolist()))


def test_the_bound_of_4e_is_attained_and_random_noise_hides_nothing() -> None:
    small = [row for row in rows(run("reconstruction", n=32), "small") if row["bound"] is not None]
    assert {(row["bound"], row["most_wrong"]) for row in small if row["noise"] == "worst"} == {(0, 0), (1, 4), (2, 8)}
    assert {row["most_wrong"] for row in small if row["noise"] == "random"} == {0}


def test_the_nearest_table_is_the_nearest_of_all() -> None:
    stream = SeededStream(1, "nearest")
    answers = all_tables(6) @ bits(stream, 6) + CountNoise(0.3).draw(stream, 64)
    distances = [((answers - all_tables(6) @ c) ** 2).sum() for c in all_tables(6)]
    assert nearest(answers, 6).tolist() == all_tables(6)[int(np.argmin(distances))].tolist()


def test_exact_answers_and_small_noise_give_the_whole_table() -> None:
    stream = SeededStream(1, "decode")
    truth, decoder = bits(stream, 64), Decoder(random_subsets(stream, 128, 64))
    exact = decoder.questions @ truth
    for decode in (decoder.by_programming, decoder.by_squares):
        assert decode(exact).tolist() == truth.tolist()


def test_least_squares_recovers_the_stated_share() -> None:
    stream, times = SeededStream(1, "squares"), 400
    truth, decoder, noise = bits(stream, 64), Decoder(random_subsets(stream, 128, 64)), CountNoise(0.4)
    answers = (decoder.questions @ truth)[:, None] + noise.draw(stream, 128 * times).reshape(128, times)
    share = float((decoder.by_squares(answers) == truth[:, None]).mean())
    # The normal law is close, not exact; entries of one table hang on the same noise
    assert share == pytest.approx(decoder.expected_by_squares(math.sqrt(noise.variance)), abs=0.01)


def test_no_share_above_the_limit_is_recovered_from_a_private_release() -> None:
    by_defence = {row["defence"]: row for row in rows(run("reconstruction", n=64), "defences")}
    for name in ("calibrated noise with a budget", "local randomization"):
        assert float(by_defence[name]["recovered"] or 0) <= truthful(1) + DEVIATIONS * math.sqrt(0.25 / 64 / 200)
        assert by_defence[name]["blatant"] is False
    for row in rows(run("reconstruction", n=64), "priors"):
        assert agree(row["recovered"], row["theory"], 64 * 200)


def test_linked_tables_single_out_more_people_than_one_and_noise_stays_below_its_limit() -> None:
    result = run("linkage", seed=2)
    for row in rows(result, "joined"):
        assert float(row["two_candidates"] or 0) < float(row["one_candidates"] or 0)
        assert float(row["two_right"] or 0) > float(row["one_right"] or 0)
    assert rows(result, "joined")[0]["two_singled_out"] == pytest.approx(0.77, abs=0.05)
    for row in rows(result, "defences"):
        assert row["limit"] is None or float(row["right"] or 0) < float(row["limit"] or 0)
    first = rows(result, "unique")[0]
    assert agree(first["unique"], first["theory"], 20_000)


def test_membership_measures_what_the_normal_law_says() -> None:
    for row in rows(run("membership", seed=2, n=200), "curve"):
        for name in ("exact", "bounded", "budget", "local"):
            # All people of a group are compared with the same averages
            assert float(row[f"{name}_measured"] or 0) == pytest.approx(float(row[f"{name}_theory"] or 0), abs=0.06)
    spread = np.full(400, 0.5)
    # ½ √(d/n) without noise
    assert membership_success(spread, 100, 0.0) == pytest.approx(0.5 * (1 + math.erf(1 / math.sqrt(2))))


def test_what_is_released_tells_the_same_of_a_stranger_whatever_its_defence() -> None:
    result = run("auxiliary", seed=2)
    none, *released = rows(result, "heights")
    assert all(float(row["error"] or 0) < float(none["error"] or 0) / 5 for row in released)
    for row in released:
        assert float(row["error"] or 0) == pytest.approx(float(row["theory"] or 0), rel=0.25)
    for row in rows(result, "risks")[1:]:
        assert float(row["risk"] or 0) > 0.13
        assert row["own"] == pytest.approx(0, abs=3e-4)


def test_a_report_multiplies_the_odds_and_measured_beliefs_agree() -> None:
    assert posterior(0.5, math.log(3)) == pytest.approx(0.75)
    assert posterior(0.5, -math.log(3)) == pytest.approx(0.25)
    result = run("other-side", seed=2)
    for row in rows(result, "posterior"):
        before = float(row["prior"] or 0)
        for side in ("yes", "no"):
            # At least one report in five says yes, and at least one in five no
            assert agree(row[f"{side}_measured"], row[side], 40_000), (before, side)


def test_the_width_of_two_coins_covers_as_stated() -> None:
    assert pytest.approx(1.9599639845) == QUANTILE
    for row in rows(run("other-side", seed=2), "width"):
        n = int(row["n"] or 0)
        inside = [c for c in range(n + 1) if abs(2 * c / n - 1) <= QUANTILE / math.sqrt(n)]
        assert row["exact"] == pytest.approx(float(np.sum(binom.pmf(inside, n, 0.5))), abs=1e-9)
        assert agree(row["measured"], row["exact"], min(2_000, 2_000_000 // n))


def test_two_coins_are_odds_of_three_to_one() -> None:
    # All four falls of two fair coins, for both answers
    told = [(answer, answer if first else second) for answer in (0, 1) for first in (0, 1) for second in (0, 1)]
    assert sum(answer == report for answer, report in told) / len(told) == 0.75
    assert float(Bound.of_odds("3:1").epsilon) == pytest.approx(math.log(3))
