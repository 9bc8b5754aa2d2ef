import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "../src/client.js";
import { Epsilon } from "../src/epsilon.js";
import { EpsilonCapExceeded } from "../src/errors.js";
import { FileState } from "../src/node.js";
import { remember } from "../src/permanent.js";
import { MemoryState } from "../src/state.js";
import { envelopeOf, folder, KEY, payloadOf, serve, surveyOfVectors } from "./support.js";

const PANEL = payloadOf((await surveyOfVectors("panel")).envelope);
const [REPEATED, PLAIN] = PANEL.questions.map((/** @type {any} */ { mechanism }) => mechanism.epsilon);
const BOTH = String(Epsilon.parse(REPEATED).plus(Epsilon.parse(PLAIN)));

/** Serve as many waves of the panel as are asked for. @param {import("node:test").TestContext} context */
function panel(context) {
  return serve(context, ({ method, url }) =>
    method === "GET"
      ? { body: envelopeOf(JSON.stringify({ ...PANEL, survey: String(url).split("/")[4] })) }
      : { status: 201, body: { status: "accepted" } },
  );
}

/** @param {Client} client @param {string} wave @param {boolean | null} mood */
async function answer(client, wave, mood) {
  const survey = await client.survey(wave);
  const report = survey.randomize({ mood, sure: true });
  await client.submit(report);
  return report;
}

test("an unchanged answer is paid for once, a changed one again", async (context) => {
  const { url } = await panel(context);
  const state = new MemoryState();
  const client = new Client(url, { key: KEY, state });
  for (const [wave, mood] of /** @type {[string, boolean | null][]} */ ([
    ["wave-1", true],
    ["wave-2", true],
    ["wave-3", false],
    ["wave-4", true],
    ["wave-5", null],
  ])) {
    await answer(client, wave, mood);
  }
  const costs = (await state.read()).filter(({ key }) => key === KEY).map(({ epsilon }) => epsilon);
  assert.deepEqual(costs, [BOTH, PLAIN, BOTH, PLAIN, BOTH]);
});

test("the same report again is charged once", async (context) => {
  const { url } = await panel(context);
  const client = new Client(url, { key: KEY });
  const report = await answer(client, "wave-1", true);
  await client.submit(report);
  assert.equal(await client.spent(), BOTH);
});

test("a device keeps its secret, and with it its permanent draws", async (context) => {
  const path = join(await folder(context), "state.json");
  const { url } = await panel(context);
  const { manifest } = await new Client(url, { key: KEY, state: new FileState(path) }).survey("wave-1");
  const memories = [new FileState(path), new FileState(path), new MemoryState()].map(async (state) =>
    (await remember(manifest, state, KEY))({ take: () => assert.fail("a device with a secret takes no other") }),
  );
  const [first, again, other] = await Promise.all(memories);
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, other);
  const [entry] = (await new FileState(path).read()).filter(({ secret }) => secret);
  assert.match(String(entry.secret), /^[0-9a-f]{64}$/);
  assert.equal(entry.epsilon, "0");
});

test("two that ask for the secret at once get the same one", async (context) => {
  const { url } = await panel(context);
  const state = new FileState(join(await folder(context), "state.json"));
  const { manifest } = await new Client(url, { key: KEY }).survey("wave-1");
  const recalls = await Promise.all([1, 2, 3].map(() => remember(manifest, state, KEY)));
  const memories = recalls.map((recall) => recall({ take: () => new Uint8Array(0) }));
  for (const memory of memories) assert.deepEqual(memory, memories[0]);
  assert.equal((await state.read()).length, 1);
});

test("neither secret nor tags leave the device, nor do they stand in the report", async (context) => {
  const server = await panel(context);
  const state = new MemoryState();
  const client = new Client(server.url, { key: KEY, state });
  const report = await answer(client, "wave-1", true);
  assert.deepEqual(await client.flush(), []);
  const entries = await state.read();
  const hidden = entries.flatMap(({ secret = [], memos = [] }) => [secret, memos].flat());
  assert.equal(hidden.length, 2);
  const seen = JSON.stringify([server.requests, report, await client.receipt("wave-1")]);
  for (const text of hidden) assert.ok(!seen.includes(text));
  assert.equal(server.reports().length, 1);
});

test("who took part does not depend on the answer: the cap is checked before it is given", async (context) => {
  const server = await panel(context);
  const client = new Client(server.url, { key: KEY, maxTotalEpsilon: "4" });
  await answer(client, "wave-1", true);
  await assert.rejects(client.survey("wave-2"), EpsilonCapExceeded);
  assert.ok(await client.survey("wave-1"));
});
