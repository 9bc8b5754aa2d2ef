"""The options of a choice: a list of texts, a map of ids to texts, or a file of its own for a large codebook.

The rule here: an error in an option is reported on its own line, in the survey file or in the codebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hushpoll_server.compile.companions import read_companion
from hushpoll_server.compile.fields import Fields, refuse_empty
from hushpoll_server.compile.yaml_with_lines import Located
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import Option

# Bytes: more than the largest manifest can hold.
LARGEST_CODEBOOK = 4_000_000

# Line, id and text of an option, as written.
Written = tuple[int, object, object]


class _OptionError(InvalidValue):
    """An error in the option on a line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_options(fields: Fields, folder: Path | None) -> tuple[Option, ...] | None:
    """Read the options, from the survey file or from a codebook."""
    if "options" in fields and "options_file" in fields:
        fields.note("options_file", "the options are given twice: keep options or options_file")
        return None
    if "options_file" in fields:
        return fields.attempt("options_file", lambda: _read_codebook(fields["options_file"], folder))
    if fields.is_missing("options", "[never, once, often]"):
        return None
    return fields.attempt("options", lambda: _read_all(_listed(fields.located("options"))))


def _read_all(written: Iterable[Written]) -> tuple[Option, ...]:
    options: dict[str, Option] = {}
    for line, name, text in written:
        option = _read_one(line, name, text)
        if option.id in options:
            raise _OptionError(line, "another option is the same: give each its own id")
        options[option.id] = option
    return tuple(options.values())


def _read_one(line: int, name: object, text: object) -> Option:
    try:
        refuse_empty(text, "an option", line=line)
        return Option(_text(name), _text(text))
    except InvalidValue as error:
        raise _OptionError(line, str(error)) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue("an option must be a text: put it in quotes")
    return value


def _listed(listed: Located) -> Iterator[Written]:
    if isinstance(listed.value, list):
        yield from ((item.line, item.value, item.value) for item in listed.value)
    elif isinstance(listed.value, dict):
        yield from ((item.key_line, key, item.value) for key, item in listed.value.items())
    else:
        raise InvalidValue("options must be a list such as [never, once, often], or a map of ids to texts")


def _read_codebook(name: object, folder: Path | None) -> tuple[Option, ...]:
    cure = "write the options out instead"
    content = read_companion("options_file", name, folder, most=LARGEST_CODEBOOK, example="codes.txt", cure=cure)
    try:
        return _read_all(_lines(_decode(content, str(name))))
    except _OptionError as error:
        raise InvalidValue(f"{name}, line {error.line}: {error}") from None


def _lines(text: str) -> Iterator[Written]:
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        name, tab, label = line.partition("\t")
        if line.strip():
            yield number, name.strip(), label.strip() if tab else name.strip()


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidValue(f"{name}, line {line}: this is not UTF-8: save the file as UTF-8") from None
