"""Read a researcher's survey file and compile it into a manifest.

All errors of a file are found in one pass, each with its line and its cure. Warnings say what a careful colleague
would ask before publication. The same file always compiles into the same manifest, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path

from hushpoll_server.compile.about import read_about
from hushpoll_server.compile.budget_lines import Budget, read_budget, with_privacy
from hushpoll_server.compile.cross_tables import read_cross_tables
from hushpoll_server.compile.drafts import QUESTION_KEYS, Draft, read_drafts
from hushpoll_server.compile.fields import Fields, Finding, Findings
from hushpoll_server.compile.groups import read_groups, refuse_translated_answers
from hushpoll_server.compile.languages import read_language, read_translations
from hushpoll_server.compile.privacy import make_design
from hushpoll_server.compile.show_if import with_conditions
from hushpoll_server.compile.yaml_with_lines import Located, LocatedError, load
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.estimate.options import FEWEST_REPORTS
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_shared.checks import LARGEST_POPULATION, check_name, check_population, check_text, read_time
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.manifest import LARGEST_PAYLOAD, Manifest
from hushpoll_shared.presentation import check_host, check_hosts
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question

DEFAULT_CONSENT = "Taking part is voluntary, and you can leave at any time before you press Send."
DEFAULT_RESPONDENTS = 1000
REASON_ABOVE = Epsilon.parse("4")

SURVEY_KEYS = (
    "survey",
    "title",
    "consent",
    "about",
    "population",
    "respondents",
    "minimum_reports",
    "epsilon_cap",
    "epsilon_total",
    "reason",
    "ask",
    "panel",
    "opens",
    "closes",
    "language",
    "translations",
    "groups",
    "smallest_group",
    "embed",
    "from_disk",
    "cross_tables",
    "questions",
)

__all__ = ["QUESTION_KEYS", "SURVEY_KEYS", "Compiled", "DefinitionError", "Finding", "compile_survey"]


class DefinitionError(HushpollError):
    """All errors of a survey file."""

    def __init__(self, file: str, findings: list[Finding]) -> None:
        """Write one line for each error."""
        self.findings = tuple(sorted(findings))
        super().__init__("\n".join(f"{file}, line {finding.line}: {finding.message}" for finding in self.findings))


@dataclass(frozen=True)
class Compiled:
    """A manifest, and what is not in it: warnings, what is expected, and what is published beside it."""

    manifest: Manifest
    warnings: tuple[Finding, ...]
    respondents: int = DEFAULT_RESPONDENTS
    budget: Budget | None = None
    crossed: tuple[Crossed, ...] = ()
    from_disk: bool = False
    minimum_reports: int = FEWEST_REPORTS
    likely_shares: Mapping[str, AtShare] = field(default_factory=dict)


def compile_survey(text: str, file: str, *, folder: Path | None = None) -> Compiled:
    """Compile the text of a survey file, or raise all its errors; codebooks and a logo are read from the folder."""
    findings = Findings()
    compiled = None
    try:
        compiled = _read_survey(Fields(load(text), SURVEY_KEYS, findings), folder)
    except LocatedError as error:
        findings.errors.append(Finding(error.line, str(error)))
    if findings.errors or compiled is None:
        raise DefinitionError(file, findings.errors)
    return compiled


def _read_survey(fields: Fields, folder: Path | None) -> Compiled | None:
    name = fields.name("survey", "campus-integrity")
    title = fields.text("title", name, "people will see the survey's name")
    consent = fields.text("consent", DEFAULT_CONSENT, "a default sentence is shown instead")
    if "reason" in fields:
        fields.attempt("reason", lambda: check_text(fields["reason"], "reason"))
    fields.attempt("population", lambda: check_population(fields["population"]))
    respondents = fields.whole("respondents", LARGEST_POPULATION) or fields["population"] or DEFAULT_RESPONDENTS
    minimum = fields.whole("minimum_reports", LARGEST_POPULATION, least=FEWEST_REPORTS) or FEWEST_REPORTS
    fields.attempt("minimum_reports", lambda: _check_minimum(minimum, fields["population"]))
    opens = fields.attempt("opens", lambda: read_time(fields["opens"], "opens"))
    closes = fields.attempt("closes", lambda: read_time(fields["closes"], "closes"))
    fields.attempt("closes", lambda: _check_order(opens, closes))
    cap = fields.attempt("epsilon_cap", lambda: _read_cap(fields))
    entries = _read_entries(fields)
    drafts = with_conditions(read_drafts(entries, folder), entries)
    groups = read_groups(fields, drafts)
    language, translations = read_language(fields), read_translations(fields, drafts, entries, groups)
    refuse_translated_answers(fields, groups, drafts, language, translations)
    hosts, crossed = _read_hosts(fields), read_cross_tables(fields, drafts, entries)
    about = read_about(fields, folder)
    ask, panel, from_disk = _read_ask(fields, drafts), _read_panel(fields, drafts), fields.flag("from_disk")
    budget = read_budget(fields, drafts, ask)
    if not fields.findings.errors:
        drafts = fields.attempt("epsilon_total", lambda: with_privacy(drafts, budget)) or []
    questions = tuple(question for draft in drafts if (question := _question(draft)))
    if fields.findings.errors:
        return None
    manifest = fields.attempt(
        "questions",
        lambda: Manifest(
            name,
            title,
            consent,
            questions,
            fields["population"],
            opens,
            closes,
            ask,
            panel,
            language,
            translations,
            hosts,
            about,
            groups,
        ),
    )
    if manifest is None:
        return None
    _warn_about_repeated_questions(drafts)
    if len(questions) > 1 and manifest.epsilon > REASON_ABOVE and "reason" not in fields:
        cure = "ask fewer questions, lower their epsilon, have each device report on some (ask: 1), or add reason: …"
        fields.warn("questions", f"all answers together have an epsilon above 4, which gives little protection: {cure}")
    if manifest.hosts and any(question.when for question in manifest.questions):
        fields.warn("embed", "with show_if, a site that embeds the survey can count clicks and so guess the branch")
    fields.attempt("questions", lambda: _check_size(manifest))
    fields.attempt("epsilon_cap", lambda: _check_cap(manifest, cap))
    shares = {draft.id: draft.likely_share for draft in drafts if draft.likely_share}
    warnings = tuple(sorted(fields.findings.warnings))
    return Compiled(manifest, warnings, respondents, budget, crossed, from_disk, minimum, shares)


def _read_entries(fields: Fields) -> list[Fields]:
    listed = fields.located("questions")
    if not isinstance(listed.value, list) or not listed.value:
        fields.note("questions", "questions must be a list with at least one question: - id: …")
        return []
    read = (fields.attempt("questions", partial(Fields, item, QUESTION_KEYS, fields.findings)) for item in listed.value)
    return [entry for entry in read if entry]


def _question(draft: Draft) -> Question | None:
    stated, fields = draft.stated, draft.fields
    if stated is None:
        return None
    design = fields.attempt("privacy", lambda: make_design(draft.type, stated, fields["mechanism"], draft.likely_share))
    if design is None or fields.findings.errors:
        return None
    if design.epsilon > REASON_ABOVE and "reason" not in fields:
        fields.warn("privacy", "epsilon is above 4, which gives little protection: lower it, or add reason: …")
    return fields.attempt("id", lambda: Question(draft.id, draft.text, draft.type, design, draft.when))


def _read_ask(fields: Fields, drafts: list[Draft]) -> int | None:
    if "ask" not in fields or fields.findings.errors:
        return None
    ask = fields["ask"]
    if type(ask) is not int or not 1 <= ask < len(drafts):
        fields.note("ask", f"ask must be a whole number from 1 to {len(drafts) - 1}, fewer than there are questions")
        return None
    return ask


def _read_panel(fields: Fields, drafts: list[Draft]) -> str | None:
    if "panel" in fields:
        fields.attempt("panel", lambda: check_name(fields["panel"], "panel"))
    if fields.findings.errors:
        return None
    repeated = [draft for draft in drafts if draft.stated and draft.stated.permanent]
    if repeated and "panel" not in fields:
        cure = "add a line such as panel: campus to the survey, the same in every wave"
        repeated[0].fields.note("privacy", f"a permanent epsilon is for a survey that is repeated: {cure}")
    if "panel" in fields and not repeated:
        cure = 'give one the privacy {epsilon: "1", permanent: "2"}, or remove panel'
        fields.note("panel", f"no question is repeated in waves: {cure}")
    panel: str | None = fields["panel"]
    return panel


def _read_hosts(fields: Fields) -> tuple[str, ...]:
    listed = fields.located("embed")
    if "embed" not in fields:
        return ()
    if not isinstance(listed.value, list):
        fields.note("embed", "embed must be a list of sites that may show the survey, such as [https://example.org]")
        return ()
    hosts = tuple(str(fields.attempt("embed", partial(_read_host, host))) for host in listed.value)
    if any(host.startswith("http://") for host in hosts):
        fields.warn("embed", "http is only for trying things out on this machine: publish with https hosts only")
    fields.attempt("embed", lambda: None if fields.findings.errors else check_hosts(hosts))
    return hosts


def _read_host(host: Located) -> str:
    try:
        check_host(host.value)
    except InvalidValue as error:
        raise LocatedError(host.line, str(error)) from None
    return str(host.value)


def _warn_about_repeated_questions(drafts: list[Draft]) -> None:
    seen: list[tuple[str, QuestionType]] = []
    for draft in drafts:
        if (draft.text, draft.type) in seen:
            draft.fields.warn("text", "another question asks the same thing: together they spend epsilon on one answer")
        seen.append((draft.text, draft.type))


def _check_order(opens: datetime | None, closes: datetime | None) -> None:
    if opens and closes and closes <= opens:
        raise InvalidValue("closes must be later than opens: swap the two times")


def _check_minimum(minimum: int, population: object) -> None:
    if isinstance(population, int) and FEWEST_REPORTS < population < minimum:
        raise InvalidValue(
            f"minimum_reports is {minimum:,}, more than the population of {population:,}: no figure would ever be shown"
        )


def _check_size(manifest: Manifest) -> None:
    if len(manifest.payload) > LARGEST_PAYLOAD:
        raise InvalidValue(f"together the texts have more than {LARGEST_PAYLOAD} bytes: shorten them")


def _read_cap(fields: Fields) -> Epsilon | None:
    return Epsilon.parse(fields["epsilon_cap"], "epsilon_cap") if "epsilon_cap" in fields else None


def _check_cap(manifest: Manifest, cap: Epsilon | None) -> None:
    if cap is not None and manifest.epsilon > cap:
        raise InvalidValue(
            f"the questions spend epsilon {manifest.epsilon} together, above the cap of {cap}: "
            "ask fewer questions, lower their epsilon, or raise the cap"
        )
