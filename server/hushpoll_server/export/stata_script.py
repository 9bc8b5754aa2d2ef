"""A Stata do-file that computes the figures of a survey from its exported reports, with Mata.

It was written from the manual and has not been run by Stata in our tests, which check its structure only: the page
about exports says so. The rule here: a text of the survey cannot end a string or a comment, nor expand a macro.
"""

from __future__ import annotations

from collections.abc import Iterable

from hushpoll_server.export.columns import Row

_HEAD = """\
* Figures of the survey {survey}, computed again from its randomized reports.
* Made for the manifest {manifest}.
*
* Write the reports first:
*   hushpoll export {survey} --format csv --what reports --out reports.csv
* Then run this file in the folder of reports.csv. The figures stay in memory as a data set.
*
* A report holds draws, not answers: each device randomized its answers before it sent them. A draw supports the true
* answer with probability p and any other answer with probability q. So the share of an answer is not the share c/n of
* the draws that support it, but (c/n - q)/(p - q).
{left_out}
version 14
clear all
set more off

* Columns are taken by their place, v1, v2 and so on, and draws stay texts: as numbers, 1e5 or 007 would change.
import delimited using "reports.csv", varnames(nonames) rowrange(2:) stringcols(_all) ///
    bindquotes(strict) encoding("utf-8") clear
mata: mata clear
"""

