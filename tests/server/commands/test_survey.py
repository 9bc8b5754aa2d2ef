"""hushpoll survey: lint, compile, publish, list, close."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from hushpoll_server.app import create_app
from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.services import Services
from hushpoll_server.settings import load_settings
from hushpoll_shared.signing import SigningKey, verify

Command = Callable[..., Result]
Ask = Callable[..., Any]


def sentence(result: Result) -> str:
    """Check that the command failed and that one line says why; return the line."""
    assert result.exit_code == 1
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def test_lint_says_what_each_question_spends(hushpoll: Command, survey_file: Path) -> None:
    result = hushpoll("survey", "lint", survey_file)
    assert result.exit_code == 0
    assert "cheated: epsilon 1.0986 (strong protection), warner. Your device sends your real answer" in result.stdout
    assert f"{survey_file} is valid. One respondent spends epsilon 2.0986 in total." in result.stdout
    assert result.stderr == ""


def test_lint_prints_warnings_with_file_and_line_and_still_succeeds(hushpoll: Command, survey_file: Path) -> None:
    survey_file.write_text(survey_file.read_text().replace("title: Campus", "title: Anonymous campus"))
    result = hushpoll("survey", "lint", survey_file)
    assert result.exit_code == 0
    assert result.stderr.startswith(f"{survey_file}, line 2: warning: do not promise anonymity")


def test_lint_prints_json_for_other_programs(ask: Ask, survey_file: Path) -> None:
    value = ask("survey", "lint", survey_file)
    assert value["survey"] == "campus"
    assert value["errors"] == value["warnings"] == []
    assert value["epsilon"] == pytest.approx(2.0986122886681098)
    assert value["manifest"] == compile_survey(survey_file.read_text(), "").manifest.id


def test_lint_names_file_line_and_cure_of_every_error(hushpoll: Command, survey_file: Path) -> None:
    survey_file.write_text(
        "survey: campus\nquestions:\n  - id: q\n    type: yes_no\n    privacy: {epsilon: 0.5}\nx: 1\n"
    )
    result = hushpoll("survey", "lint", survey_file)
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stderr.splitlines()] == [
        f"{survey_file}, line 5",
        f"{survey_file}, line 6",
    ]
    assert "in quotes" in result.stderr


def test_lint_prints_errors_as_json_too_and_still_fails(hushpoll: Command, survey_file: Path) -> None:
    survey_file.write_text("survey: campus\n")
    result = hushpoll("survey", "lint", survey_file, "--json")
    assert result.exit_code == 1
    [error] = json.loads(result.stdout)["errors"]
    assert error["line"] == 1
    assert error["message"].startswith("questions must be a list")


def test_a_file_that_is_not_utf8_is_refused_with_its_line(hushpoll: Command, survey_file: Path) -> None:
    survey_file.write_bytes(b"survey: campus\ntitle: Gr\xf6\xdfe\n")
    line = sentence(hushpoll("survey", "lint", survey_file))
    assert line == f"{survey_file}, line 2: this is not UTF-8: save the file as UTF-8"


def test_a_missing_file_could_not_be_read_but_a_folder_is_a_wrong_call(hushpoll: Command, tmp_path: Path) -> None:
    for verb in (["lint"], ["compile", "--out", "m.json"], ["publish"]):
        assert sentence(hushpoll("survey", *verb, "nowhere.yaml")) == "nowhere.yaml: No such file or directory"
        result = hushpoll("survey", *verb, tmp_path)
        assert result.exit_code == 2
        assert "is a directory" in result.stderr


def test_compile_writes_a_signed_envelope_and_makes_the_key_once(
    hushpoll: Command, survey_file: Path, tmp_path: Path
) -> None:
    first = hushpoll("survey", "compile", survey_file, "--out", "a.json")
    second = hushpoll("survey", "compile", survey_file, "--out", "b.json")
    assert first.exit_code == second.exit_code == 0
    assert "made a new signing key" in first.stderr
    assert "made a new signing key" not in second.stderr
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    key = SigningKey.from_pem((tmp_path / "home" / "signing-key.pem").read_bytes())
    manifest = verify((tmp_path / "a.json").read_bytes(), key.public)
    assert manifest == compile_survey(survey_file.read_text(), "").manifest
    assert manifest.id in first.stderr
    assert key.public in first.stderr


def test_compile_takes_a_key_of_ones_own(hushpoll: Command, ask: Ask, survey_file: Path, tmp_path: Path) -> None:
    key = SigningKey.generate()
    (tmp_path / "own.pem").write_bytes(key.to_pem())
    value = ask("survey", "compile", survey_file, "--out", "m.json", "--key", "own.pem")
    assert value["key"] == key.public
    assert value["out"] == "m.json"
    assert verify((tmp_path / "m.json").read_bytes(), key.public).id == value["manifest"]
    assert not (tmp_path / "home").exists()


def test_a_wrong_key_is_refused_by_its_name_and_nothing_is_written(
    hushpoll: Command, survey_file: Path, tmp_path: Path
) -> None:
    result = hushpoll("survey", "compile", survey_file, "--out", "m.json", "--key", survey_file)
    assert sentence(result).startswith(f"{survey_file}: the key file is not")
    assert not (tmp_path / "m.json").exists()


def test_a_place_that_cannot_be_written_to_is_named(hushpoll: Command, survey_file: Path, manifest_file: Path) -> None:
    result = hushpoll("survey", "compile", survey_file, "--out", "nowhere/m.json")
    assert sentence(result) == "nowhere/m.json: No such file or directory"


def test_publish_list_and_close_tell_one_story(hushpoll: Command, ask: Ask, survey_file: Path) -> None:
    assert "There are no surveys yet" in hushpoll("survey", "list").stdout
    published = ask("survey", "publish", survey_file)
    assert published["form"] == "http://127.0.0.1:8000/s/campus"
    [row] = ask("survey", "list")["surveys"]
    assert (row["survey"], row["phase"], row["reports"]) == ("campus", "open", 0)
    assert row["manifest"] == published["manifest"]
    assert hushpoll("survey", "close", "campus").exit_code == 0
    assert ask("survey", "list")["surveys"][0]["phase"] == "closed"
    assert "campus  closed  0 reports  Campus integrity" in hushpoll("survey", "list").stdout


def test_publishing_prints_the_addresses_under_the_public_url(
    hushpoll: Command, survey_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_PUBLIC_URL", "https://polls.example.org/")
    shown = hushpoll("survey", "publish", survey_file).stdout
    assert "form:     https://polls.example.org/s/campus\n" in shown
    assert "label:    https://polls.example.org/s/campus/privacy\n" in shown


def test_publishing_the_same_file_again_is_no_error_another_one_is(
    hushpoll: Command, ask: Ask, survey_file: Path
) -> None:
    first = ask("survey", "publish", survey_file)
    assert ask("survey", "publish", survey_file) == first
    survey_file.write_text(survey_file.read_text().replace("3:1", "4:1"))
    assert "choose another name" in sentence(hushpoll("survey", "publish", survey_file))
    assert ask("survey", "list")["surveys"][0]["manifest"] == first["manifest"]


def test_a_file_with_errors_is_not_published(hushpoll: Command, ask: Ask, survey_file: Path) -> None:
    survey_file.write_text(survey_file.read_text() + "x: 1\n")
    assert hushpoll("survey", "publish", survey_file).exit_code == 1
    assert ask("survey", "list") == {"surveys": []}


def test_db_overrides_the_environment(hushpoll: Command, ask: Ask, survey_file: Path, tmp_path: Path) -> None:
    ask("survey", "publish", survey_file, "--db", f"sqlite:///{tmp_path}/other.db")
    assert ask("survey", "list")["surveys"] == []
    assert len(ask("survey", "list", "--db", f"sqlite:///{tmp_path}/other.db")["surveys"]) == 1


@pytest.mark.parametrize("name", ["nobody", "A b", "\udcff"])
def test_closing_what_is_not_there_says_where_to_look(hushpoll: Command, name: str) -> None:
    assert sentence(hushpoll("survey", "close", name)) == (
        "there is no such survey in this database: hushpoll survey list shows all"
    )


def test_the_instance_is_for_its_owner_only(hushpoll: Command, survey_file: Path, tmp_path: Path) -> None:
    previous = os.umask(0o022)
    hushpoll("survey", "publish", survey_file)
    os.umask(previous)
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home" / "signing-key.pem").stat().st_mode) == 0o600


EVERY_TYPE = """\
survey: everything
title: Everything
consent: Taking part is voluntary.
respondents: 3000
reason: every type
panel: campus
questions:
  - {id: cheated, text: x, type: yes_no, privacy: {odds: "3:1"}, decline: true}
  - {id: often, text: x, type: single_choice, options: [never, once, often], privacy: {epsilon: "1", permanent: "2"}}
  - {id: channels, text: x, type: multi_choice, options: [phone, notes, neighbour], privacy: {epsilon: "2"}}
  - {id: stress, text: x, type: scale, min: 1, max: 5, report: mean, privacy: {epsilon: "1"}}
  - {id: hours, text: x, type: number, min: 0, max: 40, mechanism: laplace, privacy: {epsilon: "1"}}
  - {id: spread, text: x, type: number, min: 0, max: 40, report: distribution, privacy: {epsilon: "1"}}
  - {id: code, text: x, type: single_choice, options_file: codes.txt, privacy: {epsilon: "1"}}
  - {id: one, text: x, type: yes_no}
  - {id: two, text: x, type: yes_no}
  - {id: both, pair: [one, two], privacy: {epsilon: "1"}}
