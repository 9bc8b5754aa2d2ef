/**
 * The law of the page: whatever manifest it accepts, every answer that it offers gives draws of the mechanism and
 * nothing else, none throws, and no two answers are one. What is offered is asked of the form itself.
 */
import assert from "node:assert/strict";
import { randomize } from "../src/report.js";
import { SeededLot } from "./mutants.js";
import { readWords } from "./support.js";

const WORDS = await readWords("en");
const MOST_ANSWERS = 30;
const MOST_DRAWS = 2;

// The form reads its words from the page when it is loaded; the rest of what is used here needs no page.
const page = {
  documentElement: { lang: "en" },
  getElementById: () => ({ textContent: JSON.stringify({ en: WORDS }) }),
};
Object.assign(globalThis, { document: page, location: { hash: "" } });
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
const { categoriesOf, choicesOf, nameAnswer } = await import("../form/answers.js");
const { speak } = await import("../form/language.js");
const { oddsOf, sentOf } = await import("../form/sentences.js");

/** @import { Manifest } from "../src/manifest.js" */

/**
 * Check all that the page offers of a manifest.
 * @param {Manifest} manifest @param {any} fields its payload @param {number} seed
 */
export function checkLaw(manifest, fields, seed) {
  const lot = new SeededLot(seed);
  checkEpsilon(manifest);
  checkLanguages(manifest);
  checkPath(manifest, lot);
  const lengths = new Set(Array.from({ length: 3 }, () => sendOne(manifest, lot)));
  assert.equal(lengths.size, 1, "reports have one length");
  for (const [i, question] of manifest.questions.entries()) checkQuestion(question, fields.questions[i].mechanism, lot);
}

/** The total that is shown is that of the odds. @param {Manifest} manifest */
function checkEpsilon({ questions, ask, epsilon }) {
  const logs = questions.map(({ design }) => logOf(design.odds)).sort((a, b) => b - a);
  const total = logs.slice(0, ask ?? logs.length).reduce((sum, log) => sum + log, 0);
  assert.ok(Math.abs(Number(epsilon) - total) <= 1e-9 * (1 + total), "epsilon is that of the odds");
}

/** @param {string} odds */
function logOf(odds) {
  const [a, b] = odds.split(":").map((side) => {
    const shift = Math.max(BigInt(side).toString(2).length - 1000, 0);
    return Math.log(Number(BigInt(side) >> BigInt(shift))) + shift * Math.LN2;
  });
  return a - b;
}

/**
 * No two choices have one name, in any language, and nothing that is said of a question throws.
 * @param {Manifest} manifest
 */
function checkLanguages(manifest) {
  const { translations, questions, title, consent } = manifest;
  for (const own of [null, ...Object.values(translations)]) {
    speak("en", /** @type {any} */ ({ title, consent, translations: own ? { en: own } : {} }));
    for (const question of questions) {
      const said = [...oddsOf(question).parts, sentOf(question)];
      assert.ok(
        said.every((text) => isString(text) && !/[{}]|undefined|NaN/.test(text)),
        "every gap is filled",
      );
      for (const part of question.parts ?? [question]) {
        const names = choicesOf(part).map(([, name]) => name.trim());
        assert.ok(names.every(isString) && new Set(names).size === names.length, "choices look different");
      }
    }
  }
}

/** Who is not asked a question can say so. @param {Manifest} manifest @param {SeededLot} lot */
function checkPath({ questions }, lot) {
  const answers = new Map();
  for (const part of questions.flatMap((question) => question.parts ?? [question])) {
    const [parent, shown] = part.when || [];
    if (part.when) {
      assert.ok(answers.has(parent), "a question follows an earlier one");
      assert.equal(typeof [answers.get(parent)].flat().some((answer) => shown?.includes(answer)), "boolean");
      assert.notEqual(part.code("does_not_apply"), undefined);
    }
    answers.set(part.id, lot.one(offered(part, lot)));
  }
}

/** @param {unknown} value */
function isString(value) {
  return typeof value === "string" && value !== "";
}

/** List what the form lets somebody answer. @param {any} part @param {SeededLot} lot @returns {any[]} */
function offered(part, lot) {
  const [choices, all] = [choicesOf(part), categoriesOf(part)].map((list) => list.map(([value]) => value));
  const extras = all.slice(choices.length);
  if (part.type === "number") {
    const [min, max] = [Number(part.min), Number(part.max)];
    assert.ok(min <= max, "a number can be written");
    return [...new Set([min, (min + max) / 2, max]), ...extras];
  }
  return part.type === "multi_choice" ? [...tickSets(choices, part.most ?? choices.length, lot), ...extras] : all;
}

/**
 * All sets of a few, else all that hold one, and some that hold more.
 * @param {any[]} choices @param {number} most @param {SeededLot} lot
 */
