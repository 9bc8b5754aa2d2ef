"""hushpoll survey: check, compile, publish, list and close surveys, and write their forms as files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from hushpoll_server.analysis.files import read_envelope
from hushpoll_server.commands.common import (
    address,
    cross_option,
    database_option,
    instance,
    json_option,
    manifest_option,
    print_json,
    read_crossed,
    server_address,
)
from hushpoll_server.compile.advice import Advice, advise, advise_on_budget, advise_on_cross_tables
from hushpoll_server.compile.definition import Compiled, DefinitionError, Finding, compile_survey
from hushpoll_server.estimate.options import FEWEST_REPORTS
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.settings import load_settings
from hushpoll_server.store.files import write_file
from hushpoll_server.surveys import keys
from hushpoll_shared.checks import LARGEST_POPULATION
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.signing import SigningKey, key_of, sign

if TYPE_CHECKING:
    from hushpoll_server.counting.crossed import Crossed

file_argument = click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
key_option = click.option(
    "--key",
    "key_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The signing key (PEM), created if it does not exist; by default the instance's own.",
)


class _Publication(NamedTuple):
    """What is published: the signed survey, and what is not signed because it changes nothing on a device."""

    envelope: bytes
    crossed: Sequence[Crossed]
    from_disk: bool
    minimum_reports: int


@click.group()
def command() -> None:
    """Check, compile, publish, list and close surveys, and write their forms as files."""


@command.command()
@file_argument
@json_option
def lint(file: Path, as_json: bool) -> None:
    """Check a survey file; print each error with its line and its cure."""
    try:
        compiled = _compile(file)
    except DefinitionError as error:
        if as_json:
            print_json({"errors": _findings(error.findings), "warnings": []})
        raise
    if as_json:
        print_json(_lint_to_json(compiled))
        return
    for advice in advise(compiled):
        _print_advice(advice, compiled.respondents)
    for note in _notes(compiled):
        click.echo(note)
    total = float(compiled.manifest.epsilon)
    click.echo(f"{file} is valid. One respondent spends epsilon {total:.4f} in total.")


@command.command("compile")
@file_argument
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@key_option
@json_option
def compile_file(file: Path, out: Path, key_path: Path | None, as_json: bool) -> None:
    """Compile a survey file into a signed manifest."""
    compiled = _compile(file)
    manifest, key = compiled.manifest, _key(key_path)
    write_file(out, sign(manifest, key) + b"\n")
    click.echo(f"wrote {out}: manifest {manifest.id}, signed by {key.public}", err=True)
    if options := _unsigned_options(compiled):
        # They change nothing that a device does, so they are not signed.
        click.echo(f"some options of the survey file are not in it: publish it with {options}", err=True)
    if as_json:
        print_json({"survey": manifest.survey, "manifest": manifest.id, "key": key.public, "out": str(out)})


@command.command()
@file_argument
@key_option
@cross_option
@click.option("--from-disk", is_flag=True, help="Also take reports from the form as a file.")
@click.option(
    "--minimum-reports",
    type=click.IntRange(FEWEST_REPORTS, LARGEST_POPULATION),
    help=f"Say that it is too early for figures of fewer reports; {FEWEST_REPORTS} if left out.",
)
@database_option
@json_option
def publish(
    file: Path,
    key_path: Path | None,
    cross: tuple[str, ...],
    from_disk: bool,
    minimum_reports: int | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Publish a survey file, or a manifest that was signed elsewhere. It never changes afterwards."""
    if _is_signed(file):
        order = _signed(file, key_path, cross, from_disk, minimum_reports or FEWEST_REPORTS)
    else:
        order = _sign(file, key_path, unsigned=bool(cross or from_disk or minimum_reports))
    with instance(db) as services:
        survey = services.surveys.publish_signed(
            order.envelope, order.crossed, from_disk=order.from_disk, minimum_reports=order.minimum_reports
        )
        form = f"{address(services.settings)}/s/{survey.name}"
    if survey.key != key_of(order.envelope):
        click.echo(f"{survey.name} was published before, signed by another key, and keeps that key", err=True)
    manifest = survey.manifest.id
    if as_json:
        print_json({"survey": survey.name, "form": form, "manifest": manifest, "key": survey.key})
        return
    click.echo(f"published {survey.name}\nform:     {form}\nlabel:    {form}/privacy")
    for dimension in survey.manifest.groups.dimensions if survey.manifest.groups else ():
        for label in dimension.labels:
            click.echo(f"{dimension.id}: {form}?group={label.id}")
    click.echo(f"manifest: {manifest}\nkey:      {survey.key}")


@command.command("list")
@database_option
@json_option
def list_all(db: str | None, as_json: bool) -> None:
    """List the surveys of this instance."""
    with instance(db) as services:
        rows = [
            {
                "survey": survey.name,
                "title": survey.manifest.title,
                "phase": services.surveys.phase(survey),
                "reports": services.collect.number_of_reports(survey.name),
                "epsilon": float(survey.manifest.epsilon),
                "manifest": survey.manifest.id,
            }
            for survey in services.surveys.list()
        ]
    if as_json:
        print_json({"surveys": rows})
        return
    for row in rows:
        click.echo(f"{row['survey']}  {row['phase']}  {row['reports']} reports  {row['title']}")
    if not rows:
        click.echo("There are no surveys yet. Publish one with: hushpoll survey publish FILE")