"""


@pytest.fixture
def every_type(tmp_path: Path) -> Path:
    """Write a survey with every type of question, and the codebook beside it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "codes.txt").write_text("".join(f"c{number}\tCode {number}\n" for number in range(2100)))
    file = tmp_path / "folder" / "every.yaml"
    file.write_text(EVERY_TYPE, encoding="utf-8")
    return file


def test_lint_says_of_every_type_what_it_means_and_how_exact_it_is(hushpoll: Command, every_type: Path) -> None:
    result = hushpoll("survey", "lint", every_type)
    assert (result.exit_code, result.stderr) == (0, "")
    said = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in said if not line.startswith(" ")][:-1] == [
        *("cheated", "often", "channels", "stress", "hours", "spread", "code", "both")
    ]
    assert (
        "cheated: epsilon 1.0986 (strong protection), subset. Your device sends your real answer 60 times in" in said[0]
    )
    assert said[1] == "  ±4.5 points with 3,000 respondents"
    assert said[2] == "  decline: 39 % more respondents are needed for the same accuracy"
    assert "  one wave reveals epsilon 1.0000; all waves together 2.0000, for each different answer of a person" in said
    assert any(
        line.startswith("  a cell of the cross table has the variance 2.08 for each respondent, and 19.45")
        for line in said
    )


