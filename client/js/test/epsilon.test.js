import assert from "node:assert/strict";
import { test } from "node:test";
import { Epsilon } from "../src/epsilon.js";
import { InvalidValue } from "../src/errors.js";
import { u64 } from "../src/randomness.js";
import { readEpsilon } from "../src/strict/values.js";
import { FixedTestStream, vectors } from "./support.js";

const { of_odds: ofOdds, parsed, refused } = await vectors("epsilons");

test("ln(odds) is the value of the vectors, to the last of 20 digits", () => {
  for (const { odds, epsilon } of ofOdds) {
    const [a, b] = odds.split(":").map(BigInt);
    assert.equal(String(Epsilon.ofOdds(a, b)), epsilon, odds);
  }
});

test("a stated epsilon is read exactly, rounded down, and put into words", () => {
  for (const { text, epsilon, band } of parsed) {
    assert.equal(String(Epsilon.parse(text)), epsilon, text);
    assert.equal(Epsilon.parse(text).band, band, text);
  }
  assert.equal(Epsilon.parse("0.000000000000000000019").units, 1n);
  assert.equal(String(Epsilon.parse(10)), "10");
});

test("what is no epsilon is refused", () => {
  const more = [Number.NaN, -1, true, null, undefined, [], {}];
  for (const value of [...refused, ...more]) assert.throws(() => Epsilon.parse(value), InvalidValue, String(value));
  for (const value of [...refused, ...more, 0.5, 2 ** 53, 1n, "1".repeat(41), `0.${"1".repeat(41)}`]) {
    assert.throws(() => readEpsilon(value, "maxEpsilon"), /^InvalidValue: maxEpsilon must be a number/, String(value));
  }
  assert.equal(String(readEpsilon(2, "maxEpsilon")), "2");
});

test("odds below 1:1 are refused", () => {
  for (const [a, b] of [
    [1n, 2n],
    [1n, 0n],
    [-2n, -3n],
  ])
    assert.throws(() => Epsilon.ofOdds(a, b), InvalidValue);
});

test("ln(odds) is an upper bound that is never a unit too high: it grows with the odds and adds up over products", () => {
  const source = new FixedTestStream("epsilon");
  for (let i = 0; i < 200; i += 1) {
    const [small, middle, large] = [u64(source), u64(source), u64(source)]
      .map((n) => n + 1n)
      .sort((a, b) => (a < b ? -1 : 1));
    const parts = Epsilon.ofOdds(large, middle).plus(Epsilon.ofOdds(middle, small));
    const excess = parts.units - Epsilon.ofOdds(large, small).units;
    assert.ok(excess >= 0n && excess <= 1n, `${large}:${middle}:${small}`);
  }
});

test("ln(odds) agrees with floating point as far as that goes", () => {
  for (const [a, b] of [
    [2n, 1n],
    [10n, 3n],
    [2n ** 64n - 1n, 1n],
    [2n ** 64n - 1n, 2n ** 63n],
    [10n ** 39n, 7n],
  ]) {
    assert.ok(Math.abs(Number(String(Epsilon.ofOdds(a, b))) - (Math.log(Number(a)) - Math.log(Number(b)))) < 1e-12);
  }
});

test("epsilons are compared exactly", () => {
  assert.ok(Epsilon.parse("1.00000000000000000001").exceeds(Epsilon.parse("1")));
  assert.ok(!Epsilon.parse("1").exceeds(Epsilon.parse("1")));
});