_MATA = r"""
mata:
// The confidence level; the declared size of the population, missing if it is not known; and the method of limits:
// "automatic" is Wilson's where there are enough reports, exact below.
level = @LEVEL@
population = @POPULATION@
method = "@METHOD@"
kept = J(0, 9, "")

// An empty cell was not asked; an apostrophe keeps spreadsheets from running a text as a formula.
string colvector draws_of(string scalar column)
{
    string colvector draws
    if (st_nobs() == 0) return(J(0, 1, ""))
    draws = st_sdata(., column)
    draws = select(draws, draws :!= "")
    if (rows(draws) == 0) return(J(0, 1, ""))
    return(subinstr(draws, "'", "", 1))
}

// The number that a text of hexadecimal digits stands for.
real colvector number_of(string colvector draws)
{
    real colvector number
    real scalar place
    number = J(rows(draws), 1, 0)
    if (rows(draws) == 0) return(number)
    for (place = 1; place <= strlen(draws[1]); place++) {
        number = number * 16 + strpos("0123456789abcdef", substr(draws, place, 1)) :- 1
    }
    return(number)
}

// 1 if a draw supports an answer, 0 if it does not, missing if it did not ask about it.
real colvector supports(string scalar notation, string colvector draws, real scalar code)
{
    string colvector mark
    if (notation == "place") return(number_of(draws) :== code)
    if (notation == "set") {
        mark = substr(draws, floor(code / 4) + 1, 1)
        return(mod(floor(number_of(mark) :/ 2^(3 - mod(code, 4))), 2))
    }
    mark = substr(draws, code + 1, 1)
    // 0/0 is missing
    return((mark :== "1") :/ (mark :!= "-"))
}

string scalar choose_method(real rowvector count, real rowvector n)
{
    external real scalar level
    external string scalar method
    real scalar fewest, z
    real rowvector rarer
    if (method != "automatic") return(method)
    z = -invnormal((1 - level) / 2)
    fewest = 30 * max((1, z / -invnormal(0.025)))^6
    rarer = select(colmin(count \ (n - count)), n :> 0)
    if (cols(rarer) == 0) return("exact")
    return(min(rarer) >= fewest ? "wilson" : "exact")
}

// Wilson's lower limit of a rate: (rate - x)^2 = t x (1 - x) with t = z^2/n.
real scalar wilson_low(real scalar count, real scalar n)
{
    external real scalar level
    real scalar rate, t, below
    rate = count / n
    t = invnormal((1 - level) / 2)^2 / n
    below = rate + t / 2 + sqrt(t * rate * (1 - rate) + t^2 / 4)
    return(below > 0 ? rate^2 / below : 0)
}

// The shares that a score test does not reject, in a population of which a part was asked.
real rowvector score_limits(real scalar estimate, real scalar n, real scalar p, real scalar q, real scalar sampled)
{
    external real scalar level
    real scalar t, rest, none, whole, slope, centre, variance, half
    t = invnormal((1 - level) / 2)^2 / n
    rest = 1 - sampled
    none = q * (1 - q) / (p - q)^2
    whole = p * (1 - p) / (p - q)^2
    slope = whole - none + rest
    centre = (estimate + t * slope / 2) / (1 + t * rest)
    variance = none + slope * estimate - rest * estimate^2
    half = sqrt(max((0, t * variance + t^2 * (slope^2 / 4 + rest * none)))) / (1 + t * rest)
    return((min((estimate, centre - half)), max((estimate, centre + half))))
}

// Keep one row of figures: question, cell, n, count, estimate, se, low, high, method.
void keep_row(string scalar question, string scalar cell, real rowvector figures, string scalar method)
{
    external string matrix kept
    kept = kept \ (question, cell, strofreal(figures, "%21.17g"), method)
}

// The share of one answer, which some of its draws support.
void share_row(string scalar question, string scalar cell, real scalar counted, real scalar n, real scalar total,
    real scalar truth, real scalar other, string scalar chosen, real scalar population)
{
    external real scalar level
    real scalar count, p, q, gap, rate, sampled, estimate, seen, at, noise, se, low, high
    real rowvector limits
    if (n == 0) {
        keep_row(question, cell, (total, counted, ., ., ., .), chosen)
        return
    }
    count = counted
    p = truth
    q = other
    if (p < q) {
        // A design that tells the truth less than half of the time: count the draws that do not support the answer.
        count = n - count
        p = 1 - p
        q = 1 - q
    }
    gap = p - q
    rate = count / n
    sampled = missing(population) ? 0 : n / population
    estimate = (rate - q) / gap
    // Where all draws agree, the error is that of the nearest rate that the design can produce.
    seen = (count == 0 | count == n) ? min((max(((count + 0.5) / (n + 1), q)), p)) : rate
    at = (seen - q) / gap
    noise = (at * p * (1 - p) + (1 - at) * q * (1 - q)) / gap^2
    se = sqrt(((1 - sampled) * seen * (1 - seen) / gap^2 + sampled * noise) / n)
    // Exact limits in a finite population need the law of who was asked: see the dashboard.
    low = .
    high = .
    if (chosen == "exact" & missing(population)) {
        low = count == 0 ? 0 : invibeta(count, n - count + 1, (1 - level) / 2)
        high = count == n ? 1 : invibetatail(count + 1, n - count, (1 - level) / 2)
        low = (low - q) / gap
        high = (high - q) / gap
    }
    if (chosen == "wilson" & missing(population)) {
        low = (wilson_low(count, n) - q) / gap
        high = (1 - wilson_low(n - count, n) - q) / gap
    }
    if (chosen == "wilson" & !missing(population)) {
        limits = score_limits(estimate, n, p, q, sampled)
        low = limits[1]
        high = limits[2]
    }
    keep_row(question, cell, (total, counted, estimate, se, low, high), chosen)
}

// More reports than people: the dashboard warns, and takes the population for infinite.
real scalar size_of(real scalar n)
{
    external real scalar population
    return(n > population ? . : population)
}

void shares(string scalar question, string scalar column, string scalar notation, real scalar p, real scalar q,
    real rowvector codes, string rowvector answers)
{
    string colvector draws
    real colvector supported
    real rowvector count, n
    real scalar i, total
    draws = draws_of(column)
    total = rows(draws)
    count = n = J(1, cols(codes), 0)
    for (i = 1; i <= cols(codes); i++) {
        if (rows(draws) == 0) continue
        supported = supports(notation, draws, codes[i])
        count[i] = sum(supported)
        n[i] = sum(supported :< .)
    }
    for (i = 1; i <= cols(codes); i++) {
        share_row(question, answers[i], count[i], n[i], total, p, q, choose_method(count, n), size_of(total))
    }
}

// The standard error of an average.
real scalar error_of(real colvector values)
{
    real scalar n
    n = rows(values)
    return(sqrt(sum((values :- mean(values)):^2) / max((1, n - 1)) / n))
}

// The mean of a number: the average of the values of the outputs.
void mean_of_values(string scalar question, string scalar column, real rowvector values)
{
    string colvector draws
    real colvector x
    real scalar n
    draws = draws_of(column)
    n = rows(draws)
    if (n == 0) {
        keep_row(question, "", (0, ., ., ., ., .), "")
        return
    }
    x = (values')[number_of(draws) :+ 1]
    // The correction for the population's size needs the whole design: the error is that of the dashboard only without.
    keep_row(question, "", (n, ., mean(x), missing(size_of(n)) ? error_of(x) : ., ., .), "")
}

// The mean among those who gave a number, and the shares of those who did not.
void mean_of_some(string scalar question, string scalar column, real scalar centre, real rowvector numbers,
    real rowvector answered, real scalar p, real scalar q, real rowvector among, pointer rowvector outputs,
    string rowvector answers)
{
    string colvector draws
    real colvector place, x, g
    real rowvector count, among_times, times
    real scalar n, i, offset
    draws = draws_of(column)
    n = rows(draws)
    times = J(1, cols(numbers), 0)
    place = number_of(draws) :+ 1
    for (i = 1; i <= n; i++) times[place[i]] = times[place[i]] + 1
    if (n == 0) keep_row(question, "", (0, ., ., ., ., .), "")
    else {
        x = (numbers')[place]
        g = (answered')[place]
        if (mean(g) <= 0) keep_row(question, "", (n, ., ., ., ., .), "")
        else {
            offset = mean(x) / mean(g)
            keep_row(question, "", (n, ., centre + offset, error_of(x - offset * g) / mean(g), ., .), "")
        }
    }
    among_times = J(1, cols(outputs), sum(times[among :+ 1]))
    count = J(1, cols(outputs), 0)
    for (i = 1; i <= cols(outputs); i++) count[i] = sum(times[(*outputs[i]) :+ 1])
    for (i = 1; i <= cols(outputs); i++) {
        share_row(question, answers[i], count[i], among_times[i], n, p, q, choose_method(count, among_times), .)
    }
}

// How each question was randomized: the design that the signed manifest fixes.
@DESIGN@

end

* The figures as a data set.
clear
mata:
st_addobs(rows(kept))
st_sstore(., st_addvar("strL", ("question", "cell")), kept[., (1, 2)])
st_store(., st_addvar("double", ("n", "count", "estimate", "se", "low", "high")), strtoreal(kept[., (3..8)]))
st_sstore(., st_addvar("strL", "method"), kept[., 9])
end

list question cell n estimate se low high, noobs abbreviate(20)
"""


