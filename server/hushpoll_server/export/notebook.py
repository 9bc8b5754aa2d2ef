"""A Jupyter notebook that computes the figures of a survey from its exported reports, with NumPy and SciPy alone."""

from __future__ import annotations

import json
from pprint import pformat

from hushpoll_server.export.columns import Row

_TITLE = """\
# {survey}

This notebook reads the randomized reports of the survey `{survey}` and computes the figures of its dashboard again.
It was made for the manifest `{manifest}`.

Write the reports beside it first: `hushpoll export {survey} --format csv --what reports --out reports.csv`

A report holds draws, not answers: each device randomized its answers before it sent them. A draw supports the true
answer with probability p and any other answer with probability q. So the share of an answer is not the share c/n of the
draws that support it, but (c/n - q)/(p - q).{left_out}
"""
_LEFT_OUT = "\n\nNot computed here, because their draws need more than counting: {names}. `hushpoll export` has them."

_SETTINGS = """\
reports_file = "reports.csv"
level = {level!r}
# Wilson's limits where there are enough reports, exact ones below ("automatic"); or "wilson", or "exact".
method = {method!r}
# The declared size of the population; None if it is not known. For the figures of one group, set it to None.
population = {population!r}"""

_DESIGN = """\
# How each question was randomized: the design that the signed manifest fixes.
design = {design}"""

_READ = """\
import csv
import math
from collections import Counter

import numpy as np
from scipy import special


def read_draws(path, keep=lambda row: True):
    \"\"\"Count the draws to each question; `keep` chooses rows, such as lambda row: row["faculty"] == "law".\"\"\"
    draws = {question["question"]: Counter() for question in design}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if keep(row):
                for name, counted in draws.items():
                    # An empty cell was not asked; an apostrophe keeps spreadsheets from running a text as a formula.
                    if row[name]:
                        counted[row[name].removeprefix("'")] += 1
    return draws


def supports(notation, draw, code):
    \"\"\"Return whether a draw supports an answer; None if it did not ask about it.\"\"\"
    if notation == "place":
        return int(draw, 16) == code
    if notation == "set":
        return bool(int(draw[code // 4], 16) >> (3 - code % 4) & 1)
    return {"1": True, "0": False, "-": None}[draw[code]]"""

_SHARES = """\
z = -special.ndtri((1 - level) / 2)
# Limits by the normal law need this many reports for an answer, and as many others.
fewest = 30 * max(1, z / -special.ndtri(0.025)) ** 6


def share(count, n, p, q, chosen, population):
    \"\"\"Return estimate, standard error and limits of one share.\"\"\"
    if n == 0:
        return None, None, None, None
    if p < q:
        # A design that tells the truth less than half of the time: count the draws that do not support the answer.
        count, p, q = n - count, 1 - p, 1 - q
    gap, rate = p - q, count / n
    sampled = 0 if population is None else n / population
    estimate = (rate - q) / gap
    # Where all draws agree, the error is that of the nearest rate that the design can produce.
    seen = min(max((count + 0.5) / (n + 1), q), p) if count in (0, n) else rate
    at = (seen - q) / gap
    noise = (at * p * (1 - p) + (1 - at) * q * (1 - q)) / gap**2
    se = math.sqrt(((1 - sampled) * seen * (1 - seen) / gap**2 + sampled * noise) / n)
    if chosen == "exact":
        if population is not None:
            # Exact limits in a finite population need the law of who was asked: see the dashboard.
            return estimate, se, None, None
        low = 0.0 if count == 0 else special.betaincinv(count, n - count + 1, (1 - level) / 2)
        high = 1.0 if count == n else special.betainccinv(count + 1, n - count, (1 - level) / 2)
        return estimate, se, (low - q) / gap, (high - q) / gap
    if population is None:
        low, high = wilson_low(count, n), 1 - wilson_low(n - count, n)
        return estimate, se, (low - q) / gap, (high - q) / gap
    return estimate, se, *score_limits(estimate, n, p, q, sampled)


def wilson_low(count, n):
    \"\"\"Return Wilson's lower limit of a rate: (rate - x)^2 = t x (1 - x) with t = z^2/n.\"\"\"
    rate, t = count / n, z * z / n
    below = rate + t / 2 + math.sqrt(t * rate * (1 - rate) + t * t / 4)
    return rate * rate / below if below > 0 else 0.0


def score_limits(estimate, n, p, q, sampled):
    \"\"\"Return the shares that a score test does not reject, in a population of which a part was asked.\"\"\"
    t, rest = z * z / n, 1 - sampled
    none, all_ = q * (1 - q) / (p - q) ** 2, p * (1 - p) / (p - q) ** 2
    slope = all_ - none + rest
    centre = (estimate + t * slope / 2) / (1 + t * rest)
    variance = none + slope * estimate - rest * estimate**2
    half = math.sqrt(max(0, t * variance + t * t * (slope**2 / 4 + rest * none))) / (1 + t * rest)
    return min(estimate, centre - half), max(estimate, centre + half)


def choose(counts):
    \"\"\"Return the method of the limits for the counts (c, n) of all answers to a question.\"\"\"
    if method != "automatic":
        return method
    rarer = [min(count, n - count) for count, n in counts]
    return "wilson" if rarer and min(rarer) >= fewest else "exact\""""

