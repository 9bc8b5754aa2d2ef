"""What the waves of a panel cost together, and what all surveys of a device can have cost.

The rule here: neither what is stored nor who may take part depends on an answer. A changed answer costs again and a
repeated one does not, so caps are compared with the most that the answers could have cost, not with what they did cost.
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

# If the app sets no limit, a panel may cost this much, or twice what its first wave could cost, whichever is more.
LEAST_DEFAULT_CAP = Epsilon.parse("8")
_ZERO = Epsilon(0)


@dataclass(frozen=True)
class Row:
    """One item of a panel's cost: a repeated question, by the hash of what people see, or all that is not repeated."""

    identity: str
    epsilon: Epsilon
    answers: int


@dataclass(frozen=True)
class Wave:
    """One survey of a panel, without anything about answers.

    `most` is the most that it can cost alone, `first` the cost of the rows of the first wave that this device answered.
    """

    key: str
    panel: str
    survey: str
    most: Epsilon
    first: Epsilon
    rows: tuple[Row, ...]


def wave_of(manifest: Manifest, key: str, waves: Iterable[Wave]) -> Wave | None:
    """Return a manifest's survey as a wave after earlier ones; None if it does not belong to a panel."""
    if manifest.panel is None:
        return None
    rows = _rows(manifest)
    earlier = earlier_of(manifest.panel, key, rows, waves)
    first = earlier[0].first if earlier else _sum(row.epsilon for row in rows)
    return Wave(key, manifest.panel, manifest.survey, manifest.epsilon, first, rows)


def earlier_of(panel: str, key: str, rows: Iterable[Row], waves: Iterable[Wave]) -> list[Wave]:
    """Return the earlier waves of a panel.

    Under another key, a panel of the same name is a different panel, unless it asked the same: then the publisher's key
    was changed.
    """
    named = [wave for wave in waves if wave.panel == panel]
    identities = {row.identity for row in rows}
    keys = {key} | {wave.key for wave in named if any(row.identity in identities for row in wave.rows)}
    return [wave for wave in named if wave.key in keys]


def new_questions(manifest: Manifest, key: str, waves: Iterable[Wave]) -> tuple[str, ...]:
    """Return the ids of the repeated questions that this device was never asked in this form under this key.

    They cost epsilon again.
    """
    known = {row.identity for wave in waves if wave.key == key for row in wave.rows}
    return tuple(name for name, identity in _identities(manifest).items() if identity not in known)


def check_panel(wave: Wave, waves: Iterable[Wave], limit: Epsilon | None) -> None:
    """Refuse a wave if, with it, the questions of its panel would cost too much, each counted once."""
    earlier = earlier_of(wave.panel, wave.key, wave.rows, waves)
    paid = {(each.key, row.identity): row.epsilon for each in (*earlier, wave) for row in each.rows}
    most = max(LEAST_DEFAULT_CAP, wave.first + wave.first) if limit is None else limit
    if (cost := _sum(paid.values())) > most:
        raise EpsilonCapExceeded(
            f"with survey {wave.survey} the waves of panel {wave.panel} would cost epsilon {cost} together, more than "
            f"{most}: skip the survey, or choose a larger max_panel_epsilon",
            survey=wave.survey,
            epsilon=str(cost),
            cap=str(most),
            option="max_panel_epsilon",
        )


def most_spent(waves: Iterable[Wave]) -> Epsilon:
    """Return the most that the waves can have cost, whatever was answered."""
    panels: dict[tuple[str, str], list[Wave]] = defaultdict(list)
    for wave in waves:
        panels[wave.key, wave.panel].append(wave)
    return _sum(map(_most_of_panel, panels.values()))


def most_added(cost: Epsilon, wave: Wave | None, waves: Sequence[Wave]) -> Epsilon:
    """Return the most that a survey adds to the cost of earlier ones; `cost` is its own, used if it has no panel."""
    if wave is None:
        return cost
    return Epsilon(most_spent([*waves, wave]).units - most_spent(waves).units)


def _most_of_panel(waves: Sequence[Wave]) -> Epsilon:
    # No wave costs more than its `most`, and no question more than all its answers.
    times = Counter(row for wave in waves for row in wave.rows)
    by_answer = Epsilon(sum(row.epsilon.units * min(count, row.answers) for row, count in times.items()))
    return min(_sum(wave.most for wave in waves), by_answer)


def _rows(manifest: Manifest) -> tuple[Row, ...]:
    identities = _identities(manifest)
    repeated = [Row(identities[name], design.epsilon, design.size) for name, design in manifest.repeated.items()]
    fresh = _sum(question.design.epsilon for question in manifest.questions if question.id not in identities)
    return (*repeated, Row(manifest.survey, min(fresh, manifest.epsilon), 1))


def _identities(manifest: Manifest) -> dict[str, str]:
    from hushpoll_client.permanent import identity

    return {
        question.id: hashlib.sha256(identity(question, manifest.repeated[question.id]).encode()).hexdigest()
        for question in manifest.questions
        if question.id in manifest.repeated
    }


def _sum(epsilons: Iterable[Epsilon]) -> Epsilon:
    return sum(epsilons, start=_ZERO)
