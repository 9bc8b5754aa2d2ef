/**
 * What every mechanism must keep: its vectors, its domain, its refusals and what people are told.
 *
 * A mechanism takes part by its place in the list of mechanisms and its file in shared/vectors/.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { InvalidValue } from "../src/errors.js";
import { Categories, Ticks } from "../src/mechanisms/domains.js";
import { MECHANISMS, readDesign } from "../src/mechanisms/index.js";
import { Repeated } from "../src/mechanisms/repeated.js";
import { derive } from "../src/permanent.js";
import { examineDesign } from "../src/strict/designs.js";
import { codeOf, FixedTestStream, mechanismVectors, PACKAGE, THREE_TO_ONE, vectors } from "./support.js";

/** @import { AnyDesign, Sentence } from "../src/types.js" */

const FILES = await mechanismVectors();

/** Read a mechanism as an app does, in its one spelling. @param {any} fields */
function readStrictly(fields) {
  const design = readDesign(fields ?? {});
  examineDesign(design, fields);
  return design;
}

/** List codes next to a domain, or of another kind. @param {AnyDesign} design @returns {any[]} */
function outside({ domain }) {
  const none = [undefined, null, true, "0", "", Number.NaN, {}, { top: 0n, bottom: 0n }];
  if (domain instanceof Categories) {
    return [...none, -1, domain.size, domain.size + 1, 0.5, [0], { top: 0n, bottom: 1n }];
  }
  if (!(domain instanceof Ticks)) {
    const { extras } = /** @type {any} */ (domain);
    return [...none, -1, extras, 0.5, { top: -1n, bottom: 2n }, { top: 3n, bottom: 2n }, [0]];
  }
  const { options, most } = domain;
  const many = most === null ? [] : [Array.from({ length: options }, (_, i) => Number(i <= most))];
  const ones = Array(options + 1).fill(1);
  return [...none, 0, [], ones, Array(options).fill(2), Array(options).fill(true), Array(options), ...many];
}

/** A memory in which every answer is its own permanent draw. @param {number} size */
function plainMemos(size) {
  return Array.from({ length: size }, (_, code) => ({ code, tag: "" }));
}

/** Write a sentence with all that it leaves out. @param {Sentence} sentence @returns {any} */
function whole({ key, values = {}, times = {}, phrases = {} }) {
  const all = Object.entries(phrases).map(([name, phrase]) => [name, whole(phrase)]);
  return { key, values, times, phrases: Object.fromEntries(all) };
}

test("every mechanism has a module of its name, and every module of a design is in the list", async () => {
  const shared = ["design", "domains", "grid", "index", "sentence", "sets", "two_weights"];
  const files = (await readdir(join(PACKAGE, "src", "mechanisms"))).map((file) => file.replace(".js", ""));
  assert.deepEqual(files.filter((name) => !shared.includes(name)).sort(), MECHANISMS.map(({ NAME }) => NAME).sort());
});

test("every file of vectors with draws is that of a mechanism in the list", async () => {
  const files = await readdir(new URL("../../../shared/vectors/", import.meta.url));
  const all = await Promise.all(files.map(async (file) => [file, await vectors(file.replace(".json", ""))]));
  const withDraws = all.filter(([, vector]) => vector.told).map(([file]) => file.replace(".json", ""));
  assert.deepEqual(withDraws.sort(), MECHANISMS.map(({ NAME }) => NAME).sort());
});

