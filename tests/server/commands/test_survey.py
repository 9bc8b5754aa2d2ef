"""hushpoll survey: lint, compile, publish, list, close."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from hushpoll_server.surveys.definition import compile_survey
from hushpoll_shared.signing import SigningKey, verify

Command = Callable[..., Result]
Ask = Callable[..., Any]


def sentence(result: Result) -> str:
    """Check that it could not be done and that one line says why; give the line."""
    assert result.exit_code == 1
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    return line


def test_lint_says_what_each_question_spends(hushpoll: Command, survey_file: Path) -> None:
    result = hushpoll("survey", "lint", survey_file)
    assert result.exit_code == 0
    assert "cheated: epsilon 1.0986 (strong protection)" in result.stdout
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
