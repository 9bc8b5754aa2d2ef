"""What a browser has saved of a visit: the page as received, or all responses (HAR) as its developer tools write them.

No server can know that such a file will be compared. The rule here: the file is untrusted input. What it lacks is not
compared, and never counted as the same.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any
from urllib.parse import urlsplit

from hushpoll_server.respond.compare import Fetched
from hushpoll_shared.errors import InvalidValue

_UNREADABLE = "the file is neither a page of Hushpoll nor a HAR file: save it as HTML only, or export the HAR again"


def read_saved(data: bytes, server: str) -> dict[str, Fetched]:
    """Return the responses of this server in a file, by path; a page that was saved alone has an empty path."""
    if not data.lstrip().startswith(b"{"):
        return {"": Fetched(200, {}, data)}
    try:
        entries = json.loads(data)["log"]["entries"]
        responses = {_path(entry, server): _fetched(entry["response"]) for entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise InvalidValue(_UNREADABLE) from None
    return {path: response for path, response in responses.items() if path}


def _path(entry: dict[str, Any], server: str) -> str:
    """Return the path below the server's address, or nothing for another server."""
    address = urlsplit(entry["request"]["url"])
    url = f"{address.scheme}://{address.netloc}{address.path}"
    return url.removeprefix(server) if entry["request"]["method"] == "GET" and url.startswith(f"{server}/") else ""


def _fetched(response: dict[str, Any]) -> Fetched:
    content, text = response["content"], response["content"].get("text", "")
    body = base64.b64decode(text, validate=True) if content.get("encoding") == "base64" else text.encode()
    return Fetched(int(response["status"]), {item["name"].lower(): item["value"] for item in response["headers"]}, body)
