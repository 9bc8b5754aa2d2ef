"""What a browser has saved of a visit: the page as it came, or all answers (HAR) as its developer tools write them.

No server can know that such a file will be compared. The law here: a file is read as somebody else's. What is not there
is not compared, and never taken for the same.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any
from urllib.parse import urlsplit

from hushpoll_server.respond.compare import Answer
from hushpoll_shared.errors import InvalidValue

_NO_HAR = "the file is neither a page of Hushpoll nor a HAR file: save the page as HTML only, or export the HAR anew"


def read_saved(data: bytes, server: str) -> dict[str, Answer]:
    """Return the answers of this server that a file holds, by path; a page alone has none, and stands under no path."""
    if not data.lstrip().startswith(b"{"):
        return {"": Answer(200, {}, data)}
    try:
        entries = json.loads(data)["log"]["entries"]
        answers = {_path(entry, server): _answer(entry["response"]) for entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise InvalidValue(_NO_HAR) from None
    return {path: answer for path, answer in answers.items() if path}


def _path(entry: dict[str, Any], server: str) -> str:
    """Return the path below the server's address, nothing if it was another server's."""
    address = urlsplit(entry["request"]["url"])
    url = f"{address.scheme}://{address.netloc}{address.path}"
    return url.removeprefix(server) if entry["request"]["method"] == "GET" and url.startswith(f"{server}/") else ""


def _answer(response: dict[str, Any]) -> Answer:
    content, text = response["content"], response["content"].get("text", "")
    body = base64.b64decode(text, validate=True) if content.get("encoding") == "base64" else text.encode()
    return Answer(int(response["status"]), {item["name"].lower(): item["value"] for item in response["headers"]}, body)
