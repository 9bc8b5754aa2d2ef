"""The bodies of the API's requests and responses, as JSON Schema 2020-12."""

from __future__ import annotations

from typing import Any, Final

from hushpoll_server.estimate.results import COVERAGES
from hushpoll_shared import problems
from hushpoll_shared.checks import NAME
from hushpoll_shared.report import ID_BYTES, VERSION

Json = dict[str, Any]

_HASH: Final = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "number"}
# Null is a figure that cannot be estimated yet.
_FIGURE: Final = {"type": ["number", "null"]}


def ref(name: str) -> Json:
    """Return a reference to one of these schemas."""
    return {"$ref": f"#/components/schemas/{name}"}


def status(word: str) -> Json:
    """Return the schema of a response that is one word."""
    return _object({"status": {"const": word}})


def _object(properties: Json, *, optional: tuple[str, ...] = (), closed: bool = True) -> Json:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": not closed}


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


ACCEPTED: Final = status("accepted")
_REJECTED: Final = _object({"line": {"type": "integer", "minimum": 1}, "type": _TEXT, "title": _TEXT})
_MANY: Final = _object(
    {
        "accepted": _COUNT,
        "duplicate": _COUNT,
        # The first hundred; the rest are only counted.
        "rejected": {"type": "array", "items": _REJECTED},
        "rejected_total": _COUNT,
        "rejected_by_type": {"type": "object", "additionalProperties": _COUNT},
    },
)
TAKEN: Final = {"oneOf": [status("duplicate"), _MANY]}
RETRY_AFTER: Final = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}

_LIMITED: Final = {"estimate": _FIGURE, "low": _FIGURE, "high": _FIGURE}
_ESTIMATED: Final = {**_LIMITED, "se": _FIGURE}
_QUESTION: Final = {
    "n": _COUNT,
    "level": _NUMBER,
    "method": _TEXT,
    "coverage": {"enum": list(COVERAGES)},
    "epsilon": _NUMBER,
    "cells": {"type": "array", "items": _object({"name": _TEXT, **_ESTIMATED}, closed=False)},
    "mean": _object(_ESTIMATED, closed=False),
    "cells_method": _TEXT,
    "sd": _object(_ESTIMATED, closed=False),
    "quantiles": {"type": "array", "items": _object({"share": _NUMBER, **_LIMITED})},
    "cumulative": {"type": "array", "items": _object({"below": _NUMBER, **_LIMITED})},
    "bins": {"type": "array", "items": _object(_ESTIMATED, closed=False)},
    "warnings": {"type": "array", "items": _TEXT},
}
_SOMETIMES: Final = ("method", "cells", "cells_method", "mean", "sd", "quantiles", "cumulative", "bins")
_PAIR: Final = {"first": _TEXT, "second": _TEXT, "count": _COUNT, **_ESTIMATED, "tidy": _FIGURE}
_TEST: Final = _object({"statistic": _NUMBER, "degrees": _COUNT, "p_value": _NUMBER})
_CROSS_TABLE: Final = {
    "first": _TEXT,
    "second": _TEXT,
    "n": _COUNT,
    "cells": {"type": "array", "items": _object(_PAIR, closed=False)},
    "independence": {"oneOf": [_TEST, {"type": "null"}]},
    "warnings": {"type": "array", "items": _TEXT},
}

ALL: Final[Json] = {
    "Name": {"type": "string", "pattern": f"^{NAME}$"},
    "Envelope": _object({"payload": _TEXT, "signature": _TEXT, "key": {"type": "string", "pattern": "^ed25519:"}}),
    "Report": _object(
        {
            "v": {"const": VERSION},
            "survey": ref("Name"),
            "manifest": _HASH,
            "id": {"type": "string", "pattern": f"^[0-9a-f]{{{2 * ID_BYTES}}}$"},
            "groups": {
                "type": "string",
                "description": "In surveys with groups: the place of a label in two digits, or -1, by dimension.",
                "pattern": "^([0-9]{2}|-1){1,4}$",
            },
            "answers": {
                "type": "object",
                "description": "A draw for every question of the manifest, in its order.",
                "additionalProperties": {"type": "string"},
            },
        },
        optional=("groups",),
    ),
    "Estimates": _object(
        {
            "questions": {
                "type": "object",
                "additionalProperties": _object(_QUESTION, optional=_SOMETIMES, closed=False),
            },
            "cross_tables": {"type": "array", "items": _object(_CROSS_TABLE, closed=False)},
            "warnings": {"type": "array", "items": _TEXT},
        },
        optional=("cross_tables", "warnings"),
    ),
    "Comparison": _object(
        {
            "question": _TEXT,
            "by": _TEXT,
            "level": _NUMBER,
            "coverage": {"enum": list(COVERAGES)},
            "groups": _list(_object({"name": _TEXT, "text": _TEXT, "withheld": {"type": "boolean"}}, closed=False)),
            "differences": _list(
                _object(
                    {"cell": _TEXT, "first": _TEXT, "second": _TEXT, **_ESTIMATED, "adjusted_p_value": _NUMBER},
                    closed=False,
                )
            ),
            "overall": {"type": "object", "additionalProperties": {"oneOf": [_TEST, {"type": "null"}]}},
            "adjustment": _TEXT,
            "standard_errors": _TEXT,
            "warnings": _list(_TEXT),
        }
    ),
    # Shares of two questions, means in groups, or tables of two within the answers to a third.
    "Crosstab": _object({"n": _COUNT, "level": _NUMBER, "warnings": _list(_TEXT)}, closed=False),
    "Quantiles": _object(
        {
            "n": _COUNT,
            "level": _NUMBER,
            "quantiles": _list(_object({"share": _NUMBER, **_LIMITED}, closed=False)),
            "at": _list(_object({"at": _NUMBER, **_LIMITED}, closed=False)),
            "mean": _object(_LIMITED, closed=False),
            "warnings": _list(_TEXT),
        },
        closed=False,
    ),
    "Regression": _object(
        {
            "n": _COUNT,
            # Null where the reports do not determine them: a warning says why.
            "coefficients": {
                "type": ["array", "null"],
                "items": _object({"name": _TEXT, **_ESTIMATED, "p_value": _FIGURE}, closed=False),
            },
            "warnings": _list(_TEXT),
        },
        closed=False,
    ),
    "Problem": {
        "description": "A refusal (RFC 9457). The list of types is closed; nothing that was sent is repeated.",
        **_object(
            {
                "type": {"enum": [problem.type for problem in problems.ALL]},
                "title": _TEXT,
                "status": {"type": "integer"},
                "detail": _TEXT,
            }
        ),
    },
}
