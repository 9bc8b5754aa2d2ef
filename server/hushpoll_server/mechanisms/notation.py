"""How a draw is read from its text: for codebooks, and for programs of others that read exported reports."""

from __future__ import annotations

from enum import Enum


class Notation(Enum):
    """The ways to write a draw; docs/wire-format.md has the bytes."""

    PLACE = "place"
    SET = "set"
    MARKS = "marks"
    POINT = "point"
    OUTPUT = "output"

    @property
    def meaning(self) -> str:
        """Return in a sentence what the text says."""
        return _MEANINGS[self]


_MEANINGS = {
    Notation.PLACE: "the code of the only answer that the draw supports, in hexadecimal",
    Notation.SET: (
        "the set of the answers that the draw supports, in hexadecimal: the answer with code v is in it if bit "
        "3 - v mod 4 of digit v div 4 (from 0) is 1"
    ),
    Notation.MARKS: (
        "a mark for each answer in the order of the codes: 1 if the draw supports it, 0 if it does not, a hyphen if it "
        "did not ask"
    ),
    Notation.POINT: (
        "the number of a point of a projective space, in hexadecimal: it supports the answers whose points are "
        "orthogonal to it (docs/mechanisms/projective.md)"
    ),
    Notation.OUTPUT: "the place of an output in the list of outputs, in hexadecimal",
}
