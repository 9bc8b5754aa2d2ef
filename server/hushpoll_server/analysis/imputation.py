"""Multiple imputation of true answers: from a manifest and its reports to completed data sets.

For analysts whose tools know nothing of randomizing: each data set is analysed as if it were answers, and Rubin's rules
combine what comes out. The rule here: a data set is a simulation. No row is anybody's real answer, and all of them
together say no more about a person than the report does, because they are drawn from the reports alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.imputation.augmentation import MOST_CELLS, MOST_STEPS, PRIOR, Augmentation, Codes, Draws
from hushpoll_server.estimate.imputation.rubin import Rubin, rubin
from hushpoll_server.estimate.results import Json
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.questions import Question
from hushpoll_shared.report import Report

MOST_DATA_SETS = 1000
DATA_SET, RESPONDENT = "imputation", "respondent"
# A prior that counts as this fraction of the respondents moves shares by about half of a point.
MOST_PRIOR_WEIGHT = 0.01
PRIOR_WEIGHS = (
    "The prior counts as {weight:,.0f} respondents with evenly spread answers, beside {n:,} randomized reports: "
    "shares and differences are pulled toward even ones. Compare them with hushpoll estimate; name fewer questions,"
    " or give a smaller prior such as 0.1."
)
REMEMBERED = (
    "The reports say so little that data sets still resemble the ones before them, so intervals are too narrow: "
    "name fewer questions."
)
SIMULATED = (
    "Completed data sets are simulations: no row is anybody's real answer, and together they say no more about a "
    "person than the reports do."
)
SEPARATE = "The questions were imputed separately: associations between them are lost in these data sets."


@dataclass(frozen=True, kw_only=True, eq=False)
class Imputation:
    """Completed data sets: `codes` has the place of each answer in `answers`, by data set, respondent and question.

    `columns` are public columns that every data set keeps, in the order of the reports.
    """

    questions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int16]
    seed: int
    steps: int
    prior: float
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    warnings: tuple[str, ...] = (SIMULATED,)

    @property
    def m(self) -> int:
        """Return the number of data sets."""
        return len(self.codes)

    @property
    def n(self) -> int:
        """Return the number of respondents."""
        return int(self.codes.shape[1])

    def data_set(self, number: int) -> dict[str, list[str]]:
        """Return a data set by its number, from 1: the public columns and the answers to each question."""
        if not 1 <= number <= self.m:
            raise EstimateError(f"there is no data set {number}: give one from 1 to {self.m}")
        drawn = {
            question: [names[code] for code in self.codes[number - 1, :, place].tolist()]
            for place, (question, names) in enumerate(zip(self.questions, self.answers, strict=True))
        }
        return {**{name: list(values) for name, values in self.columns.items()}, **drawn}

    def rows(self) -> Iterator[dict[str, object]]:
        """Yield all data sets as one long table, with their number and that of the report."""
        for number in range(1, self.m + 1):
            columns = self.data_set(number)
            for place, values in enumerate(zip(*columns.values(), strict=True), start=1):
                yield {DATA_SET: number, RESPONDENT: place, **dict(zip(columns, values, strict=True))}

    def share(self, question: str, answer: str, *, level: float = 0.95) -> Rubin:
        """Return the share of an answer, combined over the data sets."""
        place, code = self._place(question, answer)
        shares = (self.codes[:, :, place] == code).mean(axis=1)
        # The variance of a share in a complete sample, with n - 1 degrees of freedom
        return rubin(shares, shares * (1 - shares) / self.n, complete_degrees=max(1, self.n - 1), level=level)

    def _place(self, question: str, answer: str) -> tuple[int, int]:
        if question not in self.questions or answer not in self.answers[self.questions.index(question)]:
            raise EstimateError(f"there is no answer {answer!r} to a question {question!r} in these data sets")
        place = self.questions.index(question)
        return place, self.answers[place].index(answer)

    def to_json(self) -> Json:
        """Return what the data sets are, and the combined shares."""
        shares = {
            question: {answer: self.share(question, answer).to_json() for answer in names}
            for question, names in zip(self.questions, self.answers, strict=True)
        }
        about = {"m": self.m, "n": self.n, "seed": self.seed, "steps": self.steps, "prior": self.prior}
        return {**about, "questions": list(self.questions), "shares": shares, "warnings": list(self.warnings)}


def impute(
    manifest: Manifest,
    reports: Iterable[Report],
    questions: Sequence[str],
    *,
    m: int = 20,
    seed: int,
    separately: bool = False,
    prior: float = PRIOR,
    groups: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Imputation:
    """Draw m completed data sets with the answers to these questions, jointly unless `separately` is chosen.

    `groups` are dimensions of the survey's public groups: they are kept as columns, and answers are drawn within the
    groups, so that differences between them survive. `columns` are other public columns to keep, one value for each
    report, which the draws do not depend on. `progress` is called with 1 after each data set.
    """
    received = list(reports)
    asked, labels = _asked(manifest, questions), _labels(manifest, received, groups)
    kept = {**labels, **(columns or {})}
    _check(m, len(received), kept)
    each = [_draws_of(question, [report.draws[question.id] for report in received]) for question in asked]
    public = [_observed(list(zip(*labels.values(), strict=True)))] if labels else []
    tables = [Augmentation([*group, *public], prior) for group in ([[one] for one in each] if separately else [each])]
    data_sets = []
    for drawn in _drawn(tables, m, seed):
        # The last question of each table is the group, where there is one.
        answers = [answer for found in drawn for answer in found[: len(found) - len(public)]]
        data_sets.append(np.stack(answers, axis=1).astype(np.int16))
        progress(1)
    return Imputation(
        questions=tuple(question.id for question in asked),
        answers=tuple(question.type.cells for question in asked),
        codes=np.stack(data_sets),
        seed=seed,
        steps=max(table.steps for table in tables),
        prior=prior,
        columns=kept,
        warnings=(SIMULATED, *((SEPARATE,) if len(tables) > 1 else ()), *_doubts(tables, len(received))),
    )


def _doubts(tables: Sequence[Augmentation], n: int) -> tuple[str, ...]:
    """Return what a reader must know: a prior that moves the figures, and data sets that resemble each other."""
    weight = max(table.prior * table.size for table in tables)
    moved = (PRIOR_WEIGHS.format(weight=weight, n=n),) if weight > MOST_PRIOR_WEIGHT * n else ()
    return (*moved, *((REMEMBERED,) if max(table.steps for table in tables) == MOST_STEPS else ()))


def _drawn(tables: Sequence[Augmentation], m: int, seed: int) -> Iterator[list[list[Codes]]]:
    """Yield m times the answers to the questions of each table, from a random stream for each."""
    streams = zip(tables, np.random.SeedSequence(seed).spawn(len(tables)), strict=True)
    chains = [table.data_sets(m, np.random.default_rng(stream)) for table, stream in streams]
    for cells in zip(*chains, strict=True):
        yield [table.answers(cell) for table, cell in zip(tables, cells, strict=True)]


def _asked(manifest: Manifest, names: Sequence[str]) -> list[Question]:
    known = {question.id: question for question in manifest.questions}
    missing = [name for name in names if name not in known]
    if missing or not names or len(set(names)) < len(names):
        raise EstimateError(f"name questions of the survey, each once: {', '.join(known)}")
    return [known[name] for name in names]


def _labels(manifest: Manifest, reports: Sequence[Report], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the public labels of all reports by dimension; empty where there are none, or too few have the same."""
    known = manifest.groups
    dimensions = [dimension.id for dimension in known.dimensions] if known else []
    if not set(names) <= set(dimensions) or len(set(names)) < len(names):
        raise EstimateError(
            f"name dimensions of the survey's groups, each once: {', '.join(dimensions) or 'it has none'}"
        )
    if known is None:
        return {}
    rows = [tuple(known.labels_of(report.groups)[name] or "" for name in names) for report in reports]
    times, nobody = Counter(rows), ("",) * len(names)
    shown = [row if times[row] >= known.smallest else nobody for row in rows]
    # Those without a group must be many, too, or their rows would be those of the small group.
    if names and 0 < shown.count(nobody) < known.smallest:
        raise EstimateError(
            f"a combination of these groups has fewer than {known.smallest:,} reports, whose rows could be told: name "
            "fewer dimensions"
        )
    return {name: list(column) for name, column in zip(names, zip(*shown, strict=True), strict=True)} if shown else {}


