/**
 * Exact privacy: every draw that a design can make is made by its own code, and all probabilities are integers.
 *
 * A script gives the code each 64-bit number that it asks for, one for each case that it can tell apart, with the
 * number of 64-bit numbers that fall into that case as its weight.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Epsilon } from "../src/epsilon.js";
import { Channel } from "../src/mechanisms/channel.js";
import { readDesign } from "../src/mechanisms/index.js";
import { Laplace } from "../src/mechanisms/laplace.js";
import { Repeated } from "../src/mechanisms/repeated.js";
import { SPAN } from "../src/randomness.js";
import { codeOf, mechanismVectors } from "./support.js";

/** @import { AnyDesign } from "../src/types.js" */
/** @typedef {{ value: bigint, weight: bigint }[]} Step every case of one 64-bit number */

/** @param {bigint} threshold @returns {Step} */
function coin(threshold) {
  return [
    { value: 0n, weight: threshold },
    { value: SPAN - 1n, weight: SPAN - threshold },
  ];
}

/** The rest of a division is all that counts. @param {number} size @returns {Step} */
function oneOf(size) {
  return Array.from({ length: size }, (_, i) => ({ value: BigInt(i), weight: 1n }));
}

/** Return a step as the vectors write it. @param {string[]} written @returns {Step} */
function stepOf([what, number]) {
  return what === "coin" ? coin(BigInt(number)) : oneOf(Number(number));
}

/** @param {readonly bigint[]} thresholds @returns {Step} */
function anyOutput(thresholds) {
  return [0n, ...thresholds].map((value, i) => ({ value, weight: (thresholds[i] ?? SPAN) - value }));
}

/** @param {readonly Step[]} steps @returns {{ values: bigint[], weight: bigint }[]} */
function scripts(steps) {
  return steps.reduce(
    (made, step) =>
      made.flatMap(({ values, weight }) =>
        step.map((next) => ({ values: [...values, next.value], weight: weight * next.weight })),
      ),
    [{ values: /** @type {bigint[]} */ ([]), weight: 1n }],
  );
}

/**
 * Return the weight of every report to a code.
 * @param {(source: import("../src/types.js").ByteSource) => unknown} draw @param {readonly Step[]} steps
 */
function distribution(draw, steps) {
  /** @type {Map<string, bigint>} */
  const weights = new Map();
  for (const { values, weight } of scripts(steps)) {
    const left = [...values];
    const take = () => {
      const bytes = new Uint8Array(8);
      const next = left.shift();
      assert.ok(next !== undefined, "it takes more bytes than it says");
      new DataView(bytes.buffer).setBigUint64(0, next);
      return bytes;
    };
    const report = String(draw({ take }));
    assert.deepEqual(left, [], "it takes fewer bytes than it says");
    weights.set(report, (weights.get(report) ?? 0n) + weight);
  }
  return weights;
}

/**
 * Return the worst ratio over all pairs of codes and all reports, as "a:b".
 * @param {readonly Map<string, bigint>[]} distributions
 */
function worstOdds(distributions) {
  const reports = new Set(distributions.flatMap((weights) => [...weights.keys()]));
  let [top, bottom] = [1n, 1n];
  for (const report of reports) {
    const weights = distributions.map((one) => one.get(report) ?? 0n);
    for (const a of weights) for (const b of weights) if (a * bottom > top * b) [top, bottom] = [a, b];
  }
  const common = gcd(top, bottom);
  return `${top / common}:${bottom / common}`;
}

/** @param {bigint} a @param {bigint} b @returns {bigint} */
function gcd(a, b) {
  return b === 0n ? a : gcd(b, a % b);
}

/** @param {readonly Map<string, bigint>[]} distributions @param {AnyDesign} design */
function assertExact(distributions, design) {
  assert.equal(worstOdds(distributions), design.odds);
  const [a, b] = design.odds.split(":").map(BigInt);
  assert.equal(design.epsilon.units, Epsilon.ofOdds(a, b).units);
}

const T = 13485650502877570762n;

// Their draws do not take the same numbers on every path, or need a memory: tests of their own follow below.
const BY_HAND = ["channel", "laplace", "repeated"];

