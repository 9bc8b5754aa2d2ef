"""Every sentence that a respondent reads, in the languages that Hushpoll speaks.

The law here: a sentence stands once, as data, and the form and the server fill the same one. A language has all of the
sentences or none; a survey in a language that is not known here is asked in it and explained in English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from hushpoll_server.paths import template_folder
from hushpoll_shared.manifest import Manifest

# What only the label's page says: the form does not carry it.
LABEL_PAGE: Final = "label_page"


@dataclass(frozen=True)
class Words:
    """The words of one language: those of the form, and those of the label's page."""

    tag: str
    form: Mapping[str, Any]
    page: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        """Give what stands under a key, unfilled: a text, a list of texts or texts by name."""
        return self.form[key] if key in self.form else self.page[key]

    def fill(self, key: str, **values: str | int) -> str:
        """Give a sentence with its values; whole numbers are written as this language does."""
        written = {name: self.number(value) if isinstance(value, int) else value for name, value in values.items()}
        # A bar divides a sentence for the form, which colours its parts.
        text: str = self[key].replace("|", "")
        return text.format_map(written)

    def count(self, times: int) -> str:
        """Say how often out of 100; never that something always or never happens."""
        return self.fill({0: "count_less", 1: "count_once", 100: "count_more"}.get(times, "count"), n=times)

    def number(self, number: int) -> str:
        """Write a whole number in digits, with this language's mark between thousands."""
        mark: str = self["thousands"]
        return f"{number:,}".replace(",", mark)

    def moment(self, when: datetime) -> str:
        """Write a time, as it is in UTC."""
        month: str = self["months"][when.month - 1]
        return self.fill("moment", day=when.day, month=month, year=str(when.year), time=f"{when:%H:%M}")

    def name(self, tag: str) -> str:
        """Name a language of a survey in its own words, where they are these; else by its tag."""
        if tag == self.tag:
            own: str = self["name"]
            return own
        return f"{self['name']} ({tag})" if _primary(tag) == _primary(self.tag) else tag


def known() -> tuple[str, ...]:
    """List the tags of the languages that there are words in."""
    return tuple(sorted(file.stem for file in (template_folder() / "words").glob("*.json")))


def interface(tag: str) -> Words:
    """Find the words for a language: its own, those of its primary language, or English."""
    return next((_load(close) for close in (tag, _primary(tag)) if close in known()), ENGLISH)


def for_page(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """Give the words that the form of a survey carries, by the languages of the survey."""
    return {tag: _for_form(tag, interface(tag)) for tag in manifest.languages}


def _for_form(tag: str, words: Words) -> dict[str, Any]:
    return {**words.form, "name": words.name(tag), "lang": words.tag}


@cache
def _load(tag: str) -> Words:
    texts = json.loads((template_folder() / "words" / f"{tag}.json").read_text(encoding="utf-8"))
    page = texts.pop(LABEL_PAGE)
    return Words(tag, texts, page)


def _primary(tag: str) -> str:
    return tag.split("-", 1)[0]


ENGLISH: Final = _load("en")
