"""The database: the only room that knows the engine."""

from __future__ import annotations

from hushpoll_server.store.engine import Store, StoreError, missing_steps

__all__ = ["Store", "StoreError", "missing_steps"]