def _observed(values: Sequence[object]) -> Draws:
    """Return a public variable: its value is known, so it is the only one with a weight."""
    distinct = {value: place for place, value in enumerate(dict.fromkeys(values))}
    if len(distinct) > MOST_CELLS:
        raise EstimateError(f"there are more than {MOST_CELLS:,} combinations of groups: name fewer dimensions")
    return Draws(np.array([distinct[value] for value in values], np.intp), np.eye(len(distinct)))


def _check(m: int, n: int, columns: Mapping[str, Sequence[str]]) -> None:
    if not 2 <= m <= MOST_DATA_SETS:
        raise EstimateError(f"{m} data sets cannot be combined: draw 2 to {MOST_DATA_SETS}")
    if not n:
        raise EstimateError("there are no reports, so there is nothing to impute: collect some")
    if any(len(values) != n for values in columns.values()):
        raise EstimateError(f"a public column does not have a value for each of the {n} reports: give as many")


def _draws_of(question: Question, draws: Sequence[Draw]) -> Draws:
    """Return the distinct draws of a question with their weights; a question that was not asked says nothing."""
    if len(question.type.cells) > MOST_CELLS:
        raise EstimateError(f"question {question.id} has more than {MOST_CELLS:,} answers: name others")
    distinct = {draw: place for place, draw in enumerate(dict.fromkeys(draws))}
    made = [draw for draw in distinct if draw != question.design.blank]
    weights = mechanism_of(question).answer_weights(made)
    if weights is None:
        raise EstimateError(
            f"question {question.id} is not one of a few answers that exclude each other: name questions of type "
            "yes_no, single_choice or scale"
        )
    rows = np.ones((len(distinct), len(question.type.cells)))
    if made:
        rows[[distinct[draw] for draw in made]] = weights
    return Draws(np.array([distinct[draw] for draw in draws], np.intp), rows)
