import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidValue } from "../src/errors.js";
import { parse } from "../src/strict/values.js";

test("JSON is read as JSON", () => {
  for (const text of ['{"a":":","b":"\\":","c":{"d":[1,{"e":null}]}}', "[]", ' "x:\\\\" ', "1", '{"__proto__":1}']) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

test("a key that comes twice is refused at any depth and in any spelling", () => {
  const bad = [
    '{"a":1,"a":1}',
    '{"a":true,"\\u0061":false}',
    '[{"b":{"a":1,"a":{"c":1}}}]',
    '{"__proto__":1,"__proto__":2}',
  ];
  for (const text of bad) assert.throws(() => parse(text), /same key twice/, text);
});

test("what is not JSON is refused without repeating it", () => {
  for (const text of ["", "{", "secret", "{'a':1}", '{"a":NaN}', "\ufeff{}", '{"a":1}{"a":1}', '{"a":1,}']) {
    assert.throws(() => parse(text), { name: "InvalidValue", message: "this is not JSON in UTF-8" });
  }
});

test("deep nesting ends in a value or an error, not in a crash", () => {
  assert.ok(parse("[".repeat(500) + "]".repeat(500)));
  assert.throws(() => parse("[".repeat(1_000_000) + "]".repeat(1_000_000)), InvalidValue);
  assert.throws(() => parse("[".repeat(100_000)), InvalidValue);
});

test("only UTF-8 is read, and a byte order mark is not skipped", () => {
  assert.equal(parse(new TextEncoder().encode('"ü"')), "ü");
  for (const bytes of [
    [0xef, 0xbb, 0xbf, 0x31],
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ]) {
    assert.throws(() => parse(Uint8Array.from(bytes)), InvalidValue);
  }
});
