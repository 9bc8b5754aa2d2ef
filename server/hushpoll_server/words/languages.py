"""Every sentence that a respondent reads, in every language of Hushpoll.

The rule here: a sentence exists once, as data, and the form and the server fill the same one. A language has all
sentences or none; a survey in any other language is asked in that language and explained in English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from hushpoll_server.paths import template_folder
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import DESIGNS

# The key of the sentences that only the label's page has; the form does not carry them.
LABEL_PAGE: Final = "label_page"
# What the page shows before or without its script.
_SHELL: Final = ("skip", "loading", "no_script")


@dataclass(frozen=True)
class Words:
    """The words of one language: those of the form, those of the label's page, and those of each mechanism."""

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

    def moment(self, when: datetime) -> str:
        """Return a time in words, in UTC."""
        month: str = self["months"][when.month - 1]
        return self.fill("moment", day=when.day, month=month, year=str(when.year), time=f"{when:%H:%M}")

    def name(self, tag: str) -> str:
        """Return the name of a language in itself, if these are its words; else its tag."""
        if tag == self.tag:
            own: str = self["name"]
            return own
        return f"{self['name']} ({tag})" if _primary(tag) == _primary(self.tag) else tag


def known() -> tuple[str, ...]:
    """Return the tags of all languages that have words."""
    return tuple(sorted(file.stem for file in (template_folder() / "words").glob("*.json")))


def interface(tag: str) -> Words:
    """Return the words for a language: its own, those of its primary language, or English."""
    return next((_load(close) for close in (tag, _primary(tag)) if close in known()), ENGLISH)


def for_page(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """Return the words that the form of a survey carries, by the languages of the survey."""
    mechanisms = sorted({question.design.NAME for question in manifest.questions})
    return {tag: _for_form(tag, interface(tag), mechanisms) for tag in manifest.languages}


def _for_form(tag: str, words: Words, mechanisms: Sequence[str]) -> dict[str, Any]:
    own = {name: words.mechanism(name) for name in mechanisms}
    spoken = {key: texts for key, texts in words.form.items() if key not in _SHELL}
    return {**spoken, "mechanisms": own, "name": words.name(tag), "lang": words.tag}


@cache
def _load(tag: str) -> Words:
    texts = dict(_read(f"{tag}.json"))
    page = texts.pop(LABEL_PAGE)
    # A mechanism without words in a language is an error when the program starts.
    return Words(tag, texts, page, {name: _read(f"mechanisms/{name}.json")[tag] for name in DESIGNS})


@cache
def _read(name: str) -> dict[str, Any]:
    texts: dict[str, Any] = json.loads((template_folder() / "words" / name).read_text(encoding="utf-8"))
    return texts


def _primary(tag: str) -> str:
    return tag.split("-", 1)[0]


ENGLISH: Final = _load("en")
