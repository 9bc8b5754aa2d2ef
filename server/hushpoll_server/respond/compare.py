"""What a server sends, against what this release makes: byte for byte, with what a difference means.

The law here: nothing is believed that the server says about itself. The signed survey is checked, everything else is
made anew and compared. What a browser got at another time, or what other visitors get, no such check can prove.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from hushpoll_server.respond.release import Release, files, survey_of
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.errors import ManifestRefused

POLICY = "content-security-policy"
TYPE = "content-type: text/html; charset=utf-8"
# What would lead a browser elsewhere, load more, tell somebody, or tell respondents apart, with the page unchanged.
STEERING = frozenset(
    (
        "clear-site-data",
        "content-encoding",
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

CODE = "the page runs or shows something else than this release: do not answer there before you know why"
PAGE = "the page is not what this release makes of the signed survey: do not answer there before you know why"
RULES = "the browser is told other rules than this release's: the page could connect elsewhere or run other code"
STEERED = "the browser is told more than this release says: it could be led elsewhere, or respondents be told apart"
SURVEY = "the signed survey cannot be checked, so no page of it was compared"
# A survey has no form before it opens and after it closes, and an older server has no such file.
NOTHING = "the server did not send it: a survey has a form only while it is open; else the server runs another release"


@dataclass(frozen=True)
class Answer:
    """What a server answered; the names of the headers are in lower case."""

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
    for path, code in files().items():
        yield _judge(path, fetch(path), code.plain, CODE)
    for name in surveys:
        yield from _compare_survey(release, fetch, name)


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
    pages = {f"/s/{survey.name}": release.form(survey)}
    if survey.manifest.hosts:
        pages[f"/s/{survey.name}/embed"] = release.embedded(survey)
    for path, expected in pages.items():
        answer = fetch(path)
        yield _judge(path, answer, expected.encode(), PAGE)
        policy = release.policy(survey, embedded=path.endswith("/embed"))
        yield Finding(f"{path}, {POLICY}", policy, answer.headers.get(POLICY, "none"), RULES)
        yield Finding(f"{path}, other headers", TYPE, _steering(answer), STEERED)
    file = f"/s/{survey.name}/page.html"
    yield _judge(file, fetch(file), release.file(survey).encode(), PAGE)


def _steering(answer: Answer) -> str:
    return "; ".join(f"{name}: {answer.headers[name]}" for name in sorted(STEERING & answer.headers.keys()))


def _judge(path: str, answer: Answer, expected: bytes, meaning: str) -> Finding:
    wanted = hashlib.sha256(expected).hexdigest()
    if answer.status != HTTPStatus.OK:
        return Finding(path, wanted, f"status {answer.status}", NOTHING)
    return Finding(path, wanted, hashlib.sha256(answer.body).hexdigest(), meaning)
