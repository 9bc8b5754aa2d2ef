"""Test a client's privacy from outside: answers in, reports out, and what the reports give away about the answers.

The client is a black box, in any language. `inputs` chooses contrasting answers, `events` what to look for in reports,
`run` feeds the client and counts, `bounds` turns counts into bounds on epsilon, and `findings` returns the verdict.

The rule here: inputs and events depend on the manifest alone, never on what the client did; all bounds of all questions
hold together with the stated level; a client that keeps its claim is called violated no more often than that allows.
"""