def test_lint_gives_every_question_as_json_too(ask: Ask, every_type: Path) -> None:
    value = ask("survey", "lint", every_type)
    assert value["respondents"] == 3000
    mechanisms = {question["id"]: question["mechanism"] for question in value["questions"]}
    assert mechanisms == {
        "cheated": "subset",
        "often": "repeated",
        "channels": "ball",
        "stress": "channel",
        "hours": "laplace",
        "spread": "square_wave",
        "code": "projective",
        "both": "subset",
    }
    cheated = value["questions"][0]
    assert (cheated["type"], cheated["protection"]) == ("yes_no", "strong protection")
    assert Fraction(cheated["odds"].replace(":", "/")) <= 3
    assert cheated["margin"] == pytest.approx(0.0447, abs=2e-4)
    assert len(cheated["notes"]) == 1


def test_lint_says_whether_to_split_the_budget_or_to_ask_one_question(ask: Ask, tmp_path: Path) -> None:
    questions = "".join(f"  - {{id: q{number}, text: x, type: yes_no}}\n" for number in range(10))
    file = tmp_path / "ten.yaml"
    head = "survey: ten\ntitle: Ten\nconsent: Taking part is voluntary.\nrespondents: 3000\nepsilon_total: 2\n"
    said = "epsilon_total with 3,000 respondents: splitting it ±18.0 points, ask: 1 ±7.4 points. Better: ask: 1."
    for ask_line in ("", "ask: 1\n"):
        file.write_text(f"{head}{ask_line}questions:\n{questions}")
        value = ask("survey", "lint", file)
        assert value["notes"] == [said]
        assert value["questions"][0]["margin"] == pytest.approx(0.0743 if ask_line else 0.1795, abs=5e-5)


