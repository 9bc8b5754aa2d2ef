/**
 * What the page reads without strict.js: the spelling is the publisher's, but nothing that privacy rests on is believed.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readDesign } from "../src/designs/index.js";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { randomize } from "../src/report.js";
import { verifyStrictly } from "../src/strict.js";
import {
  designVectors,
  envelopeOf,
  FixedTestStream,
  fieldsOf,
  KEY,
  PACKAGE,
  publish,
  THREE_TO_ONE,
  vectors,
} from "./support.js";

const PRIVACY = [
  "another key than the pinned one",
  "the signature is of other bytes",
  "the signature is damaged",
  "signed without the prefix",
  "the key names another algorithm",
  "a missing field in the envelope",
  "a number instead of a text",
  "not an object",
  "not JSON",
  "a format from the future",
  "the total epsilon is claimed too small",
  "a question's epsilon is claimed too small",
  "the odds are claimed smaller",
  "the odds are not reduced",
  "the threshold reveals the answer",
  "the threshold says nothing",
  "the threshold is negative",
  "the mechanism has another name",
  "questions that are an object",
  "NaN",
];
const PRIVACY_2 = [
  "a total that is too small",
  "a mechanism for another size",
  "Warner's design with extras",
  "an option twice",
  "extras that the channel does not know",
  "a channel for other extras",
  "a wave without its extra",
  "an unknown report",
  "too many picks",
  "padding without a limit",
  "a distribution by a channel",
];
/** Of a mechanism, only these may be spelled otherwise: they change neither the draw nor its odds. */
const SPELLING = ["extra", "unit", "values", "too many coins", "instant"];

test("every bad manifest of the vectors that privacy rests on is refused by the page, too", async () => {
  const { key, bad } = await vectors("manifests");
  const envelopes = new Map(bad.map((/** @type {any} */ { name, envelope }) => [name, envelope]));
  for (const name of PRIVACY) await assert.rejects(verify(envelopes.get(name), key), ManifestRefused, name);
  const { refused } = await vectors("manifests2");
  const payloads = new Map(refused.map((/** @type {any} */ { why, payload }) => [why, payload]));
  for (const why of PRIVACY_2) await assert.rejects(verify(envelopeOf(payloads.get(why)), KEY), ManifestRefused, why);
});

test("every dishonest mechanism of the vectors is refused by the page, too", async () => {
  for (const { name, refused } of await designVectors()) {
    for (const { mechanism, why } of refused) {
      try {
        readDesign(mechanism);
      } catch {
        continue;
      }
      const isText = typeof mechanism.size === "string";
      assert.ok(isText || SPELLING.includes(why), `${name}: ${why}`);
    }
  }
});

test("whatever is written besides, a mechanism is made of its own integers", () => {
  const more = { blank: "", extras: 2, options: 7, inputs: 2, inner: {}, permanent: {}, weights: [], draw: 0, last: 1 };
  const [plain, odd] = [readDesign(THREE_TO_ONE), readDesign({ ...more, ...THREE_TO_ONE })];
  assert.deepEqual(odd, plain);
});

test("whatever is written besides, a manifest's id and epsilon are those of its bytes", async () => {
  const { id, epsilon } = await verify(publish({ id: "0".repeat(64), units: 0 }), KEY);
  assert.notEqual(id, "0".repeat(64));
  assert.equal(String(epsilon), THREE_TO_ONE.epsilon);
});

test("a channel whose rows are not all there is refused", async () => {
  const { cases } = await vectors("channel");
  const { mechanism } = cases.find((/** @type {any} */ { mechanism }) => mechanism.values.length > 3);
  const [row, ...rows] = mechanism.table;
  const whole = BigInt(row[0]);
  for (const table of [
    rows,
    [row.slice(1), ...rows],
    [[...row, String(2n ** 64n - 1n)], ...rows],
    [row.with(0, String(-whole)), ...rows],
    [row.with(0, String(2n ** 64n)), ...rows],
    [[...row].reverse(), ...rows],
  ]) {
    assert.throws(() => readDesign({ ...mechanism, table }), String(table[0]));
  }
});

