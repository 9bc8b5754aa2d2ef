"""Questions as a survey file defines them, before their designs are made; two of them may be joined into a pair.

The rule here: what a question says about itself is read first; what depends on other questions (pairs, budget) later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from hushpoll_server.compile.fields import Fields
from hushpoll_server.compile.likely_share import read_likely_share
from hushpoll_server.compile.privacy import StatedPrivacy, read_privacy
from hushpoll_server.compile.question_types import OWN_FIELDS, read_type
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_shared.checks import check_text
from hushpoll_shared.epsilon import parse_number
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import MOST_OPTIONS, AnyQuestionType, Pair, Part, PartType

_COST_FIELDS = ("privacy", "weight", "reason")
QUESTION_KEYS = ("id", "text", "type", *OWN_FIELDS, "pair", "show_if", *_COST_FIELDS)


@dataclass(frozen=True)
class Draft:
    """A question without its design; `stated` and `likely_share` are None if the file does not state them."""

    fields: Fields
    id: str
    text: str
    type: AnyQuestionType
    stated: StatedPrivacy | None
    weight: Fraction
    when: When | None = None
    likely_share: AtShare | None = None


def read_drafts(entries: Sequence[Fields], folder: Path | None) -> list[Draft]:
    """Read all questions; the parts of a pair are inside it."""
    _note_repeated_ids(entries)
    part_ids = _parts(entries)
    single = [fields for fields in entries if "pair" not in fields]
    drafts = [(fields, _read_draft(fields, folder, is_part=fields["id"] in part_ids)) for fields in single]
    parts = {fields["id"]: draft for fields, draft in drafts if fields["id"] in part_ids}
    unpaired = {id(fields): draft for fields, draft in drafts if fields["id"] not in part_ids}
    read = [_read_pair(fields, parts) if "pair" in fields else unpaired.get(id(fields)) for fields in entries]
    return [draft for draft in read if draft]


def _note_repeated_ids(entries: Sequence[Fields]) -> None:
    ids: list[object] = []
    for fields in entries:
        if "id" in fields and fields["id"] in ids:
            fields.note("id", "another question has this id: give each its own")
        ids.append(fields["id"])


def _read_draft(fields: Fields, folder: Path | None, *, is_part: bool) -> Draft | None:
    name = fields.name("id", "cheated")
    text = fields.text("text", name, "people will see the question's id")
    question_type = read_type(fields, folder)
    if is_part:
        _note_costs_of_part(fields)
        _note_condition(fields)
    return _finished(fields, name, text, question_type)


def _note_costs_of_part(fields: Fields) -> None:
    for key in _COST_FIELDS:
        if key in fields:
            fields.note(key, f"this question is asked inside a pair: move {key} to the pair")


def _note_condition(fields: Fields) -> None:
    if "show_if" in fields:
        cure = "remove show_if, or ask its questions apart"
        fields.note("show_if", f"a pair is one draw and is always shown: {cure}")


def _finished(fields: Fields, name: str, text: str, question_type: AnyQuestionType | None) -> Draft | None:
    if "reason" in fields:
        fields.attempt("reason", lambda: check_text(fields["reason"], "reason"))
    weight = fields.attempt("weight", lambda: _read_weight(fields))
    if question_type is None or weight is None:
        return None
    likely_share = fields.attempt("likely_share", lambda: read_likely_share(fields))
    draft = Draft(fields, name, text, question_type, None, weight, likely_share=likely_share)
    if "privacy" not in fields:
        return draft
    stated = fields.attempt("privacy", lambda: read_privacy(fields, question_type))
    return replace(draft, stated=stated) if stated else None


def _read_weight(fields: Fields) -> Fraction:
    weight = parse_number(fields["weight"], "weight") if "weight" in fields else Fraction(1)
    if not Fraction(1, 10**6) <= weight <= 10**6:
        raise InvalidValue("weight must be above 0, and neither tiny nor huge: 2 counts twice as much as 1")
    return weight


def _parts(entries: Sequence[Fields]) -> list[str]:
    """Find the questions that are asked inside pairs; note what cannot be joined."""
    known = [fields["id"] for fields in entries if "pair" not in fields]
    part_ids: list[str] = []
    for fields in (fields for fields in entries if "pair" in fields):
        for name in _named(fields):
            if name not in known:
                fields.note("pair", f"there is no question {name!r} to join: name questions of this file by their ids")
            elif name in part_ids:
                fields.note("pair", f"the question {name!r} is in a pair already: a question can be asked only once")
            part_ids.append(name)
    return part_ids


def _named(fields: Fields) -> list[str]:
    names = fields["pair"]
    if isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names):
        return names
    fields.note("pair", "pair must name two questions of this file, such as [cheated, frequency]")
    return []


def _read_pair(fields: Fields, parts: Mapping[str, Draft | None]) -> Draft | None:
    name = fields.name("id", "both")
    for key in ("type", *OWN_FIELDS):
        if key in fields:
            fields.note(key, f"{key} does not belong to a pair: its two questions have their own")
    _note_condition(fields)
    names = fields["pair"] if isinstance(fields["pair"], list) else []
    joined = [draft for part, draft in parts.items() if part in names and draft]
    joined.sort(key=lambda draft: names.index(draft.id))
    together = " × ".join(draft.text for draft in joined)
    text = fields.text("text", "", "") if "text" in fields else together
    return _finished(fields, name, text, fields.attempt("pair", lambda: _join(joined)))


def _join(parts: list[Draft]) -> Pair | None:
    if len(parts) != 2:
        # Errors in a part or in the names have been noted already.
        return None
    first, second = (Part(part.id, part.text, _choice(part)) for part in parts)
    if math.prod(len(part.type.cells) for part in (first, second)) > MOST_OPTIONS:
        raise InvalidValue(f"together they have more than {MOST_OPTIONS} combinations: offer fewer options")
    return Pair((first, second))


def _choice(draft: Draft) -> PartType:
    if not isinstance(draft.type, PartType):
        raise InvalidValue("a pair joins two questions of the types yes_no, single_choice or scale (shares)")
    return draft.type
