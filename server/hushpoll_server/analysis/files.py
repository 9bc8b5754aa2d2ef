"""The two files that an analysis starts from: a signed manifest, and reports, one per line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path

from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import LARGEST_REPORT, Report, decode
from hushpoll_shared.signing import LARGEST_ENVELOPE, verify


def read_manifest(path: str | PathLike[str]) -> Manifest:
    """Read a signed manifest, whose signature must be valid."""
    manifest, _ = read_envelope(Path(path))
    return manifest


def read_envelope(path: Path) -> tuple[Manifest, bytes]:
    """Read a signed manifest, and return it with the bytes of its envelope."""
    with path.open("rb") as file:
        envelope = file.read(LARGEST_ENVELOPE + 1)
    try:
        return verify(envelope), envelope
    except ManifestRefused as error:
        raise InvalidValue(f"{path}: {error}") from None


def read_reports(path: str | PathLike[str], manifest: Manifest) -> Iterator[Report]:
    """Yield the reports of a file; a report that is repeated counts once."""
    seen: dict[str, tuple[Mapping[str, Draw], str]] = {}
    with Path(path).open("rb") as file:
        # A line that is longer than any report is not read in full.
        for number, line in enumerate(iter(partial(file.readline, LARGEST_REPORT + 2), b""), start=1):
            if not line.strip():
                continue
            report = _read_report(line, manifest, f"{path}, line {number}")
            content = report.draws, report.groups
            if report.id not in seen:
                seen[report.id] = content
                yield report
            elif seen[report.id] != content:
                raise InvalidValue(f"{path}, line {number}: another report with this id came before: remove one")


def _read_report(line: bytes, manifest: Manifest, place: str) -> Report:
    try:
        return decode(line, manifest)
    except ProblemError as error:
        raise InvalidValue(f"{place}: {error}") from None
