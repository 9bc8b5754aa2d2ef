"""What the page of downloads offers, each with a sentence on what it is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.estimate.options import Options
from hushpoll_server.export.order import CODEBOOK, DAYS, ESTIMATES, FORMATS, REPORTS, SCRIPT, TESTS
from hushpoll_shared.groups import Dimension
from hushpoll_shared.manifest import Manifest

# The name under which a script is asked for, by its language.
_SCRIPTS = {"r": "figures.R", "stata": "figures.do", "notebook": "figures.ipynb"}
# What each file holds and how it is written, by its name in the address.
FILES: Mapping[str, tuple[str, str]] = {
    **{f"{what}.{each}": (what, each) for what in FORMATS if what != SCRIPT for each in FORMATS[what]},
    **{_SCRIPTS[language]: (SCRIPT, language) for language in FORMATS[SCRIPT]},
}
_FORMAT_NAMES = {"csv": "CSV", "json": "JSON", "parquet": "Parquet", "ndjson": "NDJSON"}
_ESTIMATES = (
    "A row for each figure, with its standard error and limits, n, the design and ε: for a spreadsheet, or for a paper."
)
_WIDE = "A row for each question, a column for each figure of an answer: for programs that want one row for one thing."
_BY = "The same for each group; a group with too few reports has a row without figures."
_TESTS = (
    "Margins, row percentages, differences, tests, odds ratios and covariances of the survey's cross tables and pairs."
)
_TESTS_BY = "The same for each group, and how any two groups differ, question by question, with limits for one look."
_REPORTS = (
    "What the devices sent: randomized, and never an answer. A row for each report, for whoever wants to compute the "
    "figures again."
)
_NEW_IDS = "The same with other ids in another order, so that nobody finds a row by the receipt of a respondent."
_DAYS = "How many reports were counted on which day, in steps that are no single report's day."
_CODEBOOK = "What every column, code and draw means, in a form that people and programs read."
_R = "Rscript {name}-figures.R reports.csv figures.csv"
_STATA = "do {name}-figures.do"
_NOTEBOOK = "jupyter notebook {name}-figures.ipynb"


@dataclass(frozen=True)
class File:
    """A file to save: its text on the page, its name in the address, and its options there."""

    text: str
    name: str
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Files of one kind: what they are for, and how a script is run."""

    title: str
    purpose: str
    files: tuple[File, ...]
    command: str = ""


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """Offers under one heading."""

    heading: str
    offers: tuple[Offer, ...]


@dataclass(frozen=True)
class _Shop:
    manifest: Manifest
    options: Options
    labels: tuple[str, ...]

    @property
    def limits(self) -> dict[str, object]:
        """Return what the limits of figures are asked to be."""
        chosen = self.options
        return {"level": chosen.level, "method": chosen.method, "coverage": chosen.coverage}

    @property
    def dimensions(self) -> Sequence[Dimension]:
        return self.manifest.groups.dimensions if self.manifest.groups else ()

    def by(self, dimension: Dimension) -> _Shop:
        """Return the same without a label of a dimension, whose groups are all shown."""
        return replace(self, labels=tuple(label for label in self.labels if label not in dimension.ids))

    def offer(self, what: str, title: str, purpose: str, *formats: str, **options: object) -> Offer:
        group = {"group": self.labels} if what != CODEBOOK else {}
        files = tuple(
            File(_FORMAT_NAMES[each], f"{what}.{each}", {**options, **group}) for each in formats or FORMATS[what]
        )
        return Offer(title=title, purpose=purpose, files=files)


def offers_of(
    manifest: Manifest, crossed: Sequence[Crossed], options: Options, labels: tuple[str, ...], *, has_reports: bool
) -> tuple[Shelf, ...]:
    """Return all that there is of a survey, with the options of the page; reports only for who may read them."""
    shop = _Shop(manifest, options, labels)
    has_tests = bool(crossed) or any(question.type.parts for question in manifest.questions)
    figures = Shelf(heading="Figures", offers=(*_estimates(shop), *_tests(shop, has_tests=has_tests), *_about(shop)))
    if not has_reports:
        return (figures,)
    return (
        figures,
        Shelf(heading="Randomized reports", offers=tuple(_reports(shop))),
        Shelf(heading="Scripts that compute the figures again", offers=tuple(_scripts(shop))),
    )


def _estimates(shop: _Shop) -> Iterator[Offer]:
    options = {**shop.limits, "beta": shop.options.beta}
    yield shop.offer(ESTIMATES, "Estimates", _ESTIMATES, **options)
    yield shop.offer(ESTIMATES, "Estimates, wide", _WIDE, "csv", "parquet", shape="wide", **options)
    for dimension in shop.dimensions:
        yield shop.by(dimension).offer(ESTIMATES, f"Estimates by {dimension.text}", _BY, by=dimension.id, **options)


def _tests(shop: _Shop, *, has_tests: bool) -> Iterator[Offer]:
    if has_tests:
        yield shop.offer(TESTS, "Tests", _TESTS, **shop.limits)
    # Comparisons have no limits for every look.
    limits = {**shop.limits, "coverage": "pointwise"} if shop.options.coverage == "anytime" else shop.limits
    for dimension in shop.dimensions:
        yield shop.by(dimension).offer(TESTS, f"Tests by {dimension.text}", _TESTS_BY, by=dimension.id, **limits)


def _about(shop: _Shop) -> Iterator[Offer]:
    yield replace(shop, labels=()).offer(DAYS, "Reports per day", _DAYS)
    yield shop.offer(CODEBOOK, "Codebook", _CODEBOOK, **shop.limits)


def _reports(shop: _Shop) -> Iterator[Offer]:
    yield shop.offer(REPORTS, "Reports", _REPORTS)
    yield shop.offer(REPORTS, "Reports with new ids", _NEW_IDS, new_ids=1)


def _scripts(shop: _Shop) -> Iterator[Offer]:
    # A script has pointwise limits, by these methods.
    method = shop.options.method if shop.options.method in ("wilson", "exact") else None
    options = {"level": shop.options.level, "method": method}
    for title, language, command in (("R", "r", _R), ("Stata", "stata", _STATA), ("Jupyter", "notebook", _NOTEBOOK)):
        name = _SCRIPTS[language]
        purpose = f"Reads the reports as CSV and computes the figures again, with comments, in {title}."
        yield Offer(
            title=title,
            purpose=purpose,
            files=(File(name, name, options),),
            command=command.format(name=shop.manifest.survey),
        )
