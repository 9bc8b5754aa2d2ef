/**
 * Signed manifests that would send an answer in clear, or keep one answer from being sent, on a page that shows nothing
 * odd: each breaks one rule, and is refused before the first screen, by the page and by an app.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { verifyStrictly } from "../src/strict/verify.js";
import { KEY, publish } from "./support.js";

const THRESHOLD = String((2n ** 64n * 3n) / 4n);
const SUBSET = { name: "subset", size: 3, picks: 1, threshold: THRESHOLD, odds: "6:1", epsilon: "1.8" };
const REPEATED = { name: "repeated", size: 3, permanent: THRESHOLD, instant: THRESHOLD, odds: "6:1", epsilon: "1.8" };
const LAPLACE = { name: "laplace", steps: 1, reach: 1, threshold: String(2n ** 63n), odds: "2:1", epsilon: "1" };
const ENDLESS = { ...LAPLACE, threshold: String(2n ** 64n - 1n), odds: `${2n ** 64n}:${2n ** 64n - 1n}` };
const PANEL = { panel: "p" };

/** Write one question with two options and "prefer not to say". @param {object} changes */
function choice(changes = {}) {
  const question = {
    id: "cheated",
    text: "Did you?",
    type: "single_choice",
    options: ["Yes", "No"],
    extras: ["decline"],
  };
  return { ...question, when: null, mechanism: SUBSET, ...changes };
}

/** @param {object} changes @param {object} head */
function publishChoice(changes = {}, head = {}) {
  return publish({ ...head, questions: [choice(changes)] });
}

/** @param {number} min @param {number} max */
function publishScale(min, max) {
  const scale = { id: "a", text: "A?", type: "scale", min, max, labels: [], report: "shares", extras: ["decline"] };
  return publish({ questions: [{ ...scale, when: null, mechanism: SUBSET }] });
}

/** @param {string} min @param {string} max @param {object} mechanism */
function publishNumber(min, max, mechanism = LAPLACE) {
  const range = { id: "a", text: "A?", type: "number", min, max, report: "mean" };
  const number = { ...range, point_masses: [], extras: [], when: null };
  return publish({ questions: [{ ...number, mechanism }] });
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
  "a survey that asks half a question": publish({ ask: 0.5, questions: [choice({ id: "a" }), choice({ id: "b" })] }),
  "a survey that asks more questions than it has": publish({
    ask: 3,
    questions: [choice({ id: "a" }), choice({ id: "b" })],
  }),
  "a survey that asks nothing": publish({ questions: [] }),
  "a question without an id": publishChoice({ id: "" }),
  "a question whose id is null": publishChoice({ id: null }),
  "a question whose id is a list, which would be answered for another one": publish({
    questions: [choice(), choice({ id: ["cheated"] })],
  }),
  "a pair with a third part, which would be asked and not be sent": publish({
    questions: [
      {
        id: "pair",
        text: "All",
        type: "pair",
        parts: ["a", "b", "c"].map((id) => ({ id, text: "Did you?", type: "yes_no", extras: [] })),
        when: null,
        mechanism: { ...SUBSET, size: 4, odds: "9:1", epsilon: "3" },
      },
    ],
  }),
  "a truth that is less likely than chance": publishChoice({
    mechanism: { ...SUBSET, threshold: String(2n ** 62n), odds: "3:2" },
  }),
};

for (const [attack, envelope] of Object.entries(ATTACKS)) {
  test(`${attack} is refused by the page, and by an app`, async () => {
    await assert.rejects(verify(envelope, KEY), ManifestRefused);
    await assert.rejects(verifyStrictly(envelope, KEY), ManifestRefused);
  });
}

test("no field takes the place of what the page makes of a question: one that its type does not have is refused", async () => {
  const own = ["__proto__", "constructor", "code", "codeIn", "answers", "answersToTry", "domain", "design", "spelling"];
  for (const key of [...own, "parts", "min", "labels", "size"]) {
    const { when, mechanism, ...fields } = choice();
    for (const value of [1, [], { code: 1 }]) {
      const question = { ...fields, ...JSON.parse(`{"${key}": ${JSON.stringify(value)}}`), when, mechanism };
      assert.ok(Object.hasOwn(question, key));
      await assert.rejects(verify(publish({ questions: [question] }), KEY), ManifestRefused, key);
    }
  }
});

test("no field takes the place of what the page makes of a mechanism or a survey: it is left out, or made anew", async () => {
  const odd = JSON.parse(
    '{"__proto__": {"draw": 1}, "draw": 1, "sample": 1, "domain": {}, "weights": [], "blank": ""}',
  );
  const head = JSON.parse('{"id": "0", "constructor": 1}');
  const [plain, hostile] = [publishChoice(), publishChoice({ mechanism: { ...odd, ...SUBSET } }, head)];
  const [one, other] = [await verify(plain, KEY), await verify(hostile, KEY)];
  assert.deepEqual(other.questions[0].design, one.questions[0].design);
  assert.deepEqual([other.epsilon, other.id.length], [one.epsilon, 64]);
});

test("names that every object has are names like any other", async () => {
  for (const id of ["constructor", "toString", "__proto__"]) {
    const { questions } = await verify(publishChoice({ id, options: ["valueOf", "hasOwnProperty"] }), KEY);
    assert.deepEqual(
      questions[0].answers.map((answer) => questions[0].code(answer)),
      [0, 1, 2],
    );
    await assert.rejects(verify(publishChoice({ mechanism: { ...SUBSET, name: id } }), KEY), /mechanism is unknown/);
    await assert.rejects(verify(publishChoice({ type: id }), KEY), /type of a question is unknown/);
  }
});
