import assert from "node:assert/strict";
import { test } from "node:test";
import { ManifestRefused } from "../src/errors.js";
import { verify } from "../src/manifest.js";
import { Repeated } from "../src/mechanisms/repeated.js";
import { rowsOf } from "../src/panels.js";
import { identityOf } from "../src/permanent.js";
import { readQuestion } from "../src/question_types/index.js";
import { verifyStrictly } from "../src/strict/verify.js";
import { normalForm } from "../src/texts.js";
import { envelopeOf, KEY, payloadOf, surveyOfVectors, vectors } from "./support.js";

const { normal, questions, refused, allowed } = await vectors("texts");
const { payloads } = await vectors("manifests");
const FIELDS = payloads.good.map(JSON.parse).find((/** @type {any} */ { survey }) => survey === "shown");
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
  const design = /** @type {any} */ ({ remembered: { size: 2, threshold: 5n } });
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
  assert.equal(identityOf({ design: /** @type {any} */ ({}), spelling: "{}" }), undefined);
});

test("the page refuses fields that nobody looks at, in a part of a pair too, and looks at no other of an option", async () => {
  const fields = payloadOf((await surveyOfVectors("panel")).envelope);
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
    await assert.rejects(weighed(question), ManifestRefused);
  }
  const part = (/** @type {any} */ changes) => ({ id: "a", text: "A?", type: "yes_no", extras: [], ...changes });
  const mechanism = { ...mood.mechanism, size: 4 };
  const { odds } = new Repeated({
    size: 4,
    permanent: BigInt(mechanism.permanent),
    instant: BigInt(mechanism.instant),
  });
  const pair = (/** @type {any} */ changes) => ({
    id: "both",
    text: "Both",
    type: "pair",
    parts: [part(changes), part({ id: "b" })],
    when: null,
    mechanism: { ...mechanism, odds, epsilon: "4" },
  });
  const other = { ...fields, epsilon: "4" };
  const verifyPair = (/** @type {any} */ changes) =>
    verify(envelopeOf(JSON.stringify({ ...other, questions: [pair(changes)] })), KEY);
  assert.equal((await verifyPair({})).questions.length, 1);
  await assert.rejects(verifyPair({ nonce: 1 }), ManifestRefused);
  const design = /** @type {any} */ ({ remembered: { size: 2, threshold: 5n } });
  /** @param {any} option */
  const identity = (option) => identityOf({ design, spelling: JSON.stringify({ options: ["no", option] }) });
  assert.equal(identity(["y", "yes", "nonce"]), identity("yes"));
});