def write_stata(settings: Row, recipes: list[Row]) -> str:
    """Return the do-file."""
    names = ", ".join(settings["left_out"])
    left_out = f"*\n* Not computed here, because their draws need more than counting: {names}.\n" if names else ""
    columns = {name: f"v{place}" for place, name in enumerate(settings["columns"], start=1)}
    code = _MATA.replace("@DESIGN@", "\n".join(_call(recipe, columns[recipe["question"]]) for recipe in recipes))
    code = code.replace("@LEVEL@", repr(settings["level"])).replace("@METHOD@", settings["method"])
    code = code.replace("@POPULATION@", "." if settings["population"] is None else repr(settings["population"]))
    return _HEAD.format(**{**settings, "left_out": left_out}) + code


def _call(recipe: Row, column: str) -> str:
    place = f'"{recipe["question"]}", "{column}"'
    if recipe["kind"] == "mean":
        return f"mean_of_values({place}, {_numbers(recipe['values'])})"
    if recipe["kind"] == "shares":
        codes, answers = _numbers(answer["code"] for answer in recipe["answers"]), _texts(recipe["answers"])
        return f'shares({place}, "{recipe["notation"]}", {recipe["p"]!r}, {recipe["q"]!r}, {codes}, {answers})'
    scores = ", ".join(_numbers(recipe[name]) for name in ("numbers", "answered"))
    outputs = ", ".join(f"&({_numbers(extra['outputs'])})" for extra in recipe["extras"])
    design = f"{recipe['centre']!r}, {scores}, {recipe['p']!r}, {recipe['q']!r}, {_numbers(recipe['among'])}"
    return f"mean_of_some({place}, {design}, ({outputs}), {_texts(recipe['extras'])})"


def _numbers(values: Iterable[float]) -> str:
    return f"({', '.join(map(repr, values))})"


def _texts(answers: list[Row]) -> str:
    return f"({', '.join(text(answer['name']) for answer in answers)})"


# What would end a string, expand a macro or start a comment is replaced by what looks like it.
_REPLACED = {'"': "'", "`": "'", "$": "＄", "\\": "＼", "/": "∕"}


def text(value: str) -> str:
    """Return a text as a string of Stata that means nothing but itself."""
    shown = (_REPLACED.get(character, character) if character.isprintable() else " " for character in value)
    return '"' + "".join(shown) + '"'
