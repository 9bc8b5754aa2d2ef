import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { InvalidValue } from "../src/core.js";
import { Ball } from "../src/designs/ball.js";
import { Channel } from "../src/designs/channel.js";
import { Laplace } from "../src/designs/laplace.js";
import { Padded } from "../src/designs/padded.js";
import { Projective } from "../src/designs/projective.js";
import { Repeated } from "../src/designs/repeated.js";
import { Subset } from "../src/designs/subset.js";
import { Wave } from "../src/designs/wave.js";
import { placeOf, readDecimal } from "../src/numbers.js";
import { rememberNow } from "../src/permanent.js";
import { designVectors, FixedTestStream, vectors } from "./support.js";

/** @type {Record<string, { read(fields: unknown): import("../src/types.js").Design }>} */
const DESIGNS = {
  subset: Subset,
  projective: Projective,
  ball: Ball,
  padded: Padded,
  channel: Channel,
  wave: Wave,
  laplace: Laplace,
  repeated: Repeated,
};
const FILES = await designVectors();

/** Give a code of the vectors as the designs take it. @param {any} code */
function codeOf(code) {
  return code.min === undefined ? code : placeOf(code.value, readDecimal(code.min), readDecimal(code.max));
}

/** A memory in which every answer is its own permanent draw. @param {number} size */
function plainMemos(size) {
  return Array.from({ length: size }, (_, code) => ({ code, tag: "" }));
}

for (const { name, cases, refused } of FILES) {
  test(`${name}: draws from the same stream are those of the vectors, and so are the bytes they take`, () => {
    assert.ok(cases.length > 0);
    for (const { mechanism, code, seed, draws, bytes } of cases) {
      const [design, source] = [DESIGNS[name].read(mechanism), new FixedTestStream(seed)];
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

  test(`${name}: odds and epsilon are those of the vectors, and the design is frozen`, () => {
    for (const { mechanism } of cases) {
      const design = DESIGNS[name].read(mechanism);
      assert.equal(design.odds, mechanism.odds);
      assert.equal(String(design.epsilon), mechanism.epsilon);
      assert.ok(design.timesIn100 > 0 && design.timesIn100 <= 100);
      assert.ok(Object.isFrozen(design));
      assert.equal(String(DESIGNS[name].read({ ...mechanism, epsilon: "40" }).epsilon), mechanism.epsilon);
    }
  });

  test(`${name}: dishonest and malformed mechanisms are refused`, () => {
    assert.ok(refused.length > 0);
    for (const { mechanism, why } of refused) {
      assert.throws(() => DESIGNS[name].read(mechanism), InvalidValue, `${why} ${JSON.stringify(mechanism)}`);
    }
    const [{ mechanism }] = cases;
    for (const other of [null, [], "x", {}, Object.fromEntries(Object.entries(mechanism).reverse())]) {
      assert.throws(() => DESIGNS[name].read(other), InvalidValue);
    }
    for (const key of Object.keys(mechanism)) {
      for (const value of [null, -1, 2 ** 53, "", "x", [], {}, true]) {
        assert.throws(() => DESIGNS[name].read({ ...mechanism, [key]: value }), InvalidValue, `${key} ${value}`);
      }
    }
  });
}

test("with two categories and one pick, subset selection takes the bytes of Warner and gives the same answers", async () => {
  const { draws } = await vectors("warner");
  for (const { threshold, answer, seed, draws: expected } of draws) {
    // Below one half the answers are exchanged, which subset selection does not offer.
    if (2n * BigInt(threshold) <= 2n ** 64n) continue;
    const [design, source] = [new Subset(2, 1, BigInt(threshold)), new FixedTestStream(seed)];
    assert.equal(Array.from(expected, () => design.draw(source, answer)).join(""), expected);
    assert.equal(source.taken, 8 * expected.length);
  }
});

test("permanent draws and their tags are those of the vectors", () => {
  const { cases } = FILES[FILES.length - 1];
  for (const { secret, panel, question, mechanism, permanent, tags } of cases) {
    const manifest = /** @type {any} */ ({
      panel,
      questions: [{ id: "q", spelling: question, design: Repeated.read(mechanism) }],
    });
    const key = Buffer.from(secret, "hex");
    const memory = rememberNow(manifest, (text) => createHmac("sha256", key).update(text).digest());
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

test("a permanent draw that throws bytes away goes on with the next block", () => {
  const design = new Repeated(4, 2n ** 63n, 2n ** 63n);
  const manifest = /** @type {any} */ ({ panel: "p", questions: [{ id: "q", spelling: "{}", design }] });
  /** @type {string[]} */
  const asked = [];
  // Only the highest number is thrown away when three are drawn from: 2^64 = 1 modulo 3.
  const memory = rememberNow(manifest, (text) => {
    asked.push(text);
    return new Uint8Array(32).fill(/\n\d\n1$/.test(text) ? 0 : 255);
  });
  assert.ok(asked.includes(`hushpoll permanent 1\np\n{}\n4\n${2n ** 63n}\n0\n1`));
  assert.ok(!asked.includes(`hushpoll permanent 1\np\n{}\n4\n${2n ** 63n}\n0\n2`));
  assert.equal(memory.get("q")?.[0].code, 1);
});
