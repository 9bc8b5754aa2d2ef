"""What a device remembers: one entry for each survey it answered.

The entries are both queue and ledger: the bytes that are still to be sent, and the epsilon that they cost. The rules
here: an entry is durable before its first byte is sent; a survey never has more than one entry; an entry holds draws,
never answers; its bytes are deleted as soon as they are no longer needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol

from hushpoll_client.errors import EpsilonCapExceeded
from hushpoll_client.panels import Wave
from hushpoll_shared.epsilon import Epsilon

Status = Literal["queued", "accepted", "duplicate", "rejected"]
SECRET_BYTES = 32
NO_MEMOS: Mapping[str, Epsilon] = MappingProxyType({})


@dataclass(frozen=True)
class Entry:
    """One report that this device made: what it cost, and its bytes while they are still to be sent."""

    key: str
    survey: str
    manifest: str
    epsilon: Epsilon
    report: str
    body: bytes | None = field(repr=False)
    status: Status = "queued"
    problem: str | None = None
    not_before: float = 0.0
    # When `flush` sends it: reports that are sent together could be linked.
    due: float = 0.0


class State(Protocol):
    """What a client stores. A survey is identified by its publisher's key and its name, or by its manifest's id."""

    def claim(
        self,
        entry: Entry,
        *,
        most: Epsilon | None,
        memos: Mapping[str, Epsilon] = NO_MEMOS,
        wave: Wave | None = None,
        panel_most: Epsilon | None = None,
    ) -> Entry:
        """Store the entry durably, unless the survey already has one; return the stored one.

        `memos` are the tags of repeated answers with what each costs: those that are new are stored, and their cost is
        added to the entry's epsilon. `wave` is what is stored of a survey of a panel. Raise `EpsilonCapExceeded`, and
        store nothing, if all entries together could cost more than `most`, whatever was answered, or the panel more
        than `panel_most` (see `panels.check_panel`).
        """

    def secret(self) -> bytes:
        """Return the secret of this device, which the first call creates and later calls return."""

    def settle(self, entry: Entry, *, status: Status, problem: str | None, not_before: float) -> Entry:
        """Record what became of a queued entry, drop its bytes unless it stays queued, and return the stored entry."""

    def postpone(self, entry: Entry, *, due: float) -> None:
        """Set the time at which a queued entry is sent."""

    def find(self, key: str, survey: str, manifest: str = "") -> Entry | None:
        """Return the entry of a survey, or of its manifest under another key, if there is one."""

    def waves(self) -> list[Wave]:
        """Return what is stored of the surveys of all panels, of all publishers."""

    def spent_alone(self) -> Epsilon:
        """Return the sum over the entries that do not belong to a panel."""

    def queued(self, key: str) -> list[Entry]:
        """Return the entries of this publisher that are still to be sent."""

    def spent(self) -> Epsilon:
        """Return the sum over all entries, of all publishers."""

    def keep_envelope(self, key: str, survey: str, envelope: bytes) -> None:
        """Store a verified envelope, so that the survey can be answered offline."""

    def find_envelope(self, key: str, survey: str) -> bytes | None:
        """Return the envelope that was stored last, if there is one."""

    def close(self) -> None:
        """Close all files."""


def check_total(survey: str, cost: Epsilon, *, spent: Epsilon, most: Epsilon | None) -> None:
    """Refuse a survey that would bring the sum over all surveys above the cap of this device."""
    if most is not None and spent + cost > most:
        raise EpsilonCapExceeded(
            f"survey {survey} costs up to epsilon {cost} and up to {spent} is spent already, together more than {most}:"
            " skip the survey, or choose a larger max_total_epsilon",
            survey=survey,
            epsilon=str(spent + cost),
            cap=str(most),
            option="max_total_epsilon",
        )
