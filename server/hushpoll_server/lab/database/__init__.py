"""A statistical database: counts, sums, means, histograms and the most common category of a table, with noise.

    from hushpoll_server.lab.database import Database, Schema

    schema = Schema.of(bounds={"income": "0:200000"}, categories={"city": "Aachen,Bonn"})
    with Database.open("people.csv", schema, epsilon="1", ledger="ledger.sqlite") as database:
        answer = database.ask("SELECT COUNT(*) WHERE income >= 50000", spend="1/10")
        print(answer.figures[0].estimate, answer.figures[0].low, answer.figures[0].high)

Whoever holds the table is trusted here, unlike everywhere else in this project: see docs/lab.md.
"""

from hushpoll_server.lab.database.answers import Answer, Figure
from hushpoll_server.lab.database.composition import Budget, Spent
from hushpoll_server.lab.database.ledger import BudgetSpent, LedgerFailed
from hushpoll_server.lab.database.loading import Missing, Table, load
from hushpoll_server.lab.database.parser import QueryRefused
from hushpoll_server.lab.database.schema import Schema
from hushpoll_server.lab.database.service import Database

__all__ = [
    "Answer",
    "Budget",
    "BudgetSpent",
    "Database",
    "Figure",
    "LedgerFailed",
    "Missing",
    "QueryRefused",
    "Schema",
    "Spent",
    "Table",
    "load",
]
