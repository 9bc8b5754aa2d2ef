"""The facts of a survey's run: when it is open, how large its population is, and which part of it has answered.

The rule here: reports are counted and not people, so a response rate says so, and is shown even above 100 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hushpoll_server.dashboard import formatting
from hushpoll_server.surveys.service import Phase, PublishedSurvey
from hushpoll_server.words.languages import ENGLISH, moment

PEOPLE = "Reports are counted, not people: who answered on two devices counts twice."
TOO_MANY = "There are more reports than people, so some are from others, from a second device, or made up."
OF_EVERYBODY = "This is the population of everybody, so there is no response rate for a group."


@dataclass(frozen=True, kw_only=True)
class Run:
    """A survey at one moment, with the number of all its reports; `grouped` if a page shows those of a group only."""

    survey: PublishedSurvey
    phase: Phase
    reports: int
    now: datetime
    grouped: bool = False

    @property
    def period(self) -> str:
        """Return when the survey was or will be open, and whether it is now."""
        manifest = self.survey.manifest
        opens = f"from {moment(ENGLISH, manifest.opens)}" if manifest.opens else "from its publication"
        closes = f"to {moment(ENGLISH, manifest.closes)}" if manifest.closes else "without a planned end"
        return f"{opens} {closes}; {self._state}"

    @property
    def response(self) -> str:
        """Return the size of the population, and which part of it has answered; empty if it is not known."""
        population = self.survey.manifest.population
        if population is None:
            return ""
        people = f"{formatting.whole(population)} people"
        if self.grouped:
            return people
        rate = formatting.signed(self.reports / population, 1)
        return f"{people}; {formatting.reports(self.reports)}, a response rate of {rate}"

    @property
    def caution(self) -> str:
        """Return what must be known about the rate, or why there is none; empty without a population."""
        population = self.survey.manifest.population
        if population is None:
            return ""
        if self.grouped:
            return OF_EVERYBODY
        return TOO_MANY if self.reports > population else PEOPLE

    @property
    def _state(self) -> str:
        closes = self.survey.manifest.closes
        # Once its time is over, it would be closed either way.
        if self.survey.closed and (closes is None or self.now < closes):
            return "closed by hand"
        return {"open": "open now", "closed": "closed", "not-open": "not open yet"}[self.phase]
