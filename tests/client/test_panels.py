"""Waves of a panel: what cannot be seen costs nothing, what is new is told, and no answer decides who takes part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector
from tests.samples.surveys import KEY
from tests.vectors.read import vectors
from tests.vectors.surveys import surveys

from hushpoll_client import AlreadyAnswered, Client, EpsilonCapExceeded
from hushpoll_client.permanent import Memory
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import Option, SingleChoice
from hushpoll_shared.signing import SigningKey, sign

PANEL = surveys()["panel"][0]
MOOD, SURE = PANEL.questions
EPSILON = MOOD.design.epsilon
WAVES = 25
ALIKE = [case["text"] for case in vectors("texts")["normal"] if case["normal"] == "Do you smoke?"]
OTHER_KEY = SigningKey.generate()

Publish = Callable[[Manifest], None]


@pytest.fixture
def publish(collector: Collector) -> Publish:
    def put(manifest: Manifest, key: SigningKey = KEY) -> None:
        collector.envelopes[manifest.survey] = sign(manifest, key)

    return put


def wave(number: int, **changes: Any) -> Manifest:
    """Return a wave with one repeated question."""
    return replace(PANEL, survey=f"wave-{number}", questions=(replace(MOOD, **changes),))


def take_part(client: Client, name: str, mood: bool = True) -> tuple[str, ...]:
    """Answer a wave; return the questions that were reported as new."""
    survey = client.survey(name)
    client.submit(survey.randomize({"mood": mood}))
    return survey.new_questions


def waves_sent(client: Client, moods: Iterable[bool]) -> int:
    """Count the waves that can be answered before one is refused."""
    sent = 0
    for mood in moods:
        try:
            take_part(client, f"wave-{sent}", mood)
        except EpsilonCapExceeded:
            return sent
        sent += 1
    return sent


def test_25_waves_with_invisible_changes_have_the_same_permanent_draws_and_cost_once(
    client: Client, publish: Publish
) -> None:
    texts = [ALIKE[number % len(ALIKE)] + "\u200b" * number for number in range(WAVES)]
    assert len(set(texts)) == WAVES
    memories = set()
    for number, text in enumerate(texts):
        publish(manifest := wave(number, text=text))
        survey = client.survey(manifest.survey)
        assert (survey.knows_panel, survey.new_questions) == (number > 0, ())
        [question] = manifest.questions
        assert survey.secret
        memory = Memory.of(survey.secret, manifest, question)
        memories.add((*memory.draws(), memory.tag(1)))
        client.submit(survey.randomize({"mood": True}))
    assert len(memories) == 1
    assert client.spent == str(EPSILON)


def test_25_waves_with_really_different_texts_are_told_before_and_refused_at_the_cap(
    client: Client, publish: Publish, collector: Collector
) -> None:
    news, refused = [], []
    for number in range(WAVES):
        publish(wave(number, text=f"Question {number}?"))
        try:
            news.append(take_part(client, f"wave-{number}"))
        except EpsilonCapExceeded as error:
            refused.append(str(error))
    # 4 waves cost 8.
    assert news == [(), *[("mood",)] * 3]
    assert len(collector.posts) == 4
    assert len(refused) == WAVES - 4
    assert refused[0].startswith("with survey wave-4 the waves of panel mood-panel would cost epsilon 9.99")
    assert "skip the survey" in refused[0]


def test_ids_of_options_are_not_seen_and_make_no_other_question() -> None:
    design = replace(PANEL.repeated["mood"], size=2)
    types = [
        SingleChoice((Option("no", "no"), Option("yes", "yes"))),
        SingleChoice((Option("n", "no"), Option("y", "yes\u200b"))),
        SingleChoice((Option("yes", "yes"), Option("no", "no"))),
    ]
    questions = [replace(MOOD, type=each, design=design) for each in types]
    one, alike, other = (Memory.of(b"s", wave(0, type=each.type, design=design), each).tag(0) for each in questions)
    assert one == alike != other


def test_an_app_can_set_the_cap_of_a_panel(make_client: MakeClient, publish: Publish) -> None:
    for number in range(2):
        publish(wave(number, text=f"Question {number}?"))
    client = make_client(max_panel_epsilon=str(EPSILON))
    take_part(client, "wave-0")
    with pytest.raises(EpsilonCapExceeded, match="max_panel_epsilon"):
        client.survey("wave-1")
    with pytest.raises(EpsilonCapExceeded):
        make_client(state=None, max_panel_epsilon="0.1").survey("wave-0")
    assert make_client(max_panel_epsilon="4").survey("wave-1").new_questions == ("mood",)


def test_a_large_first_wave_is_the_measure_of_the_later_ones(make_client: MakeClient, publish: Publish) -> None:
    questions = tuple(replace(MOOD, id=f"q{number}") for number in range(5))
    for number in range(3):
        changed = tuple(replace(each, text=f"{number}?") for each in questions)
        publish(replace(PANEL, survey=f"wave-{number}", questions=changed))
    client = make_client(max_epsilon="20")
    for number in range(2):
        survey = client.survey(f"wave-{number}")
        client.submit(survey.randomize({question.id: True for question in questions}))
    assert client.spent == str(Epsilon(10 * EPSILON.units))
    with pytest.raises(EpsilonCapExceeded, match="together"):
        client.survey("wave-2")


def test_questions_that_are_not_repeated_count_in_every_wave_of_a_panel(client: Client, publish: Publish) -> None:
    sent = 0
    while sent < WAVES:
        publish(replace(PANEL, survey=f"wave-{sent}"))
        try:
            client.submit(client.survey(f"wave-{sent}").randomize({"mood": True, "sure": True}))
        except EpsilonCapExceeded:
            break
        sent += 1
    # 2 for the repeated question, and 12 times 0.5.
    assert sent == 12


@pytest.mark.parametrize(("times", "waves"), [(1, 1), (1.5, 1), (2, 2), (2.5, 2), (3, WAVES)])
def test_near_the_total_cap_a_wave_that_repeats_an_answer_and_one_that_changes_it_meet_the_same_end(
    make_client: MakeClient, publish: Publish, times: float, waves: int
) -> None:
    for number in range(WAVES):
        publish(wave(number))
    cap = str(Epsilon(int(EPSILON.units * times)))
    histories = [[True] * WAVES, [True, False] * WAVES, [False, True, True] * WAVES]
    ends = [waves_sent(make_client(state=None, max_total_epsilon=cap), moods[:WAVES]) for moods in histories]
    # There are three answers: more than three times the permanent epsilon cannot be spent.
    assert ends == [waves] * 3


def test_near_the_total_cap_a_report_is_kept_or_refused_whatever_it_answers_when_another_came_between(
    make_client: MakeClient, publish: Publish
) -> None:
    for number in range(3):
        publish(wave(number))
    for mood in (True, False):
        client = make_client(state=None, max_total_epsilon=str(Epsilon(2 * EPSILON.units)))
        take_part(client, "wave-0")
        second, third = client.survey("wave-1"), client.survey("wave-2")
        client.submit(second.randomize({"mood": True}))
        with pytest.raises(EpsilonCapExceeded):
            client.submit(third.randomize({"mood": mood}))


def test_what_is_spent_stays_what_was_really_charged(client: Client, publish: Publish) -> None:
    for number in range(3):
        publish(wave(number))
        take_part(client, f"wave-{number}", mood=number < 2)
    assert client.spent == str(EPSILON + EPSILON)


def test_the_identical_manifest_under_another_key_is_found_and_not_drawn_again(
    make_client: MakeClient, publish: Any, collector: Collector
) -> None:
    publish(wave(0))
    take_part(make_client(), "wave-0")
    publish(wave(0), OTHER_KEY)
    client = make_client(key=OTHER_KEY.public)
    survey = client.survey("wave-0")
    with pytest.raises(AlreadyAnswered):
        client.submit(survey.randomize({"mood": False}))
    assert len(collector.posts) == 1
    assert client.spent == str(EPSILON)


def test_another_survey_of_the_same_name_from_another_publisher_is_another_survey(
    make_client: MakeClient, publish: Any, collector: Collector
) -> None:
    publish(wave(0))
    take_part(make_client(), "wave-0")
    publish(wave(0, text="Something else?"), OTHER_KEY)
    client = make_client(key=OTHER_KEY.public)
    assert not client.survey("wave-0").knows_panel
    assert take_part(client, "wave-0") == ()
    assert len(collector.posts) == 2


def test_a_panel_that_goes_on_under_another_key_costs_again_and_says_so(make_client: MakeClient, publish: Any) -> None:
    publish(wave(0))
    take_part(make_client(), "wave-0")
    publish(wave(1), OTHER_KEY)
    survey = make_client(key=OTHER_KEY.public).survey("wave-1")
    assert survey.knows_panel
    assert survey.new_questions == ("mood",)
    with pytest.raises(EpsilonCapExceeded):
        make_client(key=OTHER_KEY.public, max_panel_epsilon=str(EPSILON)).survey("wave-1")


def test_a_device_without_a_memory_of_the_panel_says_so(make_client: MakeClient, publish: Publish) -> None:
    publish(wave(0))
    publish(wave(1))
    client = make_client()
    take_part(client, "wave-0")
    assert client.survey("wave-1").knows_panel
    assert not make_client(state=None).survey("wave-1").knows_panel


def test_what_is_kept_of_a_panel_does_not_depend_on_the_answers(make_client: MakeClient, publish: Publish) -> None:
    kept = []
    for moods in ([True, True], [True, False]):
        client = make_client(state=None)
        for number, mood in enumerate(moods):
            publish(wave(number))
            take_part(client, f"wave-{number}", mood)
        kept.append(client._state.waves())
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2
