"""A survey in one of its languages, for the pages that the server writes.

The rule here: a page is in one of the survey's languages, and all of it is in the same one.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.words import name_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.words import Words, interface


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
        return {tag: name_of(tag) for tag in self.manifest.languages if tag != self.tag}


def localize(manifest: Manifest, tag: str) -> LocalizedSurvey:
    """Return the survey in one of its languages."""
    return LocalizedSurvey(manifest, tag, interface(tag))
