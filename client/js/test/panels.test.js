/** Waves of a panel: what cannot be seen costs nothing, what is new is told, and no answer decides who takes part. */
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { Client } from "../src/client.js";
import { AlreadyAnswered, EpsilonCapExceeded, ManifestRefused } from "../src/errors.js";
import { MemoryState } from "../src/state.js";
import { envelopeOf, KEY, payloadOf, serve, surveyOfVectors, vectors } from "./support.js";

const { normal } = await vectors("texts");
const PANEL = payloadOf((await surveyOfVectors("panel")).envelope);
const [MOOD, SURE] = PANEL.questions;
const EPSILON = MOOD.mechanism.epsilon;

/** One repeated question; what each wave makes of it. @param {string} survey @param {any} changes */
function wave(survey, changes = {}) {
  return JSON.stringify({ ...PANEL, survey, epsilon: EPSILON, questions: [{ ...MOOD, ...changes }] });
}

/**
 * Serve waves by their names.
 * @param {import("node:test").TestContext} context @param {(survey: string) => string} envelope
 */
function panel(context, envelope) {
  return serve(context, ({ method, url }) =>
    method === "GET" ? { body: envelope(String(url).split("/")[4]) } : { status: 201, body: { status: "accepted" } },
  );
}

/** Sign a payload with another key. @param {string} payload */
function byAnotherKey(payload) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const bytes = Buffer.from(payload);
  const signature = sign(null, Buffer.concat([Buffer.from("hushpoll manifest 1\n"), bytes]), privateKey);
  const key = `ed25519:${publicKey.export({ format: "jwk" }).x}`;
  const envelope = { payload: bytes.toString("base64url"), signature: signature.toString("base64url"), key };
  return { key, envelope: JSON.stringify(envelope) };
}

test("25 waves with invisible changes have the same permanent draws and cost once", async (context) => {
  const alike = normal.filter((/** @type {any} */ { normal: form }) => form === "Do you smoke?");
  const texts = Array.from({ length: 25 }, (_, i) => alike[i % alike.length].text + "\u200b".repeat(i));
  const { url } = await panel(context, (name) => envelopeOf(wave(name, { text: texts[Number(name.slice(5))] })));
  const state = new MemoryState();
  const client = new Client(url, { key: KEY, state });
  for (let i = 0; i < 25; i += 1) {
    const survey = await client.survey(`wave-${i}`);
    assert.deepEqual([survey.knowsPanel, survey.newQuestions], [i > 0, []]);
    await client.submit(survey.randomize({ mood: true }));
  }
  assert.equal(await client.spent(), EPSILON);
  assert.equal(new Set((await state.read()).flatMap(({ memos = [] }) => memos)).size, 1);
});

test("25 waves with really different texts are told before and refused at the cap", async (context) => {
  const server = await panel(context, (name) => envelopeOf(wave(name, { text: `Question ${name}?` })));
  const client = new Client(server.url, { key: KEY });
  const asked = [];
  for (let i = 0; i < 25; i += 1) {
    try {
      const survey = await client.survey(`wave-${i}`);
      asked.push(survey.newQuestions);
      await client.submit(survey.randomize({ mood: true }));
    } catch (error) {
      assert.ok(error instanceof EpsilonCapExceeded);
      assert.match(error.message, /all waves of the panel mood-panel would be epsilon .*, above maxPanelEpsilon \(8\)/);
    }
  }
  const most = Math.floor(8 / Number(EPSILON));
  assert.deepEqual(asked, [[], ...Array(most - 1).fill(["mood"])]);
  assert.equal(server.reports().length, most);
});

test("an app can set the cap of a panel", async (context) => {
  const { url } = await panel(context, (name) => envelopeOf(wave(name, { text: `Question ${name}?` })));
  const client = new Client(url, { key: KEY, maxPanelEpsilon: EPSILON });
  await client.submit((await client.survey("wave-1")).randomize({ mood: true }));
  await assert.rejects(client.survey("wave-2"), EpsilonCapExceeded);
  const other = new Client(url, { key: KEY, maxPanelEpsilon: "0.1" });
  await assert.rejects(other.survey("wave-1"), EpsilonCapExceeded);
});

