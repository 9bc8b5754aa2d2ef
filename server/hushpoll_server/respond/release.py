"""What this release would send as the server at an address, for `hushpoll verify-site` and for forms as files.

The rule here: no running server and no database is needed. The pages are made by the same code and templates, from the
signed survey alone, so that they can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import Flask

from hushpoll_server.paths import template_folder
from hushpoll_server.respond import bundle, page, standalone
from hushpoll_server.respond.views import blueprint
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web.headers import Policy
from hushpoll_shared.addresses import check_address
from hushpoll_shared.signing import key_of, verify

Made = TypeVar("Made")


def files() -> dict[str, bundle.Code]:
    """Return the files that a browser loads besides the pages, by path."""
    return {
        "/js/form.js": bundle.form_script(),
        "/s/worker.js": bundle.worker_script(),
        "/static/hushpoll.css": standalone.stylesheet(),
        "/js/hushpoll-survey.js": page.element_script(),
    }


@dataclass(frozen=True)
class Release:
    """This release at the address of a server."""

    server: str

    def __post_init__(self) -> None:
        """Refuse an address where the page could be changed in transit, or that no policy can name."""
        object.__setattr__(self, "server", check_address(self.server))

    def form(self, survey: PublishedSurvey) -> str:
        """Return the page with the form."""
        return self._make(lambda: page.form(survey, self.server))

    def embedded(self, survey: PublishedSurvey) -> str:
        """Return the page for the frame of another page."""
        return self._make(lambda: page.form(survey, self.server, embedded=True))

    def file(self, survey: PublishedSurvey) -> str:
        """Return the form as one file."""
        return self._make(lambda: standalone.document(survey, self.server))

    def policy(self, survey: PublishedSurvey, *, embedded: bool = False) -> Policy:
        """Return the policy that comes with the page."""
        return page.policy(survey, self.server, embedded=embedded)

    def _make(self, make: Callable[[], Made]) -> Made:
        app = Flask("hushpoll_server", template_folder=str(template_folder()))
        app.register_blueprint(blueprint)
        with app.test_request_context(base_url=self.server):
            return make()


def survey_of(envelope: bytes) -> PublishedSurvey:
    """Read a signed survey as a server has it; its signature must be valid."""
    manifest = verify(envelope)
    return PublishedSurvey(manifest.survey, manifest, envelope, key_of(envelope), from_disk=False, closed=False)
