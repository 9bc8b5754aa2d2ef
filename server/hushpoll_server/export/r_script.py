"""An R script that computes the figures of a survey from its exported reports, with base R alone."""

from __future__ import annotations

from collections.abc import Iterable

from hushpoll_server.export.columns import Row

_HEAD = """\
# Figures of the survey {survey}, computed again from its randomized reports.
# Made for the manifest {manifest}.
#
# Write the reports first:
#   hushpoll export {survey} --format csv --what reports --out reports.csv
# Then run:
#   Rscript THIS-FILE [reports.csv [figures.csv]]
#
# A report holds draws, not answers: each device randomized its answers before it sent them. A draw supports the true
# answer with probability p and any other answer with probability q. So the share of an answer is not the share c/n of
# the draws that support it, but (c/n - q)/(p - q).
{left_out}
arguments <- commandArgs(trailingOnly = TRUE)
reports_file <- if (length(arguments) >= 1) arguments[1] else "reports.csv"
level <- {level}
# Wilson's limits where there are enough reports, exact ones below ("automatic"); or "wilson", or "exact".
method <- "{method}"
# The declared size of the population; NA if it is not known.
population <- {population}

# How each question was randomized: the design that the signed manifest fixes.
design <- list(
{design}
)
"""

_CODE = r"""
# Draws are texts: as numbers, "1e5" or "007" would be something else.
reports <- read.csv(reports_file, colClasses = "character", check.names = FALSE, na.strings = character(0),
                    encoding = "UTF-8")

# An empty cell was not asked; an apostrophe keeps spreadsheets from running a text as a formula.
draws_of <- function(reports, question) {
  draws <- sub("^'", "", reports[[question$question]])
  draws[draws != ""]
}

# 1 if a draw supports an answer, 0 if it does not, NA if it did not ask about it.
supports <- function(notation, draws, code) {
  if (notation == "place") return(as.numeric(strtoi(draws, 16L) == code))
  if (notation == "set") {
    digit <- strtoi(substr(draws, code %/% 4 + 1, code %/% 4 + 1), 16L)
    return(digit %/% 2^(3 - code %% 4) %% 2)
  }
  mark <- substr(draws, code + 1, code + 1)
  ifelse(mark == "-", NA, as.numeric(mark == "1"))
}

z <- -qnorm((1 - level) / 2)
# Limits by the normal law need this many reports for an answer, and as many others.
fewest <- 30 * max(1, z / -qnorm(0.025))^6

choose_method <- function(count, n) {
  if (method != "automatic") return(method)
  rarer <- pmin(count, n - count)[n > 0]
  if (length(rarer) > 0 && min(rarer) >= fewest) "wilson" else "exact"
}

# Wilson's lower limit of a rate: (rate - x)^2 = t x (1 - x) with t = z^2/n.
wilson_low <- function(count, n) {
  rate <- count / n
  t <- z^2 / n
  below <- rate + t / 2 + sqrt(t * rate * (1 - rate) + t^2 / 4)
  if (below > 0) rate^2 / below else 0
}

# The shares that a score test does not reject, in a population of which a part was asked.
score_limits <- function(estimate, n, p, q, sampled) {
  t <- z^2 / n
  rest <- 1 - sampled
  none <- q * (1 - q) / (p - q)^2
  all <- p * (1 - p) / (p - q)^2
  slope <- all - none + rest
  centre <- (estimate + t * slope / 2) / (1 + t * rest)
  variance <- none + slope * estimate - rest * estimate^2
  half <- sqrt(max(0, t * variance + t^2 * (slope^2 / 4 + rest * none))) / (1 + t * rest)
  c(min(estimate, centre - half), max(estimate, centre + half))
}

row_of <- function(question, cell, kind, n, count = NA, estimate = NA, se = NA, limits = c(NA, NA), method = "") {
  data.frame(question = question$question, cell = cell, kind = kind, n = n, count = count, estimate = estimate, se = se,
             low = limits[1], high = limits[2], method = method, stringsAsFactors = FALSE)
}

# The share of one answer, which `count` of `n` draws support.
share_row <- function(question, cell, count, n, total, chosen, population) {
  if (n == 0) return(row_of(question, cell, "cell", total, count, method = chosen))
  seen_count <- count
  p <- question$p
  q <- question$q
  if (p < q) {
    # A design that tells the truth less than half of the time: count the draws that do not support the answer.
    count <- n - count
    p <- 1 - p
    q <- 1 - q
  }
  gap <- p - q
  rate <- count / n
  sampled <- if (is.na(population)) 0 else n / population
  estimate <- (rate - q) / gap
  # Where all draws agree, the error is that of the nearest rate that the design can produce.
  seen <- if (count == 0 || count == n) min(max((count + 0.5) / (n + 1), q), p) else rate
  at <- (seen - q) / gap
  noise <- (at * p * (1 - p) + (1 - at) * q * (1 - q)) / gap^2
  se <- sqrt(((1 - sampled) * seen * (1 - seen) / gap^2 + sampled * noise) / n)
  if (chosen == "exact" && !is.na(population)) {
    # Exact limits in a finite population need the law of who was asked: see the dashboard.
    limits <- c(NA, NA)
  } else if (chosen == "exact") {
    low <- if (count == 0) 0 else qbeta((1 - level) / 2, count, n - count + 1)
    high <- if (count == n) 1 else qbeta((1 - level) / 2, count + 1, n - count, lower.tail = FALSE)
    limits <- (c(low, high) - q) / gap
  } else if (is.na(population)) {
    limits <- (c(wilson_low(count, n), 1 - wilson_low(n - count, n)) - q) / gap
  } else {
    limits <- score_limits(estimate, n, p, q, sampled)
  }
  row_of(question, cell, "cell", total, seen_count, estimate, se, limits, chosen)
}

share_figures <- function(question, draws, population) {
  supported <- lapply(question$codes, function(code) supports(question$notation, draws, code))
  count <- vapply(supported, function(x) sum(x, na.rm = TRUE), numeric(1))
  n <- vapply(supported, function(x) sum(!is.na(x)), numeric(1))
  chosen <- choose_method(count, n)
  do.call(rbind, lapply(seq_along(count), function(i) {
    share_row(question, question$answers[i], count[i], n[i], length(draws), chosen, population)
  }))
}

# The standard error of an average.
error_of <- function(values) sqrt(sum((values - mean(values))^2) / max(1, length(values) - 1) / length(values))

# The mean of a number: the average of the values of the outputs.
mean_figures <- function(question, draws, population) {
  if (length(draws) == 0) return(row_of(question, "", "mean", 0))
  values <- question$values[strtoi(draws, 16L) + 1]
  # The correction for the population's size needs the whole design: the error is that of the dashboard only without.
  se <- if (is.na(population)) error_of(values) else NA
  row_of(question, "", "mean", length(draws), estimate = mean(values), se = se)
}

# The mean among those who gave a number, and the shares of those who did not.
mean_of_some_figures <- function(question, draws, population) {
  outputs <- strtoi(draws, 16L)
  numbers <- question$numbers[outputs + 1]
  answered <- question$answered[outputs + 1]
  n <- length(draws)
  bottom <- if (n > 0) mean(answered) else 0
  mean_row <- row_of(question, "", "mean", n)
  if (bottom > 0) {
    offset <- mean(numbers) / bottom
    se <- error_of(numbers - offset * answered) / bottom
    mean_row <- row_of(question, "", "mean", n, estimate = question$centre + offset, se = se)
  }
  among <- sum(outputs %in% question$among)
  count <- vapply(question$outputs, function(of) sum(outputs %in% of), numeric(1))
  # Where there is nothing to count, limits are exact.
  chosen <- if (among == 0 && method == "automatic") "exact" else choose_method(count, rep(among, length(count)))
  shares <- lapply(seq_along(count), function(i) {
    share_row(question, question$answers[i], count[i], among, n, chosen, NA)
  })
  do.call(rbind, c(list(mean_row), shares))
}

kinds <- list(shares = share_figures, mean = mean_figures, mean_of_some = mean_of_some_figures)

# The figures of one group: estimate_all(reports[reports$faculty == "law", ], NA)
estimate_all <- function(reports, population) {
  do.call(rbind, lapply(design, function(question) {
    draws <- draws_of(reports, question)
    # More reports than people: the dashboard warns, and takes the population for infinite.
    size <- if (is.na(population) || length(draws) > population) NA else population
    kinds[[question$kind]](question, draws, size)
  }))
}

figures <- estimate_all(reports, population)
print(figures, digits = 4, row.names = FALSE)
if (length(arguments) >= 2) write.csv(figures, arguments[2], row.names = FALSE, na = "")
"""


