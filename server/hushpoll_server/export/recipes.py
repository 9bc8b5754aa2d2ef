"""How the figures of a question follow from its draws: what a codebook and a script in another language need to know.

A recipe is plain data. There are three kinds: `shares` of answers by p and q, the `mean` of the values of outputs, and
the mean among those who gave a number (`mean_of_some`), a ratio of two scores. The rule here: a recipe is what the
estimand of the mechanism says, so it never asks which mechanism it is.
"""

from __future__ import annotations

from hushpoll_server.estimate.estimands import DistributionEstimand, MeanEstimand, MeanOfSomeEstimand, SharesEstimand
from hushpoll_server.export.columns import Row
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_shared.questions import Question

# More outputs than this are not listed: noise of the textbook kind at a very small epsilon has millions.
MOST_OUTPUTS = 20_000


def recipe_of(question: Question) -> Row | None:
    """Return the recipe of a question; None where it is too long, or where draws are points of a projective space."""
    mechanism = mechanism_of(question)
    if mechanism.notation is Notation.POINT or (
        mechanism.notation is Notation.OUTPUT and mechanism.outputs > MOST_OUTPUTS
    ):
        return None
    estimand, labels = mechanism.estimand({}), question.type.labels
    about = {"question": question.id, "text": question.text, "notation": mechanism.notation.value}
    if isinstance(estimand, DistributionEstimand):
        estimand = estimand.mean
    if isinstance(estimand, MeanEstimand):
        return {**about, "kind": "mean", "values": estimand.design.values.tolist()}
    if isinstance(estimand, MeanOfSomeEstimand):
        return {**about, **_mean_of_some(estimand, labels)}
    assert isinstance(estimand, SharesEstimand), "there are no other estimands"
    return {**about, **_shares(estimand, labels)}


def _shares(estimand: SharesEstimand, labels: dict[str, str]) -> Row:
    names, shown = [name for name, _, _ in estimand.cells], set(estimand.shown)
    answers = [
        {"code": code, "name": name, "label": labels.get(name, name)}
        for code, name in enumerate(names)
        if name in shown
    ]
    return {"kind": "shares", "p": estimand.support.p, "q": estimand.support.q, "answers": answers}


def _mean_of_some(estimand: MeanOfSomeEstimand, labels: dict[str, str]) -> Row:
    scores, outputs = estimand.scores, range(len(estimand.scores.numbers))
    extras = [
        {"name": name, "label": labels.get(name, name), "outputs": list(outputs[block])}
        for name, block in zip(estimand.extras, scores.extras, strict=True)
    ]
    return {
        "kind": "mean_of_some",
        "centre": scores.centre,
        "numbers": scores.numbers.tolist(),
        "answered": scores.answered.tolist(),
        "p": scores.support.p,
        "q": scores.support.q,
        "among": list(outputs[scores.among]),
        "extras": extras,
    }
