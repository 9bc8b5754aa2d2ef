import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidValue, ManifestRefused, Unsupported } from "../src/errors.js";
import { verify as verifyAsPage } from "../src/manifest.js";
import { verifyStrictly as verify } from "../src/strict/verify.js";
import { envelopeOf, fieldsOf, KEY, publish, vectors, yesNo } from "./support.js";

const { key, good, bad, payloads } = await vectors("manifests");
const EVERYTHING = JSON.parse(payloads.good[0]);

test("every good manifest of the vectors is accepted, with the same id and epsilon", async () => {
  for (const { name, envelope, id, epsilon } of good) {
    const manifest = await verify(envelope, key);
    assert.equal(manifest.id, id, name);
    assert.equal(String(manifest.epsilon), epsilon, name);
  }
});

test("every bad manifest of the vectors is refused", async () => {
  assert.ok(bad.length > 40);
  for (const { name, envelope } of bad) {
    await assert.rejects(verify(envelope, key), ManifestRefused, name);
    await assert.rejects(verify(new TextEncoder().encode(envelope), key), ManifestRefused, name);
  }
});

test("every good payload of the vectors is accepted, by an app and by the page, with all that the page shows", async () => {
  assert.ok(payloads.good.length > 5);
  for (const payload of payloads.good) {
    const fields = JSON.parse(payload);
    for (const read of [verify, verifyAsPage]) {
      const manifest = await read(envelopeOf(payload), KEY);
      assert.equal(String(manifest.epsilon), fields.epsilon);
      for (const key of /** @type {const} */ (["ask", "panel", "language", "translations", "hosts"])) {
        assert.deepEqual(manifest[key], fields[key]);
      }
      assert.deepEqual(
        manifest.questions.map(({ id, when }) => [id, when]),
        fields.questions.map((/** @type {any} */ { id, when }) => [id, when]),
      );
    }
  }
});

test("every bad payload of the vectors is refused by an app", async () => {
  assert.ok(payloads.refused.length > 100);
  for (const { payload, why } of payloads.refused) {
    await assert.rejects(verify(envelopeOf(payload), KEY), ManifestRefused, why);
  }
});

test("there is one format, and it has all its keys in order", async () => {
  for (const format of ["hushpoll-manifest-2", "hushpoll-manifest-3", "hushpoll-manifest-", "", null, 1]) {
    await assert.rejects(verify(publish({ format }), KEY), /format is unknown: update Hushpoll/);
    await assert.rejects(verifyAsPage(publish({ format }), KEY), /format is unknown: update Hushpoll/);
  }
  const fields = fieldsOf();
  for (const key of Object.keys(fields)) {
    const { [key]: value, ...others } = /** @type {Record<string, unknown>} */ (fields);
    await assert.rejects(verify(envelopeOf(JSON.stringify(others)), KEY), ManifestRefused, `without ${key}`);
    if (key === "questions") continue;
    const last = JSON.stringify({ ...others, [key]: value });
    await assert.rejects(verify(envelopeOf(last), KEY), /must have exactly format, survey, title/, `${key} last`);
  }
});

test("without a pinned key the envelope's own key is used", async () => {
  assert.equal((await verify(good[0].envelope, null)).survey, "campus");
  await assert.rejects(verify(good[0].envelope, "ed25519:short"), InvalidValue);
});

test("a manifest is frozen through and through", async () => {
  for (const payload of payloads.good) {
    const manifest = await verify(envelopeOf(payload), KEY);
    for (const value of [manifest, ...Object.values(manifest)]) assert.ok(Object.isFrozen(value));
    for (const question of manifest.questions) {
      for (const value of [question, ...Object.values(question), ...Object.values(question.design)]) {
        assert.ok(Object.isFrozen(value), question.id);
      }
    }
  }
});

test("an envelope may be spelled in any way, but has each key once", async () => {
  const { payload, signature } = JSON.parse(publish());
  assert.ok(await verify(` {"key" : "${KEY}",\n "signature":"${signature}", "payload":"${payload}"}\n`, KEY));
  const twice = `{"key":"${KEY}","key":"${KEY}","signature":"${signature}","payload":"${payload}"}`;
  await assert.rejects(verify(twice, KEY), /same key twice/);
  await assert.rejects(verify(`\ufeff${publish()}`, KEY), ManifestRefused);
});

test("base64url has one spelling", async () => {
  const envelope = JSON.parse(publish());
  const last = { A: "B", Q: "R", g: "h", w: "x" };
  const signature = /** @type {string} */ (envelope.signature);
  const end = /** @type {keyof typeof last} */ (signature.at(-1));
  const spellings = [`${signature}==`, ` ${signature}`, `${signature}\n`, signature.slice(0, -1) + last[end]];
  for (const spelling of spellings) {
    await assert.rejects(verify(JSON.stringify({ ...envelope, signature: spelling }), KEY), /base64url/, spelling);
  }
});