function tickSets(choices, most, lot) {
  const pick = (/** @type {number} */ mask) => choices.filter((_, i) => (mask >> i) & 1);
  const all = choices.length <= 6 ? Array.from({ length: 2 ** choices.length }, (_, mask) => pick(mask)) : [];
  const one = choices.map((choice) => [choice]);
  const more = Array.from({ length: 9 }, () => choices.filter(() => lot.below(2)).slice(0, most));
  const sets = choices.length <= 6 ? all : [[], ...one, choices.slice(0, most), choices.slice(-most), ...more];
  const different = new Map(sets.map((set) => [set.map((id) => choices.indexOf(id)).join(), set]));
  return [...different.values()].filter((set) => set.length <= most);
}

/** @param {any} question @param {any} mechanism @param {SeededLot} lot */
function checkQuestion(question, mechanism, lot) {
  const isDraw = memberOf(mechanism, question.design);
  const memos = memosOf(question);
  const parts = question.parts ?? [question];
  const lists = parts.map((/** @type {any} */ part) => offered(part, lot));
  const given = lists.length === 1 ? lists[0].map((/** @type {any} */ answer) => [answer]) : product(lists);
  const codes = given.map((/** @type {any[]} */ answers) =>
    question.codeIn(
      Object.fromEntries(parts.map((/** @type {any} */ { id }, /** @type {number} */ i) => [id, answers[i]])),
    ),
  );
  const spelled = codes.map((/** @type {any} */ code) => String(typeof code === "object" ? Object.values(code) : code));
  assert.ok(!spelled.includes("undefined") && !spelled.includes("NaN"), "every answer has a code");
  assert.equal(new Set(spelled).size, given.length, "every answer has a code of its own");
  const { size } = question.design.domain;
  if (size) assert.equal(codes.length, size, "the answers are the whole domain");
  assert.ok(
    codes.every((/** @type {any} */ code) => question.design.domain.holds(code)),
    "every code is in the domain",
  );
  for (const i of some(codes.length, lot)) {
    for (const [place, part] of parts.entries()) assert.ok(isString(nameAnswer(part, given[i][place])));
    for (let draws = 0; draws < MOST_DRAWS; draws += 1) {
      const draw = question.design.draw(lot, codes[i], memos);
      assert.ok(typeof draw === "string" && isDraw(draw), `a draw of the mechanism: ${draw}`);
    }
  }
}

/**
 * A memory in which every answer is its own permanent draw.
 * @param {any} question @returns {{ code: number, tag: string }[]}
 */
function memosOf({ design }) {
  return Array.from({ length: design.remembered?.size ?? 0 }, (_, code) => ({ code, tag: "" }));
}

/** @param {any[][]} lists */
function product([first, second]) {
  return first.flatMap((one) => second.map((other) => [one, other]));
}

/** Return all places, or the ends and some between. @param {number} length @param {SeededLot} lot */
function some(length, lot) {
  if (length <= MOST_ANSWERS) return Array(length).keys();
  return [0, length - 1, ...Array.from({ length: MOST_ANSWERS }, () => lot.below(length))];
}

/**
 * Send answers that are drawn by lot, and return the length of the report.
 * @param {Manifest} manifest @param {SeededLot} lot
 */
function sendOne(manifest, lot) {
  const parts = manifest.questions.flatMap((question) => question.parts ?? [question]);
  const answers = Object.fromEntries(parts.map((part) => [part.id, lot.one(offered(part, lot))]));
  const memory = new Map(manifest.questions.map((question) => [question.id, memosOf(question)]));
  const { body } = randomize(manifest, answers, [], lot, () => memory);
  assert.equal(Object.keys(JSON.parse(body).answers).length, manifest.questions.length, "every question is reported");
  return body.length;
}

/**
 * Return what tells a draw, from the numbers that were signed: marks for some options, a set, or an index.
 * @param {any} mechanism @param {any} design
 */
function memberOf({ asked, picks, size, options, most }, { last }) {
  if (asked) return marksOf(Number(options), Number(asked));
  if (Number(picks) > 1) return subsetOf(Number(size ?? Number(options) + Number(most)), Number(picks));
  return indexBelow(Number(last) + 1);
}

/** @param {number} options @param {number} asked */
function marksOf(options, asked) {
  return (/** @type {any} */ draw) =>
    new RegExp(`^[-01]{${options}}$`).test(draw) && draw.replaceAll("-", "").length === asked;
}

/** @param {number} count */
function indexBelow(count) {
  const { length } = (count - 1).toString(16);
  return (/** @type {any} */ draw) => /^[0-9a-f]+$/.test(draw) && draw.length === length && Number(`0x${draw}`) < count;
}

/** @param {number} size @param {number} picks */
function subsetOf(size, picks) {
  return (/** @type {any} */ draw) => {
    const bits = [...draw].map((digit) => Number(`0x${digit}`).toString(2).padStart(4, "0")).join("");
    const isWhole = draw.length === Math.ceil(size / 8) * 2 && /^[01]+$/.test(bits);
    return isWhole && !bits.slice(size).includes("1") && bits.replaceAll("0", "").length === picks;
  };
}
