"""Designs that many tests use, made as a survey file asks for them."""

from __future__ import annotations

from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_shared.mechanisms import Subset


def warner(**privacy: object) -> Subset:
    """Return Warner's design from one of its parameters: epsilon, odds, p or truth."""
    return SubsetMechanism.of(Spinner.read(privacy).bound, 2)
