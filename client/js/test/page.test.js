/**
 * What the page reads without the strict readers: the spelling is the publisher's, but nothing that privacy rests on is
 * believed.
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { readDesign } from "../src/mechanisms/index.js";
import { randomize } from "../src/report.js";
import { verifyStrictly } from "../src/strict/verify.js";
import { checkLaw } from "./law.js";
import {
  envelopeOf,
  FixedTestStream,
  fieldsOf,
  KEY,
  mechanismVectors,
  PACKAGE,
  publish,
  THREE_TO_ONE,
  vectors,
  yesNo,
} from "./support.js";

/**
 * The bad manifests of the vectors that are bad by their spelling alone. Of these the page may accept any: they leave
 * every answer where it is. All others touch the domain or the odds, and so does every one that will be added.
 */
const SPELLING_OF_MANIFESTS = {
  envelopes: [
    "an extra field in the envelope",
    "the mechanism has an extra field",
    "a question id that JavaScript would reorder",
    "a negative population",
    "a population that is true",
    "a day that does not exist",
    "a local time",
    "closing before opening",
    "white space in the payload",
    "a key twice",
    "keys in another order",
    "an escape where none is needed",
    "an unknown key",
    "a missing key",
    "a fraction",
    "half a character",
    "not UTF-8",
    "a byte order mark",
  ],
  payloads: [
    "an option whose id is its text, written twice",
    "a label outside the scale",
    "labels in the wrong order",
    "translations without a language",
    "a translation into the survey's own language",
    "translations that are a list",
    "too many translations",
    "a key too many of the survey",
    "translations in another order",
    "a translation whose tag is none",
    "a translation with its keys in another order",
    "a translation with a key too many",
    "a translated title of spaces",
    "a translation with an unknown question",
    "a translation with its questions in another order",
    "a translation with a part before its pair",
    "a translated question whose text is too long",
    "a translated question with a key too many",
    "a translated question with its options first",
    "a question without when",
    "a question with when after its mechanism",
    "when with three things",
    "when with an answer twice",
    "when with more answers than can be listed",
    // Labels are public: they are left to the signature, except for their number, and that they can be told apart.
    "groups that are null",
    "groups that are a list",
    "groups without the smallest",
    "a smallest group of 0",
    "a smallest group that is true",
    "a smallest group that is a text",
    "a smallest group that is too large",
    "no dimension",
    "a dimension with a key too many",
    "a dimension without a text",
    "a dimension whose name is none",
    "a dimension with the id of a question",
    "two dimensions of one name",
    "a dimension with one label",
    "a label that is a text",
    "a label of three",
    "a label whose name is none",
    "a label whose name is a number",
    "a label with the name of another dimension's",
    "a label with the name of a dimension",
    "a translation without one label",
    "a translation with labels in another order",
    "a translation with no label",
    "a translation whose groups are null",
    "translated groups without groups",
  ],
};
/** Who may embed the page, the name of its own language and most of who asks are left to the signature. */
const NOT_OF_THE_PAGE =
  /^(?:a host |hosts |too many hosts|a language |an empty language|about as (?!a script|a page by http|null))/;
/** Of a mechanism, only these may be spelled otherwise: they change neither the draw nor its odds. */
const SPELLING = ["extra", "unit", "values"];

/** Return every bad manifest. @type {Record<string, () => Promise<[why: string, envelope: string][]>>} */
const BAD_MANIFESTS = {
  envelopes: async () => {
    const { bad } = await vectors("manifests");
    return bad.map((/** @type {any} */ { name, envelope }) => [name, envelope]);
  },
  payloads: async () => {
    const { refused } = (await vectors("manifests")).payloads;
    return refused.map((/** @type {any} */ { why, payload }) => [
      // A question with a key too many is refused.
      "note" in JSON.parse(payload) ? `${why} of the survey` : why,
      envelopeOf(payload),
    ]);
  },
};

for (const [kind, spelling] of Object.entries(SPELLING_OF_MANIFESTS)) {
  test(`${kind}: every bad manifest of the vectors that touches the domain or the odds is refused by the page, too`, async () => {
    const touching = (await BAD_MANIFESTS[kind]()).filter(
      ([why]) => !spelling.includes(why) && !NOT_OF_THE_PAGE.test(why),
    );
    assert.ok(touching.length > 20);
    for (const [why, envelope] of touching) await assert.rejects(verify(envelope, KEY), ManifestRefused, why);
  });

  test(`${kind}: what the page accepts of another spelling keeps the law of the page`, async () => {
    const all = new Map(await BAD_MANIFESTS[kind]());
    assert.deepEqual(
      spelling.filter((why) => !all.has(why)),
      [],
    );
    for (const [i, why] of spelling.entries()) {
      const envelope = String(all.get(why));
      const payload = new TextDecoder().decode(Buffer.from(JSON.parse(envelope).payload, "base64url"));
      checkLaw(await verify(envelope, KEY), JSON.parse(payload), i);
    }
  });
}

