"""Test a client from outside: answers in, reports out, what the reports give away, and whether they are as stated.

The client is a black box, in any language. `inputs` has the answers to try, `plan` draws them line by line, `run` feeds
the client and records its reports. `events` says what to look for in a draw; `runs` and `reports` put draws and reports
side by side. `privacy` bounds epsilon, from a question's own draws and with what `elsewhere` finds in the rest of the
output, by the ratios in `comparisons` and `bounds`. `design` compares all counts with the stated design, by the exact
tails in `chances`. `findings` returns both verdicts.

The rule here: everything that is looked for is fixed by the manifest and the plan before the client starts, and all
tests of all questions share one risk: an honest client is refused no more often than the stated level allows.
"""
