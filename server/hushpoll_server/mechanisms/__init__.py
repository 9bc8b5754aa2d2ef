"""The server's half of every mechanism. To add one, follow docs/adding-a-mechanism.md."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.mechanism import Mechanism
from hushpoll_shared.mechanisms import DESIGNS, Design
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question

__all__ = ["MECHANISMS", "Bound", "Mechanism", "mechanism_for", "mechanism_of"]

# The list of mechanisms is the shared core's; one whose half is missing here fails the import.
MECHANISMS: Mapping[type[Design], type[Mechanism[Any]]] = {
    design: import_module(f"{__name__}.{name}").MECHANISM for name, design in DESIGNS.items()
}


def mechanism_of(question: Question) -> Mechanism[Any]:
    """Return the server's half of a question's mechanism."""
    return mechanism_for(question.type, question.design)


def mechanism_for(question_type: QuestionType, design: Design) -> Mechanism[Any]:
    """Return the server's half of a design for a type of question."""
    return MECHANISMS[type(design)](question_type, design)
