"""Which pairs of questions, asked apart, a survey wants to see in cross tables.

A researcher's choice about counting: it changes nothing that a device does, so it is not in the manifest. The law
here: both questions are of types whose answers exclude each other, and every report answers both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import Choice, Kind, Pair

if TYPE_CHECKING:
    from hushpoll_server.collect.tally import Crossed
    from hushpoll_server.surveys.drafts import Draft
    from hushpoll_server.surveys.fields import Fields
    from hushpoll_server.surveys.located import Located

# Above this no number of respondents fills the table, and nobody reads it.
MOST_CELLS = 1000
MOST_TABLES = 50

_EXAMPLE = "two questions of this survey by their ids, such as [cheated, frequency]"


def read_cross_tables(fields: Fields, drafts: Sequence[Draft], entries: Sequence[Fields]) -> tuple[Crossed, ...]:
    """Read the pairs of a survey file; note what cannot be crossed, each on its own line."""
    listed = fields.located("cross_tables")
    if "cross_tables" not in fields:
        return ()
    if not isinstance(listed.value, list) or not listed.value:
        fields.note("cross_tables", f"cross_tables must be a list of pairs, each of {_EXAMPLE}")
        return ()
    if len(listed.value) > MOST_TABLES:
        fields.note("cross_tables", f"there are more than {MOST_TABLES} cross tables: name those that you will read")
        return ()
    kinds = {draft.id: draft.kind for draft in drafts}
    # What is wrong with a question itself is said at its own line.
    broken = {str(entry["id"]) for entry in entries} - _asked(kinds)
    crossed: list[Crossed] = []
    for item in listed.value:
        try:
            pair = _read_pair(item)
            if broken.isdisjoint(pair):
                check_crossed((*crossed, pair), kinds, ask=fields["ask"])
            crossed.append(pair)
        except InvalidValue as error:
            fields.note_at(item.line, str(error))
    return tuple(crossed)


def check_crossed(crossed: Sequence[Crossed], kinds: Mapping[str, Kind], *, ask: object) -> None:
    """Refuse questions that cannot be crossed, and a table that stands there twice."""
    if ask is not None:
        raise InvalidValue(
            "with ask, few devices answer both questions: join them into a pair, or remove ask or the cross table"
        )
    for pair in crossed:
        _check_pair(pair, kinds)
    if len({frozenset(pair) for pair in crossed}) < len(crossed):
        raise InvalidValue("this cross table stands there twice, perhaps turned round: remove one")


def _check_pair(pair: Crossed, kinds: Mapping[str, Kind]) -> None:
    for name in pair:
        _check_question(name, kinds)
    if pair[0] == pair[1]:
        raise InvalidValue(f"a cross table is of two questions: {pair[0]!r} stands there twice")
    cells = math.prod(len(kinds[name].answers) for name in pair)
    if cells > MOST_CELLS:
        raise InvalidValue(
            f"this cross table has {cells:,} cells, more than {MOST_CELLS:,}: cross questions with fewer answers"
        )


def _check_question(name: str, kinds: Mapping[str, Kind]) -> None:
    kind = kinds.get(name)
    if kind is None and name in _asked(kinds):
        raise InvalidValue(f"{name!r} is asked inside a pair, which has its own cross table: cross other questions")
    if kind is None:
        raise InvalidValue(f"there is no question {name!r}: give {_EXAMPLE}")
    if not isinstance(kind, Choice) or isinstance(kind, Pair) or getattr(kind, "report", "shares") != "shares":
        raise InvalidValue(f"{name!r} cannot be crossed: take yes_no, single_choice or scale (report: shares)")


def _asked(kinds: Mapping[str, Kind]) -> set[str]:
    """Give the ids of all questions, also of those inside pairs."""
    parts = chain.from_iterable(kind.parts for kind in kinds.values() if isinstance(kind, Pair))
    return {*kinds, *(part.id for part in parts)}


def _read_pair(item: Located) -> Crossed:
    names = item.plain()
    if isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names):
        return names[0], names[1]
    raise InvalidValue(f"a cross table is of {_EXAMPLE}")
