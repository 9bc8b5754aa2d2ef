"""hushpoll lab database: ask a CSV file for figures with noise, until its budget is spent."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hushpoll_server.commands.common import json_option, print_json
from hushpoll_server.commands.lab_answers import answer_lines, budget_json, budget_lines
from hushpoll_server.commands.progress import progress_bar
from hushpoll_shared.errors import HushpollError, InvalidValue

if TYPE_CHECKING:
    from hushpoll_server.lab.database import Answer, Database, Schema

Function = TypeVar("Function", bound=Callable[..., Any])

# Without --spend, a question costs a tenth of the analyst's budget.
QUESTIONS_OF_A_BUDGET = 10
PROMPT = "hushpoll> "
LONGEST_LINE = 100_000
HELP = """\
SELECT COUNT(*) | SUM(column) | AVG(column) | HISTOGRAM(column) | MOST COMMON column
  [WHERE column = 1 AND (other IN ('a', 'b') OR NOT column BETWEEN 2 AND 5)]
spend 1/20   the ε of the questions that follow
budget       what is spent and left
quit         or Ctrl-D"""

_DECLARATIONS = (
    ("bounds", "COLUMN=LOW:HIGH", "Numbers, and the bounds that they are clamped to"),
    ("step", "COLUMN=STEP", "What numbers are rounded to"),
    ("bins", "COLUMN=EDGE,EDGE,…", "The bins of a histogram of numbers"),
    ("categories", "COLUMN=NAME,NAME,…", "The categories of a column"),
)


def _declarations(function: Function) -> Function:
    for name, metavar, what in reversed(_DECLARATIONS):
        what = f"{what}; repeated for several columns."
        function = click.option(f"--{name}", metavar=metavar, multiple=True, help=what)(function)
    return function


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--epsilon", metavar="E", required=True, help="The budget of every analyst.")
@click.option("--total", metavar="E", help="The budget of all analysts together; by default that of one.")
@click.option("--delta", metavar="D", default="0", show_default=True, help="Allow advanced composition with this δ.")
@_declarations
@click.option("--schema", type=click.Path(dir_okay=False, path_type=Path), help="A file with such declarations.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop"]),
    default="refuse",
    show_default=True,
    help="What becomes of a row with a missing cell.",
)
@click.option("--analyst", metavar="NAME", default="analyst", show_default=True, help="Who asks.")
@click.option("--ledger", type=click.Path(dir_okay=False, path_type=Path), help="The file of the ledger.")
@click.option("--query", "queries", metavar='"SELECT …"', multiple=True, help="A question; without any, they are read.")
@click.option("--spend", "spends", metavar="E", multiple=True, help="The ε of each question, or of all.")
@click.option("--level", metavar="L", default="0.95", show_default=True, help="Confidence level.")
@click.option("--fresh", is_flag=True, help="Draw and pay again instead of repeating an answer.")
@json_option
def database(
    file: Path,
    epsilon: str,
    schema: Path | None,
    ledger: Path | None,
    queries: tuple[str, ...],
    spends: tuple[str, ...],
    level: str,
    fresh: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Ask a CSV file for counts, sums, means, histograms and the most common category, with noise.

    Every answer is paid for from a budget that the ledger keeps; when it is spent, nothing more is answered.
    Neighbouring tables differ by one row more or less.
    """
    declared = {name: options.pop(name) for name, _, _ in _DECLARATIONS}
    with _wrong_calls():
        each = _spends(spends, epsilon, len(queries))
        declarations = _declared(declared)
        _check(epsilon, level, **options)
    if schema:
        declarations = type(declarations).read(schema) | declarations
    options |= {"schema": declarations, "epsilon": epsilon, "ledger": ledger or _default_ledger()}
    ask = {"level": level, "remember": not fresh}
    with _open(file, options) as opened:
        if queries:
            _answer_all(opened, queries, each, ask, as_json=as_json)
        else:
            _converse(opened, each[0], ask, as_json=as_json)


