"""A survey in one of its languages, for the pages that the server writes.

The rule here: the reader chooses one of the survey's languages. Nothing is guessed from the reader's browser, and
nothing about it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.words import Words, interface
from hushpoll_shared.manifest import Manifest


@dataclass(frozen=True)
class LocalizedSurvey:
    """A survey's texts in one language, and the words around them."""

    manifest: Manifest
    tag: str
    words: Words

    @property
    def title(self) -> str:
        """Return the title."""
        translation = self.manifest.translations.get(self.tag)
        return translation.title if translation else self.manifest.title

    def texts(self) -> dict[str, str]:
        """Return the text of every question, and of every part of a pair, by its id."""
        translation = self.manifest.translations.get(self.tag)
        if translation:
            return {name: question.text for name, question in translation.questions.items()}
        questions = self.manifest.questions
        parts = {part.id: part.text for question in questions for part in question.type.parts}
        return {question.id: question.text for question in questions} | parts

    def others(self) -> dict[str, str]:
        """Return the names of the survey's other languages, each in itself, by tag."""
        return {tag: interface(tag).name(tag) for tag in self.manifest.languages if tag != self.tag}


def localize(manifest: Manifest, tag: str | None = None) -> LocalizedSurvey:
    """Return the survey in the language with this tag if it has it, else in its own."""
    chosen = tag if tag in manifest.languages else manifest.languages[0]
    return LocalizedSurvey(manifest, chosen, interface(chosen))
