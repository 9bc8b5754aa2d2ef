"""The privacy statement of a report, for ethics boards: what is bounded, for whom, and what is not.

The rule here: as on the privacy label, the limits of the protection stand beside it, and no word promises more than
the odds do.
"""

from __future__ import annotations

from hushpoll_server.dashboard import formatting
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest


def privacy_statement(manifest: Manifest) -> tuple[str, ...]:
    """Return the paragraphs of the statement."""
    return (_protection(manifest), _total(manifest), _limits(manifest))


def _protection(manifest: Manifest) -> str:
    questions = [question.design for question in manifest.questions]
    largest = max(questions, key=lambda design: design.epsilon)
    which = "the question" if len(questions) == 1 else "the question that reveals most"
    return (
        "No true answer was collected. Each respondent’s device randomized the answers and sent only the result; it "
        "kept no answer, and the researchers, the operator of the server, an intruder and a court can obtain nothing "
        "else from the server. What is reported on a question can change the odds that anybody gives one answer over "
        f"another by a bounded factor only: for {which}, at most {formatting.odds(largest.odds)} "
        f"({_epsilon(largest.epsilon)}).{_branches(manifest)}"
    )


def _branches(manifest: Manifest) -> str:
    if not any(question.when for question in manifest.questions):
        return ""
    return (
        " Some questions were shown only after certain answers; what is reported on them also says something about "
        "the earlier answer, for which the ε of these questions add up."
    )


def _total(manifest: Manifest) -> str:
    return (
        f"Over {_counted(manifest)} the report of one respondent satisfies local differential privacy with "
        f"{_epsilon(manifest.epsilon)}. The bound holds whatever else is known about the respondent, for any method "
        f"of attack, and for as long as the reports exist.{_waves(manifest)} Publishing figures, tables or the "
        "reports themselves adds nothing to it."
    )


def _counted(manifest: Manifest) -> str:
    """Return which questions the bound of the whole report is for."""
    number = len(manifest.questions)
    if manifest.ask == 1:
        return "the one question that a device reports on"
    if manifest.ask:
        return f"the {manifest.ask} questions that a device reports on together"
    return "its one question" if number == 1 else f"all {number} questions together"


def _waves(manifest: Manifest) -> str:
    if not manifest.panel:
        return ""
    once = (
        " A question that is not repeated from a kept draw adds its ε in every wave." if _has_others(manifest) else ""
    )
    return (
        " In a repeated question it holds over all waves of the panel as long as the answer stays the same, because "
        f"the device keeps its draw; each different answer adds its ε once.{once}"
    )


def _has_others(manifest: Manifest) -> bool:
    return len(manifest.repeated) < len(manifest.questions)


def _limits(manifest: Manifest) -> str:
    labels = " The public group of a respondent is sent as it is." if manifest.groups else ""
    return (
        "The bound does not hide that somebody took part, or roughly when, from whoever watches the network, nor an "
        "answer from whoever controls the device or looks at its screen; and figures about a group say something "
        f"about its members whether or not they took part.{labels} It relies on the device running the published "
        "client: the form’s source is public, and anybody can audit what it sends."
    )


def _epsilon(epsilon: Epsilon) -> str:
    return f"ε = {formatting.epsilon(epsilon)}, {epsilon.protection}"