for (const { name, exact } of await mechanismVectors()) {
  if (BY_HAND.includes(name)) continue;
  test(`${name} has exactly the odds that it states`, () => {
    assert.ok(exact.length > 0);
    for (const { mechanism, codes, steps, outputs } of exact) {
      const design = readDesign(mechanism);
      const cases = steps.map(stepOf);
      const all = codes.map((/** @type {any} */ code) =>
        distribution((source) => design.draw(source, codeOf(code)), cases),
      );
      assertExact(all, design);
      for (const weights of all) assert.equal(weights.size, outputs, "every draw is possible under every answer");
    }
  });
}

test("a channel has exactly the odds that it states, between the points of its grid too", () => {
  const table = [
    [SPAN / 2n, (3n * SPAN) / 4n],
    [SPAN / 3n, SPAN / 2n],
    [SPAN / 5n, SPAN / 2n + 1n],
  ];
  const design = new Channel(
    { inputs: 3, extras: 0 },
    { values: [-1, 1, 3], table: table.map((row) => row.map(String)) },
  );
  const places = Array.from({ length: 9 }, (_, i) => ({ top: BigInt(i), bottom: 8n }));
  const all = places.map((place) => {
    const position = Number(place.top) / 4;
    const below = Math.min(Math.floor(position), 1);
    const rest = BigInt((position - below) * 2 ** 8) << 56n;
    // A coin that always falls on one side is tossed all the same.
    const sides = coin(rest).map((side, i) => distributionOfRow(below + 1 - i, side));
    return mix(sides);

    /** @param {number} row @param {{ value: bigint, weight: bigint }} side */
    function distributionOfRow(row, side) {
      if (side.weight === 0n) return new Map();
      return distribution((source) => design.draw(source, place), [[side], anyOutput(table[row])]);
    }
  });
  assertExact(all, design);
});

test("discrete Laplace noise has exactly the odds that it states", () => {
  const threshold = (SPAN * 3n) / 5n;
  const design = new Laplace({ steps: 4, reach: 3, threshold });
  // α = A/2^64: P(noise = k) ∝ α^|k| (1 − α), P(noise ≥ k) ∝ α^k for k > 0, both over (1 + α). Weights over 2^(64·12).
  const power = (/** @type {number} */ k) => threshold ** BigInt(k) * SPAN ** BigInt(11 - k);
  const exactly = (/** @type {number} */ k) => power(Math.abs(k)) * (SPAN - threshold);
  const atLeast = (/** @type {number} */ k) =>
    k > 0 ? power(k) * SPAN : power(0) * (SPAN + threshold) - power(1 - k) * SPAN;
  const all = [0, 1, 2, 3, 4].map((row) => {
    const middle = Array.from({ length: 9 }, (_, i) => i - 2);
    const weights = [atLeast(row + 3), ...middle.map((output) => exactly(output - row)), atLeast(7 - row)];
    assert.equal(
      weights.reduce((a, b) => a + b),
      power(0) * (SPAN + threshold),
    );
    return new Map(weights.map((weight, i) => [String(i), weight]));
  });
  assertExact(all, design);
});

test("all waves together have at most the odds that are stated", () => {
  const design = new Repeated({ size: 3, permanent: T, instant: 9223372036854775808n });
  const others = [oneOf(2)];
  const codes = [0, 1, 2];
  const permanent = codes.map((code) =>
    distribution((source) => /** @type {AnyDesign} */ (design.remembered).draw(source, code), [coin(T), ...others]),
  );
  assertExact(permanent, design);
  const memos = codes.map((code) => ({ code, tag: "" }));
  const instant = codes.map((code) =>
    distribution((source) => design.draw(source, code, memos), [coin(design.instant), ...others]),
  );
  // Three waves of an unchanged answer: the odds grow toward those of the permanent draw and never reach them.
  const reports = codes.flatMap((a) => codes.flatMap((b) => codes.map((c) => [a, b, c])));
  const waves = codes.map((code) => {
    const weight = (/** @type {number[]} */ seen) =>
      codes.reduce(
        (sum, kept) =>
          sum +
          seen.reduce(
            (all, report) => all * Number(instant[kept].get(String(report))),
            Number(permanent[code].get(String(kept))),
          ),
        0,
      );
    return reports.map(weight);
  });
  const [a, b] = design.odds.split(":").map(Number);
  for (const one of waves)
    for (const other of waves) for (const i of reports.keys()) assert.ok(one[i] / other[i] < a / b);
});

/** @param {readonly Map<string, bigint>[]} maps */
function mix(maps) {
  /** @type {Map<string, bigint>} */
  const sum = new Map();
  for (const map of maps) for (const [key, weight] of map) sum.set(key, (sum.get(key) ?? 0n) + weight);
  return sum;
}