@command.command()
@click.argument("survey", metavar="ID", required=False)
@manifest_option
@click.option("--server", metavar="URL", required=True, callback=server_address, help="Where the file sends reports.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@database_option
def page(survey: str | None, manifest_path: Path | None, server: str, out: Path, db: str | None) -> None:
    """Write the form of a survey as one HTML file, the same bytes that the server offers for download.

    The survey is one of this instance, or any signed manifest.
    """
    # Only this command needs the pages.
    from hushpoll_server.respond.release import Release, survey_of

    if (survey is None) == (manifest_path is None):
        raise click.UsageError("Give the ID of a survey, or --manifest.")
    envelope = read_envelope(manifest_path)[1] if manifest_path else _envelope(str(survey), db)
    write_file(out, Release(server).file(survey_of(envelope)).encode())
    click.echo(f"wrote {out}: it can send if the survey was published with from_disk: true", err=True)


@command.command()
@click.argument("survey", metavar="ID")
@database_option
def close(survey: str, db: str | None) -> None:
    """Stop taking reports to a survey, for good."""
    with instance(db) as services:
        services.surveys.close(survey)
    click.echo(f"{survey} is closed.", err=True)


def _is_signed(file: Path) -> bool:
    try:
        fields = json.loads(file.read_bytes())
    except ValueError:
        return False
    return isinstance(fields, dict) and {"payload", "signature"} <= fields.keys()


def _signed(
    file: Path, key_path: Path | None, cross: tuple[str, ...], from_disk: bool, minimum_reports: int
) -> _Publication:
    if key_path:
        raise click.UsageError("--key goes with a survey file; this manifest is signed already.")
    manifest, envelope = read_envelope(file)
    return _Publication(envelope.strip(), read_crossed(cross, manifest), from_disk, minimum_reports)


def _sign(file: Path, key_path: Path | None, *, unsigned: bool) -> _Publication:
    if unsigned:
        raise click.UsageError(
            "--cross, --from-disk and --minimum-reports go with a signed manifest; a survey file says so itself "
            "(cross_tables, from_disk, minimum_reports)."
        )
    compiled = _compile(file)
    envelope = sign(compiled.manifest, _key(key_path))
    return _Publication(envelope, compiled.crossed, compiled.from_disk, compiled.minimum_reports)


def _unsigned_options(compiled: Compiled) -> str:
    minimum = compiled.minimum_reports
    return " ".join(
        [
            *(f"--cross {first},{second}" for first, second in compiled.crossed),
            *(["--from-disk"] if compiled.from_disk else []),
            *([f"--minimum-reports {minimum}"] if minimum != FEWEST_REPORTS else []),
        ]
    )


def _envelope(survey: str, db: str | None) -> bytes:
    with instance(db) as services:
        return services.surveys.get(survey).envelope


def _print_advice(advice: Advice, respondents: int) -> None:
    name, design = advice.question.id, advice.question.design
    about = f"epsilon {float(design.epsilon):.4f} ({design.epsilon.protection}), {mechanism_of(advice.question).name}"
    click.echo(f"{name}: {about}. {advice.meaning}")
    for note in (f"{advice.accuracy} with {respondents:,} respondents", *advice.notes):
        click.echo(f"  {note}")


def _lint_to_json(compiled: Compiled) -> dict[str, object]:
    manifest = compiled.manifest
    return {
        "survey": manifest.survey,
        "epsilon": float(manifest.epsilon),
        "manifest": manifest.id,
        "respondents": compiled.respondents,
        "questions": [advice.to_json() for advice in advise(compiled)],
        "notes": _notes(compiled),
        "errors": [],
        "warnings": _findings(compiled.warnings),
    }


def _notes(compiled: Compiled) -> list[str]:
    return [*advise_on_budget(compiled), *advise_on_cross_tables(compiled)]


def _compile(file: Path) -> Compiled:
    try:
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValue(f"{file}, line {_line_of(error)}: this is not UTF-8: save the file as UTF-8") from None
    compiled = compile_survey(text, str(file), folder=file.parent)
    for finding in compiled.warnings:
        click.echo(f"{file}, line {finding.line}: warning: {finding.message}", err=True)
    return compiled


def _line_of(error: UnicodeDecodeError) -> int:
    return error.object.count(b"\n", 0, error.start) + 1


def _findings(findings: Iterable[Finding]) -> list[dict[str, object]]:
    return [{"line": finding.line, "message": finding.message} for finding in findings]


def _key(path: Path | None) -> SigningKey:
    where = path or load_settings().home / keys.SIGNING_KEY
    if not where.exists():
        click.echo(f"made a new signing key: {where}. Keep it safe and make a copy.", err=True)
    return keys.signing_key(where)