def write_r(settings: Row, recipes: list[Row]) -> str:
    """Return the script."""
    names = ", ".join(settings["left_out"])
    left_out = f"#\n# Not computed here, because their draws need more than counting: {names}.\n" if names else ""
    population = "NA" if settings["population"] is None else repr(settings["population"])
    about = {**settings, "level": repr(settings["level"]), "population": population, "left_out": left_out}
    return _HEAD.format(**about, design=",\n".join(map(_question, recipes))) + _CODE


def _question(recipe: Row) -> str:
    fields = {name: text(recipe[name]) for name in ("question", "text", "kind", "notation")}
    fields |= {name: repr(recipe[name]) for name in ("p", "q", "centre") if name in recipe}
    fields |= {name: _numbers(recipe[name]) for name in ("values", "numbers", "answered", "among") if name in recipe}
    if recipe["kind"] == "shares":
        fields |= {"codes": _numbers(answer["code"] for answer in recipe["answers"])}
    if recipe["kind"] == "mean_of_some":
        fields |= {"outputs": f"list({', '.join(_numbers(extra['outputs']) for extra in recipe['extras'])})"}
    named = recipe.get("answers") or recipe.get("extras") or []
    fields |= {part: f"c({', '.join(text(each[key]) for each in named)})" for part, key in _NAMED if named}
    return "  list(\n    " + ",\n    ".join(f"{name} = {value}" for name, value in fields.items()) + "\n  )"


_NAMED = (("answers", "name"), ("labels", "label"))


def _numbers(values: Iterable[float]) -> str:
    return f"c({', '.join(map(repr, values))})"


def text(value: str) -> str:
    """Return a text as a string of R; what cannot be printed is escaped."""
    return '"' + "".join(map(_character, value)) + '"'


def _character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{{{ord(character):x}}}"
