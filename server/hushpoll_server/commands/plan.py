"""hushpoll plan: how much privacy, how many respondents, how wide an interval."""

from __future__ import annotations

from decimal import Decimal

import click

from hushpoll_server.commands.common import json_option, level_option, print_json
from hushpoll_server.commands.numbers import COUNT, Finite
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.estimate.errors import check_population
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.variance import ShareVariance
from hushpoll_server.plan.choose import NAMED
from hushpoll_server.plan.expected import compare_margins
from hushpoll_server.plan.plans import Plan, make_plan, odds_in_100
from hushpoll_server.plan.questions import TYPES, make_type
from hushpoll_server.plan.sizes import LARGEST_N, Goal, MarginGoal, PowerGoal, Sample
from hushpoll_server.plan.variances import is_mean
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.words import tell

EPSILONS = ("0.25", "0.5", "1", "2", "4")
DEFAULT_POWER = 0.8

_POSITIVE = Finite(min=0, min_open=True)
# Below one half a test misses a difference more often than it finds it, and more privacy could seem to help.
_POWER = Finite(0.5, 1, max_open=True)


@click.command()
@click.option("--type", "type_", type=click.Choice(TYPES), required=True, help="Type of the question.")
@click.option(
    "--options", metavar="K", help="Number of options, or of points of a scale; for a pair those of both, such as 2,5."
)
@click.option("--max-picks", metavar="L", type=COUNT, help="The most options that may be ticked (multi_choice).")
@click.option("--min", "low", metavar="A", help="The smallest answer (scale, number).")
@click.option("--max", "high", metavar="B", help="The largest answer (scale, number).")
@click.option("--report", type=click.Choice(["shares", "mean", "distribution"]), help="What to estimate.")
@click.option("--mechanism", type=click.Choice(NAMED), help="The textbook mechanism for a mean.")
@click.option("--epsilon", metavar="E", help="The privacy, by its epsilon.")
@click.option("--odds", metavar="A:B", help="The privacy, by its odds, such as 3:1.")
@click.option("--n", metavar="N", type=click.IntRange(1, LARGEST_N), help="The number of respondents.")
@click.option("--margin", metavar="H", type=_POSITIVE, help="Margin of error (half the interval); 0.05 is five points.")
@click.option("--difference", metavar="D", type=_POSITIVE, help="Instead of --margin: a difference to detect.")
@click.option("--power", metavar="P", type=_POWER, help="Power to detect --difference; 0.8 if left out.")
@click.option("--share", metavar="F", type=Finite(0, 1), help="The true share, instead of the worst.")
@click.option("--population", metavar="N", type=COUNT, help="Size of the population, if it is finite.")
@level_option
@json_option
def command(
    type_: str,
    options: str | None,
    max_picks: int | None,
    low: str | None,
    high: str | None,
    report: str | None,
    mechanism: str | None,
    epsilon: str | None,
    odds: str | None,
    n: int | None,
    margin: float | None,
    difference: float | None,
    power: float | None,
    share: float | None,
    population: int | None,
    level: float,
    as_json: bool,
) -> None:
    """Weigh privacy, respondents and precision: give two, get the third.

    Give exactly two of --epsilon (or --odds), --n and --margin (or --difference).
    """
    sizes = {"options": options, "max-picks": max_picks, "min": low, "max": high, "report": report}
    sample = Sample(level, population, share)
    try:
        question_type = make_type(type_, sizes)
        bound, goal = _read_bound(epsilon, odds), _read_goal(sample, margin, difference, power)
        check_population(population, n or 0)
        _check_question(question_type, mechanism, sample, margin, difference)
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None
    if [bound, n, goal].count(None) != 1:
        raise click.UsageError("Give exactly two of --epsilon (or --odds), --n and --margin (or --difference).")
    with progress_bar("looking for the best design"):
        plan = make_plan(question_type, sample, bound=bound, n=n, goal=goal, mechanism=mechanism)
        shown = {**plan.to_json(), "told": _form_sentence(plan)} if as_json else _describe(plan)
    click.echo(shown) if isinstance(shown, str) else print_json(shown)


def _read_bound(epsilon: str | None, odds: str | None) -> Bound | None:
    privacy = {name: value for name, value in (("epsilon", epsilon), ("odds", odds)) if value is not None}
    return Bound.read(privacy) if privacy else None


def _read_goal(sample: Sample, margin: float | None, difference: float | None, power: float | None) -> Goal | None:
    if margin is not None and difference is not None:
        raise InvalidValue("give one of --margin and --difference")
    if difference is not None:
        return PowerGoal(sample, difference, DEFAULT_POWER if power is None else power)
    if power is not None:
        raise InvalidValue("--power goes with --difference")
    return None if margin is None else MarginGoal(sample, margin)


