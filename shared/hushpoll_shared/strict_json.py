"""JSON without surprises.

UTF-8 only, no duplicate keys, no NaN or Infinity, no fractions where whole numbers are expected, bounded depth.
Whatever the bytes are, the outcome is a value or a `StrictJSONError` whose message does not repeat them.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from hushpoll_shared.errors import InvalidValue

# The largest whole number that every JSON reader keeps exactly.
LARGEST = 2**53 - 1


class StrictJSONError(InvalidValue):
    """Bytes that are not strict JSON."""


def loads(data: bytes) -> Any:
    """Read one JSON value whose numbers are whole numbers."""
    return _read(_WHOLE_NUMBERS, data)


def loads_with_fractions(data: bytes) -> Any:
    """Read one JSON value whose numbers may have decimals."""
    return _read(_ANY_NUMBERS, data)


def dumps(value: Any) -> bytes:
    """Write compact JSON: keys in the order given, no white space, UTF-8."""
    return _COMPACT.encode(value).encode()


def _read(decoder: json.JSONDecoder, data: bytes) -> Any:
    try:
        return decoder.decode(data.decode("utf-8"))
    except StrictJSONError:
        raise
    except RecursionError:
        raise StrictJSONError("the JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise StrictJSONError("the text is not UTF-8") from None
    except ValueError as error:
        raise StrictJSONError(f"this is not JSON{_position(error)}") from None


def _position(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f" (at character {error.pos + 1})"
    return ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise StrictJSONError("an object has the same key twice")
    return value


def _whole(text: str) -> int:
    if len(text) > len(str(-LARGEST)) or abs(int(text)) > LARGEST:
        raise StrictJSONError("a number is larger than 2^53 − 1")
    return int(text)


def _no_fraction(_: str) -> NoReturn:
    raise StrictJSONError("a number is not a whole number")


def _no_constant(_: str) -> NoReturn:
    raise StrictJSONError("NaN and Infinity are not JSON")


_WHOLE_NUMBERS = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_no_fraction, parse_constant=_no_constant
)
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_ANY_NUMBERS = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)
