/** The types of questions: what can be answered, what a manifest must say of them, and what nobody knows. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { AnswerRefused, InvalidValue, ManifestRefused } from "../src/errors.js";
import { QUESTION_TYPES, readQuestion } from "../src/question_types/index.js";
import { YesNo } from "../src/question_types/yes_no.js";
import { randomizeStrictly as randomize } from "../src/strict/randomize.js";
import { verifyStrictly as verify } from "../src/strict/verify.js";
import { wantsOf } from "../src/strict/wants.js";
import { envelopeOf, FixedTestStream, KEY, PACKAGE, surveyOfVectors, vectors, yesNo } from "./support.js";

const { payloads } = await vectors("manifests");
const { refused_answers: refusedAnswers } = await vectors("reports");
const EVERYTHING = JSON.parse(payloads.good[0]);
const SURVEY = await surveyOfVectors("everything");
const MANIFEST = await verify(SURVEY.envelope, KEY);
const [{ answers: ANSWERS }] = SURVEY.reports;

/**
 * Publish the survey of every type with other fields of a question.
 * @param {string} id @param {Record<string, unknown>} changes
 */
function withQuestion(id, changes) {
  const questions = EVERYTHING.questions.map((/** @type {any} */ question) =>
    question.id === id ? { ...question, ...changes } : question,
  );
  return envelopeOf(JSON.stringify({ ...EVERYTHING, questions }));
}

test("every type has a module of its name, and every module of a type is in the list", async () => {
  const shared = ["choice", "index", "options", "question"];
  const files = (await readdir(join(PACKAGE, "src", "question_types"))).map((file) => file.replace(".js", ""));
  assert.deepEqual(
    files.filter((name) => !shared.includes(name)).sort(),
    QUESTION_TYPES.map(({ NAME }) => NAME).sort(),
  );
});

test("every type is asked in the vectors, and is made by its own class", () => {
  for (const questionType of QUESTION_TYPES) {
    const asked = MANIFEST.questions.filter(({ type }) => type === questionType.NAME);
    assert.ok(asked.length > 0, questionType.NAME);
    assert.ok(asked.every((question) => question instanceof questionType));
  }
});

test("an unknown type is refused with the cure, whatever its name, and so is a part of a pair", () => {
  const message = /type of a question is unknown: update Hushpoll/;
  for (const type of ["essay", "toString", "__proto__", "", null, 1, ["yes_no"]]) {
    assert.throws(() => readQuestion(yesNo({ type })), message);
  }
  const pair = EVERYTHING.questions.find((/** @type {any} */ { type }) => type === "pair");
  const [first] = pair.parts;
  for (const type of ["essay", "multi_choice", "number", "pair"]) {
    assert.throws(() => readQuestion({ ...pair, parts: [first, { ...first, id: "b", type }] }), message);
  }
});

test("every answer is tried: one whose code is not in the domain is found before anybody is asked", (context) => {
  assert.ok(readQuestion(yesNo()));
  for (const code of [2, -1, undefined, "0"]) {
    const broken = context.mock.method(YesNo.prototype, "code", () => code);
    assert.throws(() => readQuestion(yesNo()), InvalidValue);
    broken.mock.restore();
  }
});

test("the words of an error are there for every type, and a type without them is told", () => {
  for (const question of MANIFEST.questions.flatMap((each) => each.parts ?? [each])) {
    assert.ok(wantsOf(question).length > 5);
  }
  assert.throws(() => wantsOf(/** @type {any} */ ({ type: "essay", extras: [] })), InvalidValue);
});

test("answers that do not fit are refused before anything is drawn, without repeating them", () => {
  assert.ok(refusedAnswers.length > 20);
  for (const answers of refusedAnswers) {
    const source = new FixedTestStream("none");
    assert.throws(() => randomize(MANIFEST, answers, source), AnswerRefused, JSON.stringify(answers));
    assert.equal(source.taken, 0);
  }
});

test("a message says what an app must answer with, never what it did", () => {
  for (const [id, wants] of [
    ["cheated", "true or false"],
    ["asked", 'true or false, or null, or "does_not_apply"'],
    ["way", "the id of an option (1, 0, car, on foot), or null"],
    ["stress", "a whole number from -1 to 4"],
    ["ways", 'a list of ids of options, each once (1, 0, car, on foot), or null, or "does_not_apply"'],
    ["few", "a list of at most 2 ids of options, each once (1, 0, car, on foot)"],
    ["hours", "a finite number (beyond 0 and 40 it counts as these)"],
    ["colour", "the id of an option (red, green, blue)"],
  ]) {
    assert.throws(
      () => randomize(MANIFEST, { ...ANSWERS, [id]: "canary" }),
      (error) =>
        error instanceof AnswerRefused &&
        error.message.endsWith(`the question ${id} must be answered with ${wants}`) &&
        !error.message.includes("canary"),
      id,
    );
  }
  assert.throws(
    () => randomize(MANIFEST, { ...ANSWERS, canary: 1 }),
    /only these questions are asked: cheated, asked, way,.* smokes, colour$/,
  );
});

