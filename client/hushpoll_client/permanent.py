"""Permanent draws for repeated waves: the same answer always gives the same draw on this device.

They are computed from a secret of the device and not stored, so there is no list of answers anywhere. The ledger needs
to know whether an answer was charged before; it stores a tag that only this secret can produce for that answer.

Privacy: HMAC-SHA-256 under a secret of 256 random bits stands in for fresh random bytes, one stream for each answer.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import Any, Self

from hushpoll_client.mechanisms.subset import draw_members
from hushpoll_shared import strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Repeated
from hushpoll_shared.question_types import type_fields
from hushpoll_shared.questions import Question
from hushpoll_shared.texts import normal_form


@dataclass(frozen=True)
class Memory:
    """What a device remembers of one repeated question of a panel.

    `question` is the question as people see it, without its mechanism: with a different text or different options it is
    another question, with draws of its own.
    """

    secret: bytes = field(repr=False)
    panel: str
    question: str
    design: Repeated

    @classmethod
    def of(cls, secret: bytes, manifest: Manifest, question: Question) -> Self:
        """Return the memory of a repeated question."""
        assert manifest.panel is not None, "a survey with repeated questions belongs to a panel"
        return cls(secret, manifest.panel, spelling(question), manifest.repeated[question.id])

    def draw(self, code: int) -> int:
        """Return the permanent draw of an answer."""
        [drawn] = draw_members(self.design.first, _Stream(self.secret, self._name("permanent", code)), code)
        return drawn

    def draws(self) -> list[int]:
        """Return the permanent draws of all possible answers, so that timing does not reveal which one was given."""
        return [self.draw(code) for code in range(self.design.size)]

    def tag(self, code: int) -> str:
        """Return the tag by which the ledger recognizes an answer that was charged."""
        return _mac(self.secret, self._name("memo", code)).hex()

    def _name(self, purpose: str, code: int) -> str:
        size, threshold = self.design.size, self.design.permanent
        return f"hushpoll {purpose} 1\n{self.panel}\n{self.question}\n{size}\n{threshold}\n{code}"


def spelling(question: Question) -> str:
    """Write a question with its texts in normal form, so that an invisible change does not make another question."""
    return strict_json.dumps(_normalized(type_fields(question.id, question.text, question.type))).decode()


def identity(question: Question, design: Repeated) -> str:
    """Return what identifies a repeated question in all waves: its spelling, its size and its permanent threshold."""
    return f"{spelling(question)}\n{design.size}\n{design.permanent}"


def secret_for(secret: bytes, publisher: str) -> bytes:
    """Return the device's secret for one publisher, identified by its key: no two publishers can compare draws."""
    return _mac(secret, f"hushpoll publisher 1\n{publisher}")


class _Stream:
    """The bytes of one permanent draw: HMACs of its name and a block number."""

    def __init__(self, secret: bytes, name: str) -> None:
        self._secret, self._name, self._blocks, self._left = secret, name, 0, b""

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        while len(self._left) < count:
            self._left += _mac(self._secret, f"{self._name}\n{self._blocks}")
            self._blocks += 1
        taken, self._left = self._left[:count], self._left[count:]
        return taken


def _normalized(value: Any) -> Any:
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, dict):
        return {key: _texts(part) if key == "options" else _normalized(part) for key, part in value.items()}
    return [_normalized(part) for part in value] if isinstance(value, list) else value


def _texts(options: list[Any]) -> list[str]:
    # People do not see the ids of options.
    return [normal_form(option[-1] if isinstance(option, list) else option) for option in options]


def _mac(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")
