"""Linkage: a table without names joined with one that has them, and two k-anonymous tables joined with each other.

Names removed (Sweeney 2000). Birth date, sex and postcode are in the register of voters, too. If nobody else shares
them, the row without a name has a name again. With n people spread over c combinations, a share of about e^(−n/c) is
alone.

Two k-anonymous tables (Ganta, Kasiviswanathan and Smith 2008). Somebody who was a patient of two hospitals is in a
class of at least k rows of each. The conditions that both classes contain are the only candidates; often there is one.
Each hospital did what k-anonymity asks for, and neither could know of the other: the property does not survive a
second table. An ε-private release does: two of them are 2ε-private, whatever else is published.

Against any ε-private release a guess of the condition is right with at most e^ε times the share of the most frequent
one. Proof. P(guess c | truth c) ≤ e^ε P(guess c | some fixed truth), and these add up to 1 over c. ∎

References: L. Sweeney (2000), Simple demographics often identify people uniquely, Carnegie Mellon; S. R. Ganta, S. P.
Kasiviswanathan, A. Smith (2008), Composition attacks and auxiliary information in data privacy, KDD.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushpoll_server.lab.attacks.attack import Attack, Chosen, share_right
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise
from hushpoll_server.lab.defences.bounded import variance as bounded_variance
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.k_anonymity import DEFAULT_K, Coarsening
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.defences.partition import partition
from hushpoll_server.lab.people import CONDITION_SHARES, CONDITIONS, City, expected_unique, invent_city
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails, holds
from hushpoll_server.lab.stream import Figures, Places, SeededStream, bits

# One person in four was a patient of each hospital, independently.
PATIENTS = 0.25
BOUND = 2
KS = (2, 5, 10, 20)
_KNOWN = (
    Coarsening("day", "district", "kept"),
    Coarsening("year", "district", "kept"),
    Coarsening("decade", "district", "kept"),
    Coarsening("decade", "none", "none"),
)
_CELLS = Coarsening("decade", "area", "kept")
_PRIOR = np.array(CONDITION_SHARES)
_LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Hospital:
    """A table of patients: their places in the city, and the class of each in what is released."""

    patients: Places
    classes: Places
    city: City

    @cached_property
    def counts(self) -> Figures:
        """Return the number of patients in each class with each condition."""
        cells = self.classes * len(CONDITIONS) + self.city.condition[self.patients]
        size = (int(self.classes.max()) + 1) * len(CONDITIONS)
        return np.bincount(cells, minlength=size).reshape(-1, len(CONDITIONS)).astype(np.float64)

    def rows(self, counts: Figures, people: Places) -> Figures:
        """Return the counts of the class of each of these people, who are all patients."""
        return np.asarray(counts[self.classes[np.searchsorted(self.patients, people)]])


def link(chosen: Chosen) -> AttackResult:
    """Single out the people whom two hospitals have in common."""
    city = invent_city(chosen.n, seed=chosen.seed)
    stream = SeededStream(chosen.seed, "linkage")
    first, second = (np.flatnonzero(bits(stream, chosen.n, PATIENTS)) for _ in range(2))
    both = np.intersect1d(first, second)
    joined = tuple(_join(k, _released(city, (first, second), k), both) for k in KS)
    unique = _uniqueness(city)
    defences = _defences(chosen, city, (first, second), both, joined[KS.index(DEFAULT_K)], stream)
    return AttackResult(
        name="linkage",
        title="Linkage: two tables joined",
        statement=(
            f"A city of {chosen.n:,} invented people. Two hospitals release tables of their patients without names; "
            f"{len(both):,} people were patients of both. The attacker has the register of voters, with birth date, "
            f"sex and district, and knows who went to both. Guessing the most frequent of {len(CONDITIONS)} "
            f"conditions would be right {max(CONDITION_SHARES):.1%} of the time."
        ),
        parameters={"patients of both": len(both), "k": DEFAULT_K, "bounded noise up to": BOUND},
        tables=(defences, _unique_table(unique, chosen.n), _joined_table(joined)),
        verdicts=_verdicts(defences, unique, chosen),
        picture=_picture(joined),
    )


def _uniqueness(city: City) -> tuple[tuple[Value, ...], ...]:
    rows: list[tuple[Value, ...]] = []
    for known in _KNOWN:
        _, own, sizes = np.unique(known.keys(city), return_inverse=True, return_counts=True)
        alone = float((sizes[own] == 1).mean())
        expected = expected_unique(city.people) if known == _KNOWN[0] else None
        rows.append((known.described, alone, expected, float(sizes[own].mean())))
    return tuple(rows)


def _unique_table(rows: tuple[tuple[Value, ...], ...], people: int) -> Table:
    columns = (
        Column("known", "known of everybody"),
        Column("unique", "share alone with it", "share"),
        Column("theory", "theory", "share"),
        Column("alike", "people alike, on average", "number"),
    )
    return Table("unique", f"Names removed: who is unique in a city of {people:,}", columns, rows)


def _released(city: City, tables: Sequence[Places], k: int) -> list[Hospital]:
    return [Hospital(patients, partition(city.of(patients), k=k), city) for patients in tables]


def _join(k: int, hospitals: Sequence[Hospital], both: Places) -> tuple[Value, ...]:
    """Return k, then for one table and for both: singled out, conditions left, guessed right."""
    one, two = (hospital.rows(hospital.counts, both) for hospital in hospitals)
    left, joined = ((rows > 0).sum(axis=1) for rows in (one, np.minimum(one, two)))
    return (
        k,
        float((left == 1).mean()),
        float((joined == 1).mean()),
        float(left.mean()),
        float(joined.mean()),
        _right(hospitals[:1], [hospitals[0].counts], both),
        _right(hospitals, [hospital.counts for hospital in hospitals], both),
    )


def _right(hospitals: Sequence[Hospital], released: Sequence[Figures], both: Places, variance: float = 0.0) -> float:
    """Return how often the likeliest condition is the true one.

    A class with m patients is expected to have m·w of a condition of share w. The released count is drawn back to that
    by the part of its variance that is noise, and what is left over it speaks for the condition.
    """
    likely = np.tile(_PRIOR, (len(both), 1))
    for hospital, counts in zip(hospitals, released, strict=True):
        expected = hospital.counts.sum(axis=1, keepdims=True) * _PRIOR
        drawn_back = expected + (counts - expected) * expected / (expected + variance)
        likely *= hospital.rows(np.maximum(drawn_back, 0) / np.maximum(expected, _LEAST), both)
    return share_right(likely.argmax(axis=1), hospitals[0].city.condition[both])


def _joined_table(rows: tuple[tuple[Value, ...], ...]) -> Table:
    columns = (
        Column("k", "k", "count"),
        Column("one_singled_out", "singled out by one", "share"),
        Column("two_singled_out", "by two", "share"),
        Column("one_candidates", "conditions left by one", "number"),
        Column("two_candidates", "by two", "number"),
        Column("one_right", "right from one", "share"),
        Column("two_right", "from two", "share"),
    )
    return Table("joined", "Two k-anonymous tables joined", columns, rows)


def _defences(
    chosen: Chosen,
    city: City,
    tables: Sequence[Places],
    both: Places,
    joined: tuple[Value, ...],
    stream: SeededStream,
) -> Table:
    limit = min(1.0, math.exp(chosen.epsilon) * max(CONDITION_SHARES))
    # Cells that are fixed before anybody's data are seen; each patient is in one cell of each hospital.
    fixed = [Hospital(patients, _CELLS.keys(city.of(patients)), city) for patients in tables]
    noise = CountNoise(chosen.epsilon / 2)
    exact = [hospital.counts for hospital in fixed]
    bounded = [counts + bounded_noise(stream, counts.size, BOUND).reshape(counts.shape) for counts in exact]
    calibrated = [counts + noise.draw(stream, counts.size).reshape(counts.shape) for counts in exact]
    rows: tuple[tuple[Value, ...], ...] = (
        (NAMES_REMOVED, *_by_register(city, tables[0], both), None),
        (K_ANONYMITY, joined[2], joined[6], None),
        (BOUNDED_NOISE, 0.0, _right(fixed, bounded, both, bounded_variance(BOUND)), None),
        (CALIBRATED_NOISE, 0.0, _right(fixed, calibrated, both, noise.variance), limit),
        (LOCAL, 0.0, _from_report(chosen, city.condition[both], stream), limit),
    )
    columns = (
        Column("defence", "defence"),
        Column("singled_out", "singled out", "share"),
        Column("right", "condition guessed right", "share"),
        Column("limit", "limit for any attack", "share"),
    )
    caption = f"{len(both):,} patients of both hospitals, ε = {chosen.epsilon:.4g} in all, k = {DEFAULT_K}"
    return Table("defences", caption, columns, rows)


def _by_register(city: City, patients: Places, both: Places) -> tuple[float, float]:
    """Return the shares singled out and guessed right when the rows keep birth date, sex and district."""
    _, own = np.unique(_KNOWN[0].keys(city.of(patients)), return_inverse=True)
    hospital = Hospital(patients, own, city)
    left = (hospital.rows(hospital.counts, both) > 0).sum(axis=1)
    return float((left == 1).mean()), _right([hospital], [hospital.counts], both)


def _from_report(chosen: Chosen, truth: Places, stream: SeededStream) -> float:
    """Return how often the likeliest condition after one report, which both hospitals get alike, is right."""
    local = Randomizer(chosen.bound, len(CONDITIONS))
    sets = local.draw_sets(stream, truth)
    # P(set | c) is in the ratio of the design's odds for sets with and without c.
    odds = float(local.design.odds)
    return share_right((np.where(sets, odds, 1.0) * _PRIOR).argmax(axis=1), truth)


def _verdicts(defences: Table, unique: tuple[tuple[Value, ...], ...], chosen: Chosen) -> tuple[Verdict, ...]:
    rows = {str(row[0]): [float(cell or 0) for cell in row[1:]] for row in defences.rows}
    return (
        fails(
            NAMES_REMOVED,
            f"{float(unique[0][1] or 0):.1%} of the city are alone with their birth date, sex and district: a name is "
            "found by looking it up.",
        ),
        fails(
            K_ANONYMITY,
            f"Each table is {DEFAULT_K}-anonymous, and together they single {rows[K_ANONYMITY][0]:.1%} of the common "
            f"patients out; {rows[K_ANONYMITY][1]:.1%} of the conditions are guessed right.",
        ),
        fails(
            BOUNDED_NOISE,
            f"{rows[BOUNDED_NOISE][1]:.1%} are guessed right from these two releases, and nothing bounds what a third "
            "one would add.",
        ),
        holds(
            CALIBRATED_NOISE,
            f"{rows[CALIBRATED_NOISE][1]:.1%} are guessed right, and {rows[CALIBRATED_NOISE][2]:.1%} is the limit at "
            f"ε = {chosen.epsilon:.4g}, whatever the attacker joins.",
        ),
        holds(
            LOCAL,
            f"{rows[LOCAL][1]:.1%} are guessed right from a report with the name on it; the limit is "
            f"{rows[LOCAL][2]:.1%}. No join adds to it, because nobody holds the answer.",
        ),
    )


def _picture(joined: tuple[tuple[Value, ...], ...]) -> Picture:
    def points(column: int) -> tuple[tuple[float, float], ...]:
        return tuple((float(row[0] or 0), float(row[column] or 0)) for row in joined)

    return Picture(
        title="Patients singled out by k-anonymous tables",
        description=(
            "Against k, from 2 to 20: joined tables single out far more people than one table does, and larger k "
            "only delays it."
        ),
        x=Scale("k", 2, 20, (2, 5, 10, 20), logarithmic=True),
        y=Scale("singled out", 0, 1, (0, 0.25, 0.5, 0.75, 1)),
        series=(Series("one table", points(1)), Series("both tables", points(2))),
    )


LINKAGE = Attack(
    name="linkage",
    title="a table without names, and two k-anonymous tables, joined",
    size="people of the invented city",
    default=20_000,
    least=2_000,
    most=100_000,
    attack=link,
)
