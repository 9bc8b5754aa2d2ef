"""The pages of the lab: all attacks, each attack, the comparison of designs, and the statistical database.

The rule here: what a page shows follows from its address alone, and is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Final, cast

from flask import Blueprint, Response, render_template, request

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.comparison import compare
from hushpoll_server.lab.pictures import draw_picture
from hushpoll_server.lab_pages.choices import (
    COMPARED,
    EPSILONS,
    LARGEST_SEED,
    SIZES,
    Choice,
    epsilon_options,
    read_choice,
    read_comparison,
)
from hushpoll_server.lab_pages.queries import BUDGET, LONGEST_TEXT, MOST_QUERIES, SPENDS, Asked, read_asked
from hushpoll_server.lab_pages.references import REFERENCES
from hushpoll_server.lab_pages.runs import LabBusyError, LabRuns
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.problems import NOT_FOUND, ProblemError

blueprint = Blueprint("lab_pages", __name__, url_prefix="/lab")

RETRY_AFTER_SECONDS: Final = 3


@blueprint.get("")
def index() -> str:
    """Show what can be tried."""
    headers.use(headers.PUBLIC_PAGE)
    return render_template("lab/index.html", attacks=ATTACKS.values())


@blueprint.get("/<name>")
def attack(name: str) -> Response:
    """Show an attack as it was run with what the reader chose."""
    if name not in ATTACKS:
        raise ProblemError(NOT_FOUND)
    choice = read_choice(ATTACKS[name], request.args)
    return _page(choice.key, partial(_run, choice))


@blueprint.get("/compare")
def comparison() -> Response:
    """Show what local, shuffled and central noise cost, and who must be trusted."""
    seed, epsilon = read_comparison(request.args)
    return _page(("compare", seed, epsilon), partial(_compare, seed, epsilon))


@blueprint.get("/database")
def database() -> Response:
    """Show what the statistical database answers to a reader's queries."""
    asked = read_asked(request.args)
    return _page(asked.key, partial(_ask, asked))


@blueprint.errorhandler(LabBusyError)
def busy(_: LabBusyError) -> tuple[str, int, dict[str, str]]:
    """Say that another run takes its time."""
    headers.use(headers.PUBLIC_PAGE)
    page = render_template("lab/busy.html", seconds=RETRY_AFTER_SECONDS)
    return page, HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": str(RETRY_AFTER_SECONDS)}


def _page(key: tuple[object, ...], run: Callable[[], str]) -> Response:
    headers.use(headers.PUBLIC_FORM)
    response = Response(current(LabRuns).page(key, run), mimetype="text/html")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return cast(Response, response.make_conditional(request))


def _run(choice: Choice) -> str:
    result = choice.attack.run(choice.setting)
    return render_template(
        "lab/attack.html",
        choice=choice,
        result=result,
        picture=draw_picture(result.picture, prefix="picture"),
        epsilons=epsilon_options(choice.attack),
        sizes=[(n, f"{n:,}") for n in SIZES[choice.attack.name]],
        largest_seed=LARGEST_SEED,
        references=REFERENCES[choice.attack.name],
        attacks=ATTACKS.values(),
    )


def _compare(seed: int, epsilon: str) -> str:
    bound = Bound.of_epsilon(epsilon)
    return render_template(
        "lab/compare.html",
        found=[compare(bound=bound, n=n, seed=seed) for n in COMPARED],
        seed=seed,
        epsilon=epsilon,
        epsilons=[(each, each) for each in EPSILONS],
        largest_seed=LARGEST_SEED,
        references=REFERENCES["comparison"],
        attacks=ATTACKS.values(),
    )


def _ask(asked: Asked) -> str:
    try:
        from hushpoll_server.lab.database.invented import PEOPLE
        from hushpoll_server.lab_pages.replies import columns, replies_to
    except ModuleNotFoundError as error:
        if error.name != "duckdb":
            raise
        return render_template("lab/no_database.html", attacks=ATTACKS.values())
    return render_template(
        "lab/database.html",
        asked=asked,
        replies=replies_to(asked),
        columns=columns(),
        people=PEOPLE,
        budget=BUDGET,
        spends=[(each, each) for each in SPENDS],
        most_queries=MOST_QUERIES,
        longest_text=LONGEST_TEXT,
        largest_seed=LARGEST_SEED,
        attacks=ATTACKS.values(),
    )