def _check_question(
    question_type: QuestionType, mechanism: str | None, sample: Sample, margin: float | None, difference: float | None
) -> None:
    if mechanism and question_type.report != "mean":
        raise InvalidValue(f"--mechanism {mechanism} is for means: --type number, or --type scale with --report mean")
    if is_mean(question_type) and sample.share is not None:
        raise InvalidValue("--share does not go with a mean: leave it out")
    if not is_mean(question_type) and difference is not None and sample.start + difference > 1:
        raise InvalidValue("--difference leads above a share of 1: give a smaller one, or a smaller --share")
    width = 2 * question_type.half_range if is_mean(question_type) else 1
    if max(margin or 0, difference or 0) > width:
        raise InvalidValue(f"all answers lie within {width:g}: give a smaller --margin or --difference")


def _describe(plan: Plan) -> str:
    lines = [_what_you_get(plan), *_expected_line(plan), *_power_line(plan), _respondents_line(plan)]
    return "\n".join([*lines, _which_mechanism(plan), *_survey_file_line(plan), "", *_table(plan)])


def _what_you_get(plan: Plan) -> str:
    return (
        f"{plan.n:,} respondents with epsilon {_short(plan.bound)} give {_margin(plan, plan.margin)} "
        f"({100 * plan.sample.level:.6g} % interval{_at_share(plan)}). "
        f"Without privacy {plan.without_privacy_n:,} would do."
    )


def _expected_line(plan: Plan) -> list[str]:
    compared, expected = compare_margins(plan.margin, plan.expected_margin), plan.expected_margin
    if not compared or expected is None:
        return []
    return [
        f"With so few reports the interval that hushpoll estimate shows is {compared}: about {_margin(plan, expected)}."
    ]


def _power_line(plan: Plan) -> list[str]:
    if not isinstance(plan.goal, PowerGoal):
        return []
    start = "" if is_mean(plan.type) else f" from a share of {plan.sample.start:.3g}"
    return [f"They find a difference of {plan.goal.difference:g}{start} {100 * plan.goal.power:.4g} times in 100."]


def _at_share(plan: Plan) -> str:
    if not isinstance(plan.variance_by_answer, ShareVariance):
        return ", whatever the answers are"
    if plan.sample.share is not None:
        return f" at a share of {plan.sample.share:.4g}"
    return f" at the worst share, {plan.variance_by_answer.worst_share(plan.sample.unsampled(plan.n)):.2g}"


def _respondents_line(plan: Plan) -> str:
    return f"Respondents have {plan.mechanism.design.epsilon.protection} and are told: “{_form_sentence(plan)}”"


def _form_sentence(plan: Plan) -> str:
    return tell(plan.mechanism.design, plan.type, "en").odds


def _which_mechanism(plan: Plan) -> str:
    ratio = plan.variance / plan.lower_bound
    if ratio < 1.0005:
        return f"Mechanism: {plan.mechanism.name}. None with this epsilon has a smaller variance."
    return f"Mechanism: {plan.mechanism.name}. Its variance is {ratio:.3f} times the lower bound for this epsilon."


def _survey_file_line(plan: Plan) -> list[str]:
    if plan.likely_share is None:
        return []
    share = plan.likely_share.share
    # Written without an exponent, as a survey file takes it.
    field = f"likely_share: {'any' if share is None else format(Decimal(str(share)), 'f')}"
    if plan.compiled.design == plan.mechanism.design:
        return [f"A survey file gets this design with {field}."]
    margin = _margin(plan, plan.margin_with(plan.compiled))
    return [f"A survey file cannot ask for just this design; with {field} it gets one that gives {margin}."]


def _table(plan: Plan) -> list[str]:
    lines = [f"With {plan.n:,} respondents:", f"{'epsilon':>9}  {'sure in 100':>11}  margin"]
    for epsilon in EPSILONS:
        best = plan.best_with(Bound.of_epsilon(epsilon))
        lines.append(f"{epsilon:>9}  {odds_in_100(best):>11}  {_margin(plan, plan.margin_with(best))}")
    return [*lines, "(How sure one report can make somebody who wavered between two answers.)"]


def _margin(plan: Plan, margin: float) -> str:
    return f"±{margin:.3g}" if is_mean(plan.type) else f"±{100 * margin:.3g} points"


def _short(bound: Bound) -> str:
    return f"{float(bound.epsilon):.6g}"
