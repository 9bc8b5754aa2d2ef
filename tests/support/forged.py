"""Manifests that no server of ours would publish, signed by the publisher's own key, on the project's own page."""

from __future__ import annotations

import base64
import json
from typing import Any

from playwright.sync_api import BrowserContext, Page, Route
from tests.support.surveys import KEY

from hushpoll_shared.signing import PREFIX


def sign_anything(payload: str) -> str:
    """Sign a payload, whatever it says, for a data block."""
    plain = payload.encode()
    parts = {"payload": plain, "signature": KEY.private.sign(PREFIX + plain)}
    written = {name: base64.urlsafe_b64encode(part).rstrip(b"=").decode() for name, part in parts.items()}
    return json.dumps({**written, "key": KEY.public})


def serve_forged(browsing: Page | BrowserContext, payload: Any) -> None:
    """Put another signed manifest into the page of a survey, which is otherwise as the server writes it."""
    envelope = sign_anything(payload if isinstance(payload, str) else json.dumps(payload))

    def replace_envelope(route: Route) -> None:
        response = route.fetch()
        before, _, rest = response.text().partition('id="envelope">')
        after = rest.partition("</script>")[2]
        route.fulfill(response=response, body=f'{before}id="envelope">{envelope}</script>{after}')

    browsing.route("**/s/*", replace_envelope)
