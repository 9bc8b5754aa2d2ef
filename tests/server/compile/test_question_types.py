"""Every type of question in a survey file: what may be written, what it compiles into, and its error messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.samples.designs import warner
from tests.server.compile.survey_files import CHOICE, NUMBER, SCALE, TICKS, error_of, manifest_of, survey

from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import FORMAT, LARGEST_PAYLOAD
from hushpoll_shared.mechanisms import Channel, SquareWave
from hushpoll_shared.mechanisms.domains import Ticks
from hushpoll_shared.question_types import MultiChoice, Number, Option, Pair, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question


def one(question: str, privacy: str = '{epsilon: "1"}', folder: Path | None = None) -> Question:
    [read] = manifest_of(survey(f"{question}, privacy: {privacy}"), folder).questions
    return read


EPSILON_1 = Bound.of_epsilon("1")


@pytest.mark.parametrize("privacy", ['{odds: "3:1"}', '{p: "3/4"}', '{p: "1/4"}', '{truth: "1/2"}'])
def test_a_plain_yes_no_question_is_warners_design(privacy: str) -> None:
    question = one("type: yes_no, decline: false", privacy)
    assert question.type == YesNo()
    assert question.design == warner(odds="3:1")


@pytest.mark.parametrize("privacy", ['{odds: "3:1"}', '{p: "3/4"}', '{p: "1/4"}', '{truth: "1/2"}'])
def test_yes_no_with_extras_keeps_the_odds_of_warners_parameters(privacy: str) -> None:
    question = one("type: yes_no, decline: true", privacy)
    assert question.type == YesNo(("decline",))
    assert question.design == SubsetMechanism.of(Bound.of_odds("3:1"), 3)
    assert question.design.odds <= 3


def test_yes_no_with_extras_keeps_a_stated_epsilon_as_it_is() -> None:
    question = one("type: yes_no, does_not_apply: true, decline: true")
    assert question.type == YesNo(("decline", "does_not_apply"))
    assert question.design == SubsetMechanism.of(EPSILON_1, 4)


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ("[never, once]", (Option("never", "never"), Option("once", "once"))),
        ("{n: never, o: once}", (Option("n", "never"), Option("o", "once"))),
        ("{no: no, 'yes': 'yes'}", (Option("no", "no"), Option("yes", "yes"))),
        ('["1", "2"]', (Option("1", "1"), Option("2", "2"))),
    ],
)
def test_options_are_a_list_of_texts_or_a_map_of_ids_to_texts(options: str, read: tuple[Option, ...]) -> None:
    for question_type in (SingleChoice(read), MultiChoice(read)):
        assert one(f"type: {question_type.NAME}, options: {options}").type == question_type


def test_single_choice_gets_subset_selection_with_the_extras_inside_its_domain() -> None:
    question = one(f"{CHOICE}, decline: true, does_not_apply: true")
    assert isinstance(question.type, SingleChoice)
    assert question.type.cells == ("never", "once", "often", "decline", "does_not_apply")
    assert question.design == SubsetMechanism.of(EPSILON_1, 5)


def test_a_codebook_of_its_own_gets_projective_geometry_response(tmp_path: Path) -> None:
    codes = "\ufeff" + "".join(f"{code:05}\tOccupation {code}\r\n" for code in range(3000)) + "\r\nother\n"
    (tmp_path / "codes.txt").write_text(codes, encoding="utf-8", newline="")
    question = one("type: single_choice, options_file: codes.txt", folder=tmp_path)
    assert isinstance(question.type, SingleChoice)
    assert question.type.options[0] == Option("00000", "Occupation 0")
    assert question.type.options[-1] == Option("other", "other")
    assert question.design == ProjectiveMechanism.of(EPSILON_1, 3001)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a\nb\n\na\n", "codes.txt, line 4: another option is the same"),
        (b"a\ndecline\n", "codes.txt, line 2: an option's id must"),
        (b"a\n\tb\n", "codes.txt, line 2: an option's id must"),
        (b"a\nGr\xf6\xdfe\n", "codes.txt, line 2: this is not UTF-8"),
        (b"a\n" * 2_000_001, "more than 4000000 bytes"),
        (b"a\n", "between 2 and 100000 options"),
        (None, "codes.txt: No such file or directory: give the path from the survey file"),
    ],
)
def test_a_slip_in_a_codebook_is_named_with_its_line(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "codes.txt").write_bytes(content)
    line, message = error_of(survey("type: single_choice, options_file: codes.txt"), tmp_path)
    assert line == 5
    assert words in message


def test_texts_that_are_too_long_together_are_refused_because_clients_would_refuse_the_manifest(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("".join(f"{code}\t{code} {'ä' * 5000}\n" for code in range(250)))
    codebook = "type: single_choice, options_file: codes.txt, privacy: {odds: 3}"
    assert 2 * len(manifest_of(survey(codebook), tmp_path).payload) > LARGEST_PAYLOAD
    message = error_of(survey(codebook, codebook), tmp_path)[1]
    assert message == f"together the texts have more than {LARGEST_PAYLOAD} bytes: shorten them"


def test_a_codebook_is_read_only_for_a_survey_that_lies_in_a_folder() -> None:
    assert "write the options out" in error_of(survey("type: single_choice, options_file: codes.txt"))[1]


def test_multi_choice_gets_a_ball_or_a_design_for_few_ticks() -> None:
    question = one("type: multi_choice, options: [a, b, c, d], decline: true", '{epsilon: "2"}')
    assert question.design == BallMechanism.of(Bound.of_epsilon("2"), 5)
    many = ", ".join(f"o{number}" for number in range(20))
    question = one(f"type: multi_choice, options: [{many}], max_picks: 1", '{epsilon: "2"}')
    assert isinstance(question.type, MultiChoice)
    assert question.type.most == 1
    assert question.design.domain.covers(Ticks(20, 1))


@pytest.mark.parametrize(
    ("labels", "read"),
    [
        ("", ()),
        (", labels: [a, b, c, d, e]", ((1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"))),
        (", labels: {5: always, 1: never}", ((1, "never"), (5, "always"))),
    ],
)
def test_a_scale_has_points_and_labels(labels: str, read: tuple[tuple[int, str], ...]) -> None:
    question = one(SCALE + labels)
    assert question.type == Scale(1, 5, read)
    assert question.design == SubsetMechanism.of(EPSILON_1, 5)


def test_the_mean_of_a_scale_or_a_number_gets_a_channel() -> None:
    for question in (one("type: scale, min: -2, max: 2, report: mean"), one(NUMBER)):
        assert isinstance(question.design, Channel)
        assert question.design.epsilon <= EPSILON_1.epsilon


def test_laplace_and_the_distribution_of_numbers_are_given_to_those_who_ask_for_them() -> None:
    assert one(f"{NUMBER}, mechanism: laplace").design == LaplaceMechanism.of(EPSILON_1)
    assert isinstance(one(f"{NUMBER}, report: distribution").design, SquareWave)


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("-40", "-40"),
        ("1.5", "1.5"),
        ("-1.50", "-1.5"),
        ("'0.1'", "0.1"),
        ("-0.0", "0"),
        ("007", "7"),
        ("'12'", "12"),
        ("12.", "12"),
    ],
)
def test_the_ends_of_a_number_are_read_exactly_and_spelled_in_one_way(written: str, spelled: str) -> None:
    assert one(f"type: number, min: {written}, max: 50, mechanism: laplace").type == Number(spelled, "50")


def test_json_gives_the_same_ends_as_yaml() -> None:
    question = {"id": "q1", "text": "x", "type": "number", "min": -1.5, "max": 40.25, "mechanism": "laplace"}
    head: dict[str, Any] = {"survey": "campus", "title": "Campus", "consent": "Taking part is voluntary."}
    written = json.dumps({**head, "questions": [{**question, "privacy": {"epsilon": "1"}}]})
    yaml = survey('type: number, min: -1.5, max: 40.25, mechanism: laplace, privacy: {epsilon: "1"}')
    assert manifest_of(written).payload == manifest_of(yaml).payload


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("type: yes_no, options: [a, b]", "options does not belong to the type yes_no: remove it, or use type: single"),
        ("type: yes_no, report: mean", "use type: scale or type: number"),
        ("type: yes_no, max_picks: 1", "use type: multi_choice"),
        (f"{NUMBER}, labels: [a]", "labels does not belong to the type number"),
        (f"{CHOICE}, min: 1", "min does not belong to the type single_choice"),
        ("type: single_choice", "options is missing: add a line such as options: [never, once, often]"),
        ("type: single_choice, options: never", "options must be a list such as"),
        ("type: single_choice, options: [a]", "between 2 and 100000 options"),
        ("type: single_choice, options: [a, b, a]", "another option is the same"),
        ("type: single_choice, options: {a: Yes I do, b: ' Yes  I do'}", "two options look the same"),
        ('type: multi_choice, options: [a, b, "\\u200b"]', "two options look the same, or one cannot be seen"),
        ("type: single_choice, options: [1, 2]", "an option must be a text: put it in quotes"),
        ("type: single_choice, options: {a: x, b: 3}", "an option must be a text: put it in quotes"),
        ("type: single_choice, options: [a, decline]", "must not be decline or similar"),
        ("type: single_choice, options: [a, b], options_file: c.txt", "the options are given twice"),
        ("type: single_choice, options_file: 5", "by its path from the survey file"),
        ("type: single_choice, options_file: /etc/passwd", "by its path from the survey file"),
        ("type: multi_choice, options: [a, b], max_picks: 3", "max_picks must be a whole number from 1 to the number"),
        ("type: multi_choice, options: [a, b], max_picks: '1'", "max_picks must be a whole number from 1 to the"),
        ("type: scale, max: 5", "min is missing: add a line such as min: 1"),
        ("type: scale, min: 1.5, max: 5", "min of a scale must be a whole number such as 1"),
        ("type: scale, min: 5, max: 5", "a max above its min"),
        ("type: scale, min: 0, max: 1001", "at most 1001 points"),
        (f"{SCALE}, labels: [a, b]", "labels must be a list of 5 texts"),
        (f"{SCALE}, labels: {{low: a}}", "a label belongs to a point"),
        (f"{SCALE}, labels: {{6: a}}", "labels of a scale must belong to its points"),
        (f"{SCALE}, labels: {{1: 2}}", "a label must be a text"),
        (f"{SCALE}, report: median", "report must be one of: shares, mean"),
        (f"{SCALE}, mechanism: laplace", "mechanism can be laplace with report: mean"),
        (f"{NUMBER}, mechanism: gauss", "mechanism can be laplace with report: mean"),
        (f"{NUMBER}, decline: true, mechanism: laplace", "laplace cannot be combined with decline"),
        (f"{NUMBER}, report: shares", "report must be one of: mean, distribution"),
        ("type: number, min: 0", "max is missing: add a line such as max: 40"),
        ("type: number, min: 3, max: 3", "max must be above min"),
        ("type: number, min: 1e3, max: 2000", "written without exponent"),
        ("type: number, min: 0.30000000000000004, max: 1", "min must be a number such as"),
        ("type: number, min: true, max: 2000", "min must be a number such as 0"),
        ("type: yes_no, decline: maybe", "decline must be true or false"),
        (f'{CHOICE}, privacy: {{p: "3/4"}}', "p and truth go with yes_no: give epsilon or odds"),
        (f'{CHOICE}, privacy: {{odds: "1:3"}}', "odds must be above 1:1"),
        (f'{CHOICE}, privacy: {{epsilon: "1", odds: "3:1"}}', "exactly one of epsilon, odds"),
        ("type: yes_no, opt: 1", "did you mean options?"),
    ],
)
def test_a_slip_says_what_is_right(question: str, words: str) -> None:
    line, message = error_of(survey(question))
    assert line == 5
    assert words in message


def test_a_slip_in_a_long_list_is_shown_on_its_own_line() -> None:
    text = (
        survey("type: yes_no")
        + "  - id: long\n    text: x\n    type: single_choice\n    options:\n      - a\n      - 5\n"
    )
    assert error_of(text) == (11, "an option must be a text: put it in quotes")


def test_more_possible_answers_than_any_mechanism_takes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "codes.txt").write_text("\n".join(map(str, range(100_000))))
    line, message = error_of(survey("type: single_choice, options_file: codes.txt, decline: true"), tmp_path)
    assert (line, message) == (5, "there are more than 100000 possible answers: offer fewer options")


def test_the_same_file_gives_the_same_bytes_for_every_type() -> None:
    text = survey("type: yes_no", CHOICE, TICKS, SCALE, NUMBER, f"{NUMBER}, report: distribution")
    assert manifest_of(text).payload == manifest_of(text).payload
    assert json.loads(manifest_of(text).payload)["format"] == FORMAT


PAIR = """\
  - {id: both, pair: [q1, q2], privacy: {epsilon: "1"}}
