"""A device answers a repeated question from a permanent draw, and pays for each different answer once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.mechanisms.test_repeated import SECRET
from tests.vectors.read import vectors
from tests.vectors.surveys import surveys

from hushpoll_client import EpsilonCapExceeded, SQLiteState, Survey
from hushpoll_client.permanent import Memory, secret_for
from hushpoll_client.state import Entry
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.mechanisms import Repeated, read_design

DESIGN = RepeatedMechanism.of(Bound.of_epsilon("1"), Bound.of_epsilon("2"), 4)


@pytest.mark.parametrize("case", vectors("repeated")["cases"], ids=lambda case: str(case["question"]))
def test_permanent_draws_and_tags_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    design = read_design(case["mechanism"])
    assert isinstance(design, Repeated)
    memory = Memory(bytes.fromhex(case["secret"]), case["panel"], case["question"], design)
    assert memory.draws() == case["permanent"]
    assert [memory.tag(code) for code in range(design.size)] == case["tags"]
    assert str(design.once) == case["wave_epsilon"]


def test_the_permanent_draw_of_an_answer_never_changes_on_a_device() -> None:
    memory = Memory(SECRET, "panel", "mood", DESIGN)
    assert memory.draws() == Memory(SECRET, "panel", "mood", DESIGN).draws()


def test_another_device_panel_or_question_draws_anew() -> None:
    memory = Memory(SECRET, "panel", "mood", DESIGN)
    others = [
        Memory(bytes(32), "panel", "mood", DESIGN),
        Memory(SECRET, "other", "mood", DESIGN),
        Memory(SECRET, "panel", "other", DESIGN),
    ]
    assert all(other.tag(0) != memory.tag(0) for other in others)


def test_a_question_with_another_text_is_another_question() -> None:
    manifest, _ = surveys()["panel"]
    question = manifest.questions[0]
    one = Memory.of(SECRET, manifest, question)
    other = Memory.of(SECRET, manifest, replace(question, text="Bad?"))
    assert one.tag(0) != other.tag(0)


def test_each_publisher_meets_another_device() -> None:
    assert len({SECRET, secret_for(SECRET, "ed25519:one"), secret_for(SECRET, "ed25519:two")}) == 3


def test_permanent_draws_of_many_devices_have_the_odds_of_the_design() -> None:
    n = 4000
    kept = sum(Memory(i.to_bytes(32, "big"), "panel", "mood", DESIGN).draw(2) == 2 for i in range(n))
    # Fixed secrets: a seeded test. Five standard deviations wide.
    p = float(DESIGN.first.p)
    assert abs(kept - n * p) < 5 * (n * p * (1 - p)) ** 0.5


def test_many_waves_of_one_device_show_its_permanent_draw_and_no_more() -> None:
    manifest, [answers, _] = surveys()["panel"]
    survey = Survey(manifest, SECRET)
    draws = Counter(survey.randomize(answers).draws["mood"] for _ in range(400))
    permanent = Memory.of(SECRET, manifest, manifest.questions[0]).draw(1)
    assert draws.most_common(1)[0][0] == f"{permanent:x}"


def entry(survey: str, epsilon: str) -> Entry:
    return Entry("key", survey, "m", Epsilon.parse(epsilon), "ab" * 16, b"{}")


def test_the_ledger_charges_every_different_answer_once(tmp_path: Path) -> None:
    state = SQLiteState(tmp_path / "state.sqlite")
    two = Epsilon.parse("2")
    assert str(state.claim(entry("wave-1", "0.5"), most=None, memos={"yes": two}).epsilon) == "2.5"
    assert str(state.claim(entry("wave-2", "0.5"), most=None, memos={"yes": two}).epsilon) == "0.5"
    assert str(state.claim(entry("wave-3", "0.5"), most=None, memos={"no": two}).epsilon) == "2.5"
    assert str(state.spent()) == "5.5"
    state.close()
    again = SQLiteState(tmp_path / "state.sqlite")
    assert str(again.claim(entry("wave-4", "0.5"), most=None, memos={"yes": two, "no": two}).epsilon) == "0.5"
    again.close()


def test_a_claim_above_the_cap_keeps_no_memo() -> None:
    state = SQLiteState()
    with pytest.raises(EpsilonCapExceeded):
        state.claim(entry("wave-1", "0.5"), most=Epsilon.parse("1"), memos={"yes": Epsilon.parse("2")})
    assert str(state.claim(entry("wave-1", "0.5"), most=None, memos={"yes": Epsilon.parse("2")}).epsilon) == "2.5"


def test_the_secret_of_a_device_is_made_once_and_kept(tmp_path: Path) -> None:
    state = SQLiteState(tmp_path / "state.sqlite")
    secret = state.secret()
    assert len(secret) == 32
    assert state.secret() == secret
    state.close()
    again = SQLiteState(tmp_path / "state.sqlite")
    assert again.secret() == secret
    assert SQLiteState().secret() != secret
    again.close()


def test_neither_a_secret_nor_a_tag_is_shown_or_sent() -> None:
    manifest, [answers, _] = surveys()["panel"]
    survey = Survey(manifest, SECRET)
    report = survey.randomize(answers)
    [tag] = report.memos.values()
    assert tag not in repr(report)
    assert tag not in report.encode().decode()
    assert repr(SECRET) not in repr(survey)
    assert repr(SECRET) not in repr(Memory(SECRET, "panel", "mood", DESIGN))
