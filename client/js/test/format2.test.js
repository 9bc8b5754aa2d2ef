import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { AnswerRefused, InvalidValue, ManifestRefused } from "../src/errors.js";
import { derive } from "../src/permanent.js";
import { SecureBytes } from "../src/randomness.js";
import { randomizeStrictly as randomize, verifyStrictly as verify } from "../src/strict.js";
import { envelopeOf, FixedTestStream, fieldsOf, KEY, vectors } from "./support.js";

const { good, refused } = await vectors("manifests2");
const { key, surveys, refused_answers: refusedAnswers } = await vectors("reports2");
const GOOD = JSON.parse(good[0]);

/** @param {unknown} fields */
function verifyFields(fields) {
  return verify(envelopeOf(JSON.stringify(fields)), KEY);
}

/**
 * Give the memory of a device with this secret, or of one that has none: that takes one from the stream, after the id.
 * @param {any} manifest @param {string | null} secret @param {string} seed
 */
async function recallWith(manifest, secret, seed) {
  if (manifest.panel === null) return undefined;
  const stream = new FixedTestStream(seed);
  stream.take(16);
  const key = secret === null ? stream.take(32) : Buffer.from(secret, "hex");
  const memory = await derive(manifest, (text) => createHmac("sha256", key).update(text).digest());
  return (/** @type {import("../src/types.js").ByteSource} */ source) => {
    if (secret === null) source.take(32);
    return memory;
  };
}

/** Exchange the fields of a question of the good manifest. @param {string} id @param {Record<string, unknown>} changes */
function withQuestion(id, changes) {
  const questions = GOOD.questions.map((/** @type {any} */ question) =>
    question.id === id ? { ...question, ...changes } : question,
  );
  return { ...GOOD, questions };
}

test("every good manifest of the vectors is accepted, and frozen", async () => {
  for (const payload of good) {
    const manifest = await verify(envelopeOf(payload), KEY);
    assert.equal(String(manifest.epsilon), JSON.parse(payload).epsilon);
    assert.equal(manifest.questions.length, JSON.parse(payload).questions.length);
    for (const question of manifest.questions) {
      assert.ok(Object.isFrozen(question) && Object.isFrozen(question.design), question.id);
      for (const value of Object.values(question)) assert.ok(Object.isFrozen(value), question.id);
    }
  }
});

test("every bad manifest of the vectors is refused", async () => {
  assert.ok(refused.length > 20);
  for (const { payload, why } of refused) {
    await assert.rejects(verify(envelopeOf(payload), KEY), ManifestRefused, why);
  }
});

test("reports from the same stream are those of the vectors, and so are the bytes they take", async () => {
  for (const { envelope, id, epsilon, reports } of surveys) {
    const manifest = await verify(envelope, key);
    assert.equal(manifest.id, id);
    assert.equal(String(manifest.epsilon), epsilon);
    for (const { answers, seed, secret, body, bytes, memos } of reports) {
      const source = new FixedTestStream(seed);
      const report = randomize(manifest, answers, source, await recallWith(manifest, secret, seed));
      assert.equal(report.body, body);
      assert.equal(source.taken, bytes);
      if (secret) assert.deepEqual(report.charge([]).memos, Object.values(memos));
    }
  }
});

test("answers that do not fit are refused before anything is drawn, without repeating them", async () => {
  const manifest = await verify(surveys[0].envelope, key);
  assert.ok(refusedAnswers.length > 20);
  for (const answers of refusedAnswers) {
    const source = new FixedTestStream("none");
    assert.throws(() => randomize(manifest, answers, source), AnswerRefused, JSON.stringify(answers));
    assert.equal(source.taken, 0);
  }
});

test("a message says what an app must answer with, never what it did", async () => {
  const manifest = await verify(surveys[0].envelope, key);
  const [{ answers }] = surveys[0].reports;
  for (const [id, wants] of [
    ["cheated", "true or false"],
    ["asked", 'true or false, or null, or "does_not_apply"'],
    ["way", "the id of an option, or null"],
    ["stress", "a whole number from -1 to 4"],
    ["ways", 'a list of ids of options, each once, or null, or "does_not_apply"'],
    ["few", "a list of at most 2 ids of options, each once"],
    ["hours", "a number"],
    ["colour", "the id of an option"],
  ]) {
    assert.throws(
      () => randomize(manifest, { ...answers, [id]: "canary" }),
      (error) =>
        error instanceof AnswerRefused &&
        error.message.endsWith(`the question ${id} must be answered with ${wants}`) &&
        !error.message.includes("canary"),
      id,
    );
  }
  assert.throws(
    () => randomize(manifest, { ...answers, canary: 1 }),
    /only these questions are asked: cheated, asked, way,.* smokes, colour$/,
  );
});

test("a missing answer and undefined mean prefer not to say, where that can be said", async () => {
  const manifest = await verify(surveys[0].envelope, key);
  const [{ answers }] = surveys[0].reports;
  const { way, ...rest } = answers;
  const bodies = [rest, { ...rest, way: null }, { ...rest, way: undefined }, { ...rest, way: "decline" }].map(
    (given) => randomize(manifest, given, new FixedTestStream("decline")).body,
  );
  assert.equal(typeof way, "string");
  assert.equal(new Set(bodies).size, 1);
});

test("all reports have the same length, whatever is answered and asked", async () => {
  for (const { envelope, reports } of surveys) {
    const manifest = await verify(envelope, key);
    const source = new SecureBytes();
    const recall = await recallWith(manifest, null, "lengths");
    const lengths = Array.from({ length: 100 }, (_, i) => {
      const { answers } = reports[i % reports.length];
      return randomize(manifest, answers, source, recall).body.length;
    });
    assert.equal(new Set(lengths).size, 1);
  }
});

