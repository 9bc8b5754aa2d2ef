import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "../src/client.js";
import { EpsilonCapExceeded, ManifestRefused, ServerRefused, ServerUnreachable } from "../src/errors.js";
import { FileState } from "../src/node.js";
import { MemoryState } from "../src/state.js";
import { folder, KEY, publish, serve } from "./support.js";

/** @import { Entry, Options, State } from "../src/types.js" */

const AWAY = { status: 503 };
const ACCEPTED = { status: 201, body: { status: "accepted" } };

/** Serve a survey until the test changes the reply. @param {import("node:test").TestContext} context */
async function site(context) {
  /** @type {{ manifest: import("./support.js").Reply, report: import("./support.js").Reply }} */
  const replies = { manifest: { body: publish() }, report: ACCEPTED };
  const server = await serve(context, ({ method }) => (method === "GET" ? replies.manifest : replies.report));
  const client = (/** @type {Partial<Options>} */ options) => new Client(server.url, { key: KEY, ...options });
  return { server, replies, client };
}

/** A state as an app may have written its own, with nothing but what `State` asks for. @implements {State} */
class OwnState {
  /** @type {Map<string, string>} */
  #kept = new Map();

  async read() {
    return [...this.#kept.values()].map((text) => JSON.parse(text));
  }

  /** @param {(entries: readonly Entry[]) => Entry} change */
  async update(change) {
    const entry = change(await this.read());
    this.#kept.set(`${entry.key}\n${entry.survey}`, JSON.stringify(entry));
    return entry;
  }
}

/** @type {Record<string, (context: import("node:test").TestContext) => Promise<State>>} */
const STATES = {
  MemoryState: async () => new MemoryState(),
  FileState: async (context) => new FileState(join(await folder(context), "state.json")),
  "A state of the app's own": async () => new OwnState(),
};

for (const [name, make] of Object.entries(STATES)) {
  test(`${name} lets a survey be answered while the server is away, and sends the report later`, async (context) => {
    const { server, replies, client } = await site(context);
    const state = await make(context);
    await client({ state }).survey("campus");
    Object.assign(replies, { manifest: AWAY, report: AWAY });
    const offline = client({ state });
    const report = (await offline.survey("campus")).randomize({ cheated: true });
    assert.equal((await offline.submit(report)).status, "queued");
    assert.equal(await offline.spent(), "1.0986122886681096914");
    replies.report = ACCEPTED;
    assert.deepEqual(await offline.flush(), [{ status: "accepted", survey: "campus", id: report.id }]);
    assert.deepEqual(new Set(server.reports()), new Set([report.body]));
  });
}

test("a survey that was never loaded needs the server, and the error says so", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  await client({ state }).survey("campus");
  replies.manifest = AWAY;
  await assert.rejects(client({ state }).survey("other"), ServerUnreachable);
  await assert.rejects(client({}).survey("campus"), /try again later/);
});

test("a server that does not answer in time counts as away", async (context) => {
  let isSlow = false;
  const server = await serve(context, () => (isSlow ? new Promise(() => {}) : { body: publish() }));
  const client = new Client(server.url, { key: KEY, timeout: 300 });
  const { manifest } = await client.survey("campus");
  isSlow = true;
  assert.equal((await client.survey("campus")).manifest.id, manifest.id);
  await assert.rejects(client.survey("other"), ServerUnreachable);
});

test("a server that refuses the survey is believed, whatever is kept", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  await client({ state }).survey("campus");
  replies.manifest = { status: 410 };
  await assert.rejects(client({ state }).survey("campus"), ServerRefused);
});

test("the newest verified manifest is kept, and only once", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  await client({ state }).survey("campus");
  const before = await state.read();
  await client({ state }).survey("campus");
  assert.equal(await state.read(), before);
  replies.manifest = { body: publish({ title: "Newer" }) };
  await client({ state }).survey("campus");
  replies.manifest = AWAY;
  assert.equal((await client({ state }).survey("campus")).manifest.title, "Newer");
  assert.equal((await state.read()).length, 1);
});

test("what must not be used is not kept", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  await assert.rejects(client({ state, maxEpsilon: "1" }).survey("campus"), EpsilonCapExceeded);
  await assert.rejects(client({ state, maxTotalEpsilon: "1" }).survey("campus"), EpsilonCapExceeded);
  await assert.rejects(client({ state, key: `ed25519:${"A".repeat(43)}` }).survey("campus"), ManifestRefused);
  replies.manifest = { body: publish({ survey: "other" }) };
  await assert.rejects(client({ state }).survey("campus"), ManifestRefused);
  assert.deepEqual(await state.read(), []);
});

test("a kept manifest is verified again, against the key and the caps of the client that uses it", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  await client({ state }).survey("campus");
  replies.manifest = AWAY;
  await assert.rejects(client({ state, maxEpsilon: "1" }).survey("campus"), EpsilonCapExceeded);
  await assert.rejects(client({ state, key: `ed25519:${"A".repeat(43)}` }).survey("campus"), ServerUnreachable);
  const [kept] = await state.read();
  const { payload, ...rest } = JSON.parse(String(kept.envelope));
  const changed = JSON.stringify({ payload: payload.replace(/^eyJm/, "eyJn"), ...rest });
  for (const envelope of [changed, publish({ survey: "other" }), "canary"]) {
    await state.update(() => ({ ...kept, envelope }));
    await assert.rejects(client({ state }).survey("campus"), ManifestRefused);
  }
});

test("a kept manifest that is not the one that was answered is refused", async (context) => {
  const { replies, client } = await site(context);
  const state = new MemoryState();
  const first = client({ state });
  const survey = await first.survey("campus");
  replies.manifest = { body: publish({ title: "Newer" }) };
  await client({ state }).survey("campus");
  await first.submit(survey.randomize({ cheated: true }));
  replies.manifest = AWAY;
  await assert.rejects(client({ state }).survey("campus"), /changed after it was answered/);
});

test("a kept manifest costs nothing, is nobody's report and is never sent", async (context) => {
  const { server, client } = await site(context);
  const state = new MemoryState();
  await client({ state }).survey("campus");
  const other = client({ state, maxTotalEpsilon: "1.0986122886681096914" });
  assert.deepEqual([await other.spent(), await other.receipt("campus"), await other.flush()], ["0", null, []]);
  assert.ok(await other.survey("campus"));
  assert.deepEqual(server.reports(), []);
});