test("questions that are not repeated count in every wave of a panel", async (context) => {
  const sure = { ...SURE, mechanism: SURE.mechanism };
  const { url } = await panel(context, (name) =>
    envelopeOf(JSON.stringify({ ...PANEL, survey: name, questions: [MOOD, sure] })),
  );
  const client = new Client(url, { key: KEY });
  let waves = 0;
  while (waves < 25) {
    try {
      await client.submit((await client.survey(`wave-${waves}`)).randomize({ mood: true, sure: true }));
      waves += 1;
    } catch {
      break;
    }
  }
  assert.equal(waves, Math.floor((8 - Number(EPSILON)) / Number(SURE.mechanism.epsilon)));
});

test("near the total cap, a wave that repeats an answer and one that changes it meet the same end", async (context) => {
  const { url } = await panel(context, (name) => envelopeOf(wave(name)));
  for (const [limit, waves] of /** @type {[number, number][]} */ ([
    [1, 1],
    [1.5, 1],
    [2, 2],
    [3, 25],
  ])) {
    const ends = [];
    for (const second of [true, false]) {
      const cap = String(Number(EPSILON) * limit + 0.0001);
      const client = new Client(url, { key: KEY, maxTotalEpsilon: cap.slice(0, 12) });
      let sent = 0;
      try {
        for (; sent < 25; sent += 1) {
          const survey = await client.survey(`wave-${sent}`);
          await client.submit(survey.randomize({ mood: sent === 1 ? second : true }));
        }
      } catch (error) {
        assert.ok(error instanceof EpsilonCapExceeded);
      }
      ends.push(sent);
    }
    assert.deepEqual(ends, [waves, waves], `limit ${limit}`);
  }
});

test("near the total cap, a report is kept or refused whatever it answers, when another survey came between", async (context) => {
  const { url } = await panel(context, (name) => envelopeOf(wave(name)));
  const ends = [];
  for (const mood of [true, false]) {
    const client = new Client(url, { key: KEY, maxTotalEpsilon: String(2 * Number(EPSILON) + 0.1).slice(0, 10) });
    await client.submit((await client.survey("wave-1")).randomize({ mood: true }));
    const [second, third] = [await client.survey("wave-2"), await client.survey("wave-3")];
    await client.submit(second.randomize({ mood: true }));
    ends.push(await client.submit(third.randomize({ mood })).then(String, ({ name }) => name));
  }
  assert.deepEqual(ends, ["EpsilonCapExceeded", "EpsilonCapExceeded"]);
});

test("the identical manifest under another key is found: it is not drawn again", async (context) => {
  const payload = wave("wave-1");
  const again = byAnotherKey(payload);
  let envelope = envelopeOf(payload);
  const server = await panel(context, () => envelope);
  const state = new MemoryState();
  const client = new Client(server.url, { key: KEY, state });
  await client.submit((await client.survey("wave-1")).randomize({ mood: true }));
  envelope = again.envelope;
  const other = new Client(server.url, { key: again.key, state });
  const survey = await other.survey("wave-1");
  await assert.rejects(other.submit(survey.randomize({ mood: false })), AlreadyAnswered);
  assert.equal(server.reports().length, 1);
});

test("another survey of the same name from another publisher is another survey", async (context) => {
  const again = byAnotherKey(wave("wave-1", { text: "Something else?" }));
  let envelope = envelopeOf(wave("wave-1"));
  const server = await panel(context, () => envelope);
  const state = new MemoryState();
  const client = new Client(server.url, { key: KEY, state });
  await client.submit((await client.survey("wave-1")).randomize({ mood: true }));
  envelope = again.envelope;
  const other = new Client(server.url, { key: again.key, state });
  const survey = await other.survey("wave-1");
  assert.deepEqual([survey.knowsPanel, survey.newQuestions], [false, []]);
  await other.submit(survey.randomize({ mood: true }));
  assert.equal(server.reports().length, 2);
  await assert.rejects(client.survey("wave-1"), ManifestRefused);
});

test("a panel that goes on under another key costs again, and says so", async (context) => {
  const again = byAnotherKey(wave("wave-2"));
  const server = await panel(context, (name) => (name === "wave-1" ? envelopeOf(wave(name)) : again.envelope));
  const state = new MemoryState();
  const client = new Client(server.url, { key: KEY, state });
  await client.submit((await client.survey("wave-1")).randomize({ mood: true }));
  const other = new Client(server.url, { key: again.key, state });
  const survey = await other.survey("wave-2");
  assert.deepEqual([survey.knowsPanel, survey.newQuestions], [true, ["mood"]]);
  const strict = new Client(server.url, { key: again.key, state, maxPanelEpsilon: EPSILON });
  await assert.rejects(strict.survey("wave-2"), EpsilonCapExceeded);
});