test("no field of a manifest says how many answers a part of a pair has", async () => {
  const mechanism = { name: "subset", size: 2, picks: 1, threshold: String(2n ** 63n), odds: "1:1", epsilon: "1" };
  const second = { id: "b", text: "B?", type: "yes_no" };
  const firsts = [
    { type: "number", min: "0", max: "9", report: "mean", extras: ["decline"] },
    { type: "multi_choice", options: ["x"], most: null },
  ];
  for (const fields of firsts) {
    const first = { id: "a", text: "A?", ...fields, size: 1 };
    const questions = [{ id: "p", text: "P", type: "pair", parts: [first, second], mechanism }];
    await assert.rejects(verify(publish({ questions }), KEY), ManifestRefused, first.type);
  }
});

test("who is not asked must be able to report: a question with a condition has does_not_apply", async () => {
  const asked = { id: "a", text: "A?", type: "yes_no", mechanism: THREE_TO_ONE };
  const hidden = { ...asked, id: "b", when: ["a", [true]] };
  await assert.rejects(verify(publish({ questions: [asked, hidden] }), KEY), /an answer is unknown/);
  const pair = { ...asked, type: "pair", parts: [{ ...asked, when: ["b", [true]] }, asked] };
  await assert.rejects(verify(publish({ questions: [pair] }), KEY), /an answer is unknown/);
});

test("a question that some answers could not leave is refused: a missing report would tell them", async () => {
  const half = String(2n ** 63n);
  const ball = { name: "ball", options: 3, asked: 1, agree: 1, threshold: half, odds: "1:1", epsilon: "1" };
  const wave = { name: "wave", bins: 2, half: 0, extras: 1, threshold: half, odds: "2:1", epsilon: "1" };
  const laplace = { name: "laplace", steps: 1, reach: 1, threshold: half, odds: "2:1", epsilon: "1" };
  const ticks = { type: "multi_choice", options: ["x", "y", "z"], most: null, mechanism: ball };
  const line = { type: "number", report: "distribution", min: "1", max: "9", extras: ["decline"], mechanism: wave };
  const scale = { type: "scale", report: "mean", min: 1, max: 5, mechanism: laplace };
  const publishOne = (/** @type {object} */ fields) => publish({ questions: [{ id: "a", text: "A?", ...fields }] });
  for (const fields of [ticks, line, scale]) await verify(publishOne(fields), KEY);
  for (const fields of [
    { ...ticks, options: ["x", ["y", "one"], ["y", "other"]] },
    { ...ticks, most: 1.5 },
    { ...ticks, most: 0 },
    { ...line, min: "1e0" },
    { ...line, max: "1" },
    { ...scale, min: 0.5 },
    { ...scale, min: 5 },
    { ...scale, type: "single_choice", options: [1, "x"] },
  ]) {
    await assert.rejects(verify(publishOne(fields), KEY), ManifestRefused, JSON.stringify(fields));
  }
});

test("the page draws what an app draws", async () => {
  for (const { envelope, reports } of (await vectors("reports2")).surveys.slice(0, 2)) {
    const manifests = [await verify(envelope, KEY), await verifyStrictly(envelope, KEY)];
    for (const { answers, seed, body } of reports) {
      for (const manifest of manifests) {
        assert.equal(randomize(manifest, answers, new FixedTestStream(seed)).body, body);
      }
    }
  }
});

test("an answer that is none is never drawn from", async () => {
  const manifest = await verify(publish(fieldsOf()), KEY);
  for (const cheated of [undefined, null, "decline", 1, "true", [true]]) {
    const source = new FixedTestStream("none");
    assert.throws(() => randomize(manifest, { cheated }, source), /unknown/);
    assert.equal(source.taken, 0);
  }
});

test("no two modules have the same name at their top, so that they can be joined", async () => {
  const files = (await readdir(PACKAGE, { recursive: true })).filter((path) => /^(?:src|form)\b.*\.js$/.test(path));
  const names = await Promise.all(files.map(async (path) => namesOf(await readFile(join(PACKAGE, path), "utf8"))));
  const all = names.flat();
  assert.ok(all.length > 100);
  assert.deepEqual(
    all.filter((name, i) => all.indexOf(name) !== i),
    [],
  );
});

/** @param {string} source */
function namesOf(source) {
  return [...source.matchAll(/^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)/gm)].map(
    ([, name]) => name,
  );
}