test("every dishonest mechanism of the vectors is refused by the page, too", async () => {
  for (const { name, refused } of await mechanismVectors()) {
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
  const more = {
    blank: "",
    extras: 2,
    options: 7,
    inputs: 2,
    inner: {},
    remembered: {},
    weights: [],
    draw: 0,
    last: 1,
  };
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

test("only questions of which one answer is true are parts of a pair", async () => {
  const mechanism = { ...THREE_TO_ONE, size: 4, odds: "9:1", epsilon: "3" };
  const second = { id: "b", text: "B?", type: "yes_no", extras: [] };
  const publishPair = (/** @type {object} */ first) => {
    const parts = [{ id: "a", text: "A?", ...first }, second];
    return publish({ questions: [{ id: "p", text: "P", type: "pair", parts, when: null, mechanism }] });
  };
  await verify(publishPair({ type: "yes_no", extras: [] }), KEY);
  const firsts = [
    { type: "number", min: "0", max: "9", report: "mean", point_masses: [], extras: ["decline"] },
    { type: "multi_choice", options: ["x", "y"], most: null, extras: [] },
    { type: "scale", min: 1, max: 2, labels: [], report: "mean", point_masses: [], extras: [] },
  ];
  for (const first of firsts) {
    for (const size of [{}, { size: 1 }, { size: 2 }]) {
      await assert.rejects(verify(publishPair({ ...first, ...size }), KEY), ManifestRefused, first.type);
    }
  }
});

test("who is not asked must be able to report: a question with a condition has does_not_apply", async () => {
  const hidden = yesNo({ id: "b", when: ["cheated", [true]] });
  await assert.rejects(verify(publish({ questions: [yesNo(), hidden] }), KEY), ManifestRefused);
  const mechanism = { ...THREE_TO_ONE, size: 3, odds: "6:1", epsilon: "2" };
  const sound = { ...hidden, extras: ["does_not_apply"], mechanism };
  await verify(publish({ questions: [yesNo(), sound] }), KEY);
  const { mechanism: _, ...part } = hidden;
  const parts = [part, { id: "c", text: "C?", type: "yes_no", extras: [] }];
  const four = { ...THREE_TO_ONE, size: 4, odds: "9:1", epsilon: "3" };
  const pair = { id: "p", text: "P", type: "pair", parts, when: null, mechanism: four };
  await assert.rejects(verify(publish({ questions: [yesNo(), pair] }), KEY), ManifestRefused);
});

test("a question that some answers could not leave is refused: a missing report would tell them", async () => {
  const threshold = THREE_TO_ONE.threshold;
  const ball = { name: "ball", options: 3, asked: 1, agree: 1, threshold, odds: "3:1", epsilon: "2" };
  const wave = { name: "square_wave", bins: 2, half: 0, extras: 1, threshold, odds: "6:1", epsilon: "2" };
  const laplace = { name: "laplace", steps: 1, reach: 1, threshold: String(2n ** 63n), odds: "2:1", epsilon: "1" };
  const ticks = { type: "multi_choice", options: ["x", "y", "z"], most: null, extras: [], mechanism: ball };
  const range = { type: "number", min: "1", max: "9", report: "distribution" };
  const line = { ...range, point_masses: [], extras: ["decline"], mechanism: wave };
  const scale = { type: "scale", min: 1, max: 5, labels: [], report: "mean", extras: [], mechanism: laplace };
  const publishOne = (/** @type {object} */ fields) => publish({ questions: [{ id: "a", text: "A?", ...fields }] });
  for (const fields of [ticks, line, scale]) await verify(publishOne(fields), KEY);
  for (const fields of [
    { ...ticks, options: ["x", ["y", "one"], ["y", "other"]] },
    { ...ticks, most: 1.5 },
    { ...ticks, most: 0 },
    { ...line, min: "1e0" },
    { ...line, max: "1" },
    { ...line, extras: [] },
    { ...line, report: "mean" },
    { ...line, point_masses: ["1"] },
    { ...line, point_masses: ["one"], extras: [] },
    { ...line, point_masses: undefined },
    { ...scale, min: 0.5 },
    { ...scale, min: 5 },
    { ...scale, report: "shares" },
    { ...scale, type: "single_choice", options: [1, "x"] },
  ]) {
    await assert.rejects(verify(publishOne(fields), KEY), ManifestRefused, JSON.stringify(fields));
  }
});

test("the page draws what an app draws", async () => {
  for (const { envelope, reports } of (await vectors("reports")).surveys.slice(0, 2)) {
    const manifests = [await verify(envelope, KEY), await verifyStrictly(envelope, KEY)];
    for (const { answers, seed, body } of reports) {
      for (const manifest of manifests) {
        assert.equal(randomize(manifest, answers, [], new FixedTestStream(seed)).body, body);
      }
    }
  }
});

test("an answer that is none is never drawn from", async () => {
  const manifest = await verify(publish(fieldsOf()), KEY);
  for (const cheated of [undefined, null, "decline", 1, "true", [true]]) {
    const source = new FixedTestStream("none");
    assert.throws(() => randomize(manifest, { cheated }, [], source), /unknown/);
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