test("the number and order of the bytes do not depend on the answers", async () => {
  const { envelope, reports } = surveys[0];
  const manifest = await verify(envelope, key);
  for (let i = 0; i < 40; i += 1) {
    /** @type {number[][]} */
    const all = reports.map((/** @type {any} */ { answers }) => {
      /** @type {number[]} */
      const counts = [];
      const stream = new FixedTestStream(`bytes-${i}`);
      const take = (/** @type {number} */ count) => {
        counts.push(count);
        return stream.take(count);
      };
      randomize(manifest, answers, { take });
      return counts;
    });
    for (const counts of all) assert.deepEqual(counts, all[0]);
  }
});

test("a survey in waves cannot be randomized without a memory", async () => {
  const manifest = await verify(surveys[2].envelope, key);
  assert.throws(() => randomize(manifest, { mood: true, sure: false }), InvalidValue);
});

test("of a survey that asks some questions, each is asked equally often", async () => {
  const manifest = await verify(surveys[1].envelope, key);
  const source = new FixedTestStream("ask");
  const counts = new Map(manifest.questions.map(({ id }) => [id, 0]));
  for (let i = 0; i < 3000; i += 1) {
    const draws = Object.entries(JSON.parse(randomize(manifest, surveys[1].reports[0].answers, source).body).answers);
    const asked = draws.filter(([, draw]) => !/^-+$/.test(draw));
    assert.equal(asked.length, 1);
    counts.set(asked[0][0], Number(counts.get(asked[0][0])) + 1);
  }
  // 3,000 draws at p = 1/3: six standard deviations are 155; a false alarm has probability 1e-8.
  for (const count of counts.values()) assert.ok(Math.abs(count - 1000) < 155, String(count));
});

test("only what was asked is charged", async () => {
  const manifest = await verify(surveys[1].envelope, key);
  for (const { answers, seed } of surveys[1].reports) {
    const report = randomize(manifest, answers, new FixedTestStream(seed));
    const draws = JSON.parse(report.body).answers;
    const asked = manifest.questions.find(({ id }) => !/^-+$/.test(draws[id]));
    assert.deepEqual(report.charge([]), { epsilon: String(asked?.design.epsilon) });
  }
});

test("a plain survey has one spelling: format 1", async () => {
  const { questions, ...head } = fieldsOf();
  const plain = questions.map(({ mechanism, ...rest }) => ({ ...rest, extras: [], mechanism }));
  const fields = { ...head, format: "hushpoll-manifest-2", ask: null, panel: null, questions: plain };
  await assert.rejects(verifyFields(fields), /written in format 1/);
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
    ["way", { extras: ["decline", "decline"] }],
    ["way", { extras: [["decline"]] }],
    ["way", { extras: null }],
    ["way", { type: "toString" }],
    ["way", { type: "yes_no" }],
    ["stress", { min: "-1" }],
    ["stress", { min: 4 }],
    ["stress", { max: 1000 }],
    [
      "stress",
      {
        labels: [
          [4, "much"],
          [-1, "none"],
        ],
      },
    ],
    ["stress", { labels: [[5, "much"]] }],
    ["stress", { labels: [[-1, ""]] }],
    ["stress", { labels: [-1] }],
    ["stress", { report: "sum" }],
    ["stress", { report: "mean" }],
    ["pain", { extras: ["decline"] }],
    ["pain", { report: "shares" }],
    ["pain", { max: 3 }],
    ["ways", { most: 5 }],
    ["ways", { most: 0 }],
    ["few", { most: null }],
    ["few", { most: 3 }],
    ["hours", { min: "40" }],
    ["hours", { min: "00" }],
    ["hours", { min: "-0" }],
    ["hours", { min: "0.10" }],
    ["hours", { min: 0 }],
    ["hours", { report: "distribution" }],
    ["hours", { extras: ["decline"] }],
    ["hours", { mechanism: { name: "toString" } }],
    ["hours", { mechanism: null }],
  ])) {
    await assert.rejects(verifyFields(withQuestion(id, changes)), ManifestRefused, `${id} ${JSON.stringify(changes)}`);
  }
  const longest = withQuestion("way", option("🙂".repeat(200)));
  assert.ok(await verifyFields(longest));
});

test("parts of a pair are answered by their own ids, which nobody else may have", async () => {
  const pair = GOOD.questions.find((/** @type {any} */ { type }) => type === "pair");
  const [first, second] = pair.parts;
  for (const parts of [[first], [first, first], [first, { ...second, id: "cheated" }], [first, pair], [first, null]]) {
    await assert.rejects(verifyFields(withQuestion(pair.id, { parts })), ManifestRefused, JSON.stringify(parts));
  }
});

test("a large manifest of format 2 is read, one that is too large is not", async () => {
  const consent = "x".repeat(10_000);
  const many = Array.from({ length: 90 }, (_, i) => ({ ...GOOD.questions[0], id: `q${i}`, text: "🙂".repeat(10_000) }));
  const questions = [...GOOD.questions, ...many];
  const fields = { ...GOOD, consent, epsilon: "400", questions };
  assert.ok(JSON.stringify(fields).length > 1_000_000);
  assert.equal((await verifyFields(fields)).questions.length, questions.length);
  const more = many.map(({ id, ...rest }) => ({ ...rest, id: `${id}-more` }));
  await assert.rejects(verifyFields({ ...fields, questions: [...questions, ...more] }), /too large/);
});
