"""Links: made, found, ended, on each engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select
from tests.samples.surveys import KEY, two_questions
from tests.server.clock import Clock
from tests.server.sharing.links import EMAIL, make_secret

from hushpoll_server.services import Services
from hushpoll_server.sharing.models import ShareLinkRow
from hushpoll_server.sharing.service import NewLink
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.errors import InvalidValue

pytestmark = pytest.mark.usefixtures("survey")


def test_a_link_is_found_by_its_secret_with_all_that_is_known_of_it(services: Services) -> None:
    link = services.shares.find(make_secret(services, scope="reports"))
    assert link is not None
    assert (link.survey, link.name, link.scope, link.made_by) == ("campus", "Committee", "reports", EMAIL)
    assert link.until == "16 December 2026"
    assert services.shares.list("campus") == (link,)


def test_only_the_hash_of_a_secret_is_stored_and_no_time_of_day(services: Services) -> None:
    secret = make_secret(services)
    with services.store.reading() as session:
        [row] = session.exec(select(ShareLinkRow))
    assert secret not in repr(row)
    assert datetime.fromtimestamp(row.expires, UTC) == datetime(2026, 12, 17, tzinfo=UTC)


def test_a_link_works_until_the_end_of_its_last_day(services: Services, clock: Clock) -> None:
    secret = make_secret(services, days=1)
    clock.now = datetime(2026, 11, 17, 23, 59, 59, tzinfo=UTC)
    assert services.shares.find(secret)
    clock.now += timedelta(seconds=1)
    assert services.shares.find(secret) is None
    assert services.shares.list("campus") == ()


def test_an_expired_link_leaves_its_name_to_another(services: Services, clock: Clock) -> None:
    make_secret(services, days=1)
    clock.now += timedelta(days=3)
    make_secret(services)
    assert len(services.shares.list("campus")) == 1


def test_a_name_is_one_links_in_a_survey_and_free_in_another(services: Services) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    make_secret(services)
    make_secret(services, "other")
    with pytest.raises(InvalidValue, match="There is a link with this name"):
        make_secret(services)


def test_withdrawing_ends_one_link_of_one_survey_at_once(services: Services) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    withdrawn, same_name, other = (
        make_secret(services),
        make_secret(services, "other"),
        make_secret(services, name="Board"),
    )
    for _ in range(2):
        services.shares.withdraw("campus", "Committee")
    assert services.shares.find(withdrawn) is None
    assert services.shares.find(same_name)
    assert services.shares.find(other)


def test_removing_a_researcher_ends_the_links_that_they_made(services: Services) -> None:
    services.researchers.add("eve@example.org")
    secret = make_secret(services)
    services.researchers.remove("eve@example.org")
    assert services.shares.find(secret)
    services.researchers.remove(EMAIL)
    assert services.shares.find(secret) is None


def test_signing_out_everywhere_leaves_links_alone(services: Services) -> None:
    secret = make_secret(services)
    services.sessions.end_all(services.researchers.get(EMAIL))
    assert services.shares.find(secret)


@pytest.mark.parametrize("secret", ["", "x", "\x00", "\udcff", "0" * 64])
def test_what_is_no_secret_finds_nothing(services: Services, survey: PublishedSurvey, secret: str) -> None:
    make_secret(services)
    assert services.shares.find(secret) is None


@pytest.mark.parametrize("name", ["", " ", "a" * 65, "two  spaces", "\u202eevil", "a\x00b"])
def test_a_name_that_nobody_could_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue, match="say for whom it is"):
        NewLink(name, "figures", 30)


@pytest.mark.parametrize("days", [-1, 0, 366])
def test_a_link_works_for_a_year_at_most(days: int) -> None:
    with pytest.raises(InvalidValue, match="1 to 365 days"):
        NewLink("Committee", "figures", days)
