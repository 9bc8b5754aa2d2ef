"""The numbers that a page shows, card by card, and whether a file has them, rounded the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

from hushpoll_server.dashboard import formatting
from hushpoll_shared.manifest import Manifest

NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-\d+)?")
# Fields to choose from, the scale of a chart, and files have no figures; a description repeats those of its chart.
SKIPPED = re.compile(r"^(form|script|style|code|title|desc)$")
SKIPPED_CLASSES = {"chart-tick", "chart-label", "save"}
# The whole of a table, and what the page does not show or show yet.
FIXED = {"100", str(formatting.whole(30))}
# What respondents read, the second part of odds such as 3:1, how much is listed, and what the marks of a chart mean.
OTHERS = re.compile(
    r"“[^”]*”|:1\b|largest of [\d,]+ estimates|p-values of [\d,]+|fewer than \d+ reports|^Dot: .* intervals\..*$"
)
Row = dict[str, str]


class Cards(HTMLParser):
    """Reads the text of each card of a page."""

    VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "line", "circle", "path", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = {}
        self._open: list[tuple[str, bool]] = []
        self._card = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.VOID:
            return
        values = dict(attrs)
        if tag == "section":
            self._card = values.get("aria-labelledby") or ""
        skipped = bool(SKIPPED.match(tag) or SKIPPED_CLASSES & set((values.get("class") or "").split()))
        self._open.append((tag, skipped or bool(self._open and self._open[-1][1])))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read nothing: it is empty."""

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag == "section":
            self._card = ""

    def handle_data(self, data: str) -> None:
        if self._card and not (self._open and self._open[-1][1]):
            self.texts.setdefault(self._card, []).append(data)


def texts_of(manifest: Manifest) -> list[str]:
    """Return the texts of a survey, which may hold numbers of their own, the longest first."""
    groups = manifest.groups.dimensions if manifest.groups else ()
    texts = {manifest.title, *(label.text for dimension in groups for label in dimension.labels)}
    for question in manifest.questions:
        texts |= {question.text, *question.type.words, *(part.text for part in question.type.parts)}
        texts |= {word for part in question.type.parts for word in part.type.words}
        texts |= {f"{point} = {text}" for point, text in question.type.texts.get("labels", {}).items()}
    return sorted((" ".join(each.split()) for each in texts), key=len, reverse=True)


def numbers_of(texts: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return the numbers in a card, without those in the texts of the survey and in sentences that are known."""
    found = []
    for text in texts:
        plain = " ".join(text.split())
        # A point of a scale is called 3: within a text it cannot be told from a figure.
        for each in known if plain not in known else [plain]:
            plain = plain.replace(each, " ") if plain == each or re.search(r"[a-z]{3}", each) else plain
        plain = plain.replace("\N{MINUS SIGN}", "-")
        plain = OTHERS.sub(" ", plain)
        found += NUMBER.findall(plain)
    return [number for number in found if number not in FIXED]


def missing(numbers: Iterable[str], values: Iterable[float]) -> set[str]:
    """Return the numbers that are none of these values, however a page would round them."""
    every, wanted = set(values), set(numbers)
    spelled = {f"{value:{form}}" for value in every for form in (".3g", ".2g")}
    for decimals in {decimals_of(number) for number in wanted}:
        for unit in (formatting.SHARE, formatting.OWN):
            spelled |= {formatting.number(value, decimals, unit).replace("\N{MINUS SIGN}", "-") for value in every}
    return {number for number in wanted - spelled if not any(is_rounded_up(number, value) for value in every)}


def decimals_of(number: str) -> int:
    return len(number.partition(".")[2])


def is_rounded_up(number: str, value: float) -> bool:
    """Return whether a page could show an epsilon or odds as this number."""
    return decimals_of(number) > 0 and 0 <= float(number.replace(",", "")) - value < 0.001


def values_of(rows: Iterable[Row], *, without: Sequence[str] = ()) -> list[float]:
    """Return the numbers of a table, as if it had no columns of these names."""
    cells = {cell for row in rows for name, cell in row.items() if name not in without}
    return [float(cell) for cell in cells if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", cell)]


def numbers_in(value: Any) -> Iterator[float]:
    """Return all numbers of a document."""
    if isinstance(value, dict):
        yield from (number for each in value.values() for number in numbers_in(each))
    elif isinstance(value, list):
        yield from (number for each in value for number in numbers_in(each))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
