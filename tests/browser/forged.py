"""Manifests that no server of ours would publish, signed by the publisher's own key, on the project's own page."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route
from tests.samples.surveys import KEY

from hushpoll_shared.mechanisms import DESIGNS
from hushpoll_shared.signing import PREFIX
from hushpoll_shared.words import interface


def sign_anything(payload: str) -> str:
    """Sign a payload, whatever it says, for a data block."""
    plain = payload.encode()
    parts = {"payload": plain, "signature": KEY.private.sign(PREFIX + plain)}
    written = {name: base64.urlsafe_b64encode(part).rstrip(b"=").decode() for name, part in parts.items()}
    return json.dumps({**written, "key": KEY.public})


def serve_forged(browsing: Page | BrowserContext, payload: Any) -> None:
    """Put another signed manifest into the page of a survey; change nothing else."""
    envelope = sign_anything(payload if isinstance(payload, str) else json.dumps(payload))

    def replace_envelope(route: Route) -> None:
        response = route.fetch()
        page = _with_data(response.text(), "envelope", envelope)
        # The server gives a page the words of the mechanisms of its own survey.
        words = json.loads(_data(page, "words"))
        for tag, own in words.items():
            own["mechanisms"] = {name: interface(tag).mechanism(name) for name in DESIGNS}
        route.fulfill(response=response, body=_with_data(page, "words", json.dumps(words)))

    browsing.route(re.compile(r"/s/[a-z0-9_-]+$"), replace_envelope)


def _data(page: str, name: str) -> str:
    """Return what a data block of the page holds."""
    return page.partition(f'id="{name}">')[2].partition("</script>")[0]


def _with_data(page: str, name: str, content: str) -> str:
    before, mark, rest = page.partition(f'id="{name}">')
    return f"{before}{mark}{content}</script>{rest.partition('</script>')[2]}"
