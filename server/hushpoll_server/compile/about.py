"""Read what a survey file says about who asks, and about what comes after Send."""

from __future__ import annotations

from dataclasses import fields as fields_of
from functools import partial

from hushpoll_server.compile.fields import Fields
from hushpoll_shared.about import About

KEYS = tuple(each.name for each in fields_of(About))


def read_about(fields: Fields) -> About | None:
    """Read the field `about`; without it the form says nothing about who asks."""
    if "about" not in fields:
        return None
    listed = fields.located("about")
    if not isinstance(listed.value, dict) or not listed.value:
        fields.note("about", "about must be a map: {organisation: …, contact: …, privacy: …, thanks: …, link: …}")
        return None
    entry = Fields(listed, KEYS, fields.findings)
    # Each by itself, so that an error has the line of its own key.
    read = {key: entry.attempt(key, partial(About.read, {key: entry[key]})) for key in KEYS if key in entry}
    return None if fields.findings.errors else About(**{key: entry[key] for key in read})
