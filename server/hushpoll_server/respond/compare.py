"""Compare what a server sends with what this release makes: byte for byte, with what a difference means.

The rule here: nothing that the server says about itself is trusted. The signed survey is verified; everything else is
made again and compared. This cannot prove what a browser got at another time, or what other visitors get.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus

from hushpoll_server.respond.release import Release, files, survey_of
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared import strict_json
from hushpoll_shared.errors import InvalidValue, ManifestRefused

POLICY = "content-security-policy"
TYPE = "content-type: text/html; charset=utf-8"
# Headers that could redirect a browser, load more, report to somebody or identify respondents, with the page unchanged.
CHECKED_HEADERS = frozenset(
    (
        "clear-site-data",
        "content-security-policy-report-only",
        "content-type",
        "link",
        "nel",
        "refresh",
        "report-to",
        "reporting-endpoints",
        "set-cookie",
        "speculation-rules",
    )
)

# A name has no dot, unlike the worker's script.
_PAGE_PATH = re.compile(r"/s/[^/.]+(/embed|/page\.html)?")
_ENVELOPE = re.compile(rb'<script type="application/json" id="envelope">([^<]*)</script>')

CODE = "the page runs or shows something other than this release: do not answer there before you know why"
PAGE = "the page is not what this release makes of the signed survey: do not answer there before you know why"
RULES = "the browser gets other rules than this release's: the page could connect elsewhere or run other code"
HEADERS = "the browser gets other headers than from this release: they could redirect it or identify respondents"
SURVEY = "the signed survey cannot be verified, so no page of it was compared"
# A saved page is compared by the survey that it contains.
NO_SURVEY = "it contains no signed survey of Hushpoll, so it is not a page of any release"
# A survey has no form before it opens or after it closes, and an older server does not have the file.
NOT_SENT = "the server did not send it: the survey is not open, or else the server runs another release"


@dataclass(frozen=True)
class Fetched:
    """A response of a server; header names are in lower case, and a page that was saved alone has no headers."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Comparison:
    """One comparison: what was compared, what this release expects, what was found, and what a difference means."""

    what: str
    expected: str
    actual: str
    meaning: str

    @property
    def is_same(self) -> bool:
        """Return whether the server sent what it should."""
        return self.expected == self.actual


Fetch = Callable[[str], Fetched]


def compare(release: Release, fetch: Fetch, surveys: tuple[str, ...]) -> Iterator[Comparison]:
    """Compare the files of a server, and the pages of these surveys."""
    fetch = cache(fetch)
    # Like a browser: the page first, then its parts.
    for name in surveys:
        fetch(f"/s/{name}")
    for path, code in files().items():
        yield _judge(path, fetch(path), code.plain, CODE)
    for name in surveys:
        yield from _compare_survey(release, fetch, name)


def compare_saved(release: Release, responses: Mapping[str, Fetched]) -> Iterator[Comparison]:
    """Compare whatever a browser has saved; a page that was saved alone has an empty path."""
    for path, code in files().items():
        if path in responses:
            yield _judge(path, responses[path], code.plain, CODE)
    for path, response in responses.items():
        if not path or _PAGE_PATH.fullmatch(path):
            yield from _compare_saved_page(release, path, response)


def _compare_saved_page(release: Release, path: str, response: Fetched) -> Iterator[Comparison]:
    try:
        survey = survey_of(_envelope_in(response.body))
    except ManifestRefused as error:
        yield Comparison(path or "the saved page", "a page with a signed survey", str(error), NO_SURVEY)
        return
    signed = f"signed by {survey.key}"
    yield Comparison(f"the survey of {path or 'the saved page'}", signed, signed, SURVEY)
    pages = _pages(release, survey)
    # A page that was saved alone does not say where it came from.
    path = path or next((place for place, text in pages.items() if text.encode() == response.body), f"/s/{survey.name}")
    if path not in pages:
        yield Comparison(path, f"a page of {survey.name}", "another path", PAGE)
        return
    yield from _compare_page(release, survey, path, response)


def _envelope_in(page: bytes) -> bytes:
    block = _ENVELOPE.search(page)
    if not block:
        raise ManifestRefused("it contains no signed survey")
    try:
        return strict_json.dumps(strict_json.loads(block[1]))
    except InvalidValue as error:
        raise ManifestRefused(f"its signed survey cannot be read: {error}") from None


def _compare_survey(release: Release, fetch: Fetch, name: str) -> Iterator[Comparison]:
    path = f"/api/v1/surveys/{name}/manifest"
    response = fetch(path)
    try:
        survey = survey_of(response.body)
    except ManifestRefused as error:
        is_sent = response.status == HTTPStatus.OK
        yield Comparison(path, "a signed survey", str(error) if is_sent else f"status {response.status}", SURVEY)
        return
    # Only the publisher can say whose key it is, so it is shown for comparison.
    signed = f"signed by {survey.key}"
    yield Comparison(path, f"{name}, {signed}", f"{survey.name}, {signed}", SURVEY)
    if survey.name == name:
        yield from _compare_pages(release, fetch, survey)


def _compare_pages(release: Release, fetch: Fetch, survey: PublishedSurvey) -> Iterator[Comparison]:
    for path in _pages(release, survey):
        response = fetch(path)
        # A survey that does not take reports from files has none.
        if not (path.endswith("/page.html") and response.status == HTTPStatus.FORBIDDEN):
            yield from _compare_page(release, survey, path, response)


def _pages(release: Release, survey: PublishedSurvey) -> dict[str, str]:
    pages = {f"/s/{survey.name}": release.form(survey)}
    if survey.manifest.hosts:
        pages[f"/s/{survey.name}/embed"] = release.embedded(survey)
    return {**pages, f"/s/{survey.name}/page.html": release.file(survey)}


def _compare_page(release: Release, survey: PublishedSurvey, path: str, response: Fetched) -> Iterator[Comparison]:
    yield _judge(path, response, _pages(release, survey)[path].encode(), PAGE)
    # The file contains its own policy.
    if path.endswith("/page.html") or not response.headers:
        return
    policy = release.policy(survey, embedded=path.endswith("/embed"))
    yield Comparison(f"{path}, {POLICY}", policy, response.headers.get(POLICY, "none"), RULES)
    yield Comparison(f"{path}, other headers", TYPE, _checked_headers(response), HEADERS)


def _checked_headers(response: Fetched) -> str:
    return "; ".join(f"{name}: {response.headers[name]}" for name in sorted(CHECKED_HEADERS & response.headers.keys()))


def _judge(path: str, response: Fetched, expected: bytes, meaning: str) -> Comparison:
    expected_hash = hashlib.sha256(expected).hexdigest()
    if response.status != HTTPStatus.OK:
        return Comparison(path, expected_hash, f"status {response.status}", NOT_SENT)
    return Comparison(path, expected_hash, hashlib.sha256(response.body).hexdigest(), meaning)
