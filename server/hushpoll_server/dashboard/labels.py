"""What people read for the answers that results call by their ids."""

from __future__ import annotations

from hushpoll_shared.questions import (
    DECLINE,
    DOES_NOT_APPLY,
    Choice,
    Kind,
    MultiChoice,
    Pair,
    Scale,
    SingleChoice,
    combined,
)

EXTRA_LABELS = {DECLINE: "prefer not to say", DOES_NOT_APPLY: "does not apply"}


def labels_of(kind: Kind) -> dict[str, str]:
    """Give the words for each answer whose id is not already the word."""
    if isinstance(kind, Pair):
        return _pair_labels(kind)
    if isinstance(kind, SingleChoice | MultiChoice):
        return {option.id: option.text for option in kind.options} | EXTRA_LABELS
    if isinstance(kind, Scale):
        return {str(point): f"{point} – {text}" for point, text in kind.labels} | EXTRA_LABELS
    return dict(EXTRA_LABELS)


def words_of(kind: Choice) -> tuple[str, ...]:
    """Give the words for the answers to a question, in the order of their codes."""
    labels = labels_of(kind)
    return tuple(labels.get(cell, cell) for cell in kind.cells)


def part_labels(kind: Pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the words for the answers to both questions of a pair, in the order of their codes."""
    first, second = (words_of(part.kind) for part in kind.parts)
    return first, second


def _pair_labels(kind: Pair) -> dict[str, str]:
    return dict(zip(kind.cells, combined(*part_labels(kind)), strict=True))