_MEANS = """\
def spread(values, times):
    \"\"\"Return the average of values that occur so many times, and the standard error of the average.\"\"\"
    n = times.sum()
    average = times @ values / n
    return average, math.sqrt(times @ (values - average) ** 2 / max(1, n - 1) / n)


def times_of(question, draws):
    \"\"\"Return how often each output was drawn.\"\"\"
    times = np.zeros(len(question.get("values") or question["numbers"]))
    for draw, number in draws.items():
        times[int(draw, 16)] += number
    return times


def mean_figures(question, draws, population):
    \"\"\"Return the mean of a number: the average of the values of the outputs.\"\"\"
    times = times_of(question, draws)
    estimate, se = spread(np.array(question["values"]), times) if times.any() else (None, None)
    # The correction for the population's size needs the whole design: the error is that of the dashboard only without.
    se = se if population is None else None
    yield {"cell": "", "kind": "mean", "n": int(times.sum()), "count": None, "estimate": estimate, "se": se}


def mean_of_some_figures(question, draws, _):
    \"\"\"Return the mean among those who gave a number, and the shares of those who did not.\"\"\"
    times = times_of(question, draws)
    n, numbers, answered = int(times.sum()), np.array(question["numbers"]), np.array(question["answered"])
    estimate = se = None
    bottom = times @ answered / n if n else 0
    if bottom > 0:
        offset = (times @ numbers / n) / bottom
        estimate, se = question["centre"] + offset, spread(numbers - offset * answered, times)[1] / bottom
    yield {"cell": "", "kind": "mean", "n": n, "count": None, "estimate": estimate, "se": se}
    among = int(times[question["among"]].sum())
    counts = [int(times[extra["outputs"]].sum()) for extra in question["extras"]]
    chosen = choose([(count, among) for count in counts])
    for extra, count in zip(question["extras"], counts):
        yield share_row(extra["name"], count, among, n, question, chosen, None)


def share_figures(question, draws, population):
    \"\"\"Return the shares of all answers to a question.\"\"\"
    total, counts = sum(draws.values()), []
    for answer in question["answers"]:
        said = [(supports(question["notation"], draw, answer["code"]), times) for draw, times in draws.items()]
        counts.append((sum(times for yes, times in said if yes), sum(times for yes, times in said if yes is not None)))
    chosen = choose([(count, n) for count, n in counts if n])
    for answer, (count, n) in zip(question["answers"], counts):
        yield share_row(answer["name"], count, n, total, question, chosen, population)


def share_row(name, count, n, total, question, chosen, population):
    estimate, se, low, high = share(count, n, question["p"], question["q"], chosen, population)
    figures = {"estimate": estimate, "se": se, "low": low, "high": high, "method": chosen}
    return {"cell": name, "kind": "cell", "n": total, "count": count, **figures}"""

_FIGURES = """\
kinds = {"shares": share_figures, "mean": mean_figures, "mean_of_some": mean_of_some_figures}


def estimate_all(draws, population):
    \"\"\"Return a row for each figure.\"\"\"
    rows = []
    for question in design:
        counted = draws[question["question"]]
        # More reports than people: the dashboard warns, and takes the population for infinite.
        size = None if population is None or sum(counted.values()) > population else population
        rows += [{"question": question["question"], **row} for row in kinds[question["kind"]](question, counted, size)]
    return rows


figures = estimate_all(read_draws(reports_file), population)
for row in figures:
    numbers = [row.get(name) for name in ("estimate", "se", "low", "high")]
    shown = ["     none" if number is None else f"{number:9.4f}" for number in numbers]
    print(f"{row['question']:20} {row['cell']:20} {row['n']:>9}", *shown)"""


def write_notebook(settings: Row, recipes: list[Row]) -> str:
    """Return the notebook as JSON, format 4."""
    left_out = _LEFT_OUT.format(names=", ".join(settings["left_out"])) if settings["left_out"] else ""
    title = _TITLE.format(survey=settings["survey"], manifest=settings["manifest"], left_out=left_out)
    # The literals of Python escape what cannot be printed; wide lists stay readable.
    design = _DESIGN.format(design=pformat(recipes, width=110, compact=True, sort_dicts=False))
    code = [_SETTINGS.format(**settings), design, _READ, _SHARES, _MEANS, _FIGURES]
    cells = [_cell("markdown", title), *(_cell("code", source) for source in code)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(kind: str, source: str) -> Row:
    executed: Row = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **executed}
