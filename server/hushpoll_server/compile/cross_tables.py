"""The cross tables that a survey file asks for.

A researcher's choice about counting: it changes nothing that a device does, so it is not in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hushpoll_server.counting.crossed import EXAMPLE, Crossed, check_crossed, ids_of
from hushpoll_shared.errors import InvalidValue

if TYPE_CHECKING:
    from hushpoll_server.compile.drafts import Draft
    from hushpoll_server.compile.fields import Fields
    from hushpoll_server.compile.yaml_with_lines import Located

MOST_TABLES = 50


def read_cross_tables(fields: Fields, drafts: Sequence[Draft], entries: Sequence[Fields]) -> tuple[Crossed, ...]:
    """Read the pairs of a survey file; note what cannot be crossed, each on its own line."""
    listed = fields.located("cross_tables")
    if "cross_tables" not in fields:
        return ()
    if not isinstance(listed.value, list) or not listed.value:
        fields.note("cross_tables", f"cross_tables must be a list of pairs, each of {EXAMPLE}")
        return ()
    if len(listed.value) > MOST_TABLES:
        fields.note("cross_tables", f"there are more than {MOST_TABLES} cross tables: name those that you will read")
        return ()
    types = {draft.id: draft.type for draft in drafts}
    # Errors in a question itself are noted on its own line.
    broken = {str(entry["id"]) for entry in entries} - ids_of(types)
    crossed: list[Crossed] = []
    for item in listed.value:
        try:
            pair = _read_pair(item)
            if broken.isdisjoint(pair):
                check_crossed((*crossed, pair), types, ask=fields["ask"])
            crossed.append(pair)
        except InvalidValue as error:
            fields.note_at(item.line, str(error))
    return tuple(crossed)


def _read_pair(item: Located) -> Crossed:
    names = item.plain()
    if isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names):
        return names[0], names[1]
    raise InvalidValue(f"a cross table is of {EXAMPLE}")
