/**
 * Signed manifests that would send an answer in clear, or keep one answer from being sent, on a page that shows nothing
 * odd: each breaks one rule, and is refused before the first screen, by the page and by an app.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { verifyStrictly } from "../src/strict.js";
import { envelopeOf, fieldsOf, KEY } from "./support.js";

const THRESHOLD = String((2n ** 64n * 3n) / 4n);
const SUBSET = { name: "subset", size: 3, picks: 1, threshold: THRESHOLD, odds: "6:1", epsilon: "1.8" };
const REPEATED = { name: "repeated", size: 3, permanent: THRESHOLD, instant: THRESHOLD, odds: "6:1", epsilon: "1.8" };
const LAPLACE = { name: "laplace", steps: 1, reach: 1, threshold: String(2n ** 63n), odds: "2:1", epsilon: "1" };
const ENDLESS = { ...LAPLACE, threshold: String(2n ** 64n - 1n), odds: `${2n ** 64n}:${2n ** 64n - 1n}` };
const PANEL = { panel: "p" };

/** Publish one question with two options and "prefer not to say". @param {object} changes @param {object} head */
function publishChoice(changes = {}, head = {}) {
  const choice = {
    id: "cheated",
    text: "Did you?",
    type: "single_choice",
    options: ["Yes", "No"],
    extras: ["decline"],
  };
  const questions = [{ ...choice, mechanism: SUBSET, ...changes }];
  return publishGeneral({ ...head, questions });
}

/** @param {any} changes */
function publishGeneral({ questions, ...changes }) {
  const { questions: _, ...head } = fieldsOf();
  return envelopeOf(
    JSON.stringify({ ...head, format: "hushpoll-manifest-2", ask: null, panel: null, ...changes, questions }),
  );
}

/** @param {number} min @param {number} max */
function publishScale(min, max) {
  const scale = { id: "a", text: "A?", type: "scale", min, max, labels: [], report: "shares", extras: ["decline"] };
  return publishGeneral({ questions: [{ ...scale, mechanism: SUBSET }] });
}

/** @param {string} min @param {string} max @param {object} mechanism */
function publishNumber(min, max, mechanism = LAPLACE) {
  return publishGeneral({
    questions: [{ id: "a", text: "A?", type: "number", min, max, report: "mean", extras: [], mechanism }],
  });
}

test("without an attack, the same surveys are accepted by the page and by an app", async () => {
  const repeated = publishChoice({ mechanism: REPEATED }, PANEL);
  for (const envelope of [publishChoice(), repeated, publishScale(1, 2), publishNumber("0", "1.5")]) {
    for (const read of [verify, verifyStrictly]) assert.equal((await read(envelope, KEY)).survey, "campus");
  }
});

const ATTACKS = {
  "a doubled option, which puts the last answer outside the mechanism": publishChoice({
    options: ["Yes", "No", "Yes"],
  }),
  "an option whose id is null, which cannot be sent": publishChoice({ options: [[null, "Yes"], "No"] }),
  "an option whose id is empty, which cannot be sent": publishChoice({ options: [["", "Yes"], "No"] }),
  "a repeated question with a doubled option": publishChoice(
    { options: ["Yes", "No", "Yes"], mechanism: REPEATED },
    PANEL,
  ),
  "a repeated question that no device can remember": publishChoice({ mechanism: REPEATED }),
  "an option that is an extra": publishChoice({ options: ["Yes", "decline"] }),
  "a doubled extra": publishChoice({
    options: ["Yes", "No"],
    extras: ["decline", "decline"],
    mechanism: { ...SUBSET },
  }),
  "an extra that no page can name": publishChoice({ extras: ["toString"] }),
  "extras that are a text": publishChoice({ extras: "d" }),
  "two options that look the same": publishChoice({ options: ["Yes", ["no", "Yes\u200b"]] }),
  "an option that cannot be seen": publishChoice({ options: ["Yes", ["no", "\u2060"]] }),
  "an option whose text throws when it is shown": publishChoice({ options: ["Yes", ["no", { toString: 1 }]] }),
  "a scale of a thousand million points": publishScale(0, 1e9),
  "a scale whose points are too large to be counted": publishScale(2 ** 53, 2 ** 53 + 2),
  "a range in which no number lies": publishNumber("0", "1.5.5"),
  "a range beyond all numbers": publishNumber("0", "9".repeat(400)),
  "noise that would be drawn for ever": publishNumber("0", "1", ENDLESS),
  "a survey that asks half a question": publishGeneral({
    ask: 0.5,
    questions: [1, 2].map((i) => plainQuestion(`q${i}`)),
  }),
  "a survey that asks nothing": publishGeneral({ questions: [] }),
};

/** @param {string} id */
function plainQuestion(id) {
  return {
    id,
    text: "Did you?",
    type: "single_choice",
    options: ["Yes", "No"],
    extras: ["decline"],
    mechanism: SUBSET,
  };
}

for (const [attack, envelope] of Object.entries(ATTACKS)) {
  test(`${attack} is refused by the page, and by an app`, async () => {
    await assert.rejects(verify(envelope, KEY), ManifestRefused);
    await assert.rejects(verifyStrictly(envelope, KEY), ManifestRefused);
  });
}

test("fields of a manifest take the place of nothing that the page makes of a question", async () => {
  const hostile = JSON.parse('{"__proto__": {"code": 1}, "code": 1, "encode": 1, "fits": 1, "answers": [], "size": 9}');
  const { questions } = await verify(publishChoice({ ...hostile, parts: [{}], design: {} }), KEY);
  assert.deepEqual([questions[0].size, questions[0].parts, questions[0].code("No")], [3, undefined, 1]);
});

test("names that every object has are names like any other", async () => {
  for (const id of ["constructor", "toString", "__proto__"]) {
    const { questions } = await verify(publishChoice({ id, options: ["valueOf", "hasOwnProperty"] }), KEY);
    assert.deepEqual(
      questions[0].answers.map((answer) => questions[0].code(answer)),
      [0, 1, 2],
    );
    await assert.rejects(verify(publishChoice({ mechanism: { ...SUBSET, name: id } }), KEY), /unknown/);
  }
});
