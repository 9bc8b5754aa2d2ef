import assert from "node:assert/strict";
import { test } from "node:test";
import { Warner } from "../src/designs/warner.js";
import { InvalidValue } from "../src/errors.js";
import { readStrictly } from "../src/strict_designs.js";
import { FixedTestStream, THREE_TO_ONE, vectors } from "./support.js";

const { designs, draws } = await vectors("warner");

test("every design of the vectors is read, with the same odds, epsilon and words", () => {
  for (const { mechanism, times_in_100: times } of designs) {
    const design = readStrictly(mechanism);
    assert.equal(design.odds, mechanism.odds);
    assert.equal(String(design.epsilon), mechanism.epsilon);
    assert.equal(design.timesIn100, times);
  }
});

test("draws from the same stream are those of the vectors", () => {
  for (const { threshold, answer, seed, draws: expected } of draws) {
    const [design, source] = [new Warner({ threshold: BigInt(threshold) }), new FixedTestStream(seed)];
    assert.equal(Array.from(expected, () => design.draw(source, answer)).join(""), expected);
    assert.equal(source.taken, 8 * expected.length);
  }
});

test("the published draws for epsilon 1 and seed warner-eps1 come out", () => {
  const [design, source] = [new Warner({ threshold: 13485650502877570762n }), new FixedTestStream("warner-eps1")];
  const drawn = Array.from({ length: 64 }, () => design.draw(source, 1)).join("");
  assert.equal(drawn, "1111101101111111111011111111001011101010111111011110101111111111");
});

test("the two answers to a draw are always opposite, from the same bytes", () => {
  const design = readStrictly(THREE_TO_ONE);
  const [yes, no] = [new FixedTestStream("pair"), new FixedTestStream("pair")];
  for (let i = 0; i < 500; i += 1) assert.equal(Number(design.draw(yes, 1)) + Number(design.draw(no, 0)), 1);
  assert.equal(yes.taken, no.taken);
});

test("a design that claims what its threshold does not bear out is refused", () => {
  const bad = [
    null,
    [],
    "warner",
    {},
    { ...THREE_TO_ONE, name: "wanner" },
    { ...THREE_TO_ONE, odds: "6:2" },
    { ...THREE_TO_ONE, odds: "1:3" },
    { ...THREE_TO_ONE, epsilon: "1.0986122886681096913" },
    { ...THREE_TO_ONE, epsilon: null },
    { ...THREE_TO_ONE, threshold: "9223372036854775808" },
    { ...THREE_TO_ONE, threshold: "0" },
    { ...THREE_TO_ONE, threshold: "18446744073709551616" },
    { ...THREE_TO_ONE, threshold: 1 },
    { ...THREE_TO_ONE, extra: 1 },
    { name: "warner", threshold: "5" },
  ];
  for (const fields of bad) assert.throws(() => readStrictly(fields), InvalidValue, JSON.stringify(fields));
});

test("an epsilon that is claimed larger than it is is no harm", () => {
  assert.equal(String(readStrictly({ ...THREE_TO_ONE, epsilon: "2" }).epsilon), THREE_TO_ONE.epsilon);
});
