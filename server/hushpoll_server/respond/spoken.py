"""A survey in one of its languages, for the pages that the server writes.

The law here: a language is chosen by whoever reads, from those of the survey. Nothing is guessed from the reader's
browser and nothing about it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.words import Words, interface
from hushpoll_shared.manifest import Manifest


@dataclass(frozen=True)
class Spoken:
    """A survey's texts in one language, and the words around them."""

    manifest: Manifest
    tag: str
    words: Words

    @property
    def title(self) -> str:
        """Give the title."""
        translation = self.manifest.translations.get(self.tag)
        return translation.title if translation else self.manifest.title

    def texts(self) -> dict[str, str]:
        """Give the text of every question, and of every part of a pair, by its id."""
        translation = self.manifest.translations.get(self.tag)
        if translation:
            return {name: question.text for name, question in translation.questions.items()}
        parts = (part for question in self.manifest.questions for part in getattr(question.kind, "parts", ()))
        return {asked.id: asked.text for asked in (*self.manifest.questions, *parts)}

    def others(self) -> dict[str, str]:
        """Name the other languages of the survey, each in its own words, by their tags."""
        return {tag: interface(tag).name(tag) for tag in self.manifest.languages if tag != self.tag}


def speak(manifest: Manifest, wanted: str | None = None) -> Spoken:
    """Choose the language that is wanted, if the survey has it; else the survey's own."""
    tag = wanted if wanted in manifest.languages else manifest.languages[0]
    return Spoken(manifest, tag, interface(tag))
