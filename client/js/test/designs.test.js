import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { readDesign } from "../src/designs/index.js";
import { Repeated } from "../src/designs/repeated.js";
import { Subset } from "../src/designs/subset.js";
import { InvalidValue } from "../src/errors.js";
import { derive } from "../src/permanent.js";
import { placeOf } from "../src/questions.js";
import { readStrictly } from "../src/strict_designs.js";
import { designVectors, FixedTestStream, vectors } from "./support.js";

const FILES = await designVectors();

/** Give a code of the vectors as the designs take it. @param {any} code */
function codeOf(code) {
  return code.min === undefined ? code : placeOf(code.value, code.min, code.max);
}

/** List codes next to the domain of a design, or of another kind. @param {any} design @returns {any[]} */
function outside({ name, size, options, most, extras = 0 }) {
  const none = [undefined, null, "0", Number.NaN, {}, { top: 0n, bottom: 0n }];
  const ticks = (/** @type {number} */ length) => Array(length).fill(1);
  if (size) return [...none, -1, size, size + 1, 0.5, [0], { top: 0n, bottom: 1n }];
  if (!options) return [...none, -1, extras, 0.5, { top: -1n, bottom: 2n }, { top: 3n, bottom: 2n }, [0]];
  const many = name === "padded" ? [[...ticks(most + 1), ...Array(options - most - 1).fill(0)]] : [];
  return [...none, 0, [], ticks(options + 1), Array(options).fill(2), Array(options), ...many];
}

/** A memory in which every answer is its own permanent draw. @param {number} size */
function plainMemos(size) {
  return Array.from({ length: size }, (_, code) => ({ code, tag: "" }));
}

for (const { name, cases, refused } of FILES) {
  test(`${name}: draws from the same stream are those of the vectors, and so are the bytes they take`, () => {
    assert.ok(cases.length > 0);
    for (const { mechanism, code, seed, draws, bytes } of cases) {
      const [design, source] = [readStrictly(mechanism), new FixedTestStream(seed)];
      const memos = plainMemos(design.size ?? 0);
      assert.deepEqual(
        draws.map(() => design.draw(source, codeOf(code), memos)),
        draws,
        seed,
      );
      assert.equal(source.taken, bytes, seed);
      assert.ok(draws.every((/** @type {string} */ draw) => draw.length === design.blank?.length));
      assert.match(String(design.blank), /^-+$/);
    }
  });

  test(`${name}: a code outside the domain is refused before a byte is drawn`, () => {
    for (const { mechanism } of cases) {
      const design = readDesign(mechanism);
      for (const code of outside(design)) {
        const source = new FixedTestStream("outside");
        assert.throws(() => design.draw(source, code, plainMemos(300)), /outside its mechanism/, String(code));
        assert.equal(source.taken, 0);
      }
    }
  });

  test(`${name}: odds and epsilon are those of the vectors, and so is the name`, () => {
    for (const { mechanism } of cases) {
      const design = readStrictly(mechanism);
      assert.equal(design.odds, mechanism.odds);
      assert.equal(String(design.epsilon), mechanism.epsilon);
      assert.equal(design.name, name);
      assert.equal(String(readStrictly({ ...mechanism, epsilon: "40" }).epsilon), mechanism.epsilon);
    }
  });

  test(`${name}: dishonest and malformed mechanisms are refused`, () => {
    assert.ok(refused.length > 0);
    for (const { mechanism, why } of refused) {
      assert.throws(() => readStrictly(mechanism), InvalidValue, `${why} ${JSON.stringify(mechanism)}`);
    }
    const [{ mechanism }] = cases;
    for (const other of [null, [], "x", {}, Object.fromEntries(Object.entries(mechanism).reverse())]) {
      assert.throws(() => readStrictly(other), InvalidValue);
    }
    for (const key of Object.keys(mechanism)) {
      for (const value of [null, -1, 2 ** 53, "", "x", [], {}, true]) {
        assert.throws(() => readStrictly({ ...mechanism, [key]: value }), InvalidValue, `${key} ${value}`);
      }
    }
  });
}

test("with two categories and one pick, subset selection takes the bytes of Warner and gives the same answers", async () => {
  const { draws } = await vectors("warner");
  for (const { threshold, answer, seed, draws: expected } of draws) {
    // Below one half the answers are exchanged, which subset selection does not offer.
    if (2n * BigInt(threshold) <= 2n ** 64n) continue;
    const [design, source] = [
      new Subset({ size: 2, picks: 1, threshold: BigInt(threshold) }),
      new FixedTestStream(seed),
    ];
    assert.equal(Array.from(expected, () => design.draw(source, answer)).join(""), expected);
    assert.equal(source.taken, 8 * expected.length);
  }
});

test("permanent draws and their tags are those of the vectors", async () => {
  const { cases } = FILES[FILES.length - 1];
  for (const { secret, panel, question, mechanism, permanent, tags } of cases) {
    const manifest = /** @type {any} */ ({
      panel,
      questions: [{ id: "q", spelling: question, design: readStrictly(mechanism) }],
    });
    const key = Buffer.from(secret, "hex");
    const memory = await derive(manifest, (text) => createHmac("sha256", key).update(text).digest());
    assert.deepEqual(
      memory.get("q")?.map(({ code }) => code),
      permanent,
    );
    assert.deepEqual(
      memory.get("q")?.map(({ tag }) => tag),
      tags,
    );
  }
});

test("a permanent draw may throw numbers away; what would take more bytes than there are is an error", async () => {
  const design = new Repeated({ size: 4, permanent: 2n ** 63n, instant: 2n ** 63n });
  const manifest = /** @type {any} */ ({ panel: "p", questions: [{ id: "q", spelling: "{}", design }] });
  // Only the highest number is thrown away when three are drawn from: 2^64 = 1 modulo 3.
  const highest = new Uint8Array(32).fill(255);
  const last = highest.slice().fill(0, 24);
  assert.equal((await derive(manifest, () => last)).get("q")?.[0].code, 1);
  await assert.rejects(derive(manifest, () => highest));
});
