/** Reports: the same bytes as in Python, from the same stream, whatever is asked. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { AnswerRefused, InvalidValue } from "../src/errors.js";
import { derive } from "../src/permanent.js";
import { SecureBytes } from "../src/randomness.js";
import { randomizeStrictly as randomize } from "../src/strict/randomize.js";
import { verifyStrictly as verify } from "../src/strict/verify.js";
import { FixedTestStream, KEY, publish, surveyOfVectors, vectors, yesNo } from "./support.js";

const { key, envelope, good, surveys } = await vectors("reports");
const manifest = await verify(envelope, key);

/** Write down how many bytes are taken at a time. */
class CountingSource extends FixedTestStream {
  /** @type {number[]} */
  counts = [];

  /** @param {number} count */
  take(count) {
    this.counts.push(count);
    return super.take(count);
  }
}

/**
 * Return the memory of a device with this secret, or of one that has none: that takes one from the stream, after the
 * id.
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

test("the same stream gives the bytes of the vectors", () => {
  for (const { seed, answers, body } of good) {
    const report = randomize(manifest, answers, new FixedTestStream(seed));
    assert.equal(report.body, body);
    assert.equal(report.id, JSON.parse(body).id);
  }
});

test("the number and order of the bytes do not depend on the answers, nor on their order", () => {
  const all = [true, false].flatMap((cheated) => [true, false].map((copied) => ({ cheated, copied })));
  for (const answers of [...all, { copied: true, cheated: false }]) {
    const source = new CountingSource("count");
    randomize(manifest, answers, source);
    assert.deepEqual(source.counts, [16, 8, 8]);
  }
});

test("the order in which answers are given does not show", () => {
  const one = randomize(manifest, { cheated: true, copied: false }, new FixedTestStream("order"));
  const other = randomize(manifest, { copied: false, cheated: true }, new FixedTestStream("order"));
  assert.equal(one.body, other.body);
});

test("all reports have the same length", () => {
  const source = new SecureBytes();
  const lengths = Array.from({ length: 200 }, (_, i) =>
    randomize(manifest, { cheated: i % 2 === 0, copied: i % 3 === 0 }, source),
  );
  assert.equal(new Set(lengths.map(({ body }) => body.length)).size, 1);
});

test("a report is frozen and every call is a new draw", () => {
  const answers = { cheated: true, copied: false };
  const report = randomize(manifest, answers);
  assert.ok(Object.isFrozen(report));
  assert.notEqual(report.id, randomize(manifest, answers).id);
});

test("answers that do not fit are refused before anything is drawn, by the question's name and never by the answer", () => {
  const bad = [
    [{}, /cheated must be answered with true or false/],
    [{ cheated: true }, /copied must be answered with true or false/],
    [{ cheated: null, copied: true }, /cheated must be answered with true or false/],
    [{ cheated: true, copied: undefined }, /copied must be answered with true or false/],
    [{ cheated: "canary", copied: true }, /cheated must be answered with true or false/],
    [{ cheated: 1, copied: true }, /cheated must be answered with true or false/],
    [{ cheated: true, copied: ["canary"] }, /copied must be answered with true or false/],
    [{ cheated: true, copied: true, canary: true }, /only these questions are asked: cheated, copied/],
    [Object.create({ cheated: true, copied: true }), /cheated must be answered with true or false/],
    [[true, false], /must be an object/],
    [null, /must be an object/],
    ["canary", /must be an object/],
  ];
  for (const [answers, message] of bad) {
    const source = new CountingSource("none");
    assert.throws(
      () => randomize(manifest, answers, source),
      (error) =>
        error instanceof AnswerRefused &&
        /** @type {RegExp} */ (message).test(error.message) &&
        !error.message.includes("canary"),
    );
    assert.deepEqual(source.counts, []);
  }
});

test("a question may have the name of something that every object has", async () => {
  const odd = await verify(publish({ questions: [yesNo({ id: "constructor" })] }), KEY);
  assert.throws(() => randomize(odd, {}), /constructor must be answered/);
  assert.match(randomize(odd, { constructor: true }).body, /"answers":{"constructor":"[01]"}}$/);
});

test("the share of kept answers is the one that the manifest states", () => {
  // 20,000 draws at p = 3/4: six standard deviations are 0.0184; a false alarm has probability 2e-9.
  const source = new FixedTestStream("share");
  let kept = 0;
  for (let i = 0; i < 20_000; i += 1) {
    kept += Number(JSON.parse(randomize(manifest, { cheated: true, copied: false }, source).body).answers.cheated);
  }
  assert.ok(Math.abs(kept / 20_000 - 0.75) < 0.0184, String(kept));
});

test("reports to every kind of survey are those of the vectors, and so are the bytes they take", async () => {
  // Among them one whose repeated question is shown only sometimes: its permanent draws do not look at that.
  assert.deepEqual(
    surveys.map((/** @type {any} */ { name }) => name),
    ["everything", "some", "panel", "shown"],
  );
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

test("all reports to any survey have the same length, whatever is answered and asked", async () => {
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

test("the number and order of the bytes do not depend on the answers to questions of any type", async () => {
  const { envelope, reports } = await surveyOfVectors("everything");
  const manifest = await verify(envelope, key);
  for (let i = 0; i < 40; i += 1) {
    /** @type {number[][]} */
    const all = reports.map((/** @type {any} */ { answers }) => {
      const source = new CountingSource(`bytes-${i}`);
      randomize(manifest, answers, source);
      return source.counts;
    });
    for (const counts of all) assert.deepEqual(counts, all[0]);
  }
});

test("a survey in waves cannot be randomized without a memory", async () => {
  const manifest = await verify((await surveyOfVectors("panel")).envelope, key);
  assert.throws(() => randomize(manifest, { mood: true, sure: false }), InvalidValue);
});

test("of a survey that asks some questions, each is asked equally often", async () => {
  const { envelope, reports } = await surveyOfVectors("some");
  const manifest = await verify(envelope, key);
  const source = new FixedTestStream("ask");
  const counts = new Map(manifest.questions.map(({ id }) => [id, 0]));
  for (let i = 0; i < 3000; i += 1) {
    const draws = Object.entries(JSON.parse(randomize(manifest, reports[0].answers, source).body).answers);
    const asked = draws.filter(([, draw]) => !/^-+$/.test(draw));
    assert.equal(asked.length, 1);
    counts.set(asked[0][0], Number(counts.get(asked[0][0])) + 1);
  }
  // 3,000 draws at p = 1/3: six standard deviations are 155; a false alarm has probability 1e-8.
  for (const count of counts.values()) assert.ok(Math.abs(count - 1000) < 155, String(count));
});

test("only what was asked is charged", async () => {
  const { envelope, reports } = await surveyOfVectors("some");
  const manifest = await verify(envelope, key);
  for (const { answers, seed } of reports) {
    const report = randomize(manifest, answers, new FixedTestStream(seed));
    const draws = JSON.parse(report.body).answers;
    const asked = manifest.questions.find(({ id }) => !/^-+$/.test(draws[id]));
    assert.deepEqual(report.charge([]), { epsilon: String(asked?.design.epsilon) });
  }
});
