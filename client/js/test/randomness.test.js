import assert from "node:assert/strict";
import { test } from "node:test";
import { bernoulli, SecureBytes, SPAN, u64, uniform } from "../src/randomness.js";
import { FixedTestStream, vectors } from "./support.js";

/** @param {bigint} value */
function sourceOf(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return { take: () => bytes.slice() };
}

test("the test streams are those of the vectors", async () => {
  for (const { seed, u64: values } of (await vectors("streams")).streams) {
    const source = new FixedTestStream(seed);
    assert.deepEqual(
      values.map(() => String(u64(source))),
      values,
      seed,
    );
  }
});

test("uniform draws, and the bytes they take, are those of the vectors", async () => {
  for (const { size, seed, values, bytes } of (await vectors("uniforms")).cases) {
    const source = new FixedTestStream(seed);
    assert.deepEqual(
      values.map(() => String(uniform(source, BigInt(size)))),
      values,
      size,
    );
    assert.equal(source.taken, bytes, size);
  }
});

test("a draw at the largest multiple of the size is thrown away, one below it is kept", () => {
  const draws = [SPAN - 1n, SPAN - 2n];
  const source = { take: () => sourceOf(draws.shift() ?? 0n).take() };
  assert.equal(SPAN % 3n, 1n);
  assert.equal(uniform(source, 3n), 2n);
  assert.deepEqual(draws, []);
});

test("the coin is 1 exactly when the draw is below the threshold", () => {
  const edges = [
    0n,
    1n,
    2n ** 31n - 1n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 32n + 1n,
    2n ** 63n - 1n,
    2n ** 63n,
  ];
  const values = [...edges, 2n ** 63n + 1n, 2n ** 64n - 2n ** 32n, 2n ** 64n - 1n, 13835058055282163712n];
  const random = new FixedTestStream("coin");
  for (let i = 0; i < 40; i += 1) values.push(u64(random));
  for (const value of values) {
    for (const threshold of values) {
      assert.equal(bernoulli(sourceOf(value), threshold), Number(value < threshold), `${value} < ${threshold}`);
    }
  }
});

test("the coin takes eight bytes and wipes them", () => {
  const bytes = new Uint8Array(8).fill(7);
  /** @type {number[]} */
  const taken = [];
  const take = (/** @type {number} */ count) => {
    taken.push(count);
    return bytes;
  };
  bernoulli({ take }, 5n);
  assert.deepEqual(taken, [8]);
  assert.deepEqual([...bytes], Array(8).fill(0));
});

test("secure bytes are handed out once", () => {
  const source = new SecureBytes();
  const seen = new Set();
  for (let i = 0; i < 3000; i += 1) seen.add(Buffer.from(source.take(16)).toString("hex"));
  assert.equal(seen.size, 3000);
  assert.equal(source.take(5000).length, 5000);
});

test("without a secure random source nothing is drawn", (context) => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  assert.ok(crypto);
  context.after(() => Object.defineProperty(globalThis, "crypto", crypto));
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  assert.throws(() => new SecureBytes().take(1), TypeError);
});

test("a source that runs dry gives no draw", () => {
  assert.throws(() => u64({ take: () => new Uint8Array(7) }), RangeError);
});