for (const { name, cases, told, refused } of FILES) {
  test(`${name}: draws from the same stream are those of the vectors, and so are the bytes they take`, () => {
    assert.ok(cases.length > 0);
    for (const { mechanism, code, seed, draws, bytes } of cases) {
      const [design, source] = [readStrictly(mechanism), new FixedTestStream(seed)];
      const memos = plainMemos(design.remembered?.size ?? 0);
      assert.deepEqual(
        draws.map(() => design.draw(source, codeOf(code), memos)),
        draws,
        seed,
      );
      assert.equal(source.taken, bytes, seed);
      assert.ok(draws.every((/** @type {unknown} */ draw) => typeof draw === "string"));
      assert.ok(draws.every((/** @type {string} */ draw) => draw.length === design.blank.length));
      assert.match(design.blank, /^-+$/);
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

  test(`${name}: people are told what the vectors say`, () => {
    assert.ok(told.length > 0);
    for (const { mechanism, odds, sent } of told) {
      const design = readDesign(mechanism);
      assert.deepEqual(whole(design.oddsSentence()), odds);
      for (const [type, sentence] of Object.entries(sent)) {
        assert.deepEqual(whole(design.sentSentence(type)), sentence, type);
      }
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

test("an unknown mechanism is refused with the cure, whatever its name", () => {
  for (const name of ["warner", "wave", "toString", "__proto__", "", null, 1, ["subset"]]) {
    assert.throws(() => readDesign({ ...THREE_TO_ONE, name }), {
      name: "InvalidValue",
      message: "a mechanism is unknown: update Hushpoll",
    });
  }
});

test("integers that make no mechanism are refused, though their claims follow from them", () => {
  const [most, more] = ["13835058055282163712", "17293822569102704640"];
  for (const [fields, odds] of /** @type {[any, string][]} */ ([
    [{ name: "ball", options: 2, asked: 3, agree: 3, threshold: most }, "21:1"],
    [{ name: "projective", size: 5, field: 4, dimension: 2, threshold: most }, "12:1"],
    [{ name: "projective", size: 8, field: 2, dimension: 3, threshold: most }, "4:1"],
    [{ name: "projective", size: 2, field: 4099, dimension: 3, threshold: more }, `${15 * 4099 ** 2}:4100`],
  ])) {
    const { name, ...rest } = fields;
    assert.throws(() => readDesign({ name, ...rest, odds, epsilon: "40" }), InvalidValue, JSON.stringify(fields));
  }
  // One step nearer, they are sound.
  for (const [fields, odds] of /** @type {[any, string][]} */ ([
    [{ name: "ball", options: 3, asked: 3, agree: 3, threshold: most }, "21:1"],
    [{ name: "projective", size: 6, field: 5, dimension: 2, threshold: most }, "15:1"],
    [{ name: "projective", size: 7, field: 2, dimension: 3, threshold: most }, "4:1"],
  ])) {
    assert.equal(readDesign({ ...fields, odds, epsilon: "40" }).odds, odds);
  }
});

test("a wave draws from what the device remembers, not from the answer", () => {
  const design = new Repeated({ size: 3, permanent: 2n ** 63n, instant: 2n ** 63n });
  const memos = [2, 0, 1].map((code) => ({ code, tag: "" }));
  for (const code of [0, 1, 2]) {
    const draws = [code, memos[code].code].map((each, i) => {
      const source = new FixedTestStream(`wave-${code}`);
      return Array.from({ length: 50 }, () => (i ? design.fresh.draw(source, each) : design.draw(source, each, memos)));
    });
    assert.deepEqual(draws[0], draws[1]);
  }
});

test("a draw names an answer, ticks, or each answer of a set", () => {
  /** @type {[any, string, number[]][]} */
  const cases = [
    [THREE_TO_ONE, "1", [1]],
    [{ name: "subset", size: 3, picks: 2, threshold: "13835058055282163712", odds: "3:2" }, "c0", [0, 1]],
    [{ name: "repeated", size: 2, permanent: "13835058055282163712", instant: "13835058055282163712" }, "0", [0]],
    [{ name: "ball", options: 3, asked: 2, agree: 2, threshold: "13835058055282163712", odds: "9:1" }, "1-1", [0, 2]],
    [{ name: "privset", options: 3, most: 1, picks: 2, threshold: "13835058055282163712" }, "a0", [0, 2]],
    [{ name: "privset", options: 3, most: 2, picks: 1, threshold: "13835058055282163712", odds: "9:2" }, "4", []],
    [{ name: "square_wave", bins: 4, half: 1, extras: 2, threshold: "13835058055282163712", odds: "9:1" }, "8", [0]],
    [{ name: "square_wave", bins: 4, half: 1, extras: 2, threshold: "13835058055282163712", odds: "9:1" }, "5", []],
  ];
  for (const [fields, draw, named] of cases) {
    const design = readDesign({ odds: "3:1", ...fields, epsilon: "40" });
    for (const text of [draw, design.blank]) {
      const places = [0, 1, 2].filter((place) => design.names(text, place));
      assert.deepEqual(places, text === draw ? named : [], fields.name);
    }
  }
});

test("a draw to a codebook names the answers at right angles to it", () => {
  const plane = { name: "projective", size: 7, field: 2, dimension: 3, threshold: "13835058055282163712" };
  const design = readDesign({ ...plane, odds: "4:1", epsilon: "2" });
  const [source, seven] = [new FixedTestStream("names"), [0, 1, 2, 3, 4, 5, 6]];
  const lines = seven.map((draw) => seven.filter((place) => design.names(design.write(draw), place)));
  // Seven points and seven lines, three points on each, and one line through any two.
  assert.ok(lines.every((line) => line.length === 3));
  for (const a of seven)
    for (const b of seven.slice(a + 1)) {
      assert.equal(lines.filter((line) => line.includes(a) && line.includes(b)).length, 1);
    }
  const named = Array.from({ length: 1000 }, () => design.names(design.draw(source, 5), 5));
  assert.ok(Math.abs(named.filter(Boolean).length - 750) < 75);
  assert.ok(!design.names(design.blank, 0));
});

test("a draw of a number stands for one in the range or beside it, on average for the answer", async () => {
  for (const name of ["channel", "laplace", "square_wave"]) {
    const { cases } = await vectors(name);
    for (const { mechanism } of cases) {
      const design = readDesign(mechanism);
      const source = new FixedTestStream("shares");
      const means = [0n, 1n].map((top) => {
        const draws = Array.from({ length: 3000 }, () => design.draw(source, { top, bottom: 1n }));
        return meanOf(draws.map((draw) => design.share(draw) ?? Number.NaN).filter(Number.isFinite));
      });
      assert.ok(means[0] < means[1], JSON.stringify(mechanism));
      // A wave is drawn to the middle: only all draws together give its mean.
      const error = Math.abs(means[0]) + Math.abs(means[1] - 1);
      if (name !== "square_wave" && !mechanism.extras) assert.ok(error * Number(design.epsilon) < 0.3, `${error}`);
      assert.ok(!Number.isFinite(design.share(design.blank)));
    }
  }
});

/** @param {number[]} numbers */
function meanOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

const { warner } = await vectors("subset");

test("Warner's design is subset selection of one out of two, with the odds of the vectors", () => {
  assert.ok(warner.designs.length > 0);
  for (const { mechanism } of warner.designs) {
    const design = readStrictly(mechanism);
    assert.deepEqual([design.name, design.odds, String(design.epsilon)], ["subset", mechanism.odds, mechanism.epsilon]);
  }
});

test("Warner's draws from the same stream are those of the vectors", () => {
  assert.ok(warner.draws.length > 0);
  for (const { mechanism, answer, seed, draws } of warner.draws) {
    const [design, source] = [readStrictly(mechanism), new FixedTestStream(seed)];
    assert.equal(Array.from(draws, () => design.draw(source, answer)).join(""), draws);
    assert.equal(source.taken, 8 * draws.length);
  }
});

test("the published draws for epsilon 1 and seed warner-eps1 come out", () => {
  const { mechanism } = warner.draws.find((/** @type {any} */ { seed }) => seed === "warner-eps1");
  assert.equal(mechanism.threshold, "13485650502877570762");
  const [design, source] = [readDesign(mechanism), new FixedTestStream("warner-eps1")];
  const drawn = Array.from({ length: 64 }, () => design.draw(source, 1)).join("");
  assert.equal(drawn, "1111101101111111111011111111001011101010111111011110101111111111");
});

test("the two answers to Warner's draw are always opposite, from the same bytes", () => {
  const design = readStrictly(THREE_TO_ONE);
  const [yes, no] = [new FixedTestStream("pair"), new FixedTestStream("pair")];
  for (let i = 0; i < 500; i += 1) assert.equal(Number(design.draw(yes, 1)) + Number(design.draw(no, 0)), 1);
  assert.equal(yes.taken, no.taken);
});

test("a design whose truth is not likelier than chance is refused, by the page too", () => {
  const half = "9223372036854775808";
  for (const [threshold, odds] of [
    [half, "1:1"],
    ["4611686018427387904", "3:1"],
    ["4611686018427387904", "1:3"],
  ]) {
    const fields = { ...THREE_TO_ONE, threshold, odds, epsilon: "40" };
    assert.throws(() => readDesign(fields), InvalidValue);
    assert.throws(() => readStrictly(fields), InvalidValue);
  }
  const instant = { name: "repeated", size: 2, permanent: THREE_TO_ONE.threshold, instant: half, odds: "3:1" };
  assert.throws(() => readDesign({ ...instant, epsilon: "40" }), InvalidValue);
});

test("permanent draws and their tags are those of the vectors", async () => {
  const { cases } = await vectors("repeated");
  for (const { secret, panel, question, mechanism, permanent, tags } of cases) {
    const design = readStrictly(mechanism);
    const manifest = /** @type {any} */ ({ panel, questions: [{ id: "q", spelling: question, design }] });
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
