"""Stores of rows for states."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass
class MemoryRows:
    """Rows in memory that threads may share."""

    rows: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, name: str) -> bytes | None:
        return self.rows.get(name)

    def swap(self, name: str, *, old: bytes | None, new: bytes) -> bool:
        with self.lock:
            if self.rows.get(name) != old:
                return False
            self.rows[name] = new
            return True
