# Read figures of a survey: Rscript figures.R ADDRESS SURVEY TOKEN. Needs the package jsonlite.
# Put in the ids of your own questions and groups: here they are cheated, helped, stress and faculty.
arguments <- commandArgs(trailingOnly = TRUE)
address <- arguments[1]; survey <- arguments[2]; token <- arguments[3]

read <- function(call, ...) {
  options <- list(...)
  query <- paste(names(options), vapply(options, URLencode, "", reserved = TRUE), sep = "=", collapse = "&")
  place <- url(sprintf("%s/api/v1/surveys/%s/%s?%s", address, survey, call, query),
               headers = c(Authorization = paste("Bearer", token)))
  on.exit(close(place))
  jsonlite::fromJSON(paste(readLines(place, warn = FALSE), collapse = "\n"))
}

for (name in names(questions <- read("estimates")$questions)) {
  cells <- questions[[name]]$cells
  if (is.data.frame(cells)) cat(sprintf("%s %s: %.3f, %.3f to %.3f\n", name, cells$name, cells$estimate, cells$low, cells$high), sep = "")
}

gaps <- read("compare", question = "cheated", by = "faculty")$differences
cat(sprintf("%s \u2212 %s: %.3f, %.3f to %.3f\n", gaps$first, gaps$second, gaps$estimate, gaps$low, gaps$high), sep = "")

cells <- read("crosstab", questions = "cheated,helped")$cells
cat(sprintf("%s \u00d7 %s: %.3f\n", cells$row, cells$column, cells$estimate), sep = "")

cat(sprintf("median of stress: %g\n", read("quantiles", question = "stress", shares = "0.5")$quantiles$estimate[1]))

rows <- read("regression", outcome = "cheated", covariates = "faculty", model = "linear")$coefficients
cat(sprintf("%s: %.3f \u00b1 %.3f\n", rows$name, rows$estimate, rows$se), sep = "")