"""


def test_a_pair_joins_two_questions_into_one_that_stands_where_the_pair_is_written() -> None:
    manifest = manifest_of(survey("type: yes_no", CHOICE, 'type: yes_no, privacy: {odds: "3:1"}') + PAIR)
    assert [question.id for question in manifest.questions] == ["q3", "both"]
    both = manifest.questions[1]
    assert isinstance(both.type, Pair)
    assert both.answer_ids == ("q1", "q2")
    assert both.text == "x × x"
    assert both.design == SubsetMechanism.of(EPSILON_1, 6)


def test_a_pair_keeps_its_own_order_and_takes_a_text() -> None:
    text = survey("type: yes_no", CHOICE) + PAIR.replace("[q1, q2]", "[q2, q1], text: Both")
    [both] = manifest_of(text).questions
    assert both.answer_ids == ("q2", "q1")
    assert both.text == "Both"


@pytest.mark.parametrize(
    ("questions", "pair", "line", "words"),
    [
        (("type: yes_no", CHOICE), "[q1, q3]", 7, "there is no question 'q3' to join"),
        (("type: yes_no", CHOICE), "[q1, both]", 7, "there is no question 'both' to join"),
        (("type: yes_no", CHOICE), "[q1, q1]", 7, "the question 'q1' is in a pair already"),
        (("type: yes_no", CHOICE), "[q1]", 7, "pair must name two questions"),
        (("type: yes_no", CHOICE), "q1", 7, "pair must name two questions"),
        (("type: yes_no", CHOICE), "[q1, 5]", 7, "pair must name two questions"),
        (("type: yes_no", NUMBER), "[q1, q2]", 7, "a pair joins two questions of the types yes_no"),
        (("type: yes_no", f"{SCALE}, report: mean"), "[q1, q2]", 7, "a pair joins two questions of the types yes_no"),
        (("type: yes_no, privacy: {odds: 3}", CHOICE), "[q1, q2]", 5, "move privacy to the pair"),
        (("type: yes_no", CHOICE), "[q1, q2], type: yes_no", 7, "type does not belong to a pair"),
        (("type: yes_no", CHOICE), "[q1, q2], decline: true", 7, "decline does not belong to a pair"),
        (
            ("type: scale, min: 0, max: 1000", "type: scale, min: 0, max: 1000"),
            "[q1, q2]",
            7,
            "more than 100000 combinations",
        ),
    ],
)
def test_what_cannot_be_joined_is_said_with_the_cure(
    questions: tuple[str, str], pair: str, line: int, words: str
) -> None:
    found = error_of(survey(*questions) + f"  - {{id: both, pair: {pair}}}\n")
    assert found[0] == line
    assert words in found[1]


def test_a_question_is_in_one_pair_only() -> None:
    text = survey("type: yes_no", "type: yes_no", "type: yes_no") + PAIR + PAIR.replace("both", "more")
    with pytest.raises(DefinitionError, match="line 9: the question 'q1' is in a pair already"):
        compile_survey(text, "poll.yaml")


WAVES = '{epsilon: "1", permanent: "2"}'


def test_repeated_waves_have_a_panel_and_two_epsilons() -> None:
    manifest = manifest_of(
        survey(f"{CHOICE}, privacy: {WAVES}", 'type: yes_no, privacy: {p: "3/4"}', head="panel: a\n")
    )
    assert manifest.panel == "a"
    always = Bound.of_epsilon("2")
    assert manifest.questions[0].design == RepeatedMechanism.of(EPSILON_1, always, 3)
    assert manifest.questions[1].design == warner(p="3/4")
    assert manifest.repeated == {"q1": manifest.questions[0].design}


@pytest.mark.parametrize(
    ("question", "head", "line", "words"),
    [
        (f"type: yes_no, privacy: {WAVES}", "", 5, "add a line such as panel: campus to the survey"),
        ("type: yes_no, privacy: {odds: 3}", "panel: a\n", 4, "no question is repeated in waves: give one the privacy"),
        (f"type: yes_no, privacy: {WAVES}", "panel: A b\n", 4, "panel must be 1 to 64"),
        ('type: yes_no, privacy: {epsilon: "2", permanent: "2"}', "panel: a\n", 6, "must be above the epsilon of one"),
        ("type: yes_no, privacy: {epsilon: 1, permanent: 2.5}", "panel: a\n", 6, "permanent must be a whole number or"),
        (f"{NUMBER}, privacy: {WAVES}", "panel: a\n", 6, "repeated waves are for yes_no, single_choice and scale"),
    ],
)
def test_a_slip_about_waves_says_what_is_right(question: str, head: str, line: int, words: str) -> None:
    found = error_of(survey(question, head=head))
    assert found[0] == line
    assert words in found[1]


def test_a_pair_cannot_be_repeated() -> None:
    text = survey("type: yes_no", "type: yes_no", head="panel: a\n") + PAIR.replace('"1"', '"1", permanent: "2"')
    assert "repeat its two questions" in error_of(text)[1]
