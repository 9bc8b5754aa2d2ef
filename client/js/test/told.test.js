/** What apps are told about a question: the sentences of the form, to the letter as in Python. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { verify } from "../src/index.js";
import { MECHANISMS } from "../src/mechanisms/index.js";
import { readQuestion } from "../src/question_types/index.js";
import { withWords } from "../src/strict/told.js";
import { LANGUAGES, MECHANISM_WORDS } from "../src/strict/words.js";
import { PACKAGE, publish, surveyOfVectors, vectors, yesNo } from "./support.js";

const { always, found, questions, surveys } = await vectors("told");

/** @param {string} name */
async function surveyQuestions(name) {
  const { envelope } = await surveyOfVectors(name);
  return (await verify(envelope, null)).questions;
}
const MANIFESTS = { everything: await surveyQuestions("everything"), panel: await surveyQuestions("panel") };

/** @param {{ survey: string, id: string }} place */
function questionOf({ survey, id }) {
  const question = MANIFESTS[/** @type {keyof typeof MANIFESTS} */ (survey)].find((each) => each.id === id);
  assert.ok(question);
  return question;
}

for (const tag of Object.keys(always)) {
  test(`${tag}: every mechanism is told as in Python, to the letter`, async () => {
    for (const { fields, told } of questions) {
      const [question] = withWords(/** @type {any} */ ({ questions: [readQuestion(fields)] })).questions;
      assert.deepEqual(await question.told(tag), { ...always[tag], ...told[tag] }, fields.id);
    }
    for (const { told, ...place } of surveys) {
      assert.deepEqual(await questionOf(place).told(tag), { ...always[tag], ...told[tag] }, place.id);
    }
  });
}

test("the vectors have every mechanism and every language", () => {
  const small = questions.map((/** @type {any} */ { fields }) => fields.mechanism.name);
  const signed = surveys.map((/** @type {any} */ place) => questionOf(place).design.name);
  assert.deepEqual(new Set([...small, ...signed]), new Set(MECHANISMS.map(({ NAME }) => NAME)));
  assert.deepEqual(Object.keys(always), Object.keys(LANGUAGES));
});

test("a language is found by its tag or its primary language, else it is English", async () => {
  const [question] = MANIFESTS.everything;
  for (const [tag, language] of Object.entries(found)) assert.equal((await question.told(tag)).language, language, tag);
  // What every object has is no language.
  for (const tag of ["constructor", "__proto__", "../en", "names"]) {
    assert.equal((await question.told(tag)).language, "en", tag);
  }
});

test("what is told is frozen, and a question can still be copied to a worker", async () => {
  const manifest = await verify(publish({ questions: [yesNo()] }), null);
  const [question] = manifest.questions;
  assert.ok(Object.isFrozen(await question.told("fr")));
  assert.equal(structuredClone(question).id, "cheated");
  assert.throws(() => Object.assign(question, { told: null }), TypeError);
});

test("a part of a pair is told with its pair", () => {
  const pair = MANIFESTS.everything.find(({ type }) => type === "pair");
  assert.deepEqual(
    pair?.parts?.map((part) => "told" in part),
    [false, false],
  );
});

test("every file of words can be loaded, and is JSON in the frame of a module", async () => {
  const files = (await readdir(join(PACKAGE, "words"), { recursive: true })).filter((file) => file.endsWith(".js"));
  const mechanisms = Object.keys(MECHANISM_WORDS).map((name) => join("mechanisms", name));
  assert.deepEqual(files.sort(), [...Object.keys(LANGUAGES), ...mechanisms].map((name) => `${name}.js`).sort());
  assert.deepEqual(Object.keys(MECHANISM_WORDS), MECHANISMS.map(({ NAME }) => NAME).sort());
  for (const file of files) {
    const [, json] = /^export default (\{.*\});\n$/s.exec(await readFile(join(PACKAGE, "words", file), "utf8")) ?? [];
    assert.deepEqual(JSON.parse(json), (await import(`../words/${file}`)).default, file);
  }
});
