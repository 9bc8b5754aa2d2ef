"""docs/walkthrough.md is true: its commands are run in their order, and its methods paragraph has their figures."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.docs.console import BLOCK, Console, is_as_shown, shown_commands

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "walkthrough.md").read_text(encoding="utf-8")
FLAT = re.sub(r"\n> ?|\s+", " ", PAGE)
FILES = ("two-faculties.yaml", "invent_people.py", "figures.py", "rubin.R")
NEEDS_R = "Rscript "
POWER = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SURVEY = "--survey two-faculties"
MARGINS = "faculty:arts=0.4,engineering=0.6;age:young=0.7,older=0.3"

pytestmark = pytest.mark.loopback


@dataclass(frozen=True)
class Session:
    """A console in which the whole page was typed, and what it printed."""

    console: Console
    printed: dict[str, str]

    def ask(self, command: str) -> Any:
        """Return the JSON of a command on the survey."""
        return json.loads(self.console.hushpoll([*shlex.split(command), "--json"]).stdout)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    if shutil.which("curl") is None:
        pytest.skip("NOT TESTED: curl is not installed, so the commands of docs/walkthrough.md were not run")
    folder = tmp_path_factory.mktemp("walkthrough")
    for name in FILES:
        shutil.copy(DOCS / "examples" / name, folder)
    with pytest.MonkeyPatch.context() as patch:
        console = Console(folder, patch)
        commands = [command for command, _ in shown_commands(PAGE) if has_program(command)]
        yield Session(console, {command: console.type(command) for command in commands})
        console.close()


def has_program(command: str) -> bool:
    return not command.startswith(NEEDS_R) or shutil.which("Rscript") is not None


def test_every_command_prints_what_the_page_shows(session: Session) -> None:
    shown = dict(shown_commands(PAGE))
    for command, printed in session.printed.items():
        assert is_as_shown(shown[command], printed), f"$ {command}\n{printed}"


def test_r_combines_the_completed_data_sets_to_what_the_page_shows(session: Session) -> None:
    [command] = [command for command, _ in shown_commands(PAGE) if command.startswith(NEEDS_R)]
    if command not in session.printed:
        pytest.skip("NOT TESTED: R is not installed, so docs/examples/rubin.R was not run")
    [slope] = re.findall(r"^facultyengineering: ([\d.]+)", session.printed[command], re.MULTILINE)
    coefficients = session.ask(f"regress {SURVEY} --outcome cheated --covariates faculty,age")["coefficients"]
    # Both estimate the same: they differ by chance of the imputation, by far less than one standard error.
    assert abs(float(slope) - coefficients[1]["estimate"]) < coefficients[1]["se"] / 2


def test_no_command_of_the_page_is_left_out() -> None:
    commands = [command for command, _ in shown_commands(PAGE)]
    assert len(commands) == len(set(commands)) > 30
    others = "".join(text for kind, text in BLOCK.findall(PAGE) if kind != "console")
    assert re.findall(r"^\$ |^hushpoll ", others, re.MULTILINE) == []


def test_a_line_with_dots_alone_stands_for_lines_and_others_for_text_within_a_line() -> None:
    assert is_as_shown("one\n…\nkey: …\n", "one\ntwo\nthree\nkey: 5\n")
    assert not is_as_shown("one\nkey: …\n", "one\ntwo\nkey: 5\n")
    assert not is_as_shown("one\n", "one\ntwo\n")


def test_the_survey_file_stands_on_the_page() -> None:
    text = (DOCS / "examples" / "two-faculties.yaml").read_text(encoding="utf-8")
    assert f"```yaml\n{text.split(chr(10), 1)[1]}```" in PAGE


def test_every_link_of_the_page_opens_the_form_of_declared_groups(session: Session) -> None:
    links = re.findall(r"^http://\S+\?group=\S+$", PAGE, re.MULTILINE)
    labels = {"arts", "engineering", "young", "older"}
    assert len(links) == 4
    for link in links:
        assert set(link.partition("?group=")[2].split(",")) <= labels
        assert "Exams in two faculties" in session.console.get(link)


def test_the_methods_paragraph_has_the_figures_of_the_commands(session: Session) -> None:
    for sentence in (*designs(session), *figures(session)):
        assert sentence in FLAT, sentence


def designs(session: Session) -> Iterator[str]:
    """Yield what the paragraph says about the survey."""
    lint = session.ask("survey lint two-faculties.yaml")
    cheated, helped, stress, hours = lint["questions"]
    assert [question["mechanism"] for question in lint["questions"]] == ["warner", "warner", "subset", "channel"]
    assert cheated["odds"] == helped["odds"] == "3:1"
    yield f"Warner's design at odds 3:1 (ε = {cheated['epsilon']:.2f} each)"
    yield f"pressure by subset selection (ε = {stress['epsilon']:.2f})"
    yield f"hours by a finite channel (ε = {hours['epsilon']:.2f})"
    yield f"ε = {lint['epsilon']:.2f} in total for each respondent"
    yield f"manifest {lint['manifest'][:8]}…"


def figures(session: Session) -> Iterator[str]:
    """Yield what the paragraph says about the results."""
    yield from estimated(session)
    yield from compared(session)
    yield from related(session)
    yield from described(session)


def estimated(session: Session) -> Iterator[str]:
    result = session.ask(f"estimate {SURVEY}")["questions"]["cheated"]
    [yes] = result["cells"]
    privacy, width = yes["price_of_privacy"], (yes["high"] - yes["low"]) / 2
    alone = 1.96 * yes["se"] * (1 - privacy) ** 0.5
    yield f"{result['n']:,} students answered"
    yield f"Cheating: {shares(yes)};"
    yield f"Randomizing caused {privacy:.0%} of the variance".replace("%", " %")
    yield f"an interval of ±{100 * width:.1f} points. Sampling alone would leave ±{100 * alone:.1f}:"
    yield f"37.8 % said yes | An estimated {100 * yes['estimate']:.1f} % had cheated"
    assert f"{yes['count'] / result['n']:.1%}" == "37.8%"


def compared(session: Session) -> Iterator[str]:
    cheated = session.ask(f"compare {SURVEY} --question cheated --by faculty")
    arts, engineering = (group["cells"][0] for group in cheated["groups"])
    [gap] = cheated["differences"]
    assert [group["n"] for group in cheated["groups"]] == [1500, 1500]
    yield f"arts {shares(arts)}, engineering {shares(engineering)}, difference {points(gap)}; Newcombe's limits, "
    yield f"p = {power(gap['p_value'])})"
    hours = session.ask(f"compare {SURVEY} --question hours --by faculty")
    arts, engineering = (group["mean"] for group in hours["groups"])
    [gap] = hours["differences"]
    yield f"studied {number(arts, 1)}, those of engineering {number(engineering, 1)}".replace(
        " (", " hours a week (", 1
    )
    yield f"difference {number(gap, 1)[:-1]}; p = {gap['p_value']:.2f})"
    yield f"The difference was {number(gap, 1, ' hours')} |"


def related(session: Session) -> Iterator[str]:
    fit = session.ask(f"regress {SURVEY} --outcome cheated --covariates faculty,age")
    [effect] = [effect for effect in fit["effects"] if "engineering" in json.dumps(effect)]
    yield f"log-odds of engineering against arts were {number(fit['coefficients'][1], 2)}"
    yield f"or {points(effect)})"
    table = session.ask(f"crosstab {SURVEY} --questions cheated,helped")
    rows = {row["row"]: row for row in table["row_percentages"] if row["column"] == "yes"}
    yield f"Of those who had cheated, {shares(rows['yes'])} had helped somebody else;"
    yield f"of the others, {shares(rows['no'])} had"
    yield f"test of independence, p = {power(table['independence']['p_value'])}"


def described(session: Session) -> Iterator[str]:
    arts, engineering = (
        session.ask(f"quantiles {SURVEY} --question stress --shares 0.5 --group {name}")
        for name in ("arts", "engineering")
    )
    first, second = (number(result["quantiles"][0], 0) for result in (arts, engineering))
    yield f"Median pressure was {first} in arts and {second} in engineering"
    yield f"with a limit cut off at 0 | {shares(arts['at'][0])} |"
    raked = session.ask(f'weigh {SURVEY} --outcome cheated --rake "{MARGINS}"')
    yield f"{shares(raked)} had cheated"


def shares(figure: dict[str, float], unit: str = " %") -> str:
    """Return a share with its limits in percent, as the paragraph writes it."""
    return number({name: 100 * figure[name] for name in ("estimate", "low", "high")}, 1, unit)


def points(figure: dict[str, float]) -> str:
    """Return a difference of shares, with the bracket left open."""
    return shares(figure, " points")[:-1]


def number(figure: dict[str, float], places: int, unit: str = "") -> str:
    """Return a number with its limits."""
    estimate, low, high = (f"{figure[name]:.{places}f}".replace("-", "−") for name in ("estimate", "low", "high"))
    return f"{estimate}{unit} ({low} to {high})"


def power(value: float) -> str:
    """Return a small number as a paper writes it: 2·10⁻⁷."""
    digit, exponent = f"{value:.0e}".split("e")
    return f"{digit}·10{str(int(exponent)).translate(POWER)}"
