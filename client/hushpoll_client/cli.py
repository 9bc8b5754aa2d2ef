"""The `hushpoll` command.

All commands are listed here, but each is loaded only when it is called: `hushpoll --help` is quick and works in a light
install, where a command of the server says which extra it needs. Exit codes: 0 success, 1 failure (one sentence on
stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import click

from hushpoll_shared.errors import HushpollError

INTERRUPTED = 130


@dataclass(frozen=True)
class Elsewhere:
    """A command from another package: the module that has it as `command`, and the extra that it needs."""

    module: str
    summary: str
    extra: str


# Names only. This package never imports the server's: a command that is not called is not loaded and need not be
# installed.
COMMANDS: Mapping[str, Elsewhere] = {
    "audit": Elsewhere("hushpoll_server.commands.audit", "Test any client's privacy from outside.", "server"),
    "backup": Elsewhere("hushpoll_server.commands.backup", "Write all data to one file, online.", "server"),
    "bench": Elsewhere("hushpoll_server.commands.bench", "Measure speed and print ratios.", "server"),
    "compare": Elsewhere("hushpoll_server.commands.compare", "Compare the shares of several groups.", "server"),
    "crosstab": Elsewhere("hushpoll_server.commands.crosstab", "Cross two or three questions.", "server"),
    "demo": Elsewhere("hushpoll_server.commands.demo", "Start a demonstration with simulated respondents.", "server"),
    "estimate": Elsewhere("hushpoll_server.commands.estimate", "Estimate shares from reports or counts.", "server"),
    "export": Elsewhere(
        "hushpoll_server.commands.export", "Write the stored reports or estimates to a file.", "server"
    ),
    "gateway": Elsewhere("hushpoll_server.commands.gateway", "Add, list or remove gateways for batches.", "server"),
    "impute": Elsewhere("hushpoll_server.commands.impute", "Draw completed data sets from reports.", "server"),
    "lab": Elsewhere("hushpoll_server.commands.lab", "Try attacks, and a database with noise.", "lab"),
    "migrate": Elsewhere("hushpoll_server.commands.migrate", "Bring the database's schema up to date.", "server"),
    "plan": Elsewhere("hushpoll_server.commands.plan", "Weigh respondents, privacy and margin of error.", "server"),
    "pool": Elsewhere("hushpoll_server.commands.pool", "Pool one question asked under several designs.", "server"),
    "posterior": Elsewhere("hushpoll_server.commands.posterior", "Update a prior by counts of reports.", "server"),
    "power": Elsewhere("hushpoll_server.commands.power", "Find the power of a test, or how many it takes.", "server"),
    "purge": Elsewhere("hushpoll_server.commands.purge", "Delete stored reports, keep the counters.", "server"),
    "quantiles": Elsewhere("hushpoll_server.commands.quantiles", "Estimate medians and other quantiles.", "server"),
    "reconcile": Elsewhere("hushpoll_server.commands.reconcile", "Compare counters with stored reports.", "server"),
    "regress": Elsewhere("hushpoll_server.commands.regress", "Relate a randomized outcome to covariates.", "server"),
    "researcher": Elsewhere("hushpoll_server.commands.researcher", "Add, list or remove researchers.", "server"),
    "restore": Elsewhere("hushpoll_server.commands.restore", "Fill an empty instance from a backup.", "server"),
    "serve": Elsewhere("hushpoll_server.commands.serve", "Start the server.", "server"),
    "simulate": Elsewhere("hushpoll_server.commands.simulate", "Show what a survey would find out.", "server"),
    "survey": Elsewhere("hushpoll_server.commands.survey", "Check, compile, publish, list or close surveys.", "server"),
    "verify-site": Elsewhere("hushpoll_server.commands.verify_site", "Compare a server with this release.", "server"),
    "waves": Elsewhere("hushpoll_server.commands.waves", "Follow a share over several waves.", "server"),
    "weigh": Elsewhere("hushpoll_server.commands.weigh", "Weight, post-stratify or rake a share.", "server"),
}


class Failed(click.ClickException):
    """A failure: one sentence on stderr, and exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print only the sentence."""
        click.echo(self.format_message(), file=file or sys.stderr)


class Commands(click.Group):
    """A group whose commands are known by name and loaded when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (the signature of click)
        """Return the names of the commands of all packages."""
        return sorted([*self.commands, *COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loading it if it lives elsewhere."""
        return super().get_command(ctx, cmd_name) or _load(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading any."""
        here = {name: command.get_short_help_str() for name, command in self.commands.items()}
        summaries = {**here, **{name: command.summary for name, command in COMMANDS.items()}}
        with formatter.section("Commands"):
            formatter.write_dl([(name, summaries[name]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn expected errors into one sentence."""
        with _sentences(ctx):
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hushpoll", message="%(package)s %(version)s")
def main() -> None:
    """Collect survey answers that nobody but the respondent ever sees."""


@main.command(short_help="Randomize answers, one JSON object per line.")
@click.option("--manifest", type=click.Path(path_type=Path), required=True, help="The file with the signed manifest.")
@click.option("--key", metavar="ed25519:…", help="The publisher's key: refuse a manifest that another key signed.")
@click.option(
    "--group",
    metavar="LABEL",
    multiple=True,
    help="The public label of all these respondents; several with commas, or the option again.",
)
def randomize(manifest: Path, key: str | None, group: tuple[str, ...]) -> None:
    """Randomize answers: one JSON object per line on stdin, one report per line on stdout.

    An object maps question ids to answers: {"cheated": true}. Every report is drawn once, with secure random bytes.
    """
    from hushpoll_client.stream import Input, randomize_lines
    from hushpoll_client.survey import Survey
    from hushpoll_shared.randomness import SecureBytes
    from hushpoll_shared.signing import LARGEST_ENVELOPE, verify

    with manifest.open("rb") as file:
        survey = Survey(verify(file.read(LARGEST_ENVELOPE + 1), key))
    if sys.stdin.isatty():
        click.echo('Type answers, one object per line, such as {"id": true}; end with Ctrl-D.', err=True)
    # The declared type of a standard stream does not say that its buffer has read1.
    groups = [label.strip() for text in group for label in text.split(",")]
    randomize_lines(survey, cast("Input", sys.stdin.buffer), sys.stdout.buffer, SecureBytes(), groups)


def _load(name: str) -> click.Command | None:
    if name not in COMMANDS:
        return None
    try:
        module = importlib.import_module(COMMANDS[name].module)
    except ModuleNotFoundError as error:
        _explain_missing(name, error)
        raise
    command: click.Command = module.command
    return command


@contextmanager
def _sentences(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except HushpollError as error:
        raise Failed(str(error)) from error
    except BrokenPipeError:
        # The reader closed the pipe; click then ends the program silently.
        raise
    except OSError as error:
        raise Failed(_describe(error)) from error
    except ModuleNotFoundError as error:
        # A command may import what it needs while it runs.
        _explain_missing(ctx.invoked_subcommand, error)
        raise
    except KeyboardInterrupt:
        ctx.exit(INTERRUPTED)


def _describe(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}" if error.filename else what


def _explain_missing(name: str | None, error: ModuleNotFoundError) -> None:
    command = COMMANDS.get(name or "")
    # If one of our own modules is missing, that is a bug, not a missing extra.
    if command and not (error.name or "").startswith("hushpoll_"):
        raise Failed(
            f"hushpoll {name} needs the {command.extra} extra: pip install 'hushpoll[{command.extra}]'"
        ) from error
