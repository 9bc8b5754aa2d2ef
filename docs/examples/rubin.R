# Analyse every completed data set of sets.csv and combine the results by Rubin's rules: Rscript rubin.R
sets <- read.csv("sets.csv", stringsAsFactors = TRUE)
sets$age <- relevel(sets$age, "older")
fits <- lapply(split(sets, sets$imputation), function(set) {
  coef(summary(glm(cheated == "yes" ~ faculty + age, binomial, set)))
})

m <- length(fits)
estimates <- sapply(fits, function(fit) fit[, "Estimate"])
within <- rowMeans(sapply(fits, function(fit) fit[, "Std. Error"]^2))
between <- apply(estimates, 1, var)
total <- within + (1 + 1 / m) * between
degrees <- (m - 1) * (1 + within / ((1 + 1 / m) * between))^2
half <- qt(0.975, degrees) * sqrt(total)
cat(sprintf("%s: %.2f, %.2f to %.2f\n", rownames(estimates), rowMeans(estimates),
            rowMeans(estimates) - half, rowMeans(estimates) + half), sep = "")
