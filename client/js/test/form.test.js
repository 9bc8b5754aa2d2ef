/** What the form says, in every language: the sentences that designs name, filled from their words, and the answers. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { MECHANISMS, readDesign } from "../src/mechanisms/index.js";
import { QUESTION_TYPES, readQuestion } from "../src/question_types/index.js";
import { mechanismVectors, PACKAGE, payloadOf, readWords, surveyOfVectors, vectors } from "./support.js";

const WORDS = await readdir(join(PACKAGE, "words"));
const TAGS = WORDS.filter((file) => file.endsWith(".js")).map((file) => file.replace(".js", ""));
const all = Object.fromEntries(await Promise.all(TAGS.map(async (tag) => [tag, await readWords(tag)])));

// The form reads its words from the page when it is loaded; the rest of what is used here needs no page.
const page = { documentElement: { lang: "en" }, getElementById: () => ({ textContent: JSON.stringify(all) }) };
Object.assign(globalThis, { document: page, location: { hash: "" } });
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
const { speak } = await import("../form/language.js");
const { categoriesOf, choicesOf, nameAnswer } = await import("../form/answers.js");
const { oddsOf, sentOf } = await import("../form/sentences.js");

const TOLD = (await mechanismVectors()).flatMap(({ told }) => told);

/** @param {any} mechanism @param {any} [changes] @returns {any} */
function questionWith(mechanism, changes) {
  return { type: "single_choice", min: "0", max: "40", design: readDesign(mechanism), ...changes };
}

for (const tag of TAGS) {
  test(`${tag}: every sentence of the vectors is filled without a gap, and has its three parts`, () => {
    speak(tag);
    for (const { mechanism } of TOLD) {
      for (const changes of [{ type: "yes_no" }, {}, { type: "pair", parts: [] }]) {
        const question = questionWith(mechanism, changes);
        const { times, parts } = oddsOf(question);
        const texts = [parts.join(""), sentOf(question)];
        for (const text of texts) assert.ok(text.endsWith(".") && !/[{}|]|undefined|NaN/.test(text), text);
        assert.ok(parts.length === 3 || parts.length === 4, parts.join("|"));
        assert.ok(Number.isInteger(times) && times > 0 && times <= 100);
      }
    }
  });
}

test("a sentence says the figures of its mechanism", () => {
  speak("en");
  const subset = { name: "subset", size: 2, picks: 1, threshold: "13835058055282163712", odds: "3:1", epsilon: "2" };
  const question = questionWith(subset, { type: "yes_no" });
  assert.deepEqual(oddsOf(question), {
    times: 75,
    parts: ["Your device sends ", "your real answer 75 times in 100, ", "the other one 25 times."],
  });
  assert.equal(sentOf(question), "1 for yes or 0 for no.");
  assert.match(oddsOf(questionWith(subset, { parts: [] })).parts[1], /^your real answer pair /);
});

test("a bound on a guess is a plain number, and the picture shows it", () => {
  speak("en");
  const laplace = { name: "laplace", steps: 64, reach: 9, threshold: String(2n ** 63n), odds: `${2n ** 64n}:1` };
  const { times, parts } = oddsOf(questionWith({ ...laplace, epsilon: "45" }));
  assert.equal(times, 100);
  assert.deepEqual(parts.slice(1), ["right at most 100 times in 100, ", "wrong at least 0 times."]);
});

test("the lead of a plain sentence is short in every language, and every other one tells how it is drawn", () => {
  for (const tag of TAGS) {
    speak(tag);
    for (const { mechanism, odds } of TOLD) {
      const [lead] = oddsOf(questionWith(mechanism)).parts;
      const isPlain = mechanism.name === "subset" && odds.key === "odds_one";
      // The same number as in form/first.js.
      assert.equal(lead.trim().split(" ").length <= 6, isPlain, `${tag}: ${lead}`);
    }
  }
});

test("the form names no mechanism", async () => {
  const files = (await readdir(join(PACKAGE, "form"))).filter((file) => file.endsWith(".js"));
  for (const file of files) {
    const source = await readFile(join(PACKAGE, "form", file), "utf8");
    for (const { NAME } of MECHANISMS) assert.doesNotMatch(source, new RegExp(`["'\`.]${NAME}\\b`), `${file} ${NAME}`);
  }
});

const QUESTIONS = payloadOf((await surveyOfVectors("everything")).envelope).questions.map(readQuestion);

/** @param {string} id */
function asked(id) {
  const parts = QUESTIONS.flatMap((/** @type {any} */ question) => question.parts ?? [question]);
  return parts.find((/** @type {any} */ part) => part.id === id);
}

test("every type offers its answers by name, yes before no, and the extras last", () => {
  speak("en", { title: "", consent: "", translations: {} });
  for (const { NAME } of QUESTION_TYPES) {
    const question = QUESTIONS.find((/** @type {any} */ { type }) => type === NAME);
    assert.ok(Array.isArray(choicesOf(question)), NAME);
  }
  const offered = (/** @type {string} */ id) => categoriesOf(asked(id)).map(([value, name]) => [value, name]);
  assert.deepEqual(offered("asked"), [
    [true, "Yes"],
    [false, "No"],
    ["decline", "Prefer not to say"],
    ["does_not_apply", "Does not apply"],
  ]);
  assert.deepEqual(offered("way").slice(0, 2), [
    ["1", "Bus"],
    ["0", "Tram – «gelb»"],
  ]);
  assert.deepEqual(choicesOf(asked("stress")).slice(0, 2), [
    [-1, "-1", "none"],
    [0, "0", undefined],
  ]);
  assert.deepEqual(offered("age"), [["decline", "Prefer not to say"]]);
});

test("an answer of every type has a name", () => {
  speak("en", { title: "", consent: "", translations: {} });
  for (const [id, answer, name] of /** @type {[string, any, string][]} */ ([
    ["asked", false, "No"],
    ["way", "0", "Tram – «gelb»"],
    ["stress", 4, "4 – much"],
    ["ways", ["car", "1"], "Bus, Car"],
    ["ways", [], "None of these"],
    ["ways", "decline", "Prefer not to say"],
    ["hours", 7.1, "7.1"],
    ["hours", 0.0000001, "0.0000001"],
    ["age", "decline", "Prefer not to say"],
  ])) {
    assert.equal(nameAnswer(asked(id), answer), name);
  }
});

test("answers are shown in the words of a translation", async () => {
  const { payloads } = await vectors("manifests");
  const fields = payloads.good.map(JSON.parse).find((/** @type {any} */ { survey }) => survey === "shown");
  const [, often, , , stress] = fields.questions.map(readQuestion);
  speak("fr", fields);
  assert.deepEqual(
    choicesOf(often).map(([, name]) => name),
    ["jamais", "souvent"],
  );
  assert.deepEqual(
    choicesOf(stress).map(([, , label]) => label),
    ["aucun", undefined, "beaucoup"],
  );
});
