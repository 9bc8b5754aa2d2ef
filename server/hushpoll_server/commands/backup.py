"""hushpoll backup: write all data of an instance to one file, while the server keeps running."""

from __future__ import annotations

from pathlib import Path

import click

from hushpoll_server.commands.common import database_option, instance, json_option, print_json
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.operate.backup import backup, rows_of
from hushpoll_server.surveys import keys

ADVICE = (
    "It holds stored reports and researchers' addresses: keep it as safe as the database. The signing key is not in "
    "it: keep a copy of {key} apart from it."
)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@database_option
@json_option
def command(file: Path, force: bool, db: str | None, as_json: bool) -> None:
    """Write a backup of all data to FILE.

    The server may keep taking reports: what was acknowledged before the backup began is in it. It can be restored into
    SQLite or PostgreSQL, whichever it came from.
    """
    with instance(db) as services, progress_bar("backup", rows_of(services.store)) as progress:
        rows = backup(services.store, file, force=force, progress=progress)
        key = services.settings.home / keys.SIGNING_KEY
    if as_json:
        print_json({"file": str(file), "rows": rows, "bytes": file.stat().st_size})
        return
    click.echo(f"wrote {file}: {rows:,} rows, {file.stat().st_size:,} bytes")
    click.echo(ADVICE.format(key=key), err=True)
