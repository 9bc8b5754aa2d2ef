"""From the text of a query to its value: a strict parser for the grammar of `grammar`, and for nothing else.

The rule here: what is outside the grammar is refused with its place and the cure, before any data is looked at. Length,
depth and the number of comparisons are bounded. No text of a query ever reaches the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn, cast, get_args

from hushpoll_server.lab.database.columns import read_number
from hushpoll_server.lab.database.grammar import (
    KEYWORDS,
    Between,
    Compare,
    Condition,
    In,
    Joined,
    Name,
    Not,
    Operator,
    Query,
    Value,
    What,
)
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.texts import normal_form

LONGEST_QUERY = 4000
DEEPEST_QUERY = 30
MOST_VALUES = 500
TABLE = "data"

_OF_A_COLUMN = ("SUM", "AVG", "HISTOGRAM")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>[+-]?\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
      | (?P<word>[^\W\d]\w*)
      | (?P<text>'(?:[^']|'')*')
      | (?P<name>"(?:[^"]|"")*")
      | (?P<sign><>|[<>!]=|[=<>(),*;])
    )""",
    re.VERBOSE,
)
_GRAMMAR = "SELECT COUNT(*), SUM(column), AVG(column), HISTOGRAM(column) or MOST COMMON column, then perhaps WHERE"


class QueryRefused(InvalidValue):
    """A query that is not answered; nothing was spent."""


@dataclass(frozen=True)
class Token:
    """A piece of a query: its kind, its text, and the place of its first character, counted from 1."""

    kind: str
    text: str
    at: int

    @property
    def keyword(self) -> str:
        """Return the text in capitals if it is a word."""
        return self.text.upper() if self.kind == "word" else ""


def parse(text: str) -> Query:
    """Return the query; refuse what is outside the grammar."""
    if len(text) > LONGEST_QUERY:
        raise QueryRefused(f"a query may have {LONGEST_QUERY} characters: ask a shorter one")
    return _Parser(_tokens(text)).query()


def refuse(at: int, what: str) -> NoReturn:
    """Refuse a query, with the place."""
    raise QueryRefused(f"character {at} of the query: {what}")


def _tokens(text: str) -> list[Token]:
    tokens, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            start = place + len(text[place:]) - len(text[place:].lstrip()) + 1
            refuse(start, "this is not understood: put texts in single quotes, and odd names in double quotes")
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], match.start(kind) + 1))
        place = match.end()
    return [*tokens, Token("end", "", len(text.rstrip()) + 1)]


class _Parser:
    """One pass over the tokens, one method for each rule of the grammar."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._place = tokens, 0
        self._depth = self._values = 0

    def query(self) -> Query:
        self._expect("SELECT", f"a query starts with {_GRAMMAR}")
        what, name = self._what()
        if self._accept("FROM") and (table := self._next()).text.lower() != TABLE:
            refuse(table.at, f"there is one table: write FROM {TABLE}, or nothing")
        where = self._condition() if self._accept("WHERE") else None
        self._accept(";")
        if self._peek.kind != "end":
            refuse(self._peek.at, "the query should end here: one WHERE, and comparisons joined by AND or OR")
        return Query(what, name, where)

    def _what(self) -> tuple[What, Name | None]:
        word = self._next()
        if word.keyword == "COUNT":
            self._signs("(*)", "write COUNT(*): a WHERE chooses what is counted")
            return "COUNT", None
        if word.keyword == "MOST":
            self._expect("COMMON", "write MOST COMMON column")
            return "MOST COMMON", self._name()
        if word.keyword not in _OF_A_COLUMN:
            refuse(word.at, f"only this can be asked: {_GRAMMAR}")
        self._signs("(", f"write {word.keyword}(column)")
        name = self._name()
        self._signs(")", f"write {word.keyword}(column)")
        return cast("What", word.keyword), name

    def _condition(self) -> Condition:
        return self._joined("OR", lambda: self._joined("AND", self._one))

    def _deeper(self, part: Callable[[], Condition]) -> Condition:
        self._depth += 1
        if self._depth > DEEPEST_QUERY:
            refuse(self._peek.at, f"brackets and NOT may be nested {DEEPEST_QUERY} deep: write it more simply")
        condition = part()
        self._depth -= 1
        return condition

    def _joined(self, word: Literal["AND", "OR"], part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._accept(word):
            parts.append(part())
        return Joined(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> Condition:
        if self._accept("NOT"):
            return Not(self._deeper(self._one))
        if self._accept("("):
            condition = self._deeper(self._condition)
            self._signs(")", "a bracket is open: close it")
            return condition
        return self._comparison()

    def _comparison(self) -> Condition:
        name = self._name()
        negated = self._accept("NOT")
        if self._accept("IN"):
            condition: Condition = self._in(name)
        elif self._accept("BETWEEN"):
            condition = self._between(name)
        elif negated:
            refuse(self._peek.at, "after NOT comes IN or BETWEEN here; NOT before a comparison turns it round")
        else:
            condition = Compare(name, self._operator(), self._value())
        return Not(condition) if negated else condition

    def _in(self, name: Name) -> In:
        self._signs("(", "write the values in brackets: IN (1, 2)")
        values = [self._value()]
        while self._accept(","):
            values.append(self._value())
        self._signs(")", "values are separated by commas, and the bracket is closed: IN (1, 2)")
        return In(name, tuple(values))

    def _between(self, name: Name) -> Between:
        low = self._value()
        self._expect("AND", "write BETWEEN 1 AND 5")
        return Between(name, low, self._value())

    def _operator(self) -> Operator:
        token = self._next()
        text = "!=" if token.text == "<>" else token.text
        if token.kind != "sign" or text not in get_args(Operator):
            refuse(token.at, "compare by =, !=, <, <=, >, >=, IN or BETWEEN")
        return cast("Operator", text)

    def _name(self) -> Name:
        token = self._next()
        if token.kind == "name":
            return Name(normal_form(token.text[1:-1].replace('""', '"')), token.at)
        if token.kind != "word" or token.keyword in KEYWORDS:
            refuse(token.at, "here comes the name of a column; in double quotes if it is no plain word")
        return Name(normal_form(token.text), token.at)

    def _value(self) -> Value:
        token = self._next()
        self._values += 1
        if self._values > MOST_VALUES:
            refuse(token.at, f"a query may compare with {MOST_VALUES} values: ask a simpler one")
        if token.kind == "number":
            return Value(_checked(token), is_number=True, at=token.at)
        if token.kind != "text":
            refuse(token.at, "here comes a number such as 12.5, or a text in single quotes")
        return Value(normal_form(token.text[1:-1].replace("''", "'")), is_number=False, at=token.at)

    @property
    def _peek(self) -> Token:
        return self._tokens[self._place]

    def _next(self) -> Token:
        token = self._peek
        # The end stays the next token.
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token

    def _accept(self, what: str) -> bool:
        token = self._peek
        accepted = token.keyword == what or (token.kind == "sign" and token.text == what)
        self._place += accepted
        return accepted

    def _expect(self, what: str, cure: str) -> None:
        if not self._accept(what):
            refuse(self._peek.at, cure)

    def _signs(self, signs: str, cure: str) -> None:
        for sign in signs:
            self._expect(sign, cure)


def _checked(token: Token) -> str:
    try:
        read_number(token.text)
    except InvalidValue as error:
        refuse(token.at, f"this {error}")
    return token.text
