import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerRefused } from "../src/errors.js";
import { SecureBytes } from "../src/randomness.js";
import { randomizeStrictly as randomize, verifyStrictly as verify } from "../src/strict.js";
import { FixedTestStream, KEY, publish, THREE_TO_ONE, vectors } from "./support.js";

const { key, envelope, good } = await vectors("reports");
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
  const questions = [{ id: "constructor", text: "?", type: "yes_no", mechanism: THREE_TO_ONE }];
  const odd = await verify(publish({ questions }), KEY);
  assert.throws(() => randomize(odd, {}), /constructor must be answered/);
  assert.match(randomize(odd, { constructor: true }).body, /"answers":{"constructor":[01]}}$/);
});

test("the share of kept answers is the one that the manifest states", () => {
  // 20,000 draws at p = 3/4: six standard deviations are 0.0184; a false alarm has probability 2e-9.
  const source = new FixedTestStream("share");
  let kept = 0;
  for (let i = 0; i < 20_000; i += 1) {
    kept += JSON.parse(randomize(manifest, { cheated: true, copied: false }, source).body).answers.cheated;
  }
  assert.ok(Math.abs(kept / 20_000 - 0.75) < 0.0184, String(kept));
});
