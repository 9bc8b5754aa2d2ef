"""The counters that the stored reports give when they are counted anew."""

from __future__ import annotations

from hushpoll_server.counting.tally import SurveyCounts, tally
from hushpoll_server.services import Services


def recount(services: Services, survey: str) -> SurveyCounts:
    """Count all stored reports: the stored counters must equal this."""
    rules = services.surveys.rules(survey)
    return tally(rules.manifest, (stored.draws for stored in services.collect.reports(survey)), rules.crossed)