def test_lint_says_if_few_reports_have_a_wider_interval(ask: Ask, tmp_path: Path) -> None:
    text = (
        "survey: s\ntitle: S\nconsent: Taking part is voluntary.\nrespondents: {}\nquestions:\n"
        "  - {{id: q, text: Q, type: single_choice, options: [a, b, c, d, e], privacy: {{epsilon: 4}}}}\n"
    )
    for respondents, wider in ((80, True), (20_000, False)):
        (tmp_path / "s.yaml").write_text(text.format(respondents), encoding="utf-8")
        [question] = ask("survey", "lint", "s.yaml")["questions"]
        assert any("hushpoll estimate shows is wider: about ±" in note for note in question["notes"]) == wider


def test_lint_plans_with_the_population_and_with_1000_people_if_nothing_is_said(ask: Ask, survey_file: Path) -> None:
    assert ask("survey", "lint", survey_file)["respondents"] == 1000
    survey_file.write_text("population: 500\n" + survey_file.read_text())
    value = ask("survey", "lint", survey_file)
    assert value["respondents"] == 500
    # A census at odds of 3:1 leaves the variance 3/4 of the randomizing alone.
    assert value["questions"][0]["margin"] == pytest.approx(1.959964 * (0.75 / 500) ** 0.5, rel=1e-6)


def test_a_codebook_is_found_beside_the_survey_file_and_compiled_into_the_manifest(
    hushpoll: Command, every_type: Path, tmp_path: Path
) -> None:
    assert hushpoll("survey", "compile", every_type, "--out", "m.json").exit_code == 0
    manifest = verify((tmp_path / "m.json").read_bytes())
    assert manifest.id == compile_survey(EVERY_TYPE, "", folder=every_type.parent).manifest.id


def test_a_survey_that_was_signed_elsewhere_is_published_and_the_server_needs_no_key(
    hushpoll: Command, ask: Ask, survey_file: Path, tmp_path: Path
) -> None:
    made = ask("survey", "compile", survey_file, "--out", "m.json", "--key", "publisher.pem")
    (tmp_path / "publisher.pem").rename(tmp_path / "safe")
    published = ask("survey", "publish", "m.json")
    assert (published["manifest"], published["key"]) == (made["manifest"], made["key"])
    assert not (tmp_path / "home" / "signing-key.pem").exists()
    services = Services(load_settings())
    envelope = services.surveys.get("campus").envelope
    services.close()
    assert verify(envelope, made["key"]).id == made["manifest"]
    # Publishing it again changes nothing.
    assert ask("survey", "publish", "m.json") == published


def test_a_signed_manifest_that_was_changed_on_its_way_is_not_published(
    hushpoll: Command, ask: Ask, survey_file: Path, tmp_path: Path
) -> None:
    ask("survey", "compile", survey_file, "--out", "m.json", "--key", "publisher.pem")
    envelope = json.loads((tmp_path / "m.json").read_text())
    other = ask("survey", "compile", survey_file, "--out", "other.json", "--key", "other.pem")
    (tmp_path / "m.json").write_text(json.dumps({**envelope, "key": other["key"]}))
    assert "signature" in sentence(hushpoll("survey", "publish", "m.json"))
    assert ask("survey", "list") == {"surveys": []}


