/** Retries, and the events of a client: what an app can log, and what it cannot. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Client } from "../src/client.js";
import { InvalidValue, ServerRefused, ServerUnreachable } from "../src/errors.js";
import { Retry } from "../src/retry.js";
import { KEY, publish, serve } from "./support.js";

/** @import { ClientEvent, Options } from "../src/types.js" */

const AWAY = { drop: true };
const BUSY = { status: 503, headers: { "Retry-After": "5" } };
const ACCEPTED = { status: 201, body: { status: "accepted" } };
const REFUSED = { status: 403, body: { type: "urn:hushpoll:problem:survey-closed" } };

/**
 * Serve one survey with these replies in turn, first those to GET and then those to POST, and a client that logs.
 * @param {import("node:test").TestContext} context
 * @param {{ gets?: import("./support.js").Reply[], posts?: import("./support.js").Reply[] }} replies
 * @param {Partial<Options>} [options]
 */
async function logging(context, { gets = [], posts = [ACCEPTED] }, options) {
  const manifest = { body: publish() };
  const server = await serve(context, ({ method }) =>
    method === "GET" ? (gets.shift() ?? manifest) : (posts.shift() ?? ACCEPTED),
  );
  /** @type {ClientEvent[]} */
  const events = [];
  /** @type {number[]} */
  const pauses = [];
  const sleep = async (/** @type {number} */ ms) => void pauses.push(ms);
  const onEvent = (/** @type {ClientEvent} */ event) => void events.push(event);
  const client = new Client(server.url, { key: KEY, onEvent, sleep, ...options });
  return { server, events, pauses, client };
}

/** @param {readonly ClientEvent[]} events */
function namesOf(events) {
  return events.map(({ name, status }) => (status ? `${name} ${status}` : name));
}

test("a log has a survey and its report step by step, with no answer, draw or id in it", async (context) => {
  const { client, events } = await logging(context, { posts: [AWAY, ACCEPTED] });
  const report = (await client.survey("campus")).randomize({ cheated: true });
  await client.submit(report);
  await client.flush();
  await client.submit(report);
  assert.deepEqual(namesOf(events), ["fetched", "queued queued", "failed queued", "sent accepted"]);
  for (const event of events) {
    assert.deepEqual(Object.keys(event), ["name", "survey", "status", "problem"]);
    assert.ok(Object.isFrozen(event));
  }
  const log = inspect(events, { depth: null });
  for (const secret of [report.id, report.body, report.manifest, "cheated"]) assert.ok(!log.includes(secret));
});

test("opposite answers give equal logs", async (context) => {
  const logs = [];
  for (const cheated of [true, false]) {
    const { client, events } = await logging(context, {});
    await client.submit((await client.survey("campus")).randomize({ cheated }));
    logs.push(events);
  }
  assert.deepEqual(logs[0], logs[1]);
});

test("what a server refuses is told with the type of its problem", async (context) => {
  const unknown = { status: 404, body: { type: "urn:hushpoll:problem:unknown-survey" } };
  const { client, events } = await logging(context, { gets: [unknown], posts: [REFUSED] });
  await assert.rejects(client.survey("campus"), ServerRefused);
  await client.submit((await client.survey("campus")).randomize({ cheated: true }));
  const problems = events.filter(({ name }) => name === "refused").map(({ problem }) => problem);
  assert.deepEqual(problems, ["urn:hushpoll:problem:unknown-survey", "urn:hushpoll:problem:survey-closed"]);
});

test("a function that throws stops no report", async (context) => {
  const onEvent = () => assert.fail("the app's own mistake");
  const { client } = await logging(context, {}, { onEvent });
  const receipt = await client.submit((await client.survey("campus")).randomize({ cheated: true }));
  assert.equal(receipt.status, "accepted");
});

test("with attempts, a call tries again after randomized pauses that grow, and sends the same bytes", async (context) => {
  const retry = { attempts: 4, firstPause: 100, longestPause: 250 };
  const { client, server, pauses } = await logging(
    context,
    { gets: [AWAY, { status: 502 }], posts: [AWAY, AWAY, AWAY, ACCEPTED] },
    { retry },
  );
  const report = (await client.survey("campus")).randomize({ cheated: true });
  assert.equal((await client.submit(report)).status, "accepted");
  assert.deepEqual(server.reports(), Array(4).fill(report.body));
  assert.equal(pauses.length, 5);
  for (const [i, least] of [100, 200, 100, 200, 250].entries()) {
    assert.ok(pauses[i] >= least && pauses[i] <= 2 * least, `${pauses}`);
  }
});

test("without attempts nothing waits, and a server that asks for time is not tried again within a call", async (context) => {
  const once = await logging(context, { gets: [AWAY] });
  await assert.rejects(once.client.survey("campus"), ServerUnreachable);
  assert.deepEqual(once.pauses, []);
  const busy = await logging(context, { posts: [BUSY] }, { retry: { attempts: 9 } });
  const receipt = await busy.client.submit((await busy.client.survey("campus")).randomize({ cheated: true }));
  assert.deepEqual([receipt.status, busy.pauses, busy.server.reports().length], ["queued", [], 1]);
  const full = await logging(context, { gets: [BUSY] }, { retry: { attempts: 9 } });
  await assert.rejects(
    full.client.survey("campus"),
    (error) => error instanceof ServerUnreachable && error.retryAfter === 5,
  );
  assert.deepEqual(full.pauses, []);
});

test("a refusal is not tried again", async (context) => {
  const { client, server } = await logging(context, { gets: [{ status: 404 }] }, { retry: { attempts: 5 } });
  await assert.rejects(client.survey("campus"), ServerRefused);
  assert.equal(server.requests.length, 1);
});

test("settings that would never try, or never pause, are refused", () => {
  for (const wrong of [
    { attempts: 0 },
    { attempts: 1.5 },
    { attempts: "3" },
    { firstPause: 0 },
    { firstPause: 2, longestPause: 1 },
    { longestPause: 3_600_001 },
    { firstPause: Number.NaN },
  ]) {
    assert.throws(() => new Retry(/** @type {any} */ (wrong)), InvalidValue, inspect(wrong));
  }
});
