"""The services of the app that handles this request, each found by its class.

A view asks for the service that it needs and depends on no other room. `services.py` puts them all together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from flask import Flask, current_app

_EXTENSION = "hushpoll.services"

Service = TypeVar("Service")


def install(app: Flask, services: Mapping[type[Any], object]) -> None:
    """Let the views of an app find these services."""
    app.extensions[_EXTENSION] = dict(services)


def current(kind: type[Service]) -> Service:
    """Return the service of this class."""
    service: Service = current_app.extensions[_EXTENSION][kind]
    return service
