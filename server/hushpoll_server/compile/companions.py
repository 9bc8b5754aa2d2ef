"""The files beside a survey file that it names: codebooks and a logo.

The rule here: a survey file can name only files by their path from its own folder, and none is read without a limit.
"""

from __future__ import annotations

from pathlib import Path

from hushpoll_shared.errors import InvalidValue


def read_companion(key: str, name: object, folder: Path | None, *, most: int, example: str, cure: str) -> bytes:
    """Return the bytes of a file that a survey file names under a key."""
    if not isinstance(name, str) or not name or not name.isprintable() or Path(name).is_absolute():
        raise InvalidValue(f"{key} must name a file by its path from the survey file, such as {example}")
    if folder is None:
        raise InvalidValue(f"{key} needs a survey that is read from a file: {cure}")
    try:
        with (folder / name).open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InvalidValue(f"{name}: {error.strerror}: give the path from the survey file") from None
    if len(content) > most:
        raise InvalidValue(f"{name} has more than {most} bytes: make it smaller")
    return content
