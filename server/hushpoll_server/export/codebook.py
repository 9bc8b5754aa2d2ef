"""The codebook: a JSON document that says what every column, code and draw of the exported files means.

The rule here: with the codebook and a file of reports, somebody who has nothing else can compute the figures.
"""

from __future__ import annotations

from hushpoll_server.estimate.options import Options
from hushpoll_server.export import associations, days, tables, wide
from hushpoll_server.export.columns import Row
from hushpoll_server.export.recipes import recipe_of
from hushpoll_server.export.reports import report_columns
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

FORMAT = "hushpoll-codebook-1"
AUTOMATIC = "automatic: Wilson's where there are enough reports, exact below; gaffke for means and cross tables"

_SHARES = "the share of an answer is (c/n - q)/(p - q), with c of n draws that support it"
_ASKED = "the draws that did not ask about an answer do not count among its n"
_MEAN = "the mean is the average of the values of the outputs"
_MEAN_OF_SOME = (
    "the mean among those who gave a number is centre + T/G, with T the average of `numbers` and G that of `answered` "
    "over all draws; the share of an extra is (c/n - q)/(p - q), with n the draws whose output is in `among` and c "
    "those in its `outputs`"
)
_FIGURES = {"shares": _SHARES, "mean": _MEAN, "mean_of_some": _MEAN_OF_SOME}
_NONE = "the figures are those of the export of estimates: see the page of the mechanism"


def codebook(manifest: Manifest, key: str, options: Options) -> Row:
    """Return the codebook of a survey; level, method and coverage are those of the figures that go with it."""
    return {
        "format": FORMAT,
        "survey": manifest.survey,
        "title": manifest.title,
        "manifest": manifest.id,
        "key": key,
        "population": manifest.population,
        "questions_asked_of_each": manifest.ask,
        "level": options.level,
        "method": options.method or AUTOMATIC,
        "coverage": options.coverage,
        "groups": None if manifest.groups is None else _groups(manifest),
        "questions": [_question(question) for question in manifest.questions],
        "files": {
            "reports": [column.to_json() for column in report_columns(manifest)],
            "estimates": [column.to_json() for column in tables.COLUMNS],
            "estimates_wide": [column.to_json() for column in wide.ABOUT],
            "tests": [column.to_json() for column in associations.COLUMNS],
            "days": [column.to_json() for column in days.COLUMNS],
        },
    }


def _groups(manifest: Manifest) -> Row:
    assert manifest.groups is not None, "only surveys with groups have some"
    dimensions = [
        {
            "dimension": each.id,
            "text": each.text,
            "labels": [{"label": label.id, "text": label.text} for label in each.labels],
        }
        for each in manifest.groups.dimensions
    ]
    return {"smallest": manifest.groups.smallest, "dimensions": dimensions}


def _question(question: Question) -> Row:
    kind, recipe = question.type, recipe_of(question)
    answers = [
        {"code": code, "name": name, "label": label}
        for code, (name, label) in enumerate(zip(kind.cells, kind.words, strict=True))
    ]
    return {
        "question": question.id,
        "text": question.text,
        "type": kind.NAME,
        "estimated": kind.report,
        "parts": [{"question": part.id, "text": part.text, "type": part.type.NAME} for part in kind.parts],
        "range": dict(kind.range_texts) or None,
        "answers": answers if kind.report == "shares" else [],
        "extras": list(kind.extras),
        "mechanism": _mechanism(question),
        "draw": _draw(question),
        "figures": _NONE if recipe is None else _FIGURES[recipe["kind"]],
        "recipe": None if recipe is None else {name: recipe[name] for name in recipe if name not in _REPEATED},
    }


# What a question says of itself already.
_REPEATED = ("question", "text", "notation", "answers")


def _mechanism(question: Question) -> Row:
    mechanism, design = mechanism_of(question), question.design
    support = getattr(mechanism.estimand({}), "support", None)
    return {
        "name": mechanism.name,
        "epsilon": float(design.epsilon),
        "p": None if support is None else support.p,
        "q": None if support is None else support.q,
        "parameters": mechanism.summary(),
    }


def _draw(question: Question) -> Row:
    notation, design = mechanism_of(question).notation, question.design
    # The marks of a ball say which answers were asked.
    meaning = f"{notation.meaning}; {_ASKED}" if notation.value == "marks" else notation.meaning
    return {"notation": notation.value, "meaning": meaning, "characters": design.width, "not_asked": ""}