def test_a_published_survey_keeps_its_key(hushpoll: Command, ask: Ask, survey_file: Path) -> None:
    first = ask("survey", "publish", survey_file, "--key", "old.pem")
    again = hushpoll("survey", "publish", survey_file, "--key", "new.pem", "--json")
    assert "signed by another key, and keeps that key" in again.stderr
    assert json.loads(again.stdout) == first


def test_the_minimum_of_reports_is_published_with_a_survey_file_or_beside_a_signed_manifest(
    hushpoll: Command, ask: Ask, survey_file: Path
) -> None:
    text = survey_file.read_text("utf-8")
    survey_file.write_text(f"{text}minimum_reports: 29\n", "utf-8")
    refused = hushpoll("survey", "lint", survey_file)
    assert "minimum_reports must be a whole number from 30 to" in refused.stderr
    survey_file.write_text(f"{text}population: 100\nminimum_reports: 101\n", "utf-8")
    assert "more than the population of 100" in hushpoll("survey", "lint", survey_file).stderr
    survey_file.write_text(f"{text}minimum_reports: 200\n", "utf-8")
    told = hushpoll("survey", "compile", survey_file, "--out", "m.json").stderr
    assert "publish it with --minimum-reports 200" in told
    ask("survey", "publish", "m.json", "--minimum-reports", "200")
    # The same survey again, from the file.
    ask("survey", "publish", survey_file)
    lower = hushpoll("survey", "publish", "m.json", "--minimum-reports", "100")
    assert "is published with minimum_reports: 200" in lower.stderr
    beside = hushpoll("survey", "publish", survey_file, "--minimum-reports", "200")
    assert (beside.exit_code, "go with a signed manifest" in beside.stderr) == (2, True)


def test_each_survey_shows_the_key_that_signed_it_and_not_the_instances(
    hushpoll: Command, ask: Ask, survey_file: Path
) -> None:
    survey_file.write_text(survey_file.read_text("utf-8") + "from_disk: true\n", "utf-8")
    own = ask("survey", "publish", survey_file)
    survey_file.write_text(survey_file.read_text("utf-8").replace("survey: campus", "survey: second"), "utf-8")
    told = hushpoll("survey", "compile", survey_file, "--out", "m.json", "--key", "elsewhere.pem").stderr
    assert "publish it with --from-disk" in told
    theirs = ask("survey", "publish", "m.json", "--from-disk")
    assert own["key"] != theirs["key"]
    app = create_app(load_settings())
    for survey in (own, theirs):
        for path in ("", "/privacy", "/page.html"):
            shown = app.test_client().get(f"/s/{survey['survey']}{path}").text
            assert (own["key"] in shown, theirs["key"] in shown) == (survey is own, survey is theirs), path
    app.extensions["hushpoll"].close()


def test_the_cross_tables_of_a_survey_that_was_signed_elsewhere_are_named_when_it_is_published(
    hushpoll: Command, ask: Ask, survey_file: Path
) -> None:
    survey_file.write_text(survey_file.read_text("utf-8") + "cross_tables:\n  - [cheated, helped]\n", "utf-8")
    result = hushpoll("survey", "compile", survey_file, "--out", "m.json", "--key", "publisher.pem")
    assert "publish it with --cross cheated,helped" in result.stderr
    assert "there is no question 'nothing'" in sentence(
        hushpoll("survey", "publish", "m.json", "--cross", "cheated,nothing")
    )
    ask("survey", "publish", "m.json", "--cross", "cheated,helped")
    services = Services(load_settings())
    assert services.surveys.crossed("campus") == (("cheated", "helped"),)
    services.close()


@pytest.mark.parametrize("words", [("m.json", "--key", "k.pem"), ("poll.yaml", "--cross", "cheated,helped")])
def test_a_key_goes_with_a_survey_file_and_cross_tables_with_a_signed_manifest(
    hushpoll: Command, ask: Ask, survey_file: Path, words: tuple[str, ...]
) -> None:
    ask("survey", "compile", survey_file, "--out", "m.json")
    assert hushpoll("survey", "publish", *words).exit_code == 2
