"""Fault 12: publish, send, retry, crash, restore, purge and all else in any order; acknowledged is stored, once.

After every step the instance is compared with a model that knows what was acknowledged. Every bug found stays here as
a test with a name.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from postgres_server import PostgresServer
from tests.fuzz.conftest import Figures
from tests.fuzz.simulation import FAULTS, Fault, World
from tests.samples.surveys import make_report, two_questions

from hushpoll_server.store import Store
from hushpoll_shared.report import Report

# To find the shortest way to a failure takes minutes: a failing quick form shows a long one.
QUICK, LONG = (Phase.generate,), (Phase.generate, Phase.shrink)
NAMES = ("first", "second", "third")
HOURS = st.sampled_from([None, 1, 3])
draws = st.tuples(st.integers(0, 1), st.integers(0, 1))
numbers = st.integers(0, 10**6)
garbage = st.sampled_from([b"{", b"\x00", b"[[[[", b'{"v":NaN}', b'{"v":1,"v":1}'])

NewDatabase = Callable[[], str]


class Simulation(RuleBasedStateMachine):
    """Everything that can happen to an instance."""

    def __init__(self, folder: Path, new_database: NewDatabase, steps: list[str]) -> None:
        """Begin with an empty instance."""
        super().__init__()
        self.world, self.sent, self._ids, self._steps = World(folder, new_database), list[Report](), count(1), steps

    def teardown(self) -> None:
        self.world.close()

    def _survey(self, number: int) -> str:
        names = sorted(self.world.model)
        return names[number % len(names)]

    def _new(self, name: str, chosen: tuple[int, int]) -> Report:
        # Ids of a simulation are in an order that no device would draw; nothing depends on it.
        report = make_report(self.world.model[name].manifest, *chosen, report_id=f"{next(self._ids):032x}")
        self.sent.append(report)
        return report

    @initialize(opens=HOURS, closes=HOURS)
    def publish_first(self, opens: int | None, closes: int | None) -> None:
        self.publish(0, None, None)
        self.publish(1, opens, closes)

    @rule(number=numbers, opens=HOURS, closes=HOURS)
    def publish(self, number: int, opens: int | None, closes: int | None) -> None:
        name, now = NAMES[number % len(NAMES)], self.world.clock.now
        if name in self.world.model:
            self.world.publish(self.world.model[name].manifest)
            return
        start = now + timedelta(hours=opens) if opens else None
        end = (start or now) + timedelta(hours=closes) if closes else None
        self.world.publish(two_questions(survey=name, opens=start, closes=end))

    @rule(number=numbers, chosen=draws)
    def send(self, number: int, chosen: tuple[int, int]) -> None:
        self.world.send(self._new(self._survey(number), chosen))

    @precondition(lambda self: self._known())
    @rule(number=numbers)
    def send_again(self, number: int) -> None:
        self.world.send(self._pick(number))

    @precondition(lambda self: self._known())
    @rule(number=numbers, chosen=draws)
    def send_another_under_the_same_id(self, number: int, chosen: tuple[int, int]) -> None:
        self.world.send(self._like(self._pick(number), chosen))

    @rule(number=numbers, kinds=st.lists(st.tuples(st.integers(0, 4), numbers, draws, garbage), max_size=12))
    def send_many(self, number: int, kinds: list[tuple[int, int, tuple[int, int], bytes]]) -> None:
        name = self._survey(number)
        lines = [self._line(name, *each) for each in kinds]
        self.world.send_many(name, lines)

    @rule(number=numbers, chosen=st.lists(draws, min_size=1, max_size=4), fault=st.sampled_from(FAULTS))
    def fail_to_commit(self, number: int, chosen: list[tuple[int, int]], fault: Fault) -> None:
        name = self._survey(number)
        survey, clock = self.world.model[name], self.world.clock
        is_open = not survey.is_over(clock) and not (survey.manifest.opens and clock.now < survey.manifest.opens)
        # Where nothing is counted, nothing can fail between rows and counters.
        wanted: Fault = fault if is_open else "before the commit"
        self.world.send_into_fault(name, [self._new(name, each) for each in chosen], wanted)

    @rule(body=garbage, number=numbers)
    def send_garbage(self, body: bytes, number: int) -> None:
        assert self.world._post(self._survey(number), body, "application/json").status_code == 400

    @rule()
    def crash(self) -> None:
        self.world.crash()

    @rule()
    def restart(self) -> None:
        self.world.restart()

    @rule(number=numbers)
    def close_survey(self, number: int) -> None:
        # The first one stays open, or soon nothing would happen any more.
        if (name := self._survey(number)) != NAMES[0]:
            self.world.close_survey(name)

    @rule(hours=st.integers(1, 3))
    def let_time_pass(self, hours: int) -> None:
        self.world.clock.now += timedelta(hours=hours)

    @rule(number=numbers, ended=st.booleans())
    def purge(self, number: int, ended: bool) -> None:
        name = self._survey(number)
        self.world.purge(name, ended=ended and name != NAMES[0])

    @rule()
    def back_up(self) -> None:
        self.world.back_up()

    @precondition(lambda self: self.world.backups)
    @rule(number=numbers)
    def restore(self, number: int) -> None:
        self.world.restore(number % len(self.world.backups))

    @rule()
    def reconcile(self) -> None:
        self.world.check_reconcile()

    @rule(number=numbers)
    def export(self, number: int) -> None:
        name = self._survey(number)
        if not self.world.model[name].is_purged and self.world.model[name].stored:
            self.world.check_export(name)

    @invariant()
    def is_as_the_model_says(self) -> None:
        self._steps.append("")
        self.world.check_all()

    def _known(self) -> bool:
        return any(report.survey in self.world.model for report in self.sent)

    def _pick(self, number: int) -> Report:
        # After a restore a survey may be gone that reports were sent to.
        known = [report for report in self.sent if report.survey in self.world.model]
        return known[number % len(known)]

    def _like(self, report: Report, chosen: tuple[int, int]) -> Report:
        return make_report(self.world.model[report.survey].manifest, *chosen, report_id=report.id)

    def _line(self, name: str, kind: int, number: int, chosen: tuple[int, int], body: bytes) -> Report | bytes:
        known = [report for report in self.sent if report.survey == name]
        if kind == 0:
            return body
        if kind < 3 or not known:
            return self._new(name, chosen)
        report = known[number % len(known)]
        return report if kind == 3 else self._like(report, chosen)


@pytest.fixture(scope="module")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database file once: bringing the schema up to date costs more than a simulation."""
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    Store(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def new_sqlite(tmp_path: Path, empty_database: Path) -> NewDatabase:
    numbers = count()

    def copy() -> str:
        path = tmp_path / f"{next(numbers)}.db"
        shutil.copy(empty_database, path)
        return f"sqlite:///{path}"

    return copy


@pytest.fixture
def new_postgres(postgres_server: PostgresServer) -> Iterator[NewDatabase]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(postgres_server.database())


def simulate(
    folder: Path, new_database: NewDatabase, *, simulations: int, steps: int, phases: tuple[Phase, ...]
) -> int:
    """Run simulations with this many steps each; return how many steps there were."""
    folders, done = count(), list[str]()

    def begin() -> Any:
        own = folder / f"simulation-{next(folders)}"
        own.mkdir()
        return Simulation(own, new_database, done)

    chosen: Any = settings(
        max_examples=simulations,
        stateful_step_count=steps,
        phases=phases,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    # It calls what it is given; a class is only the usual case.
    run_state_machine_as_test(cast(Any, begin), settings=chosen)
    return len(done)


def test_nothing_is_lost_or_counted_twice_whatever_happens_in_whatever_order(
    tmp_path: Path, new_sqlite: NewDatabase
) -> None:
    assert simulate(tmp_path, new_sqlite, simulations=8, steps=25, phases=QUICK) > 100


def test_nor_on_postgresql(tmp_path: Path, new_postgres: NewDatabase) -> None:
    assert simulate(tmp_path, new_postgres, simulations=2, steps=20, phases=QUICK) > 20


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_steps(tmp_path: Path, request: pytest.FixtureRequest, engine: str, figures: Figures) -> None:
    simulations = {"sqlite": 150, "postgres": 30}[engine]
    steps = simulate(tmp_path, request.getfixturevalue(f"new_{engine}"), simulations=simulations, steps=50, phases=LONG)
    figures(f"steps of a simulation, {engine}", steps, simulations=simulations)
    assert steps > 10 * simulations
