"""Permanent draws for repeated waves: the same answer gives the same draw on this device, for ever.

They are computed from a secret of the device, not kept: no list of answers is anywhere. The ledger needs to know
whether an answer has been charged before; it keeps a tag that only this secret gives for that answer.

Privacy: HMAC-SHA-256 under a secret of 256 random bits stands in for fresh random bytes, one stream for each answer.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Any, Self

from hushpoll_client.draw import draw_members
from hushpoll_shared import strict_json
from hushpoll_shared.designs import Repeated
from hushpoll_shared.questions import Question, question_fields
from hushpoll_shared.texts import normal_form


@dataclass(frozen=True)
class Memory:
    """What a device remembers of one repeated question of a panel.

    `question` is the question as people see it, without its mechanism: with another text or other options it is another
    question, with draws of its own.
    """

    secret: bytes = field(repr=False)
    panel: str
    question: str
    design: Repeated

    @classmethod
    def of(cls, secret: bytes, panel: str, question: Question, design: Repeated) -> Self:
        """Give the memory of a question."""
        return cls(secret, panel, spelling(question), design)

    def draw(self, code: int) -> int:
        """Give the permanent draw of an answer."""
        [drawn] = draw_members(self.design.first, _Stream(self.secret, self._name("permanent", code)), code)
        return drawn

    def draws(self) -> list[int]:
        """Give the permanent draws of all possible answers, so that the time does not tell which one was given."""
        return [self.draw(code) for code in range(self.design.size)]

    def tag(self, code: int) -> str:
        """Give the mark by which the ledger knows that an answer was charged."""
        return _mac(self.secret, self._name("memo", code)).hex()

    def _name(self, purpose: str, code: int) -> str:
        size, threshold = self.design.size, self.design.permanent
        return f"hushpoll {purpose} 1\n{self.panel}\n{self.question}\n{size}\n{threshold}\n{code}"


def spelling(question: Question) -> str:
    """Write a question in the normal form of its texts, so that what cannot be seen makes no other question."""
    return strict_json.dumps(_seen(question_fields(question.id, question.text, question.kind))).decode()


def identity(question: Question, design: Repeated) -> str:
    """Give what makes a repeated question the same in all waves: its spelling and its permanent threshold."""
    return f"{spelling(question)}\n{design.size}\n{design.permanent}"


def secret_for(secret: bytes, publisher: str) -> bytes:
    """Give the secret that a device uses toward one publisher, named by its key: no two can compare their draws."""
    return _mac(secret, f"hushpoll publisher 1\n{publisher}")


class _Stream:
    """The bytes of one permanent draw: HMAC of its name and a running number."""

    def __init__(self, secret: bytes, name: str) -> None:
        self._secret, self._name, self._blocks, self._left = secret, name, 0, b""

    def take(self, count: int) -> bytes:
        """Hand out the next `count` bytes."""
        while len(self._left) < count:
            self._left += _mac(self._secret, f"{self._name}\n{self._blocks}")
            self._blocks += 1
        taken, self._left = self._left[:count], self._left[count:]
        return taken


def _seen(value: Any) -> Any:
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, dict):
        return {key: _texts(part) if key == "options" else _seen(part) for key, part in value.items()}
    return [_seen(part) for part in value] if isinstance(value, list) else value


def _texts(options: list[Any]) -> list[str]:
    # Ids of options are not seen.
    return [normal_form(option[-1] if isinstance(option, list) else option) for option in options]


def _mac(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")
