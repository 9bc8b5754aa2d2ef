"""Read what a survey file says about who asks, and about what comes after Send."""

from __future__ import annotations

from dataclasses import fields as fields_of
from functools import partial
from pathlib import Path
from typing import Any

from hushpoll_server.compile.companions import read_companion
from hushpoll_server.compile.fields import Fields
from hushpoll_shared.about import About
from hushpoll_shared.appearance import LARGEST_LOGO, logo_of
from hushpoll_shared.errors import InvalidValue

KEYS = tuple(each.name for each in fields_of(About))


def read_about(fields: Fields, folder: Path | None) -> About | None:
    """Read the field `about`; without it the form says nothing about who asks."""
    if "about" not in fields:
        return None
    listed = fields.located("about")
    if not isinstance(listed.value, dict) or not listed.value:
        fields.note("about", "about must be a map: {organisation: …, contact: …, privacy: …, thanks: …, link: …}")
        return None
    entry = Fields(listed, KEYS, fields.findings)
    # Each by itself, so that an error has the line of its own key.
    said = [entry.attempt(key, partial(_read_one, key, entry[key], folder)) for key in KEYS if key in entry]
    if fields.findings.errors:
        return None
    return About(**{key: value for about in said if about for key, value in about.to_json().items()})


def _read_one(key: str, value: Any, folder: Path | None) -> About:
    if key == "logo" and isinstance(value, str) and not value.startswith("data:"):
        value = _read_logo(value, folder)
    return About.read({key: value})


def _read_logo(name: str, folder: Path | None) -> str:
    cure = "write it as a data URL instead"
    picture = read_companion("logo", name, folder, most=LARGEST_LOGO, example="logo.png", cure=cure)
    try:
        return logo_of(picture)
    except InvalidValue as error:
        raise InvalidValue(f"{name}: {error}") from None
