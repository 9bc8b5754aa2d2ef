"""The guard before a batch: only a gateway may send many reports in one call."""

from __future__ import annotations

from flask import request

from hushpoll_server.gateways.service import GatewayService
from hushpoll_server.web.current import current
from hushpoll_shared.problems import GATEWAY_NEEDED, ProblemError


def need_gateway() -> None:
    """Refuse a request without a gateway's token, before its body is read."""
    if not current(GatewayService).admits(request.headers.get("Authorization", "")):
        raise ProblemError(GATEWAY_NEEDED)
