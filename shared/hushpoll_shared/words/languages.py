"""The words of every language: for the form, for the server's pages and for apps.

The rule here: a sentence exists once, as data, and everybody fills the same one. A language has all sentences or none;
for any other language, they are in English. Nothing is read before it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from hushpoll_shared.mechanisms import DESIGNS
from hushpoll_shared.scripts import script_folder

# Each file is JSON in the frame of a module: not every browser and not every Node can import plain JSON.
_BEGIN, _END = "export default ", ";\n"
# The key of the sentences that only the server's own pages have; the form does not carry them.
_PAGE: Final = "label_page"
_LAST_RESORT: Final = "en"


@dataclass(frozen=True)
class Words:
    """The words of one language: those of the form, those of the server's pages, and those of each mechanism."""

    tag: str
    form: Mapping[str, Any]
    page: Mapping[str, Any]
    mechanisms: Mapping[str, Mapping[str, Any]]

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key, unfilled: a text, a list of texts or texts by name."""
        return self.form[key] if key in self.form else self.page[key]

    def mechanism(self, name: str) -> Mapping[str, Any]:
        """Return the words of a mechanism."""
        return self.mechanisms[name]

    def fill(self, key: str, **values: str | int) -> str:
        """Return a sentence filled with values."""
        return self.write(self[key], values)

    def write(self, text: str, values: Mapping[str, str | int]) -> str:
        """Return a text filled with values; whole numbers are written as in this language."""
        written = {name: self.number(value) if isinstance(value, int) else value for name, value in values.items()}
        # A bar separates the parts of a sentence that the form colours.
        return text.replace("|", "").format_map(written)

    def count(self, times: int) -> str:
        """Return how often out of 100, in words that never say always or never."""
        return self.fill({0: "count_less", 1: "count_once", 100: "count_more"}.get(times, "count"), n=times)

    def number(self, number: int) -> str:
        """Return a whole number in digits, with this language's thousands separator."""
        separator: str = self["thousands"]
        return f"{number:,}".replace(",", separator)


@cache
def known() -> tuple[str, ...]:
    """Return the tags of all languages that have words."""
    return tuple(sorted(file.stem for file in _folder().glob("*.js")))


def interface(tag: str) -> Words:
    """Return the words for a language: its own, those of its primary language, or English."""
    return _load(next((close for close in (tag, primary(tag)) if close in known()), _LAST_RESORT))


def primary(tag: str) -> str:
    """Return the primary language of a tag, without region or script."""
    return tag.split("-", 1)[0]


@cache
def _load(tag: str) -> Words:
    texts = dict(_read(f"{tag}.js"))
    page = texts.pop(_PAGE)
    # A mechanism without words in a language is an error as soon as the language is used.
    return Words(tag, texts, page, {name: _read(f"mechanisms/{name}.js")[tag] for name in DESIGNS})


@cache
def _read(name: str) -> dict[str, Any]:
    module = (_folder() / name).read_text(encoding="utf-8")
    texts: dict[str, Any] = json.loads(module.removeprefix(_BEGIN).removesuffix(_END))
    return texts


def _folder() -> Path:
    return script_folder() / "words"
