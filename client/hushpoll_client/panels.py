"""What the waves of a panel cost together, and what all surveys of a device can have cost.

The law here: nothing depends on an answer, neither what is kept nor who may take part. A changed answer costs again and
a repeated one does not, so caps are compared with the most that the answers could have cost, not with what they did.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushpoll_client.errors import EpsilonCapExceeded
from hushpoll_shared.epsilon import Epsilon

if TYPE_CHECKING:
    from hushpoll_shared.manifest import Manifest

# Without a limit of the app, a panel may cost this much, or twice what its first wave could cost.
LEAST_CAP = Epsilon.parse("8")
_NOTHING = Epsilon(0)


@dataclass(frozen=True)
class Row:
    """What can cost in a panel: a repeated question, by the hash of what people see, or all that is not repeated."""

    identity: str
    epsilon: Epsilon
    answers: int


@dataclass(frozen=True)
class Wave:
    """One survey of a panel, without anything about answers.

    `most` is the most that it can cost alone, `first` what the rows of the first wave cost that this device answered.
    """

    key: str
    panel: str
    survey: str
    most: Epsilon
    first: Epsilon
    rows: tuple[Row, ...]


def wave_of(manifest: Manifest, key: str, waves: Iterable[Wave]) -> Wave | None:
    """Give the wave that a manifest is beside earlier ones; nothing if it is of no panel."""
    if manifest.panel is None:
        return None
    rows = _rows(manifest)
    earlier = earlier_of(manifest.panel, key, rows, waves)
    first = earlier[0].first if earlier else _sum(row.epsilon for row in rows)
    return Wave(key, manifest.panel, manifest.survey, manifest.epsilon, first, rows)


def earlier_of(panel: str, key: str, rows: Iterable[Row], waves: Iterable[Wave]) -> list[Wave]:
    """Find the earlier waves of a panel.

    Another publisher's panel of the same name is another one, unless it asked the same: then its key was changed.
    """
    named = [wave for wave in waves if wave.panel == panel]
    identities = {row.identity for row in rows}
    keys = {key} | {wave.key for wave in named if any(row.identity in identities for row in wave.rows)}
    return [wave for wave in named if wave.key in keys]


def new_questions(manifest: Manifest, key: str, waves: Iterable[Wave]) -> tuple[str, ...]:
    """Name the repeated questions that this device was not asked under this key as they are now: they cost again."""
    known = {row.identity for wave in waves if wave.key == key for row in wave.rows}
    return tuple(name for name, identity in _identities(manifest).items() if identity not in known)


def check_panel(wave: Wave, waves: Iterable[Wave], limit: Epsilon | None) -> None:
    """Refuse a wave with which the questions of its panel, each counted once, would cost too much."""
    earlier = earlier_of(wave.panel, wave.key, wave.rows, waves)
    paid = {(each.key, row.identity): row.epsilon for each in (*earlier, wave) for row in each.rows}
    most = max(LEAST_CAP, wave.first + wave.first) if limit is None else limit
    if (cost := _sum(paid.values())) > most:
        raise EpsilonCapExceeded(
            f"with survey {wave.survey} the waves of panel {wave.panel} would cost epsilon {cost} together, more than "
            f"{most}: leave the survey out, or decide on a larger max_panel_epsilon"
        )


def most_spent(waves: Iterable[Wave]) -> Epsilon:
    """Give the most that waves can have cost, whatever was answered."""
    panels: dict[tuple[str, str], list[Wave]] = defaultdict(list)
    for wave in waves:
        panels[wave.key, wave.panel].append(wave)
    return _sum(map(_most_of_panel, panels.values()))


def most_added(cost: Epsilon, wave: Wave | None, waves: Sequence[Wave]) -> Epsilon:
    """Give the most that a survey adds to what earlier ones can have cost; `cost` is its own, if it is of no panel."""
    if wave is None:
        return cost
    return Epsilon(most_spent([*waves, wave]).units - most_spent(waves).units)


def _most_of_panel(waves: Sequence[Wave]) -> Epsilon:
    # No wave costs more than its most, and no question more than all its answers.
    times = Counter(row for wave in waves for row in wave.rows)
    by_answer = Epsilon(sum(row.epsilon.units * min(count, row.answers) for row, count in times.items()))
    return min(_sum(wave.most for wave in waves), by_answer)


def _rows(manifest: Manifest) -> tuple[Row, ...]:
    identities = _identities(manifest)
    lasting = [
        Row(identities[each.id], each.design.epsilon, each.design.size)  # type: ignore[attr-defined]
        for each in manifest.questions
        if each.id in identities
    ]
    fresh = _sum(question.design.epsilon for question in manifest.questions if question.id not in identities)
    return (*lasting, Row(manifest.survey, min(fresh, manifest.epsilon), 1))


def _identities(manifest: Manifest) -> dict[str, str]:
    from hushpoll_client.permanent import identity
    from hushpoll_shared.designs import Repeated

    return {
        each.id: hashlib.sha256(identity(each, each.design).encode()).hexdigest()
        for each in manifest.questions
        if isinstance(each.design, Repeated)
    }


def _sum(epsilons: Iterable[Epsilon]) -> Epsilon:
    return sum(epsilons, start=_NOTHING)