test("texts are measured as Python measures them", async () => {
  const accepted = ["\ufeff", "🙂".repeat(10_000), " x ", "\u200b"];
  const refused = [
    "",
    " \n\t",
    "\u0085\u001c\u001f\u00a0\u3000",
    "🙂".repeat(10_001),
    "\ud800",
    "x\udc00",
    null,
    7,
    ["x"],
  ];
  for (const title of accepted) assert.equal((await verify(publish({ title }), KEY)).title, title);
  for (const title of refused) await assert.rejects(verify(publish({ title }), KEY), ManifestRefused);
});

test("times exist, in UTC, the opening first", async () => {
  const accepted = ["2026-11-16T09:00:00Z", "2028-02-29T23:59:59Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
  const refused = [
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "2026-00-10T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00.000Z",
    "2026-01-01",
    "",
    0,
    true,
  ];
  for (const opens of accepted) assert.equal((await verify(publish({ opens }), KEY)).opens, opens);
  for (const opens of refused) await assert.rejects(verify(publish({ opens }), KEY), ManifestRefused, String(opens));
  const same = { opens: accepted[0], closes: accepted[0] };
  await assert.rejects(verify(publish(same), KEY), /closes before it opens/);
});

test("a population is a number of people", async () => {
  for (const population of [1, 10 ** 10])
    assert.equal((await verify(publish({ population }), KEY)).population, population);
  for (const population of [0, -1, 10 ** 10 + 1, 1.5, "1", true, []]) {
    await assert.rejects(verify(publish({ population }), KEY), ManifestRefused);
  }
  const payload = JSON.stringify(fieldsOf());
  for (const spelling of ["1e3", "1.0", "-0", "01", "9007199254740993"]) {
    const changed = payload.replace('"population":null', `"population":${spelling}`);
    await assert.rejects(verify(envelopeOf(changed), KEY), ManifestRefused, spelling);
  }
});

test("a survey has between 1 and 200 questions", async () => {
  const questions = Array.from({ length: 201 }, (_, i) => ({ ...fieldsOf().questions[0], id: `q${i}` }));
  await assert.rejects(verify(publish({ questions, epsilon: "400" }), KEY), /a list of 1 to 200/);
  const manifest = await verify(publish({ questions: questions.slice(0, 200), epsilon: "400" }), KEY);
  assert.equal(String(manifest.epsilon), "219.72245773362193828");
});

test("the mechanism of a question has one spelling", async () => {
  const publishMechanism = (/** @type {object} */ changes) => {
    const [question] = fieldsOf().questions;
    return publish({ questions: [{ ...question, mechanism: { ...question.mechanism, ...changes } }] });
  };
  assert.ok(await verify(publishMechanism({ epsilon: "2" }), KEY));
  for (const changes of [{ size: "2" }, { threshold: "013835058055282163712" }, { note: 1 }, { epsilon: 2 }]) {
    await assert.rejects(verify(publishMechanism(changes), KEY), ManifestRefused, JSON.stringify(changes));
  }
});

test("a large manifest is read, one that is too large is not", async () => {
  const consent = "x".repeat(10_000);
  const many = Array.from({ length: 90 }, (_, i) => yesNo({ id: `q${i}`, text: "🙂".repeat(10_000) }));
  const questions = [...EVERYTHING.questions, ...many];
  const fields = { ...EVERYTHING, consent, epsilon: "400", questions };
  assert.ok(JSON.stringify(fields).length > 1_000_000);
  assert.equal((await verify(envelopeOf(JSON.stringify(fields)), KEY)).questions.length, questions.length);
  const more = many.map(({ id, ...rest }) => ({ id: `${id}-more`, ...rest }));
  const larger = JSON.stringify({ ...fields, questions: [...questions, ...more] });
  await assert.rejects(verify(envelopeOf(larger), KEY), /too large/);
});

test("hostile payloads are refused, never crash", async () => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const payload = JSON.stringify(fieldsOf());
  const hostile = [
    "",
    "null",
    "[]",
    deep,
    payload.replace('"Campus"', deep),
    payload.replace('"questions":[', '"questions":[null,'),
  ];
  for (const text of [...hostile, `${payload}${" ".repeat(1_000_000)}`, payload.replace("title", "__proto__")]) {
    await assert.rejects(verify(envelopeOf(text), KEY), ManifestRefused);
  }
  await assert.rejects(verify(`${publish()}${" ".repeat(6_000_000)}`, KEY), /too large/);
});

test("a browser without Ed25519 gets a message with the cure", async (context) => {
  const unsupported = () => Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"));
  context.mock.method(crypto.subtle, "importKey", unsupported);
  await assert.rejects(
    verify(publish(), KEY),
    (error) => error instanceof Unsupported && /current browser/.test(error.message),
  );
});