test("a missing answer and undefined mean prefer not to say, where that can be said", () => {
  const { way, ...rest } = ANSWERS;
  const bodies = [rest, { ...rest, way: null }, { ...rest, way: undefined }, { ...rest, way: "decline" }].map(
    (given) => randomize(MANIFEST, given, new FixedTestStream("decline")).body,
  );
  assert.equal(typeof way, "string");
  assert.equal(new Set(bodies).size, 1);
});

test("what a question cannot have is refused", async () => {
  const option = (/** @type {unknown} */ id) => ({ options: [[id, "Text"], ["1", "x"], ["2", "y"], "on foot"] });
  for (const [id, changes] of /** @type {[string, Record<string, unknown>][]} */ ([
    ["way", { options: ["a"] }],
    ["way", { options: "abcd" }],
    ["way", option("1")],
    ["way", option("Text")],
    ["way", option("decline")],
    ["way", option("-")],
    ["way", option("")],
    ["way", option(" ")],
    ["way", option("a\nb")],
    ["way", option("\x85")],
    ["way", option("\ud800")],
    ["way", option("x".repeat(201))],
    ["way", option(1)],
    ["way", { options: [["a", "b", "c"], "x", "y", "z"] }],
    ["way", { extras: ["decline", "decline"] }],
    ["way", { extras: [["decline"]] }],
    ["way", { extras: "decline" }],
    ["way", { extras: null }],
    ["way", { type: "toString" }],
    ["way", { type: "yes_no" }],
    ["stress", { min: "-1" }],
    ["stress", { min: 4 }],
    ["stress", { max: 1000 }],
    ["stress", { min: 1e9 + 1, max: 1e9 + 6, labels: [] }],
    [
      "stress",
      {
        labels: [
          [4, "much"],
          [-1, "none"],
        ],
      },
    ],
    [
      "stress",
      {
        labels: [
          [4, "much"],
          [4, "more"],
        ],
      },
    ],
    ["stress", { labels: [[5, "much"]] }],
    ["stress", { labels: [[-1, ""]] }],
    ["stress", { labels: [[-1, "none", "more"]] }],
    ["stress", { labels: [-1] }],
    ["stress", { labels: null }],
    ["stress", { report: "sum" }],
    ["stress", { report: "mean" }],
    ["asked", { labels: [["decline", "no"]] }],
    ["pain", { extras: ["decline"] }],
    ["pain", { report: "shares" }],
    ["pain", { max: 3 }],
    ["ways", { most: 5 }],
    ["ways", { most: 0 }],
    ["ways", { most: 1.5 }],
    ["few", { most: null }],
    ["few", { most: 3 }],
    ["hours", { min: "40" }],
    ["hours", { min: "00" }],
    ["hours", { min: "-0" }],
    ["hours", { min: "0.10" }],
    ["hours", { min: 0 }],
    ["hours", { report: "distribution" }],
    ["hours", { report: "sum" }],
    ["hours", { extras: ["decline"] }],
    ["hours", { mechanism: { name: "toString" } }],
    ["hours", { mechanism: null }],
  ])) {
    await assert.rejects(verify(withQuestion(id, changes), KEY), ManifestRefused, `${id} ${JSON.stringify(changes)}`);
  }
  const longest = withQuestion("way", option("🙂".repeat(200)));
  assert.ok(await verify(longest, KEY));
});

test("parts of a pair are answered by their own ids, which nobody else may have", async () => {
  const pair = EVERYTHING.questions.find((/** @type {any} */ { type }) => type === "pair");
  const [first, second] = pair.parts;
  const mean = { id: "b", text: "B?", type: "scale", min: 1, max: 3, labels: [], report: "mean", extras: [] };
  for (const parts of [
    [first],
    [first, first],
    [first, second, second],
    [first, second, { ...second, id: "third" }],
    [first, { ...second, id: null }],
    [first, { ...second, id: "cheated" }],
    [first, pair],
    [first, null],
    [first, mean],
    null,
  ]) {
    await assert.rejects(verify(withQuestion(pair.id, { parts }), KEY), ManifestRefused, JSON.stringify(parts));
  }
  assert.ok(await verify(withQuestion(pair.id, { parts: [first, { ...mean, report: "shares" }] }), KEY));
});
