"""What only the server's pages need of the words: which of them the form carries, names of languages, times.

The rule here: the words and how they are filled are shared (`hushpoll_shared.words`); nothing here has a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.words import Words, interface
from hushpoll_shared.words.languages import primary

# What the page shows before or without its script.
_SHELL: Final = ("skip", "loading", "no_script")

# Loaded when the program starts, so that a mechanism without words is an error then.
ENGLISH: Final = interface("en")


def for_page(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """Return the words that the form of a survey carries, by the languages of the survey."""
    mechanisms = sorted({question.design.NAME for question in manifest.questions})
    return {tag: _for_form(tag, interface(tag), mechanisms) for tag in manifest.languages}


def name_of(tag: str) -> str:
    """Return the name of a language in itself; its tag where there are no words in it."""
    words = interface(tag)
    name: str = words["name"]
    if tag == words.tag:
        return name
    return f"{name} ({tag})" if primary(tag) == primary(words.tag) else tag


def moment(words: Words, when: datetime) -> str:
    """Return a time in words, in UTC."""
    month: str = words["months"][when.month - 1]
    return words.fill("moment", day=when.day, month=month, year=str(when.year), time=f"{when:%H:%M}")


def _for_form(tag: str, words: Words, mechanisms: Sequence[str]) -> dict[str, Any]:
    own = {name: words.mechanism(name) for name in mechanisms}
    spoken = {key: texts for key, texts in words.form.items() if key not in _SHELL}
    return {**spoken, "mechanisms": own, "name": name_of(tag), "lang": words.tag}
