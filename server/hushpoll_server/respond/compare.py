"""What a server sends, against what this release makes: byte for byte, with what a difference means.

The law here: nothing is believed that the server says about itself. The signed survey is checked, everything else is
made anew and compared. What a browser got at another time, or what other visitors get, no such check can prove.
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
# What would lead a browser elsewhere, load more, tell somebody, or tell respondents apart, with the page unchanged.
STEERING = frozenset(
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

_PAGE_PATH = re.compile(r"/s/[^/]+(/embed|/page\.html)?")
_ENVELOPE = re.compile(rb'<script type="application/json" id="envelope">([^<]*)</script>')

CODE = "the page runs or shows something else than this release: do not answer there before you know why"
PAGE = "the page is not what this release makes of the signed survey: do not answer there before you know why"
RULES = "the browser is told other rules than this release's: the page could connect elsewhere or run other code"
STEERED = "the browser is told more than this release says: it could be led elsewhere, or respondents be told apart"
SURVEY = "the signed survey cannot be checked, so no page of it was compared"
# A page that was saved is judged by the survey that it holds itself.
NO_SURVEY = "it holds no survey of Hushpoll that is signed, so it is not a page of any release"
# A survey has no form before it opens and after it closes, and an older server has no such file.
NOTHING = "the server did not send it: a survey has a form only while it is open; else the server runs another release"


@dataclass(frozen=True)
class Answer:
    """What a server answered; the names of the headers are in lower case, and a page saved alone has none."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Finding:
    """One thing that was compared: by its path, the fingerprint that this release gives it and the one found."""

    what: str
    expected: str
    found: str
    meaning: str

    @property
    def is_same(self) -> bool:
        """Tell whether the server sent what it should."""
        return self.expected == self.found


Fetch = Callable[[str], Answer]


def compare(release: Release, fetch: Fetch, surveys: tuple[str, ...]) -> Iterator[Finding]:
    """Compare the files of a server, and the pages of these surveys."""
    fetch = cache(fetch)
    # As a browser would: the page first, then its parts.
    for name in surveys:
        fetch(f"/s/{name}")
    for path, code in files().items():
        yield _judge(path, fetch(path), code.plain, CODE)
    for name in surveys:
        yield from _compare_survey(release, fetch, name)


def compare_saved(release: Release, answers: Mapping[str, Answer]) -> Iterator[Finding]:
    """Compare what a browser has saved, as far as it goes; a page alone stands under an empty path."""
    for path, code in files().items():
        if path in answers:
            yield _judge(path, answers[path], code.plain, CODE)
    for path, answer in answers.items():
        if not path or _PAGE_PATH.fullmatch(path):
            yield from _compare_saved_page(release, path, answer)


def _compare_saved_page(release: Release, path: str, answer: Answer) -> Iterator[Finding]:
    try:
        survey = survey_of(_envelope_in(answer.body))
    except ManifestRefused as error:
        yield Finding(path or "the saved page", "a page with a signed survey", str(error), NO_SURVEY)
        return
    signed = f"signed by {survey.key}"
    yield Finding(f"the survey of {path or 'the saved page'}", signed, signed, SURVEY)
    pages = _pages(release, survey)
    # A page alone does not tell where it came from.
    path = path or next((place for place, text in pages.items() if text.encode() == answer.body), f"/s/{survey.name}")
    if path not in pages:
        yield Finding(path, f"a page of {survey.name}", "another path", PAGE)
        return
    yield from _compare_page(release, survey, path, answer)


def _envelope_in(page: bytes) -> bytes:
    found = _ENVELOPE.search(page)
    if not found:
        raise ManifestRefused("it holds no signed survey")
    try:
        return strict_json.dumps(strict_json.loads(found[1]))
    except InvalidValue as error:
        raise ManifestRefused(f"its signed survey cannot be read: {error}") from None


def _compare_survey(release: Release, fetch: Fetch, name: str) -> Iterator[Finding]:
    path = f"/api/v1/surveys/{name}/manifest"
    answer = fetch(path)
    try:
        survey = survey_of(answer.body)
    except ManifestRefused as error:
        is_there = answer.status == HTTPStatus.OK
        yield Finding(path, "a signed survey", str(error) if is_there else f"status {answer.status}", SURVEY)
        return
    # Whose key it is, nobody but the publisher can say: it is told, to be compared.
    signed = f"signed by {survey.key}"
    yield Finding(path, f"{name}, {signed}", f"{survey.name}, {signed}", SURVEY)
    if survey.name == name:
        yield from _compare_pages(release, fetch, survey)


def _compare_pages(release: Release, fetch: Fetch, survey: PublishedSurvey) -> Iterator[Finding]:
    for path in _pages(release, survey):
        answer = fetch(path)
        # A survey that takes no reports from a disk has no file.
        if not (path.endswith("/page.html") and answer.status == HTTPStatus.FORBIDDEN):
            yield from _compare_page(release, survey, path, answer)


def _pages(release: Release, survey: PublishedSurvey) -> dict[str, str]:
    pages = {f"/s/{survey.name}": release.form(survey)}
    if survey.manifest.hosts:
        pages[f"/s/{survey.name}/embed"] = release.embedded(survey)
    return {**pages, f"/s/{survey.name}/page.html": release.file(survey)}


def _compare_page(release: Release, survey: PublishedSurvey, path: str, answer: Answer) -> Iterator[Finding]:
    yield _judge(path, answer, _pages(release, survey)[path].encode(), PAGE)
    # The file brings its policy itself.
    if path.endswith("/page.html") or not answer.headers:
        return
    policy = release.policy(survey, embedded=path.endswith("/embed"))
    yield Finding(f"{path}, {POLICY}", policy, answer.headers.get(POLICY, "none"), RULES)
    yield Finding(f"{path}, other headers", TYPE, _steering(answer), STEERED)


def _steering(answer: Answer) -> str:
    return "; ".join(f"{name}: {answer.headers[name]}" for name in sorted(STEERING & answer.headers.keys()))


def _judge(path: str, answer: Answer, expected: bytes, meaning: str) -> Finding:
    wanted = hashlib.sha256(expected).hexdigest()
    if answer.status != HTTPStatus.OK:
        return Finding(path, wanted, f"status {answer.status}", NOTHING)
    return Finding(path, wanted, hashlib.sha256(answer.body).hexdigest(), meaning)