def _check(epsilon: str, level: str, *, total: str | None, delta: str, analyst: str, **_: str) -> None:
    """Refuse what no budget, interval or analyst can be, before the file is read."""
    from hushpoll_server.lab.database.service import read_analyst, read_level, read_limits

    read_limits(epsilon, total, delta)
    read_level(level)
    read_analyst(analyst)


def _open(file: Path, options: dict[str, Any]) -> Database:
    from hushpoll_server.lab.database import Database

    with progress_bar("reading", file.stat().st_size) as advance:
        return Database.open(file, advance=advance, **options)


def _answer_all(
    database: Database, queries: Sequence[str], spends: Sequence[str], ask: dict[str, Any], *, as_json: bool
) -> None:
    with _wrong_calls():
        # All are read before any is paid for.
        questions = [database.prepare(query) for query in queries]
    answers: list[Answer] = []
    try:
        for question, spend in zip(questions, spends, strict=True):
            answers.append(database.ask(question, spend=spend, **ask))
            if not as_json:
                _print(answer_lines(answers[-1]))
    finally:
        # What was paid for is printed, even if a later question is refused.
        if as_json:
            print_json({"answers": [answer.as_json() for answer in answers], "budget": budget_json(database)})
        else:
            _print(budget_lines(database))


def _converse(database: Database, spend: str, ask: dict[str, Any], *, as_json: bool) -> None:
    """Answer one line after the other; a line that is refused does not end the session."""
    refused = False
    for line in _lines():
        word, _, rest = line.partition(" ")
        try:
            match word.lower().rstrip(";"):
                case "quit" | "exit":
                    break
                case "help":
                    click.echo(HELP, err=True)
                case "budget":
                    _print(budget_lines(database)) if not as_json else _print_line(budget_json(database))
                case "spend":
                    spend = _spends((rest.strip(),), rest.strip(), 1)[0]
                case _:
                    answer = database.ask(line, spend=spend, **ask)
                    _print(answer_lines(answer)) if not as_json else _print_line(answer.as_json())
        except HushpollError as error:
            refused = True
            click.echo(str(error), err=True)
    if refused and not sys.stdin.isatty():
        click.get_current_context().exit(1)


def _lines() -> Iterator[str]:
    """Yield what is typed or piped, one question a line."""
    in_terminal = sys.stdin.isatty()
    if in_terminal:
        click.echo("Ask SELECT …, or help, budget, quit.", err=True)
    while True:
        if in_terminal:
            click.echo(PROMPT, nl=False, err=True)
        line = sys.stdin.buffer.readline(LONGEST_LINE)
        if not line:
            return
        if text := line.decode("utf-8", "replace").strip():
            yield text


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        click.echo(line)


def _print_line(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _spends(spends: Sequence[str], epsilon: str, questions: int) -> list[str]:
    from hushpoll_server.lab.database.service import read_spend, share_of

    stated = [str(read_spend(spend)) for spend in spends] or [str(share_of(epsilon, QUESTIONS_OF_A_BUDGET))]
    if len(stated) not in (1, max(1, questions)):
        raise click.UsageError("Write one --spend for all questions, or one for each --query.")
    return stated * questions if questions > len(stated) else stated


def _declared(texts: dict[str, Sequence[str]]) -> Schema:
    from hushpoll_server.lab.database import Schema

    return Schema.of(**{name: dict(map(_pair, pairs)) for name, pairs in texts.items()})


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not equals or not name.strip() or not value.strip():
        raise InvalidValue("a declaration names a column and what holds for it: --bounds income=0:200000")
    return name.strip(), value


def _default_ledger() -> Path:
    from hushpoll_server.settings import load_settings

    folder = load_settings().home / "lab"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "ledger.sqlite"


@contextmanager
def _wrong_calls() -> Iterator[None]:
    try:
        yield
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None
