"""The language of a page that the server writes: the one that its reader asks for.

The rule here: a language is taken from the address (`?lang=fr`), else from what the browser prefers, and from nothing
else. It is neither stored nor logged, and no answer can have an influence on it: no answer reaches the server.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, after_this_request, request

from hushpoll_server.words import ENGLISH
from hushpoll_shared.words import Words, interface, known


def language(languages: Sequence[str]) -> str:
    """Return the first of the reader's languages that is among these, else the first of these."""
    tags = (close for tag in _preferences() for close in (tag, tag.partition("-")[0]))
    return next((tag for tag in tags if tag in languages), languages[0])


def words() -> Words:
    """Return the words of a page that belongs to no survey."""
    return interface(language((ENGLISH.tag, *known())))


def _preferences() -> list[str]:
    after_this_request(_vary)
    # They are sorted by how much the browser prefers them; 0 is what it does not want.
    accepted = [tag for tag, quality in request.accept_languages if quality]
    return [request.args.get("lang", ""), *accepted]


def _vary(response: Response) -> Response:
    response.vary.add("Accept-Language")
    return response
