import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidValue, ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { rowsOf } from "../src/panels.js";
import { identityOf } from "../src/permanent.js";
import { readQuestion } from "../src/questions.js";
import { verifyStrictly } from "../src/strict.js";
import { normalForm } from "../src/texts.js";
import { envelopeOf, KEY, vectors } from "./support.js";

const { normal, questions, refused, allowed } = await vectors("texts");
const { good } = await vectors("manifests3");
const FIELDS = JSON.parse(good[0]);
/** Where people read texts: what each of these changes. @type {[string, (fields: any, mark: string) => void][]} */
const PLACES = [
  ["title", (fields, mark) => Object.assign(fields, { title: fields.title + mark })],
  ["consent", (fields, mark) => Object.assign(fields, { consent: fields.consent + mark })],
  ["question", ({ questions: [question] }, mark) => Object.assign(question, { text: mark + question.text })],
  ["option", ({ questions: [, { options }] }, mark) => Object.assign(options[1], { 1: options[1][1] + mark })],
  ["translation", ({ translations: { fr } }, mark) => Object.assign(fr, { title: fr.title + mark })],
];

/** @param {(fields: any, mark: string) => void} change @param {string} mark */
function changed(change, mark) {
  const fields = structuredClone(FIELDS);
  change(fields, mark);
  return envelopeOf(JSON.stringify(fields));
}

test("texts have the same normal form as in Python", () => {
  for (const { name, text, normal: form } of normal) assert.equal(normalForm(text), form, name);
});

test("repeated questions are the same in all waves by the same text as in Python", () => {
  for (const { fields, identity } of questions) assert.equal(identityOf(readQuestion(fields)), identity);
});

for (const [place, change] of PLACES) {
  test(`the page and the SDK refuse a ${place} that an invisible character turns`, async () => {
    for (const mark of refused) {
      const turned = { name: "ManifestRefused", message: /direction/ };
      await assert.rejects(verify(changed(change, mark), KEY), turned);
      await assert.rejects(verifyStrictly(changed(change, mark), KEY), turned);
    }
  });

  test(`marks that languages need are not refused in a ${place}`, async () => {
    for (const mark of allowed) {
      await verify(changed(change, mark), KEY);
      await verifyStrictly(changed(change, mark), KEY);
    }
  });
}

test("an escaped character is refused by the page as a written one is", async () => {
  const payload = JSON.stringify({ ...FIELDS, title: "Campus@" }).replace("@", "\\u202e");
  await assert.rejects(verify(envelopeOf(payload), KEY), ManifestRefused);
});

test("what cannot be seen makes no other question, what can be seen does", () => {
  const design = { permanent: { size: 2, threshold: 5n } };
  const one = { id: "mood", text: "Good day?", type: "single_choice", options: ["no", ["y", "yes"]], extras: [] };
  /** @param {any} changes */
  const identity = (changes) => identityOf({ design, spelling: JSON.stringify({ ...one, ...changes }) });
  for (const text of ["Good day?\u200b", " Good\u00a0 day?", "Go\u00adod day?\ufe0f"]) {
    assert.equal(identity({ text }), identity({}));
  }
  assert.equal(identity({ options: ["no\u2060", ["Y", "yes "]] }), identity({}));
  assert.equal(identity({ options: ["no", "yes"] }), identity({}));
  for (const other of [{ text: "Bad day?" }, { options: ["yes", "no"] }, { id: "moods" }]) {
    assert.notEqual(identity(other), identity({}));
  }
  assert.equal(identityOf({ design: {}, spelling: "{}" }), undefined);
});

test("the page refuses fields of a repeated question that nobody looks at, and looks at no other of an option", async () => {
  const { surveys } = await vectors("reports2");
  const { envelope } = surveys.find((/** @type {any} */ { name }) => name === "panel");
  const fields = JSON.parse(Buffer.from(JSON.parse(envelope).payload, "base64url").toString());
  const [mood] = fields.questions;
  /** @param {any} question */
  const weighed = async (question) =>
    rowsOf(await verify(envelopeOf(JSON.stringify({ ...fields, questions: [question] })), KEY));
  await weighed(mood);
  const { id, ...others } = mood;
  for (const question of [
    { ...mood, nonce: 1 },
    { ...others, id },
    { ...mood, min: 2 },
  ]) {
    await assert.rejects(weighed(question), InvalidValue);
  }
  const design = { permanent: { size: 2, threshold: 5n } };
  /** @param {any} option */
  const identity = (option) => identityOf({ design, spelling: JSON.stringify({ options: ["no", option] }) });
  assert.equal(identity(["y", "yes", "nonce"]), identity("yes"));
});
