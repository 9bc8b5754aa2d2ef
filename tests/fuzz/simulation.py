"""A world in which everything happens to an instance, and a model of what must be true of it afterwards.

The instance is the real one: its app, its database, its commands. The model is plain dictionaries that know what was
acknowledged. Time is the world's own; faults are put under the database's feet, where a disk would fail.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from click.testing import CliRunner
from tests.samples.surveys import KEY
from tests.server.clock import Clock
from tests.server.collect.recount import recount
from tests.server.gateways.senders import as_gateway

from hushpoll_client.cli import main
from hushpoll_server.app import create_app
from hushpoll_server.collect import counters
from hushpoll_server.collect.days import possible_sum
from hushpoll_server.counting.tally import SurveyCounts
from hushpoll_server.estimate.options import Options
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared import problems
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import Problem
from hushpoll_shared.report import Report

# A commit fails before anything of it is there, between the rows and the counters, or when all of it is there.
Fault = Literal["before the commit", "at the counters", "after the commit"]
FAULTS: tuple[Fault, ...] = ("before the commit", "at the counters", "after the commit")
Outcome = Literal["accepted", "duplicate"] | Problem
GONE = "its draws were purged"


@dataclass
class SurveyModel:
    """What must be true of a survey."""

    manifest: Manifest
    is_closed: bool = False
    # By id: the draws that are stored, or that they were purged.
    stored: dict[str, dict[str, Any] | str] = field(default_factory=dict)
    counted: SurveyCounts = field(default_factory=dict)
    is_purged: bool = False

    def take(self, report: Report, clock: Clock) -> Outcome:
        """Return what must become of a report, and remember it."""
        known = self.stored.get(report.id)
        if known is not None:
            return "duplicate" if known in (dict(report.draws), GONE) else problems.CONFLICT
        if refusal := self._refusal(clock):
            return refusal
        self.stored[report.id] = dict(report.draws)
        for question, draw in report.draws.items():
            self.counted.setdefault(question, Counter()).update(["n", draw])
        return "accepted"

    def _refusal(self, clock: Clock) -> Problem | None:
        if self.is_over(clock):
            return problems.CLOSED
        return problems.NOT_OPEN if self.manifest.opens and clock.now < self.manifest.opens else None

    def is_over(self, clock: Clock) -> bool:
        """Return whether no report is taken any more."""
        return self.is_closed or (self.manifest.closes is not None and clock.now >= self.manifest.closes)

    def purge(self, clock: Clock, *, ended: bool) -> None:
        """Forget the draws, and the ids if the survey is over."""
        self.is_purged = self.is_purged or bool(self.stored)
        self.is_closed = ended or self.is_over(clock)
        self.stored = {} if self.is_closed else dict.fromkeys(self.stored, GONE)


Model = dict[str, SurveyModel]


class World:
    """An instance, its clock, its backups, and the model of it."""

    def __init__(self, folder: Path, new_database: Callable[[], str]) -> None:
        self.folder, self.clock, self.model = folder, Clock(), Model()
        self._new_database, self._url = new_database, new_database()
        self.backups: list[tuple[Path, Model]] = []
        self._open()

    def _open(self) -> None:
        self.app = create_app(Settings(home=self.folder / "home", db=self._url), clock=self.clock)
        self.services: Services = self.app.extensions["hushpoll"]
        self.client = self.app.test_client()
        self.gateway = as_gateway(self.services)

    def restart(self) -> None:
        """Stop in peace and start again."""
        self.services.close()
        self._open()

    def crash(self) -> None:
        """Die and start again: nothing that waits is written any more."""
        self.close()
        self._open()

    def close(self) -> None:
        """Die."""
        self._break("before the commit")
        self.services.close()

    def publish(self, manifest: Manifest) -> None:
        """Publish a survey."""
        self.services.surveys.publish(manifest, KEY)
        self.model.setdefault(manifest.survey, SurveyModel(manifest))

    def close_survey(self, name: str) -> None:
        """Close a survey by hand."""
        self.services.surveys.close(name)
        self.model[name].is_closed = True

    def send(self, report: Report) -> None:
        """Send one report and compare what is said with the model."""
        told = self._post(report.survey, report.encode(), "application/json")
        expected = self.model[report.survey].take(report, self.clock)
        if isinstance(expected, Problem):
            assert (told.status_code, told.json) == (expected.status, expected.to_json())
        else:
            assert (told.status_code, told.json) == (
                {"accepted": 201, "duplicate": 200}[expected],
                {"status": expected},
            )

    def send_many(self, name: str, lines: list[Report | bytes]) -> None:
        """Send many, some of them no reports at all."""
        body = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
        told = self._post(name, body, "application/x-ndjson")
        survey = self.model[name]
        expected = [problems.NOT_JSON if isinstance(line, bytes) else survey.take(line, self.clock) for line in lines]
        rejected = [
            {"line": number, "type": each.type, "title": each.title}
            for number, each in enumerate(expected, start=1)
            if isinstance(each, Problem)
        ]
        assert told.status_code == 200
        assert told.json == {
            "accepted": expected.count("accepted"),
            "duplicate": expected.count("duplicate"),
            "rejected": rejected,
            "rejected_total": len(rejected),
            "rejected_by_type": dict(Counter(each["type"] for each in rejected)),
        }

    def send_into_fault(self, name: str, reports: list[Report], fault: Fault) -> None:
        """Send reports whose commit fails: nobody is told anything, whatever is stored."""
        mend = self._break(fault)
        told = self._post(name, b"\n".join(report.encode() for report in reports), "application/x-ndjson")
        mend()
        assert (told.status_code, told.json) == (503, problems.TRY_LATER.to_json())
        assert int(told.headers["Retry-After"]) > 0
        if fault == "after the commit":
            for report in reports:
                self.model[name].take(report, self.clock)

    def _post(self, name: str, body: bytes, kind: str) -> Any:
        return self.client.post(f"/api/v1/surveys/{name}/reports", data=body, content_type=kind, headers=self.gateway)

    def _break(self, fault: Fault) -> Callable[[], None]:
        """Make commits fail; return a function that repairs them."""
        dialect: Any = self.services.store._engine.dialect
        room: Any = counters
        commit, add = dialect.do_commit, room.add_to_counts

        def fail_to_commit(connection: Any) -> None:
            if fault == "after the commit":
                commit(connection)
            raise OSError("injected")

        def fail_at_counters(*_: Any) -> None:
            raise OSError("injected")

        def mend() -> None:
            dialect.do_commit, room.add_to_counts = commit, add

        if fault == "at the counters":
            room.add_to_counts = fail_at_counters
        else:
            dialect.do_commit = fail_to_commit
        return mend

    def purge(self, name: str, *, ended: bool) -> None:
        """Purge a survey's reports."""
        manifest = self.model[name].manifest
        purge(self.services.store, manifest, self.clock.now, ended=ended, progress=lambda _: None)
        self.model[name].purge(self.clock, ended=ended)

    def back_up(self) -> None:
        """Write a backup, and remember what must be in it."""
        path = self.folder / f"{len(self.backups)}.backup"
        self.command("backup", path)
        self.backups.append((path, deepcopy(self.model)))

    def restore(self, number: int) -> None:
        """Lose the database and fill a new one from a backup."""
        path, model = self.backups[number]
        self.close()
        self._url = self._new_database()
        self.command("restore", path)
        self.model = deepcopy(model)
        self._open()

    def command(self, *words: object) -> str:
        """Run a command of Hushpoll on this instance while the app is open."""
        arguments = [*map(str, words), "--db", self._url]
        environment = {"HUSHPOLL_HOME": str(self.folder / "home")}
        done = CliRunner().invoke(main, arguments, env=environment, catch_exceptions=False, prog_name="hushpoll")
        assert done.exit_code == 0, done.output
        return done.stdout

    def check_all(self) -> None:
        """Compare the instance with the model."""
        for name, survey in self.model.items():
            assert self.services.collect.counts(name) == survey.counted
            assert self.services.collect.number_of_reports(name) == survey.counted.get("cheated", Counter())["n"]
            days = self.services.collect.days(name)
            assert sum(days.values()) == possible_sum(days, self.services.collect.number_of_reports(name))
            if not survey.is_purged:
                reports = self.services.collect.reports(name)
                assert {report.id: dict(report.draws) for report in reports} == survey.stored
                assert recount(self.services, name) == survey.counted

    def check_reconcile(self) -> None:
        """Compare counters and rows as an operator would."""
        found = json.loads(self.command("reconcile", "--json"))["surveys"]
        assert {each["survey"]: (each["right"], each["reports"], each["rows"]) for each in found} == {
            name: (True, survey.counted.get("cheated", Counter())["n"], len(survey.stored))
            for name, survey in self.model.items()
        }

    def check_export(self, name: str) -> None:
        """Check that the exported reports give the same estimates, to the digit."""
        envelope, reports = self.folder / "manifest.json", self.folder / "reports.ndjson"
        envelope.write_bytes(self.services.surveys.get(name).envelope)
        self.command("export", name, "--format", "ndjson", "--out", reports)
        words = ["estimate", "--manifest", str(envelope), "--reports", str(reports), "--json"]
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        results = self.services.results
        shown = {key: each.to_json() for key, each in results.results(results.read(name), Options()).items()}
        assert json.loads(done.stdout)["questions"] == json.loads(json.dumps(shown))
