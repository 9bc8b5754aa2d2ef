"""What a device remembers: one entry for each survey it answered.

An entry is the queue and the ledger at once: the bytes that are still to be sent, and the epsilon that they cost. The
laws here: an entry is durable before its first byte goes out; a survey has one entry for ever; an entry holds draws,
never answers; its bytes are deleted as soon as nobody needs them.
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
    # When `flush` sends it: several that went out together would be linked.
    due: float = 0.0


class State(Protocol):
    """What a client needs of a memory. A survey is its publisher's key and its name, or its manifest under any key."""

    def claim(
        self,
        entry: Entry,
        *,
        most: Epsilon | None,
        memos: Mapping[str, Epsilon] = NO_MEMOS,
        wave: Wave | None = None,
        panel_most: Epsilon | None = None,
    ) -> Entry:
        """Keep the entry durably, unless the survey has one; give the one that stands.

        `memos` are the tags of repeated answers with what each costs: those that were not kept before are added to the
        entry's epsilon and kept with it. `wave` is what is kept of a survey of a panel. Raise `EpsilonCapExceeded`, and
        keep nothing, if all entries together could cost more than `most`, whatever was answered, or the panel more
        than `panel_most` (see `panels.check_panel`).
        """

    def secret(self) -> bytes:
        """Give the secret of this device, made at the first call and the same ever after."""

    def settle(self, entry: Entry, *, status: Status, problem: str | None, not_before: float) -> Entry:
        """Write down what became of a queued entry, without its bytes unless it stays queued; give what stands."""

    def postpone(self, entry: Entry, *, due: float) -> None:
        """Give a queued entry a time at which it is sent."""

    def find(self, key: str, survey: str, manifest: str = "") -> Entry | None:
        """Give the entry of a survey, or of its manifest under another key, if there is one."""

    def waves(self) -> list[Wave]:
        """Give what is kept of the surveys of all panels, of all publishers."""

    def spent_alone(self) -> Epsilon:
        """Give the sum over the entries that are of no panel."""

    def queued(self, key: str) -> list[Entry]:
        """Give the entries of this publisher that are still to be sent."""

    def spent(self) -> Epsilon:
        """Give the sum over all entries, of all publishers."""

    def keep_envelope(self, key: str, survey: str, envelope: bytes) -> None:
        """Keep a verified envelope, so that the survey can be answered offline."""

    def find_envelope(self, key: str, survey: str) -> bytes | None:
        """Give the envelope that was kept last, if there is one."""

    def close(self) -> None:
        """Let go of files."""


def check_total(survey: str, cost: Epsilon, *, spent: Epsilon, most: Epsilon | None) -> None:
    """Refuse a survey that would bring the sum over all surveys above the cap of this device."""
    if most is not None and spent + cost > most:
        raise EpsilonCapExceeded(
            f"survey {survey} costs up to epsilon {cost} and up to {spent} is spent already, together more than {most}:"
            " leave the survey out, or decide on a larger max_total_epsilon"
        )
